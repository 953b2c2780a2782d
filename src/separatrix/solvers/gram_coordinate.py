"""A quadratic with a separable penalty on a Gram matrix: coordinate descent finds the support, Newton's step finishes.

Solves   min_b  ½ b'G b - c'b + Σ_j kink_j |b_j| + ½ ridge_j b_j²      s.t.  low_j <= b_j <= high_j
Given    G = X'X and c = X'y of the columns in play, a Separable penalty, a start.
Returns  b with a relative duality gap of at most `tol`, or optimality conditions that hold to a limit.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1), covariance updates. We differ in the
         finish: among coefficients away from kinks and bounds the problem is linear, so one Cholesky solve takes the
         place of the many sweeps that correlated columns need.
Cost     a sweep: (changed columns) x (columns); a finish: (support)² for each column that came or left.
"""

import numpy as np

from separatrix.core.dual_bound import EPS, dual_bound
from separatrix.core.objective import sum_of_costs
from separatrix.penalties import Separable
from separatrix.solvers.compiled.gram_coordinate import shift, sweep
from separatrix.solvers.linalg.support_factor import SupportFactor

# Beyond this support a triangle takes more memory (128 MB) and time than sweeps do.
LARGEST_SUPPORT = 4000
# Parts of a combination of columns, and slopes along it, below this part of the largest are rounding.
SMALLEST_PART = 1e-9
# Of a step that passes edges, these parts are tried, each coefficient stopped at its own edge, before the first edge
# stops all of them.
PARTS_OF_A_STEP = (1.0, 0.25, 0.0625)
# Rounds that lower neither gap nor objective before the rest is taken for rounding.
MOST_IDLE = 5


def violation(beta: np.ndarray, q: np.ndarray, penalty: Separable) -> float:
    """The largest distance of ``q``, minus the gradient of the smooth part, from the slopes of the penalty at beta."""
    b = beta.T
    inward, kink = q.T - penalty.ridge * b, penalty.kink * np.sign(b)
    least = np.where(b <= penalty.low, -np.inf, np.where(b == 0.0, -penalty.kink, kink))
    most = np.where(b >= penalty.high, np.inf, np.where(b == 0.0, penalty.kink, kink))
    return float(np.maximum(least - inward, inward - most).max(initial=0.0))


class GramProblem:
    """G and c of a growing set of columns, with the current coefficients ``beta`` and ``q = c - G beta``."""

    def __init__(self, capacity: int = 128) -> None:
        self.size = 0
        self.G = np.empty((capacity, capacity))
        self.c = np.empty(capacity)
        self.beta = np.zeros(capacity)
        self.q = np.empty(capacity)
        self.sweeps = 0
        self._factor = SupportFactor()

    @classmethod
    def whole(cls, G: np.ndarray, c: np.ndarray) -> "GramProblem":
        """All columns at once."""
        problem = cls(0)
        problem.size, problem.G, problem.c = len(c), np.ascontiguousarray(G), np.array(c)
        problem.beta, problem.q = np.zeros(len(c)), np.array(c)
        return problem

    def grow(self, cross: np.ndarray, c: np.ndarray) -> None:
        """Add columns: `cross` (size + new, new) holds their products with the old columns and with themselves."""
        old, new = self.size, self.size + len(c)
        if new > len(self.c):
            self._reserve(max(new, 2 * len(self.c)))
        self.G[:new, old:new] = cross
        self.G[old:new, :old] = cross[:old].T
        self.c[old:new] = c
        self.beta[old:new] = 0.0
        self.q[old:new] = c - cross[:old].T @ self.beta[:old]
        self.size = new

    def _reserve(self, capacity: int) -> None:
        keep = self.size
        for name in ("c", "beta", "q"):
            longer = np.zeros(capacity)
            longer[:keep] = getattr(self, name)[:keep]
            setattr(self, name, longer)
        G = np.empty((capacity, capacity))
        G[:keep, :keep] = self.G[:keep, :keep]
        self.G = G

    def start(self, beta: np.ndarray) -> None:
        """Go to other coefficients."""
        size = self.size
        self.beta[:size] = beta
        self.q[:size] = self.c[:size] - self.G[:size, :size] @ beta

    def begin(self, beta: np.ndarray, q: np.ndarray) -> None:
        """Go to coefficients where minus the gradient is q, which gives c."""
        self.beta, self.q = beta.copy(), q
        self.c = q + self.G @ beta

    def solve(self, penalty: Separable, null: float, tol: float, max_sweeps: int = 10_000) -> tuple[int, float]:
        """Solve to the relative gap `tol` of these columns; `null` is ½ y'y. Returns the sweeps used and the gap."""
        before = self.sweeps
        best, lowest, idle = np.inf, np.inf, 0
        gap = np.inf
        if self._factor.holds(self._support(penalty), penalty.ridge):
            self._finish(penalty)  # another strength: its solution is likely to have the support of the last
            gap = self.gap(penalty, null)
        while gap > tol and self.sweeps - before < max_sweeps:
            moved = self._settle(penalty)
            gap = self.gap(penalty, null)
            if not moved or gap <= tol:
                break
            self._finish(penalty)
            gap = self.gap(penalty, null)
            if gap <= tol or (gap < 1e-14 and gap > 0.5 * best):  # no more to be had in this precision
                break
            value = self.objective(penalty)
            idle = 0 if gap < best or value < lowest - EPS * null else idle + 1
            if idle == MOST_IDLE:
                break
            best, lowest = min(best, gap), min(lowest, value)
        return self.sweeps - before, gap if gap < np.inf else self.gap(penalty, null)

    def solve_within(self, penalty: Separable, limit: float) -> None:
        """Solve until no column breaks its optimality condition by more than `limit`.

        For quadratics that come without a y, such as the models of a loss that Newton's method makes.
        """
        before, best, lowest, idle = self.sweeps, np.inf, np.inf, 0
        # less is rounding: q is a sum of as many products as there are columns
        limit = max(limit, EPS * np.sqrt(self.size) * float(np.abs(self.c[: self.size]).max(initial=0.0)))
        if self._factor.holds(self._support(penalty), penalty.ridge):
            self._finish(penalty)  # another gradient: the solution is likely to have the support of the last
            if self.violation(penalty) <= limit:
                return
        while self.sweeps - before < 1000 and idle < MOST_IDLE:
            worst = self._sweep_within(penalty, limit)
            if worst > limit:
                while self._finish(penalty) and worst >= best:
                    pass  # sweeps do not get on: to the minimum on the support, edge by edge
                worst = self.violation(penalty)
            if worst <= limit:
                break
            value = self.objective(penalty)
            idle = 0 if worst < best or value + EPS * abs(value) < lowest else idle + 1
            best, lowest = min(best, worst), min(lowest, value)

    def _sweep_within(self, penalty: Separable, limit: float) -> float:
        """Sweep to the limit, or for as long as a factorisation would take; returns the violation left.

        m support columns of a factor cost m³/3 operations, a sweep over them m² numbers: m/64 sweeps (measured) are
        over in the time of a factor.
        """
        most = 2 + len(self._support(penalty)) // 64
        worst = np.inf
        for used in range(8 * most):
            self.sweeps += 1
            crossed, changed = sweep(self.G, penalty, self.size, self.beta, self.q)
            worst = self.violation(penalty)
            if worst <= limit or not changed or (used >= most and crossed == 0):
                break
        return worst

    def violation(self, penalty: Separable) -> float:
        """How far the worst column is from its optimality condition, in units of the gradient."""
        return violation(self.beta[: self.size], self.q[: self.size], penalty)

    def _settle(self, penalty: Separable) -> bool:
        """Sweep until a sweep leaves the support as it was: then a factorisation is worth its cost."""
        changed = 0
        for _ in range(8):
            self.sweeps += 1
            crossed, changed = sweep(self.G, penalty, self.size, self.beta, self.q)
            if crossed == 0:
                break
        return changed > 0

    def gap(self, penalty: Separable, null: float) -> float:
        """Duality gap of the squared error on these columns alone, relative to `null` = ½ y'y."""
        if null == 0.0:
            return 0.0
        beta, c, q = self.beta[: self.size], self.c[: self.size], self.q[: self.size]
        ry = 2.0 * null - float(beta @ c)
        rr = max(ry - float(beta @ q), 0.0)
        held = penalty.bounded_where_free(beta)
        dual = dual_bound(held, q, beta, lambda scales: [0.5 * a * a * rr - a * ry for a in scales])
        return max(0.5 * rr + sum_of_costs(penalty, beta) - dual, 0.0) / null + 16.0 * EPS

    def objective(self, penalty: Separable) -> float:
        """The objective, less the constant ½ y'y."""
        beta = self.beta[: self.size]
        return float(-0.5 * beta @ (self.c[: self.size] + self.q[: self.size])) + sum_of_costs(penalty, beta)

    def _support(self, penalty: Separable) -> np.ndarray:
        """The coefficients at which the penalty is smooth: away from kinks and bounds."""
        beta = self.beta[: self.size]
        smooth = (beta != 0.0) | (penalty.kink == 0.0)
        return np.flatnonzero(smooth & (penalty.low < beta) & (beta < penalty.high))

    def _edges(self, support: np.ndarray, penalty: Separable) -> tuple[np.ndarray, np.ndarray]:
        """The interval around each of these coefficients on which its penalty is smooth."""
        beta, here = self.beta[support], penalty.take(support)
        low = np.where((here.kink > 0.0) & (beta > 0.0), np.maximum(here.low, 0.0), here.low)
        return low, np.where((here.kink > 0.0) & (beta < 0.0), np.minimum(here.high, 0.0), here.high)

    def _finish(self, penalty: Separable) -> bool:
        """Newton's step on the support; coefficients that would pass a kink or a bound stop there: True if any do."""
        if not self._factorise(penalty):
            return False
        support = self._factor.order
        beta = self.beta[support]
        low, high = self._edges(support, penalty)
        slope = penalty.ridge[support] * beta + penalty.kink[support] * np.sign(beta)
        step = self._factor.solve(self.q[support] - slope)
        wanted = beta + step
        passes = (wanted <= low) | (wanted >= high)
        if not passes.any():
            self._move(support, wanted)
            return False
        before, saved = self.objective(penalty), self.q[: self.size].copy()
        for part in PARTS_OF_A_STEP:
            self._move(support, np.clip(beta + part * step, low, high))
            if self.objective(penalty) <= before:
                return True
            self.beta[support], self.q[: self.size] = beta, saved
        self._go(support, step, low, high)  # as far as the first edge the objective falls for certain
        return True

    def _go(self, support: np.ndarray, step: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        """Move by a part of the step: to the first edge that a coefficient comes to."""
        beta, edge = self.beta[support], np.where(step > 0.0, high, low)
        parts = np.divide(edge - beta, step, out=np.full(len(step), np.inf), where=step != 0.0)
        first = parts.min()
        self._move(support, np.where(parts == first, edge, beta + first * step))

    def _factorise(self, penalty: Separable) -> bool:
        """Factorise the support, less what the others make superfluous; False where it is empty or too large.

        Each slide along a dependent column brings a coefficient to an edge, so that there are at most as many as
        columns. Of several classes each column may have one: they slide together, and the factor is made once.
        """
        for _ in range(self.size):
            support = self._support(penalty)
            if not 0 < len(support) <= LARGEST_SUPPORT:
                return False
            if not self._factor.holds(support, penalty.ridge):
                self._factor.update(self.G, support, penalty.ridge)
            slides = [self._slide(int(j), penalty) for j in self._factor.dependent]
            if not any(slides):
                break
        return True

    def _slide(self, j: int, penalty: Separable) -> bool:
        r"""Move along :math:`x_j - \sum_i a_i x_i = 0`, which changes no prediction, as long as the penalty falls.

        Sweeps go such a way in steps of the size of rounding. Returns whether a coefficient has come to an edge. Where
        one that takes part has come there already, by another slide, the way is left for the next factor.
        """
        order = self._factor.order
        way = np.append(order, j)
        step = np.append(-self._factor.solve(self.G[order, j]), 1.0)
        parts = np.abs(step) > SMALLEST_PART * np.abs(step).max()
        way, step = way[parts], step[parts]
        if not np.isin(way, self._support(penalty)).all():
            return False
        kink = penalty.kink[way]
        # the rest of the gradient is rounding, as x_j - sum a x is
        slope = float(kink * np.sign(self.beta[way]) @ step)
        if abs(slope) <= SMALLEST_PART * float(kink @ np.abs(step)):
            return False
        step = -np.sign(slope) * step
        low, high = self._edges(way, penalty)
        if not np.isfinite(np.where(step > 0.0, high, low)[step != 0.0]).any():
            return False
        self._go(way, step, low, high)
        return True

    def _move(self, support: np.ndarray, wanted: np.ndarray) -> None:
        """Set some coefficients."""
        shift(self.G, self.size, support, wanted - self.beta[support], self.q)
        self.beta[support] = wanted
