"""What a local model cannot do, it says: because of what, and what to do instead."""

import numpy as np
import pytest

from separatrix.core.errors import NotCertified
from separatrix.local import LocalLinearRegression, LocalLogisticRegression

MODELS = [LocalLinearRegression, LocalLogisticRegression]
over_models = pytest.mark.parametrize("model", MODELS, ids=lambda cls: cls.__name__)
X = np.arange(20.0)[:, None]
Y = np.arange(20) // 3 % 2


@over_models
@pytest.mark.parametrize(
    "parameters, match",
    [
        ({"bandwidth": 0.0}, r"bandwidth must be a number in \(0, inf\)"),
        ({"bandwidth": -1.0}, r"bandwidth=-1\.0"),
        ({"bandwidth": np.nan}, r"bandwidth=nan"),
        ({"bandwidth": np.inf}, r"bandwidth=inf"),
        ({"n_neighbors": 0}, r"n_neighbors must be an integer in \[1, inf\)"),
        ({"n_neighbors": 21}, r"n_neighbors=21: there are 20 rows"),
        ({"span": 0.0}, r"span must be a number in \(0, 1\]"),
        ({"span": 1.5}, r"span=1\.5"),
        ({"span": 0.5, "bandwidth": 1.0}, r"with bandwidth and span: each of them is a width"),
        ({"kernel": "box"}, r"kernel='box'"),
        ({"degree": 3}, r"degree must be an integer in \[0, 2\]"),
        ({"alpha": -0.1}, r"alpha=-0\.1"),
        ({"empty": "zero"}, r"empty='zero'"),
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_named_with_its_range(model, parameters, match):
    with pytest.raises(ValueError, match=match):
        model(**parameters).fit(X, Y)


@over_models
def test_an_empty_window_names_its_query_and_says_to_widen(model):
    fitted = model(bandwidth=1.5).fit(X, Y)
    with pytest.raises(ValueError, match=r"Cannot fit at row 1 of X, \[25.*width 1\.5; the nearest .* 6 .*Use a wider"):
        fitted.predict([[3.0], [25.0]])


def test_nan_is_given_only_where_it_was_asked_for():
    linear = LocalLinearRegression(bandwidth=1.5, empty="nan").fit(X, Y)
    assert np.isnan(linear.predict([[3.2], [25.0]])).tolist() == [False, True]
    assert np.isnan(linear.standard_errors([[3.2], [25.0]])).tolist() == [False, True]
    for y in (Y, np.arange(20) % 3):
        local = LocalLogisticRegression(bandwidth=2.5, empty="nan", degree=0).fit(X, y)
        assert np.isnan(local.predict_proba([[3.2], [25.0]])).all(axis=1).tolist() == [False, True]
        assert np.isnan(local.decision_function([[25.0]])).all()
        assert np.isnan(local.interval([[25.0]])).all()
        with pytest.raises(ValueError, match="Cannot name the class of row 1 of X"):
            local.predict([[3.2], [25.0]])


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="to one class"):
        LocalLogisticRegression().fit(X, np.zeros(20))


def test_too_many_coefficients_at_a_query_are_refused():
    wide = np.random.default_rng(0).standard_normal((400, 60))
    with pytest.raises(ValueError, match=r"with 183 coefficients at each query: .* Use a lower degree"):
        LocalLogisticRegression().fit(wide, np.arange(400) % 4)


@over_models
@pytest.mark.parametrize("level", [0.0, 1.0, "high", np.nan])
def test_a_level_must_be_inside_zero_and_one(model, level):
    fitted = model(bandwidth=8.0).fit(X, Y)
    with pytest.raises(ValueError, match="Cannot give intervals at level="):
        fitted.interval(X, level)


def test_a_query_that_is_not_a_number_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        LocalLinearRegression().fit(X, Y).predict([[np.nan]])


def test_a_query_beyond_all_numbers_has_no_window():
    with pytest.raises(ValueError, match="Cannot fit at row 0"):
        LocalLinearRegression(bandwidth=1.0, kernel="gaussian").fit(X, Y).predict([[1e250]])


def test_an_answer_that_did_not_settle_is_not_certified(monkeypatch):
    from separatrix.estimators.local import local_likelihood

    monkeypatch.setattr(local_likelihood, "TOLERANCE", 0.0)
    with pytest.warns(NotCertified, match="relative local gradient"):
        LocalLogisticRegression(bandwidth=6.0).fit(X, Y)
