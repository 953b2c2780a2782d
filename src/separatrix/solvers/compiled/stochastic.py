"""One pass of stochastic gradient descent over the rows of a design, in the order that is handed in.

Per example i, with eta = x_i'beta + intercept and step size a:

    beta      <-  (1 - a l2) beta - a s_i slope(loss, y_i, eta) x_i,    then soft-thresholded by what it owes to L1
    intercept <-  intercept       - a s_i slope(loss, y_i, eta)

Cost: O(stored numbers of the row). The ridge shrinkage is a scalar in front of beta and the average of all iterates two
scalars (Bottou, Stochastic Gradient Descent Tricks, 2012, sections 5.1 and 5.2); L1 is settled before and after a
column is met (Tsuruoka, Tsujii and Ananiadou, ACL 2009: cumulative penalty), and for all columns when the pass ends.
"""

from math import sqrt
from typing import NamedTuple

from separatrix.core.jit import compiled, part
from separatrix.core.prefetch import prefetch
from separatrix.core.types import Array, Loss, RowsAtom
from separatrix.core.verbs import row_add, row_ahead, row_dot, row_entry, row_span, slope, value

# Kinds of step size; the names are scikit-learn's.
CONSTANT, OPTIMAL, INVSCALING, PA1, PA2 = range(5)

# Places in the small array that survives from pass to pass.
INTERCEPT, CLOCK, OWED, AVERAGE_INTERCEPT = range(4)

LOOK_AHEAD = 4  # rows; enough to hide one memory latency behind the arithmetic of short rows
LARGEST_SLOPE = 1e12  # a larger slope is clipped, so that one absurd example cannot overflow the model
SMALLEST_SCALE = 1e-9


class Schedule(NamedTuple):
    """Step sizes as plain data for the compiled loop; made by :func:`separatrix.solvers.stochastic.schedule`."""

    kind: int
    rate: float
    power: float
    alpha: float
    offset: float


@part
def step_size(schedule: Schedule, t: float) -> float:
    """The step of update number t = 1, 2, ... (ignored by the passive-aggressive rules, but for their shrinkage)."""
    if schedule.kind == OPTIMAL:
        return 1.0 / (schedule.alpha * (schedule.offset + t - 1.0))
    if schedule.kind == INVSCALING:
        if schedule.power == 0.25:  # the default; two square roots cost a fifth of a power
            return schedule.rate / sqrt(sqrt(t))
        return schedule.rate / t**schedule.power
    return schedule.rate


@part
def amount(loss: Loss, schedule: Schedule, y: float, eta: float, step: float, square: float) -> float:
    """What a row is multiplied by before it is added to beta."""
    if schedule.kind < PA1:
        return -step * min(max(slope(loss, y, eta), -LARGEST_SLOPE), LARGEST_SLOPE)
    excess = value(loss, y, eta)
    size = excess / (square + 0.5 / schedule.rate) if schedule.kind == PA2 else min(schedule.rate, excess / square)
    return size if y >= eta else -size


@part
def unscale(beta: Array, scale: float, averaged: Array, a: float, b: float) -> None:
    """Write the two lazy vectors out: beta and the average (of no length where none is kept)."""
    for j in range(averaged.shape[0]):
        averaged[j] = (averaged[j] + a * beta[j]) / b
    for j in range(beta.shape[0]):
        beta[j] *= scale


@part
def pay(z: float, owed: float, paid: float) -> float:
    """A coefficient after paying, at most down to zero, what it owes to L1 beyond what it has paid (with its sign)."""
    if z > 0.0:
        return max(0.0, z - (owed + paid))
    if z < 0.0:
        return min(0.0, z + (owed - paid))
    return 0.0


@part
def add_and_pay(
    rows: RowsAtom,
    i: int,
    update: float,
    scale: float,
    owed: float,
    beta: Array,
    paid: Array,
    averaged: Array,
    a: float,
) -> tuple[float, float]:
    """Add a row to beta and let the touched columns pay; returns the change of the sums of squares and of sizes."""
    start, stop = row_span(rows, i)
    squares, sizes = 0.0, 0.0
    for k in range(start, stop):
        j, x = row_entry(rows, i, k)
        before = scale * beta[j]
        moved = before + update * x
        after = pay(moved, owed, paid[j])
        paid[j] += after - moved
        beta[j] = after / scale
        squares += after * after - before * before
        sizes += abs(after) - abs(before)
        if averaged.shape[0] > 0:
            averaged[j] -= a * (after - before) / scale
    return squares, sizes


@part
def settle(owed: float, beta: Array, paid: Array) -> None:
    """Let every column pay, at the end of a pass."""
    for j in range(beta.shape[0]):
        after = pay(beta[j], owed, paid[j])
        paid[j] += after - beta[j]
        beta[j] = after


@compiled
def epoch(
    rows: RowsAtom,
    loss: Loss,
    y: Array,
    s: Array,
    order: Array,
    schedule: Schedule,
    l1: float,
    l2: float,
    fit_intercept: bool,
    average: int,
    beta: Array,
    averaged: Array,
    paid: Array,
    state: Array,
) -> float:
    """One pass in place; returns the mean objective met on the way. `s` has no length where all weights are 1."""
    intercept, t, owed, average_intercept = state[INTERCEPT], state[CLOCK], state[OWED], state[AVERAGE_INTERCEPT]
    n = order.shape[0]
    scale, a, b, total = 1.0, 0.0, 1.0, 0.0
    squares, sizes = 0.0, 0.0
    for j in range(beta.shape[0]):
        squares += beta[j] * beta[j]
        sizes += abs(beta[j])
    for m in range(n):
        ahead = order[min(m + LOOK_AHEAD, n - 1)]
        row_ahead(rows, ahead)
        prefetch(y, ahead * y.itemsize)
        i = order[m]
        if l1 > 0.0:  # what fell due since the columns were last met; dense rows meet all columns, and owe nothing here
            more_squares, more_sizes = add_and_pay(rows, i, 0.0, scale, owed, beta, paid, averaged, a)
            squares, sizes = squares + more_squares, sizes + more_sizes
        dot, square = row_dot(rows, i, beta)
        dot *= scale
        eta = dot + intercept
        total += value(loss, y[i], eta)
        if schedule.kind < PA1:  # the passive-aggressive rules minimise no objective: only their losses are counted
            total += 0.5 * l2 * squares + l1 * sizes
        elif schedule.kind == PA1 and square == 0.0:
            continue
        step = step_size(schedule, t)
        update = amount(loss, schedule, y[i], eta, step, square)
        if s.shape[0] > 0:
            update *= s[i]
        if l2 > 0.0:
            shrink = max(0.0, 1.0 - step * l2)
            scale, dot, squares, sizes = scale * shrink, dot * shrink, squares * shrink * shrink, sizes * shrink
            if scale < SMALLEST_SCALE:
                unscale(beta, scale, averaged, a, b)
                scale, a, b = 1.0, 0.0, 1.0
        if l1 > 0.0:
            owed += step * l1
            more_squares, more_sizes = add_and_pay(rows, i, update, scale, owed, beta, paid, averaged, a)
            squares, sizes = squares + more_squares, sizes + more_sizes
        elif update != 0.0:
            row_add(rows, i, update / scale, beta)
            squares += update * (2.0 * dot + update * square)
            if a != 0.0:
                row_add(rows, i, -a * update / scale, averaged)
        if fit_intercept:
            intercept += update
        if 0 < average <= t:
            share = 1.0 / (t - average + 1.0)
            if share < 1.0:
                b /= 1.0 - share
            a += share * b * scale
            average_intercept += share * (intercept - average_intercept)
        t += 1.0
    unscale(beta, scale, averaged, a, b)
    if l1 > 0.0:
        settle(owed, beta, paid)
    state[INTERCEPT], state[CLOCK], state[OWED], state[AVERAGE_INTERCEPT] = intercept, t, owed, average_intercept
    return total / n


@compiled
def pass_of_batches(
    rows: RowsAtom,
    loss: Loss,
    y: Array,
    s: Array,
    order: Array,
    batch_size: int,
    step: float,
    ridge: Array,
    fit_intercept: bool,
    beta: Array,
    intercept: Array,
    work_g: Array,
) -> None:
    """One pass of mini-batches with a fixed step, in place; `ridge` (p,) holds the strengths of the penalty."""
    n, p = order.shape[0], beta.shape[0]
    for start in range(0, n, batch_size):
        stop = min(start + batch_size, n)
        work_g[:] = 0.0
        g_intercept = 0.0
        for m in range(start, stop):
            i = order[m]
            g = s[i] * slope(loss, y[i], row_dot(rows, i, beta)[0] + intercept[0])
            row_add(rows, i, g, work_g)
            g_intercept += g
        share = step / (stop - start)
        for j in range(p):
            beta[j] -= share * work_g[j] + step * ridge[j] * beta[j]
        if fit_intercept:
            intercept[0] -= share * g_intercept
