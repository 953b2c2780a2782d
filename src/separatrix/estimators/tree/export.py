"""Trees as text and pictures: scikit-learn's functions, for our trees, too."""

import html
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn import tree as theirs
from sklearn.base import BaseEstimator

from separatrix.core.declaration import predicts_classes
from separatrix.core.errors import cannot
from separatrix.core.printable import printable
from separatrix.estimators.tree.base import DecisionTree

CALLS_A_LEVEL = 4  # of scikit-learn's functions, at most


def as_scikit_learn(model: DecisionTree) -> BaseEstimator:
    """A fitted tree as scikit-learn's class holds it, for what only reads nodes; splits by thresholds only."""
    arrays = model.tree_
    if np.any(arrays.nodes.offset >= 0):
        raise cannot(
            "show this tree by thresholds",
            because="some nodes divide categories",
            instead="tree.rules.to_text, tree.rules.to_dot or plots.tree",
        )
    children = arrays.children_left, arrays.children_right
    of_classes = max(arrays.n_classes) > 1 or predicts_classes(model)
    cls = theirs.DecisionTreeClassifier if of_classes else theirs.DecisionTreeRegressor
    p = model.n_features_in_
    copy = cls(criterion=model.criterion, random_state=0)
    stub = cls(random_state=0).fit(np.zeros((2, p)), np.zeros((2, arrays.n_outputs)))
    state = stub.tree_.__getstate__()
    kinds = state["nodes"].dtype
    records = np.zeros(arrays.node_count, kinds)
    fields = {
        "left_child": children[0],
        "right_child": children[1],
        "feature": arrays.feature,
        "threshold": arrays.threshold,
        "impurity": arrays.impurity,
        "n_node_samples": arrays.n_node_samples,
        "weighted_n_node_samples": arrays.weighted_n_node_samples,
        "missing_go_to_left": arrays.missing_go_to_left,
    }
    for name, values in fields.items():
        records[name] = values
    tree_class = type(stub.tree_)
    tree = tree_class(p, arrays.n_classes, arrays.n_outputs)
    depth, count = arrays.max_depth, arrays.node_count
    tree.__setstate__({"max_depth": depth, "node_count": count, "nodes": records, "values": arrays.value.copy()})
    copy.tree_, copy.n_features_in_, copy.n_outputs_ = tree, p, arrays.n_outputs
    for name in ("classes_", "n_classes_", "feature_names_in_"):
        if name in vars(model):
            setattr(copy, name, vars(model)[name])
    return copy


@contextmanager
def _readable(model: Any) -> Iterator[Any]:
    """A model as scikit-learn's functions read it; they call themselves for each level of a tree."""
    if not isinstance(model, DecisionTree):
        yield model
        return
    held, limit = as_scikit_learn(model), sys.getrecursionlimit()
    sys.setrecursionlimit(limit + CALLS_A_LEVEL * held.tree_.max_depth)
    try:
        yield held
    finally:
        sys.setrecursionlimit(limit)


def _named(options: dict[str, Any], escape: Callable[[str], str]) -> dict[str, Any]:
    """The options with names that are shown, and obeyed by nothing."""
    given = {name: options[name] for name in ("feature_names", "class_names") if options.get(name) is not None}
    lists = {name: [escape(printable(each)) for each in names] for name, names in given.items() if names is not True}
    return {**options, **lists}


def export_text(decision_tree: Any, **options: Any) -> str:
    """The rules of a tree as text: :func:`sklearn.tree.export_text`.

    Splits are shown as thresholds only: :func:`separatrix.tree.rules.to_text` takes categories, too.

    >>> from separatrix.tree import DecisionTreeRegressor
    >>> print(export_text(DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 5.0])), end="")
    |--- feature_0 <= 0.50
    |   |--- value: [2.00]
    |--- feature_0 >  0.50
    |   |--- value: [5.00]
    """
    with _readable(decision_tree) as held:
        classes = vars(held).get("classes_")
        if options.get("class_names") is None and isinstance(classes, np.ndarray):
            options["class_names"] = classes.tolist()  # scikit-learn would show them as they are
        return str(theirs.export_text(held, **_named(options, str)))


def export_graphviz(decision_tree: Any, out_file: Any = None, **options: Any) -> Any:
    """A tree in the language of Graphviz: :func:`sklearn.tree.export_graphviz`.

    Splits are shown as thresholds only: :func:`separatrix.tree.rules.to_dot` takes categories, too.
    """
    # scikit-learn escapes quotes, but no backslash before them
    escape = html.escape if options.get("special_characters") else _double_backslashes
    with _readable(decision_tree) as held:
        return theirs.export_graphviz(held, out_file, **_named(options, escape))


def plot_tree(decision_tree: Any, **options: Any) -> Any:
    """A picture of a tree: :func:`sklearn.tree.plot_tree`.

    Splits are shown as thresholds only: :func:`separatrix.plots.tree` takes categories, too.
    """
    with _readable(decision_tree) as held:
        return theirs.plot_tree(held, **_named(options, _without_formulas))


def _double_backslashes(text: str) -> str:
    return text.replace("\\", "\\\\")


def _without_formulas(text: str) -> str:
    """A text in which matplotlib sees no formula."""
    return text.replace("$", r"\$")
