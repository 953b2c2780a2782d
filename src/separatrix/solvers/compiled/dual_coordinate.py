"""One pass of dual coordinate ascent over hinges, in the order that is handed in."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array, RowsAtom
from separatrix.core.verbs import row_add, row_ahead, row_dot, row_score

LOOK_AHEAD = 2
# Places in the small array that survives from pass to pass: the intercept, what the pulls sum to, the gap of the rows
# as they were met; the largest excess of a hinge that could pull more, the least of one that could pull less, and how
# far beyond these a hinge is left out.
INTERCEPT, PULL, GAP, HIGHEST, LOWEST, TOO_HIGH, TOO_LOW = range(7)
STATE = 7


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
