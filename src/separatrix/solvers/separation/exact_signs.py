"""Signs of ``A w`` that rounding cannot change, and exact null vectors: what proofs of separation are checked with.

Every float64 is a fraction whose denominator is a power of two, so that the sign of a sum of products is a fact. It is
found in three stages, each for the rows that the one before leaves open: a float sum with its error bound (Higham 2002,
Accuracy and Stability of Numerical Algorithms, section 3.1); a sum whose every rounding error is seen to be zero; and
rational arithmetic.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import frexp, lcm, ldexp

import numpy as np
import scipy.linalg

from separatrix.core.extended import two_product, two_sum
from separatrix.core.types import Array, Matrix
from separatrix.designs import as_dense

EPS = np.finfo(np.float64).eps
# Above this the rational elimination of a dense system takes seconds.
MOST_UNKNOWNS = 48
# Products of smaller numbers may lose their error term to underflow.
TINY = 2.0**-480


# A direction: floats, or integers of any length that say it exactly.
Direction = Array | Sequence[float]


def signs(A: Matrix, w: Direction) -> Array:
    """The exact signs of ``A w``: -1, 0 or 1 for each row.

    Parameters
    ----------
    A : (m, q) array or sparse matrix of float64.
    w : (q,) array of float64, or a sequence of Python integers of any length.

    >>> signs(np.array([[0.1, 0.2, -0.3], [1.0, 1.0, -2.0]]), [1, 1, 1])  # 0.1 + 0.2 is not 0.3 in binary
    array([1, 0])
    """
    exact = w.tolist() if isinstance(w, np.ndarray) else list(w)
    rounded, fits = as_floats(exact)
    value = np.asarray(A @ rounded, dtype=np.float64)
    # one rounding for each product and each sum, and one for each integer that is no float
    reach = (len(exact) + 4) * EPS * np.asarray(abs(A) @ np.abs(rounded)) + np.finfo(np.float64).tiny
    sign_of_row = np.sign(value).astype(int)
    unsure = np.flatnonzero(~(np.abs(value) > reach))
    height = max(1, (1 << 20) // max(len(exact), 1))
    for start in range(0, len(unsure), height):
        rows = unsure[start : start + height]
        block = np.asarray(as_dense(A[rows]), dtype=np.float64)
        settled = np.zeros(len(rows), dtype=bool)
        if fits:
            sign_of_row[rows], settled = _without_rounding(block, rounded)
        for k in np.flatnonzero(~settled):
            sign_of_row[rows[k]] = _rational_sign(block[k], exact)
    return sign_of_row


def as_floats(w: Direction) -> tuple[Array, bool]:
    """w as floats (integers too large for that are scaled down together), and whether they hold it exactly."""
    if all(isinstance(v, float) for v in w):
        return np.array(w), True
    largest = max((abs(int(v)).bit_length() for v in w), default=0)
    shift = max(0, largest - 900)
    rounded = np.array([float(Fraction(int(v), 1 << shift)) for v in w])
    return rounded, shift == 0 and all(int(f) == v for f, v in zip(rounded, w))


def _without_rounding(block: Matrix, w: Array) -> tuple[Array, Array]:
    """Signs of the float sums, and where none of their operations was rounded."""
    total = np.zeros(len(block))
    clean = np.ones(len(block), dtype=bool)
    for j in np.flatnonzero(w):
        column = block[:, j]
        product, error = two_product(column, np.full(len(column), w[j]))
        clean &= (error == 0.0) & ((column == 0.0) | (np.abs(product) > TINY))
        total, error = two_sum(total, product)
        clean &= error == 0.0
    return np.sign(total).astype(int), clean


def _rational_sign(row: Array, w: Direction) -> int:
    total = sum((Fraction(float(a)) * Fraction(v) for a, v in zip(row, w) if a != 0.0 and v != 0), Fraction(0))
    return (total > 0) - (total < 0)


def null_vector(A: Array, near: Array) -> list[list[int]]:
    """Integers w, in about the direction of `near`, with ``A w = 0`` for as many rows as `near` has near-zeros.

    Two attempts: `near` may be a multiple of simple fractions (it is for dummies and counts); otherwise the entries in
    free columns are rounded, and those in pivot columns solved for, exactly. Returns a list of candidates, to be
    checked by :func:`signs`; it is empty where the system is too large.
    """
    size = np.abs(near)
    candidates: list[list[int] | None] = [
        _simple(near / unit) for unit in {float(size.max()), float(size[size > 1e-9 * size.max()].min())}
    ]
    A = np.asarray(A, dtype=np.float64)
    _, R, order = scipy.linalg.qr(A, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.count_nonzero(diagonal > 64.0 * max(A.shape) * EPS * diagonal[0])) if diagonal.size else 0
    if 0 < rank <= MOST_UNKNOWNS:
        pivots, free = order[:rank], order[rank:]
        rows = scipy.linalg.qr(A[:, pivots].T, mode="r", pivoting=True)[1][:rank]
        candidates.append(_solved(A[rows], pivots, free, near / size.max()))
    return [c for c in candidates if c is not None and any(c)]


def _simple(near: Array) -> list[int]:
    """The direction as integers if its entries are fractions with small denominators."""
    return to_integers([Fraction(float(v)).limit_denominator(1000) for v in near])


def _solved(A: Array, pivots: Array, free: Array, near: Array) -> list[int] | None:
    w = [Fraction(0)] * len(near)
    for j in free:
        part, power = frexp(near[j])  # a few digits of it, so that the integers stay short
        w[j] = Fraction(ldexp(round(part * 2**24), power - 24)) if abs(near[j]) > 64.0 * EPS else Fraction(0)
    right = [-sum((Fraction(float(row[j])) * w[j] for j in free if w[j]), Fraction(0)) for row in A]
    solved = solve_exactly([[Fraction(float(row[j])) for j in pivots] for row in A], right)
    if solved is None:
        return None
    for j, v in zip(pivots, solved):
        w[j] = v
    return to_integers(w)


def solve_exactly(A: list[list[Fraction]], b: list[Fraction]) -> list[Fraction] | None:
    """The rational solution of a square system, by elimination; None where it is singular.

    >>> solve_exactly([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(3)]], [Fraction(1), Fraction(1)])
    [Fraction(2, 5), Fraction(1, 5)]
    """
    k = len(b)
    rows = [[*row, right] for row, right in zip(A, b)]
    for c in range(k):
        pivot = next((r for r in range(c, k) if rows[r][c] != 0), None)
        if pivot is None:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        head = [v / rows[c][c] for v in rows[c]]
        rows[c] = head
        for r in range(k):
            factor = rows[r][c]
            if r != c and factor != 0:
                rows[r] = [v - factor * h for v, h in zip(rows[r], head)]
    return [row[k] for row in rows]


def to_integers(w: Sequence[Fraction]) -> list[int]:
    """The shortest integer vector in the direction of a vector of fractions."""
    common = lcm(*(v.denominator for v in w)) if w else 1
    return [int(v * common) for v in w]
