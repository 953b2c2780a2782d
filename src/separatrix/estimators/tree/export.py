"""Trees as text and pictures: scikit-learn's functions, for our trees, too."""

from typing import Any

import numpy as np
from sklearn import tree as theirs
from sklearn.base import BaseEstimator

from separatrix.estimators.tree.base import DecisionTree


def as_scikit_learn(model: DecisionTree) -> BaseEstimator:
    """A fitted tree as scikit-learn's class holds it, for what only reads nodes; splits into two only.

    Where a node groups categories, the threshold has no meaning; it is NaN.
    """
    arrays = model.tree_
    children = arrays.children_left, arrays.children_right
    of_classes = max(arrays.n_classes) > 1 or "classes_" in vars(model)
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


def _held(model: Any) -> Any:
    return as_scikit_learn(model) if isinstance(model, DecisionTree) else model


def export_text(decision_tree: Any, **options: Any) -> str:
    """The rules of a tree as text: :func:`sklearn.tree.export_text`.

    >>> from separatrix.tree import DecisionTreeRegressor
    >>> print(export_text(DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 5.0])), end="")
    |--- feature_0 <= 0.50
    |   |--- value: [2.00]
    |--- feature_0 >  0.50
    |   |--- value: [5.00]
    """
    return str(theirs.export_text(_held(decision_tree), **options))


def export_graphviz(decision_tree: Any, out_file: Any = None, **options: Any) -> Any:
    """A tree in the language of Graphviz: :func:`sklearn.tree.export_graphviz`."""
    return theirs.export_graphviz(_held(decision_tree), out_file, **options)


def plot_tree(decision_tree: Any, **options: Any) -> Any:
    """A picture of a tree: :func:`sklearn.tree.plot_tree`."""
    return theirs.plot_tree(_held(decision_tree), **options)
