"""Principal axes held to their equations: orthonormal, ``S u = λ u``, and no left-out direction of larger variance."""

import operator

import numpy as np

from separatrix.designs import StreamedDesign, as_dense, as_design
from separatrix.estimators.recompute.comparison import Comparison, tolerance_of
from separatrix.estimators.streams import name_columns_of
from separatrix.estimators.validation import validate_rows

PROBES, STEPS = 4, 8  # random directions and power steps that look for a larger variance among what is left out


def principal(model, X, y=None, sample_weight=None):
    """The mean, the axes, their variances and all numbers that are made of these."""
    if isinstance(X, StreamedDesign):
        design = name_columns_of(model, X, reset=False)
    else:
        design = as_design(validate_rows(model, X))
    n, p, P = design.n, design.p, model.components_
    comparison = Comparison(model, n)
    sums = _sum(design, lambda B: np.vstack([B.sum(axis=0), np.abs(B).sum(axis=0)]))
    mean, size = sums / n
    comparison.number("mean_", mean, size)
    total = _sum(design, lambda B: ((B - mean) ** 2).sum())

    def scatter_times(V):
        def task(B):
            Z = (B - mean).astype(np.float64)
            return Z.T @ (Z @ V)

        return _sum(design, task)

    tolerance = tolerance_of(model)
    variances = model.explained_variance_
    comparison.residual(np.abs(P @ P.T - np.eye(len(P))).max(), tolerance, "components_")
    largest = max(float(variances.max(initial=0.0)), np.finfo(float).tiny)
    residuals = scatter_times(P.T) / (n - 1) - P.T * variances
    comparison.residual(np.linalg.norm(residuals, axis=0).max() / largest, tolerance, "components_")
    comparison.residual(_left_out(scatter_times, P, p) / (n - 1) / largest - variances.min() / largest, tolerance)
    comparison.number("singular_values_", np.sqrt((n - 1) * variances), tolerance=tolerance)
    comparison.names.append("explained_variance_")
    if total > 0.0:
        comparison.number("explained_variance_ratio_", (n - 1) * variances / total, tolerance=tolerance)
    rest = max(total - (n - 1) * np.sum(variances, dtype=np.longdouble), 0.0)
    # a difference of sums is right to the rounding of the sums
    comparison.number("reconstruction_error_", rest / n, (total + rest) / n, tolerance=tolerance)
    noise = rest / (n - 1) / max(min(n, p) - len(P), 1)
    comparison.number("noise_variance_", noise, noise + total / (n - 1), tolerance=tolerance)
    return comparison.certificate()


def _sum(design, task):
    return design.reduce(lambda block: task(as_dense(block.X).astype(np.longdouble)), operator.add)


def _left_out(scatter_times, P, p):
    """A lower bound on the largest eigenvalue of the scatter in the directions at right angles to the axes P."""
    if len(P) >= p:
        return 0.0
    V = np.random.default_rng(0).standard_normal((p, min(PROBES, p - len(P))))
    for _ in range(STEPS):
        V, _ = np.linalg.qr(V - P.T @ (P @ V))
        V -= P.T @ (P @ V)  # where there are fewer directions with variance than probes, QR adds some of P
        lengths = np.einsum("ij,ij->j", V, V)
        image = scatter_times(V)
        quotients = np.where(lengths > 0.5, np.einsum("ij,ij->j", V, image), 0.0)
        V = image
    return float(quotients.max())
