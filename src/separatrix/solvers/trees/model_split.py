r"""The split of a node whose children will hold models: by what the models gain, not by what constants would.

Solves   max over columns, thresholds (or groups of categories) and the side of missing values of
         :math:`\sum_{c} \tfrac12 g_c^\top (H_c + \Lambda)^{-1} g_c`, over the two children c, where
         :math:`g_c = -\Lambda w + \sum_{i \in c} s_i \dot\ell_i z_i` and
         :math:`H_c = \sum_{i \in c} s_i \ddot\ell_i z_i z_i^\top`:
         what one Newton step from the node's own model takes off the penalised loss of each child. Of squared error
         that is exactly what the child's ridge regression takes off. Several scores count as if they were independent.
Given    columns that may be asked, and of every row its z, slope and curvature (:class:`ScoredNode`).
Returns  a Split, or None.
Cost     n q² for each column that is searched, and 128 factors of q by q.
From     score tests for a break at an unknown place (Andrews 1993, Econometrica 61(4)), by which Zeileis, Hothorn and
         Hornik (2008), J. Comput. Graph. Statist. 17(2) choose the column of a model-based tree. We differ: they only
         choose the columns that are searched, and where columns are few all are.

At most 64 thresholds of a column are tried first: quantiles of the node's rows, and quantiles of the distinct values as
far as those of the rows coincide. Then up to 64 between the neighbours of the best are tried, until no value lies
between them. Categories are put in the order of the Newton step of the intercept on their rows alone, and split as
numbers.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.threads import on_one_blas_thread
from separatrix.core.types import Array
from separatrix.designs.binned import thresholds_of

THRESHOLDS = 64
# Columns that are searched with the curvature of each child; the others have a worse score test.
SEARCHED = 8
# With more columns in the model than this, or scores times columns, only the intercepts of the children count: their
# slopes would fit noise, and their curvatures take long.
MOST_COLUMNS = 200
# Gains that differ by less, relatively, are equal: the lowest column wins, in it the lowest threshold.
SAME = 1e-9
JITTER = 1e-12  # of the weight of a node, on the diagonal: columns may be dependent, and the penalty faint


class Split(NamedTuple):
    """A question that parts the rows of a node.

    Attributes
    ----------
    column : int.
    threshold : float.  Numbers up to it go left; infinite where numbers go left and missing ones right. NaN for
        categories.
    left_codes, right_codes : arrays or None.  The categories that go left and right; others the node has not met.
    missing_left : bool or None.  Where missing values go; None where the node has none.
    gain : float.
    """

    column: int
    threshold: float
    left_codes: Array | None
    right_codes: Array | None
    missing_left: bool | None
    gain: float

    def goes_left(self, x: Array) -> Array:
        """Which of the values x (n,) of the column go left."""
        known = x <= self.threshold if self.left_codes is None else np.isin(x, self.left_codes)
        return np.where(np.isnan(x), bool(self.missing_left), known)


@dataclass(frozen=True)
class ScoredNode:
    """The rows of a node as its model sees them.

    Parameters
    ----------
    Z : (n, q) array.  Columns of the model in comparable units, the first of ones.
    slopes : (n, k) array.  ``s_i (y_i - mu_i)``: minus the slopes of the loss, weighted.
    curvatures : (n, k) array.  Weighted, positive.
    s : (n,) array.  Weights.
    ridge : (q,) array.  The diagonal of the penalty's curvature, 0 for the intercept.
    pull : (q, k) array.  Slopes of the penalty at the node's coefficients; 0 where children are drawn towards them.
    """

    Z: Array
    slopes: Array
    curvatures: Array
    s: Array
    ridge: Array
    pull: Array

    @cached_property
    def total(self) -> float:
        return float(self.s.sum())

    @cached_property
    def diagonal(self) -> Array:
        """What is added to the diagonal of a curvature."""
        return self.ridge + JITTER * self.total

    @cached_property
    def curvature(self) -> Array:
        """``Z' diag(h_c) Z`` for every score c, (k, q, q)."""
        return np.stack([self.Z.T @ (h[:, None] * self.Z) for h in self.curvatures.T])

    @cached_property
    def effective_parameters(self) -> float:
        r""":math:`\sum_c \mathrm{tr}\,(H_c + \Lambda)^{-1} H_c`, which is q k without a penalty."""
        penalised = self.curvature + np.diag(self.diagonal)
        return float(np.trace(np.linalg.solve(penalised, self.curvature), axis1=1, axis2=2).sum())

    @cached_property
    def whitened(self) -> Array:
        """Scores of all rows in units in which the curvature of the node is 1, (n, k q)."""
        factors = np.linalg.cholesky(self.curvature + np.diag(self.diagonal))
        parts = [np.linalg.solve(L, (g[:, None] * self.Z).T).T for L, g in zip(factors, self.slopes.T)]
        return np.concatenate(parts, axis=1)

    @cached_property
    def whitened_pull(self) -> Array:
        factors = np.linalg.cholesky(self.curvature + np.diag(self.diagonal))
        return np.concatenate([np.linalg.solve(L, pull) for L, pull in zip(factors, self.pull.T)])


@on_one_blas_thread
def best_split(node: ScoredNode, X: Array, n_codes: Array, least: float) -> Split | None:
    """The split of the largest gain; None where no column parts the rows.

    Parameters
    ----------
    node : ScoredNode.
    X : (n, p) array.  Columns that may be asked, NaN where missing.
    n_codes : (p,) array.  How many categories a column has, whose codes it holds; 0 for numbers.
    least : float.  The weight that each child must have.
    """
    values = [_ordered_codes(node, X[:, j], int(n_codes[j])) if n_codes[j] else X[:, j] for j in range(X.shape[1])]
    cuts = [_first_cuts(x, node.s) for x in values]
    columns = [j for j, x in enumerate(values) if len(cuts[j]) or np.isnan(x).any()]
    if node.Z.shape[1] * node.slopes.shape[1] > MOST_COLUMNS:
        node = replace(node, Z=node.Z[:, :1], ridge=node.ridge[:1], pull=node.pull[:1])
    if len(columns) > SEARCHED:
        tests = {j: _scan(node, values[j], cuts[j], least, exact=False).gain for j in columns}
        columns = sorted(sorted(columns, key=lambda j: -tests[j])[:SEARCHED])
    best, where = _NONE, -1
    for j in columns:
        tried = _scan(node, values[j], cuts[j], least, exact=True)
        if tried.gain > best.gain + SAME * abs(best.gain) if where >= 0 else tried.gain > -np.inf:
            best, where = tried, j
    if where < 0:
        return None
    best = _refined(node, values[where], cuts[where], least, best)
    if not n_codes[where]:
        return Split(where, best.threshold, None, None, best.missing_left, best.gain)
    left, right = (
        np.unique(X[side, where]) for side in (values[where] <= best.threshold, values[where] > best.threshold)
    )
    return Split(where, np.nan, left, right, best.missing_left, best.gain)


class _Cut(NamedTuple):
    gain: float
    threshold: float
    missing_left: bool | None
    place: int


_NONE = _Cut(-np.inf, np.nan, None, -1)


def _ordered_codes(node: ScoredNode, codes: Array, n_codes: int) -> Array:
    """The rank of the category of each row; NaN stays NaN."""
    known = np.flatnonzero(~np.isnan(codes))
    present, place = np.unique(codes[known].astype(np.int64), return_inverse=True)
    ranks = np.full(len(codes), np.nan)
    if not present.size:
        return ranks
    k = node.slopes.shape[1]
    up = np.stack([np.bincount(place, node.slopes[known, c], len(present)) for c in range(k)], axis=1)
    down = np.stack([np.bincount(place, node.curvatures[known, c], len(present)) for c in range(k)], axis=1)
    steps = up / down
    if k > 1:  # along the direction in which categories differ most
        weight = np.bincount(place, node.s[known], len(present))
        apart = np.sqrt(weight)[:, None] * (steps - np.average(steps, axis=0, weights=weight))
        axis = np.linalg.svd(apart, full_matrices=False)[2][0]
        steps = steps @ (axis * np.sign(axis[np.argmax(np.abs(axis))]))[:, None]
    rank = np.empty(len(present))
    rank[np.argsort(steps[:, 0], kind="stable")] = np.arange(len(present))
    ranks[known] = rank[place]
    return ranks


def _scan(node: ScoredNode, x: Array, cuts: Array, least: float, *, exact: bool) -> _Cut:
    """The best of some thresholds of a column, with missing values on either side, and of numbers against missing."""
    missing = np.isnan(x)
    bins = np.where(missing, len(cuts) + 1, np.searchsorted(cuts, np.where(missing, 0.0, x)))
    order, counts = np.argsort(bins, kind="stable"), np.bincount(bins, minlength=len(cuts) + 2)
    sums = (_exact_sums if exact else _test_sums)(node, order, np.concatenate([[0], np.cumsum(counts)]))
    left = [np.cumsum(each[:-1], axis=0) for each in sums]
    whole = [each.sum(axis=0) for each in sums]
    ends = np.append(cuts, np.inf)
    sides: list[bool | None] = [False, True] if missing.any() else [None]
    best = _NONE
    for side in sides:
        last = len(cuts) + 1 if side is False else len(cuts)  # all numbers left, missing ones right
        part = [each[:last] + (own[-1] if side else 0.0) for each, own in zip(left, sums)]
        allowed = (part[0] >= least) & (whole[0] - part[0] >= least)
        if not allowed.any():
            continue
        rest = [total - each for total, each in zip(whole, part)]
        gain = _gain(node, [each[allowed] for each in part], exact) + _gain(
            node, [each[allowed] for each in rest], exact
        )
        first = int(np.argmax(gain >= gain.max() - SAME * abs(gain.max())))
        place = int(np.flatnonzero(allowed)[first])
        if best.place < 0 or gain[first] > best.gain + SAME * abs(best.gain):
            best = _Cut(float(gain[first]), float(ends[place]), side, place)
    return best


def _exact_sums(node: ScoredNode, order: Array, starts: Array) -> list[Array]:
    """Weight, slopes (k, q) and curvatures (k, q, q) of each bin."""
    n_bins, (q, k) = len(starts) - 1, node.pull.shape
    weight, up, curvature = np.zeros(n_bins), np.zeros((n_bins, k, q)), np.zeros((n_bins, k, q, q))
    Z, s, g, h = node.Z[order], node.s[order], node.slopes[order], node.curvatures[order]
    for b in np.flatnonzero(np.diff(starts)):
        rows = slice(starts[b], starts[b + 1])
        weight[b], up[b] = s[rows].sum(), g[rows].T @ Z[rows]
        for c in range(k):
            curvature[b, c] = Z[rows].T @ (h[rows, c, None] * Z[rows])
    return [weight, up, curvature]


def _test_sums(node: ScoredNode, order: Array, starts: Array) -> list[Array]:
    """Weight and whitened slopes of each bin."""
    filled = np.flatnonzero(np.diff(starts))
    weight, up = np.zeros(len(starts) - 1), np.zeros((len(starts) - 1, node.whitened.shape[1]))
    weight[filled] = np.add.reduceat(node.s[order], starts[filled])
    up[filled] = np.add.reduceat(node.whitened[order], starts[filled], axis=0)
    return [weight, up]


def _gain(node: ScoredNode, sums: list[Array], exact: bool) -> Array:
    """What a Newton step takes off the loss, for each set of rows; the test has the node's curvature by weight."""
    if not exact:
        weight, up = sums
        return 0.5 * node.total / weight * ((up - node.whitened_pull) ** 2).sum(axis=1)
    _, up, curvature = sums
    up = up - node.pull.T
    steps = np.linalg.solve(curvature + np.diag(node.diagonal), up[..., None])[..., 0]
    return 0.5 * (up * steps).sum(axis=(1, 2))


def _refined(node: ScoredNode, x: Array, cuts: Array, least: float, best: _Cut) -> _Cut:
    """The best threshold between the neighbours of the best so far, until every value there has been tried.

    A pass divides the number of thresholds that are left by about 32, whatever the weights are.
    """
    every = _all_cuts(x)
    tried = np.searchsorted(every, cuts)  # places among all thresholds
    low, high = -1, len(every)  # places of the neighbours
    while best.place < len(tried):  # else it parts numbers from missing ones
        here = tried[best.place]
        low = tried[best.place - 1] if best.place else low
        high = tried[best.place + 1] if best.place + 1 < len(tried) else high
        if high - low == 2:
            break
        inside = np.linspace(low + 1, high - 1, min(THRESHOLDS, high - low - 1)).astype(np.int64)
        tried = np.union1d(inside, here)
        best = _scan(node, x, every[tried], least, exact=True)
    return best


def _all_cuts(x: Array) -> Array:
    """A threshold between each two neighbouring values of a column."""
    values = np.unique(x[~np.isnan(x)])
    return thresholds_of(values, len(values))


def _first_cuts(x: Array, s: Array) -> Array:
    """Up to 64 of these thresholds: quantiles of the rows; those that coincide are replaced by quantiles of the values.

    One value may hold nearly all of the weight: quantiles of the rows alone would then be a single threshold.
    """
    every = _all_cuts(x)
    if len(every) < THRESHOLDS:
        return every
    known = ~np.isnan(x)
    below = np.cumsum(np.bincount(np.searchsorted(every, x[known]), s[known]))
    places = np.unique(np.searchsorted(below, np.arange(1, THRESHOLDS) / THRESHOLDS * below[-1]))
    places = places[places < len(every)]
    of_values = np.linspace(0, len(every) - 1, THRESHOLDS - 1 - len(places)).astype(np.int64)
    return every[np.union1d(places, of_values)]
