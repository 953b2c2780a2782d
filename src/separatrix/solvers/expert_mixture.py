r"""The penalised likelihood of a mixture of experts: values, the problems of EM's steps, slopes and curvatures.

    L = Σ s_i log Σ_k π_k(x_i) P(y_i | x_i, k) - ½ γ |V|² - Σ_k ½ α |w_k|² / σ_k²     (σ_k² = 1 for classes)

The gradient of L is that of the maximisation step's problems at the same parameters (Fisher's identity): where each of
them is stationary, so is L. :mod:`separatrix.solvers.mixture_of_experts` climbs it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_softmax, logsumexp, softmax

from separatrix.core.cached import cached_property
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.target import Target
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import is_squared_error
from separatrix.designs.base import Design
from separatrix.losses import Softmax
from separatrix.penalties import L2
from separatrix.solvers.choose import solve_least_squares, solve_likelihood

# The smallest variance of an expert, as a share of the variance of y: L has no maximum without one.
FLOOR = 1e-6
# An expert that is responsible for a smaller share of all rows keeps its coefficients.
NOBODY = 1e-10
INNER = 100  # iterations of a fit within an iteration
TOGETHER = 1 << 20  # numbers of the curvatures of rows that are held at a time


class Experts(NamedTuple):
    """Parameters: gate V (p, K), c (K,); experts W (p, K, o), b (K, o); variances (K,), all 1 for classes."""

    V: Array
    c: Array
    W: Array
    b: Array
    variances: Array


@dataclass(frozen=True)
class Mixture:
    """The problem: rows, the loss of one expert, and the penalties in units of sums over rows."""

    design: Design
    y: Array
    s: Array
    loss: Loss
    alpha: float
    gate_alpha: float

    @cached_property
    def total(self) -> float:
        return float(self.s.sum())

    @cached_property
    def is_gaussian(self) -> bool:
        return is_squared_error(self.loss)

    @cached_property
    def spread(self) -> tuple[Array, Array]:
        """Weighted means and standard deviations of the columns, 1 for a constant one."""
        sums = self.design.moments(Target(np.zeros(self.design.n), self.s), about_mean=True, gram=False)
        deviation = np.sqrt(np.maximum(sums.squares, 0.0) / self.total)
        return sums.x_mean, np.where(deviation > 0.0, deviation, 1.0)

    @cached_property
    def unit(self) -> float:
        """The variance of y; 1 for classes, and where y is constant."""
        if not self.is_gaussian:
            return 1.0
        mean = np.average(self.y, weights=self.s)
        return float(np.average((self.y - mean) ** 2, weights=self.s)) or 1.0

    def log_densities(self, at: Experts) -> Array:
        """log P(y_i | x_i, k), (n, K)."""
        n, o = self.design.n, at.b.shape[1]
        eta = self.design.matvec(at.W.reshape(self.design.p, -1)).reshape(n, -1, o) + at.b
        if self.is_gaussian:
            r = self.y[:, None] - eta[:, :, 0]
            return -0.5 * (np.log(2.0 * np.pi * at.variances) + r * r / at.variances)
        if o == 1:
            return np.where(self.y[:, None] > 0.5, log_expit(eta[:, :, 0]), log_expit(-eta[:, :, 0]))
        return (log_softmax(eta, axis=2) * self.y[:, None, :]).sum(axis=2)

    def expect(self, at: Experts) -> tuple[Array, float]:
        """Responsibilities (n, K), and the penalised log-likelihood L."""
        logs = log_softmax(self.design.matvec(at.V) + at.c, axis=1) + self.log_densities(at)
        total = logsumexp(logs, axis=1, keepdims=True)
        penalty = self.gate_alpha * (at.V**2).sum() + self.alpha * ((at.W**2).sum(axis=(0, 2)) / at.variances).sum()
        return np.exp(logs - total), float(self.s @ total[:, 0] - 0.5 * penalty)

    def problems(self, H: Array) -> tuple[Problem, list[Problem | None]]:
        """What a maximisation step solves: for the gate, and for each expert; None for one that no row belongs to."""
        gate = Problem(self.design, Target(H, self.s), Softmax(), L2(self.gate_alpha / self.total))
        parts: list[Problem | None] = []
        for share in H.T:
            weights = self.s * np.where(share > NOBODY, share, 0.0)  # inverses of smaller ones overflow in a solver
            held = float(weights.sum())
            if held > NOBODY * self.total:
                parts.append(Problem(self.design, Target(self.y, weights), self.loss, L2(self.alpha / held)))
            else:
                parts.append(None)
        return gate, parts

    def variances(self, H: Array, W: Array, b: Array, before: Array) -> Array:
        """The variances that maximise, given coefficients and responsibilities; not below the floor."""
        if not self.is_gaussian:
            return before
        r = self.y[:, None] - self.design.matvec(W[:, :, 0]) - b[:, 0]
        weights = self.s[:, None] * H
        held = weights.sum(axis=0)
        squares = (weights * r * r).sum(axis=0) + self.alpha * (W**2).sum(axis=(0, 2))
        fresh = np.maximum(np.divide(squares, held, out=np.ones_like(held), where=held > 0.0), FLOOR * self.unit)
        return np.where(held > NOBODY * self.total, fresh, before)

    def maximise(self, H: Array, at: Experts | None, tol: float) -> Experts:
        """The maximisation step from responsibilities, each fit started where it stands."""
        p, K = self.design.p, H.shape[1]
        o = 1 if self.y.ndim == 1 else self.y.shape[1]
        before = at or Experts(np.zeros((p, K)), np.zeros(K), np.zeros((p, K, o)), np.zeros((K, o)), np.ones(K))
        gate, experts = self.problems(H)
        solved = solve_likelihood(gate, tol=tol, max_iter=INNER, start=None if at is None else (at.V, at.c))
        W, b = before.W.copy(), before.b.copy()
        for k, problem in enumerate(experts):
            if problem is not None:
                fit = self._expert(problem, at, k, tol)
                W[:, k], b[k] = np.reshape(fit.beta, (p, o)), np.reshape(fit.intercept, o)
        return Experts(solved.beta, np.asarray(solved.intercept), W, b, self.variances(H, W, b, before.variances))

    def _expert(self, problem: Problem, at: Experts | None, k: int, tol: float) -> Solution:
        if self.is_gaussian:
            return solve_least_squares(problem)
        start = None if at is None else _one(problem, at, k)
        return solve_likelihood(problem, tol=tol, max_iter=INNER, start=start)

    def stationarity(self, at: Experts) -> float:
        """The largest entry of the gradient of ``L / Σs``, in nats, for moves of a score by 1 on the average row.

        Coefficients are in units of 1 over the root mean square of their column, those of numbers times the standard
        deviation of their expert; variances are taken as logarithms. At the floor a variance can only grow.
        """
        size = np.sqrt(self.design.column_squares(Target(self.y, self.s)) / self.total)
        size = np.where(size > 0.0, size, 1.0)
        V, c, W, b, growth = self.slopes(at)
        deviation = np.sqrt(at.variances)[:, None]
        parts = (V / size[:, None], c, W / deviation / size[:, None, None], b / deviation)
        growth = np.where(at.variances > FLOOR * self.unit, growth, np.minimum(growth, 0.0))
        return max(float(np.abs(part).max(initial=0.0)) for part in (*parts, growth))

    def slopes(self, at: Experts) -> Experts:
        """The gradient of ``-L / Σs``: of experts times their variance, of variances that of their logarithms."""
        H, _ = self.expect(at)
        weights = self.s[:, None] * H
        off = self.s[:, None] * (np.exp(log_softmax(self.design.matvec(at.V) + at.c, axis=1)) - H)
        V = self.design.rmatvec(off) + self.gate_alpha * at.V
        n, p = self.design.n, self.design.p
        slopes = self.expert_slopes(at)
        u = weights[:, :, None] * slopes
        W = self.design.rmatvec(u.reshape(n, -1)).reshape(p, *at.b.shape) + self.alpha * at.W
        growth = np.zeros(len(at.c))
        if self.is_gaussian:
            squares = (u[:, :, 0] * slopes[:, :, 0]).sum(axis=0) + self.alpha * (at.W**2).sum(axis=(0, 2))
            growth = 0.5 * (weights.sum(axis=0) - squares / at.variances)
        parts = (V, off.sum(axis=0), W, u.sum(axis=0), growth)
        return Experts(*(part / self.total for part in parts))

    def flatness(self, at: Experts) -> float:
        """The smallest mean curvature of an expert's likelihood in an intercept: near 0 where it sees one class."""
        if self.is_gaussian:
            return np.inf
        Y = self.y[:, None, None] if self.y.ndim == 1 else self.y[:, None, :]
        mu = self.expert_slopes(at) + Y
        H, _ = self.expect(at)
        return float(np.tensordot(self.s, H[:, :, None] * mu * (1.0 - mu), axes=1).min() / self.total)

    def expert_slopes(self, at: Experts) -> Array:
        """Slopes of each expert's loss, (n, K, o): of squared errors, minus the residual."""
        eta = self.design.matvec(at.W.reshape(self.design.p, -1)).reshape(self.design.n, -1, at.b.shape[1]) + at.b
        Y = self.y[:, None, None] if self.y.ndim == 1 else self.y[:, None, :]
        if self.is_gaussian:
            return eta - Y
        return (expit(eta) if self.y.ndim == 1 else softmax(eta, axis=2)) - Y

    def expert_bends(self, slopes: Array) -> Array:
        """Curvatures of each expert's loss along its scores, (n, K, o, o), from its slopes."""
        if self.is_gaussian:
            return np.ones((*slopes.shape, 1))
        mu = slopes + (self.y[:, None, None] if self.y.ndim == 1 else self.y[:, None, :])
        if self.y.ndim == 1:
            return (mu * (1.0 - mu))[..., None]
        return mu[..., None] * np.eye(mu.shape[2]) - mu[..., None] * mu[:, :, None, :]

    @cached_property
    def standard(self) -> Array:
        """The columns about their means, in their units, and one of ones, (n, p + 1)."""
        mean, size = self.spread
        columns = self.design.columns(np.arange(self.design.p))
        return np.column_stack([(columns - mean) / size, np.ones(self.design.n)])

    def flat(self, at: Experts) -> Array:
        """All parameters in units of the columns and of y, intercepts at the means, variances as logarithms."""
        mean, size = self.spread
        root = np.sqrt(self.unit)
        c, b = at.c + mean @ at.V, at.b + np.tensordot(mean, at.W, axes=1)
        parts = (at.V * size[:, None], c, at.W * size[:, None, None] / root, b / root, np.log(at.variances))
        return np.concatenate([np.ravel(part) for part in parts])

    def shaped(self, flat: Array, like: Experts) -> Experts:
        """The parameters that :meth:`flat` was given."""
        mean, size = self.spread
        root, floor = np.sqrt(self.unit), FLOOR * self.unit
        ends = np.cumsum([part.size for part in like])[:-1]
        V, c, W, b, logs = (part.reshape(old.shape) for part, old in zip(np.split(flat, ends), like))
        V, W = V / size[:, None], W * root / size[:, None, None]
        variances = like.variances
        if self.is_gaussian:
            low = np.log(floor)
            variances = np.where(logs <= low, floor, np.exp(np.clip(logs, low, low + 80.0)))
        return Experts(V, c - mean @ V, W, b * root - np.tensordot(mean, W, axes=1), variances)


def _one(problem: Problem, at: Experts, k: int) -> tuple[Array, Any]:
    """Coefficients and intercept of expert k, in the shape of its problem."""
    if problem.target.outputs:
        return np.ascontiguousarray(at.W[:, k]), at.b[k]
    return np.ascontiguousarray(at.W[:, k, 0]), float(at.b[k, 0])


def gradient_of(mixture: Mixture, at: Experts) -> Array:
    """The gradient of ``-L / Σs`` in the units of :meth:`Mixture.flat`."""
    mean, size = mixture.spread
    V, c, W, b, growth = mixture.slopes(at)
    V, W = V - np.multiply.outer(mean, c), W - np.multiply.outer(mean, b)
    back = np.sqrt(mixture.unit) / at.variances[:, None]
    parts = (V / size[:, None], c, back * W / size[:, None, None], back * b, growth)
    return np.concatenate([np.ravel(part) for part in parts])


def curvature_of(mixture: Mixture, at: Experts) -> Array:
    """The derivative of :func:`gradient_of`.

    A row has K scores of the gate, o of each expert, and the logarithms of K variances, which look at no column.
    """
    (p, K, o), q = at.W.shape, mixture.design.p + 1
    m = K + K * o + K
    total, Z = np.zeros((m * m, q * q)), mixture.standard
    shares = softmax(mixture.design.matvec(at.V) + at.c, axis=1)
    H, slopes = mixture.expect(at)[0], mixture.expert_slopes(at)
    bends = mixture.expert_bends(slopes)
    height = max(1, TOGETHER // (m * m + q * q))
    for rows in (slice(i, i + height) for i in range(0, len(Z), height)):
        pairs = (Z[rows, :, None] * Z[rows, None, :]).reshape(-1, q * q) * mixture.s[rows, None]
        M = _row_curvatures(H[rows], shares[rows], slopes[rows], bends[rows], at.variances, mixture.is_gaussian)
        total += M.reshape(-1, m * m).T @ pairs
    numbers = np.arange(m * q).reshape(m, q)  # entries of each score: one for a column, the last for the intercept
    gate, experts, logs = numbers[:K], numbers[K : K + K * o], numbers[K + K * o :, p]
    order = np.concatenate([gate[:, :p].T.ravel(), gate[:, p], experts[:, :p].T.ravel(), experts[:, p], logs])
    C = total.reshape(m, m, q, q).transpose(0, 2, 1, 3).reshape(m * q, m * q)[np.ix_(order, order)]
    units = np.ones(len(C))
    units[(p + 1) * K : len(C) - K] = np.sqrt(mixture.unit)
    C *= np.multiply.outer(units, units)
    _add_penalties(C, mixture, at)
    return C / mixture.total


def _row_curvatures(H: Array, shares: Array, slopes: Array, bends: Array, variances: Array, is_gaussian: bool) -> Array:
    """Second derivatives (n, m, m) of ``-log Σ_k π_k f_k`` of each row, along its m scores.

    The mean of those of each expert, minus the covariance of their first derivatives, by responsibility.
    """
    n, K, o = slopes.shape
    m = K + K * o + K
    J, M = np.zeros((n, K, m)), np.zeros((n, m, m))
    J[:, :, :K] = np.eye(K) - shares[:, None]
    M[:, :K, :K] = shares[:, :, None] * np.eye(K) - shares[:, :, None] * shares[:, None, :]
    for k in range(K):
        own, log = slice(K + k * o, K + (k + 1) * o), K + K * o + k
        J[:, k, own] = -slopes[:, k] / variances[k]
        M[:, own, own] = H[:, k, None, None] * bends[:, k] / variances[k]
        if is_gaussian:
            r = slopes[:, k, 0]
            J[:, k, log] = 0.5 * (r * r / variances[k] - 1.0)
            M[:, log, log] = 0.5 * H[:, k] * r * r / variances[k]
            M[:, log, own] = M[:, own, log] = -(H[:, k] * r / variances[k])[:, None]
    J *= np.sqrt(H)[:, :, None]
    mean = (J * np.sqrt(H)[:, :, None]).sum(axis=1)
    return M - J.transpose(0, 2, 1) @ J + mean[:, :, None] * mean[:, None, :]


def _add_penalties(C: Array, mixture: Mixture, at: Experts) -> None:
    """Add the second derivatives of ``½ γ |V|² + Σ_k ½ α |w_k|² / σ_k²``."""
    p, K = at.V.shape
    size, root = mixture.spread[1], np.sqrt(mixture.unit)
    first = (p + 1) * K
    own = np.zeros(len(C))
    own[: p * K] = np.repeat(mixture.gate_alpha / size**2, K)
    steep = mixture.alpha * (root / size[:, None, None]) ** 2 / at.variances[:, None]
    own[first : first + at.W.size] = np.broadcast_to(steep, at.W.shape).ravel()
    if mixture.is_gaussian:
        own[-K:] = 0.5 * mixture.alpha * (at.W**2).sum(axis=(0, 2)) / at.variances
        across = mixture.alpha * at.W[:, :, 0] * root / size[:, None] / at.variances
        for k in range(K):
            places = first + np.arange(p) * K + k
            C[places, k - K] -= across[:, k]
            C[k - K, places] -= across[:, k]
    C[np.diag_indices(len(C))] += own
