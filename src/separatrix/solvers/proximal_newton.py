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

from typing import Any

import numpy as np

from separatrix.core.certificate import record
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.time_limit import should_end
from separatrix.solvers.smooth import refuse_misfits
from separatrix.solvers.working_set import WorkingSet

# The strong rule of a step by this factor expects all columns of more than half the strength.
LARGE_STEP = 1.5
# Below this tolerance iterations go on until the coefficients do not depend, beyond rounding, on row order or start.
TIGHT = 1e-7


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
        if gap <= tol or used == max_iter or should_end():
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
