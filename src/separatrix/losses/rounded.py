r"""A loss that is linear but for kinks, its kinks rounded off: smooth methods then come near its minimum."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.types import Loss
from separatrix.core.verbs import curvature, kinks, largest_curvature, link, slope, value


@atom
class Rounded(NamedTuple):
    r"""The mean of a loss over scores within `width`: its slope rises evenly there in the place of a jump.

    .. math:: \ell_h(\eta) = \ell(\eta) + \sum_k \frac{j_k}{4h} (h - |\eta - \kappa_k|)_+^2

    for jumps :math:`j_k` of the slope at the kinks :math:`\kappa_k`: above the loss by :math:`j_k h / 4` at the most.

    Parameters
    ----------
    loss : Loss.  One that implements the verb ``kinks``.
    width : float, (0, inf).  h, in units of the score.

    >>> from separatrix.losses.hinge import Hinge
    >>> value(Rounded(Hinge(), 0.5), 1.0, 1.0), slope(Rounded(Hinge(), 0.5), 1.0, 1.25)
    (0.125, -0.25)
    """

    loss: Loss
    width: float


@implements(value, Rounded)
def _(loss: Rounded, y: float, eta: float) -> float:
    low, high = kinks(loss.loss, y)
    middle, last = slope(loss.loss, y, 0.5 * (low + high)), slope(loss.loss, y, inf)
    middle = middle if low < high else last
    near, far = max(loss.width - abs(eta - low), 0.0), max(loss.width - abs(eta - high), 0.0)
    bumps = (middle - slope(loss.loss, y, -inf)) * near * near + (last - middle) * far * far
    return value(loss.loss, y, eta) + bumps / (4.0 * loss.width)


@implements(slope, Rounded)
def _(loss: Rounded, y: float, eta: float) -> float:
    low, high = kinks(loss.loss, y)
    first, last = slope(loss.loss, y, -inf), slope(loss.loss, y, inf)
    middle = slope(loss.loss, y, 0.5 * (low + high)) if low < high else last
    near = min(max(0.5 * (eta - low) / loss.width + 0.5, 0.0), 1.0)
    far = min(max(0.5 * (eta - high) / loss.width + 0.5, 0.0), 1.0)
    return first + (middle - first) * near + (last - middle) * far


@implements(curvature, Rounded)
def _(loss: Rounded, y: float, eta: float) -> float:
    low, high = kinks(loss.loss, y)
    first, last = slope(loss.loss, y, -inf), slope(loss.loss, y, inf)
    middle = slope(loss.loss, y, 0.5 * (low + high)) if low < high else last
    bends = (middle - first) * (abs(eta - low) < loss.width) + (last - middle) * (abs(eta - high) < loss.width)
    return bends / (2.0 * loss.width)


@implements(largest_curvature, Rounded)
def _(loss: Rounded) -> float:
    return (slope(loss.loss, 1.0, inf) - slope(loss.loss, 1.0, -inf)) / (2.0 * loss.width)


@implements(link, Rounded)
def _(loss: Rounded, mean: float) -> float:
    return link(loss.loss, mean)
