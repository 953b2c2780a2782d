r"""Maximum likelihood of an Ising model on few nodes, by Newton's method over all states.

Solves   min_θ Φ(θ) - θ'm + ½ α Σ_edges θ_jk²,     Φ(θ) = log Σ_x e^{θ'T(x)},     T(x) = (x_1, .., x_d, x_j x_k, ..)
Given    the edges, the means m of T over the rows, and α >= 0.
Returns  θ: d numbers of the nodes, then one for each edge. The problem is convex, and the fit is certified.
Cost     2^d q² for the covariance of the q = d + |E| statistics, an iteration.
From     the slope and the curvature of Φ are the mean and the covariance of T (Wainwright and Jordan 2008, Found.
         Trends Mach. Learn. 1, section 3). Steps are halved until the objective does not rise.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from separatrix.core.exponential_family import decrement_bound
from separatrix.core.types import Array
from separatrix.solvers.binary_states import blocks, log_sum, log_weights

HALVINGS = 40
ROUNDING = 1e-14  # share of the objective below which a rise is rounding
DAMPING = 1e-12  # of the mean curvature, where the covariance is singular to rounding


class IsingLikelihood(NamedTuple):
    """The problem: edges (|E|, 2), means of the nodes and of the products at the edges (q,), and α."""

    edges: Array
    means: Array
    alpha: float

    @property
    def d(self) -> int:
        return len(self.means) - len(self.edges)

    @property
    def ridge(self) -> Array:
        return np.where(np.arange(len(self.means)) < self.d, 0.0, self.alpha)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """θ as numbers of the nodes (d,) and a symmetric matrix (d, d) with zeros where there is no edge."""
        C = np.zeros((self.d, self.d))
        first, second = self.edges.T
        C[first, second] = C[second, first] = theta[self.d :]
        return theta[: self.d], C

    def join(self, a: Array, C: Array) -> Array:
        """The inverse of :meth:`split`."""
        return np.concatenate([a, C[self.edges[:, 0], self.edges[:, 1]]])

    def statistics(self, X: Array) -> Array:
        """T(x) of each row: (n, q)."""
        return np.hstack([X, X[:, self.edges[:, 0]] * X[:, self.edges[:, 1]]])

    @property
    def null(self) -> float:
        """The objective of independent nodes, which gaps are relative to; that of θ = 0 where it is 0."""
        m = self.means[: self.d]
        with np.errstate(divide="ignore", invalid="ignore"):
            entropies = -np.nan_to_num(m * np.log(m)) - np.nan_to_num((1.0 - m) * np.log1p(-m))
        return float(entropies.sum()) or self.d * float(np.log(2.0))

    def value(self, theta: Array) -> tuple[float, Array]:
        """The objective, and the probabilities of all states."""
        logs = log_weights(*self.split(theta))
        phi = log_sum(logs)
        return float(phi - theta @ self.means + 0.5 * self.ridge @ theta**2), np.exp(logs - phi)

    def derivatives(self, theta: Array, p: Array) -> tuple[Array, Array, Array]:
        """Slope, curvature, and the means of T, given the probabilities of all states."""
        q = len(self.means)
        mean, second = np.zeros(q), np.zeros((q, q))
        for place, B in blocks(self.d):
            T = self.statistics(B)
            weighted = T * p[place, None]
            mean += weighted.sum(axis=0)
            second += weighted.T @ T
        slope = mean - self.means + self.ridge * theta
        return slope, second - np.outer(mean, mean) + np.diag(self.ridge), mean

    def gap(self, theta: Array) -> float:
        """A bound on the objective above its minimum, relative to that of independent nodes."""
        _, p = self.value(theta)
        slope, curvature, mean = self.derivatives(theta, p)
        centred = (self.statistics(B) - mean for _, B in blocks(self.d))
        return decrement_bound(slope, curvature, centred) / self.null


def newton(problem: IsingLikelihood, *, tol: float = 1e-10, max_iter: int = 100) -> tuple[Array, int]:
    """θ, and the iterations that it took.

    >>> pair = IsingLikelihood(np.array([[0, 1]]), np.array([0.5, 0.5, 0.375]), 0.0)
    >>> newton(pair)[0].round(6)  # P(11) P(00) / (P(10) P(01)) is 9
    array([-1.098612, -1.098612,  2.197225])
    """
    m = problem.means[: problem.d]
    theta = np.zeros(len(problem.means))
    theta[: problem.d] = np.log(m) - np.log1p(-m)
    value, p = problem.value(theta)
    for iteration in range(max_iter):
        slope, curvature, _ = problem.derivatives(theta, p)
        step = _solve(curvature, slope)
        if 0.5 * slope @ step <= 0.01 * tol * problem.null:
            return theta - step, iteration + 1
        size = 1.0
        for _ in range(HALVINGS):
            ahead, p = problem.value(theta - size * step)
            if ahead <= value + ROUNDING * abs(value):
                break
            size *= 0.5
        theta, value = theta - size * step, ahead
    return theta, max_iter


def _solve(curvature: Array, slope: Array) -> Array:
    """``H⁻¹ g``, with a little more curvature where H is singular to rounding."""
    damping = 0.0
    for _ in range(12):
        try:
            factor = scipy.linalg.cho_factor(curvature + damping * np.eye(len(slope)))
            return np.asarray(scipy.linalg.cho_solve(factor, slope))
        except scipy.linalg.LinAlgError:
            damping = max(10.0 * damping, DAMPING * float(np.trace(curvature)) / len(slope))
    return slope
