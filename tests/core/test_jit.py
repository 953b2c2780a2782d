"""The cache of compiled loops is named by the sources that loops are made of."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import is_classifier

import separatrix
from separatrix.core import jit
from separatrix.core.jit import sources_of_loops
from separatrix.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from separatrix.linear_model import LogisticRegression, Perceptron, SGDRegressor
from separatrix.local import LocalLinearRegression
from separatrix.tree import DecisionTreeRegressor

ROOT = Path(separatrix.__file__).parent


def test_every_file_with_a_decorated_loop_or_verb_counts_and_an_estimator_does_not():
    decorated = re.compile(r"^@(compiled|compiled_exactly|part|part_exactly|generic|implements\(.*)$", re.M)
    loops = {path for path in ROOT.rglob("*.py") if decorated.search(path.read_text())}
    assert len(loops) > 20
    assert loops <= sources_of_loops(ROOT)
    assert ROOT / "estimators" / "linear" / "lasso.py" not in sources_of_loops(ROOT)


def test_a_constant_imported_by_a_loop_counts(tmp_path):
    (tmp_path / "loops.py").write_text(
        "from separatrix.core.jit import compiled\nfrom separatrix.numbers import (\n    WIDTH,\n)\n"
    )
    (tmp_path / "numbers.py").write_text("from separatrix.rooms import deep\nWIDTH = 3\n")
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "deep.py").write_text("HEIGHT = 4\n")
    (tmp_path / "other.py").write_text("import numpy\n")
    assert {path.name for path in sources_of_loops(tmp_path)} == {"loops.py", "numbers.py", "deep.py"}


# ------------------------------------------------------------------ losses from outside the package

LOSS = '''
from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.verbs import conjugate, curvature, largest_curvature, slope, value


@atom
class Parabola(NamedTuple):
    """Half the square of eta - y - SHIFT, times a factor."""

    steepness: float


@implements(value, Parabola)
def _(loss, y, eta):
    return 0.5 * loss.steepness * (eta - y - SHIFT) ** 2


@implements(slope, Parabola)
def _(loss, y, eta):
    return loss.steepness * (eta - y - SHIFT)


@implements(curvature, Parabola)
def _(loss, y, eta):
    return loss.steepness


@implements(conjugate, Parabola)
def _(loss, y, u):
    return 0.5 * u * u / loss.steepness + u * (y + SHIFT)


@implements(largest_curvature, Parabola)
def _(loss):
    return loss.steepness
'''
FIT = """
import sys
import numpy as np
from separatrix.core import jit
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Huber
from separatrix.penalties import L2
from separatrix.solvers.quasi_newton import quasi_newton
from parabola import Parabola

if sys.argv[2] == "compiled":
    jit.load()
loss = Parabola(2.0) if sys.argv[1] == "foreign" else Huber(1.0)
X, y = np.arange(8.0).reshape(4, 2) ** 2 / 9.0, np.array([1.0, 2.0, 0.0, 4.0])
solution = quasi_newton(Problem(as_design(X), Target(y), loss, L2(0.5), True))
print(repr(float(solution.intercept)))
"""


def test_a_loop_with_an_atom_from_outside_is_compiled_in_memory_and_never_stale(tmp_path):
    def run(kind, way, shift):
        (tmp_path / "parabola.py").write_text(LOSS.replace("SHIFT", shift))
        outcome = subprocess.run(
            [sys.executable, "-c", FIT, kind, way],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONDONTWRITEBYTECODE": "1",  # the edited file may have the size and second of the first
                "SEPARATRIX_CACHE": str(tmp_path / "cache"),
                "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT.parent)]),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return float(outcome.stdout)

    def entries():
        return {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.loop")}

    run("ours", "compiled", "0.0")
    before = entries()
    assert before
    first, second = run("foreign", "compiled", "0.0"), run("foreign", "compiled", "1.0")
    assert entries() == before
    # the shift of every target is a shift of the intercept, which is not penalised
    assert second - first == pytest.approx(1.0, rel=1e-7)
    assert run("foreign", "interpreted", "1.0") == pytest.approx(second, rel=1e-10)


# ------------------------------------------------------------------ arrays as users hand them in


def signatures():
    """How many signatures all loops of this process are compiled for."""
    loops = [loop._compiled[False] for loop in jit._in_use if loop._compiled[False] is not None]
    return sum(len(getattr(getattr(loop, "_loop", loop), "overloads", ())) for loop in loops)


def frozen(array):
    """The same numbers, which cannot be written to: a column of a data frame, or a file mapped into memory."""
    array = array.copy()
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        SGDRegressor(max_iter=2, tol=None, random_state=0),
        Perceptron(),
        DecisionTreeRegressor(max_depth=2, max_leaf_nodes=3),
        RandomForestClassifier(2, max_depth=2, random_state=0),
        HistGradientBoostingRegressor(max_iter=2),
        LocalLinearRegression(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_frozen_and_strided_arrays_are_compiled_for_like_all_others(model):
    rng = np.random.default_rng(0)
    X, s = rng.standard_normal((60, 3)), rng.integers(1, 3, 60).astype(float)
    y = X[:, 0] + rng.standard_normal(60)
    y = (y > 0.0).astype(float) if is_classifier(model) else y
    weights = {} if isinstance(model, LocalLinearRegression) else {"sample_weight": s}
    usual = model.fit(X, y, **weights).predict(X)
    before = signatures()
    weights = {name: frozen(value) for name, value in weights.items()}
    for target in (frozen(y), np.repeat(y, 2)[::2]):
        assert_array_equal(model.fit(frozen(X), target, **weights).predict(frozen(X)), usual)
    assert signatures() == before


def test_rows_of_trees_are_compiled_for_once_whatever_their_order():
    X = np.random.default_rng(0).standard_normal((60, 3))
    model = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, X[:, 0] > 0.0)
    usual, before = model.predict_proba(X), signatures()
    for rows in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        assert_array_equal(model.predict_proba(rows), usual)
    assert signatures() == before


# ------------------------------------------------------------------ an interrupt while numba is imported

INTERRUPTED = """
import os, signal, sys
import numpy as np
from separatrix.core import jit

@jit.compiled
def total(x):
    out = 0.0
    for i in range(x.size):
        out += x[i]
    return out

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("numba.core.typing"):
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
try:
    getattr(jit, sys.argv[1])()
except KeyboardInterrupt:
    print("interrupted")
getattr(jit, sys.argv[1])()
jit.load()
print(total(np.arange(4.0)), total._compiled[False] is not None)
"""


@pytest.mark.parametrize("call", ["load", "cache_name"])
def test_an_interrupt_while_numba_is_imported_leaves_a_process_that_compiles(call):
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, call], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["interrupted", "6.0", "True"], done.stderr


# ------------------------------------------------------------------ settings of numba in the current folder

OBEYING = """
import os, sys
from separatrix.core import jit

for call in (jit.load, jit.cache_name):
    try:
        call()
    except ValueError as error:
        print(error)
assert "numba" not in sys.modules
os.mkdir("below")
os.chdir("below")
jit.load()
os.chdir("..")
import numba
numba.njit(lambda x: x + 1.0)(1.0)
assert numba.config.CHROME_TRACE == "", numba.config.CHROME_TRACE
"""


def test_settings_of_numba_in_the_current_folder_are_not_obeyed(tmp_path):
    """They could have it write any file when the process ends."""
    (tmp_path / jit.SETTINGS).write_text("chrome_trace: written.json\n")
    done = subprocess.run([sys.executable, "-c", OBEYING], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("Cannot load numba here: it would obey .numba_config.yaml") for line in lines)
    assert not list(tmp_path.rglob("written.json"))


def test_settings_of_numba_would_be_obeyed_by_an_import_of_it(tmp_path):
    """What the test above refuses is real, where PyYAML is installed."""
    pytest.importorskip("yaml")
    (tmp_path / jit.SETTINGS).write_text("chrome_trace: written.json\n")
    subprocess.run([sys.executable, "-c", "import numba"], check=True, cwd=tmp_path)
    assert (tmp_path / "written.json").exists()
