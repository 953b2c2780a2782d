r"""The constant that lowers a loss most: :math:`\min_v \sum_i s_i \ell(y_i, \eta_i + v)` over some rows.

For losses with kinks, whose curvature says nothing about how far to go: of the pinball loss it is a quantile of the
residuals. The loss must be convex, so that the sum of its slopes rises with v; where it is 0 on a stretch the middle
of the stretch is returned.
"""

from math import isfinite

import numpy as np

from separatrix.core.types import Array, Loss
from separatrix.solvers.trees.compiled.slopes import summed_slope

MOST_STEPS = 200


def best_step(loss: Loss, y: Array, s: Array, eta: Array, order: Array, start: int, stop: int) -> float:
    """The best v for the rows ``order[start:stop]``; the end nearest to 0 where the loss falls for ever.

    >>> from separatrix.losses import Quantile
    >>> y, rows = np.array([1.0, 2.0, 4.0, 9.0]), np.arange(4, dtype=np.uint32)
    >>> best_step(Quantile(0.5), y, np.empty(0), np.zeros(4), rows, 0, 4)
    3.0
    """

    def total(v: float) -> float:
        return summed_slope(loss, y, s, eta, order, start, stop, v)

    size = 1.0
    rows = order[start:stop]
    if len(rows):
        size = max(1.0, float(np.abs(y[rows] - eta[rows]).max()))
    lower = _edge(total, -size, size, above=False)
    upper = _edge(total, -size, size, above=True)
    ends = [v for v in (lower, upper) if isfinite(v)]
    if not ends:
        return 0.0
    return ends[0] if len(ends) == 1 else (lower + upper) / 2.0


def _edge(total, low: float, high: float, *, above: bool) -> float:  # type: ignore[no-untyped-def]
    """Where the sum of slopes becomes positive (`above`), or stops being negative; infinite where it never does."""

    def beyond(v: float) -> bool:
        slope = total(v)
        return slope > 0.0 if above else slope >= 0.0

    for _ in range(64):
        if not beyond(low):
            break
        low *= 2.0
    else:
        return -np.inf
    for _ in range(64):
        if beyond(high):
            break
        high *= 2.0
    else:
        return np.inf
    for _ in range(MOST_STEPS):
        middle = (low + high) / 2.0
        if not low < middle < high:
            break
        if beyond(middle):
            high = middle
        else:
            low = middle
    return low if above else high
