"""Losses under a penalty that makes zeros, with many columns: Newton's method on a few, the rest proved away.

Solves   min  (1/Σs) Σ s_i loss(y_i, x_i'beta + intercept) + Σ_j penalty_j(beta_j)
Given    a Problem with a smooth loss of one output, or a joint loss of k; a penalty that can be split; perhaps a start.
Returns  beta, intercept.
From     Lee, Sun and Saunders (2014), SIAM J. Optim. 24(3), proximal Newton; Johnson and Guestrin (2015), Blitz, and
         Massias, Gramfort and Salmon (2018), Celer, working sets. We differ in solving each quadratic model on its Gram
         matrix with a Newton finish, and in keeping that matrix while the curvature of the loss has hardly changed. For
         squared error the curvature is constant: the model is the problem, and each full read of X, which costs most,
         is followed by an exact solution on the columns in play.
Cost     a read of X for each growth of the working set; n (set)² for a Gram matrix; n (set) for a step.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.dual_bound import EPS, dual_bound
from separatrix.core.objective import gap_unit, null_objective, null_score, sum_of_costs, total_conjugate
from separatrix.core.problem import Problem
from separatrix.core.separable import Separable
from separatrix.core.solution import Solution, Trace
from separatrix.core.types import Penalty
from separatrix.core.verbs import ignores_shifts, is_likelihood, is_of_residual, is_squared_error, largest_curvature
from separatrix.designs.working import working_columns
from separatrix.solvers.curvature import ConstantCurvature, JointCurvature, Look, ScalarCurvature
from separatrix.solvers.gram_coordinate import violation
from separatrix.solvers.smooth import refuse_misfits

# The strong rule of a step by this factor expects all columns of more than half the strength.
LARGE_STEP = 1.5
HALVINGS = 40
# No score moves farther at once under a loss whose curvature has no bound, such as an exponential: it stays finite.
FARTHEST = 30.0
# One coefficient moves no score of a likelihood farther in a step: beyond, its curvature is another by far. Rows that
# are nearly certain have none: their columns would go so far that no part of the step could be taken.
REACH = 5.0
MOST_STEPS = 30  # on one working set; quadratic convergence needs about five
# Below this tolerance iterations go on until the coefficients do not depend, beyond rounding, on row order or start.
TIGHT = 1e-7


class WorkingSet:
    """Where a fit stands: the columns in play with their coefficients, scores, slopes, and the objective."""

    def __init__(self, problem: Problem, start: tuple[Any, Any] | None = None) -> None:
        self.problem, target = problem, problem.target
        self.share = target.weights / target.total
        # y and the intercept move together in such a loss; about the mean of y nothing large cancels
        self.centre = target.mean() if problem.intercept and is_of_residual(problem.loss) else 0.0
        self.y = target.y - self.centre
        self.null = null_objective(problem)
        self.scale = self.null if self.null >= 0.0 else gap_unit(problem)
        self.shape = target.y.shape[1:]
        self.index = np.empty(0, dtype=np.intp)
        self.inside = np.zeros(problem.design.p, dtype=bool)
        self.beta = np.zeros((0, *self.shape))
        self.columns = working_columns(problem.design, self.share, centre=problem.intercept)
        self.exact = is_squared_error(problem.loss) and not self.shape
        kind = JointCurvature if self.shape else ConstantCurvature if self.exact else ScalarCurvature
        self.curvature: Any = kind(problem, self.y, self.columns, self.share)
        self.farthest = np.inf if largest_curvature(problem.loss) < np.inf else FARTHEST
        self.reaches = is_likelihood(problem.loss)
        self.passes = 0
        self.change = np.inf  # of the scores, in the last step
        self.level = 0.0  # the largest slope of the model without columns
        self.offset = np.asarray(null_score(problem) - self.centre, dtype=np.float64)
        self.eta = np.empty(target.y.shape)
        self.eta[...] = self.offset
        if start is not None:
            self._begin(*start)
        self._look()
        self.read(squares=True)
        problem.design.refuse_if_not_finite(self.v)
        self.penalise(problem.penalty)

    def _begin(self, beta: np.ndarray, intercept: Any) -> None:
        bounds = self.problem.parts
        beta = np.clip(np.asarray(beta, dtype=np.float64).T, bounds.low, bounds.high).T
        support = np.flatnonzero(beta if beta.ndim == 1 else beta.any(axis=1))
        self._take(support)
        self.beta = beta[support]
        fitted = self.columns.fitted(self.beta)
        self.offset = np.asarray(intercept, dtype=np.float64) - self.centre + self.columns.means @ self.beta
        if self.exact:
            self.curvature.model().start(self.beta)
            self.offset = np.asarray(self.curvature.best_intercept(fitted))
        self.eta = fitted + self.offset

    def _look(self, seen: Look | None = None) -> None:
        """Slopes and objective at the current scores, the intercept first brought to its optimum given the rest."""
        looked: Look = self.curvature.look(self.eta) if seen is None else seen
        self.fit, self.u, self.w = looked
        self.level = self.level or float(np.abs(self.u).max(initial=0.0))
        if self.problem.intercept and not self.exact:
            self._balance()

    @property
    def value(self) -> float:
        """The objective."""
        return self.fit + sum_of_costs(self.played, self.beta)

    def _balance(self) -> None:
        """Newton's method for the intercept alone: slopes that sum to zero are what a dual point needs."""
        imbalance = self.share @ self.u
        for _ in range(20):
            if np.abs(imbalance).max() <= 4.0 * EPS * self.level:
                break
            step = np.clip(self.curvature.intercept_step(self.w, imbalance), -self.farthest, self.farthest)
            for _ in range(HALVINGS):
                fit, u, w = self.curvature.look(self.eta + step)
                rest = self.share @ u
                if np.abs(rest).max() < np.abs(imbalance).max():
                    break
                step = 0.5 * step
            else:
                break  # as balanced as rounding allows
            self.eta, self.offset = self.eta + step, self.offset + step
            self.fit, self.u, self.w, imbalance = fit, u, w, rest

    def read(self, squares: bool = False) -> None:
        """``v = -X'(s u) / Σs``: the one full read of X. The certificate asks for `squares` of all columns as well."""
        self.passes += 1
        design, target = self.problem.design, self.problem.target
        products = design.products_and_squares(target, self.u)[0] if squares else design.products(target, self.u)
        self.v = products / -target.total

    def penalise(self, penalty: Penalty) -> None:
        """Go on with a penalty, from where the state stands; coefficients that nothing keeps at 0 come into play."""
        if penalty is not self.problem.penalty:
            self.problem = replace(self.problem, penalty=penalty)
        self.penalty = self.problem.parts
        self.unit = float(self.penalty.kink.max(initial=0.0)) or float(np.abs(self.v).max(initial=0.0)) or 1.0
        self.played = self.penalty.take(self.index)
        self.rises, self.falls = self.penalty.high > 0.0, self.penalty.low < 0.0
        self.two_sided = bool(self.rises.all() and self.falls.all())
        self.add(np.flatnonzero(self.penalty.dense & ~self.inside))

    def add(self, J: np.ndarray) -> None:
        """Bring columns into play."""
        if len(J):
            self._take(J)
            self.beta = np.concatenate([self.beta, np.zeros((len(J), *self.shape))])
            self.played = self.penalty.take(self.index)

    def _take(self, J: np.ndarray) -> None:
        self.columns.add(J)
        self.index = np.concatenate([self.index, J])
        self.inside[J] = True

    def gap(self) -> float:
        """Relative duality gap of the whole problem, at the last read of X."""
        return self._gap(self.penalty, self.v, self.coefficients())

    def _gap(self, penalty: Separable, v: np.ndarray, beta: np.ndarray) -> float:
        """Relative duality gap of the columns with gradients -v and coefficients beta (those left out have none)."""
        loss, y, u, share = self.problem.loss, self.y, self.u, self.share
        reach = np.abs(v.T)
        costly = np.flatnonzero((reach.max(axis=0) if self.shape else reach) > penalty.kink)
        v, beta = v[costly], beta[costly]  # the conjugates of the others are 0
        held = penalty.take(costly).bounded_where_free(beta)
        u = u * (1.0 - 4.0 * EPS) if self.shape else u  # joint slopes at the edge of a domain may be rounded beyond it
        dual = dual_bound(held, v, beta, lambda scales: [total_conjugate(loss, y, a * u, share) for a in scales])
        return max(self.value - dual, 0.0) / self.scale if self.scale > 0.0 else 0.0

    def coefficients(self) -> np.ndarray:
        """beta of all columns."""
        beta = np.zeros((self.problem.design.p, *self.shape))
        beta[self.index] = self.beta
        return beta

    def intercept(self) -> Any:
        """The intercept in terms of the columns as given; they sum to zero where only differences count."""
        intercept = self.offset - self.columns.means @ self.beta + self.centre
        if not self.shape:
            return float(intercept)
        return intercept - intercept.mean() if ignores_shifts(self.problem.loss) else intercept

    def solution(self, iterations: int = 0, trace: Trace | None = None) -> Solution:
        """Coefficients and intercept; unpenalised coefficients sum to zero where intercepts do."""
        beta = self.coefficients()
        if ignores_shifts(self.problem.loss):
            beta[self.penalty.free] -= beta[self.penalty.free].mean(axis=1, keepdims=True)
        return Solution(beta, self.intercept(), trace=trace, iterations=iterations, passes=self.passes)

    def wish(self) -> np.ndarray:
        """How far the gradient of each column goes beyond what its penalty at 0 allows, where it is below 0: not."""
        v = self.v.T
        reach = np.abs(v)
        if not self.two_sided:
            reach = np.maximum(np.where(self.rises, v, 0.0), np.where(self.falls, -v, 0.0))
        return (reach.max(axis=0) if self.shape else reach) - self.penalty.kink

    def correlations(self) -> np.ndarray:
        """``-Z'(s u) / Σs`` of the columns in play."""
        return -self.columns.correlate((self.share * self.u.T).T)

    def solve_in_play(self, target: float) -> int:
        """Solve on the columns in play, until their gap is at most `target`; returns the steps taken."""
        return self._solve_exactly(target) if self.exact else self._solve_by_newton(target)

    def _solve_exactly(self, target: float) -> int:
        """The quadratic model is the problem."""
        model = self.curvature.model()
        used = model.solve(self.played, self.null, target)
        self.beta = model.beta[: model.size].copy()
        fitted = self.columns.fitted(self.beta)
        self.offset = np.asarray(self.curvature.best_intercept(fitted))
        self.eta = fitted + self.offset
        self._look()
        return used

    def _solve_by_newton(self, target: float) -> int:
        """Newton's steps.

        A new curvature matrix brings about two digits with the next step. An old one is used again for as long as the
        steps that could be taken in the time of making a new one promise more.
        """
        q = self.correlations()
        gap, renew = self._gap(self.played, q, self.beta), False
        enough = 0.01 ** (1.0 / (1.0 + self.columns.matrices_per_step()))
        for used in range(MOST_STEPS):
            if gap <= target or not self._step(q, renew):
                return used
            q = self.correlations()
            last, gap = gap, self._gap(self.played, q, self.beta)
            renew = gap > enough * last and not self.curvature.fresh(self.w)
        return MOST_STEPS

    def _step(self, q: np.ndarray, renew: bool) -> bool:
        """One proximal Newton step on the columns in play, whose gradients are -q; False if no progress is left."""
        model = self.curvature.model(self.w, renew, self.played.free)
        penalty = self._within_reach(self.played.repeat(*self.shape or (1,)))
        model.begin(self.beta.T.ravel(), self.curvature.centred(q, self.share @ self.u))
        # far from the optimum the model is rough; close to it, solve it as well as its error, a square, deserves
        before = model.violation(penalty)
        model.solve_within(penalty, min(0.1, before / self.unit) * before)
        return self._search(q, model.beta.reshape(*self.shape, -1).T)

    def _within_reach(self, penalty: Separable) -> Separable:
        """The penalty, with bounds for the next step of a likelihood."""
        if not self.reaches:
            return penalty
        size = np.tile(self.columns.largest, *self.shape or (1,))
        reach = np.divide(REACH, size, out=np.full(len(size), np.inf), where=size > 0.0)
        beta = self.beta.T.ravel()
        return penalty._replace(low=np.maximum(penalty.low, beta - reach), high=np.minimum(penalty.high, beta + reach))

    def _search(self, q: np.ndarray, wanted: np.ndarray) -> bool:
        """Go to the coefficients wanted, or half the way, or a quarter, until the objective falls enough."""
        d = wanted - self.beta
        d0 = self.curvature.intercept_move(d, self.share @ self.u)
        move = self.columns.fitted(d) + d0
        promised = sum_of_costs(self.played, wanted) - sum_of_costs(self.played, self.beta) - float((q * d).sum())
        length = float(np.abs(move).max(initial=0.0))
        start, t = self.value, 1.0 if length <= self.farthest else self.farthest / length
        rounding = 4.0 * EPS * abs(start)
        for _ in range(HALVINGS):
            beta = wanted if t == 1.0 else self.beta + t * d
            eta = self.eta + t * move
            seen = self.curvature.look(eta)
            value = seen[0] + sum_of_costs(self.played, beta)
            if value <= start + 1e-4 * t * min(promised, 0.0) + rounding:
                self.beta, self.eta, self.offset = np.ascontiguousarray(beta), eta, self.offset + t * d0
                self.change = t * length / (1.0 + float(np.abs(eta).max(initial=0.0)))
                self._look(seen)
                return True
            t *= 0.5
        return False

    def polish(self) -> None:
        """Steps until the scores stand still: then neither row order nor start shows in the coefficients."""
        for _ in range(6):
            q = self.correlations()
            if self.change <= 16.0 * EPS or violation(self.beta, q, self.played) <= EPS * self.level:
                return
            last = self.change
            if not self._step(q, not self.curvature.fresh(self.w)):
                return
            if self.change > 0.5 * last and last < 1e-9:
                return  # only rounding moves

    def batch(self, outside: np.ndarray, wish: np.ndarray, fresh: bool) -> np.ndarray:
        """Which of the columns that want to come in should: all of them on a path, the largest from a `fresh` start."""
        if not fresh or not len(outside):
            return outside
        outside = outside[np.argsort(-wish[outside], kind="stable")]
        least = max(16, int(np.count_nonzero(self.beta.any(axis=1) if self.shape else self.beta)) // 2)
        return np.sort(outside[: self.columns.affordable(outside, least, self.exact)])


def proximal_newton(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[Any, Any] | None = None,
    trace: Trace | None = None,
) -> Solution:
    r"""Solve one problem; see the head of this file.

    Parameters
    ----------
    problem : Problem.  A smooth loss and y of shape (n,), or a joint loss and (n, k).
    tol : float, [0, inf).  Relative duality gap to be reached.
    max_iter : int, [0, inf).  Growths of the working set at the most.
    start : (beta, intercept) or None.  Where to begin; None is the model without columns.
    trace : Trace or None.  Filled with objective and certificate at each growth of the working set.

    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Logistic
    >>> from separatrix.penalties import L1
    >>> X, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0.75, 0.75, 0.25, 0.25])
    >>> problem = Problem(as_design(X), Target(y), Logistic(), L1(0.25))
    >>> proximal_newton(problem).beta.round(12)  # the logit of 0.75 - 0.25
    array([0.])
    >>> proximal_newton(Problem(as_design(X), Target(y), Logistic(), L1(0.15))).beta.round(4)  # the logit of 0.6
    array([0.4055])
    """
    refuse_misfits(problem, "solve with proximal_newton")
    problem.design.needs("columns", "solve with proximal_newton")
    state = WorkingSet(problem, start)
    # an exact model is solved to rounding, which costs nothing; others are polished
    _, used = solve_at(state, tol, max_iter, inner=1e-7 if state.exact else 0.3, trace=trace)
    if tol <= TIGHT and not state.exact:
        state.polish()
    solution = state.solution(used, trace)
    solution.theta = None if state.shape else state.u  # its products with X are known: certifying takes no read of X
    return solution


def solve_at(
    state: WorkingSet,
    tol: float,
    max_iter: int = 100,
    before: np.ndarray | None = None,
    inner: float = 0.3,
    trace: Trace | None = None,
) -> tuple[float, int]:
    """Grow the working set until the gap is at most `tol`; returns the gap and the growths used.

    On a path, `before` are the kinks of the strength just solved: columns that the strong rule (Tibshirani et al. 2012)
    expects to become active come into play at once. After a step so large that the rule would let nearly all of them
    in, the largest come first, as in a fresh start. The columns in play are solved to `inner` times the tolerance.
    """
    kink = state.penalty.kink
    fresh = before is None or bool((before > LARGE_STEP * kink).any())
    expected = 0.0 if fresh else kink - before  # the strong rule asks for a gradient of 2 kink - before
    gap, wish, used = state.gap(), state.wish(), 0
    while True:
        if trace is not None:
            record(trace, state.problem, state.value, state.solution(), tol)
        if gap <= tol or used == max_iter:
            break
        used += 1
        outside = np.flatnonzero(~state.inside & (wish > expected))
        expected = 0.0
        batch = state.batch(outside, wish, fresh)
        state.add(batch)
        steps = state.solve_in_play(max(inner * tol, _slack(state, gap, outside, batch)))
        state.read()
        last, gap, wish = gap, state.gap(), state.wish()
        stalled = steps == 0 or gap > 0.9 * last
        if stalled and not (~state.inside & (wish > 0.0)).any():
            break  # every column that matters is in play and solved as well as this precision can
    return gap, used


def _slack(state: WorkingSet, gap: float, outside: np.ndarray, batch: np.ndarray) -> float:
    """While columns are left out that want in, those in play need not be solved much better than the whole.

    Newton's steps cost reads of the columns in play, an exact model nothing of the size of X.
    """
    if state.exact:
        return 1e-2 * gap if len(batch) < len(outside) else 0.0
    return 0.1 * gap if len(outside) else 0.0
