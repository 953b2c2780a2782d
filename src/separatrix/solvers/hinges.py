"""Losses that are linear but for kinks, as sums of hinges: what their solvers share."""

from typing import NamedTuple

import numpy as np

from separatrix.core.dispatch import implemented
from separatrix.core.errors import cannot
from separatrix.core.jit import compiled
from separatrix.core.problem import Problem
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import kinks, slope
from separatrix.solvers.smooth import ridge_of


class Pieces(NamedTuple):
    """The loss of all rows as linear functions and hinges: ``Σ_i base_i eta_i + Σ_k weight_k (eta_row_k - place_k)_+``.

    Weights and slopes are shares of Σs; hinges of no weight are left out.
    """

    base: Array
    row: Array
    place: Array
    weight: Array
    rest: Array  # what each hinge pulls where the slope of its row is 0, or nearest to it

    @classmethod
    def of(cls, problem: Problem) -> "Pieces":
        y, share = problem.target.y, problem.target.weights / problem.target.total
        low, high, slopes = np.empty(len(y)), np.empty(len(y)), np.empty((3, len(y)))
        fill_pieces(problem.loss, y, low, high, slopes)
        row, rise = np.tile(np.arange(len(y)), 2), share * np.diff(slopes, axis=0)
        place, weight = np.append(low, high), rise.ravel()
        base, live = share * slopes[0], weight > 0.0
        rest = np.clip(np.append(-base, -base - rise[0]), 0.0, weight)
        return cls(base, row[live], place[live], weight[live], rest[live])

    def slopes(self, z: Array) -> Array:
        """What each row pulls at its score where its hinges pull z, (n,)."""
        return self.base + np.bincount(self.row, z, len(self.base))

    def dual_point(self, problem: Problem, z: Array) -> Array:
        """The slope of each row (n,), 0 of rows without weight."""
        share = problem.target.weights / problem.target.total
        return np.divide(self.slopes(z), share, out=np.zeros(len(share)), where=share > 0.0)


@compiled
def fill_pieces(loss: Loss, y: Array, low: Array, high: Array, slopes: Array) -> None:
    """The kinks of each row, and its slopes before, between and after them; a single kink is the upper one."""
    for i in range(y.shape[0]):
        low[i], high[i] = kinks(loss, y[i])
        slopes[0, i], slopes[2, i] = slope(loss, y[i], -np.inf), slope(loss, y[i], np.inf)
        slopes[1, i] = slope(loss, y[i], 0.5 * (low[i] + high[i])) if low[i] < high[i] else slopes[0, i]


def refuse_others(problem: Problem, doing: str) -> None:
    """Raise unless the loss says where its kinks are, y is (n,), and every coefficient has a ridge."""
    ridge, because = ridge_of(problem, doing), None
    if not implemented(kinks, problem.loss):
        because = f"{type(problem.loss).__name__} does not say where its kinks are"
    elif problem.target.outputs:
        because = "y has several columns"
    elif not ridge.all():
        because = "a coefficient is not penalised"
    if because:
        raise cannot(doing, because=because, instead="Hinge, EpsilonInsensitive or Quantile, y (n,), and L2")
    problem.design.needs("rows, vectors", doing)
