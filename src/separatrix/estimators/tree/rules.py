"""Rules of a fitted tree: one for each leaf, with the conditions on the same column merged.

A tree is turned into a :class:`~separatrix.core.rule_table.RuleTable`, from which the rules that people read, SQL and
DOT are made. Rules of a tree exclude each other and leave no row out: a node that does not know a category, or a
missing value, decides such rows itself, and has a rule of its own for them.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declaration, predicts_classes
from separatrix.core.errors import cannot
from separatrix.core.rule_table import RuleTable, bounds_of, common_bounds, conditions_of, table_from
from separatrix.core.types import MatrixLike
from separatrix.estimators.tree.base import DecisionTree
from separatrix.estimators.tree.coded_tree import checked_weights
from separatrix.estimators.tree.conditions import Condition, condition_of
from separatrix.prediction import forms
from separatrix.prediction.rules import Cells, cells_of, first_rules

LEVEL = 0.95


@dataclass(frozen=True)
class Rule:
    """If all conditions hold, then the prediction; in a rule list only for rows that no earlier rule decides.

    Attributes
    ----------
    conditions : tuple of Condition.  One for each column that matters; none for a default.
    prediction : a class, a number, or a tuple of them for several outputs.
    support : float.  Weight of the rows that the rule decides.
    confidence : float or None.  The share of the predicted class among them; of a rule without rows, that of the node
        of the tree which it comes from. None for numbers and for several outputs.
    interval : (float, float) or None.  Wilson's interval of the confidence, 95 % where the rows had no part in
        choosing the rule (:func:`assess`). From training rows (:func:`extract`) it only shows how few they are: these
        rows chose the rule, and its true confidence is lower more often than 95 % would have it.
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    support: float
    confidence: float | None = None
    interval: tuple[float, float] | None = None


def extract(model: Any, *, feature_names: Any = None) -> list[Rule]:
    """The rules of a fitted tree, one for each leaf, or of a rule list, in its order; counted on the training rows.

    Parameters
    ----------
    model : a fitted DecisionTreeClassifier, DecisionTreeRegressor or RuleListClassifier.
    feature_names : sequence of str or None, default None.  Names of the columns; None for those of the fit, or x0, x1.

    >>> from separatrix.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
    >>> for rule in extract(model, feature_names=["size"]):
    ...     print(*rule.conditions, rule.prediction, rule.support)
    size <= 3 or missing low 2.0
    size > 3 high 1.0
    """
    table, columns = table_of(model)
    return _rules(model, table, columns, column_names(model, feature_names), table.value, table.weight, LEVEL)


def assess(
    model: Any,
    X: MatrixLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    level: float = LEVEL,
    feature_names: Any = None,
) -> list[Rule]:
    """The same rules, with support, confidence and interval counted on other rows.

    On rows that had no part in the fit, each interval covers the true confidence of its rule with about the probability
    `level` on average over confidences (Wilson's formula, for each rule by itself). For a confidence near 0 or 1 it may
    be less: of level 0.95, 0.83 at the least for five rows, 0.84 for a hundred. A row of weight w counts as w rows:
    weights that are no counts make no valid interval. A rule that decides none of the rows has the interval (0, 1).

    References: Wilson (1927), J. Amer. Statist. Assoc. 22(158); Brown, Cai and DasGupta (2001), Statist. Sci. 16(2).

    >>> from separatrix.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], [0, 0, 1])
    >>> rule = assess(model, [[0.0], [1.5], [2.5], [2.9]], [0, 0, 0, 1])[0]
    >>> rule.support, rule.confidence, [round(end, 3) for end in rule.interval]
    (4.0, 0.75, [0.301, 0.954])
    """
    table, columns = table_of(model)
    tree = tree_in(model)
    if not 0.0 < level < 1.0:
        raise cannot(f"assess rules with level={level!r}", because="it is no probability", instead="0 < level < 1")
    if not predicts_classes(tree) or tree.n_outputs_ > 1:
        raise cannot("assess these rules", because="they do not predict one class", instead="a classifier of one y")
    rows, target, _ = tree._again(X, y, None)  # weights of classes are for the fit
    s = checked_weights(sample_weight, len(rows))
    value, weight = count_decided(table, rows, columns, target.y[:, 0], s, table.value)
    chosen = np.argmax(table.value, axis=1)
    return _rules(model, table, columns, column_names(model, feature_names), value, weight, level, chosen)


def count_decided(table, rows, columns, codes, s, otherwise):
    """Shares of the classes and weight of the rows that each rule decides; shares of `otherwise` where it has none."""
    n, k = table.value.shape
    decided = first_rules(table._asdict(), rows, columns)
    counts = np.bincount(decided * k + codes, s, n * k).reshape(n, k)
    weight = counts.sum(axis=1)
    return np.where(weight[:, None] > 0.0, counts / np.where(weight > 0.0, weight, 1.0)[:, None], otherwise), weight


def wilson(share: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's interval of a probability, of which n trials (a sum of weights) gave this share.

    >>> [round(end, 4) for end in wilson(0.9, 10.0)]
    [0.5958, 0.9821]
    """
    if n <= 0.0:
        return 0.0, 1.0
    z, share = float(ndtri(0.5 + level / 2.0)), min(max(share, 0.0), 1.0)  # a sum of shares may be rounded beyond 1
    middle = (share * n + z * z / 2.0) / (n + z * z)
    half = z * np.sqrt(share * (1.0 - share) * n + z * z / 4.0) / (n + z * z)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def table_of(model: Any) -> tuple[RuleTable, list[Cells]]:
    """The rules of a fitted tree or rule list, and the cells of its columns."""
    tree = tree_in(model)
    columns = tree_cells(tree)
    return (vars(model)["rules_"] if model is not tree else tree_rules(tree, columns)), columns


def is_list(model: Any) -> bool:
    """Whether a model is declared to be a list of rules that are asked in turn."""
    return declaration(model).prediction is forms.RULES


def tree_in(model: Any) -> DecisionTree:
    """A fitted tree, or the tree that a rule list came from."""
    check_is_fitted(model)
    inside = model.estimator_ if is_list(model) else model
    if not isinstance(inside, DecisionTree):
        raise cannot(
            f"take rules from {type(model).__name__}",
            because="it is neither a tree nor a list of rules",
            instead="DecisionTreeClassifier, DecisionTreeRegressor or RuleListClassifier of this library",
        )
    return inside


def tree_cells(tree: DecisionTree) -> list[Cells]:
    """The cells of the columns of a fitted tree."""
    return cells_of(tree.nodes_._asdict(), tree.categories_, tree._edges, tree._is_ordinal)


UPPER, LOWER, ROUTED = range(3)  # tests on the way: at most a threshold, above it, or sent there by its code


def branches_of(nodes, columns, node):
    """(child, bounds of the cells that go there) of an inner node, in the order of the children.

    Cells whose rows end in the node itself come last, with -1 for a child.
    """
    cells = columns[nodes.column[node]]
    n, offset, missing = cells.n_known, int(nodes.offset[node]), int(nodes.missing[node])
    if offset >= 0 and not cells.is_coded:
        raise cannot("read these nodes", because="a number is taken for a category", instead="a tree made by fit()")
    if offset < 0:
        k = _cells_up_to(cells, float(nodes.threshold[node]))
        runs: dict[int, list[int]] = {}
        for child, low, high in ((nodes.left[node], 0, k), (nodes.right[node], k, n), (missing, n, n + 1)):
            ends = runs.setdefault(int(child), [])
            if ends and ends[-1] == low:  # goes on where the run before it ends
                ends[-1] = high
            elif low < high:
                ends += [low, high]
        branches = {child: np.array(ends, dtype=np.int64) for child, ends in runs.items() if ends}
    else:
        goes = np.full(n + 1, -1, np.int64)
        width = min(int(nodes.width[node]), n)
        goes[:width] = nodes.routes[offset : offset + width]
        goes[n] = missing
        order = np.argsort(goes, kind="stable")
        children, starts = np.unique(goes[order], return_index=True)
        parts = np.split(order, starts[1:])
        branches = {int(child): bounds_of(part) for child, part in zip(children, parts, strict=True)}
    return sorted(branches.items(), key=lambda branch: (branch[0] < 0, branch[0]))


def _cells_up_to(cells, threshold):
    """How many cells hold no number above a threshold."""
    if cells.is_coded:
        return int(np.clip(np.floor(threshold) + 1.0, 0, cells.n_known))
    return cells.n_known if threshold == np.inf else int(np.searchsorted(cells.cuts, threshold, side="right"))


def paths_of(nodes, columns):
    """(node, tests) of each rule of a tree, from left to right, the node's own rule after those of its children.

    Tests are a dict from column to a dict from the kind of test to the bounds of the cells that pass; of the tests on
    the way of one column and kind only their intersection is kept. Columns that are asked last come last. What no row
    can reach is left out.
    """
    stack = [(0, {}, False)]
    while stack:
        node, path, ends_here = stack.pop()
        if ends_here or nodes.column[node] < 0:
            yield node, path
            continue
        j, below = int(nodes.column[node]), []
        for child, bounds in branches_of(nodes, columns, node):
            tests = dict(path.get(j, {}))
            kind = ROUTED
            if nodes.offset[node] < 0 and child >= 0:
                kind = UPPER if child == nodes.left[node] else LOWER
            tests[kind] = common_bounds(tests[kind], bounds) if kind in tests else bounds
            if reduce(common_bounds, tests.values()).size:
                further = {column: each for column, each in path.items() if column != j} | {j: tests}
                below.append((node if child < 0 else child, further, child < 0))
        stack += below[::-1]


def tree_rules(tree, columns):
    """A tree as a table of rules; the last one has no conditions, as in every table, and no row reaches it."""
    nodes, ends, rules = tree.nodes_, [], []
    for end, path in paths_of(nodes, columns):
        merged = [(j, reduce(common_bounds, tests.values())) for j, tests in path.items()]
        rules.append([(j, bounds) for j, bounds in merged if bounds[0] > 0 or bounds[1] <= columns[j].n_known])
        ends.append(end)
    weight = np.where(nodes.column[ends] < 0, nodes.weight[ends], 0.0)
    rest = nodes.value[:1]  # no row is left for it
    value = np.concatenate([nodes.value[ends], rest])
    return table_from([*rules, []], value, np.append(weight, 0.0), np.zeros(len(value)))


def column_names(model: Any, names: Any) -> list[str]:
    """Names of the columns: given, or of the fit, or x0, x1."""
    p = model.n_features_in_
    if names is None:
        names = vars(model).get("feature_names_in_", [f"x{j}" for j in range(p)])
    names = [str(name) for name in names]
    if len(names) != p:
        raise cannot(f"name {p} columns", because=f"feature_names has {len(names)}", instead=f"{p} names")
    return names


def _rules(model, table, columns, names, value, weight, level, chosen=None):
    """Rules as people read them; the last of a tree, which no row reaches, is left out."""
    predictions = predictions_of(model, table.value)
    chosen = np.argmax(value, axis=1) if chosen is None else chosen
    of_classes = predicts_classes(model) and not isinstance(model.classes_, list)
    rules = []
    for r in range(len(table.value) - (model is tree_in(model))):
        conditions = tuple(condition_of(j, names[j], columns[j], bounds) for j, bounds in conditions_of(table, r))
        share = float(value[r, chosen[r]]) if of_classes else None
        interval = None if share is None else wilson(share, float(weight[r]), level)
        rules.append(Rule(conditions, predictions[r], float(weight[r]), share, interval))
    return rules


def predictions_of(model: Any, value: Any) -> list[Any]:
    """What each row of values predicts, as `predict` has it: a class or a number, tuples for several outputs."""
    outputs = vars(model).get("n_outputs_", 1)
    parts = value.reshape(len(value), outputs, -1)
    if not predicts_classes(model):
        table = parts[:, :, 0].tolist()
    else:
        labels = model.classes_ if isinstance(model.classes_, list) else [model.classes_]
        places = [np.argmax(parts[:, k, : len(each)], axis=1) for k, each in enumerate(labels)]
        table = list(zip(*(each[at].tolist() for each, at in zip(labels, places, strict=True)), strict=True))
    return [tuple(each) if outputs > 1 else each[0] for each in table]
