"""Numbers of a model that are NaN or infinite are never certified, however the tolerance is made of them."""

from copy import copy

import numpy as np
import pytest

import separatrix
from separatrix.core.solution import Certificate
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.linear_model import LogisticRegression, Perceptron, Ridge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [[1.0, 0.0], [-1.0, 2.0], [0.5, 1.0]] + RNG.normal(size=(60, 2))
TWO, THREE = (X[:, 0] > 0.1).astype(int), np.argmax(X, axis=1)
MODELS = {
    "discriminant": (LinearDiscriminantAnalysis(), THREE, ("coef_", "intercept_", "scalings_")),
    "perceptron": (Perceptron(), TWO, ("coef_", "intercept_")),
    "classes": (LogisticRegression(), THREE, ("coef_", "intercept_")),
    "outputs": (Ridge(), Y, ("coef_", "intercept_")),
}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("name", "attribute"), [(n, a) for n, (_, _, names) in MODELS.items() for a in names])
def test_no_row_of_an_attribute_may_be_anything_but_numbers(name, attribute, bad):
    model, y, _ = MODELS[name]
    model.fit(X, y)
    assert separatrix.verify(model, X, y).converged
    for row in range(len(getattr(model, attribute))):
        spoilt = copy(model)
        spoilt.__dict__[attribute] = getattr(model, attribute).copy()
        spoilt.__dict__[attribute][row] = bad
        with np.errstate(all="ignore"):
            try:
                certificate = separatrix.verify(spoilt, X, y)
            except ValueError:
                continue  # a refusal
        assert not certificate.converged
        assert str(certificate).startswith("NOT certified")


def test_an_infinite_value_is_within_no_tolerance():
    assert not Certificate("gap", np.inf, np.inf).converged
    assert Certificate("gap", 0.5, np.inf).converged
