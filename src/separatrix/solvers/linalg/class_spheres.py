r"""Maps that make the covariance of each class the identity, and all of them at once along a path between classes.

Given    factors of the scatter of each class, and of the pooled one where it is needed.
Returns  W_c (p, q) with ``W_c' Σ_c W_c = I``: Mahalanobis distances are lengths of ``(x - m_c) W_c``.
Cost     a triangular inverse for each class; where directions must be told apart, a decomposition of order q.

A class whose rows do not determine its covariance in every direction takes the pooled covariance in the others, so
that all densities are of one dimension and may be compared (docs/decisions/0015). Where columns are dependent over all
classes, rows are projected onto the span of their deviations, at right angles in units of the standard deviations
within classes: which of the dependent columns is called so must not show.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.linalg import solve_triangular

from separatrix.core.registry import register
from separatrix.core.target import AnyTarget
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.base import Block, Design
from separatrix.designs.factor import Factor
from separatrix.solvers.linalg.scatter import safe_factor

Result = TypeVar("Result")

# Eigenvalues of T'T closer to each other than this are right to eight digits; else those of T are taken instead.
SAFELY_SQUARED = 1e-7
# Steps of elimination that one thread does in less time than it takes to wake another.
ONE_THREAD = 1 << 20


@register("record")
@dataclass
class Spheres:
    """k normal densities in q dimensions: means, sphering maps (p, q) and log-determinants of their covariances.

    With ``q < p`` the densities are those of the span of the deviations, whose coordinates are the rows of `frame`.
    """

    means: np.ndarray
    maps: list[Array]
    log_determinants: np.ndarray
    ranks: np.ndarray  # in how many directions the rows of each class determine its covariance
    frame: np.ndarray | None = None  # (q, p), a root of the pooled covariance
    constant: Array | Sequence[int] = ()  # columns that vary in no class
    aliased: Array | Sequence[int] = ()  # columns that are combinations of others in every class

    @property
    def dimension(self) -> int:
        """q, in which the densities live."""
        return self.maps[0].shape[1]

    def root(self, c: int) -> Array:
        """Z (q, p) with ``Z'Z`` the covariance of class c."""
        if self.frame is None:
            return np.linalg.inv(self.maps[c])
        return np.linalg.solve(self.frame @ self.maps[c], self.frame)

    def residual(self, c: int, covariance: Array) -> float:
        """How far ``W' Σ W`` is from the identity for class c: the Frobenius norm of the difference.

        Of many columns it is estimated with a few vectors of signs, or it would cost more than the fit. For directions
        in which the rows of a class determine nothing there is nothing to compare.
        """
        W, q = self.maps[c], self.dimension
        # E |A v|² is |A|² (Frobenius) for signs v; sixteen of them, each divided by 4, are as good as their mean
        V = np.eye(q) if q <= 64 else np.random.default_rng(0).choice([-0.25, 0.25], (q, 16))
        wanted = V.copy()
        wanted[self.ranks[c] :] = 0.0
        return float(np.linalg.norm(W.T @ (covariance @ (W @ V)) - wanted))

    def rounding(self, c: int, covariance: Array) -> float:
        """What the rounding of Σ alone may add to the residual of class c."""
        size = np.abs(self.maps[c])
        return float(len(size) * np.finfo(np.float64).eps * np.einsum("ij,ij->", size, np.abs(covariance) @ size))

    def residual_of_rows(self, c: int, design: Design, target: AnyTarget, own: float, pooled: float) -> float:
        """The same without forming Σ, which costs a pass and spares the square of the condition number.

        Σ is `own` times the scatter of class c and `pooled` times that of all classes.
        """
        W = self.maps[c]

        def task(block: Block) -> Array:
            Z = (block.X - self.means[block.y]) @ W
            if block.s is not None:
                Z *= np.sqrt(block.s)[:, None]
            mine = Z[block.y == c]
            return own * (mine.T @ mine) + pooled * (Z.T @ Z)

        sphered = design.reduce(task, operator.add, target, gram=1)
        return float(np.linalg.norm(sphered - np.diag(np.arange(self.dimension) < self.ranks[c])))


def for_each_class(task: Callable[[int], Result], k: int, p: int) -> list[Result]:
    """``[task(c) for c in range(k)]``, on threads where tasks of p³ steps are worth it."""
    return parallel_map(task, range(k)) if k * p**3 > ONE_THREAD else [task(c) for c in range(k)]


def class_spheres(
    means: Array, factors: list[Factor], divisors: Array, pooled: Callable[[], tuple[Factor, float]]
) -> Spheres:
    """Spheres of classes from factors of their scatters, where ``Σ_c = S_c / divisors[c]``.

    `pooled` is called only if some class is not of full rank; it gives the factor of the pooled scatter and its
    divisor.
    """
    p = means.shape[1]
    if all(len(factor.kept) == p for factor in factors):
        maps = for_each_class(lambda i: np.sqrt(divisors[i]) * factors[i].whitener(), len(factors), p)
        logs = np.array([f.log_determinant - p * np.log(d) for f, d in zip(factors, divisors, strict=True)])
        return Spheres(means, maps, logs, np.full(len(factors), p))
    spectra = class_spectra(means, factors, divisors, *pooled(), exact=True)
    return spectra.spheres(1.0)


def matrix_spheres(means: Array, matrices: Array) -> Spheres | None:
    """Spheres of classes from their covariances (k, p, p), or None where some are singular, or nearly so."""
    k, p = means.shape
    tried = for_each_class(lambda c: safe_factor(matrices[c]), k, p)
    factors = [factor for factor in tried if factor is not None and len(factor.kept) == p]
    if len(factors) < k:
        return None
    maps = for_each_class(lambda c: factors[c].whitener(), k, p)
    return Spheres(means, maps, np.array([factor.log_determinant for factor in factors]), np.full(k, p))


@dataclass
class Spectra:
    r"""The covariances of all classes, each diagonal together with the pooled one.

    .. math:: B_c^\top \Sigma B_c = I, \qquad B_c^\top \Sigma_c B_c = \mathrm{diag}(d_c)

    so that :math:`\alpha \Sigma_c + (1 - \alpha) \Sigma` has the variances :math:`\alpha d_c + 1 - \alpha` in the same
    coordinates for every alpha (Friedman 1989). The first ``ranks[c]`` variances are determined by the rows of class c.
    """

    means: np.ndarray
    bases: list[Array]
    variances: np.ndarray
    log_determinant: float
    ranks: np.ndarray
    frame: np.ndarray | None
    constant: Array | Sequence[int]
    aliased: Array | Sequence[int]

    def blend(self, alpha: float) -> Array:
        """Variances (k, q) of ``alpha Σ_c + (1 - alpha) Σ``; at alpha = 1 the pooled ones where a class has none."""
        if alpha < 1.0:
            return alpha * self.variances + (1.0 - alpha)
        undetermined = np.arange(self.variances.shape[1]) >= self.ranks[:, None]
        return np.where(undetermined, 1.0, self.variances)

    def spheres(self, alpha: float) -> Spheres:
        """The densities at one alpha."""
        blend = self.blend(alpha)
        maps = [B / np.sqrt(v) for B, v in zip(self.bases, blend, strict=True)]
        logs = self.log_determinant + np.log(blend).sum(axis=1)
        full = np.full_like(self.ranks, blend.shape[1])
        ranks = self.ranks if alpha == 1.0 else full
        return Spheres(self.means, maps, logs, ranks, self.frame, self.constant, self.aliased)

    def log_densities(self, B: Array, alphas: Array) -> Array:
        """``log P(x | C_c)`` (n, k, alphas) of a block of rows: squared coordinates times the inverse variances."""
        k, q = self.variances.shape
        blend = np.array([self.blend(alpha) for alpha in alphas])
        logs = self.log_determinant + np.log(blend).sum(axis=2) + q * np.log(2.0 * np.pi)
        centre = self.means.mean(axis=0)
        B = B - centre
        densities = np.empty((len(B), k, len(alphas)))
        for c in range(k):
            Z = B @ self.bases[c]
            Z -= (self.means[c] - centre) @ self.bases[c]
            np.multiply(Z, Z, out=Z)
            densities[:, c] = -0.5 * (Z @ (1.0 / blend[:, c]).T + logs[:, c])
        return densities


def class_spectra(
    means: Array, factors: list[Factor], divisors: Array, pooled: Factor, divisor: float, *, exact: bool = False
) -> Spectra:
    """Spectra of classes from factors of their scatters and of the pooled one, each with its divisor.

    With `exact`, decompositions are of roots and never of squares.
    """
    W, log_determinant, frame = _pooled_sphere(pooled, divisor)
    q = W.shape[1]

    def task(i: int) -> tuple[Array, Array, int]:
        T = factors[i].root() @ W
        T /= np.sqrt(divisors[i])
        if not exact and len(T) >= q:
            d, U = np.linalg.eigh(T.T @ T)
            if d[0] > SAFELY_SQUARED * d[-1]:
                return W @ U, d, q
        _, sizes, U = np.linalg.svd(T)
        d = np.zeros(q)
        d[: len(sizes)] = sizes**2
        return W @ U.T, d, len(sizes)

    bases, d, ranks = zip(*for_each_class(task, len(factors), q), strict=True)
    constant, aliased = np.sort(pooled.constant), np.sort(pooled.aliased)
    return Spectra(means, list(bases), np.array(d), log_determinant, np.array(ranks), frame, constant, aliased)


def _pooled_sphere(pooled: Factor, divisor: float) -> tuple[Array, float, Array | None]:
    """W (p, q) with ``W'ΣW = I`` for the pooled covariance, its log-determinant, and its root if q < p."""
    q, p = len(pooled.kept), len(pooled.scale)
    if q == p:
        return np.sqrt(divisor) * pooled.whitener(), pooled.log_determinant - p * np.log(divisor), None
    frame = pooled.root() / np.sqrt(divisor)
    # in standard units Z = R'Q', and W = D Q R^-T: the columns of Q span the deviations, whatever columns were kept
    Q, R = np.linalg.qr((frame * pooled.scale).T)
    W = pooled.scale[:, None] * solve_triangular(R, Q.T, trans="N", check_finite=False).T
    volume = np.linalg.qr(frame.T, mode="r")
    return W, 2.0 * float(np.log(np.abs(np.diag(volume))).sum()), frame
