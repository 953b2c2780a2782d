r"""The Fisher information of a logistic fit, and its inverse: the covariance of the coefficients.

Forms    I = Σ_i s_i x_i x_i' ⊗ (diag(μ_i) - μ_i μ_i'),   the intercept being a column of X, one class left out
Given    a problem with Logistic loss (y of shape (n,)) or class indicators (n, K), and a fitted point.
Returns  LikelihoodStatistics.
Cost     one read of X and n p² for two classes, n p² K² / 2 for K.
From     McCullagh and Nelder (1989), Generalized Linear Models, sections 2.5 and 5.2.4.

Columns are centred about their means under the weights s μ (1 - μ), and scaled, before anything is factored: neither
far means nor unequal units cost a digit. Cholesky where its rounding errors cannot show, else QR by blocks of rows.
"""

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import log_softmax, softmax, xlogy

from separatrix.core.statistics import LikelihoodStatistics
from separatrix.core.target import Target
from separatrix.designs import Moments, as_dense, moments
from separatrix.designs.factor import EPS, gram_factor, triangle_factor
from separatrix.designs.moments import moments_of_block, provisional_means

# Problems up to this many numbers are factored by QR at once.
SMALL = 1 << 16
# A fitted probability closer to 0 or 1 than this is one of a separated fit.
SURE = 1e-8


def likelihood_evidence(problem, beta, intercept, classes=None):
    """What a logistic or multinomial fit knows of its own uncertainty; see the head of this file.

    Parameters
    ----------
    problem : Problem.  With ``target.y`` of shape (n,) and values in [0, 1], or (n, K) with rows that sum to 1.
    beta : array of shape (p,) or (p, K).  Fitted coefficients.
    intercept : float or (K,) array.  Ignored where the problem has none.
    classes : sequence or None.  Labels, in the order of the columns of y (two labels where y is one column).

    >>> from separatrix.core.problem import Problem
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import NoPenalty
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> problem = Problem(as_design(X), Target(y), Logistic(), NoPenalty())
    >>> likelihood_evidence(problem, [0.0], 0.0).covariance  # [[4, 2], [2, 2]] / 4, inverted
    array([[ 2., -2.],
           [-2.,  4.]])
    """
    target = problem.target
    classes = None if classes is None else tuple(np.asarray(classes).tolist())
    common = {
        "n": target.n if target.s is None else int(np.count_nonzero(target.s)),
        "total": target.total,
        "p": problem.design.p,
        "intercept": bool(problem.intercept),
        "classes": classes,
        "null_log_likelihood": _null_log_likelihood(target, problem.intercept),
        "saturated_log_likelihood": _saturated_log_likelihood(target),
        "penalised": _strengths(problem) != (0.0, 0.0),
    }
    beta = np.asarray(beta, dtype=np.float64)
    if _strengths(problem)[0] > 0.0:
        return LikelihoodStatistics(**common, **_selected(problem, beta, intercept))
    if target.y.ndim == 1:
        offset = float(np.ravel(intercept)[0]) if problem.intercept else 0.0
        return LikelihoodStatistics(**common, **_two_classes(problem, beta.reshape(-1), offset))
    offset = np.broadcast_to(np.asarray(intercept, dtype=np.float64), beta.shape[1:])
    return LikelihoodStatistics(**common, **_many_classes(problem, beta, offset if problem.intercept else 0.0 * offset))


# ------------------------------------------------------------------ two classes


def _two_classes(problem, beta, offset):
    design, target = problem.design, problem.target
    information, found, log_likelihood, sure = _weighted_moments(problem, beta, offset)
    weighted = Target(target.y, information)
    lam = _strengths(problem)[1] * target.total
    factor = None if design.n * design.p <= SMALL else gram_factor(found, lam, problem.intercept)
    if factor is None:
        factor = triangle_factor(design, weighted, found, lam, problem.intercept)
    covariance, edf = factor.variance(factor.inverse(), lam)
    determined, offset = without_aliased(factor, beta[:, None], np.array([offset]))
    return {
        "rank": len(factor.kept),
        "coefficients": np.vstack([offset, determined]) if problem.intercept else determined,
        "covariance": covariance,
        "log_likelihood": log_likelihood,
        "edf": edf,
        "condition": factor.condition(),
        "sure": sure,
        "aliased": tuple(sorted(int(j) for j in (*factor.aliased, *factor.constant))),
    }


def _weighted_moments(problem, beta, offset):
    """``s μ (1 - μ)`` of each row, the moments of X under these weights, the log-likelihood, and the sure rows."""
    design, target = problem.design, problem.target
    shift = provisional_means(design) if problem.intercept else None
    information = np.empty(design.n)

    def task(B, y, s, out):
        eta = B @ beta + offset
        z = np.exp(-np.abs(eta))
        np.divide(z, (1.0 + z) ** 2, out=out)
        loss = (1.0 - y) * np.maximum(eta, 0.0) + y * np.maximum(-eta, 0.0) + np.log1p(z)
        sure = z < SURE
        if s is not None:
            out *= s
            loss = np.where(s > 0.0, s * loss, 0.0)
            sure &= s > 0.0
        found = moments_of_block(B, np.empty((len(y), 0)), out, shift, problem.intercept, True)
        return found, -float(loss.sum()), int(sure.sum())

    def merge(a, b):
        return Moments.merge(a[0], b[0]), a[1] + b[1], a[2] + b[2]

    found, log_likelihood, sure = design.reduce(task, merge, target.y, target.s, information, gram=True)
    design.refuse_if_not_finite(found.xx)
    if shift is not None:
        found.x_mean = found.x_mean + shift
    return information, found, log_likelihood, sure


def without_aliased(factor, beta, offset):
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


def _many_classes(problem, beta, offset):
    """As for two, in coordinates in which the columns of X are orthonormal: a well-conditioned information."""
    design, target = problem.design, problem.target
    beta, offset = beta - beta[:, :1], offset - offset[0]
    found = moments(design, target, about_mean=problem.intercept, gram=design.p <= design.n)
    small = design.n * design.p <= SMALL or found.xx.ndim == 1
    factor = None if small else gram_factor(found, 0.0, problem.intercept)
    if factor is None:
        factor = triangle_factor(design, target, found, 0.0, problem.intercept)
    root = _root(factor)
    H, log_likelihood, sure = _class_information(problem, beta, offset, factor, root)
    k, r = beta.shape[1] - 1, root.shape[1] + bool(problem.intercept)
    penalty = np.zeros((r, r))
    penalty[r - root.shape[1] :, r - root.shape[1] :] = _strengths(problem)[1] * target.total * root.T @ root
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


def _root(factor):
    """M such that ``(X_kept - mean) M`` has orthogonal columns, of mean square 1."""
    R_inverse = solve_triangular(factor.R, np.eye(len(factor.kept)), check_finite=False)
    return np.sqrt(factor.total) * factor.scale[factor.kept, None] * R_inverse


def orthonormal(factor):
    """T of shape (q, number of columns kept): the columns of ``[1, X] T`` are orthogonal and of mean square 1."""
    first, root = int(factor.intercept), _root(factor)
    T = np.zeros((first + len(factor.scale), first + root.shape[1]))
    T[first + factor.kept, first:] = root
    if first:
        T[0, 0] = 1.0
        T[0, 1:] = -factor.mean[factor.kept] @ root
    return T


def _class_information(problem, beta, offset, factor, root):
    """Information (k r, k r) of the classes but the first in the coordinates z, log-likelihood, and sure rows."""
    first, k = int(problem.intercept), beta.shape[1] - 1
    mean = factor.mean[factor.kept] if problem.intercept else np.zeros(len(factor.kept))

    def task(B, Y, s):
        eta = B @ beta + offset
        mu = softmax(eta, axis=1)
        s = np.ones(len(Y)) if s is None else s
        log_mu = log_softmax(eta, axis=1)
        Z = np.ones((len(Y), first + root.shape[1]))
        Z[:, first:] = (as_dense(B)[:, factor.kept] - mean) @ root
        r = Z.shape[1]
        H = np.empty((k * r, k * r))
        for a in range(k):
            for b in range(a + 1):
                weight = s * mu[:, a + 1] * ((a == b) - mu[:, b + 1])
                H[a * r : (a + 1) * r, b * r : (b + 1) * r] = (Z * weight[:, None]).T @ Z
        sure = (mu.max(axis=1) > 1.0 - SURE) & (s > 0.0)
        with np.errstate(invalid="ignore"):  # 0 times a log-probability of minus infinity
            terms = np.where(Y > 0.0, Y * log_mu, 0.0)
        return H, float(s @ terms.sum(axis=1)), int(sure.sum())

    def merge(a, b):
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    H, log_likelihood, sure = problem.design.reduce(task, merge, problem.target.y, problem.target.s, gram=True)
    r = H.shape[0] // k
    for a in range(k):  # the blocks above the diagonal mirror those below, each of which is symmetric itself
        for b in range(a):
            H[b * r : (b + 1) * r, a * r : (a + 1) * r] = H[a * r : (a + 1) * r, b * r : (b + 1) * r]
    return H, log_likelihood, sure


def _inverse(H, penalty):
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


def _in_original_units(variance, factor, k):
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


# ------------------------------------------------------------------ after an L1 penalty has selected


def _selected(problem, beta, intercept):
    """The likelihood and the number of coefficients: X may be as wide as it likes, nothing of size p² is formed."""
    target = problem.target
    offset = np.asarray(intercept, dtype=np.float64) if problem.intercept else np.zeros(1)
    eta = problem.design.matvec(beta) + offset
    if target.y.ndim == 1:
        eta = np.column_stack([np.zeros(target.n), eta])
    log_mu = log_softmax(eta, axis=1)
    Y = np.column_stack([1.0 - target.y, target.y]) if target.y.ndim == 1 else target.y
    beta = beta.reshape(len(beta), -1)
    nonzero, k = np.count_nonzero(beta), eta.shape[1] - 1
    against = beta if beta.shape[1] == k else beta[:, 1:] - beta[:, :1]
    offset = np.broadcast_to(offset, beta.shape[1])
    offset = offset if beta.shape[1] == k else offset[1:] - offset[0]
    return {
        "rank": int(beta.any(axis=1).sum()),
        "coefficients": np.vstack([offset, against]) if problem.intercept else against,
        "covariance": None,
        "log_likelihood": float(target.weights @ np.where(Y > 0.0, Y * log_mu, 0.0).sum(axis=1)),
        "edf": float(nonzero + k * problem.intercept),
        "condition": np.nan,
        "sure": int(np.count_nonzero((log_mu.max(axis=1) > np.log1p(-SURE)) & (target.weights > 0.0))),
    }


# ------------------------------------------------------------------ what all need


def _strengths(problem):
    """Strengths of the L1 and the L2 part of a penalty, on the scale of the mean loss."""
    penalty = problem.penalty
    if hasattr(penalty, "l1"):
        return float(penalty.l1), float(penalty.l2)
    strength = float(getattr(penalty, "lam", 0.0))
    return (strength, 0.0) if type(penalty).__name__ == "L1" else (0.0, strength)


def _null_log_likelihood(target, intercept):
    """Of the shares of the classes, or (without an intercept) of equal probabilities."""
    if not intercept:
        return -target.total * float(np.log(2.0 if target.y.ndim == 1 else target.y.shape[1]))
    share = target.mean()
    share = np.array([1.0 - share, share]) if target.y.ndim == 1 else share
    return target.total * float(xlogy(share, share).sum())


def _saturated_log_likelihood(target):
    """Σ s Σ_c y_c log y_c: 0 where every label is certain."""
    y = target.y
    entropy = xlogy(y, y).sum(axis=1) if y.ndim == 2 else xlogy(y, y) + xlogy(1.0 - y, 1.0 - y)
    return float(target.weights @ entropy) if entropy.any() else 0.0
