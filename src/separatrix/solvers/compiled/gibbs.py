"""Gibbs sampling of binary nodes: each is drawn given all the others, one after another, in every chain."""

from math import exp

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.types import Array
from separatrix.solvers.compiled.bernoulli import two_words

_SCALE = 2.0**-32


@compiled
def sweep(key: int, first: int, count: int, a: Array, C: Array, states: Array) -> None:
    """`count` sweeps over the nodes of all chains (m, d) in place, numbered from `first` on; C has a zero diagonal."""
    m, d = states.shape
    for number in range(first, first + count):
        for c in range(m):
            for j in range(d):
                eta = a[j]
                for k in range(d):
                    eta += C[j, k] * states[c, k]
                word, _ = two_words(np.uint64(c * d + j), np.uint64(number), np.uint64(key))
                odds = exp(min(-eta, 700.0))
                states[c, j] = np.float64(word) * _SCALE * (1.0 + odds) < 1.0
