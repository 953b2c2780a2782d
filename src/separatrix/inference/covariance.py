r"""Covariance of coefficients: classical, and robust to unequal variances (HC0 to HC3).

With U = (X'SX)^-1 (the intercept is a column of X here), residuals r and leverages h,

    classical   sigma² U
    robust      U [Σ_i m_i x_i x_i'] U,      m_i = w_i r_i² / (1 - h_i)^d,      d = 0 (HC0, HC1), 1 (HC2), 2 (HC3)

HC1 is HC0 times N / (N - rank). A row of weight s_i counts as s_i rows where weights are repetitions
(w = s, h = x'Ux), else as one row of the design sqrt(s_i) x_i (w = s², h = s x'Ux).

References: MacKinnon and White (1985), J. Econometrics 29(3); Long and Ervin (2000), Am. Statistician 54(3).
"""

import operator

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.target import Target
from separatrix.designs.base import BLOCK_NUMBERS

EPS = np.finfo(np.float64).eps
_POWER_OF_LEVERAGE = {"HC0": 0, "HC1": 0, "HC2": 1, "HC3": 2}


def classical(evidence, sigma2):
    """``sigma² U`` for each output: shape (k, q, q), from the variances `sigma2` (k,)."""
    return np.multiply.outer(sigma2, evidence.unscaled)


def sandwich(evidence, design, residuals, s, kind, *, repetitions):
    """The robust covariance for each output: shape (k, q, q), NaN for aliased coefficients.

    Parameters
    ----------
    evidence : LeastSquaresStatistics.  Of an unpenalised fit; ``unscaled`` must have been formed.
    design : Design.  The columns of the fit, without the intercept.
    residuals : (n, k) array.
    s : (n,) array or None.  The weights of the fit.
    kind : "HC0", "HC1", "HC2" or "HC3".
    repetitions : bool.  Whether a weight counts how often its row was seen.
    """
    A = square_root(evidence.unscaled, evidence.intercept, design, s)
    power = _POWER_OF_LEVERAGE[kind]

    meat = _sum_of_meat(A, design, residuals, s, power, repetitions)
    if not np.isfinite(meat).all():
        raise cannot(
            f"give {kind} standard errors",
            because="some row has leverage 1: the fit passes through it whatever its y, so its residual tells nothing",
            instead="covariance='HC1'",
        )
    if kind == "HC1":
        count = evidence.total if repetitions else evidence.n
        meat *= count / (count - evidence.rank - evidence.intercept)
    covariance = A @ meat @ A.T
    aliased = np.isnan(np.diag(evidence.unscaled))
    covariance[:, aliased, :] = covariance[:, :, aliased] = np.nan
    return covariance


def information_sandwich(covariance, intercept, design, information, residuals, s, *, repetitions):
    """HC0 for the coefficients of a likelihood: ``V [Σ w_i u_i² x_i x_i'] V`` with V the inverse information.

    Parameters
    ----------
    covariance : (q, q) array.  V, NaN for aliased coefficients.
    intercept : bool.
    design : Design.
    information : (n,) array.  Of each row, weight included: ``s_i μ_i (1 - μ_i)``.
    residuals : (n,) array.  The slopes u of the log-likelihood: ``y_i - μ_i``.
    s : (n,) array or None.  The weights of the fit.
    repetitions : bool.  Whether a weight counts how often its row was seen (w = s), or is a factor (w = s²).
    """
    A = square_root(covariance, intercept, design, information)

    robust = A @ _sum_of_meat(A, design, residuals[:, None], s, 0, repetitions)[0] @ A.T
    aliased = np.isnan(np.diag(covariance))
    robust[aliased, :] = robust[:, aliased] = np.nan
    return robust


def _sum_of_meat(A, design, residuals, s, power, repetitions):
    def task(block):
        B, R, weights = block.X, block.y, block.weights
        return sum(_meat(A, B[rows], R[rows], weights[rows], power, repetitions) for rows in _slices(B, A))

    return design.reduce(task, operator.add, Target(residuals, s))


def _meat(A, B, R, s, power, repetitions):
    """``Σ m_i z_i z_i'`` of some rows, in the coordinates z = A'(1, x) in which X'SX is the identity."""
    seen = s > 0.0
    Z, R, s = coordinates(A, B)[seen], R[seen], s[seen]
    h = (Z * Z).sum(axis=1)
    if not repetitions:
        h, s = s * h, s * s
    # a leverage of 1 is known to rounding only; infinity is carried out of the sum and reported there
    room = np.where(1.0 - h > 1e-10, 1.0 - h, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = (s / room**power)[:, None] * R**2
        return np.stack([_gram(Z, m) for m in weight.T])


def _gram(Z, weight):
    return (Z * weight[:, None]).T @ Z


def coordinates(A, B):
    """``[1, B] A`` (or ``B A`` without an intercept), dense whatever B is."""
    if A.shape[0] == B.shape[1]:
        return np.asarray(B @ A)
    return np.asarray(B @ A[1:]) + A[0]


def _slices(B, A):
    """Pieces of a block for which the dense coordinates stay small: a sparse block may be tall."""
    n, height = B.shape[0], max(1, BLOCK_NUMBERS // max(A.shape[1], 1))
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]


def square_root(unscaled, intercept, design, s, passes=3):
    """A with ``A A' = U = (X'SX)^-1``, of shape (q, number of independent coefficients), zero in aliased rows.

    The square root of the stored U knows the best determined directions only to ``eps cond(X)²``. The data are at
    hand, so the coordinates are made orthonormal on them, which leaves an error of ``eps cond(X)``.
    """
    A = _first_square_root(unscaled, intercept, design, s)

    def task(block, s_block):
        B, weights = block.X, np.ones(block.X.shape[0]) if s_block is None else s_block
        return sum(_gram(coordinates(A, B[rows]), weights[rows]) for rows in _slices(B, A))

    for _ in range(passes):
        gram = design.reduce(task, operator.add, None, s)
        if np.abs(gram - np.eye(len(gram))).max() < 1e-10:
            break
        A = np.linalg.solve(np.linalg.cholesky(gram), A.T).T
    return A


def _first_square_root(unscaled, intercept, design, s):
    first = int(intercept)
    U = unscaled[first:, first:]
    kept = np.flatnonzero(~np.isnan(np.diag(U)))
    U = U[np.ix_(kept, kept)]
    size = np.sqrt(np.diag(U))
    values, vectors = np.linalg.eigh(U / np.multiply.outer(size, size))
    root = size[:, None] * vectors * np.sqrt(np.maximum(values, EPS * values.max(initial=1.0)))
    A = np.zeros((unscaled.shape[0], first + len(kept)))
    A[first + kept, first:] = root
    if first:
        # the constant, and the slopes about the mean: these are orthogonal, so large means cost no digits of U
        total = design.n if s is None else s.sum()
        mean = design.column_sums(s) / total
        A[0, 0] = total**-0.5
        A[0, 1:] = -mean[kept] @ root
    return A
