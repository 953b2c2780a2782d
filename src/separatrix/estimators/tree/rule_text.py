"""Rules for people: as text, and as pictures in the language of Graphviz."""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.printable import printable
from separatrix.estimators.tree.conditions import condition_of, number_text, value_text
from separatrix.estimators.tree.rules import (
    Rule,
    branches_of,
    column_names,
    extract,
    is_list,
    predictions_of,
    tree_cells,
    tree_in,
)

OPTIMISTIC = "Confidences are those of the rows that chose the rules: on new rows they are lower (rules.assess)."


def to_text(model: Any, *, feature_names: Any = None, class_names: Any = None) -> str:
    """The rules of a fitted tree, or of a rule list, one a line, with support and confidence on the training rows.

    Thresholds are written in twelve digits; :func:`to_sql` writes them exactly.

    Parameters
    ----------
    model : a fitted DecisionTreeClassifier, DecisionTreeRegressor or RuleListClassifier.
    feature_names : sequence of str or None, default None.  Names of the columns; None for those of the fit, or x0, x1.
    class_names : sequence of str or None, default None.  Names of the classes, in the order of ``classes_``.

    >>> from separatrix.tree import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], [0, 0, 1])
    >>> print(to_text(model, feature_names=["size"], class_names=["low", "high"]))
    if size <= 3 or missing then low  (support 2, confidence 1)
    if size > 3 then high  (support 1, confidence 1)
    Confidences are those of the rows that chose the rules: on new rows they are lower (rules.assess).
    """
    rules, names = extract(model, feature_names=feature_names), _class_names(model, class_names)
    in_turn = is_list(model)
    lines = [_line(rule, names, in_turn and r > 0, in_turn) for r, rule in enumerate(rules)]
    return "\n".join([*lines, OPTIMISTIC] if rules[0].confidence is not None else lines)


def to_dot(model: Any, *, feature_names: Any = None, class_names: Any = None) -> str:
    """A fitted tree, or a rule list as a chain of questions, in the language of Graphviz.

    Parameters are those of :func:`to_text`. Children of multiway splits, and rows that end in a node which does not
    know their category, are drawn, too.

    >>> from separatrix.tree import DecisionTreeRegressor
    >>> print(to_dot(DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 5.0])))
    digraph {
      node [shape=box];
      0 [label="x0?"];
      1 [label="2"];
      0 -> 1 [label="x0 <= 0.5"];
      2 [label="5"];
      0 -> 2 [label="x0 > 0.5 or missing"];
    }
    """
    tree_in(model)
    labels = _class_names(model, class_names)
    names = column_names(model, feature_names)
    draw = _draw_list if is_list(model) else _draw_tree
    return "\n".join(["digraph {", "  node [shape=box];", *draw(model, names, labels), "}"])


def _line(rule: Rule, names: dict[Any, str], is_later: bool, in_turn: bool) -> str:
    counted = f"support {number_text(rule.support)}"
    if rule.confidence is not None:
        counted += f", confidence {rule.confidence:.3g}"
    then = prediction_text(rule.prediction, names)
    if not rule.conditions:
        return f"{'otherwise' if in_turn else 'always'} {then}  ({counted})"
    several = len(rule.conditions) > 1
    conditions = [f"({each})" if several and " or " in str(each) else str(each) for each in rule.conditions]
    return f"{'else if' if is_later else 'if'} {' and '.join(conditions)} then {then}  ({counted})"


def prediction_text(prediction: Any, names: dict[Any, str]) -> str:
    """A class by its name, or a number."""
    if isinstance(prediction, tuple):
        return ", ".join(value_text(each) for each in prediction)
    return printable(names[prediction]) if prediction in names else value_text(prediction)


def _class_names(model, names):
    if names is None:
        return {}
    classes = vars(model).get("classes_")
    if not isinstance(classes, np.ndarray) or len(names) != len(classes):
        count = len(classes) if isinstance(classes, np.ndarray) else "no"
        raise cannot(f"use {len(names)} class_names", because=f"there are {count} classes of one output",
                     instead="a name for each of classes_")  # fmt: skip
    return dict(zip(classes.tolist(), map(str, names), strict=True))


def quoted_label(text: str) -> str:
    r"""A text as a quoted string of the DOT language, in which nothing is an escape.

    >>> print(quoted_label('a "b" \\n'))
    "a \"b\" \\n"
    """
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _draw_tree(model, names, labels):
    nodes, columns = model.nodes_, tree_cells(model)
    predictions = predictions_of(model, nodes.value)
    arrivals, own = {}, nodes.column.size  # the branch that leads to each node; a new number for rows that end inside
    for node in range(nodes.column.size):
        j = int(nodes.column[node])
        then = quoted_label(prediction_text(predictions[node], labels))
        yield f"  {node} [label={then if j < 0 else quoted_label(f'{names[j]}?')}];"
        yield from arrivals.pop(node, ())
        for child, bounds in branches_of(nodes, columns, node) if j >= 0 else ():
            asked = quoted_label(str(condition_of(j, names[j], columns[j], bounds)))
            if child >= 0:
                arrivals[child] = [f"  {node} -> {child} [label={asked}];"]
                continue
            yield f"  {own} [label={then}];"
            yield f"  {node} -> {own} [label={asked}];"
            own += 1


def _draw_list(model, names, labels):
    rules = extract(model, feature_names=names)
    for r, rule in enumerate(rules):
        then = quoted_label(prediction_text(rule.prediction, labels))
        if not rule.conditions:
            yield f"  {r} [label={then}];"
            continue
        conditions = quoted_label(" and ".join(f"({each})" for each in rule.conditions))
        yield f"  {r} [label={conditions}];"
        yield f"  then{r} [label={then}];"
        yield f'  {r} -> then{r} [label="yes"];'
        yield f'  {r} -> {r + 1} [label="no"];'
