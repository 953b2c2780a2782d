"""Loops of coordinate descent on a Gram matrix."""

from separatrix.core.jit import compiled
from separatrix.core.verbs import prox


@compiled
def sweep(G, penalty, size, beta, q):
    """One cyclic pass in place over the first `size` columns.

    ``q = c - G beta`` is the gradient's opposite and is kept up to date. Returns how many coefficients entered or left
    the support, and how many changed.
    """
    crossed = 0
    changed = 0
    for j in range(size):
        curvature = G[j, j]
        old = beta[j]
        if curvature <= 0.0:
            continue
        new = prox(penalty, old + q[j] / curvature, 1.0 / curvature)
        change = new - old
        if change != 0.0:
            beta[j] = new
            for l in range(size):
                q[l] -= change * G[j, l]
            changed += 1
            if old == 0.0 or new == 0.0:
                crossed += 1
    return crossed, changed


@compiled
def shift(G, size, support, step, q):
    """``q -= G[:, support] step``, in place."""
    for k in range(support.shape[0]):
        j = support[k]
        for l in range(size):
            q[l] -= step[k] * G[j, l]
