"""What the parts of one stored object owe to each other beyond their shapes: one law for each class that has one.

A law is asked after every part was found to be of its kind (:mod:`separatrix.persist.attributes`).
"""

from collections.abc import Callable, Mapping
from math import comb
from typing import Any

import numpy as np

from separatrix.core.node_table import NodeTable, fault_of
from separatrix.core.packed_tree import PackedTree, fault_of_packed
from separatrix.core.rule_table import RuleTable, fault_of_rules
from separatrix.persist.kinds import integers
from separatrix.prediction.boosted_trees import fault
from separatrix.prediction.categories import outcomes
from separatrix.prediction.forms import Step
from separatrix.prediction.rules import cells_of

MOST_COLUMNS = 1 << 20  # that a polynomial may expand a row to: more are no model but a way to fill a memory
MOST_FACTORS = 1 << 24  # of all these columns together: their names are as long
MOST_STEPS = 1 << 22  # degrees times features, over which the columns are counted


def fields_of(value: Any) -> Mapping[str, Any]:
    """What a record holds, by name; a reader without classes has its bare state."""
    if isinstance(value, Step):
        return value.state
    if isinstance(value, tuple):
        return dict(zip(type(value)._fields, value))  # type: ignore[attr-defined]
    return value.recipe() if "recipe" in dir(type(value)) else vars(value)


def _expansion(state: Mapping[str, Any]) -> bool:
    """Whether a polynomial expands to as many columns as its degree and its features say, with bounded work."""
    if "n_output_features_" not in state:
        return True
    ends = state["degree"]
    least, greatest = (0, ends) if isinstance(ends, int | np.integer) else ends
    p, distinct, cross = state.get("n_features_in_", 0), bool(state["interaction_only"]), bool(state["cross_terms"])
    total, factors, first, last = int(state["include_bias"]), 0, max(int(least), 1), int(greatest)
    if p > MOST_COLUMNS or (last + 1) * (p + 1) > MOST_STEPS:
        return False
    if distinct and cross:
        last = min(last, p)
    if p < 2 or not cross:  # p of each degree: a sum over very many degrees would never grow large enough to end
        degrees = max(last - first + 1, 0)
        fits = p * degrees * (first + last) // 2 <= MOST_FACTORS
        return fits and total + p * degrees == state["n_output_features_"]
    for d in range(first, last + 1):
        columns = _monomials(d, p, distinct)
        total, factors = total + columns, factors + d * columns
        if total > MOST_COLUMNS or factors > MOST_FACTORS:
            return False
    return total == state["n_output_features_"]


def _monomials(d: int, p: int, distinct: bool) -> int:
    """How many monomials of degree d there are in p > 1 variables, or some number above `MOST_COLUMNS`."""
    n = p if distinct else p + d - 1
    few = min(d, n - d)
    return comb(n, few) if few < 21 else MOST_COLUMNS + 1  # C(42, 21) is 5e11, and larger ones take long to compute


def _codes(state: Mapping[str, Any]) -> bool:
    """Whether targets that are classes are codes of them: a loop takes them for places."""
    from separatrix.core.verbs import is_squared_error  # a light reader has no losses

    if is_squared_error(state["loss"]):
        return len(state["mix"]) == 1
    return _are_codes(state)


def _are_codes(state: Mapping[str, Any]) -> bool:
    y = state["y"]
    return bool(((y == np.floor(y)) & (y >= 0.0) & (y <= len(state["mix"]))).all())


def _scores(state: Mapping[str, Any]) -> bool:
    """Whether local fits of classes have a score for each class but the first."""
    if "_data" not in state:
        return True
    data = fields_of(state["_data"])
    return len(data["mix"]) == len(state["classes_"]) - 1 and _are_codes(data)


def _one_hot(state: Mapping[str, Any]) -> bool:
    """Whether an encoder makes as many columns as it has categories, but for those dropped or pooled."""
    if "categories_" not in state:
        return "_n_features_outs" not in state
    widths = [len(categories) for categories in state["categories_"]]
    if state.get("_infrequent_enabled"):
        mappings = state.get("_default_to_infrequent_mappings", [None] * len(widths))
        if len(mappings) != len(widths):
            return False
        for j, mapping in enumerate(mappings):
            if mapping is not None:
                if not integers(widths[j], low=0)(mapping, {}):
                    return False
                widths[j] = int(mapping.max()) + 1
    dropped = state.get("_drop_idx_after_grouping")
    if dropped is not None:
        if len(dropped) != len(widths) or not all(d is None or 0 <= d < width for d, width in zip(dropped, widths)):
            return False
        widths = [width - (d is not None) for d, width in zip(dropped, widths)]
    return "_n_features_outs" in state and list(state["_n_features_outs"]) == widths


def _bags(state: Mapping[str, Any]) -> bool:
    """Whether the words of each column are distinct, each with its weight: their places are columns."""
    return "vocabulary_" not in state or all(
        len(set(words)) == len(words) == len(weights)
        for words, weights in zip(state["vocabulary_"], state["idf_"], strict=True)
    )


def _outcomes(state: Mapping[str, Any]) -> bool:
    """Whether each level that has no column is one of the outcomes."""
    return "dropped_" not in state or all(
        dropped < max(outcomes(state, j), 1) for j, dropped in enumerate(state["dropped_"])
    )


def _spline_widths(state: Mapping[str, Any]) -> bool:
    """Whether a natural spline has as many columns as its knots make."""
    return "df_" not in state or [len(knots) + 1 for knots in state["knots_"]] == state["df_"].tolist()


def _variates(state: Mapping[str, Any]) -> bool:
    """Whether canonical variates that come out have their axes."""
    return "_n_features_out" not in state or state["_n_features_out"] <= state["scalings_"].shape[1]


def _votes(state: Mapping[str, Any]) -> bool:
    """Whether the labels of stored rows are places in the classes."""
    y, classes = state.get("_y"), state.get("classes_")
    if y is None or classes is None:
        return y is None
    columns = y.reshape(len(y), -1).T
    sizes = [len(each) for each in classes] if isinstance(classes, list | tuple) else [len(classes)]
    return (
        y.dtype.kind in "iu"
        and len(columns) == len(sizes)
        and all(c.max(initial=-1) < k for c, k in zip(columns, sizes))
    )


def _parts(state: Mapping[str, Any]) -> bool:
    """Whether each distribution of a mixed naive Bayes has a part, and each column of categories its categories."""
    if "parts_" not in state:
        return True
    kinds, parts = state["distributions_"], state["parts_"]
    named = type(parts) is dict and set(parts) == set(kinds)
    return named and list(state["categories_"]) == [j for j, kind in enumerate(kinds) if kind == "categorical"]


def _walks(state: Mapping[str, Any]) -> bool:
    """Whether every walk through stored trees stays within them and ends: a loop does not look where it reads."""
    return fault(state) == ""


def _boosted(state: Mapping[str, Any]) -> bool:
    """Whether a boosted model has a tree for each output in every iteration, and categories that bins can hold."""
    if "_trees" not in state:
        return True
    k, classes = len(state["_baseline"]), state.get("classes_")
    outputs = 1 if classes is None or len(classes) <= 2 else len(classes)
    known = state.get("_categories")
    return (
        k == outputs == state["n_trees_per_iteration_"]
        and len(fields_of(state["_trees"])["roots"]) % k == 0
        and fault(fields_of(state["_trees"])) == ""  # a light reader asks nobody else
        and _has_numbers(state)
        and (known is None or all(each is None or len(each) <= 255 for each in known))
    )


def _has_numbers(state: Mapping[str, Any]) -> bool:
    """Whether the numbers that a model keeps beside its trees are as many as their nodes."""
    numbers = state.get("_node_numbers")
    return numbers is None or numbers.shape[1] == len(fields_of(state["_trees"])["column"])


def _tree(state: Mapping[str, Any]) -> bool:
    """Whether rows can walk through the nodes, and find a value for each class of each output there."""
    if "nodes_" not in state:
        return True
    held = fields_of(state["nodes_"])
    nodes = NodeTable(*(held[name] for name in NodeTable._fields))
    return nodes.value.shape[1] == _values_of(state) and not fault_of(nodes, state.get("n_features_in_", 0))


def _values_of(state: Mapping[str, Any]) -> int:
    """How many values a leaf has: one for each class of each output; -1 where classes and their numbers disagree."""
    classes, outputs = state.get("classes_"), state.get("n_outputs_", 0)
    if classes is None:
        return int(outputs)
    several = isinstance(classes, list | tuple)
    counts = [len(each) for each in classes] if several else [len(classes)]
    stated = state.get("n_classes_", 0)
    alike = len(counts) == outputs and (stated if several else [stated]) == counts
    return int(outputs) * max(counts) if alike and several == state.get("outputs_2d_") else -1


def _forest(state: Mapping[str, Any]) -> bool:
    """Whether rows can walk through every tree, and the samples of the trees can be drawn again."""
    if "_trees" not in state:
        return True
    p, width, bags = state.get("n_features_in_", 0), _values_of(state), state.get("_bags")
    if not state["_trees"] or len(state["_trees"]) != len(state["_seeds"]) or state["_seeds"].max() >= 1 << 32:
        return False
    if bags is not None and fields_of(bags)["n"] != state["_n_rows"]:
        return False
    held = map(fields_of, state["_trees"])
    trees = (PackedTree(*(each[name] for name in PackedTree._fields)) for each in held)
    return not any(fault_of_packed(tree, p, width) for tree in trees)


def _model_tree(state: Mapping[str, Any]) -> bool:
    """Whether rows can walk through the nodes, and find a model for each class there."""
    if "nodes_" not in state:
        return True
    held = fields_of(state["nodes_"])
    nodes = NodeTable(*(held[name] for name in NodeTable._fields))
    classes, n, p = state.get("classes_"), nodes.column.size, state.get("n_features_in_", 0)
    width = 1 if classes is None else len(classes)
    scores = () if width <= 2 else (width,)
    shapes = {
        "node_coef_": (n, *scores, p),
        "node_intercept_": (n, *scores),
        "node_mean_": (n, p),
        "node_spread_": (n, p),
    }
    alike = all(name in state and state[name].shape == shape for name, shape in shapes.items())
    return alike and nodes.value.shape[1] == width and not fault_of(nodes, p)


def _rules(state: Mapping[str, Any]) -> bool:
    """Whether rules ask for cells that the columns of their tree have, and predict the classes."""
    if "rules_" not in state:
        return True
    tree = fields_of(state["estimator_"])
    p, classes = state.get("n_features_in_"), state.get("classes_")
    if not _tree(tree) or classes is None or tree.get("n_features_in_") != p or tree.get("n_outputs_") != 1:
        return False
    named = [tree.get(name) for name in ("categories_", "_edges", "_is_ordinal")]
    if not np.array_equal(classes, tree["classes_"]) or any(each is None or len(each) != p for each in named):
        return False
    held = fields_of(state["rules_"])
    rules = RuleTable(*(held[name] for name in RuleTable._fields))
    cells = [each.n_known + 1 for each in cells_of(fields_of(tree["nodes_"]), *named)]
    return rules.value.shape[1:] == (len(classes),) and not fault_of_rules(rules, cells)


def _network(state: Mapping[str, Any]) -> bool:
    """Whether each layer takes what the one before gives, and a step rule has a number for each parameter."""
    W, b = state["coefs_"], state["intercepts_"]
    norms, moved = state.get("batch_norms_", ()), []
    chained = [state["n_features_in_"], *(matrix.shape[1] for matrix in W[:-1])] == [matrix.shape[0] for matrix in W]
    wide = [matrix.shape[1] for matrix in W] == [len(vector) for vector in b]
    normed = not norms or [part.shape[1] for part in norms] == [matrix.shape[1] for matrix in W[:-1]]
    if "_steps" in state:
        rule = fields_of(state["_steps"])
        moved = [part for part in (rule.get(name) for name in ("velocity", "m", "v")) if part is not None]
    parameters = sum(part.size for part in (*W, *b)) + sum(2 * part.shape[1] for part in norms)
    k = W[-1].shape[1] if W else 0
    classes = "classes_" not in state or len(state["classes_"]) == (2 if k == 1 else k)
    return bool(W) and chained and wide and normed and classes and all(part.size == parameters for part in moved)


def _dependency_tree(state: Mapping[str, Any]) -> bool:
    """Whether the parents of all columns lead to one root, and each table is as wide as its categories are many."""
    if "parents_" not in state:
        return True
    parents, sizes = state["parents_"], [len(known) for known in state["categories_"]]
    above = np.where(parents < 0, np.arange(len(parents)), parents)
    for _ in range(len(parents).bit_length()):  # each time twice as far up
        above = above[above]
    shapes = [(sizes[i],) if j < 0 else (sizes[j], sizes[i]) for i, j in enumerate(parents.tolist())]
    alike = [table.shape for table in state["conditional_tables_"]] == shapes
    return int((parents < 0).sum()) == 1 and bool((parents[above] < 0).all()) and alike


LAWS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "Words": _bags,
    "Categories": _outcomes,
    "PolynomialFeatures": _expansion,
    "KNeighborsClassifier": _votes,
    "LinearDiscriminantAnalysis": _variates,
    "MixedNB": _parts,
    "DecisionTreeClassifier": _tree,
    "DecisionTreeRegressor": _tree,
    **dict.fromkeys(("RandomForestClassifier", "RandomForestRegressor"), _forest),
    **dict.fromkeys(("ExtraTreesClassifier", "ExtraTreesRegressor"), _forest),
    "ModelTreeClassifier": _model_tree,
    "ModelTreeRegressor": _model_tree,
    "RuleListClassifier": _rules,
    "NaturalSpline": _spline_widths,
    "LocalData": _codes,
    "LocalLogisticRegression": _scores,
    "Trees": _walks,
    "GradientBoostingClassifier": _boosted,
    "GradientBoostingRegressor": _boosted,
    "HistGradientBoostingClassifier": _boosted,
    "HistGradientBoostingRegressor": _boosted,
    **dict.fromkeys(("Autoencoder", "MLPClassifier", "MLPRegressor"), _network),
    "ChowLiuTree": _dependency_tree,
    "sklearn:OneHotEncoder": _one_hot,
}
