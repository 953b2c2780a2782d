r"""Profile-likelihood intervals: the values of a coefficient that a likelihood-ratio test would not reject.

Solves   l_p(b) = max { l(w) : w_j = b } = l(ŵ) - z²/2        for the two ends b of the interval of coefficient j
Given    a logistic fit of two classes with its data.
Returns  the ends, infinite where the likelihood does not fall by z²/2 however far one goes.
From     Venzon and Moolgavkar (1988), Applied Statistics 37(1). We differ in taking Newton steps on the signed root
         r(b) = sqrt(2 (l(ŵ) - l_p(b))), which is nearly linear in b; its slope is known from the multiplier of the
         constraint, so that each trial costs one constrained fit and nothing more.
Cost     about ten reads of X for each end.

Coordinates are those in which the information at the fit is the identity: w = ŵ + A u with A A' = V.
"""

import numpy as np
from scipy.special import expit, ndtri

from separatrix.inference.covariance import EPS, coordinates, square_root

TRIALS = 80
STEPS = 60
# Coordinates of up to this many numbers are kept, those of larger problems made again at each read.
KEEP = 1 << 22
# An end this many standard errors away is at infinity: the likelihood of an existing optimum falls long before.
FAR = 1e4


def profile_intervals(fit, level, only=None):
    """Ends of the intervals of all coefficients: shape (q, 2), NaN for aliased ones and for those not in `only`."""
    V = fit.evidence.covariance
    ends = np.full((len(V), 2), np.nan)
    A = square_root(V, fit.evidence.intercept, fit.design, fit.information())
    surface = _Surface(fit, A)
    z = float(ndtri(0.5 + 0.5 * level))
    for j in range(len(V)) if only is None else only:
        if A[j].any():
            estimate = fit.evidence.coefficients[j, 0]
            ends[j] = [estimate + _end(surface, A[j], side, z) for side in (-1.0, 1.0)]
    return ends


class _Surface:
    """The log-likelihood around the fit, as a function of u, less its value there; with slope and information."""

    def __init__(self, fit, A):
        self.A, self.design, self.y, self.s = A, fit.design, fit.problem.target.y, fit.problem.target.weights
        self.eta = fit.scores()
        self.peak = self._terms(self.y, self.eta) @ self.s
        self.Z = None
        if fit.design.n * A.shape[1] <= KEEP:
            self.Z = coordinates(A, fit.design.block(slice(None)))

    @staticmethod
    def _terms(y, eta):
        return -((1.0 - y) * np.maximum(eta, 0.0) + y * np.maximum(-eta, 0.0) + np.log1p(np.exp(-np.abs(eta))))

    def __call__(self, u, slopes=True):
        """Log-likelihood, slope g and information H at u; the first alone without `slopes`."""

        def task(Z, eta, y, s):
            eta = eta + Z @ u
            value = s @ self._terms(y, eta)
            if not slopes:
                return (value,)
            mu = expit(eta)
            return value, (s * (y - mu)) @ Z, (Z * (s * mu * expit(-eta))[:, None]).T @ Z

        if self.Z is not None:
            found = task(self.Z, self.eta, self.y, self.s)
        else:
            found = self.design.reduce(
                lambda B, *rest: task(coordinates(self.A, B), *rest),
                lambda a, b: tuple(x + y for x, y in zip(a, b)),
                self.eta,
                self.y,
                self.s,
            )
        return (found[0] - self.peak, *found[1:])


def _end(surface, a, side, z):
    """How far from the estimate, with sign, the interval of a coefficient ends; `a` is its row of A."""
    error = np.linalg.norm(a)
    inside, outside = 0.0, np.inf  # distances at which r < z, and r > z
    distance, u = z * error, np.zeros_like(a)
    for _ in range(TRIALS):
        u, drop, fall = _constrained(surface, a, side * distance, u)
        fall = -side * fall  # of the log-likelihood for each unit of distance
        r = np.sqrt(max(2.0 * drop, 0.0))
        if abs(r - z) <= 1e-10 * z:
            return side * distance
        if r < z:
            inside = distance
        else:
            outside = distance
        step = (z - r) * r / fall if fall > 0.0 else np.inf
        if np.isinf(outside) and (not step < FAR * error or distance > FAR * error):
            return side * np.inf
        tried, distance = distance, distance + step
        if np.isfinite(outside) and not inside < distance < outside:
            distance = 0.5 * (inside + outside)
        elif np.isinf(outside):
            distance = min(distance, 4.0 * tried)
        if abs(distance - tried) <= 1e-13 * distance:
            return side * distance
    return side * distance


def _constrained(surface, a, b, start):
    """The best u with a'u = b, how far the log-likelihood is below its peak there, and the constraint's multiplier.

    Newton's method with step halving, from the feasible point nearest the start.
    """
    u = start + a * (b - a @ start) / (a @ a)
    rounding = 16.0 * EPS * (1.0 + abs(surface.peak))
    value, g, H = surface(u)
    for _ in range(STEPS):
        multiplier = (a @ g) / (a @ a)
        free = g - multiplier * a
        step, normal = np.linalg.lstsq(H, np.column_stack([free, a]), rcond=1e-13)[0].T
        # among the directions that keep a'u
        step = step - normal * (a @ step) / (a @ normal) if a @ normal > 0.0 else free
        gain = float(free @ step)
        if gain <= rounding:  # the error left in the log-likelihood is of the order of its square
            break
        length = 1.0
        while length > 1e-10:
            moved = surface(u + length * step, slopes=False)[0]
            if moved >= value - rounding:
                break
            length *= 0.5
        else:
            break
        u = u + length * step
        value, g, H = surface(u)
    return u, -value, (a @ g) / (a @ a)
