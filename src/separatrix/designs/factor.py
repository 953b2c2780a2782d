"""Triangular factors of centred and scaled columns: from the Gram matrix where that is safe, else by blocks of QR."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, qr, solve_triangular
from scipy.linalg.lapack import dtrtri

from separatrix.core.registry import register
from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design
from separatrix.designs.moments import Moments
from separatrix.designs.sparse import as_dense

EPS = np.finfo(np.float64).eps
# Columns whose singular values cost less than a pass over the data.
FEW = 128


@register("record")
@dataclass
class Factor:
    """``R'R = D (X_c'S X_c + lam I) D`` on the columns `kept`, where ``D = diag(scale)`` and X_c is X less its means.

    Columns that add nothing are not kept. Those that are combinations of kept ones are in `aliased`, with their
    `combination`: ``X_c D`` of the aliased columns is ``X_c D`` of the kept ones times it. Constant columns are in
    `constant`.
    """

    R: np.ndarray
    scale: np.ndarray
    kept: np.ndarray
    mean: np.ndarray
    total: float
    intercept: bool
    aliased: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    constant: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))
    combination: np.ndarray | None = None

    def solve(self, g: Array, g0: Array) -> tuple[Array, Array]:
        """``(X'SX + lam I)^-1`` times a right-hand side g (p, k); with an intercept, g0 (k,) is its row."""
        if self.intercept:
            g = g - np.multiply.outer(self.mean, g0)
        step = np.zeros_like(g)
        D = self.scale[self.kept, None]
        if len(self.kept):
            step[self.kept] = D * cho_solve((self.R, False), D * g[self.kept], check_finite=False)
        return step, (g0 / self.total - self.mean @ step if self.intercept else np.zeros_like(g0))

    def half_solve(self, g: Array) -> Array:
        """``R^-T g`` on the kept columns, for g (p, k) in units of scaled columns."""
        if not len(self.kept):
            return np.zeros((0, g.shape[1]))
        return solve_triangular(self.R, g[self.kept], trans="T", check_finite=False)

    def whitener(self) -> Array:
        """W (p, rank) with ``W'(X_c'S X_c + lam I) W = I``: rows times W have the identity for their scatter."""
        p, rank = len(self.scale), len(self.kept)
        if not rank:
            return np.zeros((p, 0))
        root, _ = dtrtri(self.R)  # R is regular: its diagonal was looked at
        root *= self.scale[self.kept, None]
        if rank == p and np.array_equal(self.kept, np.arange(p)):
            return root
        W = np.zeros((p, rank))
        W[self.kept] = root
        return W

    def root(self) -> Array:
        """Z (rank, p) with ``Z'Z = X_c'S X_c + lam I``; dependent columns are the combinations that they are."""
        Z = np.zeros((len(self.kept), len(self.scale)))
        Z[:, self.kept] = self.R / self.scale[self.kept]
        if len(self.aliased):
            Z[:, self.aliased] = self.R @ self.combination / self.scale[self.aliased]
        return Z

    @property
    def log_determinant(self) -> float:
        """Logarithm of the determinant of ``X_c'S X_c + lam I`` on the kept columns."""
        return 2.0 * float(np.log(np.abs(np.diag(self.R))).sum() - np.log(self.scale[self.kept]).sum())

    def inverse(self) -> Array:
        """``(X'SX + lam I)^-1``, intercept first; NaN for columns not kept."""
        first = 1 if self.intercept else 0
        q = len(self.scale) + first
        kept = np.concatenate([np.arange(first), first + np.sort(self.kept)])
        unit = np.zeros((q, len(kept)))
        unit[kept, np.arange(len(kept))] = 1.0
        W, W0 = self.solve(unit[first:], unit[0] if first else np.zeros(len(kept)))
        full = np.full((q, q), np.nan)
        full[:, kept] = np.vstack([W0, W]) if first else W
        full[np.setdiff1d(np.arange(q), kept), :] = np.nan
        return full

    def variance(self, inverse: Array, lam: Array | float) -> tuple[Array, float]:
        """``W X'SX W`` and its trace with ``W^-1``, the effective degrees of freedom, from the inverse W.

        Without a penalty: W itself, and the rank. Else ``W X'SX W = W - W L W``, where L is the diagonal of lam, 0 for
        the intercept, and ``edf = q - tr(L W)``.
        """
        first = 1 if self.intercept else 0
        q = float(len(self.kept) + first)
        if not np.any(lam):
            return inverse, q
        W = np.nan_to_num(inverse)
        penalised = W[:, first:]
        return inverse - (lam * penalised) @ penalised.T, q - float((lam * np.diag(W)[first:]).sum())

    def leading(self, rank: int) -> "Factor":
        """The factor of the first `rank` kept columns; the others count as aliased."""
        rest = self.R[:rank, rank:]
        if len(self.aliased):
            rest = np.hstack([rest, self.R[:rank] @ self.combination])
        R = self.R[:rank, :rank]
        combination = solve_triangular(R, rest, check_finite=False) if rank else None
        aliased = np.concatenate([self.kept[rank:], self.aliased])
        return replace(self, R=R, kept=self.kept[:rank], aliased=aliased, combination=combination)

    def condition(self, settled: float = 1.0) -> float:
        """2-norm condition number of R: of few columns by singular values, else a lower bound by power iterations.

        The iterations are on R'R and on its inverse, and are right to a few per cent where singular values are apart.
        They end when a sweep finds less than `settled` times as much: 1.1 is enough to tell the order of magnitude.
        """
        q = len(self.kept)
        if q == 0:
            return 1.0
        if settled <= 1.0 and q <= FEW:
            values = np.linalg.svd(self.R, compute_uv=False)
            if values[-1] > 1e-10 * values[0]:  # else rounding has a part in the smallest
                return float(values[0] / values[-1])
        start = 1.0 + 0.5 * np.cos(np.arange(q))  # no symmetry that an eigenvector could be orthogonal to
        big, small = start.copy(), start.copy()
        ratio = 1.0
        for _ in range(12):
            big = self.R.T @ (self.R @ (big / np.linalg.norm(big)))
            small = cho_solve((self.R, False), small / np.linalg.norm(small), check_finite=False)
            before, ratio = ratio, float(np.sqrt(np.linalg.norm(big) * np.linalg.norm(small)))
            if ratio < settled * before:
                break
        return ratio

    def minimum_norm(self, beta: Array) -> Array:
        """The shortest coefficients with the same predictions as `beta` (p, k), which uses kept columns only."""
        if not len(self.aliased):
            return beta
        # beta_kept + T beta_aliased = beta: of all solutions of [I T] b = beta, the shortest
        T = self.combination * self.scale[self.kept, None] / self.scale[self.aliased]
        Q, R = np.linalg.qr(np.vstack([np.eye(len(self.kept)), T.T]))
        shortest = Q @ solve_triangular(R, beta[self.kept], trans="T", check_finite=False)
        beta = np.zeros_like(beta)
        beta[self.kept], beta[self.aliased] = shortest[: len(self.kept)], shortest[len(self.kept) :]
        return beta


def gram_factor(sums: Moments, lam: Array | float, intercept: bool) -> Factor | None:
    """Cholesky factor from moments, or None where its rounding errors could spoil a digit that refinement needs.

    The error of a Cholesky factor is ``eps cond(G)``; refinement contracts by that much at each step. With
    ``cond(G) < 1e7`` one step takes any answer to working precision.
    """
    squares = sums.squares + lam
    raw = squares + sums.total * sums.x_mean**2
    if not np.all(squares > 1e-10 * raw) or not np.all(squares > 0.0):
        return None  # a column nearly constant: its centred square is mostly rounding
    scale = 1.0 / np.sqrt(squares)
    C = sums.xx * scale[:, None]
    C *= scale
    np.fill_diagonal(C, 1.0)
    try:
        R = cholesky(C.T, overwrite_a=True, check_finite=False)  # symmetric: the order that LAPACK works in place on
    except LinAlgError:
        return None
    factor = Factor(R, scale, np.arange(len(scale)), sums.x_mean, sums.total, intercept)
    return factor if factor.condition(settled=1.1) ** 2 < 1e7 else None


# Problems up to this many numbers get a triangle by QR at once: it costs them a few milliseconds.
SMALL = 1 << 16


def factor_of(design: Design, target: AnyTarget, lam: Array | float, intercept: bool) -> Factor:
    """The factor of ``X_c'S X_c + diag(lam)`` for lam (p,): by Cholesky where that is safe, else by QR."""
    sums = design.moments(target, about_mean=intercept, gram=design.forms_gram)
    small = design.n * design.p <= SMALL
    factor = None if small or sums.xx.ndim == 1 else gram_factor(sums, lam, intercept)
    return triangle_factor(design, target, sums, lam, intercept) if factor is None else factor


def row_lengths(design: Design, factor: Factor) -> Array:
    """``sqrt(z_i'(Z'S Z + lam I)^-1 z_i)`` of all rows, for the columns kept and, where there is one, the intercept."""

    def task(block: Block) -> Array:
        Z = as_dense(block.X) - factor.mean if factor.intercept else as_dense(block.X)
        return np.linalg.norm(factor.half_solve((Z * factor.scale).T), axis=0)

    lengths = design.reduce(task, lambda a, b: np.concatenate([a, b]))
    return np.hypot(lengths, 1.0 / np.sqrt(factor.total)) if factor.intercept else lengths


def triangle_factor(
    design: Design,
    target: AnyTarget,
    sums: Moments,
    lam: Array | float,
    intercept: bool,
    weights: Callable[[Block], Array] | None = None,
) -> Factor:
    """QR of the centred, scaled columns by blocks of rows, with column pivoting on the final triangle.

    Forming the triangle from the data costs the condition number once, where the Gram matrix would cost its square.
    `weights` is a function of a block of rows; None: their s.
    """
    mean = sums.x_mean if intercept else np.zeros(design.p)

    def deviations(block: Block) -> Array:
        Z = as_dense(block.X) - mean
        s = block.s if weights is None else weights(block)
        return Z if s is None else Z * np.sqrt(s)[:, None]

    factor = deviations_factor(design, target, deviations, sums, mean, lam)
    return replace(factor, mean=mean, intercept=intercept)


def triangle_of(Z: Array) -> Array:
    """The triangular factor R of ``Z = Q R``."""
    R: Any = np.linalg.qr(Z, mode="r")  # numpy's types know of pairs (Q, R) only
    return R


def merged_triangles(upper: Array, lower: Array) -> Array:
    """The triangular factor of two matrices, one upon the other, from those of each."""
    return triangle_of(np.vstack([upper, lower]))


def live_columns(size: Array, mean: Array, total: float, n: int) -> Array:
    """Columns whose centred length `size` is more than the rounding of their mean; the others are constant."""
    noise = 4.0 * EPS * np.sqrt(total) * np.abs(mean) * np.sqrt(n)
    return np.flatnonzero(size > np.maximum(noise, np.finfo(np.float64).tiny))


def deviations_factor(
    design: Design,
    target: AnyTarget,
    deviations: Callable[[Block], Array],
    sums: Moments,
    mean: Array,
    lam: Array | float = 0.0,
    n: int | None = None,
) -> Factor:
    """Factor of ``Z'Z + lam I`` for ``Z = deviations(block)``, rows less some mean, by blocks of QR.

    `sums` holds the squares of Z's columns and the total weight; `mean` is the size of what was taken off each column.
    `lam` is a number, or one for each column.
    Z may have fewer rows than X: n.
    """
    n = design.n if n is None else n
    size = np.sqrt(sums.squares + lam)
    live = live_columns(size, mean, sums.total, n)
    scale = np.zeros(design.p)
    scale[live] = 1.0 / size[live]

    def task(block: Block) -> Array:
        return triangle_of(deviations(block)[:, live] * scale[live])

    R = design.reduce(task, merged_triangles, target, gram=True)
    if np.any(lam):
        R = merged_triangles(R, np.diag((np.sqrt(lam) * scale)[live]))
    triangle = R
    R, order = qr(triangle, mode="r", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(R))
    tolerance = 8.0 * EPS * max(n, design.p) ** 0.5 * max(len(live), 1) * diagonal.max(initial=0.0)
    rank = int((diagonal > tolerance).sum())
    if rank < len(live):
        R, order = _earliest(triangle, rank, tolerance, (R, order))
    kept, aliased = live[order[:rank]], live[order[rank:]]
    combination = solve_triangular(R[:rank, :rank], R[:rank, rank:], check_finite=False) if rank else None
    constant = np.setdiff1d(np.arange(design.p), live)
    R = R[:rank, :rank]
    return Factor(R, scale, kept, np.zeros(design.p), sums.total, False, aliased, constant, combination)


# What a column of unit length must add to those before it, in R's lm: where the rank allows, the same columns stay.
APART = 1e-7


# So many columns are reflected one by one before the reflections are applied to the rest at once.
PANEL = 64


def _earliest(triangle: Array, rank: int, tolerance: float, pivoted: tuple[Array, Array]) -> tuple[Array, Array]:
    """The triangle with columns in another order: those that no earlier column determines, then the others.

    So the columns left out are those that a reader of the columns in order would leave out, and not whichever are
    shortest when their turn comes. `pivoted` stays where the columns taken in order are not as many as the rank, and
    where there are fewer rows than columns: nothing is tested then, and the first columns may be nearly dependent.
    """
    rows, p = triangle.shape
    if rows < p:
        return pivoted
    kept = next((J for J in (_in_order(triangle, cut) for cut in (APART, tolerance)) if len(J) == rank), None)
    if kept is None:
        return pivoted
    _, among = qr(triangle[:, kept], mode="r", pivoting=True, check_finite=False)
    order = np.concatenate([kept[among], np.setdiff1d(np.arange(p), kept)])
    return triangle_of(triangle[:, order]), order


def _in_order(triangle: Array, cut: float) -> Array:
    """Columns of which more than `cut` is left when those kept before are projected out, by Householder reflections.

    The reflections ``I - 2 v_i v_i'`` of a panel are one, ``I - V T V'`` with ``T^-1 = ½ I + (V'V above its diagonal)``
    (Puglisi 1992, SIAM J. Sci. Stat. Comput. 13(3)).
    """
    rest = np.array(triangle)
    kept: list[int] = []
    for first in range(0, rest.shape[1], PANEL):
        panel, reflections = rest[:, first : first + PANEL], []
        for j in range(panel.shape[1]):
            x = panel[len(kept) :, j]
            size = np.linalg.norm(x)
            if size <= cut:
                continue
            v = np.zeros(len(rest))
            v[len(kept) :] = x
            v[len(kept)] += np.copysign(size, x[0])
            v /= np.linalg.norm(v)
            panel[:, j:] -= 2.0 * np.multiply.outer(v, v @ panel[:, j:])
            reflections.append(v)
            kept.append(first + j)
        later = rest[:, first + PANEL :]
        if reflections and later.size:
            V = np.array(reflections).T
            inverse = np.triu(V.T @ V, 1) + 0.5 * np.eye(V.shape[1])
            later -= V @ solve_triangular(inverse, V.T @ later, trans="T", check_finite=False)
    return np.array(kept, dtype=int)
