r"""A loss whose scores have a known term (an offset) of their own in every row: :math:`\ell(y_i, \eta + o_i)`.

The target of such a problem holds the numbers of the rows, and the loss the target and the known term of each. So a row
keeps both wherever a solver takes it: in blocks, in samples, in another order.
"""

from typing import Any, NamedTuple

from separatrix.core.dispatch import atom, implements
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import (
    conjugate,
    curvature,
    curvature_rate,
    information,
    is_convex,
    is_deviance,
    is_smooth,
    largest_curvature,
    link,
    neutral_score,
    side,
    slope,
    target_size,
    value,
)


@atom
class KnownTerm(NamedTuple):
    r"""``loss(y_i, eta + o_i)``, where the target of row i is its number i.

    .. math:: \ell_i(\eta) = \ell(y_i, \eta + o_i), \qquad \ell_i^*(u) = \ell^*(y_i, u) - u\,o_i

    Parameters
    ----------
    loss : Loss.  Of one score.
    y : (n,) array.  Targets.
    known : (n,) array.  o, the known terms of the scores.
    constant : float.  The constant score that fits best beside the known terms: the link of the null model.
    neutral : float.  The score of a model that has neither columns nor an intercept.

    >>> import numpy as np
    >>> from separatrix.losses.logistic import Logistic
    >>> shifted = KnownTerm(Logistic(), np.array([1.0, 0.0]), np.array([2.0, -2.0]))
    >>> float(slope(shifted, 1.0, 2.0))  # of row 1: y is 0 and the score 2 - 2
    0.5
    """

    loss: Loss
    y: Array
    known: Array
    constant: float = 0.0
    neutral: float = 0.0


@implements(value, KnownTerm)
def _(loss: KnownTerm, y: float, eta: float) -> float:
    return value(loss.loss, loss.y[int(y)], eta + loss.known[int(y)])


@implements(slope, KnownTerm)
def _(loss: KnownTerm, y: float, eta: float) -> float:
    return slope(loss.loss, loss.y[int(y)], eta + loss.known[int(y)])


@implements(curvature, KnownTerm)
def _(loss: KnownTerm, y: float, eta: float) -> float:
    return curvature(loss.loss, loss.y[int(y)], eta + loss.known[int(y)])


@implements(information, KnownTerm)
def _(loss: KnownTerm, y: float, eta: float) -> float:
    return information(loss.loss, loss.y[int(y)], eta + loss.known[int(y)])


@implements(conjugate, KnownTerm)
def _(loss: KnownTerm, y: float, u: float) -> float:
    return conjugate(loss.loss, loss.y[int(y)], u) - u * loss.known[int(y)]


@implements(target_size, KnownTerm)
def _(loss: KnownTerm, y: float) -> float:
    return target_size(loss.loss, loss.y[int(y)]) + abs(loss.known[int(y)])


@implements(largest_curvature, KnownTerm)
def _(loss: KnownTerm) -> float:
    return largest_curvature(loss.loss)


@implements(is_smooth, KnownTerm)
def _(loss: KnownTerm) -> bool:
    return is_smooth(loss.loss)


@implements(is_convex, KnownTerm)
def _(loss: KnownTerm) -> bool:
    return is_convex(loss.loss)


@implements(is_deviance, KnownTerm)
def _(loss: KnownTerm) -> bool:
    return is_deviance(loss.loss)


@implements(link, KnownTerm)
def _(loss: KnownTerm, mean: Any) -> Any:
    return loss.constant


@implements(neutral_score, KnownTerm)
def _(loss: KnownTerm, mean: Any) -> Any:
    return loss.neutral


@implements(curvature_rate, KnownTerm)
def _(loss: KnownTerm, y: float, eta: float, reach: float) -> float:
    return curvature_rate(loss.loss, loss.y[int(y)], eta + loss.known[int(y)], reach)


@implements(side, KnownTerm)
def _(loss: KnownTerm, y: float) -> float:
    return side(loss.loss, loss.y[int(y)])
