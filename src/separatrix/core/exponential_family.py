r"""The gap of the likelihood of an exponential family near its maximum, by Newton's decrement.

    f(θ) = Φ(θ) - θ'm + ½ θ'Rθ,     Φ(θ) = log Σ_x e^{θ'T(x)},     g = f'(θ),  H = f''(θ),  λ² = g'H⁻¹g

    f(θ) - min f  <=  (δ + (1 - δ) log(1 - δ))/ρ²,     δ = ρλ < 1,     ρ = 2 max_x |T(x) - E T|  in the norm of H⁻¹

which is about λ²/2. Proof. Along a line, from θ to θ + u, the third derivative of Φ is the third cumulant of u'T, at
most the range of u'T over x times the second cumulant. That range is at most ρr, where ``r² = u'Hu``. So the second
derivative of f falls no faster than ``r² e^{-ρrt}``, and ``f(θ + u) >= f(θ) - λr + (e^{-ρr} + ρr - 1)/ρ²``. The right
side is least at ``e^{-ρr} = 1 - δ``.

From     Bach (2010), Electron. J. Statist. 4, section 2: functions whose third derivative is bounded by the second.
"""

from collections.abc import Iterable

import numpy as np
import scipy.linalg

from separatrix.core.types import Array

SMALL = 1e-3  # below it the series of the bound has more digits than its formula


def decrement_bound(slope: Array, curvature: Array, statistics: Iterable[Array]) -> float:
    """The bound; `statistics` are ``T(x) - E T`` of all x, in blocks (N, q). Infinite where it does not hold yet.

    >>> round(decrement_bound(np.array([1e-4]), np.array([[0.25]]), [np.array([[-0.5], [0.5]])]), 10)  # 1e-8/(2 * 0.25)
    2e-08
    """
    if not np.isfinite(curvature).all():
        return np.inf
    try:
        factor = scipy.linalg.cholesky(curvature, lower=True)
    except scipy.linalg.LinAlgError:
        return np.inf
    length = float(np.linalg.norm(scipy.linalg.solve_triangular(factor, slope, lower=True)))
    squares = (np.square(scipy.linalg.solve_triangular(factor, T.T, lower=True)).sum(axis=0).max() for T in statistics)
    reach = 2.0 * float(np.sqrt(max(squares)))
    delta = reach * length
    if not delta < 1.0:
        return np.inf
    if delta < SMALL:
        return length**2 * (0.5 + delta / 6.0 + delta**2 / 12.0 + delta**3)
    return float((delta + (1.0 - delta) * np.log1p(-delta)) / reach**2)
