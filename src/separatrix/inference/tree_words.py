"""The questions and answers of a tree in words: columns, categories and dates by the names that a person knows."""

from itertools import pairwise

import numpy as np

from separatrix.core.declaration import declaration, steps_of, unwrap
from separatrix.core.printable import shortened
from separatrix.core.protocol import fitted_attribute
from separatrix.estimators.preparation.categories import Codes
from separatrix.inference.original_columns import OriginalColumns
from separatrix.inference.own_units import blocks_of, own_units
from separatrix.prediction import forms

LONGEST = 64  # letters of a name or a category
MOST_LEVELS = 6  # of a group that is written out
OF_ONE_TREE = (forms.TREE_CLASSES, forms.TREE_NUMBERS, forms.MODEL_TREE_CLASSES, forms.MODEL_TREE_NUMBERS)


class TreeWords:
    """What the columns of a tree and their codes are called.

    Parameters
    ----------
    model : fitted tree or rule list, or a Pipeline that ends in one.

    Attributes
    ----------
    names : list of p str.  Of the columns that reach the tree.
    levels : list of p lists of str, or None.  What the codes 0, 1, 2, ... of a column stand for; None for numbers.
    units : OwnUnits.  Thresholds of columns that were scaled are said in the units of the table.

    >>> from separatrix.tree import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 5.0])
    >>> words = TreeWords(tree)
    >>> words.question(tree.nodes_._asdict(), 0), words.answer(tree.nodes_._asdict(), 0, 1)
    ('x0 <= 0.5', 'yes')
    """

    def __init__(self, model):
        seen, tree = OriginalColumns(model), _tree_of(model)
        steps = steps_of(model)[:-1]
        p = tree.n_features_in_
        self.names = [str(name) for name in model[:-1].get_feature_names_out()] if steps else list(seen.names)
        self.levels = [_own_levels(tree, j) for j in range(p)]
        self.units = own_units(model)
        self.dates = [at >= 0 and seen.kinds.get(seen.names[at]) == "date" for at in self.units.source.tolist()]
        for transformer, positions, places in blocks_of(steps, p) if steps else ():
            if isinstance(transformer, Codes):
                for at, place in zip(positions, places):
                    names = [*transformer.levels_[positions.index(at)], "other"]
                    codes = self.levels[place] or [str(float(code)) for code in range(len(names))]
                    self.levels[place] = [names[min(int(float(code)), len(names) - 1)] for code in codes]

    def number(self, column, value):
        """A threshold of a column, in the units of the table, as text: six digits, or a date."""
        value = self.units.origin[column] + self.units.unit[column] * value
        return str(np.datetime64(int(np.floor(value)), "D")) if self.dates[column] else f"{value:.6g}"

    def question(self, nodes, node):
        """What a node asks."""
        j = int(nodes["column"][node])
        name = shortened(self.names[j], LONGEST)
        if nodes["offset"][node] < 0:
            return f"{name} <= {self.number(j, nodes['threshold'][node])}"
        if nodes["left"][node] < 0:
            return f"which {name}?"
        group = self.group(nodes, node, int(nodes["left"][node]))
        return f"{name} is {listed(group)}"

    def answer(self, nodes, node, child):
        """What leads from a node to one of its children."""
        if nodes["left"][node] >= 0:
            return "yes" if child == nodes["left"][node] else "no"
        return listed(self.group(nodes, node, child)) or "missing"

    def group(self, nodes, node, child):
        """The categories, or bins, that lead to a child."""
        start, width = int(nodes["offset"][node]), int(nodes["width"][node])
        codes = np.flatnonzero(nodes["routes"][start : start + width] == child)
        levels = self.levels[int(nodes["column"][node])] or []
        return [levels[code] if code < len(levels) else f"{code}" for code in codes.tolist()]


def _tree_of(model):
    """The fitted tree at the end of a pipeline, or that which its rule list came from."""
    last = unwrap(model)
    return last.estimator_ if declaration(last).prediction is forms.RULES else last


def _own_levels(tree, j):
    """What the model itself calls the codes of a column: its categories, or the bins of a number."""
    edges = vars(tree).get("_edges")
    if edges is not None and edges[j] is not None:
        return _bins(edges[j])
    categories = vars(tree).get("categories_") or vars(tree).get("_categories")
    known = None if categories is None else categories[j]
    return None if known is None else [_plain(value) for value in known]


def _bins(edges):
    if not len(edges):
        return ["any"]
    inner = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    return [f"up to {edges[0]:.4g}", *inner, f"above {edges[-1]:.4g}"]


def _plain(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def listed(words):
    """Categories of a group: all of them, or the first and how many more.

    >>> listed(["a", "b", "c"]), listed(list("abcdefgh"))
    ('a, b or c', 'a, b, c, d, e or 3 more')
    """
    more = len(words) - MOST_LEVELS + 1 if len(words) > MOST_LEVELS else 0
    words = [shortened(word, LONGEST) for word in (words[: MOST_LEVELS - 1] if more else words)]
    words += [f"{more} more"] if more else []
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else ""


def bare_tree(model):
    """The fitted tree at the end of a pipeline, or None where the last model is declared to be something else."""
    tree = unwrap(model)
    is_one = any(declaration(tree).prediction is form for form in OF_ONE_TREE)
    return tree if is_one and fitted_attribute(tree, "nodes_") is not None else None
