"""A quadratic model of a loss with a separable penalty, on the columns themselves: no Gram matrix is made.

Solves   min_b,b0  ½ Σ_i e_i'H_i e_i - c'b + Σ_j penalty_j(b_j),    e_i = (b - start)'z_i + b0
Given    columns Z in play, the curvature H of every row (k, k, n), c, a Separable penalty, a start.
Returns  b whose optimality conditions hold to a limit, score by score.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1), naive updates; Yuan, Ho and Lin (2012),
         J. Mach. Learn. Res. 13, for logistic losses on text.
Cost     a sweep: k (k + 1) for each stored number. A Gram matrix costs as much as many sweeps where columns in play are
         about as many as the numbers in one, and holds (k set)² numbers, whatever the columns store.
"""

import numpy as np

from separatrix.designs.working import WorkingColumns
from separatrix.penalties import Separable
from separatrix.solvers.compiled.column_coordinate import bends, sweep
from separatrix.solvers.gram_coordinate import violation

# Sweeps after which a rough solution of the model serves: the next model starts from it.
MOST_SWEEPS = 100


class ColumnModel:
    """The model at the curvature H; `inverse` is that of ``Σ_i H_i``, for the intercepts, None without any.

    ``swept`` counts the sweeps over these columns: those of this model, and the `swept` of the models before it.
    """

    def __init__(self, columns: WorkingColumns, H: np.ndarray, inverse: np.ndarray | None, swept: int = 0) -> None:
        self.columns, self.H, self.inverse, self.swept = columns, H, inverse, swept
        self.stored = columns.one_by_one()
        self.size = columns.size * len(H)
        self.bend = np.empty(self.size)
        bends(self.stored, H, columns.size, self.bend)

    def begin(self, beta: np.ndarray, q: np.ndarray) -> None:
        """Go to coefficients where minus the gradient is q, both score by score."""
        self.beta, self.c = beta.copy(), q
        self.moved = np.zeros(self.H.shape[1:])

    def violation(self, penalty: Separable) -> float:
        """How far the worst column is from its optimality condition, in units of the gradient."""
        return violation(self.beta, self.c - self.columns.correlate(self.moved.T).T.ravel(), penalty)

    def solve_within(self, penalty: Separable, limit: float) -> None:
        """Sweep until no column breaks its optimality condition by more than `limit`.

        Sweeps over all columns find out which have coefficients, and sweeps over those find the coefficients. What a
        column breaks in its turn is less than what it breaks in the end, after the others and the intercept.
        """
        everywhere, most, in_turn = np.arange(self.columns.size), self.swept + MOST_SWEEPS, limit
        while self.swept < most:
            if self._sweep(everywhere, penalty) <= in_turn:
                if self.violation(penalty) <= limit:
                    break
                in_turn *= 0.3
            live = np.flatnonzero(self.beta.reshape(-1, self.columns.size).any(axis=0))
            while self.swept < most and self._sweep(live, penalty) > in_turn:
                pass

    def _sweep(self, order: np.ndarray, penalty: Separable) -> float:
        self.swept += 1
        broken = sweep(self.stored, order, self.H, self.bend, penalty, self.c, self.beta, self.moved)
        if self.inverse is not None:
            self.moved -= np.einsum("cdi,d->ci", self.H, self.inverse @ self.moved.sum(axis=1))
        return broken
