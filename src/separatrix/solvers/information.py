r"""The Fisher information of a fitted likelihood, and its inverse: the covariance of the coefficients.

Forms    I = Σ_i s_i h_i ⊗ x_i x_i',   h_i the expected curvature of the loss, the intercept a column of X, one class
         left out
Given    a problem whose loss is a deviance, of one score (y of shape (n,)) or of K classes (n, K), and a fit
Returns  LikelihoodStatistics.
Cost     one read of X and n p² for two classes, n p² K² / 2 for K.
From     McCullagh and Nelder (1989), Generalized Linear Models, sections 2.5 and 5.2.4.

Columns are centred about their means under the weights s h, and scaled, before anything is factored: neither far means
nor unequal units cost a digit. Cholesky where its rounding errors cannot show, else QR by blocks of rows.
"""

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from separatrix.core.errors import cannot
from separatrix.core.objective import (
    curvatures_at,
    informations_at,
    null_objective,
    total_conjugate,
    total_value,
)
from separatrix.core.problem import Problem
from separatrix.core.scores import ScoredRows, Scores
from separatrix.core.statistics import LikelihoodStatistics
from separatrix.core.target import weights_of
from separatrix.core.verbs import ignores_shifts, information, is_deviance, largest_curvature, link
from separatrix.designs import Moments, as_dense, moments
from separatrix.designs.base import Block
from separatrix.designs.factor import EPS, Factor, gram_factor, triangle_factor
from separatrix.designs.moments import moments_of_block
from separatrix.solvers.preconditioner import joint_hessian

# Problems up to this many numbers are factored by QR at once.
SMALL = 1 << 16
# A row of less curvature is one of a separated fit: its probabilities are as close to 0 or 1. Of a loss whose curvature
# has no bound, a row of less than this share of the curvature at the mean of y.
SURE, SURE_SHARE = 1e-8, 1e-6


def sure_below(problem: Problem) -> float:
    """The curvature below which a row is one of a separated fit; in the units of the loss."""
    if largest_curvature(problem.loss) < np.inf:
        return SURE
    mean = float(problem.target.mean())
    return SURE_SHARE * information(problem.loss, mean, link(problem.loss, mean))


def likelihood_evidence(problem: Problem, beta: Any, intercept: Any, classes: Any = None) -> LikelihoodStatistics:
    """What a fitted likelihood knows of its own uncertainty; see the head of this file.

    Parameters
    ----------
    problem : Problem.  Its loss is a deviance, of y (n,), or of y (n, K) with rows that sum to 1.
    beta : array of shape (p,) or (p, K).  Fitted coefficients.
    intercept : float or (K,) array.  Ignored where the problem has none.
    classes : sequence or None.  Labels, in the order of the columns of y (two labels where y is one column).

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import NoPenalty
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> problem = Problem(as_design(X), Target(y), Logistic(), NoPenalty())
    >>> likelihood_evidence(problem, [0.0], 0.0).covariance  # [[4, 2], [2, 2]] / 4, inverted
    array([[ 2., -2.],
           [-2.,  4.]])
    """
    if not is_deviance(problem.loss):
        raise cannot(
            f"form the information of the loss {type(problem.loss).__name__}",
            because="it is no likelihood and no deviance",
            instead="a loss that implements is_likelihood or is_deviance, such as Logistic or Softmax",
        )
    if problem.target.outputs and not ignores_shifts(problem.loss):
        raise cannot(
            f"form the information of the loss {type(problem.loss).__name__}",
            because="its scores are not compared with those of a first class",
            instead="a joint loss that implements ignores_shifts, such as Softmax",
        )
    target, parts = problem.target, problem.parts
    classes = None if classes is None else tuple(np.asarray(classes).tolist())
    # the least loss of a row is minus the conjugate at 0
    saturated = (total_conjugate(problem.loss, y, np.zeros_like(y), weights_of(y, s)) for y, s in target.passes())
    common = {
        "n": target.rows_of_positive_weight,
        "total": target.total,
        "p": problem.design.p,
        "intercept": bool(problem.intercept),
        "classes": classes,
        "null_log_likelihood": -target.total * null_objective(problem),
        "saturated_log_likelihood": sum(saturated),
        "penalised": bool(parts.kink.any() or parts.ridge.any()),
    }
    beta = np.asarray(beta, dtype=np.float64)
    each = beta.reshape(len(beta), -1)
    held = np.asarray(((each <= parts.low[:, None]) | (each >= parts.high[:, None])).any(axis=1))
    common["held"] = tuple(np.flatnonzero(held).tolist())
    if parts.kink.any():
        return LikelihoodStatistics(**common, **_selected(problem, beta, intercept))
    if held.any() and target.outputs:
        return LikelihoodStatistics(**common, **{**_selected(problem, beta, intercept), "edf": np.nan})
    if not target.outputs:
        offset = float(np.ravel(intercept)[0]) if problem.intercept else 0.0
        return LikelihoodStatistics(**common, **_one_score(problem, parts.ridge, held, beta.reshape(-1), offset))
    offset = np.broadcast_to(np.asarray(intercept, dtype=np.float64), beta.shape[1:])
    offset = offset if problem.intercept else 0.0 * offset
    return LikelihoodStatistics(**common, **_many_classes(problem, parts.ridge, beta, offset))


# ------------------------------------------------------------------ one score a row: two classes


def _one_score(problem: Problem, ridge: np.ndarray, held: np.ndarray, beta: np.ndarray, offset: Any) -> dict[str, Any]:
    covariance: np.ndarray | None
    design, target = problem.design, problem.target

    def weights(block: Block) -> np.ndarray:
        """``s h`` of some rows."""
        eta = np.asarray(block.X @ beta) + offset
        return np.asarray(block.weights * informations_at(problem.loss, block.y, eta))

    sums, log_likelihood, sure = _weighted_moments(problem, beta, offset)
    sums.xx[held], sums.xx[:, held] = 0.0, 0.0  # a column whose coefficient is fixed counts as constant
    lam = np.where(held, 0.0, ridge * target.total)
    factor = None if design.n * design.p <= SMALL else gram_factor(sums, lam, problem.intercept)
    if factor is None:
        factor = triangle_factor(design, target, sums, lam, problem.intercept, weights)
    columns = factor
    if len(factor.kept) < design.p - held.sum() and not lam.any():
        columns = _factor_of_columns(problem, held)
    if len(columns.kept) > len(factor.kept):
        # a separated fit drives the curvatures of rows to zero: the information is singular, the columns are not
        covariance, edf, condition = None, float(len(columns.kept) + bool(problem.intercept)), np.inf
    else:
        columns, condition = factor, factor.condition()
        covariance, edf = factor.variance(factor.inverse(), lam)
    fixed = np.where(held, beta, 0.0)[:, None]
    determined, offset = without_aliased(columns, beta[:, None] - fixed, np.array([offset]))
    determined = determined + fixed
    return {
        "rank": len(columns.kept),
        "coefficients": np.vstack([offset, determined]) if problem.intercept else determined,
        "covariance": covariance,
        "log_likelihood": log_likelihood,
        "edf": edf,
        "condition": condition,
        "sure": sure,
        "aliased": tuple(sorted(int(j) for j in (*columns.aliased, *columns.constant) if not held[j])),
    }


def _factor_of_columns(problem: Problem, held: np.ndarray) -> Factor:
    """The factor of the columns under the weights of the rows alone; those held count as constant."""
    design, plain = problem.design, problem.target.mapped(lambda y, s: (np.zeros(len(y)), s))
    sums = moments(design, plain, about_mean=problem.intercept)
    sums.xx[held], sums.xx[:, held] = 0.0, 0.0
    return triangle_factor(design, plain, sums, 0.0, problem.intercept)


def _weighted_moments(problem: Problem, beta: np.ndarray, offset: float) -> tuple[Moments, float, int]:
    """The moments of X under the weights ``s h``, the log-likelihood, and how many rows are sure."""
    design, loss, little = problem.design, problem.loss, sure_below(problem)
    shift = design.provisional_means if problem.intercept else None

    def task(block: Block) -> tuple[Moments, float, int]:
        y, s, eta = block.y, block.weights, np.asarray(block.X @ beta) + offset
        h = informations_at(loss, y, eta)
        sums = moments_of_block(block.X, np.empty((len(y), 0)), s * h, shift, problem.intercept, True)
        return sums, -total_value(loss, y, eta, s), int(((h < little) & (s > 0.0)).sum())

    def merge(a: Any, b: Any) -> tuple[Moments, float, int]:
        return Moments.merge(a[0], b[0]), a[1] + b[1], a[2] + b[2]

    sums, log_likelihood, sure = design.reduce(task, merge, problem.target, gram=True)
    design.refuse_if_not_finite(sums.xx)
    if shift is not None:
        sums.x_mean = sums.x_mean + shift
    return sums, log_likelihood, sure


def without_aliased(factor: Factor, beta: np.ndarray, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients (p, k) and intercepts (k,) of the same scores, those of columns not kept moved to the others."""
    lost = np.concatenate([factor.aliased, factor.constant]).astype(int)
    if not len(lost):
        return beta, offset
    moved = beta.copy()
    if len(factor.aliased) and len(factor.kept):
        T = factor.combination * factor.scale[factor.kept, None] / factor.scale[factor.aliased]
        moved[factor.kept] += T @ beta[factor.aliased]
    moved[lost] = 0.0
    return moved, offset + factor.mean @ (beta - moved) if factor.intercept else offset


# ------------------------------------------------------------------ more classes


def _many_classes(problem: Problem, ridge: np.ndarray, beta: np.ndarray, offset: np.ndarray) -> dict[str, Any]:
    """As for one score, in coordinates in which the columns of X are orthonormal: a well-conditioned information."""
    design, target = problem.design, problem.target
    beta, offset = beta - beta[:, :1], offset - offset[0]
    sums = moments(design, target, about_mean=problem.intercept, gram=design.p <= design.n)
    small = design.n * design.p <= SMALL or sums.xx.ndim == 1
    factor = None if small else gram_factor(sums, 0.0, problem.intercept)
    if factor is None:
        factor = triangle_factor(design, target, sums, 0.0, problem.intercept)
    root = _root(factor)
    H, log_likelihood, sure = _class_information(problem, beta, offset, factor, root)
    k, r = beta.shape[1] - 1, root.shape[1] + bool(problem.intercept)
    penalty = np.zeros((r, r))
    penalty[r - root.shape[1] :, r - root.shape[1] :] = target.total * (root.T * ridge[factor.kept]) @ root
    # Σ_c |beta_c|² of coefficients that sum to zero over the classes, in terms of differences from the first class
    penalty = np.kron(np.eye(k) - 1.0 / (k + 1.0), penalty)
    variance, edf, condition = _inverse(H, penalty)
    determined, offset = without_aliased(factor, beta[:, 1:], offset[1:])
    return {
        "rank": len(factor.kept),
        "coefficients": np.vstack([offset, determined]) if problem.intercept else determined,
        "covariance": None if variance is None else _in_original_units(variance, factor, k),
        "log_likelihood": log_likelihood,
        "edf": edf,
        "condition": condition,
        "sure": sure,
        "aliased": tuple(sorted(int(j) for j in (*factor.aliased, *factor.constant))),
    }


def _root(factor: Factor) -> np.ndarray:
    """M such that ``(X_kept - mean) M`` has orthogonal columns, of mean square 1."""
    R_inverse = solve_triangular(factor.R, np.eye(len(factor.kept)), check_finite=False)
    return np.sqrt(factor.total) * factor.scale[factor.kept, None] * R_inverse


def orthonormal(factor: Factor) -> np.ndarray:
    """T of shape (q, number of columns kept): the columns of ``[1, X] T`` are orthogonal and of mean square 1."""
    first, root = int(factor.intercept), _root(factor)
    T = np.zeros((first + len(factor.scale), first + root.shape[1]))
    T[first + factor.kept, first:] = root
    if first:
        T[0, 0] = 1.0
        T[0, 1:] = -factor.mean[factor.kept] @ root
    return T


def _class_information(
    problem: Problem, beta: np.ndarray, offset: np.ndarray, factor: Factor, root: np.ndarray
) -> tuple[np.ndarray, float, int]:
    """Information (k r, k r) of the classes but the first in the coordinates z, log-likelihood, and sure rows."""
    first, k = int(problem.intercept), beta.shape[1] - 1
    mean = factor.mean[factor.kept] if problem.intercept else np.zeros(len(factor.kept))

    def task(block: Block) -> tuple[np.ndarray, float, int]:
        Y, s, eta = block.y, block.weights, np.asarray(block.X @ beta) + offset
        Z = np.ones((len(Y), first + root.shape[1]))
        Z[:, first:] = (as_dense(block.X)[:, factor.kept] - mean) @ root
        H = joint_hessian(problem.loss, Y, eta, s, Z, first_class=1)
        sure = (curvatures_at(problem.loss, Y, eta).max(axis=1) < SURE) & (s > 0.0)
        return H.reshape(k * Z.shape[1], -1), -total_value(problem.loss, Y, eta, s), int(sure.sum())

    def merge(a: Any, b: Any) -> tuple[np.ndarray, float, int]:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    sums: tuple[np.ndarray, float, int] = problem.design.reduce(task, merge, problem.target, gram=True)
    return sums


def _inverse(H: np.ndarray, penalty: np.ndarray) -> tuple[np.ndarray | None, float, float]:
    """``W H W`` with ``W = (H + penalty)^-1``, the trace of W H, and the condition of H; None where H is singular."""
    A = H + penalty
    d = np.sqrt(np.diag(A))
    scaled = A / np.multiply.outer(d, d) if (d > 0.0).all() else np.full_like(A, np.nan)
    values = np.linalg.eigvalsh(scaled) if np.isfinite(scaled).all() else np.zeros(max(len(A), 1))
    condition = float(np.sqrt(values[-1] / values[0])) if len(A) and values[0] > 0.0 else np.inf
    try:
        if not condition < EPS**-0.5:
            raise LinAlgError
        R = cholesky(scaled, check_finite=False)
    except LinAlgError:
        return None, float(len(A)), condition
    inverse = solve_triangular(R, np.diag(1.0 / d), trans="T", check_finite=False)
    W = inverse.T @ inverse
    if not penalty.any():
        return W, float(len(A)), condition
    WH = W @ H
    return WH @ W, float(np.trace(WH)), condition


def _in_original_units(variance: np.ndarray, factor: Factor, k: int) -> np.ndarray:
    """Covariance of the coefficients, intercept first and all of a class together; NaN for columns not kept."""
    first, T = int(factor.intercept), orthonormal(factor)
    r, q = T.shape[1], T.shape[0]
    out = np.empty((k * q, k * q))
    for a in range(k):
        for b in range(k):
            block = variance[a * r : (a + 1) * r, b * r : (b + 1) * r]
            out[a * q : (a + 1) * q, b * q : (b + 1) * q] = T @ block @ T.T
    lost = np.concatenate([factor.aliased, factor.constant]).astype(int) + first
    lost = np.add.outer(q * np.arange(k), lost).ravel()
    out[lost], out[:, lost] = np.nan, np.nan
    return out


# ------------------------------------------------------------------ after a kink has selected, or a bound held


def _selected(problem: Problem, beta: np.ndarray, intercept: Any) -> dict[str, Any]:
    """The likelihood and the number of coefficients: X may be as wide as it likes, nothing of size p² is formed."""
    loss, joint = problem.loss, bool(problem.target.outputs)
    offset = np.asarray(intercept, dtype=np.float64) if problem.intercept else np.zeros(1)

    def task(rows: ScoredRows) -> np.ndarray:
        bends = curvatures_at(loss, rows.y, rows.eta).reshape(len(rows.y), -1).max(axis=1)
        sure = np.count_nonzero((bends < SURE) & (rows.s > 0.0))
        return np.array([total_value(loss, rows.y, rows.eta, rows.s), sure])

    fit, sure = Scores(problem.design, problem.target, beta, offset).sums(task)
    beta = beta.reshape(len(beta), -1)
    offset = np.broadcast_to(offset, beta.shape[1])
    against = beta[:, 1:] - beta[:, :1] if joint else beta
    offset = offset[1:] - offset[0] if joint else offset
    return {
        "rank": int(beta.any(axis=1).sum()),
        "coefficients": np.vstack([offset, against]) if problem.intercept else against,
        "covariance": None,
        "log_likelihood": -float(fit),
        "edf": float(np.count_nonzero(beta) + against.shape[1] * problem.intercept),
        "condition": np.nan,
        "sure": int(sure),
    }
