r"""What losses with :math:`\mu = e^{\eta}` are made of: exponentials that do not overflow, and conjugates by search.

With :math:`d = \eta - \log y` the half deviances are sums of :math:`e^x - 1 - x` at multiples of d, which
:func:`beyond_tangent` gives to full relative precision: nothing cancels where a fit is nearly exact.
"""

from math import exp, expm1, inf, log1p

from separatrix.core.jit import part
from separatrix.core.types import Loss
from separatrix.core.verbs import curvature, slope, value

LARGEST = 709.0  # exp of more overflows
SMALLEST_LOG = -745.0  # exp of less is 0
SERIES = 0.5  # below it a Taylor series of 16 terms is right to the last digit


@part
def exponential(x: float) -> float:
    """``exp(x)``, infinite where it overflows."""
    return exp(x) if x < LARGEST else inf


@part
def beyond_tangent(x: float) -> float:
    """``exp(x) - 1 - x``, to full relative precision.

    >>> beyond_tangent(1e-10)
    5.000000000166667e-21
    """
    if abs(x) >= SERIES:
        return expm1(x) - x if x < LARGEST else inf
    total = 1.0
    for k in range(17, 2, -1):
        total = 1.0 + total * x / k
    return 0.5 * x * x * total


@part
def relative_entropy(r: float) -> float:
    """``(1 + r) log(1 + r) - r`` for r >= -1, the conjugate of :func:`beyond_tangent`; infinite below.

    >>> relative_entropy(-1.0), relative_entropy(0.0)
    (1.0, 0.0)
    """
    if r < -1.0:
        return inf
    return (1.0 + r) * beyond_tangent(-log1p(r)) if r > -1.0 else 1.0


@part
def conjugate_by_search(loss: Loss, y: float, u: float, start: float) -> float:
    """sup over eta of ``u eta - value``, where the slope rises through u: Newton's steps in a bracket that shrinks.

    In a bracket [a, b] of the maximum the concave function is at most its value at a plus its slope there times b - a:
    that is returned, a bound from above that rounding alone separates from the supremum.
    """
    low, high, step = start, start, 1.0
    while slope(loss, y, low) > u:
        high, low, step = low, low - step, 2.0 * step
    while slope(loss, y, high) < u:
        low, high, step = high, high + step, 2.0 * step
    eta = 0.5 * (low + high)
    for _ in range(200):
        off = slope(loss, y, eta) - u
        if off > 0.0:
            high = eta
        else:
            low = eta
        if off == 0.0 or high - low <= 4e-16 * max(abs(low), abs(high)):
            break
        bend = curvature(loss, y, eta)
        newton = eta - off / bend if bend > 0.0 else low
        # a step beyond the root closes the bracket from its other side; outside of it, halve it
        newton += 1e-12 * (newton - eta)
        eta = newton if low < newton < high and newton != eta else 0.5 * (low + high)
    excess = (u - slope(loss, y, low)) * (high - low)
    return max(u * low - value(loss, y, low), u * eta - value(loss, y, eta)) + max(excess, 0.0)
