r"""A working-set method for the duals of support vector machines.

Solves   min_b  ½ b'Kb - p'b   s.t.  l <= b <= h,  Σ_{v in g} b_v = d_g         (:mod:`separatrix.core.dual_problem`)
Given    rows of K, computed when they are asked for; p, the boxes and the groups.
Returns  b, the offsets of the groups, the scores K b; and how many pair steps and kernel rows it took.
From     Joachims (1999), in Advances in Kernel Methods, chapter 11 (working sets, shrinking); Fan, Chen and Lin (2005),
         JMLR 6 (pairs by second order), inside the working set; Wen et al. (2018), JMLR 19 (large sets, a batch of
         kernel rows at a time).
Cost     an outer step computes the kernel rows that are missing as one matrix product, O(q n p), and updates n scores.

Rows are computed in single precision first. Between rounds the scores are computed anew in double precision from the
coefficients alone, so that errors do not add up: a round in single precision corrects what the last one left, as in
iterative refinement. A round that gains too little is followed by one in double precision. Where the coefficients
inside their boxes are few enough, a Newton step on them ends the work (:mod:`separatrix.solvers.dual_newton`), and the
answer no longer depends on the order of the rows or the start.
"""

import time
from dataclasses import dataclass

import numpy as np

from separatrix.core.dual_problem import EPS, DualProblem, DualValues, best_offsets, dual_values
from separatrix.core.jit import load
from separatrix.core.solution import Solution, Trace
from separatrix.core.types import Array
from separatrix.solvers.compiled.pair_steps import add_rows, pair_steps
from separatrix.solvers.dual_newton import DualNewton, is_affordable
from separatrix.solvers.row_cache import RowCache

WORKING = 512  # variables of a working set
STEPS_EACH = 20  # pair steps for each variable of a working set, at the most: a few hundredths of a second
FEW_STEPS = 100  # so many do not wait for the compiler
SHARE = 0.1  # of its first violation at which a working set is left
FIRST_TOL = 1e-3  # violation at the end of the first round, in units of the spread of p
NEAR = 64.0  # roundings of its width that a coefficient may be from a bound at which it is
ROUNDS = 40
OUTER_STEPS = 100  # of a round, beside those that patience allows
MOST_STEPS = 10_000_000  # pair steps where no limit is given; 100 for each variable, if these are more
PATIENCE = 50  # pair steps of the first round for each variable; then Newton's method has a try, and patience doubles
NEWTON_ROUNDS = 6
# Violation, in units of the spread of p, at which no order of the rows shows any more; with Newton's matrix in single
# precision the next step is half a second away at most, and would change nothing that can be seen.
SETTLED, SETTLED_SINGLE = 1e-10, 1e-8
EXTRA = 4  # rounds beyond the tolerance, where few variables are free and Newton's method has not settled yet
# Rows so few are computed in double precision from the start: there is little to save.
FEW_ROWS = 1000
MEGABYTE = 2.0**20
# A shrinking is worth its copies where it leaves out this share of the rows.
WORTH_LEAVING = 0.25
SHRINK_EVERY = 8


@dataclass
class _State:
    """Where a fit is."""

    problem: DualProblem
    b: Array
    f: Array  # scores of all rows
    steps_left: float
    deadline: float
    steps: int = 0
    outer: int = 0
    spread: float = 1.0
    stopped: bool = False
    settled: bool = False

    def __post_init__(self) -> None:
        self.newton = DualNewton(self.problem)

    def settled_at(self) -> float:
        """The violation below which nothing is to be gained: no order of the rows shows, or rounding is as large."""
        rounding = EPS * self.problem.gram.entry_error * float(np.linalg.norm(self.b))
        settled = SETTLED_SINGLE if self.newton.is_single else SETTLED
        return max(settled * self.spread, 10.0 * rounding)

    def out_of_budget(self) -> bool:
        self.stopped = self.stopped or self.steps_left <= 0 or time.perf_counter() > self.deadline
        return self.stopped


def solve(
    problem: DualProblem,
    *,
    tol: float = 1e-6,
    max_iter: int = -1,
    start: Array | None = None,
    trace: Trace | None = None,
    cache_size: float = 200.0,
    shrinking: bool = True,
    seconds: float = np.inf,
) -> Solution:
    """Coefficients (m,) and offsets (k,) of a dual problem; ``theta`` is K b.

    Parameters
    ----------
    tol : float, [0, inf).  Relative duality gap to stop at; a Newton step, where it is affordable, goes far below.
    max_iter : int.  Pair steps at the most; -1 for no limit.
    start : (m,) array or None.  Coefficients that are feasible.
    cache_size : float.  Megabytes for kernel rows.
    seconds : float.  Time after which the best coefficients so far are returned.
    """
    b = feasible(problem) if start is None else np.array(start, dtype=np.float64)
    limit = max(MOST_STEPS, 100 * len(b)) if max_iter < 0 else max_iter
    state = _State(problem, b, problem.scores(b), limit, time.perf_counter() + seconds)
    need = (problem.linear - state.f[problem.row])[:]
    state.spread = max(_violation(problem, b, need), np.finfo(float).tiny) / 2.0
    level, dtype = FIRST_TOL, np.float64 if problem.gram.n <= FEW_ROWS else np.float32
    before, extra, patience = np.inf, 0, 0.5 * PATIENCE * max(len(b), 1000)
    for _ in range(ROUNDS):
        patience = min(2.0 * patience, state.steps_left)
        active = _round(state, level * state.spread, dtype, cache_size, shrinking, patience)
        values, offsets = _finished(state, active, level * state.spread)
        _note(trace, values)
        if state.stopped or state.settled or not np.isfinite(state.f).all():
            break
        if _is_enough(problem, values, tol):
            extra += 1
            if extra > EXTRA or values.violation <= state.settled_at() or not is_affordable(problem, state.b):
                break
        if values.violation > 0.5 * before and dtype == np.float64 and level <= state.settled_at():
            break  # rounding is all that is left
        if values.violation > 0.1 * before:
            dtype = np.float64
        before = values.violation
        if values.violation <= 2.0 * level * state.spread:
            level = max(0.1 * min(level, values.violation / state.spread), 0.1 * state.settled_at() / state.spread)
    if not state.stopped:
        values, offsets = _at_their_bounds(state, values, offsets)
    details = {"values": values, "stopped": state.stopped, "outer": state.outer}
    return Solution(
        state.b, offsets, theta=state.f, trace=trace, details=details, iterations=state.steps, passes=state.outer
    )


def feasible(problem: DualProblem) -> Array:
    """Coefficients 0, or where the sums of groups are not 0 the first ones at their bounds."""
    b = np.zeros(len(problem.linear))
    for g, total in enumerate(problem.totals):
        mine = np.flatnonzero(problem.group == g)
        room = (problem.high if total > 0.0 else problem.low)[mine]
        filled = np.minimum(np.cumsum(np.abs(room)), abs(total))
        # differences of sums may miss a bound by rounding
        b[mine] = np.sign(total) * np.minimum(np.diff(filled, prepend=0.0), np.abs(room))
    return b


def _look(state: _State) -> tuple[DualValues, Array]:
    """Scores in double precision from the coefficients alone, the best offsets, and what they are worth."""
    state.f = state.problem.scores(state.b)
    offsets = best_offsets(state.problem, state.b, state.problem.linear - state.f[state.problem.row])
    return dual_values(state.problem, state.b, offsets), offsets


def _at_their_bounds(state: _State, values: DualValues, offsets: Array) -> tuple[DualValues, Array]:
    """Coefficients put at a bound that they miss by rounding: as free ones they would choose among equal offsets."""
    problem, before = state.problem, state.b
    width = problem.high - problem.low
    near = NEAR * EPS * np.where(np.isfinite(width), width, 0.0)
    b = np.where(before - problem.low <= near, problem.low, before)
    b = np.where(problem.high - b <= near, problem.high, b)
    if np.array_equal(b, before):
        return values, offsets
    state.b = b
    newer, others = _look(state)
    if newer.gap <= 2.0 * values.gap + NEAR * EPS * values.unit:
        return newer, others
    state.b = before
    return _look(state)


def _is_enough(problem: DualProblem, values: DualValues, tol: float) -> bool:
    if problem.is_convex:
        return values.gap <= tol * values.unit
    return values.violation <= tol * (float(np.ptp(problem.linear)) or 1.0)


def _note(trace: Trace | None, values: DualValues) -> None:
    if trace is not None:
        trace.append(-values.dual, values.gap / values.unit)


def _finished(state: _State, active: "_Local", level: float) -> tuple[DualValues, Array]:
    """Newton's method on the free variables, with the violators that it leaves until none is left; the best of all.

    The first step needs the scores of few rows only; later ones know all scores, to double precision. A step may move
    a variable that it left out past its condition, and the next one takes that in: a gap may grow before it falls.
    """
    problem, first, variables, need = state.problem, state.b, active.variables, active.needs()[0]
    best, least = None, np.inf
    for k in range(NEWTON_ROUNDS if not state.stopped else 0):
        better = state.newton.finish(state.b, variables, need, level, exact=k > 0)
        if better is None:
            break
        state.b = better
        values, offsets = _look(state)
        if values.violation <= state.settled_at():
            state.settled = True
            return values, offsets
        if values.gap < least:
            best, least = better, values.gap
        elif values.violation > level:
            break
        level, variables, need = values.violation, np.arange(len(better)), problem.linear - state.f[problem.row]
    state.b = first
    values, offsets = _look(state)
    if best is None or not least < values.gap:
        return values, offsets
    state.b = best
    return _look(state)


def _violation(problem: DualProblem, b: Array, need: Array) -> float:
    """The largest difference between what may grow and what may fall, of one group."""
    worst = 0.0
    for g in range(len(problem.totals)):
        mine = problem.group == g
        grow, fall = mine & (b < problem.high), mine & (b > problem.low)
        if grow.any() and fall.any():
            worst = max(worst, float(need[grow].max() - need[fall].min()))
    return worst


def _round(state: _State, tol: float, dtype: type, cache_size: float, shrinking: bool, patience: float) -> "_Local":
    """Working sets in one precision, until the violation over the active rows, returned, is at most `tol`."""
    problem, last_step = state.problem, state.steps + patience
    size = min(WORKING, len(problem.linear))
    cache = RowCache(problem.gram, dtype, cache_size * MEGABYTE, min(size, problem.gram.n))
    local = _Local(state, np.arange(len(problem.linear)), problem.row, state.f.copy())
    last = np.empty(0, dtype=np.int64)
    calm = np.zeros(problem.gram.n, dtype=bool)
    first = None
    last_outer = state.outer + OUTER_STEPS + int(patience / WORKING)
    while not state.out_of_budget() and state.steps < last_step and state.outer < last_outer:
        need, grow, fall = local.needs()
        chosen, violation = _choose(local, need, grow, fall, size, last)
        first = violation if first is None else first
        if violation <= tol or not len(chosen):
            break
        if not _step(state, local, cache, chosen, need, tol):
            break
        last = chosen
        if shrinking and state.outer % SHRINK_EVERY == 0 and violation < 0.5 * first:
            still = local.calm_rows(need, grow, fall)
            leave = still & calm
            if leave.mean() > WORTH_LEAVING:
                local, calm, last = _shrunk(local, cache, ~leave)
            else:
                calm = still
    return local


class _Local:
    """The variables of the active rows: their places in the problem, the position of their row, and the scores."""

    def __init__(self, state: _State, variables: Array, position: Array, f: Array) -> None:
        problem = state.problem
        self.state, self.variables, self.position, self.f = state, variables, position, f
        self.linear, self.group = problem.linear[variables], problem.group[variables]
        self.low, self.high = problem.low[variables], problem.high[variables]
        self.b = state.b[variables]

    def needs(self) -> tuple[Array, Array, Array]:
        """What each score misses, and which variables may grow and fall."""
        return self.linear - self.f[self.position], self.b < self.high, self.b > self.low

    def calm_rows(self, need: Array, grow: Array, fall: Array) -> Array:
        """Rows all of whose variables are at a bound that their needs hold them to, whatever pair is taken."""
        calm = np.zeros(len(need), dtype=bool)
        for g in range(len(self.state.problem.totals)):
            mine = self.group == g
            largest = need[mine & grow].max(initial=-np.inf)
            smallest = need[mine & fall].min(initial=np.inf)
            calm |= mine & ((~grow & (need > largest)) | (~fall & (need < smallest)))
        return np.bincount(self.position, weights=~calm, minlength=len(self.f)) == 0


def _shrunk(local: _Local, cache: RowCache, keep: Array) -> tuple[_Local, Array, Array]:
    """The problem without rows that are calm; they are looked at again at the end of the round."""
    places = np.cumsum(keep) - 1
    stay = keep[local.position]
    cache.shrink(np.flatnonzero(keep))
    smaller = _Local(local.state, local.variables[stay], places[local.position[stay]], local.f[keep])
    return smaller, np.zeros(int(keep.sum()), dtype=bool), np.empty(0, dtype=np.int64)


def _choose(local: _Local, need: Array, grow: Array, fall: Array, size: int, last: Array) -> tuple[Array, float]:
    """A working set, group after group: the worst violators from either side, and of the last set the free ones."""
    groups = len(local.state.problem.totals)
    quarter = max(1, size // (groups * (4 if len(last) else 2)))
    new, violation = np.zeros(len(need), dtype=bool), 0.0
    for g in range(groups):
        mine = local.group == g
        up, down = np.flatnonzero(mine & grow), np.flatnonzero(mine & fall)
        if not len(up) or not len(down):
            continue
        largest, smallest = need[up].max(), need[down].min()
        violation = max(violation, float(largest - smallest))
        # what violates no condition with any other is of no use
        up, down = up[need[up] > smallest], down[need[down] < largest]
        new[_most(up, -need[up], quarter)] = True
        new[_most(down, need[down], quarter)] = True
    chosen = np.flatnonzero(new)
    room = size - len(chosen)
    if len(last) and room > 0:
        rest = last[~new[last]]
        free = grow[rest] & fall[rest]
        chosen = np.concatenate([chosen, np.concatenate([rest[free], rest[~free]])[:room]])
    return chosen[np.argsort(local.group[chosen], kind="stable")], violation


def _most(places: Array, order: Array, count: int) -> Array:
    """The places of the `count` smallest."""
    return places if len(places) <= count else places[np.argpartition(order, count)[:count]]


def _step(state: _State, local: _Local, cache: RowCache, chosen: Array, need: Array, tol: float) -> int:
    """Solve a working set, and update the scores of all active rows; returns the number of pair steps."""
    position = local.position[chosen]
    rows, place = np.unique(position, return_inverse=True)
    slots = cache.fetch(rows)
    K = cache.gram.block(position, position, cache.dtype)  # sooner computed than gathered from rows that are far longer
    ends = np.searchsorted(local.group[chosen], np.arange(len(state.problem.totals) + 1))
    b, before = local.b[chosen], local.b[chosen]
    most = int(min(STEPS_EACH * max(len(chosen), 50) if state.steps else FEW_STEPS, state.steps_left))
    if state.steps >= FEW_STEPS:
        load()  # steps are many times the numbers that a loop is called with
    low, high = local.low[chosen], local.high[chosen]
    work = np.empty((3, len(chosen)))
    steps = pair_steps(K, need[chosen], b, low, high, ends, 0.5 * tol, SHARE, most, *work)
    state.steps += steps
    state.steps_left -= steps
    state.outer += 1
    local.b[chosen] = b
    state.b[local.variables[chosen]] = b
    change = np.bincount(place, weights=b - before, minlength=len(rows))
    moved = np.flatnonzero(change)
    add_rows(cache.store, slots[moved], change[moved], local.f)
    return steps
