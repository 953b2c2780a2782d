"""A decision tree from left to right: questions, branches, and the shares or the mean of each leaf."""

from textwrap import wrap
from typing import NamedTuple

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.printable import printable
from separatrix.inference.tree_words import TreeWords, bare_tree
from separatrix.plots.labels import counted, number, percent, short
from separatrix.plots.style import COLOURS, FAINT, INK, picture

DEPTH = 3  # questions on a way that are drawn, unless told otherwise
MOST_LEAVES, MOST_CHILDREN = 24, 10  # of a picture, and of a node with a child for each category
LETTERS = 21  # of a line in a box
COLUMN, ROW = 1.75, 0.5  # inches


class Drawn(NamedTuple):
    """A node with its place: depth, row from the top, the label of the branch to it, and its parent or -1."""

    node: int
    depth: int
    row: float
    branch: str
    parent: int


@picture(size=lambda given: _size(_placed(TreeWords(given["model"]), _nodes(given["model"]), given["max_depth"])))
def tree(model, ax=None, *, max_depth=DEPTH):
    """A fitted decision tree, of classes or of a number; what lies deeper is counted, in a dashed box.

    Categories, dates and columns are called as in the table that the tree was fitted to. A picture has at most 24
    leaves: it is drawn less deep where there would be more. Of a node with more than 10 children the first 10 are
    drawn.

    Parameters
    ----------
    model : fitted DecisionTreeClassifier or DecisionTreeRegressor of one output, or a Pipeline that ends in one.
    ax : Axes or None.
    max_depth : int, [1, inf), default 3.  Questions that are drawn on the way to a leaf.

    >>> from separatrix.tree import DecisionTreeClassifier
    >>> ax = tree(DecisionTreeClassifier().fit([[0.0], [1.0], [2.0]], ["a", "a", "b"]))
    >>> [text.get_text() for text in ax.texts]
    ['yes', 'no', 'x0 <= 1.5', 'a: 100 %\\n2 rows', 'b: 100 %\\n1 row']
    """
    nodes, words = _nodes(model), TreeWords(model)
    placed = _placed(words, nodes, max_depth)
    places = {each.node: each for each in placed}
    values = _Values(bare_tree(model), nodes)
    parents = {each.parent for each in placed}
    for each in placed[1:]:
        _branch(ax, places[each.parent], each)
    said = {}
    for each in placed:
        if each.node in parents:
            question = "\n".join(_lines(words.question(nodes, each.node)))
            _box(ax, each, question, "white", FAINT)
        else:
            below = _leaves_below(nodes, each.node)
            text = f"{values.text(each.node)}\n{counted(int(nodes['n_samples'][each.node]), 'row')}"
            text += f" in {below:,} leaves" if below > 1 else ""
            _box(ax, each, text, values.shade(each.node), values.colour(each.node), dashed=below > 1)
            said[each.node] = text.replace("\n", ", ")
    depth = max(each.depth for each in placed)
    rows = max(each.row for each in placed)
    ax.set(xlim=(-0.5, depth + 0.5), ylim=(rows + 0.6, -0.6))
    ax.axis("off")
    return _alternative(nodes, words, places, said)


def _nodes(model):
    fitted = bare_tree(model)
    if fitted is None or fitted.n_outputs_ != 1:
        raise cannot(
            f"draw {type(model).__name__} as a tree",
            because="it is not a single tree of one output",
            instead="a DecisionTreeClassifier or DecisionTreeRegressor, or a Pipeline that ends in one",
        )
    return fitted.nodes_._asdict()


def _placed(words, nodes, max_depth):
    """The nodes that are drawn, parents before children; less deep where there would be too many leaves."""
    for depth in range(min(max_depth, MOST_LEAVES), 0, -1):  # a deeper way has more leaves beside it
        placed = []
        rows = _place(words, nodes, 0, 0, depth, 0.0, "", -1, placed)
        if rows <= MOST_LEAVES or depth == 1:
            break
    return sorted(placed, key=lambda each: (each.depth, each.row))


def _place(words, nodes, node, depth, most, row, branch, parent, placed):
    """Place a node and those below it from a row downwards; return how many rows they take."""
    children = np.flatnonzero(nodes["parent"] == node)[:MOST_CHILDREN] if depth < most else ()
    used = 0.0
    for child in map(int, children):
        answer = short(words.answer(nodes, node, child), 14)
        used += _place(words, nodes, child, depth + 1, most, row + used, answer, node, placed)
    used = used or 1.0
    placed.append(Drawn(node, depth, row + (used - 1.0) / 2.0, branch, parent))
    return used


def _size(placed):
    depth, rows = max(each.depth for each in placed), max(each.row for each in placed)
    return COLUMN * (depth + 1), max(ROW * (rows + 1.2), 1.2)


class _Values:
    """Texts and colours of leaves: by class, or by how large the mean is."""

    def __init__(self, model, nodes):
        self.value = nodes["value"]
        self.classes = vars(model).get("classes_")
        low, high = float(self.value.min()), float(self.value.max())
        self.low, self.range = low, (high - low) or 1.0

    def text(self, node):
        if self.classes is None:
            return number(self.value[node, 0], 4)
        best = int(np.argmax(self.value[node]))
        return f"{short(str(self.classes[best]), 14)}: {percent(self.value[node, best])}"

    def colour(self, node):
        return COLOURS[0 if self.classes is None else int(np.argmax(self.value[node])) % len(COLOURS)]

    def shade(self, node):
        from matplotlib.colors import to_rgb

        share = (self.value[node, 0] - self.low) / self.range if self.classes is None else self.value[node].max()
        strength = 0.05 + 0.25 * float(share)
        return tuple(1.0 - strength * (1.0 - part) for part in to_rgb(self.colour(node)))


def _box(ax, place, text, face, edge, dashed=False):
    style = {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": edge, "linewidth": 0.9}
    style["linestyle"] = "--" if dashed else "-"
    ax.text(place.depth, place.row, text, ha="center", va="center", fontsize=8.5, color=INK, bbox=style, zorder=3)


def _branch(ax, parent, child):
    ax.plot([parent.depth, child.depth], [parent.row, child.row], color=FAINT, linewidth=1.0, zorder=1)
    middle = 0.5 * (parent.depth + child.depth), 0.5 * (parent.row + child.row)
    around = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
    ax.text(*middle, child.branch, ha="center", va="center", fontsize=8.0, color=FAINT, bbox=around, zorder=2)


def _lines(text):
    """A question in at most three lines."""
    lines = wrap(printable(text), LETTERS) or [""]
    return lines if len(lines) <= 3 else [*lines[:2], short(" ".join(lines[2:]), LETTERS)]


def _leaves_below(nodes, node):
    """Leaves under a node, itself if it is one."""
    inside = np.zeros(len(nodes["column"]), dtype=bool)
    inside[node] = True
    for child in range(node + 1, len(inside)):
        inside[child] = inside[nodes["parent"][child]]
    return int((inside & (nodes["column"] < 0)).sum())


def _alternative(nodes, words, places, said):
    ways = []
    for node, text in said.items():
        steps, at = [], node
        while at:
            parent = places[at].parent
            steps.append(f"{words.question(nodes, parent)}: {words.answer(nodes, parent, at)}")
            at = parent
        ways.append(f"{'; '.join(steps[::-1]) or 'all rows'}: {text}")
    leaves = int((nodes["column"] < 0).sum())
    return f"Decision tree of {leaves:,} leaves. {'. '.join(map(printable, ways))}."
