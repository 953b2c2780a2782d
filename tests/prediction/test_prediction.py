"""A fitted pipeline as plain data predicts bit for bit alike, without scikit-learn."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from separatrix.core import registry
from separatrix.core.declaration import declaration
from separatrix.estimators import preparation
from separatrix.estimators.base import LinearClassifier, LinearModel, LinearRegressor, LogOddsClassifier
from separatrix.estimators.linear.generalized_linear import MeanRegressor
from separatrix.estimators.preparation.compose import pipeline
from separatrix.linear_model import Lasso, LogisticRegression, Ridge, RidgeClassifier
from separatrix.prediction import FORMS, Step, boosted_trees, can_predict, forms, predict_step
from separatrix.tables.table import Table
from separatrix.tables.understanding import ColumnFacts, Understanding

METHODS = ("_raw_score", "predict", "decision_function", "predict_proba", "predict_log_proba")


def step(estimator):
    """A fitted estimator as plain data."""
    form, state = declaration(estimator).prediction, dict(vars(estimator))
    if form is forms.PIPELINE:
        state = {"steps": [(name, step(part)) for name, part in estimator.steps]}
    elif form is forms.SIDE_BY_SIDE:
        parts = [(name, step(part), columns) for name, part, columns in estimator.transformers_]
        state = {"transformers_": parts, "sparse_output_": estimator.sparse_output_}
    return Step(form, state)


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
    assert can_predict(light)
    new = table(**{**options, "n": 50, "seed": 2})
    for method in METHODS[1:]:
        if not hasattr(whole, method):
            continue
        for rows in (data, new, new.take([0])):
            assert_array_equal(predict_step(light, method, rows), getattr(whole, method)(rows))


@pytest.mark.parametrize("view", ["binary", "codes", "curves"])
def test_other_views_are_prepared_alike(view):
    data = table()
    half = pipeline(understood(data), view, "passthrough").fit(data)[:-1]
    ours, theirs = predict_step(step(half), "transform", data), half.transform(data)
    assert type(ours) is type(theirs)
    dense = lambda Z: Z if isinstance(Z, np.ndarray) else Z.toarray()  # noqa: E731
    assert_array_equal(dense(ours), dense(theirs))


def test_a_declared_linear_form_is_the_arithmetic_that_the_class_uses():
    """Those whose every method of prediction is one of estimators/base.py or of means, and no others."""
    wanted = {LinearRegressor: forms.LINEAR, LinearClassifier: forms.LINEAR_CLASSES, LogOddsClassifier: forms.LOG_ODDS}
    wanted[MeanRegressor] = forms.MEAN
    modules = {LinearModel.__module__, MeanRegressor.__module__}
    for name, cls in registry.members("estimator").items():
        form = declaration(cls).prediction
        if not issubclass(cls, LinearModel):
            assert form not in wanted.values(), name
            continue
        homes = [next(c for c in cls.__mro__ if m in vars(c)) for m in METHODS if hasattr(cls, m)]
        own = not all(home.__module__ in modules for home in homes)
        nearest = next(c for c in reversed(wanted) if issubclass(cls, c))
        assert form is (forms.LINEAR_SCORES if own else wanted[nearest]), name


def test_every_form_has_the_methods_of_the_classes_that_declare_it():
    for name, cls in registry.members("estimator").items():
        form = declaration(cls).prediction
        if form is not None and form.methods:
            offered = {m for m in (*METHODS[1:], "transform") if hasattr(cls, m)}
            assert set(form.methods) <= offered, name


def test_what_is_not_known_here_is_refused_and_announced():
    stranger = Step(None, {})
    assert not can_predict(Step(forms.PIPELINE, {"steps": [("model", stranger)]}))
    with pytest.raises(ValueError, match=r"predict in plain numpy.*separatrix\.load"):
        predict_step(stranger, "predict", np.zeros((1, 1)))
    with pytest.raises(ValueError, match="'linear' has no such method"):
        predict_step(Step(forms.LINEAR, {}), "predict_proba", np.zeros((1, 1)))


def test_every_transformer_of_a_table_has_a_form():
    members = registry.members("estimator")
    for name in set(preparation.__all__) & set(members):
        assert "transform" in declaration(members[name]).prediction.methods, name


def test_a_form_is_found_by_its_name():
    assert all(FORMS[form.name] is form for form in FORMS.values())


def test_prediction_imports_neither_scikit_learn_nor_a_compiler(tmp_path):
    data = table()
    y = np.random.default_rng(1).integers(0, 2, len(data))
    whole = pipeline(understood(data), "standard", LogisticRegression()).fit(data, y)
    path = tmp_path / "state.pickle"
    path.write_bytes(pickle.dumps((plain(step(whole)), data, whole.predict_proba(data))))
    code = (
        "import pickle, sys, numpy as np\n"
        "from separatrix.prediction import predict_step\n"
        f"light, data, expected = pickle.load(open({str(path)!r}, 'rb'))\n"
        "assert np.array_equal(predict_step(light, 'predict_proba', data), expected)\n"
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
    return Step(light.form, kept)


@pytest.mark.parametrize("roots, fits", [([0, 1], True), ([0, 0], False), ([1], False), ([0, 2], False), ([], False)])
def test_roots_of_trees_stand_one_behind_the_other(roots, fits):
    none = np.array([-1, -1])
    nodes = dict.fromkeys(("column", "left", "right", "missing", "offset"), none)
    trees = {**nodes, "width": np.zeros(2, int), "routes": np.zeros(0, int), "roots": np.array(roots, dtype=int)}
    assert (boosted_trees.fault(trees) == "") == fits
