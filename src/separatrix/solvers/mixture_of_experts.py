r"""Mixtures of experts by expectation and maximisation (EM): a softmax gate, and linear or logistic experts.

Climbs   L = Σ s_i log Σ_k π_k(x_i) P(y_i | x_i, k) - ½ γ |V|² - Σ_k ½ α |w_k|² / σ_k²     (σ_k² = 1 for classes)
Given    a design in memory, y (n,) or shares of classes (n, c), weights s, K experts, penalties γ, α > 0.
Returns  the parameters of a place where EM stands still, and L after every iteration, which never falls.
Cost     one gate fit (Softmax with responsibilities as soft labels) and K weighted expert fits an iteration.
From     Jacobs, Jordan, Nowlan and Hinton (1991), Neural Computation 3(1); Jordan and Jacobs (1994), Neural Computation
         6(2). Iterations are extrapolated as in Varadhan and Roland (2008), Scand. J. Stat. 35(2), where that climbs.

The gradient of L is that of the maximisation step's problems at the same parameters (Fisher's identity): where each of
them is stationary, so is L. L has several maxima; which one is reached depends on the start.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_softmax, logsumexp, softmax

from separatrix.core.cached import cached_property
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
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
# Below this gradient Newton's steps are tried, for up to so many parameters: EM gains a digit in ten to a hundred.
NEAR, MOST_PARAMETERS = 1e-2, 300
DIFFERENCE = 1e-6  # of parameters in their units, for second derivatives
SHORT = 10  # iterations of each start before the best of them goes on
INNER = 100  # iterations of a fit within an iteration


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
        slopes = self._slopes(at)
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
        mu = self._slopes(at) + Y
        H, _ = self.expect(at)
        return float(np.tensordot(self.s, H[:, :, None] * mu * (1.0 - mu), axes=1).min() / self.total)

    def _slopes(self, at: Experts) -> Array:
        """Slopes of each expert's loss, (n, K, o): of squared errors, minus the residual."""
        eta = self.design.matvec(at.W.reshape(self.design.p, -1)).reshape(self.design.n, -1, at.b.shape[1]) + at.b
        Y = self.y[:, None, None] if self.y.ndim == 1 else self.y[:, None, :]
        if self.is_gaussian:
            return eta - Y
        return (expit(eta) if self.y.ndim == 1 else softmax(eta, axis=2)) - Y


def _one(problem: Problem, at: Experts, k: int) -> tuple[Array, Any]:
    """Coefficients and intercept of expert k, in the shape of its problem."""
    if problem.target.outputs:
        return np.ascontiguousarray(at.W[:, k]), at.b[k]
    return np.ascontiguousarray(at.W[:, k, 0]), float(at.b[k, 0])


def climb(
    mixture: Mixture, n_experts: int, *, starts: int, random: np.random.RandomState, tol: float, max_iter: int
) -> tuple[Experts, Trace, int]:
    """Climb from several starts; the best after a few iterations goes on until it stands still.

    Returns the parameters, a trace of ``-L / Σs``, which never rises, and the number of iterations.
    """
    fine = max(min(1e-8, tol**2), 1e-12)  # a relative gap is quadratic in a relative gradient
    runs = [_Climb(mixture, _first(mixture, n_experts, random), fine) for _ in range(starts)]
    for run in runs:
        run.go_on(SHORT if starts > 1 else 0)
    best = max(runs, key=lambda run: run.value)
    tried = 4.0 * NEAR
    while best.iterations < max_iter and not best.stands_still:
        best.go_on(best.iterations + 6)
        gradient = mixture.stationarity(best.at)
        if gradient <= 0.25 * tried:
            tried = gradient
            best.finish(gradient)
        if mixture.stationarity(best.at) <= tol:
            break
    return best.at, best.trace, best.iterations


def _first(mixture: Mixture, n_experts: int, random: np.random.RandomState) -> Array:
    """Responsibilities by the distances of the rows to random points about the mean.

    The points are not rows, so that neither the order nor the repetition of rows shows.
    """
    mean, deviation = mixture.spread
    points = random.standard_normal((n_experts, mixture.design.p))
    # |z - point|² without |z|², which is the same for all points
    distances = mixture.design.matvec((-2.0 * points / deviation).T) + 2.0 * points @ (mean / deviation)
    return np.exp(log_softmax(-0.5 * (distances + (points**2).sum(axis=1)), axis=1))


class _Climb:
    """One start: where it stands, L there, and the way."""

    def __init__(self, mixture: Mixture, H: Array, tol: float) -> None:
        self.mixture, self.tol = mixture, tol
        self.at = mixture.maximise(H, None, tol)
        self.H, self.value = mixture.expect(self.at)
        self.trace, self.iterations, self.stands_still = Trace(), 1, False
        self.trace.append(-self.value / mixture.total)

    def go_on(self, until: int) -> None:
        """Pairs of iterations, each followed by an extrapolation, up to a number of iterations."""
        while self.iterations < until and not self.stands_still:
            zero = self.at
            self._step()
            one = self.at
            self._step()
            if not self.stands_still:
                self._extrapolate(zero, one, self.at)

    def _step(self) -> None:
        self._move(self.mixture.maximise(self.H, self.at, self.tol))
        self.iterations += 1

    def _move(self, there: Experts) -> bool:
        """Go there if that is no step down."""
        H, value = self.mixture.expect(there)
        climbed = value >= self.value and bool(np.isfinite(value))
        if climbed:
            self.stands_still = _same(self.at, there)
            self.at, self.H, self.value = there, H, value
            self.trace.append(-value / self.mixture.total)
        else:
            self.stands_still = True  # rounding is all that is left
        return climbed

    def _extrapolate(self, zero: Experts, one: Experts, two: Experts) -> None:
        a, b, c = (self._flat(point) for point in (zero, one, two))
        r, v = b - a, c - 2.0 * b + a
        length = float(np.linalg.norm(v))
        step = float(np.linalg.norm(r)) / length if length > 0.0 else 1.0
        if step > 1.0:
            self._move(self._shaped(a + 2.0 * step * r + step * step * v, two))
            self.stands_still = False  # a step too far says nothing

    def finish(self, gradient: float) -> None:
        """Newton's steps on L itself, for as long as they neither step down nor leave the gradient as it is."""
        point = self._flat(self.at)
        while len(point) <= MOST_PARAMETERS and gradient > 0.0:
            g = self._gradient(point)
            H = np.stack([self._gradient(point + step) - g for step in DIFFERENCE * np.eye(len(point))]) / DIFFERENCE
            # a shift of all intercepts of the gate changes nothing: the shortest step is taken
            point = point - np.linalg.lstsq(0.5 * (H + H.T), g, rcond=1e-10)[0]
            there = self._shaped(point, self.at)
            responsibilities, value = self.mixture.expect(there)
            smaller = self.mixture.stationarity(there)
            if not (value >= self.value - 1e-13 * abs(self.value) and smaller < 0.5 * gradient):
                return
            if value >= self.value:
                self.trace.append(-value / self.mixture.total)
            self.at, self.H, self.value, gradient = there, responsibilities, max(value, self.value), smaller
            self.iterations += 1

    def _gradient(self, flat: Array) -> Array:
        """The gradient of ``-L / Σs`` in the units of :meth:`_flat`; 0 for a variance at its floor."""
        at = self._shaped(flat, self.at)
        size, root = self.mixture.spread[1], np.sqrt(self.mixture.unit)
        V, c, W, b, growth = self.mixture.slopes(at)
        back = root / at.variances[:, None]
        free = at.variances > FLOOR * self.mixture.unit
        parts = (V / size[:, None], c, back * W / size[:, None, None], back * b, np.where(free, growth, 0.0))
        return np.concatenate([np.ravel(part) for part in parts])

    def _flat(self, at: Experts) -> Array:
        """All parameters in units of the columns and of y, variances as logarithms."""
        size, root = self.mixture.spread[1], np.sqrt(self.mixture.unit)
        parts = (at.V * size[:, None], at.c, at.W * size[:, None, None] / root, at.b / root, np.log(at.variances))
        return np.concatenate([np.ravel(part) for part in parts])

    def _shaped(self, flat: Array, like: Experts) -> Experts:
        size, root = self.mixture.spread[1], np.sqrt(self.mixture.unit)
        ends = np.cumsum([part.size for part in like])[:-1]
        V, c, W, b, logs = (part.reshape(old.shape) for part, old in zip(np.split(flat, ends), like))
        variances = like.variances
        if self.mixture.is_gaussian:
            low = np.log(FLOOR * self.mixture.unit)
            variances = np.exp(np.clip(logs, low, low + 80.0))
        return Experts(V / size[:, None], c, W * root / size[:, None, None], b * root, variances)


def _same(one: Experts, other: Experts) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other))
