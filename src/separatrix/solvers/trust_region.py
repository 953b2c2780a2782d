"""The lowest point of a parabola within a radius, whether or not the parabola has a lowest point by itself.

Solves   min  g's + ½ Σ_j bends_j s_j²    such that |s| <= radius
Given    slopes g and curvatures along axes of their own: the eigenvalues of a Hessian.
Returns  s, and how far the parabola falls there: never below 0.
From     Moré and Sorensen (1983), SIAM J. Sci. Stat. Comput. 4(3): s = -g / (bends + shift) for the one shift at which
         no curvature is negative and |s| is the radius; found by bisection, which costs nothing beside the eigenvalues.
"""

import numpy as np

from separatrix.core.types import Array

FLAT = 1e-10  # curvatures below this share of the largest are rounding: nothing is known of the slope there
HALVINGS = 40


def trusted_step(bends: Array, g: Array, radius: float) -> tuple[Array, float]:
    """The step along the axes, and the fall of the parabola.

    >>> trusted_step(np.array([2.0, -1.0]), np.array([2.0, 0.0]), 5.0)[0]  # no slope, no step: not even from a ridge
    array([-1.,  0.])
    >>> step, fall = trusted_step(np.array([2.0, -1.0]), np.array([2.0, 1e-3]), 5.0)
    >>> float(np.linalg.norm(step).round(6)), bool(fall > 12.0)
    (5.0, True)
    """
    g = np.where(np.abs(bends) > FLAT * np.abs(bends).max(initial=0.0), g, 0.0)
    sloping = g != 0.0

    def step(shift: float) -> Array:
        return np.divide(-g, bends + shift, out=np.zeros_like(g), where=sloping)

    low = max(0.0, -float(bends[sloping].min(initial=0.0)))
    if low > 0.0 or float(np.linalg.norm(step(0.0))) > radius:
        high = low + float(np.linalg.norm(g)) / radius
        for _ in range(HALVINGS):  # |s| falls as the shift rises; at `high` it is within the radius
            middle = 0.5 * (low + high)
            low, high = (middle, high) if float(np.linalg.norm(step(middle))) > radius else (low, middle)
        low = high
    s = step(low) + 0.0  # no -0.0, whose sign differs between processors
    return s, -float(g @ s + 0.5 * (bends * s * s).sum())
