"""The matrix of monomials of a matrix, dense in dense out, sparse in sparse out."""

from math import comb
from typing import Literal

import numpy as np
import scipy.sparse as sp

from separatrix.core.threads import parallel_map
from separatrix.core.types import Array, Matrix
from separatrix.designs.base import BLOCK_NUMBERS
from separatrix.designs.compiled.monomials import STRIP, Plan, csr_monomials, dense_monomials

Order = Literal["C", "F"]


def count_monomials(degree: int, p: int, *, distinct: bool = False, cross: bool = True) -> int:
    """How many monomials of exactly this degree (>= 1) there are in p variables.

    >>> count_monomials(2, 3), count_monomials(2, 3, distinct=True), count_monomials(2, 3, cross=False)
    (6, 3, 3)
    """
    if not cross:
        return p
    return comb(p, degree) if distinct else comb(p + degree - 1, degree)


def plan_monomials(
    p: int, least: int, degree: int, *, bias: bool, distinct: bool = False, cross: bool = True, weighted: bool = False
) -> Plan:
    """Lay out the columns: the constant if wanted, then degree by degree, each in lexicographic order."""
    sizes = np.zeros((degree + 1, p + 1), dtype=np.int64)
    for d in range(1, degree + 1):
        for m in range(p + 1):
            sizes[d, m] = count_monomials(d, m, distinct=distinct, cross=cross)
    least = max(least, 1)
    first = np.zeros(degree + 2, dtype=np.int64)
    first[: least + 1] = bias
    for d in range(least, degree + 1):
        first[d + 1] = first[d] + sizes[d, p]
    return Plan(sizes, first, least, bool(bias), bool(distinct), bool(cross), bool(weighted))


def monomials(X: Matrix, plan: Plan, order: Order = "C") -> Matrix:
    """Expand a numpy array (into a new one of the given order) or a csr or csc matrix (into one of the same kind)."""
    width = max(int(plan.first[-1]), int(plan.bias))
    return _sparse(X, plan, width) if sp.issparse(X) else _dense(X, plan, width, order)


def _dense(X: Array, plan: Plan, width: int, order: Order) -> Array:
    n = X.shape[0]
    out = np.empty((n, width), dtype=X.dtype, order=order)
    flat = out.reshape(-1, order=order)  # a view: one compiled loop serves both orders
    row_step, column_step = (width, 1) if order == "C" else (1, n)
    height = max(STRIP, BLOCK_NUMBERS // max(width, 1) // STRIP * STRIP)

    def expand(top: int) -> None:
        block = np.ascontiguousarray(X[top : top + height].T, dtype=np.float64)
        dense_monomials(block, plan, top * row_step, row_step, column_step, flat)

    parallel_map(expand, range(0, n, height))
    return out


def _sparse(X: Matrix, plan: Plan, width: int) -> Matrix:
    rows = sp.csr_array(X)
    rows.sum_duplicates()
    stored = np.diff(rows.indptr)
    entries = plan.sizes[plan.least :].sum(axis=0)[stored] + plan.bias
    starts = np.concatenate([[0], np.cumsum(entries, dtype=np.int64)])
    index = np.int32 if max(starts[-1], width) <= np.iinfo(np.int32).max else np.int64
    data = np.empty(starts[-1], dtype=X.dtype)
    indices = np.empty(starts[-1], dtype=index)
    height = max(1, BLOCK_NUMBERS * X.shape[0] // max(data.size, 1))

    def expand(top: int) -> None:
        pointers = rows.indptr[top : top + height + 1]
        csr_monomials(rows.data, rows.indices, pointers, X.shape[1], plan, starts[top:], data, indices)

    if data.size:
        parallel_map(expand, range(0, X.shape[0], height))
    out = sp.csr_array((data, indices, starts.astype(index)), shape=(X.shape[0], width))
    out = out if X.format == "csr" else out.tocsc()
    if isinstance(X, sp.spmatrix):  # a matrix in the older interface of scipy stays one
        return sp.csr_matrix(out) if X.format == "csr" else sp.csc_matrix(out)
    return out
