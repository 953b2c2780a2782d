r"""The end of a support vector machine's fit: Newton's method on the coefficients inside their boxes.

Solves   K_FF d + t = p_F - f_F,  Σ_g d = what the clipped ones moved,   F the free variables,
and moves variables between F and their bounds until all conditions hold: a primal-dual active-set method, which is a
semismooth Newton method (Hintermüller, Ito and Kunisch 2003, SIAM J. Optim. 13). Started near the optimum it takes a
few steps, with one Cholesky factor for all (:mod:`separatrix.solvers.bordered_factor`). It may cycle; where few
variables are free an active-set method follows then (Nocedal and Wright 2006, section 16.5), which cannot.
Where K_FF is singular (duplicated rows, a linear kernel) a faint ridge keeps the step bounded, and the next step takes
off what it left: iterations of the proximal-point method, exact at their end. Of many free variables matrix and factor
are in single precision, and steps are repeated with scores in double precision, as in iterative refinement.
"""

import numpy as np

from separatrix.core.dual_problem import EPS, DualProblem
from separatrix.core.types import Array
from separatrix.solvers.bordered_factor import BorderedFactor

MOST_FREE = 8000
MOST_DOUBLE = 2500  # of more the matrix and its factor are in single precision, and steps are repeated
STRIP = 256
STEPS = 30
FEW_FREE, STEPS_EACH = 300, 4  # where one variable is moved at a time, each with a factor of its own
RIDGE = 5e4  # roundings of the mean diagonal
NEAR = 10.0  # variables within so many violations of their condition may change sides
SETTLED = 1e-13  # relative to the scores
# A coefficient nearer to its bound than this share of the largest is on it.
ON_BOUND = 1e-11


def is_affordable(problem: DualProblem, b: Array) -> bool:
    """Whether so few variables are free that a factor of their matrix is cheap."""
    return bool(((b > problem.low) & (b < problem.high)).sum() <= MOST_FREE)


class DualNewton:
    """Newton's method on a dual problem; the last matrix and its factor serve again for the same variables."""

    def __init__(self, problem: DualProblem) -> None:
        self.problem = problem
        self.some = np.empty(0, dtype=np.int64)
        self.K = np.empty((0, 0))

    @property
    def is_single(self) -> bool:
        """Whether its matrix is in single precision."""
        return bool(self.K.dtype == np.float32)

    def finish(self, b: Array, variables: Array, need: Array, violation: float, exact: bool) -> Array | None:
        """Coefficients (m,) whose conditions hold to rounding; None where they were not reached, or cost too much.

        `need` is p - K b of the `variables` that may move, to within `violation`. Where it is not exact, it is computed
        again.
        """
        problem, some = self.problem, _near(self.problem, b, variables, need, violation)
        if not len(some):
            return None
        rows = self._hold(some, int(((b > problem.low) & (b < problem.high)).sum()))
        if exact:
            need = need[np.searchsorted(variables, self.some)]
        else:
            need = problem.linear[self.some] - self._scores(rows, b)
        restricted = _Restricted(problem, self.some, self.K, self.factor, b, need)
        if not restricted.run():
            return None
        better = b.copy()
        better[self.some] = restricted.b
        return better

    def _hold(self, some: Array, free: int) -> Array:
        """The rows of K that `some` variables belong to, one after the other: a row may have two.

        Where all of them were looked at the last time, these variables are kept, with the factor of their matrix.
        """
        if not np.isin(some, self.some, assume_unique=True).all():
            rows, dtype = self.problem.row[some], np.float64 if free <= MOST_DOUBLE else np.float32
            self.some, self.K = some, self.problem.gram.block(rows, rows, dtype)
            K, alike, stiff = self.K, self.problem.group[some], float(np.mean(np.diag(self.K)))
            groups = np.arange(len(self.problem.totals))

            def entries(F: Array, G: Array) -> Array:
                # sums of groups are held anyway: a stiff spring on them changes no answer, and mends a singular A
                A = np.empty((len(F), len(G)), dtype=K.dtype)
                springs = (stiff * (groups[:, None] == alike[G])).astype(K.dtype)
                for start in range(0, len(F), STRIP):  # a copy of all rows at once would hold up an interrupt
                    part = F[start : start + STRIP]
                    np.add(K[np.ix_(part, G)], springs[alike[part]], out=A[start : start + STRIP])
                return A

            self.factor = BorderedFactor(entries, len(some))
        return self.problem.row[self.some]

    def _scores(self, rows: Array, b: Array) -> Array:
        """``K b`` of some rows in double precision, a strip after the other."""
        problem, coefficients = self.problem, self.problem.row_coefficients(b)
        if not self.is_single:
            beside = b.copy()
            beside[self.some] = 0.0
            coefficients = problem.row_coefficients(beside)
        others, f = np.flatnonzero(coefficients), np.empty(len(rows))
        for start in range(0, len(rows), STRIP):
            part = rows[start : start + STRIP]
            f[start : start + STRIP] = problem.gram.block(part, others) @ coefficients[others]
        return f if self.is_single else f + self.K @ b[self.some]


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

    def __init__(
        self, problem: DualProblem, some: Array, K: Array, factor: BorderedFactor, b: Array, need: Array
    ) -> None:
        self.K, self.factor, self.b, self.need = K, factor, b[some], need
        self.low, self.high = problem.low[some], problem.high[some]
        self.indicator = (problem.group[some][:, None] == np.arange(len(problem.totals))).astype(np.float64)
        sums = np.bincount(problem.group, weights=b, minlength=len(problem.totals))
        self.missing = problem.totals - sums  # what the sums of the groups still need
        self.size = float(np.abs(problem.linear).max()) + float(np.abs(problem.linear[some] - need).max())
        self.offsets = np.zeros(len(problem.totals))
        # scores are sums over all rows, and no more exact than these
        self.entry_error, self.others = problem.gram.entry_error, float(np.linalg.norm(b))
        self.stiff = float(np.mean(np.diag(K)))
        precision = float(np.finfo(K.dtype).eps)
        self.ridge = RIDGE * precision * self.stiff
        self.changes = 0.0 if K.dtype == np.float64 else precision * self.entry_error
        self.start = self.b

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
        sums += self.changes * float(np.linalg.norm(self.b - self.start))
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
        # of what is left, not of need itself: a factor in single precision would lose the difference
        pulled = (self.need - self.indicator @ self.offsets)[F] + self.stiff * (E @ self.missing)
        solved = self.factor.solve(F, np.column_stack([pulled, E[:, present]]), ridge)
        if solved is None:
            return None
        u, V = solved[:, 0], solved[:, 1:]
        change = np.linalg.solve(E[:, present].T @ V, E[:, present].T @ u - self.missing[present])
        self.offsets[present] += change
        step = np.zeros(len(self.b))
        step[F] = u - V @ change
        return step

    def _move_to(self, target: Array) -> None:
        change = target - self.b
        moved = np.flatnonzero(change)
        if len(moved):
            self.b = target
            # a product with all columns is faster than a copy of many
            few = len(moved) < len(change) // 8
            by = change.astype(self.K.dtype)
            self.need -= self.K[:, moved] @ by[moved] if few else self.K @ by
            self.missing -= self.indicator[moved].T @ change[moved]
