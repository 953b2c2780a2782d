"""Loops of coordinate descent on columns that store few numbers."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array, Penalty
from separatrix.core.verbs import of_coefficient, prox


@compiled
def bends(starts: Array, rows: Array, data: Array, H: Array, out: Array) -> None:
    """The curvature of each coefficient, ``Σ_i H_icc z_ij²``, score by score."""
    size = starts.shape[0] - 1
    for j in range(size):
        for c in range(H.shape[1]):
            total = 0.0
            for t in range(starts[j], starts[j + 1]):
                total += H[rows[t], c, c] * data[t] * data[t]
            out[c * size + j] = total


@compiled
def sweep(
    starts: Array,
    rows: Array,
    data: Array,
    H: Array,
    bend: Array,
    penalty: Penalty,
    c: Array,
    beta: Array,
    moved: Array,
) -> float:
    """One cyclic pass in place over all coefficients; returns the largest change of a gradient by its coefficient.

    Column j stores `data` in `rows` from ``starts[j]`` on. ``moved``, the curvature H of the rows times the change of
    their scores, is kept up to date: ``c - Z'moved`` is the opposite of the gradient.
    """
    size, largest = starts.shape[0] - 1, 0.0
    for j in range(size):
        for score in range(H.shape[1]):
            place = score * size + j
            if bend[place] <= 0.0:
                continue
            q = c[place]
            for t in range(starts[j], starts[j + 1]):
                q -= data[t] * moved[rows[t], score]
            old = beta[place]
            new = prox(of_coefficient(penalty, place), old + q / bend[place], 1.0 / bend[place])
            if new == old:
                continue
            beta[place] = new
            largest = max(largest, bend[place] * abs(new - old))
            for t in range(starts[j], starts[j + 1]):
                step = data[t] * (new - old)
                for other in range(H.shape[1]):
                    moved[rows[t], other] += step * H[rows[t], score, other]
    return largest
