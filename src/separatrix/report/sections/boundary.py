"""The model in the plane of the two columns that move its predictions most."""

import time

import numpy as np

from separatrix import plots
from separatrix.core.protocol import can
from separatrix.report.blocks import Text, grid, picture
from separatrix.report.numbers import counted, short
from separatrix.report.registry import Skipped, section
from separatrix.tables.table import Table, is_number

SAMPLE = 400
MOST_LISTED = 10
GRID_ROWS = 14_400  # predicted for a picture


@section("boundary", "Which columns move the predictions", order=110)
def boundary(context):
    """Columns by how much shuffling them changes predictions, and the model over the first two that are numbers."""
    effects, each = _effects(context)
    order = sorted(effects, key=lambda name: -effects[name])
    changes = "changes of probabilities" if context.is_classification else "changes of the prediction"
    parts = [
        Text(
            "Each column in turn was shuffled among rows, which destroys its information: the more the predictions "
            "change, the more the model uses the column. Correlated columns share the effect."
        ),
        grid(
            ("column", "mean change"),
            [(name, short(effects[name])) for name in order[:MOST_LISTED]],
            f"Mean absolute {changes} of {counted(SAMPLE, 'row')} at most; {min(len(order), MOST_LISTED)} of "
            f"{counted(len(order), 'column')}.",
        ),
    ]
    strongest = [name for name in order if is_number(context.train[name]) and effects[name] > 0.0][:2]
    if len(strongest) < 2:
        raise Skipped("fewer than two columns of numbers move the predictions, and a plane needs two")
    context.needs_seconds(each * GRID_ROWS, "the picture of the model over two columns")
    ax = plots.boundary(context.comparison.model, context.train, context.comparison.y_train, columns=strongest)
    others = len(context.train.names) - 2
    held = f" The other {counted(others, 'column')} are held at their median or commonest value" if others else ""
    caption = (
        f"The model over {strongest[0]} and {strongest[1]}, the two columns of numbers that move it most.{held}"
        + (
            ", so that a training row, which differs in the other columns too, may lie in a region of another colour."
            if others
            else ""
        )
    )
    return [*parts, picture(ax, caption)]


def _effects(context):
    """Mean absolute change of the predictions when a column is shuffled, by name; and the seconds that a row takes."""
    table, model = context.train, context.comparison.model
    if not isinstance(table, Table) or not len(table):
        raise Skipped("the training rows are not a table")
    random = np.random.default_rng(context.comparison.seed)
    rows = np.sort(random.choice(len(table), min(len(table), SAMPLE), replace=False))
    few = table.take(rows)
    predict = model.predict_proba if can(model, "predict_proba") else model.predict
    if context.is_classification and not can(model, "predict_proba"):
        raise Skipped("the model gives no probabilities")
    started = time.perf_counter()
    before = np.asarray(predict(few))
    each = (time.perf_counter() - started) / len(few)
    context.needs_seconds(each * len(few) * len(few.names), "shuffling each column")
    effects = {}
    for j, name in enumerate(few.names):
        shuffled = few.columns[j][random.permutation(len(few))]
        moved = Table(few.names, (*few.columns[:j], shuffled, *few.columns[j + 1 :]), few.source)
        effects[name] = float(np.abs(np.asarray(predict(moved)) - before).mean())
    return effects, each
