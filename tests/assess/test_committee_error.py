"""The error of a committee: golden case G066, exact fractions, and committees of fitted models."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import hadamard
from sklearn.datasets import load_diabetes

from separatrix.assess import committee_error
from separatrix.ensemble import BaggingRegressor

MEMBERS = 10


@pytest.mark.mission("EN-04")
def test_uncorrelated_errors_of_mean_zero_are_divided_by_the_number_of_members():
    errors = hadamard(16)[1 : MEMBERS + 1] * np.arange(1.0, MEMBERS + 1)[:, None]  # orthogonal rows, each of mean 0
    y = np.linspace(-1.0, 1.0, 16)
    error = committee_error(y, y + errors)
    assert error.ratio == pytest.approx(0.1, abs=1e-9)
    assert error.committee == pytest.approx(error.average / MEMBERS, rel=1e-12)
    assert error.members == pytest.approx(np.arange(1.0, MEMBERS + 1) ** 2, rel=1e-12)


@pytest.mark.mission("EN-04")
def test_equal_errors_are_not_lowered():
    y = np.arange(5.0)
    error = committee_error(y, np.tile(y + np.array([1.0, -2.0, 0.5, 0.0, 3.0]), (MEMBERS, 1)))
    assert error.ratio == pytest.approx(1.0, abs=1e-9)
    assert error.ambiguity == pytest.approx(0.0, abs=1e-30)


@pytest.mark.mission("EN-04")
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.99])
def test_a_committee_is_never_worse_than_its_members_on_average(correlation):
    rng = np.random.default_rng(0)
    for _ in range(20):
        shared, own = rng.standard_normal(30), rng.standard_normal((MEMBERS, 30))
        errors = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own + rng.normal()
        error = committee_error(np.zeros(30), errors)
        assert error.committee <= error.average
        assert error.committee == pytest.approx(error.average - error.ambiguity, rel=1e-12)


@pytest.mark.mission("EN-04")
def test_the_errors_are_those_of_exact_fractions_and_weights_are_repetitions():
    rng = np.random.default_rng(1)
    y, told, s = rng.integers(-9, 9, 12), rng.integers(-9, 9, (3, 12)), rng.integers(0, 4, 12)
    error = committee_error(y, told, sample_weight=s)
    total = Fraction(int(s.sum()))
    mean = [Fraction(int(told[:, i].sum()), 3) for i in range(12)]
    committee = sum(int(s[i]) * (mean[i] - int(y[i])) ** 2 for i in range(12)) / total
    average = sum(Fraction(int(s[i]) * int((told[m, i] - y[i]) ** 2)) for i in range(12) for m in range(3)) / total / 3
    assert error.committee == pytest.approx(float(committee), rel=1e-14)
    assert error.average == pytest.approx(float(average), rel=1e-14)
    repeated = committee_error(y.repeat(s), told.repeat(s, axis=1))
    assert repeated.committee == pytest.approx(error.committee, rel=1e-14)


@pytest.mark.mission("EN-03", "EN-04")
def test_a_committee_of_trees_gains_and_one_of_correlated_members_less_than_one_in_m():
    X, y = load_diabetes(return_X_y=True)
    model = BaggingRegressor(n_estimators=MEMBERS, random_state=0).fit(X[:300], y[:300])
    error = committee_error(y[300:], [member.predict(X[300:]) for member in model.estimators_])
    assert error.committee == pytest.approx(np.mean((model.predict(X[300:]) - y[300:]) ** 2), rel=1e-12)
    assert 1.0 / MEMBERS < error.ratio < 0.75


def test_predictions_that_are_no_table_are_refused():
    with pytest.raises(ValueError, match="one number for each row"):
        committee_error([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="missing or infinite"):
        committee_error([1.0, 2.0], [[1.0, np.nan]])
