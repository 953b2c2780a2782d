r"""Profile-likelihood intervals: the values of a coefficient that a likelihood-ratio test would not reject.

Solves   l_p(b) = max { l(w) : w_j = b } = l(ŵ) - z²/2        for the two ends b of the interval of coefficient j
Given    a fit of one score by likelihood (two classes, or a generalised linear model) with its data. Where the
         dispersion φ was estimated, l is divided by it, as in R's confint.
Returns  the ends, infinite where the likelihood does not fall by z²/2 however far one goes.
From     Venzon and Moolgavkar (1988), Applied Statistics 37(1). We differ in taking Newton steps on the signed root
         r(b) = sqrt(2 (l(ŵ) - l_p(b))), which is nearly linear in b; its slope is known from the multiplier of the
         constraint, so that each trial costs one constrained fit and nothing more.
Cost     about ten reads of X for each end.

Coordinates are w = ŵ + A u, in which the columns of X are orthogonal: they stay good however far one goes, and where
classes are separated.
"""

import numpy as np
from scipy.special import ndtri

from separatrix.core.objective import curvatures_at, informations_at, slopes_at, total_value
from separatrix.core.verbs import is_convex
from separatrix.designs import moments
from separatrix.designs.factor import triangle_factor
from separatrix.inference.covariance import EPS, coordinates
from separatrix.solvers.information import orthonormal

TRIALS = 200
STEPS = 60
# Coordinates of up to this many numbers are kept, those of larger problems made again at each read.
KEEP = 1 << 22
# No trial moves the score of a row by more than this beyond the last: Newton's method then starts near its goal.
STRIDE = 8.0
# An end this many standard errors away is at infinity: the likelihood of an existing optimum falls long before.
FAR = 1e4


def profile_intervals(fit, level, only=None, dispersion=1.0):
    """Ends of the intervals of all coefficients: shape (q, 2), NaN for aliased ones and for those not in `only`."""
    design, target, intercept = fit.design, fit.problem.target, fit.problem.intercept
    A = orthonormal(triangle_factor(design, target, moments(design, target, about_mean=intercept), 0.0, intercept))
    surface = _Surface(fit, A)
    errors = np.sqrt(np.diag(fit.evidence.covariance))
    z = float(ndtri(0.5 + 0.5 * level)) * float(np.sqrt(dispersion))
    ends = np.full((len(A), 2), np.nan)
    for j in range(len(A)) if only is None else only:
        if A[j].any() and errors[j] > 0.0:
            estimate = fit.evidence.coefficients[j, 0]
            ends[j] = [estimate + _end(surface, A[j], side, z, float(errors[j])) for side in (-1.0, 1.0)]
    return ends


class _Surface:
    """The log-likelihood around the fit, as a function of u, less its value there; with slope and information."""

    def __init__(self, fit, A):
        self.A, self.design, self.y, self.s = A, fit.design, fit.problem.target.y, fit.problem.target.weights
        self.loss, self.eta = fit.problem.loss, fit.scores()
        # Newton's steps where the loss is convex, else Fisher's scoring
        self.bends_at = curvatures_at if is_convex(self.loss) else informations_at
        self.peak = -total_value(self.loss, self.y, self.eta, self.s)
        self.Z = None
        if fit.design.n * A.shape[1] <= KEEP:
            self.Z = coordinates(A, fit.design.block(slice(None)))

    def stride(self, a):
        """How far the coefficient may move at once."""
        along = a / (a @ a)
        Z = self.Z if self.Z is not None else coordinates(self.A, self.design.block(slice(0, 10_000)))
        return STRIDE / max(float(np.abs(Z @ along).max()), np.finfo(np.float64).tiny)

    def __call__(self, u, slopes=True):
        """Log-likelihood, slope g and information H at u; the first alone without `slopes`.

        Outside of the range of a link it is minus infinity.
        """

        def task(Z, eta, y, s):
            eta = eta + Z @ u
            value = -total_value(self.loss, y, eta, s)
            if not slopes or not np.isfinite(value):
                return (value, *((np.zeros(len(u)), np.eye(len(u))) if slopes else ()))
            bends = s * self.bends_at(self.loss, y, eta)
            return value, -(s * slopes_at(self.loss, y, eta)) @ Z, (Z * bends[:, None]).T @ Z

        if self.Z is not None:
            sums = task(self.Z, self.eta, self.y, self.s)
        else:
            sums = self.design.reduce(
                lambda block, *rest: task(coordinates(self.A, block.X), *rest),
                lambda a, b: tuple(x + y for x, y in zip(a, b)),
                None,
                self.eta,
                self.y,
                self.s,
            )
        return (sums[0] - self.peak, *sums[1:])


def _end(surface, a, side, z, error):
    """How far from the estimate, with sign, the interval of a coefficient ends; `a` is its row of A."""
    inside, outside = 0.0, np.inf  # distances at which r < z, and r > z
    free = np.linalg.qr(a[:, None], mode="complete")[0][:, 1:]
    stride = farthest = surface.stride(a)
    distance, u = min(z * error, stride), np.zeros_like(a)
    ahead = _tangent(surface(u)[2], a)
    for _ in range(TRIALS):
        moved = _constrained(surface, a, free, side * distance, u, ahead)
        if moved is None:  # outside of the range of the link: shorter steps keep to it, if it goes on at all
            stride = 0.5 * (distance - inside)
            distance = inside + stride
            if stride <= 1e-12 * (distance + error):
                break
            continue
        u, drop, fall, ahead = moved
        fall = -side * fall  # of the log-likelihood for each unit of distance
        r = np.sqrt(max(2.0 * drop, 0.0))
        if abs(r - z) <= 1e-10 * z:
            return side * distance
        if r < z:
            inside, stride = distance, min(2.0 * stride, farthest)
        else:
            outside = distance
        # a rule of thumb: a likelihood that is nearly flat here is taken for flat for ever (it may fall faster later)
        if np.isinf(outside) and fall * FAR * error < 0.5 * z * z - drop and distance > farthest:
            return side * np.inf
        step = (z - r) * r / fall if fall > 0.0 and r > 0.1 * z else np.inf
        tried, distance = distance, distance + step
        if np.isinf(outside):
            distance = min(distance, tried + stride)
        elif not inside < distance < outside:
            distance = 0.5 * (inside + outside)
        if abs(distance - tried) <= 1e-13 * distance:
            break
    return side * distance


def _tangent(H, a):
    """How the other coefficients follow a coefficient along its profile: d with a'd = 1, ``H^-1 a`` up to a factor."""
    d = np.linalg.lstsq(H, a, rcond=1e-13)[0]
    along = float(a @ d)
    return d / along if np.isfinite(along) and along > 1e-13 * np.linalg.norm(a) * np.linalg.norm(d) else a / (a @ a)


def _constrained(surface, a, free, b, start, ahead):
    """The best u with a'u = b, how far the log-likelihood is below its peak there, the constraint's multiplier, and
    the direction of the profile there; None where the first trial is outside of the range of the link.

    Newton's method with step halving in the directions `free`, which keep a'u, from the start moved along `ahead`.
    """
    u = start + ahead * (b - a @ start)
    rounding = 16.0 * EPS * (1.0 + abs(surface.peak))
    value, g, H = surface(u)
    if not np.isfinite(value):
        return None
    for _ in range(STEPS):
        slope = free.T @ g
        step = np.linalg.lstsq(free.T @ H @ free, slope, rcond=1e-13)[0]
        gain = float(slope @ step)
        if gain <= rounding:  # the error left in the log-likelihood is of the order of its square
            break
        step, length = free @ step, 1.0
        while length > 1e-10:
            moved = surface(u + length * step, slopes=False)[0]
            if moved >= value - rounding:
                break
            length *= 0.5
        else:
            break
        u = u + length * step
        value, g, H = surface(u)
    return u, -value, (a @ g) / (a @ a), _tangent(H, a)
