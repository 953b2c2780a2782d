"""Crafted model files, loaded and used in child processes: no crash, no hang, no answer but a refusal or an exception.

    python tests/persist/used.py 100000 --seed 1

Each file has right hashes and a changed content (``mutations.craft``). A child loads it and uses what it gets: every
method that answers, a fit, a chunk of a stream, a description, another file. Python exceptions are answers; a signal, a
timeout or a process out of memory is a failure, and the number of the file is printed, by which it can be made again.
"""

import argparse
import contextlib
import io
import multiprocessing
import os
import resource
import signal
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "contracts"))
from mutations import craft

from separatrix.core import jit

SECONDS = 60  # of processor time for one file: loops are compiled meanwhile
PATIENCE = 300  # seconds by the wall clock: other processes may want the processor, too
MEMORY = 6 << 30
METHODS = ("predict", "decision_function", "predict_proba", "transform", "score_samples", "inverse_transform")
PASSES = 20
AT_ONCE = 1000  # files of one child


@cache
def cases():
    """(file, X, y) of a model of every estimator, and of pipelines of scikit-learn's parts."""
    import test_persist
    from scipy import sparse
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

    from separatrix.linear_model import LogisticRegression, Ridge, SGDClassifier, SGDRegressor
    from separatrix.multiclass import OneVsRestClassifier
    from separatrix.persist.files import to_bytes
    from separatrix.preprocessing import PolynomialFeatures

    found = []
    for _, cls in test_persist.ESTIMATORS:
        fits = test_persist.fits(cls)
        found += [fits[0], fits[-1]]
    X, y, words = test_persist.NUMBERS, test_persist.AMOUNT, test_persist.WORDS
    several = (X > 0.5).astype(int)
    mixed = np.column_stack([X.astype(object), words])
    columns = ColumnTransformer([("n", StandardScaler(), [0, 1]), ("c", OneHotEncoder(min_frequency=8), [3, 4])])
    others = ColumnTransformer([("n", SimpleImputer(add_indicator=True), [0, 1]), ("c", OrdinalEncoder(), [3])])
    random = np.random.RandomState(1)
    found += [
        (mixed, y, make_pipeline(columns, Ridge()).fit(mixed, y)),
        (mixed, y, make_pipeline(others, Ridge()).fit(mixed, y)),
        (X, y, make_pipeline(MinMaxScaler(), PolynomialFeatures(2), Ridge()).fit(X, y)),
        (X, several, OneVsRestClassifier(LogisticRegression()).fit(X, several)),
        (X, several, OneVsRestClassifier(LogisticRegression()).fit(X, sparse.csr_matrix(several))),
        (X, y, SGDRegressor(random_state=random, max_iter=5, tol=None, average=True, penalty="l1").fit(X, y)),
        (X, y > 0, SGDClassifier(random_state=random, max_iter=5, tol=None, warm_start=True).fit(X, y > 0)),
    ]
    return [(to_bytes(model), X, y) for X, y, model in found]


def use(model, X, y):
    """Everything that a user may ask a model for; exceptions are answers."""
    import separatrix
    from separatrix.inference import describe

    rows = X[:7]
    jobs = [name for name in model.get_params() if name.endswith("n_jobs")]
    model.set_params(**dict.fromkeys(jobs))  # processes of a process that was forked may wait for each other

    def answer(method, *given):
        result = getattr(model, method)(*given)
        np.asarray(result.toarray() if hasattr(result, "toarray") else result).tobytes()

    def refit(method, **given):
        settings = model.get_params()
        shorter = {name: min(settings[name], PASSES) for name in settings if name.endswith("max_iter")}
        model.set_params(**shorter)  # many passes are no hang
        getattr(model, method)(X, y, **given)

    asked = [(answer, (method, rows), {}) for method in METHODS]
    asked += [(describe, (model,), {}), (separatrix.save, (model, io.BytesIO()), {})]
    asked += [(refit, ("partial_fit",), {}), (refit, ("fit",), {}), (answer, ("predict", rows), {})]
    done = 0
    for task, given, named in asked:
        try:
            task(*given, **named)
            done += 1
        except (Exception, SystemExit):
            continue
    return done


def worker(start, stop, seed, place, used, words):
    """Load and use the files from `start`; `place` holds the number of the one at hand, `words` what went wrong."""
    import separatrix
    from separatrix.persist import CannotLoad

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.stderr = sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for i in range(start, stop):
        place.value = i
        content, X, y = made(i, seed)
        spent = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (spent + SECONDS, resource.RLIM_INFINITY))  # a signal, even in a loop
        try:
            model = separatrix.load(io.BytesIO(content))
        except CannotLoad:
            continue
        except BaseException as error:
            words.put(repr(error)[:200])
            os._exit(1)
        used.value += 1
        with contextlib.suppress(Exception):
            use(model, X, y)
    place.value = stop
    os._exit(0)  # without waiting for processes that a model may have started


def made(i, seed):
    """File number i of a seed, with data to use it on."""
    rng = np.random.default_rng([seed, i])
    content, X, y = cases()[i % len(cases())]
    return craft(content, rng), X, y


def run(count, seed, say=lambda text: None, start=0):
    """Numbers of the files that crashed, with the signal; and how many could be loaded."""
    jit.load()  # small data would be handled by the loops as they are written, which cannot crash
    cases()
    fork = multiprocessing.get_context("fork")
    place, used, words = fork.Value("q", 0), fork.Value("q", 0), fork.SimpleQueue()
    failures, at = {}, start
    while at < start + count:
        child = fork.Process(target=worker, args=(at, start + count, seed, place, used, words))
        child.start()
        _watch(child, place)
        if child.exitcode == 0:
            break
        at = place.value
        failures[at] = signal.Signals(-child.exitcode).name if child.exitcode < 0 else "an exception"
        if not words.empty():
            failures[at] += f" {words.get()}"
        say(f"file {at} of seed {seed}: {failures[at]}")
        at += 1
    return failures, used.value


def _watch(child, place):
    """Wait for a child; end one that neither works nor comes to an end, as where processes wait for each other."""
    last, since = place.value, time.monotonic()
    while child.is_alive():
        child.join(1.0)
        if place.value != last:
            last, since = place.value, time.monotonic()
        if time.monotonic() - since > PATIENCE:
            child.kill()
            child.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    given = parser.parse_args()
    ended, loaded = {}, 0
    for first in range(given.start, given.start + given.count, AT_ONCE):
        at_once = min(AT_ONCE, given.start + given.count - first)
        failed, answered = run(at_once, given.seed, lambda text: print(text, flush=True), first)
        ended, loaded = ended | failed, loaded + answered
        print(f"{first + at_once - given.start} files, {loaded} loaded and used, {len(ended)} failures", flush=True)
    sys.exit(bool(ended))
