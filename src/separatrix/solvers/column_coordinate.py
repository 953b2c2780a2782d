"""A quadratic model of a loss with a separable penalty, on columns that store few numbers: no Gram matrix is made.

Solves   min_b,b0  ½ Σ_i e_i'H_i e_i - c'b + Σ_j penalty_j(b_j),    e_i = (b - start)'z_i + b0
Given    columns Z in play, the curvature H of every row (n, k, k), c, a Separable penalty, a start.
Returns  b whose optimality conditions hold to a limit, score by score.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1), naive updates; Yuan, Ho and Lin (2012),
         J. Mach. Learn. Res. 13, for logistic losses on text.
Cost     a sweep: k (k + 1) for each stored number. A Gram matrix holds (k set)² numbers, whatever the columns store.
"""

import numpy as np

from separatrix.designs.working import WorkingColumns
from separatrix.penalties import Separable
from separatrix.solvers.compiled.column_coordinate import bends, sweep
from separatrix.solvers.gram_coordinate import violation

# Sweeps after which a rough solution of the model serves: the next model starts from it.
MOST_SWEEPS = 100
# A model that has to be solved to less than this part of what is wrong at its start is one of the last.
DIGITS = 0.01


class ColumnModel:
    """The model at the curvature H; `inverse` is that of ``Σ_i H_i``, for the intercepts, None without any."""

    def __init__(self, columns: WorkingColumns, H: np.ndarray, inverse: np.ndarray | None) -> None:
        self.columns, self.H, self.inverse = columns, H, inverse
        self.stored = columns.stored()
        self.size, self.slow = columns.size * H.shape[1], False
        self.bend = np.empty(self.size)
        bends(*self.stored, H, self.bend)

    def begin(self, beta: np.ndarray, q: np.ndarray) -> None:
        """Go to coefficients where minus the gradient is q, both score by score."""
        self.beta, self.c = beta.copy(), q
        self.moved = np.zeros(self.H.shape[:2])

    def violation(self, penalty: Separable) -> float:
        """How far the worst column is from its optimality condition, in units of the gradient."""
        return violation(self.beta, self.c - self.columns.correlate(self.moved).T.ravel(), penalty)

    def solve_within(self, penalty: Separable, limit: float) -> None:
        """Sweep until no column, in its turn, breaks its optimality condition by more than `limit`.

        Afterwards ``slow`` says whether digits were asked for, rather than the way, and sweeps did not bring them.
        """
        first = broken = np.inf
        for _ in range(MOST_SWEEPS):
            broken = sweep(*self.stored, self.H, self.bend, penalty, self.c, self.beta, self.moved)
            if self.inverse is not None:
                self.moved -= self.H @ (self.inverse @ self.moved.sum(axis=0))
            first = broken if first == np.inf else first
            if broken <= limit:
                break
        self.slow = broken > limit and limit < DIGITS * first
