"""A fitted pipeline as plain data predicts bit for bit alike, without scikit-learn."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from separatrix.core import registry
from separatrix.estimators import preparation
from separatrix.estimators.base import LinearClassifier, LinearModel, LinearRegressor, LogOddsClassifier
from separatrix.estimators.preparation.compose import pipeline
from separatrix.linear_model import Lasso, LogisticRegression, Ridge, RidgeClassifier
from separatrix.prediction import SCORERS, Step, can_score, score
from separatrix.prediction.assembly import LINEAR_CLASSIFIERS, LINEAR_REGRESSORS, LOG_ODDS_CLASSIFIERS
from separatrix.tables.table import Table
from separatrix.tables.understanding import ColumnFacts, Understanding

METHODS = ("_raw_score", "predict", "decision_function", "predict_proba", "predict_log_proba")


def step(estimator):
    """A fitted estimator as plain data."""
    state = dict(vars(estimator))
    kind = type(estimator).__name__
    if kind == "Pipeline":
        state = {"steps": [(name, step(part)) for name, part in estimator.steps]}
    elif kind == "ColumnTransformer":
        parts = [(name, step(part), columns) for name, part, columns in estimator.transformers_]
        state = {"transformers_": parts, "sparse_output_": estimator.sparse_output_}
    return Step(kind, state)


def table(n=80, levels=3, text=True, seed=0):
    rng = np.random.default_rng(seed)
    columns = {
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "c": np.array([f"l{i}" for i in rng.integers(0, levels, n)], dtype=object),
        "d": rng.choice(np.array(["2020-01-01", "2021-07-09", None], dtype=object), n),
    }
    if text:
        columns["t"] = rng.choice(np.array(["free prize", "hello there", "prize", None], dtype=object), n)
    return Table(tuple(columns), tuple(columns.values()))


def understood(data):
    kinds = {"x": "number", "c": "category", "d": "date", "t": "text"}
    facts = tuple(ColumnFacts(name, kinds[name], 0, 0) for name in data.names)
    return Understanding("t.csv", len(data), 0, "y", "classification", facts)


@pytest.mark.parametrize("options", [{"text": False}, {"text": True}, {"levels": 400, "n": 2000}], ids=str)
@pytest.mark.parametrize("model", [LogisticRegression(), RidgeClassifier(), Ridge(), Lasso(0.01)], ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_pipeline_as_plain_data_predicts_bit_for_bit_alike(model, options, classes):
    data = table(**options)
    y = np.random.default_rng(1).integers(0, classes, len(data))
    whole = pipeline(understood(data), "standard", model).fit(data, y)
    light = step(whole)
    assert can_score(light)
    new = table(**{**options, "n": 50, "seed": 2})
    for method in METHODS[1:]:
        if not hasattr(whole, method):
            continue
        for rows in (data, new, new.take([0])):
            assert_array_equal(score(light, method, rows), getattr(whole, method)(rows))


@pytest.mark.parametrize("view", ["binary", "codes", "curves"])
def test_other_views_are_prepared_alike(view):
    data = table()
    half = pipeline(understood(data), view, "passthrough").fit(data)[:-1]
    ours, theirs = score(step(half), "transform", data), half.transform(data)
    assert type(ours) is type(theirs)
    dense = lambda Z: Z if isinstance(Z, np.ndarray) else Z.toarray()  # noqa: E731
    assert_array_equal(dense(ours), dense(theirs))


def test_the_lists_of_linear_models_are_the_classes_that_use_this_arithmetic():
    """Those whose every method of prediction is the one of estimators/base.py."""
    found = {LinearRegressor: [], LinearClassifier: [], LogOddsClassifier: []}
    for name, cls in registry.members("estimator").items():
        if not issubclass(cls, LinearModel):
            continue
        homes = [next(c for c in cls.__mro__ if m in vars(c)) for m in METHODS if hasattr(cls, m)]
        if all(home.__module__ == LinearModel.__module__ for home in homes):
            found[next(c for c in reversed(found) if issubclass(cls, c))].append(name)
    assert tuple(found[LinearRegressor]) == LINEAR_REGRESSORS
    assert tuple(found[LinearClassifier]) == LINEAR_CLASSIFIERS
    assert tuple(found[LogOddsClassifier]) == LOG_ODDS_CLASSIFIERS


def test_what_is_not_known_here_is_refused_and_announced():
    stranger = Step("KNeighborsClassifier", {})
    assert not can_score(Step("Pipeline", {"steps": [("model", stranger)]}))
    with pytest.raises(ValueError, match=r"predict with KNeighborsClassifier in plain numpy.*separatrix\.load"):
        score(stranger, "predict", np.zeros((1, 1)))
    with pytest.raises(ValueError, match="predict_proba with Ridge"):
        score(Step("Ridge", {}), "predict_proba", np.zeros((1, 1)))


def test_every_transformer_can_be_scored():
    assert set(preparation.__all__) <= set(SCORERS)


def test_scoring_imports_neither_scikit_learn_nor_a_compiler(tmp_path):
    data = table()
    y = np.random.default_rng(1).integers(0, 2, len(data))
    whole = pipeline(understood(data), "standard", LogisticRegression()).fit(data, y)
    path = tmp_path / "state.pickle"
    path.write_bytes(pickle.dumps((plain(step(whole)), data, whole.predict_proba(data))))
    code = (
        "import pickle, sys, numpy as np\n"
        "from separatrix.prediction import score\n"
        f"light, data, expected = pickle.load(open({str(path)!r}, 'rb'))\n"
        "assert np.array_equal(score(light, 'predict_proba', data), expected)\n"
        "print(' '.join(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "separatrix.prediction.words" in loaded
    assert loaded & {"sklearn", "numba", "narwhals", "pandas", "polars", "pyarrow"} == set()


def plain(light):
    """Only what the functions may use: parameters and fitted attributes that are data."""
    kept = {}
    for name, value in light.state.items():
        if isinstance(value, list) and value and isinstance(value[0], tuple):
            kept[name] = [tuple(plain(x) if isinstance(x, Step) else x for x in item) for item in value]
        elif isinstance(value, list | tuple | str | int | float | bool | np.ndarray | type(None)):
            kept[name] = value
    return Step(light.kind, kept)
