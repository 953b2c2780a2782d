"""What undirected models of binary nodes share: checked rows, edges, sums over states, and draws."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.parameters import check_number
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_first_rows, validate_rows, validate_weights
from separatrix.solvers import annealed_importance
from separatrix.solvers.binary_states import LogPartition, log_sum, log_weights, refuse_none, sum_exactly
from separatrix.solvers.compiled.gibbs import sweep

LEAST = float(np.finfo(np.float64).eps)  # of the chance of a value that no row has


def binary_rows(model: Any, X: MatrixLike, *, reset: bool) -> Array:
    """Rows of zeros and ones (n, p), by the threshold `binarize` of the model where it has one."""
    rows = as_dense(validate_first_rows(model, X, sparse=True) if reset else validate_rows(model, X))
    threshold = check_number(model, "binarize", -np.inf, none=True)
    if threshold is not None:
        return (rows > threshold).astype(np.float64)
    bad = (rows != 0.0) & (rows != 1.0)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise cannot(
            f"use {type(model).__name__} on X with the value {rows[i, j]:g} in row {i}, column {j}",
            because="its nodes are 0 or 1",
            instead="columns of 0 and 1, or binarize=0.5: 1 for what is greater",
        )
    return rows.astype(np.float64)


class ConstantNodes(UserWarning):
    """Columns that are 0 in all rows, or 1 in all."""

    def __init__(self, columns: list[int], p: int) -> None:
        self.columns, self.p = columns, p
        super().__init__(
            f"{len(columns)} of {p} columns are constant, the first is {columns[0]}: their best intercepts are "
            "infinite. Half a row with the other value is added to each, independent of the others: they have no edges."
        )


def smoothed_rows(model: Any, X: MatrixLike, sample_weight: Any, *, reset: bool) -> tuple[Array, Array]:
    """Rows of a fit, and weights. A constant column is replaced by the mean that half a row more of each value gives.

    All sums of products are then those of a node that is independent of the others.
    """
    rows = binary_rows(model, X, reset=reset)
    s = validate_weights(sample_weight, len(rows))
    total = s.sum()
    means = s @ rows / total
    constant = np.flatnonzero((means <= 0.0) | (means >= 1.0))
    if len(constant):
        smoothed = (means[constant] * total + 0.5) / (total + 1.0)
        rows[:, constant] = np.clip(smoothed, LEAST, 1.0 - LEAST)  # half of a row among 2^53 is lost in rounding
        if reset:
            warnings.warn(ConstantNodes(constant.tolist(), rows.shape[1]), stacklevel=3)
    return rows, s


def edge_list(model: Any, edges: Any, d: int) -> Array:
    """Checked edges (m, 2), smaller node first, without repetitions; all pairs for None."""
    if edges is None:
        return np.column_stack(np.triu_indices(d, 1)).astype(np.int64)
    if isinstance(edges, Iterator):
        raise cannot(
            f"fit {type(model).__name__} with edges that are an iterator",
            because="it can be read once only",
            instead="edges=list(...)",
        )
    pairs = np.asarray(list(edges))
    if pairs.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise cannot(
            f"fit {type(model).__name__} with edges of shape {pairs.shape} and type {pairs.dtype}",
            because="an edge is a pair of numbers of nodes",
            instead="edges=[(0, 1), (1, 2)], say",
        )
    unknown = pairs[(pairs < 0) | (pairs >= d)]
    if len(unknown):
        raise cannot(
            f"fit {type(model).__name__} with an edge at node {unknown[0]}",
            because=f"the nodes are 0 to {d - 1}",
            instead="edges between these",
        )
    loops = pairs[pairs[:, 0] == pairs[:, 1]]
    if len(loops):
        raise cannot(
            f"fit {type(model).__name__} with an edge from node {loops[0, 0]} to itself",
            because="x² is x for a node that is 0 or 1",
            instead="edges between different nodes; the intercepts are fitted anyway",
        )
    return np.unique(np.sort(pairs.astype(np.int64), axis=1), axis=0)


class PairwiseModel(Estimator):
    """A model ``e^{a'x + ½ x'Cx - Φ}`` of binary nodes: a is ``intercept_``, C is ``coupling_``."""

    intercept_: Array
    coupling_: Array

    def log_partition(
        self,
        *,
        method: str = "auto",
        n_chains: int = 100,
        n_temperatures: int = 1000,
        random_state: int | RandomState | None = 0,
    ) -> LogPartition:
        """``log Z``, the Φ of the model, and its standard error.

        Parameters
        ----------
        method : {"auto", "exact", "annealed"}, default "auto".  Sum over all states, for 20 nodes at most, with the
            standard error 0; or annealed importance sampling; or the first that can be had.
        n_chains, n_temperatures : int >= 1.  Of annealed importance sampling.
        random_state : int, RandomState or None, default 0.
        """
        check_is_fitted(self)
        a, C = self.intercept_, self.coupling_
        if sum_exactly(len(a), method, f"sum the states of {type(self).__name__}"):
            return LogPartition(log_sum(log_weights(a, C)), 0.0)
        random = check_random_state(random_state)
        return annealed_importance.of_pairs(a, C, chains=n_chains, temperatures=n_temperatures, random=random)

    def _draw(self, n: int, method: str, sweeps: int, random_state: Any) -> Array:
        """Rows of all nodes (n, d)."""
        a, C = self.intercept_, self.coupling_
        refuse_none(n_samples=n, n_sweeps=sweeps)
        random = check_random_state(random_state)
        if sum_exactly(len(a), method, f"draw exactly from {type(self).__name__}", other="gibbs"):
            logs = log_weights(a, C)
            p = np.cumsum(np.exp(logs - logs.max()))
            numbers = np.minimum(np.searchsorted(p, random.random_sample(n) * p[-1], side="right"), len(p) - 1)
            return ((numbers[:, None] >> np.arange(len(a))) & 1).astype(np.float64)
        X = np.where(random.random_sample((n, len(a))) < expit(a), 1.0, 0.0)
        key = int(random.randint(1 << 32, dtype=np.uint64))
        for number in range(sweeps):  # one a call: an interrupt is heard between calls
            sweep(key, number, 1, a, C, X)
        return X
