r"""Sums over all states of a pairwise model of binary nodes, by enumeration.

    P(x) = e^{w(x) - Φ},   w(x) = a'x + Σ_{j<k} C_jk x_j x_k,   Φ = log Σ_x e^{w(x)},   x in {0, 1}^d

State number i has the bits of i as its nodes, the lowest first. The logarithms of all weights cost O(2^d): those of
d + 1 nodes are those of d, and these again with what node d + 1 adds.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import NamedTuple

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.types import Array

MOST_NODES = 20  # 2^20 states are 8 MB of weights
BLOCK = 1 << 14  # states whose nodes are written out at a time


class LogPartition(NamedTuple):
    """``log Z``, and the standard error of its estimate: 0 where all states were summed."""

    value: float
    standard_error: float


def refuse_many(d: int, to: str, instead: str) -> None:
    """Refuse to enumerate the states of more than `MOST_NODES` nodes."""
    if d > MOST_NODES:
        raise cannot(to, because=f"it has {d} nodes, and 2^{d} states; {MOST_NODES} can be enumerated", instead=instead)


def refuse_none(**counts: int) -> None:
    """Refuse counts of draws, chains or steps that are not at least 1."""
    for name, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise cannot(f"draw with {name}={count!r}", because="it counts what is drawn", instead="an integer >= 1")


def sum_exactly(d: int, method: str, to: str, *, other: str = "annealed") -> bool:
    """Whether all states of d nodes are summed: asked for, or "auto" and few enough."""
    if method not in ("auto", "exact", other):
        raise cannot(f"{to} with method={method!r}", because="it is unknown", instead=f"'auto', 'exact' or {other!r}")
    if method == "exact":
        refuse_many(d, to, f"method={other!r}")
    return method == "exact" or (method == "auto" and d <= MOST_NODES)


def states(d: int, start: int = 0, stop: int | None = None) -> Array:
    """The nodes of the states from `start` up to `stop`, all by default: (stop - start, d) zeros and ones.

    >>> states(2)
    array([[0., 0.],
           [1., 0.],
           [0., 1.],
           [1., 1.]])
    """
    numbers = np.arange(start, 1 << d if stop is None else stop)
    return ((numbers[:, None] >> np.arange(d)) & 1).astype(np.float64)


def blocks(d: int) -> Iterator[tuple[slice, Array]]:
    """All states in blocks: their numbers, and their nodes."""
    for start in range(0, 1 << d, BLOCK):
        stop = min(start + BLOCK, 1 << d)
        yield slice(start, stop), states(d, start, stop)


def state_numbers(X: Array) -> Array:
    """The number of the state that each row is."""
    return X.astype(np.int64) @ (1 << np.arange(X.shape[1]))


def _linear(c: Array) -> Array:
    """``c'x`` of all states."""
    out = np.zeros(1)
    for each in c:
        out = np.concatenate([out, out + each])
    return out


def log_weights(a: Array, C: Array) -> Array:
    """``w(x)`` of all states, (2^d,); C is symmetric, and its diagonal does not count."""
    out = np.zeros(1)
    for j in range(len(a)):
        out = np.concatenate([out, out + (a[j] + _linear(C[j, :j]))])
    return out


def log_sum(logs: Array) -> float:
    """``log Σ e^logs``."""
    top = float(logs.max())
    return top + float(np.log(np.exp(logs - top).sum()))


def second_moments(p: Array, d: int) -> Array:
    """``Σ_x p(x) x x'``, (d, d), the means on its diagonal."""
    total = np.zeros((d, d))
    for place, B in blocks(d):
        total += (B * p[place, None]).T @ B
    return total


def log_partition_of_layers(W: Array, b: Array, c: Array) -> float:
    """``log Σ e^{b'v + c'h + h'Wv}``, W (k, p), over the states of the smaller layer, the other in closed form."""
    if len(b) < len(c):
        W, b, c = W.T, c, b
    rows = max(1, (1 << 20) // len(b))
    tops = [
        log_sum(H @ c + np.logaddexp(0.0, b + H @ W).sum(axis=1))
        for start in range(0, 1 << len(c), rows)
        for H in (states(len(c), start, min(start + rows, 1 << len(c))),)
    ]
    return log_sum(np.array(tops))
