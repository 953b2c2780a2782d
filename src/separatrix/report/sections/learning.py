"""The learning curve: whether more rows would help."""

import math
import time

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from separatrix import plots
from separatrix.assess import MEASURES
from separatrix.core.declaration import steps_of
from separatrix.designs import as_design
from separatrix.inference.bootstrap import at_choice
from separatrix.report.blocks import Text, picture
from separatrix.report.numbers import counted, plus_minus
from separatrix.report.registry import Skipped, section

FOLDS = 5
SHARES = (0.1, 0.2, 0.35, 0.6, 1.0)
FEWEST_ROWS = 30
MOST_ROWS = 20_000


@section("learning", "Would more rows help?", order=90)
def learning(context):
    """Scores on rows learnt from and on rows held out, as the number of rows grows; settings as chosen."""
    comparison = context.comparison
    y = np.asarray(comparison.y_train)
    if len(y) < FEWEST_ROWS:
        raise Skipped(f"{len(y)} rows are too few to learn from parts of them")
    table = _scores(context, y[:MOST_ROWS])
    measure = _measure(comparison)
    ax = plots.learning_curve(table, score=measure.label)
    text = (
        "The same model, with the settings that were chosen, learns from ever more rows. Where the line of the rows "
        "held out still closes in on the other, more rows would help; where both are flat and close, other columns or "
        f"another kind of model would do more. {_trend(table, measure)}"
    )
    caption = f"Means of {counted(FOLDS, 'fold')}; bands are one standard error. Preparation as learnt from all rows."
    return [Text(text), picture(ax, caption)]


def _measure(comparison):
    usual = "log_loss" if comparison.understanding.task == "classification" else "rmse"
    return MEASURES.get(comparison.measure, MEASURES[usual])


def _scores(context, y):
    design, measure = as_design(context.prepared), _measure(context.comparison)
    plain = at_choice(_searching(context.comparison.model))
    seed = context.comparison.seed
    splitter = StratifiedKFold if context.is_classification else KFold
    folds = min(FOLDS, int(np.unique(y, return_counts=True)[1].min())) if context.is_classification else FOLDS
    if folds < 2:
        raise Skipped("a class has a single row")
    split = splitter(folds, shuffle=True, random_state=seed).split(np.zeros((len(y), 1)), y)
    random = np.random.default_rng(seed)
    scores = {share: [] for share in SHARES}
    started, steps = time.perf_counter(), 0
    for learn, held in split:
        learn = random.permutation(learn)
        for share in reversed(SHARES):
            rows = learn[: max(2, round(share * len(learn)))]
            spent = time.perf_counter() - started
            context.needs_seconds(0.5 * spent / steps if steps else 0.0, "a learning curve")
            scores[share].append(_score(clone(plain), design, y, rows, held, measure, context.classes))
            steps += 1
    return _table(scores, len(learn))


def _searching(model):
    """The last step of the pipeline: a search, a calibration, or the model itself."""
    return steps_of(model)[-1]


def _score(model, design, y, rows, held, measure, classes):
    """(on rows learnt from, on rows held out); NaN where a class is missing among the rows."""
    if len(classes) and len(np.unique(y[rows])) < len(classes):
        return math.nan, math.nan
    try:
        model.fit(design.take(rows).matrix(), y[rows])
        return tuple(measure.of(model, design.take(part).matrix(), y[part]) for part in (rows, held))
    except ValueError:  # too few rows for this model: the curve begins later
        return math.nan, math.nan


def _table(scores, most):
    table = {"rows": [], "rows learnt from": [], "rows held out": [], "rows held out_error": []}
    for share, pairs in scores.items():
        pairs = np.array(pairs, dtype=np.float64)
        if not np.isfinite(pairs).all():
            continue
        table["rows"].append(max(2, round(share * most)))
        table["rows learnt from"].append(pairs[:, 0].mean())
        table["rows held out"].append(pairs[:, 1].mean())
        table["rows held out_error"].append(pairs[:, 1].std(ddof=1) / math.sqrt(len(pairs)))
    if len(table["rows"]) < 2:
        raise Skipped("parts of the rows are too few for this model to learn from")
    return table


def _trend(table, measure):
    """The last step of the curve, compared with its standard error."""
    held, error = table["rows held out"], table["rows held out_error"][-1]
    gain = (held[-1] - held[-2]) * (1.0 if measure.higher_is_better else -1.0)
    step = f"From {table['rows'][-2]:,} to {table['rows'][-1]:,} rows the {measure.label} on rows held out"
    change = f"changed by {plus_minus(abs(gain), error)}"
    if gain > 2.0 * error:
        return f"{step} {change} for the better: more rows are likely to help."
    return f"{step} {change}, which is no clear gain."
