"""The clock of a comparison, the time left of a budget, and the time a fit is expected to take."""

import time
from bisect import bisect
from dataclasses import dataclass, field

import numpy as np

# Share of a budget kept in reserve, for estimates that were too low.
SAFETY_SHARE = 0.08
# Without a budget: most seconds of a family, and of the refit.
MOST_SECONDS = 120.0
SHORTEST = 0.01


def now():
    """Seconds on the clock that all parts of a comparison read; tests replace it."""
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
        return float("inf") if self.budget is None else self.budget * (1.0 - SAFETY_SHARE) - self.seconds


@dataclass
class PowerLaw:
    r"""Seconds as a function of rows, :math:`t(n) = t_m (n / m)^b`, from times measured at growing m.

    The exponent is that of the last two sizes, clipped to [1, 2]: on small samples fixed costs hide the growth, and no
    model here takes longer than the square of its rows. Times below 0.01 s count as 0.01 s: they are noise. Of one size
    the exponent is `alone`.

    >>> law = PowerLaw()
    >>> law.add(100, 0.1), law.add(200, 0.4)
    (None, None)
    >>> law(400), PowerLaw().add(100, 0.1)
    (1.6, None)
    """

    sizes: list = field(default_factory=list)
    seconds: list = field(default_factory=list)
    alone: float = 1.0

    def add(self, size, seconds):
        """Add a measurement; of several at one size the least counts."""
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
            return self.alone
        (m, n), (s, t) = self.sizes[-2:], np.maximum(self.seconds[-2:], SHORTEST)
        return float(np.clip(np.log(t / s) / np.log(n / m), 1.0, 2.0))

    def __call__(self, size):
        """The expected seconds at a size; 0 where nothing was measured."""
        if not self.sizes:
            return 0.0
        return float(self.seconds[-1] * (size / self.sizes[-1]) ** self.exponent)
