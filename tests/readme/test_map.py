"""The map of the README and the declarations tell which solvers run: seen by watching fits, not read from the code."""

import re
import sys
import threading
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import get_tags

import separatrix
from separatrix.core import registry
from separatrix.core.declaration import declaration, file_of, resolved
from separatrix.designs import MemoryMappedDesign

PACKAGE = f"{Path(separatrix.__file__).parent}/"
README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
MODELS = {name: cls for name, cls in registry.members("estimator").items() if declaration(cls).solvers}
# Rules that choose a solver, sums over rows that several use, and compiled loops, which are part of their conductors.
NO_SOLVERS = ("solvers/choose.py", "solvers/gradient_pass.py", "solvers/compiled/", "solvers/binary_states.py")
NO_SOLVER_FUNCTIONS = {"signs"}  # the convention for the signs of axes
RNG = np.random.default_rng(0)
X = RNG.poisson(2.0, (60, 4)).astype(float)
WIDE = RNG.standard_normal((30, 220))
SEARCHED = RNG.standard_normal((600, 12))
BY_GRADIENTS = {"X": WIDE, "choose.QUICK": 0}
BY_ROWS = {"X": "sparse", "choose.ALL": 0, "choose.NEWTON_COLUMNS": 1}
RIDGE = [{"X": WIDE}, BY_GRADIENTS]
PENALISED = [{"X": "stream"}, {"alpha": 0.0, "positive": True}, {"alpha": 0.0}, {"alpha": 0.0, **BY_GRADIENTS}]
PATHS = [{"alphas": [0.0], "positive": True}, {"alphas": [0.0]}, {"alphas": [0.0], **BY_GRADIENTS}]
MEANS = [{"alpha": 0.0}, {"X": "stream"}, {"X": WIDE}]
SQUARED = [{"choose.FEW_GRADIENTS": 0}, {"X": WIDE}, BY_ROWS]
# Settings, data (X) and thresholds of the choice between solvers (a name with a dot) that lead to each solver.
FITS = {
    "BasicLinearClassifier": [{"metric": "full"}, {"metric": "full", **BY_GRADIENTS}],
    "ElasticNet": [*PENALISED, *({"l1_ratio": 0.0, **fit} for fit in RIDGE)],
    "ElasticNetCV": PATHS,
    "GammaRegressor": MEANS,
    "GeneralizedLinearRegressor": [
        BY_GRADIENTS,
        *({"family": "poisson", "alpha": 0.1, **fit} for fit in MEANS),
        {"family": "inverse_gaussian"},
        {"family": "binomial", "alpha": 0.1, **BY_ROWS},
        *({"alpha": 0.1, **fit} for fit in RIDGE),
    ],
    "IsingModel": [{"method": "pseudolikelihood"}, {"penalty": "l1"}],
    "KNeighborsClassifier": [{"algorithm": "brute", "X": SEARCHED, "neighbours.nearest.SCREEN_FROM": 0}],
    "KNeighborsRegressor": [{"algorithm": "brute", "X": SEARCHED, "neighbours.nearest.SCREEN_FROM": 0}],
    "KernelRidge": [{"n_components": 10}],
    "Lasso": PENALISED,
    "LassoCV": PATHS,
    "LeastSquaresClassifier": [BY_GRADIENTS],
    "LinearDiscriminantAnalysis": [{"shrinkage": "auto"}],
    "LinearRegression": [{"positive": True}, {"solver": "gradient"}, BY_GRADIENTS],
    "LinearSVC": [*SQUARED, {"penalty": "l1"}, {"loss": "hinge"}, {"loss": "hinge", "choose.NEWTON_COLUMNS": 1}],
    "LinearSVR": [{"choose.NEWTON_COLUMNS": 1}, *({"loss": "squared_epsilon_insensitive", **fit} for fit in SQUARED)],
    "LogisticRegression": [
        {"C": np.inf},
        {"l1_ratio": 1.0},
        {"solver": "newton"},
        {"solver": "gradient"},
        {"X": "stream"},
        {"X": WIDE},
        BY_ROWS,
    ],
    "LogisticRegressionCV": [{"l1_ratios": [1.0]}, {"X": WIDE}, {"Cs": [np.inf]}, BY_ROWS],
    **{name: [{"solver": "lbfgs"}] for name in ("Autoencoder", "MLPClassifier", "MLPRegressor")},
    "MixtureOfExpertsClassifier": [{"X": WIDE}, BY_ROWS],
    "MixtureOfExpertsRegressor": RIDGE,
    "ModelTreeClassifier": [{"X": WIDE}],
    "ModelTreeRegressor": RIDGE,
    "PoissonRegressor": MEANS,
    "QuadraticDiscriminantAnalysis": [{"shrinkage": "auto"}],
    "Ridge": [*RIDGE, {"positive": True}],
    "RidgeCV": RIDGE,
    "RidgeClassifier": [*RIDGE, {"positive": True}],
    "RidgeClassifierCV": RIDGE,
    "TweedieRegressor": [*RIDGE, *({"power": 1.5, **fit} for fit in MEANS), {"power": 3.0}],
}


def solvers_of(task):
    """{the file of a solver: who called it} while a task runs."""
    calls = {}

    def watch(frame, event, _):
        path = frame.f_code.co_filename
        if event != "call" or not path.startswith(f"{PACKAGE}solvers/") or frame.f_code.co_name in NO_SOLVER_FUNCTIONS:
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        path, asked_by = (f.removeprefix(PACKAGE) for f in (path, caller.f_code.co_filename if caller else ""))
        if not path.startswith(NO_SOLVERS):
            calls.setdefault(path, set()).add(asked_by)

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        task()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


def use(model, data, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(data, y)
        if declaration(model).task != "transformation" and isinstance(data, np.ndarray):
            model.predict(data)


def watched(name, tmp_path, monkeypatch):
    """The solvers of all fits of a model."""
    calls = {}
    for fit in [{}, *FITS.get(name, [])]:
        settings = {key: value for key, value in fit.items() if "." not in key and key != "X"}
        for key, value in fit.items():
            if "." in key:
                monkeypatch.setattr(f"separatrix.solvers.{key}", value)
        data = fit.get("X", X)
        if isinstance(data, str) and data == "sparse":
            data = sp.csr_array(X)
        elif isinstance(data, str):
            stored = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float64, shape=X.shape)
            stored[:] = X
            data = MemoryMappedDesign(stored)
        rows = X if not isinstance(data, np.ndarray) else data
        amount = rows[:, :4] @ [1.0, -1.0, 0.5, 0.2] + np.random.default_rng(1).standard_normal(len(rows))
        if get_tags(MODELS[name](**settings)).target_tags.positive_only:
            amount = np.exp(0.2 * amount)
        is_number = declaration(MODELS[name]).task == "regression" and fit.get("family") != "binomial"
        y = amount if is_number else (np.median(amount) < amount).astype(int)
        data = data[:, 0] if name == "LogisticCalibrator" else data
        settings = {"method": "platt", **settings} if name == "LogisticCalibrator" else settings
        settings = {"binarize": 0.5, **settings} if name in ("IsingModel", "BoltzmannMachine") else settings
        for path, callers in solvers_of(partial(use, MODELS[name](**settings), data, y)).items():
            calls.setdefault(path, set()).update(callers)
        monkeypatch.undo()
    return calls


@pytest.mark.parametrize("name", MODELS)
def test_the_declared_solvers_are_those_that_run(name, tmp_path, monkeypatch):
    calls = watched(name, tmp_path, monkeypatch)
    declared = declared_files([name])
    assert declared <= set(calls)
    asked = {path for path, callers in calls.items() if any(_chooses(caller) for caller in callers)}
    assert asked <= declared


def declared_files(names):
    parts = [part for name in names for part in resolved(declaration(MODELS[name]).solvers)]
    return {f"{file_of(part).removeprefix('separatrix.').replace('.', '/')}.py" for part in parts}


def _chooses(caller):
    """An estimator asks for a solver itself, or leaves the choice to the rules."""
    return caller == "solvers/choose.py" or caller.startswith("estimators/")


def test_the_solvers_of_the_map_are_those_declared():
    for line in (line for line in README.splitlines() if line.startswith("| `")):
        cells = line.strip("|").split("|")
        shown = set(re.findall(r"`(solvers/[\w/]+\.py)`", " ".join(cells[2:]))) - {"solvers/choose.py"}
        names = [name for name in re.findall(r"`(\w+)`", cells[0]) if name in MODELS]
        assert not names or shown == declared_files(names), line
