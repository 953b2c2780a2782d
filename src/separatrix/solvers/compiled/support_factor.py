"""Loops that keep a Cholesky factor up to date while columns come and go. Rows of the triangle are contiguous."""

from math import sqrt

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def append(L: Array, size: int, order: Array, G: Array, j: int, ridge: float) -> float:
    """Border the factor with column j of G; returns the square of the new pivot (the factor is whole if positive)."""
    square = G[j, j] + ridge
    for i in range(size):
        total = G[j, order[i]]
        for t in range(i):
            total -= L[i, t] * L[size, t]
        L[size, i] = total / L[i, i]
        square -= L[size, i] * L[size, i]
    if square > 0.0:
        L[size, size] = sqrt(square)
    return square


@compiled
def remove(L: Array, size: int, k: int, work_cosine: Array, work_sine: Array) -> None:
    """Take row and column k out, and rotate what is left back to a triangle."""
    for i in range(k, size - 1):
        for t in range(k):
            L[i, t] = L[i + 1, t]
        carry = L[i + 1, k]
        for t in range(k, i):
            right = L[i + 1, t + 1]
            L[i, t] = work_cosine[t] * carry + work_sine[t] * right
            carry = work_cosine[t] * right - work_sine[t] * carry
        right = L[i + 1, i + 1]
        length = sqrt(carry * carry + right * right)
        work_cosine[i] = carry / length
        work_sine[i] = right / length
        L[i, i] = length


@compiled
def solve(L: Array, size: int, x: Array) -> None:
    """``x <- (L L')^-1 x`` in place."""
    for i in range(size):
        total = x[i]
        for t in range(i):
            total -= L[i, t] * x[t]
        x[i] = total / L[i, i]
    for i in range(size - 1, -1, -1):
        x[i] /= L[i, i]
        for t in range(i):
            x[t] -= x[i] * L[i, t]
