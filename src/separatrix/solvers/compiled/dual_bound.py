"""Loops over coefficients that scale a dual point into the domain of a penalty's conjugate."""

from math import inf

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array, Penalty
from separatrix.core.verbs import conjugate_cost, of_coefficient, split
from separatrix.penalties.separable import Bounded, Separable


@part
def bounded_if_free(penalty: Penalty, size: float) -> Bounded:
    """The penalty of one coefficient; where it neither penalises nor bounds, with bounds of twice the size."""
    kink, ridge, low, high = split(penalty)
    if kink == 0.0 and ridge == 0.0 and low == -inf and high == inf and size > 0.0:
        return Bounded(0.0, 0.0, -2.0 * size, 2.0 * size)
    return Bounded(kink, ridge, low, high)


@part
def largest_size(beta: Array, j: int) -> float:
    """The size of the largest number in row j."""
    size = 0.0
    for c in range(beta.shape[1]):
        size = max(size, abs(beta[j, c]))
    return size


@compiled
def scales(penalty: Separable, v: Array, beta: Array) -> tuple[float, float]:
    """The largest ``a <= 1`` at which the conjugates at a v are finite, and at which they are 0 but at bounds.

    The elastic net is a lasso on rows augmented with ``sqrt(ridge) I``: its slopes there are ``v - ridge beta``.
    """
    finite = 1.0
    tight = 1.0
    for j in range(v.shape[0]):
        if largest_size(v, j) <= penalty.kink[j]:
            continue  # so are nearly all: nothing else of them is read
        kink, ridge, low, high = split(bounded_if_free(of_coefficient(penalty, j), largest_size(beta, j)))
        for c in range(v.shape[1]):
            size = abs(v[j, c])
            bound, b = (high, beta[j, c]) if v[j, c] > 0.0 else (-low, -beta[j, c])
            if ridge == 0.0 and bound == inf:
                if size * finite > kink:
                    finite = kink / size
            elif kink > 0.0 and b < bound:
                size -= ridge * abs(b)
                if size * tight > kink:
                    tight = kink / size
    return finite, min(finite, tight)


@compiled
def sum_at(penalty: Separable, v: Array, beta: Array, a: float) -> float:
    """Σ of the conjugates at a v."""
    total = 0.0
    for j in range(v.shape[0]):
        if a * largest_size(v, j) <= penalty.kink[j]:
            continue  # the conjugate is 0
        here = bounded_if_free(of_coefficient(penalty, j), largest_size(beta, j))
        for c in range(v.shape[1]):
            total += conjugate_cost(here, a * v[j, c])
    return total
