"""One model fitted once, as the comparison does it."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from separatrix.assess.compare import refit
from separatrix.assess.compare.fit_once import Predictions, fit_once, worse_certificate
from separatrix.core.errors import EndOfGrid
from separatrix.linear_model import LinearRegression, RidgeCV


def test_warnings_are_collected_but_for_those_of_grids_that_users_do_not_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + rng.normal(size=40)
    with pytest.warns(EndOfGrid):
        RidgeCV([1e3, 1e4]).fit(X, y)
    assert fit_once(RidgeCV([1e3, 1e4]), X, y, X).messages == []
    twice = np.column_stack([X, X[:, 0]])
    assert "rank 3 of 4" in fit_once(LinearRegression(), twice, y, twice).messages[0]


def test_equal_scores_of_all_draws_tell_no_standard_error():
    """No mistake in 38 rows is no proof that there never is one: 0 would claim it. Rounding is no spread either."""
    score = np.linspace(0.1, 0.9, 38)
    predictions = Predictions(np.where(score > 0.5, "b", "a"), np.column_stack([1.0 - score, score]), score)
    y = predictions.values
    error = refit.test_standard_error(predictions, y, np.array(["a", "b"]), score="roc_auc", seed=0)
    assert np.isnan(error)


@pytest.mark.parametrize(("right", "rows"), [(3, 17), (23, 47)])
def test_the_standard_error_of_an_accuracy_is_the_binomial_one_to_a_tenth(right, rows):
    """Ten seeds, each with 400 resamples: the standard error of a bootstrap has itself one of 3.5 %."""
    y = np.array(["a"] * rows)
    predictions = Predictions(np.array(["a"] * right + ["b"] * (rows - right)))
    exact = np.sqrt(right / rows * (1.0 - right / rows) / rows)
    for seed in range(10):
        error = refit.test_standard_error(predictions, y, np.array(["a", "b"]), score="accuracy", seed=seed)
        assert error == pytest.approx(exact, rel=3 * 0.035)


def test_a_certificate_above_a_tolerance_of_zero_is_the_worse_one_without_a_warning():
    good, bad = (SimpleNamespace(converged=False, value=np.float64(gap), tolerance=0.0) for gap in (1e-3, 10.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert worse_certificate(good, bad) is bad
