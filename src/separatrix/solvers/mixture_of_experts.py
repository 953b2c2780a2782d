r"""Mixtures of experts by expectation and maximisation (EM): a softmax gate, and linear or logistic experts.

Climbs   L = Σ s_i log Σ_k π_k(x_i) P(y_i | x_i, k) - ½ γ |V|² - Σ_k ½ α |w_k|² / σ_k²     (σ_k² = 1 for classes)
Given    a design in memory, y (n,) or shares of classes (n, c), weights s, K experts, penalties γ, α > 0.
Returns  the parameters of a place where EM stands still, and L after every iteration, which never falls.
Cost     one gate fit (Softmax with responsibilities as soft labels) and K weighted expert fits an iteration.
From     Jacobs, Jordan, Nowlan and Hinton (1991), Neural Computation 3(1); Jordan and Jacobs (1994), Neural Computation
         6(2). Iterations are extrapolated as in Varadhan and Roland (2008), Scand. J. Stat. 35(2), where that climbs.
         The last digits come from Newton's method within a trust region.

The gradient of L is that of the maximisation step's problems at the same parameters (Fisher's identity): where each of
them is stationary, so is L. L has several maxima; which one is reached depends on the start.
"""

import numpy as np
from scipy.special import log_softmax

from separatrix.core.solution import Trace
from separatrix.core.threads import one_blas_thread
from separatrix.core.types import Array
from separatrix.solvers.expert_mixture import FLOOR, Experts, Mixture, curvature_of, gradient_of
from separatrix.solvers.quasi_newton import TIGHT
from separatrix.solvers.trust_region import trusted_step

# Below this gradient Newton's steps are tried, for up to so many parameters: EM gains a digit in ten to a hundred.
NEAR, MOST_PARAMETERS = 1e-2, 300
ROUNDING = 1e-13  # changes of L below this share of it are rounding
SHORT = 10  # iterations of each start before the best of them goes on


def climb(
    mixture: Mixture, n_experts: int, *, starts: int, random: np.random.RandomState, tol: float, max_iter: int
) -> tuple[Experts, Trace, int]:
    """Climb from several starts; the best after a few iterations goes on until it stands still.

    Returns the parameters, a trace of ``-L / Σs``, which never rises, and the number of iterations.
    """
    # Newton's fits end at a distance of the tolerance to the power of 1.25: a hundredth of the gradient to be reached
    fine = min(max((0.01 * tol) ** 0.8, 1e-12), TIGHT)
    runs = [_Climb(mixture, _first(mixture, n_experts, random), fine) for _ in range(starts)]
    for run in runs:
        run.go_on(SHORT if starts > 1 else 0)
    best = max(runs, key=lambda run: run.value)
    tried = 4.0 * NEAR
    while best.iterations < max_iter and not best.stands_still:
        best.go_on(best.iterations + 6)
        gradient = mixture.stationarity(best.at)
        if gradient <= 0.25 * tried:
            tried = gradient
            with one_blas_thread():
                best.finish(gradient, max_iter)
        if mixture.stationarity(best.at) <= tol:
            break
    return best.at, best.trace, best.iterations


def _first(mixture: Mixture, n_experts: int, random: np.random.RandomState) -> Array:
    """Responsibilities by the distances of the rows to random points about the mean.

    The points are not rows, so that neither the order nor the repetition of rows shows.
    """
    mean, deviation = mixture.spread
    points = random.standard_normal((n_experts, mixture.design.p))
    # |z - point|² without |z|², which is the same for all points
    distances = mixture.design.matvec((-2.0 * points / deviation).T) + 2.0 * points @ (mean / deviation)
    return np.exp(log_softmax(-0.5 * (distances + (points**2).sum(axis=1)), axis=1))


class _Climb:
    """One start: where it stands, L there, and the way."""

    def __init__(self, mixture: Mixture, H: Array, tol: float) -> None:
        self.mixture, self.tol = mixture, tol
        self.at = mixture.maximise(H, None, tol)
        self.H, self.value = mixture.expect(self.at)
        self.trace, self.iterations, self.stands_still = Trace(), 1, False
        self.trace.append(-self.value / mixture.total)

    def go_on(self, until: int) -> None:
        """Pairs of iterations, each followed by an extrapolation, up to a number of iterations."""
        while self.iterations < until and not self.stands_still:
            zero = self.at
            self._step()
            one = self.at
            self._step()
            if not self.stands_still:
                self._extrapolate(zero, one, self.at)

    def _step(self) -> None:
        self._move(self.mixture.maximise(self.H, self.at, self.tol))
        self.iterations += 1

    def _move(self, there: Experts) -> bool:
        """Go there if that is no step down."""
        H, value = self.mixture.expect(there)
        climbed = value >= self.value and bool(np.isfinite(value))
        if climbed:
            self.stands_still = _same(self.at, there)
            self.at, self.H, self.value = there, H, value
            self.trace.append(-value / self.mixture.total)
        else:
            self.stands_still = True  # rounding is all that is left
        return climbed

    def _extrapolate(self, zero: Experts, one: Experts, two: Experts) -> None:
        a, b, c = (self.mixture.flat(point) for point in (zero, one, two))
        r, v = b - a, c - 2.0 * b + a
        length = float(np.linalg.norm(v))
        step = float(np.linalg.norm(r)) / length if length > 0.0 else 1.0
        if step > 1.0:
            self._move(self.mixture.shaped(a + 2.0 * step * r + step * step * v, two))
            self.stands_still = False  # a step too far says nothing

    def finish(self, gradient: float, max_iter: int) -> None:
        """Newton's steps on L itself, each within a trusted radius, until rounding hides what they gain."""
        radius = 1.0
        while self.mixture.flat(self.at).size <= MOST_PARAMETERS and gradient > 0.0 and self.iterations < max_iter:
            self.iterations += 1
            before = self.value
            there, radius = self._newton_step(gradient, radius)
            if there is None:
                return
            self.H, value = self.mixture.expect(there)
            self.at, self.value, gradient = there, max(value, before), self.mixture.stationarity(there)
            if value >= before:
                self.trace.append(-value / self.mixture.total)

    def _newton_step(self, gradient: float, radius: float) -> tuple[Experts | None, float]:
        """A higher point, or one with half the gradient where rounding hides heights, and the next radius."""
        point, g, H = (
            self.mixture.flat(self.at),
            gradient_of(self.mixture, self.at),
            curvature_of(self.mixture, self.at),
        )
        lowest = np.flatnonzero(self.at.variances <= FLOOR * self.mixture.unit) - len(self.at.c)
        g[lowest] = H[lowest] = H[:, lowest] = 0.0  # a variance at its floor stays there
        if not np.isfinite(H).all():
            return None, radius
        bends, axes = np.linalg.eigh(H)
        slopes = axes.T @ g
        noise = ROUNDING * abs(self.value) / self.mixture.total
        while True:
            step, fall = trusted_step(bends, slopes, radius)
            there = self.mixture.shaped(point + axes @ step, self.at)
            climbed = (self.mixture.expect(there)[1] - self.value) / self.mixture.total
            if fall <= noise:
                nearer = climbed >= -noise and self.mixture.stationarity(there) < 0.5 * gradient
                return (there if nearer else None), radius
            if climbed >= 0.1 * fall:
                return there, radius * (2.0 if climbed >= 0.75 * fall else 1.0)
            radius = 0.25 * float(np.linalg.norm(step))


def _same(one: Experts, other: Experts) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other))
