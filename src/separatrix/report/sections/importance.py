"""Columns of a model without coefficients: how much the score needs each, and how predictions move with it."""

import time

import numpy as np

from separatrix import plots
from separatrix.assess.inspection import dependence, importances
from separatrix.core.declaration import SHARES, declaration
from separatrix.core.protocol import fitted_attribute
from separatrix.inference.original_columns import OriginalColumns
from separatrix.report.blocks import Text, grid, picture, wide
from separatrix.report.numbers import counted, short
from separatrix.report.registry import Skipped, section
from separatrix.tables.table import Table

ROWS, REPEATS = 1_000, 5  # of the permutations
CURVE_ROWS, POINTS, CURVES = 300, 25, 4
MOST_DRAWN, MOST_LISTED = 12, 20
COEFFICIENTS = "the coefficients of the chosen model already say what each column does"


@section("importance", "How much the score needs each column", order=52)
def importance(context):
    """Permutation importances on the test part, beside the importances that the model itself counts."""
    losses = _losses(context)
    own = _own_importances(context)
    rows = [
        (each.column, short(each.loss), short(each.deviation), short(own[each.column]) if own else "")
        for each in losses[:MOST_LISTED]
    ]
    drawn = losses[:MOST_DRAWN]
    ends = [(each.loss - each.deviation, each.loss + each.deviation) for each in drawn]
    ax = plots.coefficients(
        [each.column for each in drawn],
        [each.loss for each in drawn],
        ends,
        ax=wide(height=1.0 + 0.26 * len(drawn)),
        unit=f"how much worse the {context.comparison.score} gets",
        confidence=False,
    )
    count = min(len(context.comparison.test), ROWS)
    text = (
        f"Each column was shuffled among {counted(count, 'row')} of the test part, {REPEATS} times. What the score "
        "loses by it is what the model needs the column for; columns that tell the same share their worth."
    )
    if own:
        text += (
            " The share of the gains is what the model itself counts while it learns: it favours columns with many "
            "different values."
        )
    heads = ("column", "loss of the score", "deviation", "share of the gains")
    caption = (
        f"How much worse the {context.comparison.score} of the test part is with the column shuffled; {len(rows)} of "
    )
    caption += f"{counted(len(losses), 'column')}."
    return [
        Text(text),
        picture(ax, f"Mean and standard deviation over {REPEATS} shuffles."),
        grid(heads, rows, caption, folded="All numbers"),
    ]


@section("dependence", "How predictions move with a column", order=54)
def partial_dependence(context):
    """Mean predictions over the values of the columns that matter most."""
    chosen = [each.column for each in _losses(context) if each.loss > 0.0][:CURVES]
    if not chosen:
        raise Skipped("shuffling no column makes the score worse")
    table = _some_rows(context.train, CURVE_ROWS, context.comparison.seed)
    _afford(context, table, CURVE_ROWS * POINTS * len(chosen), "the curves of single columns")
    curves = [dependence(context.comparison.model, table, name, points=POINTS) for name in chosen]
    curves = [each for each in curves if len(each.values) > 1]
    classes = [str(label) for label in context.classes]
    outputs = classes if len(classes) > 2 else ("",)
    unit = "mean prediction" if not classes else "mean probability"
    unit += f" of {classes[1]}" if len(classes) == 2 else ""
    low, high = (end([end(each.average) for each in curves]) for end in (np.min, np.max))
    ends = (low - 0.06 * (high - low or 1.0), high + 0.06 * (high - low or 1.0))
    text = (
        "One column at a time was given the same value in all rows, all else as it is, and the predictions were "
        "averaged (partial dependence). A flat line says that the column hardly matters by itself. Where columns hang "
        "together, some of the rows made in this way could not exist."
    )
    blocks, steps = [Text(text)], _jumps(context)
    for each in curves:
        ax = plots.dependence(
            _shown(context, each),
            each.average,
            ax=wide(2.4),
            name=each.column,
            unit=unit,
            outputs=outputs,
            range=ends,
            steps=steps,
        )
        blocks.append(picture(ax, f"{each.column}, over {counted(len(table), 'training row')} at most."))
    return blocks


def _jumps(context):
    """Whether predictions are sums over trees with constants in their leaves."""
    of = declaration(context.model).tree_sum
    trees = of(context.model, context.prepared[:1]) if callable(of) else None
    return trees is not None and trees.linear is None


def _shown(context, curve):
    """Values of the axis: of a date its year, with a fraction."""
    kinds = {column.name: column.kind for column in context.understanding.used}
    return 1970.0 + curve.values / 365.2425 if kinds[curve.column] == "date" else curve.values


def _losses(context):
    """Permutation importances of the chosen model, computed once; skips models that need none."""
    known = declaration(context.model)
    if known.is_linear:
        raise Skipped(COEFFICIENTS)
    if known.description == SHARES:
        raise Skipped("the chosen model looks at no column")
    comparison = context.comparison
    if not isinstance(comparison.test, Table) or not len(comparison.test):
        raise Skipped("there is no test part to shuffle")
    if context.losses is None:
        rows = _places(len(comparison.test), ROWS, comparison.seed)
        few = comparison.test.take(rows)
        _afford(context, few, len(few) * REPEATS * len(context.understanding.used), "shuffling each column")
        y = np.asarray(comparison.y_test)[rows]
        context.losses = importances(
            comparison.model, few, y, comparison.measure, repeats=REPEATS, seed=comparison.seed
        )
    return context.losses


def _own_importances(context):
    """The importances of the model itself, added up over all that was made of a column; empty where it has none."""
    shares = fitted_attribute(context.model, "feature_importances_")
    if shares is None:
        return {}
    seen = OriginalColumns(context.comparison.model)
    totals = np.bincount(seen.owners_of(len(shares)), weights=shares, minlength=len(seen.names))
    return dict(zip(seen.names, totals.tolist()))


def _afford(context, table, predictions, what):
    """Skip the section if so many predictions take too long, by the time of a few."""
    few = table.take(slice(0, 50))
    started = time.perf_counter()
    context.comparison.model.predict(few)
    context.needs_seconds(predictions * (time.perf_counter() - started) / len(few), what)


def _some_rows(table, most, seed):
    return table.take(_places(len(table), most, seed))


def _places(n, most, seed):
    return np.sort(np.random.default_rng(seed).choice(n, min(n, most), replace=False))
