"""A large X is not read just to be looked at: NaN and infinity show in the sums of the solvers, wherever they are."""

import warnings

import numpy as np
import pytest

from separatrix.estimators.validation import UNREAD
from separatrix.linear_model import LogisticRegression, Perceptron, SGDClassifier

MODELS = [
    LogisticRegression(),
    LogisticRegression(C=np.inf),
    LogisticRegression(l1_ratio=1.0, C=0.01),
    LogisticRegression(solver="newton", max_iter=3),
    SGDClassifier(max_iter=1, tol=None, random_state=0),
    SGDClassifier(loss="log_loss", max_iter=1, tol=None, shuffle=False),
    SGDClassifier(penalty=None, max_iter=1, tol=None, random_state=0),
    Perceptron(max_iter=1, tol=None, random_state=0),
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_single_number_that_is_not_finite_is_found(model, bad, order, classes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((UNREAD // 8 + 1, 8))
    y = np.digitize(X[:, 0] + rng.standard_normal(len(X)), [-0.3, 0.5][: classes - 1])
    for row, column in ((0, 0), (77_777, 0), (77_777, 7), (len(X) - 1, 3)):
        before, X[row, column] = X[row, column], bad
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ValueError, match="Input X contains"):
                model.fit(np.asarray(X, order=order), y)
        X[row, column] = before
