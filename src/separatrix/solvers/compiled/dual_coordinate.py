"""One pass of dual coordinate ascent, over hinges or over smooth losses, in the order that is handed in."""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array, Loss, RowsAtom
from separatrix.core.verbs import curvature, row_add, row_ahead, row_dot, row_score, slope

LOOK_AHEAD = 2
# Of Newton's steps for one dual variable; and what is rounding of the equation that they solve.
MOST_STEPS, EXACT, NEGLIGIBLE = 60, 1e-6, 4e-16
# Places in the small array that survives from pass to pass: the intercept, what the pulls sum to, the gap of the rows
# as they were met; the largest excess of a hinge that could pull more, the least of one that could pull less, and how
# far beyond these a hinge is left out. The last one is for smooth losses: how far scores may still move.
INTERCEPT, PULL, GAP, HIGHEST, LOWEST, TOO_HIGH, TOO_LOW, REACH = range(8)
STATE = 8


@compiled
def squares_of_rows(rows: RowsAtom, beta: Array, out: Array) -> None:
    """out_i = ``|x_i|²``; of beta (p,) only the length matters."""
    for i in range(out.shape[0]):
        _, out[i] = row_dot(rows, i, beta)


@compiled
def ascend(
    rows: RowsAtom,
    row: Array,
    place: Array,
    d: Array,
    squares: Array,
    order: Array,
    lam: float,
    stiffness: float,
    beta: Array,
    z: Array,
    state: Array,
) -> int:
    """Take each hinge of `order` to its best z; returns how many are left, which come first in `order` then.

    A hinge that is at an end of its range, and farther from leaving it than any other was in the last pass, goes to the
    end of the order. Without an intercept `stiffness` is 0, else the intercept moves by it times a pull.
    """
    highest, lowest, gap = 0.0, 0.0, 0.0
    m, count = 0, order.shape[0]
    while m < count:
        row_ahead(rows, row[order[min(m + LOOK_AHEAD, count - 1)]])
        k = order[m]
        excess = row_score(rows, row[k], beta) + state[INTERCEPT] - place[k]
        if (z[k] <= 0.0 and excess < state[TOO_LOW]) or (z[k] >= d[k] and excess > state[TOO_HIGH]):
            count -= 1
            order[m], order[count] = order[count], k
            continue
        m += 1
        if excess > 0.0 and z[k] < d[k]:
            highest = max(highest, excess)
            gap += (d[k] - z[k]) * excess
        elif excess < 0.0 and z[k] > 0.0:
            lowest = min(lowest, excess)
            gap -= z[k] * excess
        else:
            continue
        moved = min(max(z[k] + excess / (squares[k] / lam + stiffness), 0.0), d[k]) - z[k]
        z[k] += moved
        row_add(rows, row[k], -moved / lam, beta)
        state[INTERCEPT] -= stiffness * moved
        state[PULL] += moved
    state[HIGHEST], state[LOWEST], state[GAP] = highest, lowest, gap
    return count


@compiled
def ascend_smooth(
    rows: RowsAtom,
    loss: Loss,
    y: Array,
    share: Array,
    squares: Array,
    order: Array,
    lam: float,
    stiffness: float,
    beta: Array,
    u: Array,
    place: Array,
    state: Array,
) -> int:
    """Take the dual variable of each row of `order` to its best; u_i stays the slope of its loss at place_i.

    The gap of a row at eta is ``value(eta) + conjugate(u) - u eta``, of which ``(eta - place) (slope(eta) - u)`` is the
    double at a small distance, and never less. A row whose slope did not move, and is the same as far around its score
    as any score was from its place in the last pass, goes to the end of the order; returns how many are left. Without
    an intercept `stiffness` is 0.
    """
    gap, reach = 0.0, 0.0
    m, count = 0, order.shape[0]
    while m < count:
        row_ahead(rows, order[min(m + LOOK_AHEAD, count - 1)])
        i = order[m]
        eta = row_score(rows, i, beta) + state[INTERCEPT]
        step = share[i] * (squares[i] / lam + stiffness)
        before, far = u[i], eta - place[i]
        gap += share[i] * far * (slope(loss, y[i], eta) - before)
        place[i], u[i] = best_slope(loss, y[i], eta, step, eta + step * before)
        if u[i] == before:
            low, high = slope(loss, y[i], eta - state[REACH]), slope(loss, y[i], eta + state[REACH])
            if low == before and high == before:
                count -= 1
                order[m], order[count] = order[count], i
                continue
        m += 1
        reach = max(reach, abs(far))
        moved = share[i] * (u[i] - before)
        row_add(rows, i, -moved / lam, beta)
        state[INTERCEPT] -= stiffness * moved
        state[PULL] += moved
    state[GAP], state[REACH] = gap, reach
    return count


@part
def best_slope(loss: Loss, y: float, eta: float, step: float, goal: float) -> tuple[float, float]:
    """The score e with ``e + step slope(e) = goal``, to a millionth of what eta leaves, and its slope.

    The left side grows at least as fast as e, so that the root is no farther from eta than the rest. Newton's steps;
    after one that leaves the interval, or more than half of the rest, the middle of the interval.
    """
    here = slope(loss, y, eta)
    rest = eta + step * here - goal
    enough = max(EXACT * abs(rest), NEGLIGIBLE * (abs(goal) + abs(eta)))
    low, high = min(eta, eta - rest), max(eta, eta - rest)
    before = np.inf
    for _ in range(MOST_STEPS):
        moved = eta - rest / (1.0 + step * curvature(loss, y, eta))
        eta = moved if low <= moved <= high and abs(rest) <= 0.5 * before else 0.5 * (low + high)
        before = abs(rest)
        here = slope(loss, y, eta)
        rest = eta + step * here - goal
        if abs(rest) <= enough:
            break
        low, high = (low, eta) if rest > 0.0 else (eta, high)
    return eta, here
