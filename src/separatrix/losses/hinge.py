r"""Losses of the margin :math:`z = y\,\eta`, with y coded -1 and +1: hinge, perceptron criterion, squared hinge."""

from math import inf
from typing import NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.registry import register
from separatrix.core.verbs import conjugate, curvature, kinks, largest_curvature, slope, value


@register("loss", (1.0,), (0.0,))
@atom
class Hinge(NamedTuple):
    r"""Linear up to a margin of `threshold`, nothing beyond; y in {-1, +1}.

    .. math:: \ell = (m - y\,\eta)_+, \qquad \ell^*(u) = m\,y\,u \quad (-1 \le y\,u \le 0)

    With threshold 1 the loss of the support vector machine, with threshold 0 the perceptron criterion
    :math:`-\sum_{\text{mistakes}} y_i\,\eta_i`. At the kink the slope is taken from the side of the mistake: with
    threshold 0 a score of 0 is a mistake, without which a perceptron that starts at zero would never move.

    Parameters
    ----------
    threshold : float, [0, inf), default 1.0.  The margin below which an example costs something.

    References: Rosenblatt (1958), Psychological Review 65(6). Cortes and Vapnik (1995), Machine Learning 20.

    >>> value(Hinge(), 1.0, -0.5), value(Hinge(0.0), 1.0, -0.5), slope(Hinge(0.0), 1.0, 0.0)
    (1.5, 0.5, -1.0)
    """

    threshold: float = 1.0


@implements(value, Hinge)
def _(loss: Hinge, y: float, eta: float) -> float:
    return max(loss.threshold - y * eta, 0.0)


@implements(slope, Hinge)
def _(loss: Hinge, y: float, eta: float) -> float:
    return -y if y * eta <= loss.threshold else 0.0


@implements(curvature, Hinge)
def _(loss: Hinge, y: float, eta: float) -> float:
    return 0.0


@implements(conjugate, Hinge)
def _(loss: Hinge, y: float, u: float) -> float:
    return loss.threshold * y * u if -1.0 <= y * u <= 0.0 else inf


@implements(kinks, Hinge)
def _(loss: Hinge, y: float) -> tuple[float, float]:
    return loss.threshold * y, loss.threshold * y


@register("loss", ())
@atom
class SquaredHinge(NamedTuple):
    r"""The square of the hinge loss, smooth at the margin; y in {-1, +1}.

    .. math:: \ell = (1 - y\,\eta)_+^2, \qquad \ell^*(u) = y\,u + u^2/4 \quad (y\,u \le 0)

    >>> value(SquaredHinge(), 1.0, -1.0), slope(SquaredHinge(), 1.0, -1.0)
    (4.0, -4.0)
    """

    scale: float = 1.0  # numba cannot type an empty tuple; always 1


@implements(value, SquaredHinge)
def _(loss: SquaredHinge, y: float, eta: float) -> float:
    short = max(1.0 - y * eta, 0.0)
    return short * short


@implements(slope, SquaredHinge)
def _(loss: SquaredHinge, y: float, eta: float) -> float:
    short = 1.0 - y * eta
    return -2.0 * y * short if short > 0.0 else 0.0


@implements(curvature, SquaredHinge)
def _(loss: SquaredHinge, y: float, eta: float) -> float:
    return 2.0 if y * eta < 1.0 else 0.0


@implements(conjugate, SquaredHinge)
def _(loss: SquaredHinge, y: float, u: float) -> float:
    return y * u + 0.25 * u * u if y * u <= 0.0 else inf


@implements(largest_curvature, SquaredHinge)
def _(loss: SquaredHinge) -> float:
    return 2.0
