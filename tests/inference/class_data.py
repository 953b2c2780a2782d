"""Data of two and three classes, and a slow multinomial model fitted by another program."""

import numpy as np
import statsmodels.api as sm
from sklearn.utils.validation import validate_data

from separatrix.core.declaration import LOGISTIC, Declaration, declare_class
from separatrix.core.solution import Certificate
from separatrix.estimators.base import LinearClassifier
from separatrix.prediction import forms


class OtherMultinomial(LinearClassifier):
    """statsmodels' MNLogit behind the contract of LogisticRegression with C = inf: coefficients of all K classes."""

    def __init__(self, fit_intercept=True, C=np.inf, l1_ratio=0.0, class_weight=None):
        self.fit_intercept = fit_intercept
        self.C = C
        self.l1_ratio = l1_ratio
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        X = validate_data(self, X, dtype=np.float64)
        self.classes_, codes = np.unique(y, return_inverse=True)
        Z = np.column_stack([np.ones(len(X)), X]) if self.fit_intercept else X
        params = np.asarray(sm.MNLogit(codes, Z).fit(disp=0, method="newton", maxiter=100, tol=1e-14).params)
        full = np.column_stack([np.zeros(len(params)), params])
        full = full - full.mean(axis=1, keepdims=True)  # scikit-learn's: they sum to zero over the classes
        first = int(self.fit_intercept)
        self.certificate_ = Certificate("gradient", 0.0, 1e-10)
        return self._publish(full[first:], full[0] if first else 0.0)

    def predict_proba(self, X):
        scores = np.exp(self.decision_function(X))
        return scores / scores.sum(axis=1, keepdims=True)


declare_class(
    OtherMultinomial,
    Declaration(
        "classification",
        likelihood=LOGISTIC,
        prediction=forms.LINEAR_SCORES,
        equivalent="linear_model:LogisticRegression",
    ),
)


def two(seed=0, n=120, p=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    eta = 0.3 + X @ np.linspace(1.0, -0.5, p)
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(int), rng.integers(1, 4, n).astype(float)


def three(seed=1, n=200, p=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    scores = X @ rng.standard_normal((p, 3)) + [0.0, 0.4, -0.3]
    codes = (scores + rng.gumbel(size=(n, 3))).argmax(axis=1)
    return X, np.array(["low", "middle", "top"])[codes]
