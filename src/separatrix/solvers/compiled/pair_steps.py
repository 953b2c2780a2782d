"""Sequential minimal optimisation on a block of variables, and sums of kernel rows without a copy of them."""

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.types import Array

# Of the largest diagonal entry, in place of a curvature that rounding made 0 or negative.
LEAST_CURVATURE = 1e-14


@compiled
def pair_steps(
    K: Array,
    need: Array,
    b: Array,
    low: Array,
    high: Array,
    ends: Array,
    tol: float,
    share: float,
    most: int,
    work_diagonal: Array,
    work_up: Array,
    work_down: Array,
) -> int:
    """Move pairs of coefficients, one up and one down by as much, in place; returns the number of steps.

    `need` is p - K b, what the score of each variable misses: the largest of those that may grow and the smallest of
    those that may fall differ by the violation. The first of a pair is the largest, the second gains most by second
    order (Fan, Chen and Lin 2005, JMLR 6, working set selection 2). Groups are the ranges ``ends[g]`` to
    ``ends[g + 1]``; a pair is of one group. Steps end at a violation of `tol` or of `share` of the first, or at `most`.

    What may not grow has an infinite `work_up`, what may not fall an infinite `work_down`: sums with them need no
    branch, which a processor would guess wrong half of the time (measured: three times as fast).
    """
    q, largest_diagonal = b.shape[0], 0.0
    for t in range(q):
        work_diagonal[t] = K[t, t]
        largest_diagonal = max(largest_diagonal, abs(work_diagonal[t]))
        work_up[t] = 0.0 if b[t] < high[t] else -np.inf
        work_down[t] = 0.0 if b[t] > low[t] else np.inf
    least_curvature = LEAST_CURVATURE * (largest_diagonal if largest_diagonal > 0.0 else 1.0)
    first_violation = -1.0
    for step in range(most):
        # of the best pair the square of the drop and the curvature: their ratio is the gain
        square, below, i, j, violation = 0.0, 1.0, -1, -1, 0.0
        for g in range(ends.shape[0] - 1):
            top, largest, smallest = -1, -np.inf, np.inf
            for t in range(ends[g], ends[g + 1]):
                if need[t] + work_up[t] > largest:
                    largest, top = need[t], t
                if need[t] + work_down[t] < smallest:
                    smallest = need[t]
            if top < 0 or smallest == np.inf:
                continue
            violation = max(violation, largest - smallest)
            diagonal = work_diagonal[top]
            for t in range(ends[g], ends[g + 1]):
                drop = max(largest - need[t] - work_down[t], 0.0)
                curvature = max(diagonal + work_diagonal[t] - 2.0 * K[top, t], least_curvature)
                if drop * drop * below > square * curvature:
                    square, below, i, j = drop * drop, curvature, top, t
        if first_violation < 0.0:
            first_violation = violation
        if i < 0 or violation <= max(tol, share * first_violation):
            return step
        move = (need[i] - need[j]) / below
        room_up, room_down = high[i] - b[i], b[j] - low[j]
        # exactly on the bound, which rounding would miss
        if move >= room_up and room_up <= room_down:
            move = room_up
            b[i], b[j] = high[i], b[j] - move
        elif move >= room_down:
            move = room_down
            b[i], b[j] = b[i] + move, low[j]
        else:
            b[i], b[j] = b[i] + move, b[j] - move
        for t in (i, j):
            work_up[t] = 0.0 if b[t] < high[t] else -np.inf
            work_down[t] = 0.0 if b[t] > low[t] else np.inf
        for t in range(q):
            need[t] -= move * (K[i, t] - K[j, t])
    return most


@compiled
def add_rows(store: Array, slots: Array, weights: Array, f: Array) -> None:
    """``f += Σ_k weights_k store[slots_k]``, four rows at a time."""
    n, last = f.shape[0], slots.shape[0] - slots.shape[0] % 4
    for k in range(0, last, 4):
        a, b, c, d = store[slots[k]], store[slots[k + 1]], store[slots[k + 2]], store[slots[k + 3]]
        u, v, w, x = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        for i in range(n):
            f[i] += (u * a[i] + v * b[i]) + (w * c[i] + x * d[i])
    for k in range(last, slots.shape[0]):
        row, weight = store[slots[k]], weights[k]
        for i in range(n):
            f[i] += weight * row[i]
