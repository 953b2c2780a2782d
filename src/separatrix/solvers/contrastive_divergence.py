r"""Contrastive divergence for a restricted Boltzmann machine, with chains that persist or start at the data.

Climbs   mean_i log P(v_i),   P(v, h) = e^{b'v + c'h + h'W v} / Z,   along a sampled gradient
         mean_data P(h=1|v) v'  -  mean_chains P(h=1|v) v'      (for b and c alike)
Given    batches of rows v in [0, 1], W (k, p), b (p,), c (k,), and hidden states of the chains (m, k).
Returns  the parameters, moved in place by a step for each batch. The gradient is noisy and, with few Gibbs steps,
         biased: there is no certificate.
Cost     a batch of m rows: five products of m k p multiplications, and the draws of m (k + p) units. Of zeros and few
         ones four of the five products are sums over the ones (:mod:`~.compiled.ones`).
From     Hinton (2002), Neural Computation 14(8); Tieleman (2008), ICML, for chains that persist.

Products are accumulated by BLAS where their sum is wanted, so that no array of the size of W is made. BLAS runs on one
thread: the last bits of a product may depend on the number of threads, and a draw that they turn changes all that
follow.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg.blas import dgemm, sgemm

from separatrix.core.types import Array
from separatrix.solvers.compiled.bernoulli import BLOCK, draw_in_place, draw_units
from separatrix.solvers.compiled.ones import add_listed, list_ones, turn_lists

# Batches of fewer numbers, or of a larger share of ones, are multiplied by BLAS.
SMALL, SPARSE = 1 << 14, 0.4


class Machine(NamedTuple):
    """Weights W (k, p), in the order of Fortran; biases b (p,) of visible and c (k,) of hidden units."""

    weights: Array
    visible: Array
    hidden: Array


class Rule(NamedTuple):
    """How a batch moves the weights: `gibbs_steps` of the chains, which persist or start at the rows of the batch."""

    learning_rate: float
    gibbs_steps: int
    persistent: bool
    momentum: float


class Ones(NamedTuple):
    """Where the ones of a batch are: the columns of each row, and the rows of each column."""

    starts: Array
    places: Array
    turned_starts: Array
    turned: Array

    @classmethod
    def of(cls, V: Array) -> "Ones | None":
        """None where BLAS is faster, or V holds other numbers."""
        m, p = V.shape
        if m * p < SMALL:
            return None
        starts, places = np.empty(m + 1, dtype=np.int64), np.empty(int(SPARSE * m * p) + p, dtype=np.int32)
        if not list_ones(V, starts, places):
            return None
        turned_starts, turned = np.empty(p + 1, dtype=np.int64), np.empty(starts[m], dtype=np.int32)
        turn_lists(starts, places, turned_starts, turned)
        return cls(starts, places, turned_starts, turned)


class ContrastiveDivergence:
    """One fit: its parameters and chains, which change in place, and buffers; draws are numbered from 0 on."""

    def __init__(self, machine: Machine, chains: Array, rule: Rule, key: int) -> None:
        self.machine, self.chains, self.rule, self.key = machine, chains, rule, key
        self.calls = 0
        self.gemm = sgemm if machine.weights.dtype == np.float32 else dgemm
        self.work = np.empty(BLOCK, dtype=np.uint32)
        self.velocity = tuple(np.zeros_like(part) for part in machine) if rule.momentum > 0.0 else machine

    def step(self, V: Array) -> None:
        """Move the parameters by the batch V (m, p), in the order of C and in the precision of the weights."""
        rule, ones = self.rule, Ones.of(V)
        H = self.hidden_odds(V, ones)
        if rule.persistent:
            H += 1.0
            np.reciprocal(H, out=H)
            states = self.chains
        else:
            states = np.empty_like(H)
            self.draw(H, states)
        for _ in range(rule.gibbs_steps):
            fantasy = self.draw_visible(states)
            drawn = Ones.of(fantasy)
            hidden = self.hidden_odds(fantasy, drawn)
            self.draw(hidden, states)
        keep = rule.momentum if rule.momentum > 0.0 else 1.0
        self._add(V, ones, H, rule.learning_rate / len(V), keep)
        self._add(fantasy, drawn, hidden, -rule.learning_rate / len(fantasy), 1.0)
        if self.velocity is not self.machine:
            for parameters, velocity in zip(self.machine, self.velocity):
                parameters += velocity

    def draw(self, odds: Array, out: Array) -> None:
        """Turn odds against into probabilities, in place, and draw units."""
        draw_units(self.key, self.calls, odds.reshape(-1), out.reshape(-1), self.work)
        self.calls += 1

    def hidden_odds(self, V: Array, ones: Ones | None) -> Array:
        """``e^-(c + V W')``: the odds against each hidden unit."""
        odds = np.empty((len(V), len(self.machine.hidden)), dtype=V.dtype)
        np.negative(self.machine.hidden, out=odds[0])
        odds[1:] = odds[0]
        if ones is None:
            self.gemm(-1.0, self.machine.weights, V.T, beta=1.0, c=odds.T, overwrite_c=True)
        else:
            add_listed(ones.starts, ones.places, self.machine.weights.T, -1.0, odds)
        return np.exp(odds, out=odds)

    def draw_visible(self, H: Array) -> Array:
        """Visible units drawn with the odds ``e^-(b + H W)`` against each."""
        odds = np.empty((len(H), len(self.machine.visible)), dtype=H.dtype)
        np.negative(self.machine.visible, out=odds[0])
        odds[1:] = odds[0]
        self.gemm(-1.0, self.machine.weights, H.T, beta=1.0, c=odds.T, trans_a=True, overwrite_c=True)
        np.exp(odds, out=odds)
        draw_in_place(self.key, self.calls, odds.reshape(-1), self.work)
        self.calls += 1
        return odds

    def _add(self, V: Array, ones: Ones | None, H: Array, share: float, keep: float) -> None:
        """Add `share` of ``H'V`` and of the sums of V and H to what moves, of which `keep` is kept."""
        weights, visible, hidden = self.velocity
        if ones is None:
            self.gemm(share, H.T, V.T, beta=keep, c=weights, trans_b=True, overwrite_c=True)
        else:
            if keep != 1.0:
                weights *= keep
            add_listed(ones.turned_starts, ones.turned, H, share, weights.T)
        for bias, units in ((visible, V), (hidden, H)):
            if keep != 1.0:
                bias *= keep
            bias += share * units.sum(axis=0)
