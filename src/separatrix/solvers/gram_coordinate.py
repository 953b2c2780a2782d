"""The lasso and elastic net on a Gram matrix: coordinate descent finds the support, Newton's method finishes on it.

Solves   min_b  ½ b'G b - c'b + l1 |b|_1 + ½ l2 |b|²      (b >= 0 if positive)
Given    G = X'X and c = X'y of the columns in play, a start.
Returns  b with a relative duality gap of at most `tol`.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1), covariance updates. We differ in the
         finish: on a fixed support with fixed signs the problem is linear, so one Cholesky solve takes the place of
         the many sweeps that correlated columns need.
Cost     a sweep: (changed columns) x (columns); a finish: (support)² for each column that came or left.
"""

import numpy as np

from separatrix.solvers.compiled.gram_coordinate import shift, sweep
from separatrix.solvers.linalg.support_factor import SupportFactor

EPS = np.finfo(np.float64).eps
# Beyond this support a triangle takes more memory (128 MB) and time than sweeps do.
LARGEST_SUPPORT = 4000


def relative_gap(rr, ry, null, beta, v, penalty):
    """``(P(beta) - D(theta)) / P(0)`` for the residual scaled into the dual's domain.

    The elastic net is a lasso on rows augmented with ``sqrt(l2) I``: `v` are the correlations with the augmented
    residual, ``X'r - l2 beta``. `rr`, `ry` and `null` are ``r'Sr``, ``r'Sy`` and ``y'Sy`` over Σs.
    """
    ridge = penalty.l2 * float(beta @ beta)
    primal = 0.5 * rr + penalty.l1 * float(np.abs(beta).sum()) + 0.5 * ridge
    reach = float((v if penalty.positive else np.abs(v)).max(initial=0.0))
    size = rr + ridge
    scale = ry / size if size > 0.0 else 0.0
    if reach * abs(scale) > penalty.l1:
        scale = np.sign(scale) * penalty.l1 / reach
    dual = scale * ry - 0.5 * scale * scale * size
    if null == 0.0:
        return 0.0
    return max(primal - dual, 0.0) / (0.5 * null) + 16.0 * EPS


def violation(beta, q, penalty):
    """The largest distance of ``q``, minus the gradient of the smooth part, from the slopes of the penalty at beta."""
    inward = q - penalty.l2 * beta
    reach = inward if penalty.positive else np.abs(inward)
    broken = np.where(beta == 0.0, np.maximum(reach - penalty.l1, 0.0), np.abs(inward - penalty.l1 * np.sign(beta)))
    return float(broken.max(initial=0.0))


class GramProblem:
    """G and c of a growing set of columns, with the current coefficients ``beta`` and ``q = c - G beta``."""

    def __init__(self, capacity=128):
        self.size = 0
        self.G = np.empty((capacity, capacity))
        self.c = np.empty(capacity)
        self.beta = np.zeros(capacity)
        self.q = np.empty(capacity)
        self.sweeps = 0
        self._factor = SupportFactor()

    @classmethod
    def whole(cls, G, c):
        """All columns at once."""
        problem = cls(0)
        problem.size, problem.G, problem.c = len(c), np.ascontiguousarray(G), np.array(c)
        problem.beta, problem.q = np.zeros(len(c)), np.array(c)
        return problem

    def grow(self, cross, c):
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

    def _reserve(self, capacity):
        keep = self.size
        for name in ("c", "beta", "q"):
            longer = np.zeros(capacity)
            longer[:keep] = getattr(self, name)[:keep]
            setattr(self, name, longer)
        G = np.empty((capacity, capacity))
        G[:keep, :keep] = self.G[:keep, :keep]
        self.G = G

    def solve(self, penalty, null, tol, max_sweeps=10_000):
        """Solve to the relative gap `tol` of these columns; `null` is y'y. Returns the sweeps used."""
        before = self.sweeps
        best = np.inf
        if self._factor.holds(np.flatnonzero(self.beta[: self.size]), penalty.l2):
            self._finish(penalty)  # a new strength: the last factor foretells where its solution lies
        while self.sweeps - before < max_sweeps:
            if not self._settle(penalty) or self.gap(penalty, null) <= tol:
                break
            self._finish(penalty)
            gap = self.gap(penalty, null)
            if gap <= tol or (gap < 1e-14 and gap > 0.5 * best):  # no more to be had in this precision
                break
            best = min(best, gap)
        return self.sweeps - before

    def solve_within(self, penalty, limit, max_sweeps=1000):
        """Solve until no column breaks its optimality condition by more than `limit`; returns the sweeps used.

        For quadratics that come without a y, such as the models of a loss that Newton's method makes.
        """
        before, best = self.sweeps, np.inf
        while self.sweeps - before < max_sweeps:
            found = self._sweep_within(penalty, limit)
            if found > limit:
                self._finish(penalty)
                found = self.violation(penalty)
            if found <= limit or found >= best:
                break
            best = found
        return self.sweeps - before

    def _sweep_within(self, penalty, limit):
        """Sweep to the limit, or for as long as a factorisation would take; returns the violation left.

        m support columns of a factor cost m³/3 operations, a sweep over them m² numbers: m/64 sweeps (measured) are
        over in the time of a factor.
        """
        most = 2 + int(np.count_nonzero(self.beta[: self.size])) // 64
        for used in range(8 * most):
            self.sweeps += 1
            crossed, changed = sweep(self.G, penalty, self.size, self.beta, self.q)
            found = self.violation(penalty)
            if found <= limit or not changed or (used >= most and crossed == 0):
                break
        return found

    def violation(self, penalty):
        """How far the worst column is from its optimality condition, in units of the gradient."""
        return violation(self.beta[: self.size], self.q[: self.size], penalty)

    def _settle(self, penalty, most=8):
        """Sweep until a sweep leaves the support as it was: then a factorisation is worth its cost."""
        for _ in range(most):
            self.sweeps += 1
            crossed, changed = sweep(self.G, penalty, self.size, self.beta, self.q)
            if crossed == 0:
                break
        return changed

    def gap(self, penalty, null):
        """Relative duality gap of the problem of these columns alone."""
        beta, c, q = self.beta[: self.size], self.c[: self.size], self.q[: self.size]
        ry = null - float(beta @ c)
        rr = max(ry - float(beta @ q), 0.0)
        return relative_gap(rr, ry, null, beta, q - penalty.l2 * beta, penalty)

    def objective(self, penalty):
        """The objective, less the constant ½ y'y."""
        beta = self.beta[: self.size]
        fit = -0.5 * beta @ (self.c[: self.size] + self.q[: self.size])
        return float(fit + penalty.l1 * np.abs(beta).sum() + 0.5 * penalty.l2 * beta @ beta)

    def _finish(self, penalty):
        """Newton's step on the support; coefficients that would change sign stop at zero."""
        if not self._factorise(penalty):
            return
        support = self._factor.order
        beta, sign = self.beta[support], np.sign(self.beta[support])
        step = self._factor.solve(self.q[support] - penalty.l2 * beta - penalty.l1 * sign)
        crosses = (beta + step) * sign <= 0.0
        if not crosses.any():
            return self._move(support, step)
        before, saved_beta, saved_q = self.objective(penalty), beta.copy(), self.q[: self.size].copy()
        self._move(support, np.where(crosses, -beta, step))
        if self.objective(penalty) > before:
            self.beta[support], self.q[: self.size] = saved_beta, saved_q
            fractions = np.where(crosses, -beta / np.where(crosses, step, 1.0), np.inf)
            first = fractions.min()  # as far as the first zero the objective falls for certain
            self._move(support, np.where(fractions == first, -beta, first * step))

    def _factorise(self, penalty):
        """Factorise the support, less what the others make superfluous; False where it is empty or too large.

        Each slide along a dependent column brings a coefficient to zero, so that there are at most as many as columns.
        """
        for _ in range(self.size):
            support = np.flatnonzero(self.beta[: self.size])
            if not 0 < len(support) <= LARGEST_SUPPORT:
                return False
            if not self._factor.holds(support, penalty.l2):
                self._factor.update(self.G, support, penalty.l2)
            if not any(self._slide(j, penalty) for j in self._factor.dependent):
                break
        return True

    def _slide(self, j, penalty):
        r"""Move along :math:`x_j - \sum_i a_i x_i = 0`, which changes no prediction, as long as the penalty falls.

        Sweeps go such a way in steps of the size of rounding. Returns whether a coefficient has come to zero.
        """
        order = self._factor.order
        way = np.append(order, j)
        step = np.append(-self._factor.solve(self.G[order, j]), 1.0)
        beta = self.beta[way]
        slope = penalty.l1 * float(np.sign(beta) @ step)  # the rest of the gradient is rounding, as x_j - sum a x is
        if abs(slope) <= 1e-9 * penalty.l1 * float(np.abs(step).sum()):
            return False
        step = -np.sign(slope) * step
        falls = beta * step < 0.0
        reach = -beta[falls] / step[falls]
        if not falls.any():
            return False
        step *= reach.min()
        step[np.flatnonzero(falls)[reach.argmin()]] = -beta[falls][reach.argmin()]
        self._move(way, step)
        return True

    def _move(self, support, step):
        shift(self.G, self.size, support, step, self.q)
        self.beta[support] = np.where(step == -self.beta[support], 0.0, self.beta[support] + step)
