"""A fit that is refused after its data were checked leaves the model as it was."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from separatrix.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    MixtureOfExpertsClassifier,
    MixtureOfExpertsRegressor,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
LABELS, NUMBERS = (X[:, 0] > 0.0).astype(int), X[:, 0]


class Failing(ClassifierMixin, RegressorMixin, BaseEstimator):
    """A base estimator that cannot be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise ValueError("Failing fails.")


FITS = [
    (AdaBoostClassifier(n_estimators=2), LABELS, {"estimator": Failing()}),
    (AdaBoostRegressor(n_estimators=2), NUMBERS, {"estimator": Failing()}),
    (BaggingClassifier(n_estimators=2), LABELS, {"estimator": Failing()}),
    (MixtureOfExpertsClassifier(n_init=1), LABELS, {"alpha": -1.0}),
    (MixtureOfExpertsRegressor(n_init=1), NUMBERS, {"alpha": -1.0}),
]


@pytest.mark.parametrize("model, y, settings", FITS, ids=lambda value: type(value).__name__)
def test_a_refused_fit_changes_nothing(model, y, settings):
    model.fit(X, y).set_params(**settings)
    before, answers = dict(vars(model)), model.predict(X)
    with pytest.raises(ValueError):
        model.fit(X[:, :2], y)
    assert len(vars(model)) == len(before)
    assert all(vars(model)[name] is value for name, value in before.items())
    assert np.array_equal(model.predict(X), answers)
