"""Loops of coordinate descent on a Gram matrix."""

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array, Penalty
from separatrix.core.verbs import of_coefficient, prox, split


@part
def is_smooth_at(penalty: Penalty, beta: float) -> bool:
    """Whether the penalty of one coefficient is differentiable at beta: no kink, no bound."""
    kink, _, low, high = split(penalty)
    return low < beta < high and (kink == 0.0 or beta != 0.0)


@compiled
def sweep(G: Array, penalty: Penalty, size: int, beta: Array, q: Array) -> tuple[int, int]:
    """One cyclic pass in place over the first `size` columns.

    ``q = c - G beta`` is the gradient's opposite and is kept up to date. Returns how many coefficients came to a kink
    or a bound of the penalty, or left one, and how many changed.
    """
    crossed = 0
    changed = 0
    for j in range(size):
        curvature = G[j, j]
        if curvature <= 0.0:
            continue
        here, old = of_coefficient(penalty, j), beta[j]
        new = prox(here, old + q[j] / curvature, 1.0 / curvature)
        change = new - old
        if change != 0.0:
            beta[j] = new
            for l in range(size):
                q[l] -= change * G[j, l]
            changed += 1
            if is_smooth_at(here, old) != is_smooth_at(here, new):
                crossed += 1
    return crossed, changed


@compiled
def shift(G: Array, size: int, support: Array, step: Array, q: Array) -> None:
    """``q -= G[:, support] step``, in place."""
    for k in range(support.shape[0]):
        j = support[k]
        for l in range(size):
            q[l] -= step[k] * G[j, l]
