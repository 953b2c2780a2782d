"""Fits in other processes and threads after a fit in this one: each ends, with the answers of this one.

Six models, one for each family of solvers that uses threads: factors, coordinates, Newton steps, sums over classes,
random order, neighbours.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix

SOURCE = Path(separatrix.__file__).parents[1]
SECONDS = 60  # by the clock: a process that waits for a lock waits for ever
FITS = """
import numpy as np
from sklearn.base import clone
from separatrix.core.jit import load
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.linear_model import Lasso, LinearRegression, LogisticRegression, SGDClassifier
from separatrix.neighbors import KNeighborsClassifier

load()
RNG = np.random.default_rng(0)
X = RNG.standard_normal((20_000, 8))
Y = X @ np.arange(8.0) + RNG.standard_normal(20_000)
MODELS = {
    "factors": LinearRegression(),
    "coordinates": Lasso(0.1),
    "Newton": LogisticRegression(),
    "classes": LinearDiscriminantAnalysis(),
    "random order": SGDClassifier(random_state=0, max_iter=2, tol=None),
    "neighbours": KNeighborsClassifier(),
}

def answer(name):
    model = clone(MODELS[name])  # threads must not share one that is being fitted
    y = Y if name in ("factors", "coordinates") else Y > 0.0
    return float(np.sum(model.fit(X, y).predict(X[:200])))

def answers(_=None):
    return [answer(name) for name in MODELS]

def uses_threads():
    import threading
    return any(thread.name.startswith("separatrix") for thread in threading.enumerate())
"""
BEGIN = "if __name__ == '__main__':\n    from fits import *\n    here = answers(); assert uses_threads()\n"
FORK = """
    import os, sys
    child = os.fork()
    if child == 0:
        same = answers() == here and uses_threads()
        {leave}
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended == 7, ended
"""
WAYS = {
    "fork, and out": FORK.format(leave="os._exit(7 if same else 1)"),
    "fork, and an end with all that belongs to one": FORK.format(leave="sys.exit(7 if same else 1)"),
    "fork of a fork": FORK.format(
        leave="import multiprocessing as m\n"
        "        with m.get_context('fork').Pool(1) as pool: same &= pool.map(answers, [0]) == [here]\n"
        "        sys.exit(7 if same else 1)"
    ),
    "fork while other threads fit": """
    import os, threading
    stop = threading.Event()
    def fit():
        while not stop.is_set(): answers()
    busy = threading.Thread(target=fit); busy.start()
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os._exit(7 if answers() == here else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    stop.set(); busy.join()
""",
    "fork while another thread compiles": """
    import os, threading, time
    from numba.core.compiler_lock import global_compiler_lock
    compiling = threading.Event()
    def compile():
        with global_compiler_lock: compiling.set(); time.sleep(1.0)
    busy = threading.Thread(target=compile); busy.start(); compiling.wait()
    child = os.fork()
    if child == 0:
        os._exit(7 if answers() == here else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    busy.join(); assert answers() == here
""",
    "fork while another thread sets threads of BLAS": """
    import os, threading, time
    from separatrix.core import threads
    controller, setting, over = threads._controller(), threading.Event(), []
    class Slow:
        def limit(self, **options):
            setting.set(); time.sleep(1.0); over.append(1)
            return controller.limit(**options)
    threads._controller = Slow
    def enter():
        with threads._one_blas_thread: pass
    busy = threading.Thread(target=enter); busy.start(); setting.wait()
    child = os.fork()
    if child == 0:
        threads._controller = lambda: controller
        os._exit(7 if len(over) >= 2 and answers() == here else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    busy.join(); assert answers() == here
""",
    **{
        f"a pool of processes by {method}": f"""
    import multiprocessing
    pool = multiprocessing.get_context("{method}").Pool({size})
    assert pool.map(answers, range({size}), chunksize=1) == [here] * {size}
    pool.close(); pool.join()
"""
        for method, size in (("fork", 2), ("forkserver", 1), ("spawn", 1))  # the last two start from nothing
    },
    "a pool of processes that is ended": """
    import multiprocessing
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(answers, range(2), chunksize=1) == [here, here]
""",
    **{
        f"joblib by {backend}": f"""
    from joblib import Parallel, delayed
    assert Parallel(n_jobs=2, backend="{backend}")(delayed(answers)() for _ in range(3)) == [here] * 3
"""
        for backend in ("loky", "threading", "multiprocessing")
    },
    "a pool of processes of concurrent.futures": """
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(answers, range(2))) == [here, here]
""",
    "threads side by side": """
    from concurrent.futures import ThreadPoolExecutor
    from threadpoolctl import threadpool_info
    def blas(): return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
    before = blas()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(answers, range(4))) == [here] * 4
    assert blas() == before and set(before) == {2}
""",
}
NEEDS_FORK = ("fork", "forkserver", "multiprocessing")


@pytest.mark.parametrize("way", WAYS)
def test_fits_elsewhere_end_with_the_same_answers(way, tmp_path):
    if not hasattr(os, "fork") and any(word in way for word in NEEDS_FORK):
        pytest.skip("processes are not forked here")
    (tmp_path / "fits.py").write_text(FITS)
    (tmp_path / "main.py").write_text(BEGIN + WAYS[way] + "    print('the end')\n")
    environment = {**os.environ, "SEPARATRIX_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(SOURCE), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "main.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("the end\n"), done.stdout + done.stderr
