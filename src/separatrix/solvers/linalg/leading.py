r"""The greatest eigenvalues of a symmetric positive semi-definite matrix A, and their vectors.

Solves   A v = λ v   for the k greatest λ, given A as an array (Lanczos, or all of them by LAPACK) or as a product
         (block Krylov).
Lanczos  finds k of many at k/p of the price, but could overlook one. That none was is proved: by Weyl's inequality
         λ_{k+1}(A) <= λ_1(A - V Λ V'), and ``(λ_k + δ) I - (A - V Λ V')`` has a Cholesky factor only if that is below
         λ_k + δ. Cost: p³/3. Without a proof, LAPACK decides.
Krylov   for A = X_c'X_c or X_c X_c' too large to be made: each step reads X twice.
From     Lehoucq, Sorensen and Yang (1998), ARPACK; Musco and Musco (NeurIPS 2015), algorithm 2. We differ: the next
         block is made of the residuals of the best vectors so far, and the basis is cut back to these when it is full.
"""

from collections.abc import Callable

import numpy as np

from separatrix.core.threads import one_blas_thread
from separatrix.core.types import Array

# LAPACK takes some 5 p³ for all vectors, as long as p products of Lanczos, each of which reads A: it is given half as
# many. (Counted for k = 10, p = 784: 41 products where the spectrum falls, 277 for the flattest, that of pure noise.)
SMALLEST_LANCZOS = 256
LANCZOS_SHARE = 16
LEAST_BASIS = 40
# How far above λ_k, compared with λ_1, an eigenvalue may be that is taken for its equal.
SAME = 1e-10
BLOCKS_KEPT = 8  # of a Krylov basis


def leading(A: Array, k: int, lanczos: bool | None = None) -> tuple[Array, Array]:
    """Eigenvalues, falling, and the vectors (p, k) of the first k; only k values where Lanczos found them.

    `lanczos` True or False insists; None leaves the choice to the sizes.

    >>> leading(np.diag([1.0, 3.0, 2.0]), 1)[0]
    array([3., 2., 1.])
    """
    p = A.shape[0]
    if lanczos is None:
        lanczos = p >= SMALLEST_LANCZOS and LANCZOS_SHARE * k <= p
    pairs = _lanczos(A, k) if lanczos and k < p and np.trace(A) > 0.0 else None
    if pairs is not None:
        return pairs
    values, vectors = np.linalg.eigh(A)
    return values[::-1], vectors[:, ::-1][:, :k]


def _lanczos(A: Array, k: int) -> tuple[Array, Array] | None:
    """The k greatest eigenvalues and their vectors, or None where these are not proved to be they."""
    from scipy.sparse.linalg import ArpackError, eigsh

    p, scale = A.shape[0], np.trace(A)  # ARPACK squares its vectors, which may overflow
    start = 1.0 + 0.5 * np.cos(np.arange(p))  # no symmetry that an eigenvector could be orthogonal to
    basis = min(p, max(4 * k, LEAST_BASIS))
    restarts = max(2, p // (2 * (basis - k)) + 1) if basis < p else 1
    with one_blas_thread():
        try:
            values, vectors = eigsh(A / scale, k, which="LA", v0=start, ncv=basis, maxiter=restarts)
        except ArpackError:
            return None
    order = np.argsort(values)[::-1]
    values, vectors = scale * values[order], np.linalg.qr(vectors[:, order])[0]
    wrong = np.abs(A @ vectors - vectors * values).max()
    return (values, vectors) if wrong <= SAME * values[0] and none_greater(A, values, vectors) else None


def none_greater(A: Array, values: Array, vectors: Array) -> bool:
    """Whether it is proved that A has no more eigenvalues above the last of `values` than these."""
    rest = (vectors * values) @ vectors.T
    rest -= A
    rest[np.diag_indices_from(rest)] += values[-1] + SAME * values[0]
    try:
        np.linalg.cholesky(rest)
    except np.linalg.LinAlgError:
        return False
    return True


def krylov(
    product: Callable[[Array], Array], start: Array, k: int, tolerance: float, steps: int
) -> tuple[Array, Array, int]:
    """Values (k,) and vectors (m, k) of the symmetric operator `product`, and the number of steps taken.

    `start` (m, b), b >= k, is a first guess of their span. Ends where ``|A v - λ v| <= tolerance λ_1`` for all k.
    """
    V = np.linalg.qr(start)[0]
    AV = product(V)
    width, room = V.shape[1], BLOCKS_KEPT * V.shape[1]
    for step in range(steps + 1):
        T = V.T @ AV
        values, Y = np.linalg.eigh(0.5 * (T + T.T))
        values, Y = values[::-1][:width], Y[:, ::-1][:, :width]
        ritz, image = V @ Y, AV @ Y
        residuals = image - ritz * values
        if values[0] <= 0.0:
            break
        lengths = np.linalg.norm(residuals / values[0], axis=0)
        if step == steps or (lengths[:k] <= tolerance).all():
            break
        if V.shape[1] + width > room:
            V, AV = ritz, image
        W = _new_directions(V, residuals[:, lengths > 0.1 * tolerance] / values[0])
        if W.shape[1] == 0:
            break
        V, AV = np.hstack([V, W]), np.hstack([AV, product(W)])
    return values[:k], ritz[:, :k], step


def _new_directions(V: Array, R: Array) -> Array:
    """An orthonormal basis of what the columns of R, of any length, add to the span of V."""
    from scipy.linalg import qr

    R = R / np.linalg.norm(R, axis=0)
    R -= V @ (V.T @ R)
    Q, triangle, _ = qr(R, mode="economic", pivoting=True, check_finite=False)
    Q = Q[:, np.abs(np.diag(triangle)) > 1e-6]  # the others are rounding, or directions that are here already
    Q -= V @ (V.T @ Q)
    return np.linalg.qr(Q)[0]
