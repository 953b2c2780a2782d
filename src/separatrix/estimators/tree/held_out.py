r"""Errors on rows that a tree has not learnt from, which prune its subtrees or choose the cost of a leaf, alpha.

Reduced-error pruning (Quinlan, 1987) holds a share of the rows out, once. The choice of a price by cross-validation
(Breiman et al., 1984, section 3.4) holds out one fold after another. One subtree of the tree of all rows is the best
for all prices in an interval :math:`[\alpha_k, \alpha_{k+1})`; the trees of the folds are pruned at
:math:`\sqrt{\alpha_k \alpha_{k+1}}`. With :math:`e_{ik}` the error of row i by the tree that has not seen it, pruned at
that price, and W the sum of the weights,

.. math:: R_k = \frac1W \sum_i s_i e_{ik}, \qquad
          \mathrm{se}_k^2 = \frac{1}{W^2} \Big( \sum_i s_i e_{ik}^2 - \frac1W \big(\sum_i s_i e_{ik}\big)^2 \Big)

References: Quinlan (1987), International Journal of Man-Machine Studies 27(3).
"""

from math import frexp
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy
from sklearn.model_selection import check_cv

from separatrix.core.errors import cannot
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.estimators.linear.one_standard_error import strongest_within
from separatrix.solvers.trees.criterion import ABSOLUTE, OF_NUMBERS, POISSON
from separatrix.solvers.trees.nodes import apply
from separatrix.solvers.trees.pruning import cost_complexity

EPS = float(np.finfo(np.float64).eps)
# Prices that differ by less than rounding are one.
SAME_PRICE = 1e-10


def divide(target, s, share, seed, without="ccp_alpha='1se'"):
    """Places of the rows held out: `share` of those of positive weight, of each class about as many; by the seed.

    Of each class one row at least is not held out. `without` is a setting that needs no held-out rows: the message of
    an error recommends it.
    """
    rows = np.arange(len(target.y)) if s is None else np.flatnonzero(s > 0.0)
    strata, n_rows = np.zeros(rows.size, dtype=np.int64), rows.size
    if target.n_classes:
        strata = np.unique(target.y[rows], axis=0, return_inverse=True)[1].reshape(-1)
        several = np.bincount(strata)[strata] > 1
        rows, strata = rows[several], strata[several]
    n, order = rows.size, np.random.RandomState(seed).permutation(rows.size)
    order = order[np.argsort(strata[order], kind="stable")]
    n_held, least = int(share * n + 0.5), max(2, target.n_classes)
    if n_held < least or n - n_held < least:
        few = "hold out" if n_held < least else "learn from"
        raise cannot(
            f"prune on validation_fraction={share!r} of n_samples = {n_rows}",
            because=f"that leaves {min(n_held, n - n_held)} to {few}, too few: {least} are needed"
            + (", one for each class" if target.n_classes > 2 else "")
            + (", and of each class a row is kept to learn from" if n < n_rows else ""),
            instead=f"a share nearer to 0.5, more rows, or {without}, which uses all rows",
        )
    # every (1/share)-th row of the classes one after another: each class gives its share
    marks = np.floor(share * np.arange(n + 1) + 0.5)
    held = np.diff(marks) > 0.0
    if target.n_classes:
        starts = np.flatnonzero(np.diff(strata[order], prepend=-1))
        held[starts[np.logical_and.reduceat(held, starts)]] = False
    return np.sort(rows[order[held]])


def row_errors(y, values, criterion, n_classes):
    """The error of each row (n,), the mean over outputs: 1 for a wrong class; of numbers by the criterion."""
    n, k = y.shape
    if n_classes:
        guess = values.reshape(n, k, n_classes).argmax(axis=2)
        return (guess != y).mean(axis=1)
    if OF_NUMBERS[criterion] == ABSOLUTE:
        return np.abs(y - values).mean(axis=1)
    if OF_NUMBERS[criterion] == POISSON:
        mean = np.maximum(values, EPS)  # the deviance of y > 0 from a mean of 0 is infinite
        return 2.0 * (xlogy(y, y / mean) - y + mean).mean(axis=1)
    return ((y - values) ** 2).mean(axis=1)


def _upwards(nodes, ends, y, criterion, n_classes):
    """Step up from the end of each row to the root; of the rows not yet there, yield places, nodes and errors."""
    live, at = np.arange(ends.size), ends.astype(np.int64)
    while live.size:
        yield live, at[live], row_errors(y[live], nodes.value[at[live]], criterion, n_classes)
        live = live[at[live] > 0]
        at[live] = nodes.parent[at[live]]


def errors_of_nodes(nodes, X, target, s, criterion):
    """Errors as :func:`~separatrix.solvers.trees.pruning.prune_by_errors` takes them, (n_nodes, 2)."""
    n, errors = nodes.column.size, np.zeros((nodes.column.size, 2))
    s = np.ones(len(target.y)) if s is None else s
    ends = apply(nodes, X)
    for level, (live, at, lost) in enumerate(_upwards(nodes, ends, target.y, criterion, target.n_classes)):
        errors[:, 0] += np.bincount(at, s[live] * lost, n)
        if level == 0:
            errors[:, 1] = errors[:, 0]
    return errors


class Prices(NamedTuple):
    """Prices of a leaf that were tried, from 0 on: mean errors of rows left out, and their standard errors."""

    alphas: Array
    errors: Array
    standard_errors: Array


def chosen_price(prices, rule):
    """The price of the least error, the largest of equals; or the largest within one standard error of it ("1se")."""
    strong_first = slice(None, None, -1)
    alphas, errors = prices.alphas[strong_first], prices.errors[strong_first]
    if rule == "1se":
        return float(alphas[strongest_within(errors, prices.standard_errors[strong_first], alphas)])
    return float(alphas[np.argmin(errors)])


def prices_of(nodes):
    """Ascending from 0, the lower ends of the intervals of prices in each of which one subtree is the best."""
    alphas = np.maximum.accumulate(cost_complexity(nodes)[0])
    apart = np.diff(alphas) > SAME_PRICE * alphas[1:] + 8.0 * EPS * nodes.impurity[0]
    return alphas[np.append(apart, True)]  # of equals the largest, which prunes them all


def cross_validate(grow, folds, X, target, s, criterion, alphas):
    """Errors of each price on rows left out.

    Parameters
    ----------
    grow : callable.  From weights (n,), 0 for the rows left out, and the number of the fold to a table of nodes.
    folds : list of arrays.  Places of the rows of each fold.
    """
    s = np.ones(len(target.y)) if s is None else s
    middles = np.append(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:]), np.inf)
    nothing = np.zeros(target.y.shape)
    largest = 1.0 if target.n_classes else row_errors(target.y, nothing, criterion, 0).max()
    unit = 2.0 ** frexp(largest)[1]  # of errors, whose squares might overflow

    def sums(number):
        held = folds[number]
        kept = s.copy()
        kept[held] = 0.0
        nodes = grow(kept, number)
        return _sums_by_price(nodes, X[held], target.y[held], s[held], (criterion, target.n_classes), middles, unit)

    first, second = np.sum(parallel_map(sums, range(len(folds)), numbers=X.size), axis=0)
    total = sum(s[held].sum() for held in folds)
    spread = np.maximum(second - first**2 / total, 0.0)
    return Prices(alphas, unit * (first / total), unit * (np.sqrt(spread) / total))


def _sums_by_price(nodes, X, y, s, measure, middles, unit):
    """Sums of the errors in a unit, and of their squares, at each price, (2, L).

    A row ends in the highest node of its path that the price makes a leaf: on the way up prices only grow.
    """
    collapsed = cost_complexity(nodes)[2]
    L = middles.size
    steps, last = np.zeros((2, L + 1)), np.zeros(s.size)
    for level, (live, at, lost) in enumerate(_upwards(nodes, apply(nodes, X), y, *measure)):
        lost = lost / unit
        place = np.searchsorted(middles, collapsed[at]) if level else np.zeros(live.size, dtype=np.int64)
        steps[0] += np.bincount(place, s[live] * (lost - last[live]), L + 1)
        steps[1] += np.bincount(place, s[live] * (lost**2 - last[live] ** 2), L + 1)
        last[live] = lost
    return np.cumsum(steps, axis=1)[:, :L]


def folds_of(model, target, s, is_classifier):
    """Places of the rows of each fold, those of weight 0 in none."""
    rows = np.arange(len(target.y)) if s is None else np.flatnonzero(s > 0.0)
    y = target.y[rows, 0] if target.y.shape[1] == 1 else target.y[rows]
    splitter = check_cv(model.cv, y, classifier=is_classifier)
    folds = [rows[held] for _, held in splitter.split(np.zeros((rows.size, 1)), y)]
    if not folds:
        raise cannot(
            f"choose ccp_alpha={model.ccp_alpha!r} with cv={model.cv!r}",
            because="it holds no folds",
            instead="a number of folds, a splitter, or a list of at least one pair of training and held-out rows",
        )
    return folds
