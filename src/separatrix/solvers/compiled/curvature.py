"""One look at every row of a likelihood."""

from separatrix.core.jit import compiled
from separatrix.core.long_sums import PIECE
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import curvature, slope, value


@compiled
def look(loss: Loss, y: Array, eta: Array, share: Array, u: Array, w: Array) -> float:
    """Fill slopes u and weighted curvatures w; returns Σ share_i value_i. One exponential serves all three."""
    total = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += share[i] * value(loss, y[i], eta[i]) if share[i] > 0.0 else 0.0
            u[i] = slope(loss, y[i], eta[i])
            w[i] = share[i] * curvature(loss, y[i], eta[i])
        total += piece
    return total
