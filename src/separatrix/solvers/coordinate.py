"""The lasso and elastic net with many columns: solve on a few, prove the rest away.

Solves   min  (1/2Σs) Σ s_i (y_i - x_i'beta - intercept)² + l1 |beta|_1 + ½ l2 |beta|²     (beta >= 0 if positive)
Given    a design that offers columns, a target with one output, a penalty, tol, perhaps a start.
Returns  beta, intercept, certificate: the relative duality gap.
From     Johnson and Guestrin (2015), Blitz; Massias, Gramfort and Salmon (2018), Celer: working sets. We differ in
         solving each working set on its Gram matrix with a Newton finish, so that each full read of X, which costs
         most, is followed by an exact solution.
Cost     a read of X for each growth of the working set; n (set)² for its Gram matrix.
"""

import time

import numpy as np

from separatrix.core.solution import Certificate, Solution
from separatrix.designs.columns import ColumnStore
from separatrix.solvers.gram_coordinate import GramProblem, relative_gap


class WorkingSet:
    """The columns in play of one design and target: their Gram problem, and the state of the whole."""

    def __init__(self, design, target, intercept):
        self.design, self.intercept = design, intercept
        self.s, self.total = target.s, target.total
        self.y_mean = float(target.mean()) if intercept else 0.0
        self.y = target.y - self.y_mean
        self.null = float(self._dot(self.y, self.y)) / self.total  # twice the null objective
        self.index = np.empty(0, dtype=np.intp)
        self.inside = np.zeros(design.p, dtype=bool)
        self.columns = ColumnStore(design, target, intercept)
        self.gram = GramProblem()
        self.passes = 0
        self.r = self.y.copy()
        self.v = self.correlate()
        design.refuse_if_not_finite(self.v)

    def _dot(self, a, b):
        return a @ b if self.s is None else (self.s * a) @ b

    def correlate(self):
        """``v = X_c'S r / Σs``, the one full read of X (r sums to zero, so centring costs nothing)."""
        self.passes += 1
        return self.design.rmatvec(self.r if self.s is None else self.s * self.r) / self.total

    def add(self, J):
        """Bring columns into play."""
        self.gram.grow(*self.columns.add(J, self.y))
        self.index = np.concatenate([self.index, J])
        self.inside[J] = True

    def refresh(self):
        """Residual and correlations at the coefficients of the Gram problem."""
        self.r = self.y - self.columns.fitted(self.gram.beta[: self.gram.size])
        if self.intercept:  # the fitted values sum to zero but for rounding
            self.r -= (self.r.sum() if self.s is None else self.s @ self.r) / self.total
        self.v = self.correlate()

    def gap(self, penalty):
        """Relative duality gap at the current residual and correlations, rounding included."""
        beta = self.gram.beta[: self.gram.size]
        rr, ry = self._dot(self.r, self.r) / self.total, self._dot(self.r, self.y) / self.total
        v = self.v.copy()
        v[self.index] -= penalty.l2 * beta
        return relative_gap(rr, ry, self.null, beta, v, penalty)

    def batch(self, outside, reach, fresh):
        """Which of the columns that want to come in should: all of them on a path, the largest from a `fresh` start.

        k new columns beside m cost 2 n k (k + m) operations, a read of X 8 n p bytes; two operations take about as
        long as one byte, hence k (k + m) = 8 p at most.
        """
        m = self.gram.size
        support = int(np.count_nonzero(self.gram.beta[:m]))
        limit = max(16, support // 2, int(0.5 * (np.sqrt(m * m + 32.0 * self.design.p) - m)))
        if not fresh or len(outside) <= limit:
            return outside
        return outside[_largest(reach[outside], limit)]

    def offset(self):
        """The intercept."""
        return self.y_mean - float(self.columns.means @ self.gram.beta[: self.gram.size])


def _largest(reach, count):
    """The places of the largest numbers, in order."""
    if count >= len(reach):
        return np.arange(len(reach))
    return np.sort(np.argpartition(-reach, count)[:count])


def elastic_net(design, target, penalty, *, intercept=True, tol=1e-8, max_iter=100, start=None, trace=None):
    """Solve at one strength; see the head of this file. A `trace` gets a line for each growth of the working set."""
    started = time.perf_counter()
    state = WorkingSet(design, target, intercept)
    if start is not None and np.any(start):
        support = np.flatnonzero(start)
        state.add(support)
        state.gram.beta[: len(support)] = start[support]
        state.gram.q[: len(support)] -= state.gram.G[: len(support), : len(support)] @ start[support]
        state.refresh()
    # the last columns in play are solved to rounding: then neither row order nor solver shows in the answer
    gap, used = solve_at(state, penalty, tol, max_iter, inner=1e-7, trace=trace)
    beta = np.zeros(design.p)
    beta[state.index] = state.gram.beta[: state.gram.size]
    certificate = Certificate("gap", gap, tol, used, state.passes, time.perf_counter() - started)
    return Solution(beta, state.offset(), certificate, trace=trace)


def solve_at(state, penalty, tol, max_iter=100, before=None, inner=0.3, trace=None):
    """Grow the working set until the gap is certified; returns the relative gap and the growths used.

    On a path, `before` is the strength just solved: columns that the strong rule (Tibshirani et al. 2012) expects to
    become active come into play at once. The columns in play are solved to `inner` times the tolerance.
    """
    threshold = penalty.l1 if before is None else max(2.0 * penalty.l1 - before, 0.0)
    gap = state.gap(penalty)
    for used in range(max_iter):
        if gap <= tol:
            return gap, used
        reach = state.v if penalty.positive else np.abs(state.v)
        outside = np.flatnonzero(~state.inside & (reach > threshold))
        threshold = penalty.l1
        batch = state.batch(outside, reach, before is None)
        if len(batch):
            state.add(batch)
        # while columns are left out that want in, a solution of those in play need not be much better than the whole
        loose = 1e-2 * gap if len(batch) < len(outside) else 0.0
        state.gram.solve(penalty, state.null, max(inner * tol, loose))
        state.refresh()
        before_gap, gap = gap, state.gap(penalty)
        if trace is not None:
            trace.append(0.5 * state.null + state.gram.objective(penalty), gap)
        if not len(outside) and gap > 0.9 * before_gap:
            break  # every column that matters is in play and solved as well as this precision can
    return gap, used + 1
