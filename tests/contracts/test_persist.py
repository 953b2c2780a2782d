"""Every estimator of the registry survives its file: answers to the last bit, parameters, attributes, certificate.

A new estimator is tested here as soon as it is registered. Where none of the data below suits it, the test fails, and
data that do are to be added.
"""

import inspect
import io
import warnings
from dataclasses import fields, is_dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.interpolate import BSpline
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import separatrix
from separatrix.core import registry
from separatrix.linear_model import LinearRegression, LogisticRegression

ESTIMATORS = sorted(registry.members("estimator").items())
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples")

RNG = np.random.default_rng(11)
N = 45
NUMBERS = RNG.normal(size=(N, 3)) + RNG.integers(0, 3, size=(N, 1))
ZEROS_AND_ONES = (RNG.random((N, 3)) < 0.4).astype(float)
WORDS = RNG.choice(["red wine", "white wine", "beer", "beer and wine"], size=(N, 2)).astype(object)
TWO = np.where(NUMBERS @ [1.0, 1.0, -1.0] + RNG.normal(size=N) > 1.0, "yes", "no")
THREE = np.digitize(NUMBERS[:, 0] + RNG.normal(size=N), [0.5, 1.5])
AMOUNT = NUMBERS @ [1.0, -2.0, 0.5] + RNG.normal(size=N)

# What X can be: the first of these that suits is taken, a score being one number a row; then the others, if they suit.
FIRST = {"numbers": NUMBERS, "zeros and ones": ZEROS_AND_ONES, "words": WORDS, "scores": NUMBERS[:, 0]}
OTHERS = {
    "float32": NUMBERS.astype(np.float32),
    "by columns": np.asfortranarray(NUMBERS),
    "sparse": sparse.csr_array(ZEROS_AND_ONES),
    "frame": pd.DataFrame(ZEROS_AND_ONES, columns=["age", "ldl", "sbp"]),
}


def unfitted(cls):
    """An instance with the defaults; what has none is filled by its name."""
    wanted = [p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    given = {"estimator": LogisticRegression(), "names": ("a", "b", "c"), "columns": ("a", "b", "c")}
    made = cls(**{name: given[name] for name in wanted})
    if cls.__name__ == "BernoulliRBM":  # whose score_samples draws a column for each row
        made.set_params(random_state=0)
    return made


def targets(model):
    """The kinds of y that a model may learn."""
    if is_regressor(model):
        return [np.exp(0.2 * AMOUNT) if get_tags(model).target_tags.positive_only else AMOUNT]
    return [TWO, THREE] if is_classifier(model) else [None, TWO, AMOUNT]


@cache
def fits(cls):
    """(X, y, fitted model) for all data that suit an estimator."""
    ys = targets(unfitted(cls))
    for X in FIRST.values():
        found = list(fitted(cls, X, ys))
        if found:
            return found + [one for X in OTHERS.values() for one in fitted(cls, X, ys[-1:])]
    raise AssertionError(f"add data that suit {cls.__name__} to FIRST")


def fitted(cls, X, ys):
    for y in ys:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield X, y, unfitted(cls).fit(X, y)
        except (ValueError, TypeError):
            continue


def through_a_file(model):
    file = io.BytesIO()
    separatrix.save(model, file)
    return separatrix.load(file)


def differences(a, b, where=""):
    """Where two values differ: types, bits, order in memory. Nothing if they do not."""
    if type(a) is not type(b):
        return [f"{where}: {type(a)} became {type(b)}"]
    if isinstance(a, np.ndarray) and a.dtype != object:
        same = a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        # an axis of length 1 has no order
        order = [[f.c_contiguous, f.f_contiguous] for f in (a.flags, b.flags)]
        contiguous = any(order[0])
        return [] if same and (order[0] == order[1] or not contiguous) else [f"{where}: {a!r} became {b!r}"]
    if isinstance(a, np.ndarray):
        a, b = a.tolist(), b.tolist()
    if isinstance(a, float):
        return [] if np.float64(a).tobytes() == np.float64(b).tobytes() else [f"{where}: {a!r} became {b!r}"]
    if isinstance(a, sparse.sparray | sparse.spmatrix):
        return [d for part in ("data", "indices", "indptr") for d in differences(getattr(a, part), getattr(b, part))]
    if isinstance(a, list | tuple):
        lengths = [] if len(a) == len(b) else [f"{where}: {len(a)} items became {len(b)}"]
        return lengths + [d for i, (x, z) in enumerate(zip(a, b)) for d in differences(x, z, f"{where}[{i}]")]
    if isinstance(a, dict):
        keys = [] if list(a) == list(b) else [f"{where}: keys {list(a)} became {list(b)}"]
        return keys + [d for key in a if key in b for d in differences(a[key], b[key], f"{where}[{key!r}]")]
    if is_dataclass(a):
        names = [field.name for field in fields(a)]
        return [d for n in names for d in differences(getattr(a, n), getattr(b, n), f"{where}.{n}")]
    if isinstance(a, BSpline):
        return differences((a.t, a.c, a.k), (b.t, b.c, b.k), where)
    if hasattr(a, "recipe"):
        return differences(a.recipe(), b.recipe(), where)
    if isinstance(a, BaseEstimator) or type(a).__module__.startswith("separatrix"):
        return differences(stored(a), stored(b), where)
    return [] if a == b else [f"{where}: {a!r} became {b!r}"]


def stored(model):
    """What an object holds, apart from what it computes once on request."""
    cls, held = type(model), vars(model)
    return {n: held[n] for n in sorted(held) if not isinstance(getattr(cls, n, None), cached_property)}


@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_a_file_keeps_every_bit_of_every_estimator(name, cls):
    for X, _, model in fits(cls):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before = {method: getattr(model, method)(X) for method in METHODS if hasattr(model, method)}
            again = through_a_file(model)
            after = {method: getattr(again, method)(X) for method in METHODS if hasattr(again, method)}
            assert differences(before, after) == []
            assert differences(stored(model), stored(again)) == []
            assert differences(model.get_params(), again.get_params()) == []
            if hasattr(model, "get_feature_names_out"):
                assert differences(model.get_feature_names_out(), again.get_feature_names_out()) == []
        clone(again)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_a_loaded_model_can_be_fitted_again(name, cls):
    X, y, model = fits(cls)[0]
    again = through_a_file(model).fit(X, y)
    assert again.get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize("name, cls", ESTIMATORS, ids=[n for n, _ in ESTIMATORS])
def test_the_file_of_a_loaded_model_is_the_file_it_came_from(name, cls):
    model = fits(cls)[0][-1]
    first, second = io.BytesIO(), io.BytesIO()
    separatrix.save(model, first)
    separatrix.save(separatrix.load(first), second)
    assert first.getvalue() == second.getvalue()


@pytest.mark.parametrize("name, cls", [(n, c) for n, c in ESTIMATORS if hasattr(c, "summary")])
def test_the_summary_of_a_loaded_model_is_that_of_the_model(name, cls):
    for _, _, model in fits(cls)[:2]:
        try:
            before = str(model.summary())
        except (ValueError, AttributeError, TypeError):
            continue  # a summary that needs the data
        assert str(through_a_file(model).summary()) == before


TRACED = [(name, cls) for name, cls in ESTIMATORS if "trace" in inspect.signature(cls).parameters]


@pytest.mark.parametrize("name, cls", TRACED, ids=[n for n, _ in TRACED])
def test_a_file_keeps_the_trace_of_every_estimator_that_has_one(name, cls):
    for y in targets(unfitted(cls)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            descent = {"solver": "gradient"} if cls is LinearRegression else {}  # the one that has iterations only then
            model = unfitted(cls).set_params(trace=True, **descent).fit(NUMBERS, y)
            again = through_a_file(model)
        assert model.trace_ is not None
        assert differences(stored(model), stored(again)) == []
