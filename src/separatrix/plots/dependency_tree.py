"""A tree of dependences between columns: which pairs it joins, and how much one says about the other."""

from separatrix.core.errors import cannot
from separatrix.core.protocol import column_names, fitted_attribute
from separatrix.plots.labels import number, short
from separatrix.plots.style import COLOURS, FAINT, picture
from separatrix.prediction.chow_liu import downwards

MOST_COLUMNS = 60  # of a picture
COLUMN, ROW = 1.6, 0.55  # inches
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}  # behind a number on a wide edge
WIDEST = 6.0  # points, of the edge with the most information


@picture(size=lambda given: _size(_places(_fitted(given["model"]))))
def dependency_tree(model, ax=None, *, names=None):
    """The tree of a fitted ChowLiuTree, from its root to the right; wide edges carry much information.

    The number on an edge is the mutual information of its two columns, in nats.

    Parameters
    ----------
    model : fitted ChowLiuTree of at most 60 columns.
    ax : Axes or None.
    names : sequence of str or None, default None.  What to call the columns; None for the names that they had.

    >>> from separatrix.graphical import ChowLiuTree
    >>> ax = dependency_tree(ChowLiuTree(smoothing=0.0).fit([[0, 0], [1, 1]]))
    >>> [text.get_text() for text in ax.texts]
    ['0.693', 'x0', 'x1']
    """
    model = _fitted(model)
    places = _places(model)
    names = column_names(model, len(places)) if names is None else list(names)
    edges = [(int(parent), j) for j, parent in enumerate(model.parents_) if parent >= 0]
    information = {edge: float(model.mutual_information_[edge]) for edge in edges}
    most = max(information.values(), default=0.0) or 1.0
    for edge, value in information.items():
        (x0, y0), (x1, y1) = (places[j] for j in edge)
        ax.plot([x0, x1], [y0, y1], color=COLOURS[0], lw=0.5 + WIDEST * value / most, alpha=0.6, zorder=1)
        ax.text((x0 + x1) / 2, (y0 + y1) / 2, number(value), ha="center", va="center", color=FAINT, size=8, bbox=PAPER)
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": FAINT}
    for j, (x, y) in enumerate(places):
        ax.text(x, y, short(names[j], 18), ha="center", va="center", bbox=box, zorder=3)
    ax.set(xlim=(-0.5, max(x for x, _ in places) + 0.5), ylim=(max(y for _, y in places) + 0.6, -0.6))
    ax.axis("off")
    ordered = sorted(information, key=lambda edge: -information[edge])
    said = "; ".join(f"{names[j]} and {names[l]}: {number(information[j, l])}" for j, l in ordered)
    root = names[downwards(model.parents_)[0]]
    return f"Tree of {len(places)} columns from {root}. Mutual information in nats, most first: {said}."


def _fitted(model):
    if fitted_attribute(model, "parents_") is None or len(model.parents_) > MOST_COLUMNS:
        raise cannot(
            f"draw {type(model).__name__} as a tree of dependences",
            because=f"it is no fitted ChowLiuTree of at most {MOST_COLUMNS} columns",
            instead="ChowLiuTree().fit(X), or a tree of ChowLiuClassifier: model.trees_[0]",
        )
    return model


def _places(model):
    """(depth, row) of each column: leaves one below the other, parents in the middle of their children."""
    order = downwards(model.parents_)
    children = {j: [l for l in order if model.parents_[l] == j] for j in order}
    places = [(0.0, 0.0)] * len(order)

    def place(j, depth, row):
        used = 0.0
        for l in children[j]:
            used += place(l, depth + 1.0, row + used)
        rows = [places[l][1] for l in children[j]]
        places[j] = (depth, (rows[0] + rows[-1]) / 2.0 if rows else row)
        return used or 1.0

    place(order[0], 0.0, 0.0)
    return places


def _size(places):
    return COLUMN * (max(x for x, _ in places) + 1.2), max(ROW * (max(y for _, y in places) + 1.4), 1.4)
