"""Stochastic gradient descent: one example at a time, pass after pass.

Solves   min (1/Σs) Σ s_i loss(y_i, x_i'beta + intercept) + l1 |beta|_1 + l2 |beta|²/2
Given    a Problem, a Schedule of step sizes, perhaps a Walker that remembers where it stands.
Returns  beta, intercept, why the passes ended; the walker has moved.
Cost     one pass = O(stored numbers of X). The loop itself is in compiled/stochastic.py.
From     Robbins and Monro (1951); Bottou, Stochastic Gradient Descent Tricks (2012).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from separatrix.core.errors import cannot
from separatrix.core.objective import constant_objective, objective
from separatrix.core.problem import Problem
from separatrix.core.registry import register
from separatrix.core.separable import as_separable
from separatrix.core.solution import Solution, Trace
from separatrix.core.types import Array, Loss, Penalty
from separatrix.core.verbs import slope
from separatrix.solvers.compiled.stochastic import CONSTANT, INVSCALING, OPTIMAL, PA1, PA2, Schedule, epoch

EPS = float(np.finfo(np.float64).eps)

KINDS = {
    "constant": CONSTANT,
    "adaptive": CONSTANT,
    "optimal": OPTIMAL,
    "invscaling": INVSCALING,
    "pa1": PA1,
    "pa2": PA2,
}

# A model that ends with this many times the loss of the prediction 0 has run away.
RUNAWAY = 1e3
DIVISOR = 10.0  # of the steps of a walk that has run away
MOST_DIVISIONS = 16
SMALLEST_RATE = 1e-6  # below it the adaptive schedule stops instead of dividing again

_NOTHING = np.empty(0)


def generator(random_state: Any) -> np.random.Generator:
    """A numpy Generator from what scikit-learn calls a random_state."""
    return np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))


SLOWER_AND_SLOWER = Schedule(INVSCALING, 0.01, 0.25, 0.0, 0.0)  # scikit-learn's for regression


def schedule(learning_rate: str, loss: Loss, *, eta0: float, power_t: float, alpha: float) -> Schedule:
    r"""The step size of update t.

    ``constant`` and ``adaptive``: eta0. ``invscaling``: :math:`\eta_0 / t^{power_t}`.
    ``optimal``: :math:`1 / (\alpha (t_0 + t - 1))` with Bottou's heuristic for :math:`t_0`: the first step is about the
    size that weights are expected to have. ``pa1``, ``pa2``: as far as the loss of the example asks, at most eta0 or
    damped by it (Crammer et al. 2006, JMLR 7).

    >>> schedule("invscaling", None, eta0=0.01, power_t=0.25, alpha=0.0001).rate
    0.01
    """
    offset = 0.0
    if learning_rate == "optimal":
        typical = sqrt(1.0 / sqrt(alpha))
        # beside 1, the first t, a smaller offset would be lost
        offset = max(1.0 / (alpha * typical / max(1.0, slope(loss, 1.0, -typical))), EPS)
    return Schedule(KINDS[learning_rate], float(eta0), float(power_t), float(alpha), offset)


@register("record")
@dataclass
class Walker:
    """Where a descent stands: coefficients, clock, the average of the way, and what each column has paid to L1.

    All of it survives from one chunk of a stream to the next, so that chunks equal one pass.
    """

    beta: np.ndarray
    intercept: float = 0.0
    clock: float = 1.0
    averaged: np.ndarray = field(default_factory=lambda: _NOTHING)
    average_intercept: float = 0.0
    paid: np.ndarray = field(default_factory=lambda: _NOTHING)
    owed: float = 0.0
    level: float = 0.0  # the largest mean loss of the prediction 0 that was met

    def copy(self) -> "Walker":
        return replace(self, beta=self.beta.copy(), averaged=self.averaged.copy(), paid=self.paid.copy())

    def become(self, other: "Walker") -> None:
        self.__dict__.update(other.copy().__dict__)

    def published(self, average: int) -> tuple[np.ndarray, float]:
        """Coefficients and intercept to show: the average once it has begun, else where the walker stands."""
        if 0 < average <= self.clock - 1.0:
            return self.averaged, self.average_intercept
        return self.beta, self.intercept

    def finite(self) -> bool:
        return bool(np.isfinite(self.intercept) and np.isfinite(self.beta).all())


def stochastic_descent(
    problem: Problem,
    *,
    tol: float | None = 1e-3,
    max_iter: int = 1000,
    start: Walker | tuple[Any, float] | None = None,
    trace: Trace | None = None,
    steps: Schedule = SLOWER_AND_SLOWER,
    adaptive: bool = False,
    average: int = 0,
    n_iter_no_change: int = 5,
    shuffle: bool = True,
    random_state: Any = None,
    rows: Any = None,
    score: Callable[[np.ndarray, float], float] | None = None,
    judged: bool = True,
) -> Solution:
    """Walk over the examples until the objective no longer improves.

    Parameters
    ----------
    problem : Problem.  Any loss; a penalty that is the same for all coefficients and without bounds; one output; a
        design that offers rows.
    tol : float or None.  A pass that improves the best objective (or score) by less than tol does not count as
        improvement; None makes all passes.
    max_iter : int, [1, inf).  Passes at the most.
    start : Walker, (beta, intercept) or None.  Where to start; None is zero. A Walker is moved in place, so that the
        next chunk of a stream can go on from there.
    trace : Trace or None.  Filled with the objective after each pass, which costs another pass, and with the
        coefficients where ``trace.coefficients`` is a list.
    steps : Schedule.  Step sizes; 0.01 over the fourth root of the number of updates if none are given.
    adaptive : bool.  Whether a halt divides the step by 5 (down to 1e-6) instead of ending the walk.
    average : int, [0, inf).  From which update on the iterates are averaged; 0 never.
    n_iter_no_change : int, [1, inf).  Passes without improvement after which to halt.
    shuffle, random_state : whether every pass takes a new random order, and its seed.
    rows : array of int or None.  The examples to learn from.
    score : callable or None.  ``score(beta, intercept)``, higher is better; judged in place of the objective.
    judged : bool.  Whether to ask at the end if the walk has run away. Decreasing steps can come back from afar, so it
        is not asked on the way, nor in the middle of a stream.

    Returns
    -------
    Solution.  ``details`` holds "walker", "settled" (whether the rule for stopping was met), "divisor" and "diverged".
    A walk that overflows or ends far worse than the prediction 0 goes on from its best point (its start, or the end of
    a pass) with steps a tenth as large, and again, until it ends no worse than the prediction 0; "divisor" is what its
    steps were divided by in all. Where no division helps ("diverged"), the best point is kept.
    """
    design, target = problem.design, problem.target
    design.needs("rows", "walk over the examples")
    walker = as_walker(start, design.p)
    rows = np.arange(target.n) if rows is None else np.asarray(rows, dtype=np.intp)
    rng = generator(random_state) if shuffle else None
    # Each step takes s_i times the slope but the whole penalty, so it descends on (1/n) Σ s_i loss_i + penalty:
    # the problem's objective times Σs/n.
    lift = 1.0 if target.s is None else float(target.s[rows].mean())
    l1, l2 = (lift * strength for strength in strengths(problem.penalty, design.p))
    _prepare(walker, problem, l1, average)
    merit_of = None if score is None else (lambda walker: score(walker.beta, walker.intercept))
    rule = Stopping(tol, max_iter, n_iter_no_change, adaptive, merit_of)
    one_pass = _one_pass(problem, walker, rows, rng, l1, l2, average)

    def height(walker: Walker) -> float:
        return objective(problem, *walker.published(average))

    best, divisions, done = walker.copy(), 0, 0
    most = max(walker.level, height(best)) if judged else np.inf
    while True:
        end = _passes(one_pass, walker, steps, rule, problem, trace, highest=most if divisions else np.inf)
        done += end.passes
        # a first walk may end anywhere below RUNAWAY, as scikit-learn's; one that was mended must have gone down
        allowed = most if divisions else RUNAWAY * walker.level
        diverged = end.overflowed or (judged and end.worst > allowed > 0.0 and height(walker) > allowed)
        if not diverged:
            break
        if end.overflowed and judged and not divisions:  # it may be the fault of X
            walker.become(best)
            with np.errstate(all="ignore"):
                design.refuse_if_not_finite(design.column_squares())
        best = min([best, end.best or best], key=height)
        walker.become(best)
        if divisions == MOST_DIVISIONS:
            break
        steps, divisions = _divided(steps), divisions + 1
        rule = rule._replace(smallest=rule.smallest / DIVISOR)
    beta, intercept = walker.published(average)
    details = {"walker": walker, "settled": end.settled and not diverged, "diverged": diverged}
    details["divisor"] = DIVISOR**divisions
    return Solution(beta.copy(), intercept, trace=trace, details=details, iterations=done, passes=done)


class Stopping(NamedTuple):
    """When passes end: see :func:`stochastic_descent`. `merit` of a walker is judged in place of its objective."""

    tol: float | None
    max_iter: int
    n_iter_no_change: int
    adaptive: bool
    merit: Callable[[Walker], float] | None
    smallest: float = SMALLEST_RATE


class Walked(NamedTuple):
    """How some passes ended: the best walker after a pass, and the largest mean objective met in one."""

    passes: int
    settled: bool
    overflowed: bool
    worst: float
    best: Walker | None


def _one_pass(
    problem: Problem, walker: Walker, rows: Array, rng: np.random.Generator | None, l1: float, l2: float, average: int
) -> Callable[[Schedule], float]:
    """A function of the steps that takes the walker over all rows once and returns the mean objective met."""
    atom, target = problem.design.rows_atom(), problem.target
    s = _NOTHING if target.s is None else target.s

    def one_pass(steps: Schedule) -> float:
        order = rows if rng is None else rng.permutation(rows)
        state = np.array([walker.intercept, walker.clock, walker.owed, walker.average_intercept])
        fitted = epoch(
            atom, problem.loss, target.y, s, order, steps, l1, l2, problem.intercept, average,
            walker.beta, walker.averaged, walker.paid, state,
        )  # fmt: skip
        walker.intercept, walker.clock, walker.owed, walker.average_intercept = state.tolist()
        return float(fitted)

    return one_pass


def _passes(
    one_pass: Callable[[Schedule], float],
    walker: Walker,
    steps: Schedule,
    rule: Stopping,
    problem: Problem,
    trace: Trace | None,
    highest: float,
) -> Walked:
    """Pass after pass until the rule says stop, or a later pass meets a mean objective above `highest`."""
    merit, kept, idle, worst = -np.inf, None, 0, 0.0
    for done in range(1, rule.max_iter + 1):
        fitted = one_pass(steps)
        if not (np.isfinite(fitted) and walker.finite()):
            return Walked(done, False, True, np.inf, kept)
        worst = max(worst, fitted)
        if trace is not None:
            trace.append(objective(problem, walker.beta, walker.intercept), None, walker.beta, walker.intercept)
        now = -fitted if rule.merit is None else rule.merit(walker)
        idle = idle + 1 if rule.tol is not None and now < merit + rule.tol else 0
        if now > merit:
            merit, kept = now, walker.copy()
        if done > rule.n_iter_no_change and fitted > highest:
            return Walked(done, False, False, worst, kept)
        if idle >= rule.n_iter_no_change:
            if not (rule.adaptive and steps.rate > rule.smallest):
                return Walked(done, True, False, worst, kept)
            steps, idle = steps._replace(rate=steps.rate / 5.0), 0
    return Walked(rule.max_iter, rule.tol is None, False, worst, kept)


def _divided(steps: Schedule) -> Schedule:
    """Steps whose first is a tenth as large; those of ``optimal`` decrease as before, but begin later."""
    if steps.kind == OPTIMAL:
        return steps._replace(offset=steps.offset * DIVISOR)
    return steps._replace(rate=steps.rate / DIVISOR)


def as_walker(start: Walker | tuple[Any, float] | None, p: int) -> Walker:
    """A Walker as it is, or a new one at (beta, intercept) or at zero."""
    if isinstance(start, Walker):
        return start
    beta, intercept = (np.zeros(p), 0.0) if start is None else start
    return Walker(np.array(beta, dtype=np.float64), float(intercept))


def strengths(penalty: Penalty, p: int) -> tuple[float, float]:
    """The strengths of |beta| and of beta²/2 in a penalty that is the same for all p coefficients."""
    parts = as_separable(penalty, p)
    because = None
    if np.isfinite(parts.low).any() or np.isfinite(parts.high).any():
        because = "a step may leave the bounds of the coefficients"
    elif np.ptp(parts.kink) > 0.0 or np.ptp(parts.ridge) > 0.0:
        because = "a column pays its penalty when it is met, by one strength for all"
    if because:
        raise cannot(
            f"walk over the examples with the penalty {penalty}",
            because=because,
            instead="L1, L2, ElasticNet or no penalty, or scaled columns",
        )
    return float(parts.kink[0]), float(parts.ridge[0])


def _prepare(walker: Walker, problem: Problem, l1: float, average: int) -> None:
    p = problem.design.p
    if average and walker.averaged.shape[0] == 0:
        walker.averaged = np.zeros(p)
    if l1 > 0.0 and walker.paid.shape[0] == 0:
        walker.paid = np.zeros(p)
    silent = constant_objective(problem, 0.0)
    walker.level = max(walker.level, silent)
