"""Where a fit by proximal Newton steps stands: some columns in play, with their coefficients, scores and slopes.

Given    a Problem, perhaps a start, and columns that come into play.
Keeps    beta of those columns, the intercept, eta, slopes u and curvatures of all rows, ``v = -X'(s u) / Σs``.
Cost     a read of X for v; n (set)² for a Gram matrix; n (set) for a step.
"""

from dataclasses import replace
from typing import Any

import numpy as np

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

HALVINGS = 40
# No score moves farther at once under a loss whose curvature has no bound, such as an exponential: it stays finite.
FARTHEST = 30.0
# One coefficient moves no score of a likelihood farther in a step: beyond, its curvature is another by far. Rows that
# are nearly certain have none: their columns would go so far that no part of the step could be taken.
REACH = 5.0
MOST_STEPS = 30  # on one working set; quadratic convergence needs about five
# Before a Gram matrix is made, idle columns are left out if no more than this part of the columns stays. Idle are those
# at 0 whose gradients are farther inside the kink than this many times what is wrong now, or than this part of it.
MANY, NEAR, NEAR_PART = 0.8, 10.0, 0.1


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
        used, _ = model.solve(self.played, self.null, target)
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
        q, renew = self.v[self.index], False  # as they were read
        gap = self._gap(self.played, q, self.beta)
        enough = 0.01 ** (1.0 / (1.0 + self.columns.matrices_per_step()))
        for used in range(MOST_STEPS):
            if gap <= target or not self._step(q, renew, 0.3 * target / gap):
                return used
            q = self.correlations()
            last, gap = gap, self._gap(self.played, q, self.beta)
            renew = gap > enough * last and not self.curvature.fresh(self.w)
        return MOST_STEPS

    def _step(self, q: np.ndarray, renew: bool, part: float = 0.0) -> bool:
        """One proximal Newton step on the columns in play, whose gradients are -q; False if no progress is left.

        The model need not be solved to less than a `part` of what is wrong at its start.
        """
        busy = self._busy(q)
        how = self.curvature.plan(renew, busy, self.played.free)
        if how == "make" and len(busy) <= MANY * self.columns.size:
            q = q[busy]
            self._keep(busy)
        model = self.curvature.model(self.w, how, self.played.free)
        penalty = self._within_reach(self.played.repeat(*self.shape or (1,)))
        model.begin(self.beta.T.ravel(), self.curvature.centred(q, self.share @ self.u))
        # far from the optimum the model is rough; close to it, solve it as well as its error, a square, deserves
        before = model.violation(penalty)
        model.solve_within(penalty, max(min(0.1, before / self.unit), part) * before)
        return self._search(q, model.beta.reshape(*self.shape, -1).T)

    def _busy(self, q: np.ndarray) -> np.ndarray:
        """The places of columns that are not idle, or that nothing keeps at 0."""
        kink = self.played.kink
        near = np.abs(q.T) > kink - np.minimum(NEAR_PART * kink, NEAR * violation(self.beta, q, self.played))
        busy = near | (self.beta.T != 0.0)
        return np.flatnonzero((busy.any(axis=0) if self.shape else busy) | self.played.dense)

    def _keep(self, places: np.ndarray) -> None:
        """Leave all columns but those at these places out of play."""
        self.inside[self.index] = False
        self.index, self.beta, self.played = self.index[places], self.beta[places], self.played.take(places)
        self.inside[self.index] = True
        self.columns.keep(places)

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
            if self.change <= 16.0 * EPS or violation(self.beta, q, self.played) <= 4.0 * EPS * self.level:
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
