"""Longley's data, fitted, certified, summarised and shrunk, beside the digits that NIST certifies."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from separatrix.datasets import load_longley
from separatrix.linear_model import LinearRegression, RidgeCV, lasso_path


@dataclass(frozen=True)
class Demonstration:
    """Fits of Longley's data.

    Attributes
    ----------
    model : fitted LinearRegression.
    coefficients : tuple of (name, estimate, certified value, correct digits, correct digits of the textbook formula).
    ridge_df : float.  Effective degrees of freedom of the ridge regression chosen by leave-one-out.
    lasso_steps : tuple of (first alpha, last alpha, R², names), one for each set of columns on the lasso's path.
    """

    model: Any
    coefficients: tuple
    ridge_df: float
    lasso_steps: tuple

    def as_dict(self):
        certificate = self.model.certificate_
        return {
            "coefficients": {
                name: {"estimate": estimate, "certified": certified, "digits": digits}
                for name, estimate, certified, digits, _ in self.coefficients
            },
            "certificate": {"verdict": str(certificate), "certified": certificate.converged},
        }


def demonstrate():
    """Fit everything that the demonstration shows."""
    data = load_longley()
    model = LinearRegression().fit(data.X, data.y)
    model.feature_names_in_ = np.array(data.feature_names, dtype=object)  # names for the summary; X is a bare array
    estimates = np.concatenate([[model.intercept_], model.coef_])
    certified = np.array([estimate for estimate, _ in data.certified.values()])
    digits = data.correct_digits(estimates, certified)
    textbook = data.correct_digits(normal_equations(data.X, data.y), certified)
    Z = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    ridge = RidgeCV(alphas=np.geomspace(1e-4, 10.0, 50)).fit(Z, data.y)
    rows = tuple(zip(data.certified, estimates, certified, digits, textbook))
    return Demonstration(model, rows, ridge.evidence_.edf, _lasso_steps(Z, data.y, data.feature_names))


def normal_equations(X, y):
    """Least squares by ``Z'Z b = Z'y``, intercept first: the textbook formula, which loses half the digits."""
    Z = np.column_stack([np.ones(len(y)), X])
    return np.linalg.solve(Z.T @ Z, Z.T @ y)


def _lasso_steps(Z, y, names):
    y = y - y.mean()
    alphas, coefs, _ = lasso_path(Z, y, alphas=100)
    steps = []
    for support, group in groupby(range(len(alphas)), key=lambda step: tuple(np.flatnonzero(coefs[:, step]))):
        if support:
            path = list(group)
            r = y - Z @ coefs[:, path[-1]]
            steps.append((alphas[path[0]], alphas[path[-1]], 1.0 - (r @ r) / (y @ y), [names[j] for j in support]))
    return tuple(steps)
