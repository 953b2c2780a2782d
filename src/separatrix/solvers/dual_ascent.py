"""What the methods of dual coordinate ascent share: rows in groups, coefficients as sums of rows, an intercept."""

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.errors import cannot
from separatrix.core.objective import objective
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.types import Array
from separatrix.solvers.compiled.dual_coordinate import squares_of_rows

SEED = 0
# So many rows that lie side by side are taken in turn, the groups in random order: the next row is then on its way into
# cache. On text a pass takes half as long as in an order that is all random, and as many passes are needed.
GROUP = 8
# The square of the constant column of an intercept, in units of the mean square of a row: on text, with 1 there
# are twice as many passes.
CONSTANT = 0.1


class DualAscent:
    """``beta = -(1/lam) X'pull`` where ``pull`` (n,) are the slopes of the rows, each as large as its weight."""

    def __init__(self, problem: Problem, trace: Trace | None, tol: float, row: Array) -> None:
        """`row` (m,) is the row of each dual variable."""
        self.problem, self.trace, self.tol = problem, trace, tol
        design = problem.design
        self.lam = float(problem.parts.ridge[0])
        self.columns, self.rows = design.walking_rows
        squares = np.empty(design.n)
        squares_of_rows(self.rows, np.zeros(design.p), squares)
        design.refuse_if_not_finite(squares)
        self.row, self.squares = row, squares[row]
        self.stiffness = CONSTANT * float(self.squares.mean()) / self.lam if problem.intercept and len(row) else 0.0
        self.generator = np.random.default_rng(SEED)

    def start(self, pull: Array) -> Array:
        """The coefficients that belong to the pulls of rows, in the order of the walk."""
        if not pull.any():
            return np.zeros(self.problem.design.p)
        c = self.problem.design.rmatvec(pull)
        self.problem.design.refuse_if_not_finite(c)
        return np.ascontiguousarray((-c / self.lam)[self.columns])

    def shuffled(self, variables: Array) -> Array:
        """Some variables in a new order, groups of neighbours together."""
        whole = len(variables) - len(variables) % GROUP
        groups = np.sort(variables)
        moved = self.generator.permutation(groups[:whole].reshape(-1, GROUP))
        return np.concatenate([moved.ravel(), groups[whole:]])

    def in_columns(self, beta: Array) -> Array:
        """Coefficients in the order of the columns."""
        ordered = np.empty_like(beta)
        ordered[self.columns] = beta
        return ordered

    def record(self, solution: Solution) -> None:
        if self.trace is not None:
            value = objective(self.problem, solution.beta, solution.intercept)
            record(self.trace, self.problem, value, solution, self.tol)


def refuse_several_ridges(problem: Problem, doing: str, instead: str) -> None:
    """Raise unless one ridge holds for all coefficients."""
    if np.ptp(problem.parts.ridge) > 0.0:
        raise cannot(doing, because="coefficients have ridges of their own", instead=instead)
