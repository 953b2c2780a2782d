"""The target y and the sample weights s, checked at the door and trusted afterwards."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Target:
    """``y`` of shape (n,) or (n, k), float64; ``s`` of shape (n,), or None where all weights are 1."""

    y: np.ndarray
    s: np.ndarray | None = None

    @property
    def n(self):
        return self.y.shape[0]

    @property
    def total(self):
        """Σ s."""
        return float(self.n) if self.s is None else float(self.s.sum())

    @property
    def weights(self):
        """s as an array."""
        return np.ones(self.n) if self.s is None else self.s

    def mean(self):
        """The weighted mean of y: a number, or one for each column."""
        if self.s is None:
            return self.y.mean(axis=0)
        return self.s @ self.y / self.total
