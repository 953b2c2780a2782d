"""The chosen model: description, coefficients or other parameters, notes."""

import numpy as np

from separatrix import plots
from separatrix.core.declaration import declaration
from separatrix.core.description import CONFIDENCE
from separatrix.inference.describe import describe
from separatrix.inference.tree_words import bare_tree
from separatrix.prediction import forms
from separatrix.report.blocks import Heading, Note, Text, grid, picture, wide
from separatrix.report.numbers import short, with_interval
from separatrix.report.registry import section

OPEN_ROWS, MOST_DRAWN = 20, 15
MOST_TREES, MOST_COLUMNS = 4, 30  # of trees of dependences


@section("model", "The chosen model", order=50)
def chosen_model(context):
    """The fitted model, as described by :func:`separatrix.inference.describe`."""
    comparison = context.comparison
    description = describe(
        comparison.model, comparison.feature_names, context.prepared, comparison.y_train, units=context.units
    )
    parts = [Text(description.words), *_tree(comparison.model)]
    parts += _dependences(context.model, comparison.feature_names)
    if description.tables and description.tables[0].intervals:
        parts += _forest(description.tables[0])
    for k, table in enumerate(description.tables):
        parts += [shown(table, f"{table.title}: {len(table.rows)} rows")] if k else [Heading(table.title), shown(table)]
    parts += [Note(note) for note in description.notes]
    return parts


def _tree(model):
    """The picture of a model that is a single tree."""
    if bare_tree(model) is None:
        return []
    caption = (
        "The tree from left to right. A box at the end has the share of the commonest class, or the mean, of the "
        "training rows that come there; a dashed one stands for questions that are not drawn."
    )
    return [picture(plots.tree(model), caption)]


def _dependences(model, names):
    """The pictures of the trees of dependences of a model that has one for each class."""
    if declaration(model).prediction != forms.CHOW_LIU_CLASSES or len(names) > MOST_COLUMNS:
        return []
    parts = []
    for label, tree in list(zip(model.classes_, model.trees_, strict=True))[:MOST_TREES]:
        caption = (
            f"Which columns depend on each other within the class {label}. The number on an edge is the mutual "
            "information of its columns, in nats."
        )
        parts.append(picture(plots.dependency_tree(tree, names=names), caption))
    return parts


def shown(table, folded=""):
    """A table of a description with its numbers rounded; an estimate and its interval share a cell."""
    spanned = {interval[0]: interval for interval in table.intervals}
    ends = {column for interval in table.intervals for column in interval[1:]}
    kept = [column for column in range(len(table.heads)) if column not in ends]
    heads = [f"{table.heads[c]} ({table.spread})" if c in spanned and _any(table, c) else table.heads[c] for c in kept]
    rows = [[_cell(row, column, spanned.get(column)) for column in kept] for row in table.rows]
    folded = folded or (f"All {len(rows)} rows" if len(rows) > OPEN_ROWS else "")
    return grid(heads, rows, table.caption or table.title, folded=folded)


def _any(table, column):
    return any(row[column + 1] is not None for row in table.rows)


def _cell(row, column, interval):
    value = row[column]
    if interval is not None:
        return with_interval(*(row[c] for c in interval))
    if value is None:
        return "–"
    if isinstance(value, bool | str):
        return str(value)
    return short(float(value))


def _forest(table):
    """The largest effects as a picture, where they have intervals."""
    middle, low, high = table.intervals[0]
    rows = [row for row in table.rows if row[low] is not None][:MOST_DRAWN]
    if not rows:
        return []
    ends = np.array([(row[low], row[high]) for row in rows])
    ax = plots.coefficients(
        [row[0] for row in rows],
        [row[middle] for row in rows],
        ends,
        ax=wide(height=1.0 + 0.26 * len(rows)),
        unit=table.heads[middle],
        confidence=table.spread == CONFIDENCE,
    )
    caption = f"{table.title}: the {len(rows)} largest, each with its {table.spread}."
    if table.spread == CONFIDENCE:
        caption += " Filled dots: zero is outside the interval."
    return [picture(ax, caption)]
