"""Certificates by the gradient, for problems whose duality gap says nothing.

Without a penalty a dual point is feasible only at the optimum itself, so that a gap bounds nothing on the way there.
The gradient still measures how far a smooth problem is from being solved. Each entry is divided by the root mean
square of its column and by that of the slopes of the null model, so that the units of X and y do not matter:

    max_j |Σ_i s_i x_ij u_i| / sqrt(Σ_i s_i x_ij²) / sqrt(Σ_i s_i u0_i²)        (at most 1 for the null model)
"""

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.objective import null_score, slopes_at
from separatrix.core.verbs import is_joint, of_coefficient, prox


@dataclass(frozen=True)
class GradientScale:
    """What a gradient is measured against: root mean squares of the columns, and of the null model's slopes."""

    spread: np.ndarray
    level: np.ndarray

    @classmethod
    def of(cls, problem):
        target = problem.target
        s, total = target.weights, target.total
        with np.errstate(over="ignore"):  # columns beyond 1e154 have no square; `relative` then certifies nothing
            squares = problem.design.reduce(lambda B, piece: (B * B).T @ piece, operator.add, s)
        null = np.atleast_1d(null_score(problem))
        slopes = _slopes(problem, np.tile(null, (target.n, 1)))
        level = np.sqrt(s @ slopes**2 / total)
        # a constant y leaves only rounding errors of its own size, which must not become the unit of measurement
        return cls(np.sqrt(squares / total), np.where(level > 1e-12 * np.abs(null), level, np.abs(null)))

    def relative(self, penalty, beta, g, g_intercept):
        """The largest entry of a gradient, in units of its column and of the slopes of the null model: at most about 1.

        A penalty enters by its prox, at the step 1 / (mean square of the column); without one this is the gradient
        itself. `g` and `g_intercept` are derivatives of the loss, of shape (p, k) and (k,).
        """
        if not all(np.isfinite(part).all() for part in (self.spread, g, g_intercept)):
            return np.inf
        worst = 0.0
        for c, level in enumerate(self.level):
            move = _largest_move(penalty, self.spread, beta[:, c].copy(), g[:, c].copy())
            largest = max(abs(g_intercept[c]), move)
            worst = max(worst, largest / level if level > 0.0 else largest)
        return float(worst)


def _slopes(problem, eta):
    """Slopes at eta (n, k), of a joint loss or output by output."""
    y = problem.target.y
    if is_joint(problem.loss):
        return slopes_at(problem.loss, y, eta)
    return slopes_at(problem.loss, y.ravel(), np.ascontiguousarray(eta).ravel()).reshape(eta.shape)


@compiled
def _largest_move(penalty, spread, beta, g):
    largest = 0.0
    for j in range(beta.shape[0]):
        if spread[j] > 0.0:
            step = 1.0 / (spread[j] * spread[j])
            here = of_coefficient(penalty, j)
            largest = max(largest, spread[j] * abs(beta[j] - prox(here, beta[j] - step * g[j], step)))
    return largest


def relative_gradient(problem: Any, solution: Any) -> float:
    """The gradient of a solution, relative to column and null model; for one output or several."""
    target = problem.target
    s, total = target.weights, target.total
    beta = np.asarray(solution.beta, dtype=np.float64).reshape(problem.design.p, -1)
    eta = problem.design.matvec(beta) + np.asarray(solution.intercept)
    slopes = _slopes(problem, eta) * (s[:, None] / total)
    g_intercept = slopes.sum(axis=0) if problem.intercept else np.zeros(slopes.shape[1])
    return GradientScale.of(problem).relative(problem.penalty, beta, problem.design.rmatvec(slopes), g_intercept)
