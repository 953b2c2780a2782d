"""Monomials of the columns of X, each rounded once.

Computes  ``x^a = Π_j x_j^{a_j}`` for all exponents a with least <= |a| <= degree (or the chosen part of them).
Given     strips of rows, as the columns that are not zero there.   Returns the columns of the expansion.
From      Graillat (2009), IEEE Trans. Computers 58(7), algorithm CompProd: beside each product its rounding errors are
          carried, and their sum is added at the end. The result is the nearest number but for one case in 2^45 at
          degree 10, where the repeated product is off by up to (|a| - 1)/2 units in the last place.
Cost      one walk over the tree of prefixes: a monomial is its prefix times one column, about 25 operations in vector
          registers over the rows of a strip; nothing but the prefixes of the current monomial is kept.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.jit import compiled_exactly, part_exactly
from separatrix.core.types import Array

# Rows of a strip (measured: 64 spends its time between strips, beyond 256 nothing is gained).
STRIP = 256
_SPLIT = 134217729.0  # 2^27 + 1, Veltkamp's constant for halves of 26 bits


class Plan(NamedTuple):
    """Which monomials there are, and in which column each one belongs.

    sizes[d, m] is the number of monomials of degree d in m variables: with powers C(m + d - 1, d), of distinct
    variables C(m, d), of a single variable m. All ranks follow from it.
    """

    sizes: np.ndarray
    first: np.ndarray  # first[d]: the column of the first monomial of degree d
    least: int  # monomials of a lower degree are prefixes only
    bias: bool
    distinct: bool
    cross: bool
    weighted: bool  # multiply each monomial by the root of its multinomial coefficient


@compiled_exactly
def dense_monomials(X: Array, plan: Plan, start: int, row_step: int, column_step: int, out: Array) -> None:
    """Expand a block of rows, given as X' (p, m), into the flat `out`.

    Row i of column c is at start + i row_step + c column_step.
    """
    p, m = X.shape
    work = _work(plan, STRIP)
    present = np.arange(p)
    nowhere = np.empty(0, dtype=np.int32)
    strip = np.empty((p, STRIP))
    for top in range(0, m, STRIP):
        width = min(STRIP, m - top)
        for j in range(p):
            for i in range(width):
                strip[j, i] = X[j, top + i]
        _walk(strip, present, p, width, plan, start + top * row_step, row_step, column_step, out, nowhere, work)


@compiled_exactly
def csr_monomials(
    data: Array, indices: Array, starts: Array, p: int, plan: Plan, out_starts: Array, out: Array, out_indices: Array
) -> None:
    """Expand rows in compressed storage; column indices of a row, in and out, are in order."""
    work = _work(plan, 1)
    widest = 0
    for i in range(starts.size - 1):
        widest = max(widest, starts[i + 1] - starts[i])
    present = np.empty(widest, dtype=np.int64)
    strip = np.empty((widest, 1))
    for i in range(starts.size - 1):
        k = starts[i + 1] - starts[i]
        for t in range(k):
            present[t] = indices[starts[i] + t]
            strip[t, 0] = data[starts[i] + t]
        _walk(strip, present[:k], p, 1, plan, out_starts[i], 0, 1, out, out_indices, work)


class Walk(NamedTuple):
    """The current monomial and its prefixes; entry d belongs to the prefix of d factors."""

    place: np.ndarray  # the d-th factor is x[place[d]]
    product: np.ndarray
    error: np.ndarray  # what rounding took from the product
    square: np.ndarray  # squared weight
    times: np.ndarray  # how often the last factor occurs
    column: np.ndarray  # of the prefix of d - 1 factors times variable 0, were it there
    slot: np.ndarray  # the same, counting only the variables present


@part_exactly
def _work(plan: Plan, width: int) -> Walk:
    depth = plan.sizes.shape[0] + 1
    return Walk(
        np.zeros(depth, dtype=np.int64),
        np.ones((depth, width)),
        np.zeros((depth, width)),
        np.ones(depth),
        np.zeros(depth, dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
        np.zeros(depth, dtype=np.int64),
    )


@part_exactly
def _walk(
    x: Array,
    present: Array,
    p: int,
    width: int,
    plan: Plan,
    start: int,
    row_step: int,
    column_step: int,
    out: Array,
    indices: Array,
    work: Walk,
) -> None:
    """All monomials of the variables `present`, depth first.

    With `indices` given (sparse), entries go to consecutive slots in the order of their columns.
    """
    degree = plan.sizes.shape[0] - 1
    listed = indices.size > 0
    if plan.bias:
        for i in range(width):
            out[start + i * row_step] = 1.0
        if listed:
            indices[start] = 0
    d = min(1, degree)
    work.place[d] = 0
    _number(present, p, d, plan, listed, work)
    while d > 0:
        j = work.place[d]
        if j == present.size or (d > 1 and not plan.cross and j != work.place[d - 1]):
            d -= 1
            work.place[d] += 1
            continue
        work.times[d] = work.times[d - 1] + 1 if d > 1 and work.place[d - 1] == j else 1
        # degree! / (Π a_j! (degree - |a|)!), factor by factor: a whole number at every step
        work.square[d] = work.square[d - 1] * (degree - d + 1) / work.times[d]
        if degree > 2:
            _multiply(work.product[d - 1], work.error[d - 1], x[j], width, work.product[d], work.error[d])
        else:  # a product of two numbers is rounded once as it is
            _multiply_plainly(work.product[d - 1], x[j], width, work.product[d])
        if d >= plan.least:
            column = work.column[d] + present[j]
            weight = np.sqrt(work.square[d]) if plan.weighted else 1.0
            at = start + (work.slot[d] + j if listed else column * column_step)
            if listed:
                indices[at] = column
            _emit(work.product[d], work.error[d], width, weight, at, row_step, out)
        if d < degree:
            d += 1
            work.place[d] = j + 1 if plan.distinct else j
            _number(present, p, d, plan, listed, work)
        else:
            work.place[d] += 1


@part_exactly
def _number(present: Array, p: int, d: int, plan: Plan, listed: bool, work: Walk) -> None:
    """Where the monomials with the current prefix of d - 1 factors begin: lexicographic order within their degree."""
    column, slot, k = plan.first[d], plan.first[d], present.size
    if listed:
        slot = np.int64(plan.bias)
        for t in range(plan.least, d):
            slot += plan.sizes[t, k]
    low = low_place = 0
    for t in range(1, d):
        place = work.place[t]
        j = present[place]
        column += plan.sizes[d - t + 1, p - low] - plan.sizes[d - t + 1, p - j]
        slot += plan.sizes[d - t + 1, k - low_place] - plan.sizes[d - t + 1, k - place]
        low, low_place = (j + 1, place + 1) if plan.distinct else (j, place)
    work.column[d], work.slot[d] = column - low, slot - low_place


@part_exactly
def _multiply(product: Array, error: Array, x: Array, width: int, out_product: Array, out_error: Array) -> None:
    for i in range(width):
        out_product[i], out_error[i] = _times(product[i], error[i], x[i])


@part_exactly
def _multiply_plainly(product: Array, x: Array, width: int, out_product: Array) -> None:
    for i in range(width):
        out_product[i] = product[i] * x[i]


@part_exactly
def _emit(product: Array, error: Array, width: int, weight: float, at: int, row_step: int, out: Array) -> None:
    if row_step == 1:  # the compiler must know to use vector registers
        for i in range(width):
            out[at + i] = (product[i] + error[i]) * weight
    else:
        for i in range(width):
            out[at + i * row_step] = (product[i] + error[i]) * weight


@part_exactly
def _times(product: float, error: float, x: float) -> tuple[float, float]:
    """(product + error) x, as a product and the sum of the errors made so far."""
    q = product * x
    big = _SPLIT * product
    a = big - (big - product)
    b = product - a
    big = _SPLIT * x
    high = big - (big - x)
    low = x - high
    e = error * x + (((a * high - q) + a * low + b * high) + b * low)
    # halves of numbers beyond 2^996 overflow: the plain product is kept there
    return q, e if e - e == 0.0 else 0.0
