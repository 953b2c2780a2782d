r"""How much each row counts at a query: :math:`K_\lambda(x_0, x) = D(u),\ u = \|x - x_0\| / \lambda`, with D(0) = 1.

    gaussian       exp(-u²/2)
    epanechnikov   1 - u²            for u <= 1, else 0
    tricube        (1 - u³)³         for u <= 1, else 0
    uniform        1                 for u <= 1, else 0

The width is one number, or reaches at each query to the row at which a given weight of rows is gathered. Where that
is 0 (many rows lie exactly at the query) only the rows at the query count.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.registry import register
from separatrix.core.types import Array

KERNELS = ("gaussian", "epanechnikov", "tricube", "uniform")
# Gaussian weights below this part of the largest are below the rounding of the sums they would enter.
NEGLIGIBLE = 1e-17


@register("record")
@dataclass(frozen=True)
class Window:
    """A kernel, and its width: a number, or the weight of rows that it must reach (the other is None)."""

    kernel: str
    width: float | None
    reach: float | None

    def weigh(self, X: Array, s: Array, queries: Array) -> tuple[Array, Array, Array]:
        """Kernel values (m, n) for rows X (p, n), widths (m,), and what each row of values was divided by.

        Gaussian values are relative to that of the nearest row, which far from all rows would be 0: a common factor
        changes no fit. `s` has a length only where the weights of the rows differ.
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            u = _squared_distances(X, queries)
            widths = np.full(len(queries), self.width) if self.reach is None else _reaching(u, s, self.reach)
            elsewhere = u[widths == 0.0] > 0.0
            u /= (widths * widths)[:, None]
            u[widths == 0.0] = np.where(elsewhere, np.inf, 0.0)
            if self.kernel != "gaussian":
                return _compact(self.kernel, u), widths, np.ones(len(queries))
            nearest = u.min(axis=1)
            u -= nearest[:, None]
            u *= -0.5
            values = np.exp(u, out=u)
            values[~(values > NEGLIGIBLE)] = 0.0  # also those that are no number: rows beyond all numbers
            return values, widths, np.exp(-0.5 * nearest)


def _squared_distances(X: Array, queries: Array) -> Array:
    squares, difference = np.zeros((2, len(queries), X.shape[1]))
    for j, column in enumerate(X):
        np.subtract(column, queries[:, j, None], out=difference)
        difference *= difference
        squares += difference
    return squares


def _reaching(squares: Array, s: Array, reach: float) -> Array:
    """The distance within which rows of the total weight `reach` lie."""
    if not len(s):
        kth = max(int(np.ceil(reach)) - 1, 0)
        return np.sqrt(np.partition(squares, kth, axis=1)[:, kth])
    order = np.argsort(squares, axis=1, kind="stable")
    gathered = np.cumsum(s[order], axis=1)
    # a sum of weights may miss a whole number by its rounding
    place = (gathered < reach * (1.0 - 1e-12)).sum(axis=1).clip(max=squares.shape[1] - 1)
    rows = np.arange(len(squares))
    return np.sqrt(squares[rows, order[rows, place]])


def _compact(kernel: str, u: Array) -> Array:
    if kernel == "uniform":
        return (u <= 1.0 + 1e-15).astype(np.float64)
    if kernel == "epanechnikov":
        return np.maximum(1.0 - u, 0.0)
    inside = np.maximum(1.0 - u * np.sqrt(u), 0.0)
    return inside * inside * inside
