"""Certificates by the gradient, for problems whose duality gap says nothing.

Without a penalty a dual point is feasible only at the optimum itself, so that a gap bounds nothing on the way there.
The gradient still measures how far a smooth problem is from being solved. Each entry is divided by the root mean
square of its column and by that of the slopes of the null model, so that the units of X and y do not matter:

    max_j |Σ_i s_i x_ij u_i| / sqrt(Σ_i s_i x_ij²) / sqrt(Σ_i s_i u0_i²)        (at most 1 for the null model)
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.objective import curvatures_at, null_score, slopes_at
from separatrix.core.problem import Problem
from separatrix.core.scores import Scores
from separatrix.core.solution import Solution
from separatrix.core.target import weights_of
from separatrix.core.types import Array, Penalty
from separatrix.core.verbs import is_of_residual, largest_curvature, of_coefficient, prox


@dataclass(frozen=True)
class GradientScale:
    """What a gradient is measured against: root mean squares of the columns, and of the null model's slopes."""

    spread: np.ndarray
    level: np.ndarray

    @classmethod
    def of(cls, problem: Problem, sizes: Array | None = None) -> "GradientScale":
        """The scale of a problem; `sizes` are the root mean squares of its columns, if they are known."""
        target, null = problem.target, null_score(problem)
        if sizes is None:
            with np.errstate(over="ignore"):  # columns beyond 1e154 have no square; `relative` then certifies nothing
                sizes = np.sqrt(problem.design.column_squares(target) / target.total)
        level = bend = 0.0
        for y, s in target.passes():
            eta = np.empty(y.shape)
            eta[...] = null
            level = level + weights_of(y, s) @ slopes_at(problem.loss, y, eta) ** 2
            bend = bend + weights_of(y, s) @ curvatures_at(problem.loss, y, eta)
        level, bend = np.sqrt(np.atleast_1d(level) / target.total), np.abs(np.atleast_1d(bend)) / target.total
        # a constant y leaves only the rounding of slopes, a share of these, which must not become the unit: a score of
        # residuals has the unit of y; others are logarithms, whose errors are absolute
        score = np.abs(np.atleast_1d(null))
        rounded = bend * (score if is_of_residual(problem.loss) else np.maximum(score, 1.0))
        return cls(sizes, np.where(level > 1e-12 * rounded, level, rounded))

    def relative(self, penalty: Penalty, beta: np.ndarray, g: np.ndarray, g_intercept: np.ndarray) -> float:
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


@compiled
def _largest_move(penalty: Penalty, spread: Array, beta: Array, g: Array) -> float:
    largest = 0.0
    for j in range(beta.shape[0]):
        if spread[j] > 0.0:
            step = 1.0 / (spread[j] * spread[j])
            here = of_coefficient(penalty, j)
            largest = max(largest, spread[j] * abs(beta[j] - prox(here, beta[j] - step * g[j], step)))
    return largest


@dataclass(frozen=True)
class Rounding:
    r"""What rounding coefficients to the precision in which they are given may leave of a problem that is solved.

    Scores move by :math:`\tfrac\epsilon2 (\sum_j |\beta_j| \sigma_j + |b|)` at most, in root mean square, and slopes by
    the largest curvature times that. Where the curvature has no bound, nothing is explained.
    """

    problem: Problem
    scale: GradientScale
    own: np.ndarray  # (p, k), root mean squares of what the rounding of each coefficient does to the scores
    slopes: float  # root mean square of what it does to the slopes

    @classmethod
    def of(cls, problem: Problem, solution: Solution) -> "Rounding":
        """That of a solution in single precision, or of any in the precision of its ``beta``."""
        curvature = largest_curvature(problem.loss)
        half = 0.5 * float(np.finfo(np.asarray(solution.beta).dtype).eps) if np.isfinite(curvature) else 0.0
        beta = np.abs(np.asarray(solution.beta, dtype=np.float64)).reshape(problem.design.p, -1)
        intercept = np.abs(np.atleast_1d(np.asarray(solution.intercept, dtype=np.float64)))
        scale = GradientScale.of(problem)
        own = half * scale.spread[:, None] * beta
        moved = float(np.linalg.norm(own.sum(axis=0) + half * intercept))
        return cls(problem, scale, own, curvature * moved if half else 0.0)

    def relative_gradient(self) -> float:
        """The relative gradient; a coefficient under its prox moves by twice its own rounding."""
        each = self.slopes + 2.0 * self.own.max(axis=0, initial=0.0)
        return float((each / np.where(self.scale.level > 0.0, self.scale.level, 1.0)).max())

    def gap(self, ridge: np.ndarray) -> float:
        r"""Fenchel's bound under ridges alone, of the gradient g that is left: :math:`\sum_j g_j^2 / 2 \lambda_j`."""
        spread = self.scale.spread[:, None]
        own = np.divide(self.own, spread, out=np.zeros_like(self.own), where=spread > 0.0)
        g = spread * self.slopes + ridge[:, None] * own
        return float((g * g / (2.0 * ridge[:, None])).sum(axis=0).max())


def relative_gradient(problem: Problem, solution: Solution) -> float:
    """The gradient of a solution, relative to column and null model; for one output or several."""
    target, loss, p = problem.target, problem.loss, problem.design.p
    beta = np.asarray(solution.beta, dtype=np.float64).reshape(p, *target.outputs)
    scores = Scores(problem.design, target, beta, np.asarray(solution.intercept))
    scores.change(lambda rows: rows._replace(u=slopes_at(loss, rows.y, rows.eta)))
    sums, products, squares = scores.sums_and_products(lambda rows: np.atleast_1d(rows.weighted_slopes.sum(axis=0)))
    g = products.reshape(p, -1) / target.total
    g_intercept = sums / target.total if problem.intercept else np.zeros(g.shape[1])
    scale = GradientScale.of(problem, np.sqrt(squares / target.total))
    return scale.relative(problem.penalty, beta.reshape(p, -1), g, g_intercept)
