r"""The end of a support vector machine's fit: Newton's method on the coefficients inside their boxes.

Solves   K_FF d + t = p_F - f_F,  Σ_g d = what the clipped ones moved,   F the free variables,
and moves variables between F and their bounds until all conditions hold: a primal-dual active-set method, which is a
semismooth Newton method (Hintermüller, Ito and Kunisch 2003, SIAM J. Optim. 13). Started near the optimum it takes a
few steps, each a Cholesky factor of K_FF. It may cycle; where few variables are free an active-set method follows then
(Nocedal and Wright 2006, section 16.5), which cannot.
Where that is singular (duplicated rows, a linear kernel) a faint ridge keeps the step bounded,
and the next step takes off what it left: iterations of the proximal-point method, exact at their end.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.core.dual_problem import EPS, DualProblem
from separatrix.core.types import Array

MOST_FREE = 2500
STEPS = 30
FEW_FREE, STEPS_EACH = 300, 4  # where one variable is moved at a time, each with a factor of its own
RIDGE = 1e-11  # of the mean diagonal
NEAR = 10.0  # variables within so many violations of their condition may change sides
SETTLED = 1e-13  # relative to the scores
# A coefficient nearer to its bound than this share of the largest is on it.
ON_BOUND = 1e-11


def is_affordable(problem: DualProblem, b: Array) -> bool:
    """Whether so few variables are free that a factor of their matrix is cheap."""
    return bool(((b > problem.low) & (b < problem.high)).sum() <= MOST_FREE)


def finish(problem: DualProblem, b: Array, variables: Array, need: Array, violation: float) -> Array | None:
    """Coefficients (m,) whose conditions hold to rounding; None where they were not reached, or would cost too much.

    `need` is p - K b of the `variables` that may move, to within `violation`; it is computed again where it counts.
    """
    some = _near(problem, b, variables, need, violation)
    if not len(some):
        return None
    rows = problem.row[some]  # one after the other as the variables are: a row may have two
    K = problem.gram.block(rows, rows)
    beside = b.copy()
    beside[some] = 0.0
    coefficients = problem.row_coefficients(beside)
    others = np.flatnonzero(coefficients)
    f = K @ b[some] + problem.gram.block(rows, others) @ coefficients[others]
    restricted = _Restricted(problem, some, K, b, problem.linear[some] - f)
    if not restricted.run():
        return None
    better = b.copy()
    better[some] = restricted.b
    return better


def _near(problem: DualProblem, b: Array, variables: Array, need: Array, violation: float) -> Array:
    """The variables inside their boxes, and those that may come to be; none where they are too many."""
    b, group = b[variables], problem.group[variables]
    inside = (b > problem.low[variables]) & (b < problem.high[variables])
    if inside.sum() > MOST_FREE:
        return np.empty(0, dtype=np.int64)
    near = inside.copy()
    for g in range(len(problem.totals)):
        free = inside & (group == g)
        if free.any():
            near |= (group == g) & (np.abs(need - np.median(need[free])) <= NEAR * violation)
    return variables[inside if near.sum() > MOST_FREE else near]


class _Restricted:
    """The problem in some of the variables, the others held where they are."""

    def __init__(self, problem: DualProblem, some: Array, K: Array, b: Array, need: Array) -> None:
        self.K, self.b, self.need = K, b[some], need
        self.low, self.high = problem.low[some], problem.high[some]
        self.indicator = (problem.group[some][:, None] == np.arange(len(problem.totals))).astype(np.float64)
        sums = np.bincount(problem.group, weights=b, minlength=len(problem.totals))
        self.missing = problem.totals - sums  # what the sums of the groups still need
        self.size = float(np.abs(problem.linear).max()) + float(np.abs(problem.linear[some] - need).max())
        self.offsets = np.zeros(len(problem.totals))
        # scores are sums over all rows, and no more exact than these
        self.entry_error, self.others = problem.gram.entry_error, float(np.linalg.norm(b))
        self.stiff = float(np.mean(np.diag(K)))
        self.ridge = RIDGE * self.stiff

    def run(self) -> bool:
        """Whether all conditions hold in the end, to rounding."""
        start = self.b.copy()
        solved = self._exchange()
        if not solved:
            self._move_to(start)
            solved = bool(((start > self.low) & (start < self.high)).sum() <= FEW_FREE) and self._descend()
        if solved:
            self._balance()
        return solved

    def _balance(self) -> None:
        """Give what rounding left of the sum of a group to its variable that is farthest from its bounds."""
        room = np.minimum(self.high - self.b, self.b - self.low)
        for g in range(self.indicator.shape[1]):
            farthest = int(np.argmax(np.where(self.indicator[:, g] > 0.0, room, -1.0)))
            if room[farthest] > abs(self.missing[g]):
                self.b[farthest] += self.missing[g]

    def _exchange(self) -> bool:
        """Move all variables at once that are on the wrong side of their bound; it may cycle."""
        free = (self.b > self.low) & (self.b < self.high)
        for _ in range(STEPS):
            step = self._newton(free, self.ridge)
            if step is None:
                return False
            self._move_to(self.b + step)
            scale = ON_BOUND * float(np.abs(self.b).max())
            below, above = free & (self.b <= self.low + scale), free & (self.b >= self.high - scale)
            out = self._violators(free)
            if not (below | above | out).any() and self._is_level(free):
                return True
            self._move_to(np.where(below, self.low, np.where(above, self.high, self.b)))
            free = (free & ~below & ~above) | out
        return False

    def _descend(self) -> bool:
        """Move one variable at a time between the sides, so that the objective falls with every step.

        Steps end at the first bound; where none is met, the worst violator is freed.
        """
        free = (self.b > self.low) & (self.b < self.high)
        widths = (self.high - self.low)[np.isfinite(self.high - self.low)]
        reach = float(widths.max(initial=10.0 * np.abs(self.b).max()))
        for _ in range(100 + STEPS_EACH * len(free)):
            # along directions that K does not see a step is about as long as the box
            slack = self.need - self.indicator @ self.offsets
            step = self._newton(free, max(self.ridge, float(np.abs(slack[free]).max(initial=0.0)) / reach))
            if step is None:
                return False
            room = np.full(len(step), np.inf)
            up, down = step > 0.0, step < 0.0
            room[up], room[down] = (self.high - self.b)[up] / step[up], (self.low - self.b)[down] / step[down]
            first = float(room.min(initial=np.inf))
            target = self.b + min(first, 1.0) * step
            if first <= 1.0:
                met = room <= first
                target[met] = np.where(up, self.high, self.low)[met]
                free &= ~met
            self._move_to(np.clip(target, self.low, self.high))
            if first > 1.0 and self._is_level(free):
                out = self._violators(free)
                if not out.any():
                    return True
                excess = np.abs(self.need - self.indicator @ self.offsets)
                free[int(np.argmax(np.where(out, excess, -1.0)))] = True
        return False

    def _rounding(self) -> float:
        sums = EPS * self.entry_error * (self.others + float(np.linalg.norm(self.b)))
        return SETTLED * (self.size + float(np.abs(self.offsets).max())) + sums

    def _is_level(self, free: Array) -> bool:
        """Whether the conditions of the free variables hold."""
        excess = self.need - self.indicator @ self.offsets
        return float(np.abs(excess[free]).max(initial=0.0)) <= 10.0 * self._rounding()

    def _violators(self, free: Array) -> Array:
        """Variables at a bound that would move off it."""
        excess, sure = self.need - self.indicator @ self.offsets, 100.0 * self._rounding()
        at_low, at_high = ~free & (self.b == self.low), ~free & (self.b == self.high)
        return (at_low & (excess > sure)) | (at_high & (excess < -sure))

    def _newton(self, free: Array, ridge: float) -> Array | None:
        """The step of the free variables to where their conditions hold; sets the offsets of the groups."""
        F = np.flatnonzero(free)
        if not len(F) or not np.all(np.isfinite(self.b)):
            return None
        E = self.indicator[F]
        present = E.any(axis=0)
        A = self.K[np.ix_(F, F)]
        # sums of groups are held anyway: a stiff spring on them changes no answer, and makes up for a singular A
        for g in np.flatnonzero(present):
            A += self.stiff * np.outer(E[:, g], E[:, g])
        A[np.diag_indices(len(F))] += ridge
        try:
            factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        pulled = self.need[F] + self.stiff * (E @ self.missing)
        solved = cho_solve(factor, np.column_stack([pulled, E[:, present]]), check_finite=False)
        u, V = solved[:, 0], solved[:, 1:]
        self.offsets[present] = np.linalg.solve(E[:, present].T @ V, E[:, present].T @ u - self.missing[present])
        step = np.zeros(len(self.b))
        step[F] = u - V @ self.offsets[present]
        return step

    def _move_to(self, target: Array) -> None:
        change = target - self.b
        moved = np.flatnonzero(change)
        if len(moved):
            self.b = target
            # a product with all columns is faster than a copy of many
            few = len(moved) < len(change) // 8
            self.need -= self.K[:, moved] @ change[moved] if few else self.K @ change
            self.missing -= self.indicator[moved].T @ change[moved]
