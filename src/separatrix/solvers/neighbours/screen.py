r"""Nearest rows by a float32 screen: matrix products find the few that may be nearest, float64 decides among them.

Given    training rows X (n, p), queries Q, k.
Returns  for each query the rows that may be among its k nearest: the k are certainly among them.
Cost     2 m n (p + 1) operations of float32 BLAS, and one comparison for each of m n numbers, in cache.

The bound.  Both sets are moved by a point amid X and scaled by a power of two, so that no training coordinate exceeds
1, and rounded to float32: x̂, q̂, with u = 2⁻²⁴. Write a = |x̂|², b = |q̂|², and D for the float64 sum Σ(x_j - q_j)² in
these units. What makes D differ from b + t, where t is the entry of the product [-2q̂, 1]·[x̂, a']:

- rounding coordinates moves |x - q| by at most 1.01 u (√a + √b), hence its square by at most 4.06 u (a + b);
- a product of p + 1 terms, summed in any order, is off by γ Σ|terms| ≤ 2.03 (p + 1) u (a + b), while (p + 1) u < 0.01;
- a' is rounded, by at most 1.01 u a; the roundings of D itself, (p + 2) 2⁻⁵³ D, are smaller than what is left over.

Together less than κ (a + b) with κ = (2.1 p + 16) u. With a' = (1 - κ) a the entry is itself a lower bound, up to terms
of the query alone:

    t + (1 - κ) b  ≤  D  ≤  t + 2κ a + (1 + κ) b.

So x cannot be among the k nearest if t exceeds the k-th smallest t + 2κ a by more than 2κ b. Nothing in this depends on
the largest row: a far outlier costs no accuracy nearby. What underflows is below τ = (p + 1) 2⁻¹⁰⁰, for queries within
2²⁰ times the extent of X; those beyond, and those with more candidates than room (clusters that are tiny beside their
distance from the centre, many equal rows), are left to float64.
"""

import numpy as np

from separatrix.core.jit import load
from separatrix.core.types import Array
from separatrix.solvers.compiled.nearest import close, collect

ROUNDING = 2.0**-24
WIDTH = 256  # training rows of a tile; with 512 queries it is half a megabyte
FARTHEST = 2.0**20
SAMPLE = 1024  # rows that the centre is taken from
# Beyond these, products of differences are not safe in float64 either.
LARGEST, SMALLEST = 1e140, 1e-140


class Screen:
    """Training rows in float32 with their squares as one more column: 4 n (p + 1) bytes."""

    def __init__(self, X: Array) -> None:
        load()  # a screen is only set up where there is enough to do
        n, p = X.shape
        # any point serves, but one amid the rows leaves the smallest squares; a mean would follow a single wild row
        self.centre = np.median(X[:: -(-n // SAMPLE)].astype(np.float64), axis=0)
        self.kappa = (2.1 * p + 16.0) * ROUNDING
        self.tiny = (p + 1) * 2.0**-100
        height = max(1, (1 << 17) // max(p, 1))
        pieces = [slice(start, min(start + height, n)) for start in range(0, n, height)]
        extent = max(float(np.abs(X[rows] - self.centre).max()) for rows in pieces)
        self.exponent = int(np.frexp(extent)[1])
        self.rows = np.empty((n, p + 1), dtype=np.float32)
        self.reach = np.empty(n)
        for rows in pieces:
            self.rows[rows, :p] = self._place(X[rows])
            rounded = self.rows[rows, :p].astype(np.float64)
            squares = np.einsum("ij,ij->i", rounded, rounded)
            self.rows[rows, p] = (1.0 - self.kappa) * squares
            self.reach[rows] = 2.0 * self.kappa * squares + self.tiny

    @staticmethod
    def fits(X: Array) -> bool:
        """Whether the bound holds for rows like these."""
        largest = max(float(X.max()), -float(X.min()))
        return (X.shape[1] + 1) * ROUNDING < 0.01 and SMALLEST < largest < LARGEST

    def candidates(self, Q: Array, k: int) -> tuple[Array, Array, Array]:
        """Pairs (i, j) that hold the k nearest rows j of each query i, and the queries that are left to float64."""
        m, p = Q.shape
        with np.errstate(over="ignore"):
            Z = self._place(Q)
        far = ~(np.abs(Z).max(axis=1) < FARTHEST)
        Z[far] = 0.0
        left = np.empty((m, p + 1), dtype=np.float32)
        left[:, :p] = Z
        rounded = left[:, :p].astype(np.float64)
        slack = 2.0 * self.kappa * np.einsum("ij,ij->i", rounded, rounded) + self.tiny
        left[:, :p] *= -2.0
        left[:, p] = 1.0

        room = 2 * k + 256
        counts = np.where(far, -1, 0)
        bounds = np.where(far, -np.inf, np.inf).astype(np.float32)
        heaps = np.full((m, k), np.inf)
        values = np.empty((m, room), dtype=np.float32)
        indices = np.empty((m, room), dtype=np.int64)
        tile = np.empty((m, WIDTH), dtype=np.float32)
        for first in range(0, len(self.rows), WIDTH):
            right = self.rows[first : first + WIDTH]
            out = tile if len(right) == WIDTH else np.empty((m, len(right)), dtype=np.float32)
            np.dot(left, right.T, out=out)
            reach = self.reach[first : first + WIDTH]
            collect(out, first, reach, slack, bounds, heaps, values, indices, counts)
        close(bounds, values, indices, counts)
        taken = np.arange(room) < counts[:, None]
        return np.nonzero(taken)[0], indices[taken], np.flatnonzero(counts < 0)

    def _place(self, rows: Array) -> Array:
        """Rows about the centre, in units of their extent."""
        return np.ldexp(np.asarray(rows, dtype=np.float64) - self.centre, -self.exponent)
