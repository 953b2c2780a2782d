"""Model trees for people: what leads to each leaf, and the formula of the model there."""

from functools import reduce
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.description import DescribedTable, Description, fit_notes
from separatrix.core.printable import printable
from separatrix.core.rule_table import common_bounds
from separatrix.estimators.tree.conditions import condition_of, number_text, value_text
from separatrix.estimators.tree.rules import column_names, paths_of
from separatrix.prediction.rules import cells_of

MOST_TERMS = 8  # of a formula that is written out
MOST_COLUMNS = 20  # of a table
ORDER = "Columns by the largest product of coefficient and standard deviation in the leaf."


def leaf_paths(model: Any, names: list[str]) -> list[tuple[int, str]]:
    """Each leaf with the conditions that lead to it, from left to right; a node that rows may end in, too."""
    nodes = model.nodes_
    columns = cells_of(nodes._asdict(), model.categories_, model._edges, model._is_ordinal)
    paths = []
    for node, path in paths_of(nodes, columns):
        accepted = {j: reduce(common_bounds, tests.values()) for j, tests in path.items()}
        conditions = [
            condition_of(j, names[j], columns[j], bounds)
            for j, bounds in accepted.items()
            if bounds.tolist() != [0, columns[j].n_known + 1]
        ]
        texts = [f"({each})" if len(conditions) > 1 and " or " in str(each) else str(each) for each in conditions]
        paths.append((node, " and ".join(texts) or "always"))
    return paths


def tree_text(model: Any, feature_names: Any = None) -> str:
    """A line for each leaf, or several where it has a formula for each of several classes.

    Of more than 8 terms those are written that differ most among the rows of the leaf.
    """
    check_is_fitted(model)
    names = column_names(model, feature_names)
    lines = []
    for node, conditions in leaf_paths(model, names):
        rows = number_text(model.nodes_.weight[node]) if model.nodes_.column[node] < 0 else "no"
        begin = conditions if conditions == "always" else f"if {conditions} then"
        formulas = _formulas(model, node, names)
        end = f"  ({rows} row{'' if rows == '1' else 's'})"
        lines += (
            [f"{begin} {formulas[0]}{end}"] if len(formulas) == 1 else [begin + end, *(f"    {f}" for f in formulas)]
        )
    return "\n".join(lines)


def _formulas(model, node, names):
    coef, intercept, spread = model.node_coef_[node], model.node_intercept_[node], model.node_spread_[node]
    classes = vars(model).get("classes_")
    if classes is None:
        return [f"y = {formula(coef, intercept, spread, names)}"]
    if len(classes) == 2:
        return [f"log-odds of {value_text(classes[1])} = {formula(coef, intercept, spread, names)}"]
    return [f"score of {value_text(c)} = {formula(w, b, spread, names)}" for c, w, b in zip(classes, coef, intercept)]


def formula(coef: Any, intercept: Any, spread: Any, names: list[str]) -> str:
    """``b + w_1 x_1 - w_2 x_2`` with four digits of each number, in the order of the columns; only 0 is left out.

    Of more than 8 terms those are written whose coefficient times the spread of the column is largest: coefficients
    have different units, and their sizes tell nothing.

    >>> formula(np.array([50.0, 0.0, -0.001]), 1.0, np.array([0.1, 1.0, 6e4]), ["rate", "age", "pay"])
    '1 + 50 rate - 0.001 pay'
    """
    nonzero = np.flatnonzero(coef)
    size = np.abs(coef[nonzero]) * spread[nonzero]
    shown = np.sort(nonzero[np.argsort(-size, kind="stable")[:MOST_TERMS]])
    terms = [f"{float(intercept):.4g}"]
    terms += [f"{'-' if coef[j] < 0.0 else '+'} {abs(float(coef[j])):.4g} {printable(names[j])}" for j in shown]
    more = len(nonzero) - len(shown)
    return " ".join(terms) + (f" + {more} more" if more else "")


def described(model: Any, names: list[str], X: Any, y: Any) -> Description:
    """A model tree in words: its leaves, and their coefficients side by side."""
    leaves = [(node, text) for node, text in leaf_paths(model, list(names)) if model.nodes_.column[node] < 0]
    total, classes = model.nodes_.weight[0], vars(model).get("classes_")
    heads = tuple(f"leaf {k + 1}" for k in range(len(leaves)))
    whole = DescribedTable(
        "Which rows come to which model",
        ("leaf", "where", "share of the rows", "mean" if classes is None else "commonest class"),
        tuple(
            (head, text, float(model.nodes_.weight[node] / total), _value(model.nodes_.value[node], classes))
            for head, (node, text) in zip(heads, leaves)
        ),
    )
    places = [node for node, _ in leaves]
    coef, intercept = model.node_coef_[places], model.node_intercept_[places]
    spread = model.node_spread_[places]
    tables = [whole]
    for c in range(1 if coef.ndim == 2 else coef.shape[1]):
        w, b = (coef, intercept) if coef.ndim == 2 else (coef[:, c], intercept[:, c])
        order = np.argsort(-(np.abs(w) * spread).max(axis=0), kind="stable")[:MOST_COLUMNS]
        rows = (("(intercept)", *map(float, b)), *((names[j], *map(float, w[:, j])) for j in order))
        of = "" if classes is None else f" for {value_text(classes[1 if coef.ndim == 2 else c])}"
        scale = "Coefficients of a linear model" if classes is None else f"Coefficients of the log-odds{of}"
        tables.append(DescribedTable(f"The model of each leaf{of}", ("column", *heads), rows, f"{scale}. {ORDER}"))
    kind = "linear model" if classes is None else "logistic regression"
    words = f"The model is one {kind} of all rows: no split of the rows was worth its parameters."
    if len(leaves) > 1:
        asked = sorted({names[j] for j in model.nodes_.column if j >= 0})
        words = (
            f"Questions about {', '.join(map(repr, asked))} lead each row to one of {len(leaves)} leaves, and each "
            f"leaf has a {kind} of its own."
        )
    return Description(words, tuple(tables), (), fit_notes(model))


def _value(value, classes):
    return float(value[0]) if classes is None else value_text(classes[int(np.argmax(value))])
