"""L1 and elastic-net likelihoods with many columns: Newton's method on a few, the rest proved away.

Solves   min  (1/Σs) Σ s_i loss(y_i, x_i'beta + intercept) + l1 |beta|_1 + ½ l2 |beta|²        (beta >= 0 if positive)
Given    a Problem with a logistic or squared loss and one output, or softmax and k; l1 > 0; perhaps a start.
Returns  beta, intercept, certificate: the relative duality gap.
From     Lee, Sun and Saunders (2014), SIAM J. Optim. 24(3), proximal Newton; Johnson and Guestrin (2015), Blitz, and
         Massias, Gramfort and Salmon (2018), Celer, working sets. We differ in solving each quadratic model on its Gram
         matrix, and in keeping that matrix while the curvature of the loss has hardly changed.
Cost     a read of X for each growth of the working set; n (set)² for a Gram matrix; n (set) for a step.
"""

import time
import warnings
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import certify, not_certified
from separatrix.core.errors import cannot
from separatrix.core.objective import (
    null_objective,
    null_score,
    sum_of_conjugate_costs,
    sum_of_costs,
    total_conjugate,
)
from separatrix.core.solution import Solution
from separatrix.designs.working import WorkingColumns
from separatrix.losses import Logistic, Softmax, Squared
from separatrix.penalties import L1, ElasticNet
from separatrix.solvers.curvature import JointCurvature, ScalarCurvature
from separatrix.solvers.gram_coordinate import EPS, violation

# The strong rule of a step by this factor expects all columns of more than half the strength.
LARGE_STEP = 1.5
HALVINGS = 40
MOST_STEPS = 30  # on one working set; quadratic convergence needs about five
# Below this tolerance the answer is polished until neither row order nor start shows in it.
TIGHT = 1e-7


class Likelihood:
    """Where a fit stands: the columns in play with their coefficients, scores, slopes, and the objective."""

    def __init__(self, problem, start=None):
        self.problem, self.penalty = problem, _as_net(problem.penalty)
        target = problem.target
        self.y, self.share = target.y, target.weights / target.total
        self.null = null_objective(problem)
        self.shape = target.y.shape[1:]
        self.index = np.empty(0, dtype=np.intp)
        self.inside = np.zeros(problem.design.p, dtype=bool)
        self.columns = WorkingColumns(problem.design, self.share if problem.intercept else None)
        curvature = JointCurvature if self.shape else ScalarCurvature
        self.curvature = curvature(problem, self.columns, self.share)
        self.beta = np.zeros((0, *self.shape))
        self.passes = 0
        self.change = np.inf  # of the scores, in the last step
        self.offset = np.asarray(null_score(problem), dtype=np.float64)
        self.eta = np.empty(target.y.shape)
        self.eta[...] = self.offset
        if start is not None:
            self._begin(*start)
        self._look()
        self.read()
        problem.design.refuse_if_not_finite(self.v)

    def _begin(self, beta, intercept):
        beta = np.array(beta, dtype=np.float64)
        support = np.flatnonzero(beta if beta.ndim == 1 else beta.any(axis=1))
        self.add(support)
        self.beta = beta[support]
        self.offset = np.asarray(intercept, dtype=np.float64) + self.columns.means @ self.beta
        self.eta = self.columns.fitted(self.beta) + self.offset

    def _look(self, seen=None):
        """Slopes and objective at the current scores, the intercept first brought to its optimum given the rest."""
        fit, self.u, self.w = self.curvature.look(self.eta) if seen is None else seen
        self.fit = self._balance(fit) if self.problem.intercept else fit

    @property
    def value(self):
        """The objective."""
        return self.fit + sum_of_costs(self.penalty, self.beta)

    def _balance(self, fit, most=20):
        """Newton's method for the intercept alone: slopes that sum to zero are what a dual point needs."""
        imbalance = self.share @ self.u
        for _ in range(most):
            if np.abs(imbalance).max() <= 4.0 * EPS:
                break
            step = self.curvature.intercept_step(self.w, imbalance)
            for _ in range(HALVINGS):
                found, u, w = self.curvature.look(self.eta + step)
                rest = self.share @ u
                if np.abs(rest).max() < np.abs(imbalance).max():
                    break
                step = 0.5 * step
            else:
                break  # as balanced as rounding allows
            self.eta, self.offset = self.eta + step, self.offset + step
            fit, self.u, self.w, imbalance = found, u, w, rest
        return fit

    def read(self):
        """``v = -X'(s u) / Σs``: the one full read of X."""
        self.passes += 1
        self.v = -self.problem.design.rmatvec((self.share * self.u.T).T)

    def weaken(self, penalty):
        """Go on with another penalty, from where the state stands."""
        self.problem = replace(self.problem, penalty=penalty)
        self.penalty = _as_net(penalty)

    def add(self, J):
        """Bring columns into play."""
        self.columns.add(J)
        self.index = np.concatenate([self.index, J])
        self.inside[J] = True
        self.beta = np.concatenate([self.beta, np.zeros((len(J), *self.shape))])

    def gap(self, v, beta):
        """Relative duality gap of the columns with gradients -v and coefficients beta (those left out have none)."""
        loss, penalty = self.problem.loss, self.penalty
        reach = v if penalty.positive else np.abs(v)
        largest = float(reach.max(initial=0.0))
        scales = [1.0]
        if largest > penalty.l1:
            scales = [penalty.l1 / largest * (1.0 - 2.0 * EPS)]
            if penalty.l2 > 0.0:  # the elastic net is a lasso on rows augmented with sqrt(l2) I
                beyond = float((reach - penalty.l2 * np.abs(beta)).max())
                scales += [1.0, min(1.0, penalty.l1 / max(beyond, EPS))]
        dual = max(
            -total_conjugate(loss, self.y, scale * self.u, self.share) - sum_of_conjugate_costs(penalty, scale * v)
            for scale in scales
        )
        return max(self.value - dual, 0.0) / self.null if self.null > 0.0 else 0.0

    def whole_gap(self):
        """That of all columns, at the last read of X."""
        return self.gap(self.v, self.coefficients())

    def coefficients(self):
        """beta of all columns."""
        beta = np.zeros((self.problem.design.p, *self.shape))
        beta[self.index] = self.beta
        return beta

    def intercept(self):
        """The intercept in terms of the columns as given; those of classes sum to zero, as only differences count."""
        found = self.offset - self.columns.means @ self.beta
        return found - found.mean() if self.shape else float(found)

    def correlations(self):
        """``-Z'(s u) / Σs`` of the columns in play."""
        return -self.columns.correlate((self.share * self.u.T).T)

    def step(self, q, renew):
        """One proximal Newton step on the columns in play, whose gradients are -q; False if no progress is left."""
        model = self.curvature.model(self.w, renew)
        model.beta = self.beta.T.ravel().copy()
        model.q = self.curvature.centred(q, self.share @ self.u)
        model.c = model.q + model.G @ model.beta
        # far from the optimum the model is rough; close to it, solve it as well as its error, a square, deserves
        before = model.violation(self.penalty)
        model.solve_within(self.penalty, min(0.1, before / self.penalty.l1) * before)
        return self._search(q, model.beta.reshape(*self.shape, -1).T)

    def _search(self, q, wanted):
        """Go to the coefficients wanted, or half the way, or a quarter, until the objective falls enough."""
        penalty = self.penalty
        d = wanted - self.beta
        d0 = self.curvature.intercept_move(d, self.share @ self.u)
        move = self.columns.fitted(d) + d0
        cost = sum_of_costs(penalty, self.beta)
        promised = sum_of_costs(penalty, wanted) - cost - float((q * d).sum())
        start, t = self.value, 1.0
        rounding = 4.0 * EPS * abs(start)
        for _ in range(HALVINGS):
            beta = wanted if t == 1.0 else self.beta + t * d
            eta = self.eta + t * move
            seen = self.curvature.look(eta)
            value = seen[0] + sum_of_costs(penalty, beta)
            if value <= start + 1e-4 * t * min(promised, 0.0) + rounding:
                self.beta, self.eta, self.offset = np.ascontiguousarray(beta), eta, self.offset + t * d0
                self.change = t * float(np.abs(move).max(initial=0.0)) / (1.0 + float(np.abs(eta).max(initial=0.0)))
                self._look(seen)
                return True
            t *= 0.5
        return False

    def solve_in_play(self, target):
        """Newton steps until the gap of the columns in play is at most `target`; returns the steps taken.

        A new curvature matrix brings about two digits with the next step. An old one is used again for as long as the
        steps that could be taken in the time of making a new one promise more.
        """
        q = self.correlations()
        gap, renew = self.gap(q, self.beta), False
        enough = 0.01 ** (1.0 / (1.0 + self.columns.matrices_per_step()))
        for used in range(MOST_STEPS):
            if gap <= target or not self.step(q, renew):
                return used
            q = self.correlations()
            last, gap = gap, self.gap(q, self.beta)
            renew = gap > enough * last and not self.curvature.fresh(self.w)
        return MOST_STEPS

    def polish(self, most=6):
        """Steps until the scores stand still: then neither row order nor start shows in the coefficients."""
        for _ in range(most):
            q = self.correlations()
            if self.change <= 16.0 * EPS or violation(self.beta, q, self.penalty) <= EPS:
                return
            last = self.change
            if not self.step(q, not self.curvature.fresh(self.w)):
                return
            if self.change > 0.5 * last and last < 1e-9:
                return  # only rounding moves

    def batch(self, outside, reach, fresh):
        """Which of the columns that want to come in should: all of them on a path, the largest from a `fresh` start."""
        if not fresh or not len(outside):
            return outside
        outside = outside[np.argsort(-reach[outside], kind="stable")]
        least = max(16, np.count_nonzero(self.beta.any(axis=1) if self.shape else self.beta) // 2)
        return np.sort(outside[: self.columns.affordable(outside, least)])


def proximal_newton(problem, *, max_iter=100, tol=1e-8, start=None, trace=None):
    r"""Solve one problem; see the head of this file.

    Parameters
    ----------
    problem : Problem.  Logistic or Squared loss and y of shape (n,), or Softmax and (n, k); L1 or ElasticNet, l1 > 0.
    max_iter : int, [0, inf).  Growths of the working set at the most.
    tol : float, [0, inf).  Relative duality gap to be certified.
    start : (beta, intercept) or None.  Where to begin; None is the model without columns.
    trace : Trace or None.  Filled with objective and gap at each growth of the working set.

    Returns
    -------
    Solution.  Warns NotCertified where the tolerance was not met.

    >>> from separatrix.core.problem import Problem
    >>> from separatrix.core.target import Target
    >>> from separatrix.designs import as_design
    >>> X, y = np.array([[1.0], [1.0], [-1.0], [-1.0]]), np.array([0.75, 0.75, 0.25, 0.25])
    >>> problem = Problem(as_design(X), Target(y), Logistic(), L1(0.25))
    >>> proximal_newton(problem).beta.round(12)  # the logit of 0.75 - 0.25
    array([0.])
    >>> proximal_newton(Problem(as_design(X), Target(y), Logistic(), L1(0.15))).beta.round(4)  # the logit of 0.6
    array([0.4055])
    """
    _check(problem)
    started = time.perf_counter()
    state = Likelihood(problem, start)
    used = solve_at(state, tol, max_iter, trace=trace)
    if tol <= TIGHT:
        state.polish()
    return finished(state, tol, started, used, trace)


def finished(state, tol, started, used, trace=None):
    """The solution a state has come to, with its certificate recomputed; a warning where that is above `tol`."""
    solution = Solution(state.coefficients(), state.intercept(), trace=trace)
    solution.certificate = certify(
        state.problem, solution, max(tol, 1e-14), started=started, iterations=used, passes=state.passes + 1
    )
    if not solution.certificate.converged:
        advice = "Raise max_iter or tol, or penalise more."
        warnings.warn(not_certified(solution.certificate, advice), stacklevel=3)
    return solution


def solve_at(state, tol, max_iter=100, before=None, trace=None):
    """Grow the working set until the gap is at most `tol`; returns the growths used.

    On a path, `before` is the strength just solved: columns that the strong rule (Tibshirani et al. 2012) expects to
    become active come into play at once. After a step so large that the rule would let nearly all of them in, the
    largest come first, as in a fresh start.
    """
    penalty = state.penalty
    fresh = before is None or before > LARGE_STEP * penalty.l1
    threshold = penalty.l1 if fresh else 2.0 * penalty.l1 - before
    gap = state.whole_gap()
    for used in range(max_iter):
        if trace is not None:
            trace.append(state.value, gap)
        if gap <= tol:
            return used
        reach = _reach(state)
        outside = np.flatnonzero(~state.inside & (reach > threshold))
        threshold = penalty.l1
        batch = state.batch(outside, reach, fresh)
        if len(batch):
            state.add(batch)
        # while columns are left out that want in, those in play need not be solved much better than the whole
        steps = state.solve_in_play(max(0.3 * tol, 0.1 * gap if len(outside) else 0.0))
        state.read()
        last, gap = gap, state.whole_gap()
        waiting = ~state.inside & (_reach(state) > penalty.l1)
        if not waiting.any() and (steps == 0 or gap > 0.9 * last):
            break  # every column that matters is in play and solved as well as this precision can
    return used + 1


def _reach(state):
    """How strongly each column wants a coefficient, in units of the penalty."""
    reach = state.v if state.penalty.positive else np.abs(state.v)
    return reach.max(axis=1) if state.shape else reach


def _as_net(penalty):
    return penalty if isinstance(penalty, ElasticNet) else ElasticNet(penalty.lam, 0.0)


def _check(problem):
    because = None
    if not isinstance(problem.loss, Logistic | Softmax | Squared):
        because = f"the loss {type(problem.loss).__name__} does not bend everywhere"
    elif not isinstance(problem.penalty, L1 | ElasticNet) or _as_net(problem.penalty).l1 <= 0.0:
        because = f"{problem.penalty} keeps every column in play"
    elif (problem.target.y.ndim == 2) != isinstance(problem.loss, Softmax):
        because = f"{type(problem.loss).__name__} does not fit y of shape {problem.target.y.shape}"
    if because:
        raise cannot(
            "solve with proximal_newton",
            because=because,
            instead="Logistic or Squared with one output, or Softmax with k, and L1 or ElasticNet with l1 > 0",
        )
    problem.design.needs("columns", "solve with proximal_newton")
