r"""Principal axes: the directions in which the rows of X spread most.

Solves   X_c'X_c v = σ² v  for the k greatest σ, where X_c is X less the means of its columns
Given    X.     Returns means, σ (falling), unit vectors v, and the sum of squares about the means that they leave out.
By       the p-by-p scatter X_c'X_c where n >= p, in one pass; the n-by-n X_c X_c' where n < p, mapped back by X_c'.
         Squaring X loses what is below 1e-8 of the greatest σ²: where such an axis is asked for, R of X_c = Q R, by
         blocks of rows, is decomposed instead, so that each σ is right to working precision of the greatest. Where both
         n and p are large and k is small, block Krylov from a random sketch of X_c, certified by its residuals.
From     Jolliffe (2002), Principal Component Analysis; Halko, Martinsson and Tropp (2011), SIAM Review 53(2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.target import Target
from separatrix.designs import moments
from separatrix.designs.base import Design
from separatrix.designs.centred import Centred
from separatrix.solvers.linalg.leading import krylov, leading

EPS = np.finfo(np.float64).eps
SPREAD = 1e-8  # of the greatest square; the rounding of a Gram matrix is up to 1e-13 of it
LARGE = 3000  # the smaller side of X from which reads of X are cheaper than its Gram matrix
FEW = 4  # at most this part of all axes is sought in a sketch
DIRECT, ITERATED = 1e-10, 1e-6  # tolerances of the residual where none is asked for
MOST_STEPS = 100
# Two loadings that differ by less are equal to the rule of signs.
SAME_LOADING = 1e-9


@dataclass
class Axes:
    """``mean`` (p,), ``singular`` (k,) falling, ``vectors`` (p, k), and the sum of squares that is left out."""

    mean: np.ndarray
    singular: np.ndarray
    vectors: np.ndarray
    left_out: float
    scatter: np.ndarray | None = None  # (p, p), where the axes come from it
    steps: int = 1
    iterated: bool = False


@dataclass(frozen=True)
class Sketch:
    """How a random sketch is drawn and iterated: None for as many steps as the tolerance takes, up to 100."""

    random: np.random.RandomState
    oversamples: int = 10
    steps: int | None = None


def principal_axes(
    design: Design, count: int | Callable[[np.ndarray], int], solver: str, sketch: Sketch, tol: float = 0.0
) -> Axes:
    """The axes of a design; see the head of this file.

    `count` is how many, or a function that says it from all squares σ², falling. `solver` is one of scikit-learn's
    words. `tol` is what ``|X_c'X_c v - σ² v|`` may be, compared with the greatest σ².
    """
    small = min(design.n, design.p)
    if design.n < design.p or solver == "randomized":
        design.needs("rows", f"find axes of X of shape ({design.n}, {design.p}) with svd_solver={solver!r}")
    iterated = solver == "randomized" or (
        solver in ("auto", "arpack")
        and small >= LARGE
        and not design.is_streamed
        and not callable(count)
        and FEW * (count + sketch.oversamples) <= small
    )
    if iterated:
        axes = _sketched(design, count, sketch, tol or ITERATED)
    elif solver == "full":
        axes = _decomposed(_centred(design), count)
    else:
        lanczos = {"arpack": True, "covariance_eigh": False}.get(solver)
        squared = _from_scatter if design.n >= design.p else _from_rows
        axes = squared(design, count, lanczos, exact=solver == "auto")
    axes.vectors = axes.vectors * signs(axes.vectors)
    return axes


def residual(axes: Axes, design: Design) -> float:
    """``max |X_c'X_c v - σ² v| / σ_1²`` over the axes, by plain products with their scatter matrix or with X_c."""
    V, greatest = axes.vectors, axes.singular[0]
    if greatest == 0.0:
        return 0.0  # without variance any axis is right
    image = Centred(design, axes.mean).scatter_times(V) if axes.scatter is None else axes.scatter @ V
    wrong = image / greatest**2 - V * (axes.singular / greatest) ** 2
    return float(np.linalg.norm(wrong, axis=0).max())


def signs(V: np.ndarray) -> np.ndarray:
    """What makes the loading of greatest size in each column positive; of several such, the first."""
    size = np.abs(V)
    first = np.argmax(size >= (1.0 - SAME_LOADING) * size.max(axis=0), axis=0)
    return np.where(V[first, np.arange(V.shape[1])] < 0.0, -1.0, 1.0)


def _from_scatter(design: Design, count: Any, lanczos: bool | None, exact: bool) -> Axes:
    """By the p-by-p matrix of one pass over X, which is kept where the axes come from it."""
    sums = moments(design, Target(np.empty((design.n, 0))))
    S, mean = sums.xx, sums.x_mean
    values, vectors = leading(S, design.p if callable(count) else count, lanczos)
    values = _heard(values, Centred(design, mean))
    k = count(values) if callable(count) else count
    left_out = _left_out(values, k, np.trace(S), design.p)
    if exact and _lost(values, k, left_out, design.p):
        return _decomposed(Centred(design, mean), k)
    return Axes(mean, np.sqrt(values[:k]), vectors[:, :k], left_out, scatter=S)


def _from_rows(design: Design, count: Any, lanczos: bool | None, exact: bool) -> Axes:
    """By the n-by-n matrix of the products of rows; X_c' maps its vectors back, a QR makes them orthonormal."""
    X_c = _centred(design)
    K = X_c.outer_gram()
    design.refuse_if_not_finite(K)
    values, U = leading(K, design.n if callable(count) else count, lanczos)
    values = _heard(values, X_c)
    k = count(values) if callable(count) else count
    left_out = _left_out(values, k, np.trace(K), design.n)
    if exact and X_c.dense and k < design.n and _lost(values, k, left_out, design.n):
        return _decomposed(X_c, k)
    return _mapped_back(X_c, U[:, :k], left_out)


def _mapped_back(X_c: Centred, U: np.ndarray, left_out: float) -> Axes:
    """Axes from an orthonormal basis U of what they are in the space of rows: the singular vectors of ``X_c'U``."""
    Q, R = np.linalg.qr(X_c.transposed_times(U))
    P, singular, _ = np.linalg.svd(R)
    return Axes(X_c.mean, _audible(singular, X_c), Q @ P, left_out)


def _decomposed(X_c: Centred, count: Any) -> Axes:
    """By the singular values of X_c itself, through its triangular factor."""
    if X_c.n >= X_c.p:
        R = X_c.triangle()
        X_c.design.refuse_if_not_finite(R)
        _, singular, rows = np.linalg.svd(R)
        vectors = rows.T
    else:
        Q, R = np.linalg.qr(X_c.array().T)
        X_c.design.refuse_if_not_finite(R)
        P, singular, _ = np.linalg.svd(R)
        vectors = Q @ P
    with np.errstate(over="ignore"):
        X_c.design.refuse_if_not_finite(singular**2)
    singular = _audible(singular, X_c)
    k = count(singular**2) if callable(count) else count
    return Axes(X_c.mean, singular[:k], vectors[:, :k], float((singular[k:] ** 2).sum()))


def _sketched(design: Design, k: Any, sketch: Sketch, tolerance: float) -> Axes:
    """By block Krylov, in the space of the rows or of the columns, whichever are fewer."""
    X_c = _centred(design)
    total = X_c.squares()
    design.refuse_if_not_finite(total)
    small, large = sorted((design.n, design.p))
    random = sketch.random.standard_normal((large, min(small, k + sketch.oversamples)))
    steps = MOST_STEPS if sketch.steps is None else sketch.steps
    if design.n >= design.p:
        start, product = X_c.transposed_times(random), lambda W: X_c.transposed_times(X_c.times(W))
    else:
        start, product = X_c.times(random), lambda Z: X_c.times(X_c.transposed_times(Z))
    values, vectors, taken = krylov(product, start, k, tolerance, steps)
    values = _heard(values, X_c)
    left_out = _left_out(values, k, total, small)
    axes = Axes(X_c.mean, np.sqrt(values), vectors, left_out)
    if design.n < design.p:
        axes = _mapped_back(X_c, vectors, left_out)
    axes.steps, axes.iterated = taken, True
    return axes


def _centred(design: Design) -> Centred:
    """A design less its means, to the last bit: a second sum, of what the first left, takes back its rounding."""
    sums = design.reduce(lambda block: block.X.sum(axis=0), np.add)
    design.refuse_if_not_finite(sums)
    rough = sums / design.n
    left = Centred(design, rough).sums()
    return Centred(design, rough + left / design.n)


def _audible(singular: np.ndarray, X_c: Centred) -> np.ndarray:
    """Singular values, 0 where they are within the rounding of a QR and of the means."""
    noise = 4.0 * EPS * (X_c.p + np.sqrt(X_c.n)) * singular[0] + _rounding_of_means(X_c)
    return np.where(singular > noise, singular, 0.0)


def _heard(values: np.ndarray, X_c: Centred) -> np.ndarray:
    """Eigenvalues of a Gram matrix, 0 where they are within its rounding and that of the means."""
    noise = 4.0 * EPS * min(X_c.n, X_c.p) * values[0] + _rounding_of_means(X_c) ** 2
    return np.where(values > noise, values, 0.0)


def _rounding_of_means(X_c: Centred) -> float:
    """What is left of constant columns, as a singular value; of the means, dense ones are right to the last bit."""
    length = np.sqrt(X_c.p) * np.abs(X_c.mean).max()  # at most; its square may overflow, and does not occur here
    return 4.0 * EPS * length * (np.sqrt(X_c.n) if X_c.dense else X_c.n)


def _left_out(values: np.ndarray, k: int, total: float, whole: int) -> float:
    """The sum of the squares beyond the first k: their own, if all are known, else what the total leaves."""
    if values[0] == 0.0:
        return 0.0
    return float(values[k:].sum()) if len(values) == whole else max(float(total - values.sum()), 0.0)


def _lost(values: np.ndarray, k: int, left_out: float, whole: int) -> bool:
    """Whether the last axis asked for, or all that are left out, drown in the rounding of a Gram matrix."""
    limit = SPREAD * values[0]
    return values[0] > 0.0 and (values[k - 1] <= limit or (k < whole and left_out <= limit))
