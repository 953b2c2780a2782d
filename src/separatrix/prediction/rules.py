"""Rules: the cells of the columns that a tree asks for, and the first rule that holds for each row.

See :mod:`separatrix.core.rule_table` for the table. A tree is given by the state of its estimator.
"""

from typing import NamedTuple

import numpy as np

from separatrix.core.rule_table import accepts
from separatrix.prediction.trees import coded


class Cells(NamedTuple):
    """How a column is divided: by cuts (a cell ends at its cut, included) or by categories, then a missing value.

    Categories have one more cell, for those not met in training; levels with an order have none, as a level that was
    not stated is taken for a missing value.
    """

    cuts: object  # (m,) array, or None for categories
    categories: object  # list, or None for numbers
    is_coded: bool  # whether rows hold numbers of cells already
    is_ordinal: bool = False  # whether categories are levels with an order

    @property
    def n_known(self):
        """The number of cells but that of missing values, which comes last."""
        return len(self.cuts if self.categories is None else self.categories) + (not self.is_ordinal)


def cells_of(nodes, categories, edges, is_ordinal):
    """The cells of each column, from the arrays of a table of nodes by name, categories and edges of bins."""
    cuts = _thresholds(nodes)
    columns = []
    for j, (known, bins) in enumerate(zip(categories, edges, strict=True)):
        if bins is not None:
            columns.append(Cells(np.asarray(bins, dtype=np.float64), None, True))
        elif known is not None:
            columns.append(Cells(None, list(known), True, bool(is_ordinal[j])))
        else:
            columns.append(Cells(cuts.get(j, np.empty(0)), None, False))
    return columns


def _thresholds(nodes):
    """The different thresholds of each column that has any, ascending."""
    chosen = (nodes["column"] >= 0) & (nodes["offset"] < 0) & np.isfinite(nodes["threshold"])
    column, threshold = nodes["column"][chosen], nodes["threshold"][chosen] + 0.0  # -0.0 and 0.0 are one
    order = np.argsort(column, kind="stable")
    js, starts = np.unique(column[order], return_index=True)
    parts = np.split(threshold[order], starts[1:])
    return {int(j): np.unique(part) for j, part in zip(js, parts, strict=False)}


def places(X, columns, j):
    """The cell of column j in which each row of X, with codes for categories and bins, lies."""
    x = np.asarray(X[:, j], dtype=np.float64)
    gap, cells = np.isnan(x), columns[j]
    place = np.where(gap, 0.0, x).astype(np.int64) if cells.is_coded else np.searchsorted(cells.cuts, x, side="left")
    place[gap] = cells.n_known
    return place


def first_rules(rules, X, columns):
    """The number of the first rule that holds for each row; `rules` has the arrays of a table by name."""
    start, column, offset, bounds = (rules[name] for name in ("start", "column", "offset", "bounds"))
    known = {j: places(X, columns, j) for j in np.unique(column).tolist()}
    decided = np.full(len(X), len(start) - 2, np.int64)
    live = np.arange(len(X))
    for r in range(len(start) - 2):
        holds = np.ones(live.size, dtype=bool)
        for c in range(start[r], start[r + 1]):
            holds &= accepts(bounds[offset[c] : offset[c + 1]], known[int(column[c])][live])
        decided[live[holds]] = r
        live = live[~holds]
        if not live.size:
            break
    return decided


def class_shares(state, X):
    """Shares of the classes among the training rows that the rule of each row decides, (n, k)."""
    tree = state["estimator_"].state
    rules = state["rules_"].state
    columns = cells_of(tree["nodes_"].state, tree["categories_"], tree["_edges"], tree["_is_ordinal"])
    return rules["value"][first_rules(rules, coded(tree, X), columns)]


def log_class_shares(state, X):
    """Their logarithms."""
    with np.errstate(divide="ignore"):
        return np.log(class_shares(state, X))


def class_of(state, X):
    """The class with the largest share, the first of equals."""
    return state["classes_"][np.argmax(class_shares(state, X), axis=1)]
