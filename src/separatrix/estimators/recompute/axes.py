"""Principal axes held to their equations: orthonormal, ``S u = λ u``, and no left-out direction of larger variance."""

import operator
from functools import reduce as fold

import numpy as np
from scipy.linalg import eigvalsh

from separatrix.designs import StreamedDesign, as_design
from separatrix.designs.sparse import dense_pieces
from separatrix.estimators.recompute.comparison import EPS, Comparison, tolerance_of
from separatrix.estimators.streams import name_columns_of
from separatrix.estimators.validation import validate_rows
from separatrix.solvers.principal_axes import ITERATED, signs

PROVED = 2000  # columns up to which all that is left out is decomposed; of more, a larger variance is searched for
PROBES, STEPS = 4, 8  # random directions and power steps that look for a larger variance among what is left out


def principal(model, X, y=None, sample_weight=None):
    """The mean, the axes with their signs, their variances and all numbers that are made of these."""
    if isinstance(X, StreamedDesign):
        design = name_columns_of(model, X, reset=False)
    else:
        design = as_design(validate_rows(model, X))
    n, p, P = design.n, design.p, model.components_.astype(np.float64)
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

    tolerance = tolerance_of(model, ITERATED)
    variances = model.explained_variance_.astype(np.float64)
    comparison.residual(np.abs(P @ P.T - np.eye(len(P))).max(), tolerance, "components_")
    largest = max(float(variances.max(initial=0.0)), np.finfo(float).tiny)
    residuals = scatter_times(P.T) / (n - 1) - P.T * variances
    comparison.residual(np.linalg.norm(residuals, axis=0).max() / largest, tolerance, "components_")
    comparison.residual(0.0 if np.all(signs(P.T) == 1.0) else np.inf, 0.0, "components_")
    # By Weyl's inequality λ_{k+1}(S) is at most the largest eigenvalue of S - P'ΛP, right to p eps of that of S.
    if p <= PROVED:
        left = scatter_times(np.eye(p)) / (n - 1) - (P.T * variances) @ P
        most = eigvalsh(left, subset_by_index=[p - 1, p - 1])[0] / largest
    else:
        most = _left_out(scatter_times, P, p) / (n - 1) / largest
        comparison.notes.append("a left-out direction of larger variance was searched for and not proved absent")
    comparison.residual(most - variances.min() / largest, tolerance + p * EPS, "components_")
    comparison.residual(np.diff(variances).max(initial=0.0) / largest, tolerance, "explained_variance_")  # they fall
    comparison.number("singular_values_", np.sqrt((n - 1) * variances), tolerance=tolerance)
    if total > 0.0:
        comparison.number("explained_variance_ratio_", (n - 1) * variances / total, tolerance=tolerance)
    rest = max(total - (n - 1) * np.sum(variances, dtype=np.longdouble), 0.0)
    # a difference of sums is right to the rounding of the sums
    comparison.number("reconstruction_error_", rest / n, (total + rest) / n, tolerance=tolerance)
    noise = rest / (n - 1) / max(min(n, p) - len(P), 1)
    comparison.number("noise_variance_", noise, noise + total / (n - 1), tolerance=tolerance)
    return comparison.certificate()


def _sum(design, task):
    def of_block(whole):
        return fold(operator.add, (task(block.X.astype(np.longdouble)) for block in dense_pieces(whole)))

    return design.reduce(of_block, operator.add)


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
