r"""Functions that are sums of kernels about m centres, on n rows that are read by blocks: nothing of n by m is kept.

With :math:`K_{mm} + \varepsilon I = T'T` the coefficients :math:`a = T^{-1} c` have the norm :math:`|c|`, so that the
features :math:`\Phi = K_{nm} T^{-1}` turn a ridge on the norm of the function into a ridge on c. The
:math:`\varepsilon`, which is of the size of the rounding of :math:`K_{mm}`, is a part of that norm.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from separatrix.core.memory import refuse_kernel_matrix
from separatrix.core.refusal import cannot
from separatrix.core.target import Target
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs.kernel_matrix import kernel_rows
from separatrix.designs.kernels import Kernel

EPS = float(np.finfo(np.float64).eps)
NUMBERS = 1 << 18  # kernel values of a block: they stay in cache
GROUPS = 64  # sums of so many groups of blocks are added in their order, however many threads there are


class ResidualSums(NamedTuple):
    """Sums over the rows of a fit: ``Φ'Sr`` (m, k), ``1'Sr`` (k,), ``r'Sr`` (k,), and rounding's part of the first."""

    products: Array
    total: Array
    squares: Array
    rounding: Array


class KernelCentres:
    """Rows seen through the kernel of each of m centres, whitened.

    Parameters
    ----------
    kernel : Kernel.  rows : (n, p).  centres : (m, p).
    """

    def __init__(self, kernel: Kernel, rows: Any, centres: Any) -> None:
        self.kernel, self.rows, self.centres = kernel, kernel_rows(rows), kernel_rows(centres)
        self.n, self.m = int(self.rows.shape[0]), int(self.centres.shape[0])
        refuse_kernel_matrix(self.m, f"use centres, {self.m:,}", copies=4)
        K = kernel.block(self.centres, self.centres)
        K = 0.5 * (K + K.T)
        size = float(np.abs(K.diagonal()).max(initial=0.0)) or 1.0
        K.flat[:: self.m + 1] += 16.0 * self.m * EPS * size
        try:
            self.root = cholesky(K, overwrite_a=True)  # T, upper
        except (np.linalg.LinAlgError, ValueError):
            raise cannot(
                f"use {self.m} centres of the kernel {kernel!r}",
                because="its matrix is not positive semidefinite",
                instead="a Mercer kernel, or n_components=None",
            ) from None

    def coefficients(self, c: Array) -> Array:
        """``a = T^{-1} c``."""
        return np.asarray(solve_triangular(self.root, c))

    def whitened(self, a: Array) -> Array:
        """``c = T a``."""
        return self.root @ a

    def residual_sums(self, target: Target, c: Array, b: Array | float, *, of_targets: bool = True) -> ResidualSums:
        """Sums of the residuals ``r = y - b - Φ c``, with c (m, k); with ``y = 0`` where they are not of targets."""
        a, k = self.coefficients(c), c.shape[1]
        Y = target.y.reshape(target.n, -1)
        height = max(16, NUMBERS // max(self.m, 1))
        starts = np.arange(0, self.n, height)

        def task(group: Array) -> tuple[Array, ...]:
            sums = np.zeros((self.m, k)), np.zeros(k), np.zeros(k), np.zeros((self.m, k))
            for start in group:
                block = slice(int(start), int(start) + height)
                values = self.kernel.block(self.rows[block], self.centres)
                residual = -(values @ a) - b
                if of_targets:
                    residual += Y[block]
                weighted = residual if target.s is None else target.s[block, None] * residual
                parts = [values.T @ weighted, weighted.sum(axis=0), (weighted * residual).sum(axis=0)]
                parts.append((values * values).T @ (weighted * weighted) if of_targets else sums[3] * 0.0)
                for total, part in zip(sums, parts):
                    total += part
            return sums

        groups = [group for group in np.array_split(starts, min(GROUPS, len(starts))) if len(group)]
        products, total, squares, rounding = (sum(parts) for parts in zip(*parallel_map(task, groups)))
        back = solve_triangular(self.root, np.column_stack([products, 8.0 * EPS * np.sqrt(rounding)]), trans="T")
        # errors of the sums have random signs; solving for them adds those of the factor, which are smaller
        return ResidualSums(back[:, :k], np.asarray(total), np.asarray(squares), np.abs(back[:, k:]))

    def sample_products(self, target: Target, count: int, *, about_mean: bool) -> Array:
        """``Φ'SΦ`` of all rows, estimated from `count` of them, evenly spaced; about the mean, if that is asked for."""
        rows = slice(None, None, max(1, self.n // max(count, 1)))
        sampled, s = self.rows[rows], target.weights[rows]
        height = max(16, NUMBERS // self.m)

        def task(start: int) -> tuple[Array, Array]:
            block = slice(start, start + height)
            values = self.kernel.block(sampled[block], self.centres)
            Phi = solve_triangular(self.root, values.T, trans="T", overwrite_b=True)
            weighted = Phi * s[block]
            return weighted @ Phi.T, weighted.sum(axis=1)

        products, total, sums = np.zeros((self.m, self.m)), float(s.sum()), np.zeros(self.m)
        starts = range(0, int(sampled.shape[0]), height)
        for first in range(0, len(starts), GROUPS):  # few are held at a time
            for part, row in parallel_map(task, starts[first : first + GROUPS]):
                products += part
                sums += row
        if about_mean and total > 0.0:
            products -= np.multiply.outer(sums, sums) / total
        return products * (target.total / total) if total > 0.0 else products

    def trace_error(self, sample: Any) -> float:
        r"""The share of the trace of K that the centres miss, :math:`\mathrm{tr}(K - \Phi\Phi') / \mathrm{tr}(K)`, on a
        sample of rows."""
        rows = kernel_rows(sample)
        whole = np.asarray(self.kernel.diagonal(rows), dtype=np.float64)
        Phi = solve_triangular(self.root, self.kernel.block(rows, self.centres).T, trans="T")
        missed = np.maximum(whole - np.einsum("ij,ij->j", Phi, Phi), 0.0)
        return float(missed.sum() / whole.sum()) if whole.any() else 0.0
