"""Time: the clock that all parts of a comparison read, what is left of a budget, and what a fit is expected to take."""

import time
from bisect import bisect
from dataclasses import dataclass, field

import numpy as np

# Of a budget, kept back for what cannot be foreseen: estimates that were too low, writing down the results.
KEPT_BACK = 0.08
# Without a budget: the longest that a family may take, and the refit.
HOPELESS = 120.0
LEAST = 0.01


def now():
    """Seconds on the one clock that a comparison reads; a test may put another in its place."""
    return time.perf_counter()


@dataclass
class Deadline:
    """When a comparison must be done.

    Parameters
    ----------
    budget : float or None.  Seconds in all; None is no limit.
    started : float.  When the clock started.
    """

    budget: float | None
    started: float = field(default_factory=lambda: now())

    @property
    def seconds(self):
        """Seconds since the start."""
        return now() - self.started

    def left(self):
        """Seconds that may still be spent; infinity without a budget."""
        return float("inf") if self.budget is None else self.budget * (1.0 - KEPT_BACK) - self.seconds


@dataclass
class PowerLaw:
    r"""Seconds as a function of rows, :math:`t(n) = t_m (n / m)^b`, from times that were measured at growing m.

    The exponent is that of the last two sizes, held between 1 and 2: a small sample is quick for reasons that do not
    last, and no model here takes longer than the square of its rows. Times below a hundredth of a second count as that:
    what they say about an exponent is noise.

    >>> law = PowerLaw()
    >>> law.add(100, 0.1), law.add(200, 0.4)
    (None, None)
    >>> law(400), PowerLaw().add(100, 0.1)
    (1.6, None)
    """

    sizes: list = field(default_factory=list)
    seconds: list = field(default_factory=list)

    def add(self, size, seconds):
        """A measurement, in its place by size; of several at one size the least counts."""
        if size in self.sizes:
            place = self.sizes.index(size)
            self.seconds[place] = min(float(seconds), self.seconds[place])
            return
        place = bisect(self.sizes, size)
        self.sizes.insert(place, int(size))
        self.seconds.insert(place, float(seconds))

    @property
    def exponent(self):
        if len(self.sizes) < 2:
            return 1.0
        (m, n), (s, t) = self.sizes[-2:], np.maximum(self.seconds[-2:], LEAST)
        return float(np.clip(np.log(t / s) / np.log(n / m), 1.0, 2.0))

    def __call__(self, size):
        """The expected seconds at a size; 0 where nothing was measured."""
        if not self.sizes:
            return 0.0
        return float(self.seconds[-1] * (size / self.sizes[-1]) ** self.exponent)
