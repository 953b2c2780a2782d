"""Leave-one-out of weighted rows, against really leaving one copy of each row out."""

import numpy as np
import pytest

from separatrix.core.jit import load
from separatrix.linear_model import RidgeCV


def really_left_out(X, y, s, alpha):
    """The weighted mean squared error of each row under the ridge fitted with one copy of it less."""
    errors = np.empty(len(y))
    for i in range(len(y)):
        w = s.copy()
        w[i] -= min(s[i], 1.0)
        mean, y_mean = w @ X / w.sum(), w @ y / w.sum()
        Z = X - mean
        beta = np.linalg.solve(Z.T @ (w[:, None] * Z) + alpha * np.eye(X.shape[1]), Z.T @ (w * (y - y_mean)))
        errors[i] = y[i] - y_mean - (X[i] - mean) @ beta
    return s @ errors**2 / s.sum()


@pytest.mark.parametrize("p", [4, 40], ids=["tall", "wide"])
def test_one_copy_of_a_weighted_row_is_left_out(p):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, p)) + 1.0
    y = X[:, 0] + rng.standard_normal(25)
    s = rng.choice([0.4, 1.0, 2.0, 3.0], 25)
    alphas = [0.5, 5.0]
    scores = RidgeCV(alphas).fit(X, y, s).scores_
    assert -scores == pytest.approx([really_left_out(X, y, s, alpha) for alpha in alphas], rel=1e-10)


def test_the_only_row_cannot_be_left_out():
    load()  # interpreted loops divide by zero without a word, compiled ones raise
    with pytest.raises(ValueError, match="there is 1 sample of positive weight, and without it none"):
        RidgeCV([3.0, 1.0]).fit([[1.0], [2.0]], [1.0, 5.0], [1.0, 0.0])
