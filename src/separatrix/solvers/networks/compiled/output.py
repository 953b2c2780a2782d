"""The loss of a network's outputs, and its slopes, in one pass over them."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import joint_value, slope, slopes, value


@compiled
def column_losses(loss: Loss, Y: Array, s: Array, unit: float, out: Array) -> float:
    """``Σ_i s_i Σ_c loss(y_ic, eta_ic) / unit``; `out` holds eta (m, k), and then the slopes of that sum.

    `s` has no length where all weights are 1.
    """
    total = 0.0
    for i in range(out.shape[0]):
        factor = (s[i] if s.shape[0] > 0 else 1.0) / unit
        for c in range(out.shape[1]):
            total += factor * value(loss, Y[i, c], out[i, c])
            out[i, c] = factor * slope(loss, Y[i, c], out[i, c])
    return total


@compiled
def joint_losses(loss: Loss, Y: Array, s: Array, unit: float, out: Array) -> float:
    """The same for a loss of all outputs of a row together."""
    total = 0.0
    for i in range(out.shape[0]):
        factor = (s[i] if s.shape[0] > 0 else 1.0) / unit
        total += factor * joint_value(loss, Y[i], out[i])
        slopes(loss, Y[i], out[i], out[i])
        for c in range(out.shape[1]):
            out[i, c] *= factor
    return total
