"""The baseline: shares and means, against scikit-learn's dummies and by scikit-learn's own checks."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import verify
from separatrix.estimators.baseline import ConstantClassifier, ConstantRegressor


@parametrize_with_checks([ConstantClassifier(), ConstantRegressor(), ConstantRegressor("median")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_scikit_learns_dummy(weighted):
    rng = np.random.default_rng(0)
    X, labels, y = rng.standard_normal((40, 2)), rng.choice(["a", "b", "c"], 40), rng.standard_normal(40)
    s = rng.uniform(0.5, 2.0, 40) if weighted else None
    ours, theirs = ConstantClassifier().fit(X, labels, s), DummyClassifier().fit(X, labels, s)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), rel=1e-12)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert ConstantRegressor().fit(X, y, s).predict(X) == pytest.approx(DummyRegressor().fit(X, y, s).predict(X))


def test_a_weight_is_a_number_of_repetitions():
    X, y = np.zeros((3, 1)), np.array([0, 1, 1])
    twice = ConstantClassifier().fit(np.zeros((5, 1)), [0, 0, 0, 1, 1])
    assert np.array_equal(ConstantClassifier().fit(X, y, [3.0, 1.0, 1.0]).class_prior_, twice.class_prior_)


@pytest.mark.parametrize("n", [1, 7, 8])
def test_the_median_is_numpys_and_weights_repeat_rows(n):
    rng = np.random.default_rng(n)
    X, y, s = np.zeros((n, 1)), rng.standard_normal(n), rng.integers(0, 4, n) + (np.arange(n) == 0)
    plain, weighted = (ConstantRegressor("median").fit(X, y, weight) for weight in (None, s.astype(float)))
    assert plain.constant_ == pytest.approx(np.median(y))
    assert weighted.constant_ == pytest.approx(np.median(np.repeat(y, s)))
    for model, weight in ((plain, None), (weighted, s.astype(float))):
        assert verify(model, X, y, weight).converged
    plain.constant_ += 0.1
    assert not verify(plain, X, y).converged


def test_another_statistic_is_refused():
    with pytest.raises(ValueError, match="'mean' or 'median'"):
        ConstantRegressor("mode").fit([[0.0]], [1.0])
