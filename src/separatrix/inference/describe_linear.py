"""A linear model in words and numbers: effects of one standard deviation and of one unit, with intervals and odds."""

from typing import NamedTuple

import numpy as np
from sklearn.base import is_classifier

from separatrix.core.declaration import FIRTH, GENERALIZED, LOGISTIC, declaration, evidence_of
from separatrix.core.description import CONFIDENCE, MOST_ROWS, RESAMPLES, DescribedTable, Description, fit_notes
from separatrix.core.protocol import is_sparse
from separatrix.designs import as_design
from separatrix.inference.bootstrap import spread_over_resamples

CLASSICAL = (
    "Intervals are estimate ± 1.96 standard errors (t quantiles where a variance or dispersion is estimated), from the "
    "fit itself. They hold if the model holds, and do not cover that this model was picked among several."
)
PROFILE = (
    "Intervals are of the profile of the penalised likelihood, from the fit itself: the values that its "
    "likelihood-ratio test would not reject at 5 %. They hold if the model holds, and do not cover that this model was "
    "picked among several."
)
RESAMPLED = (
    "Low and high end the middle 95 % of {how} to rows drawn with replacement, at the chosen settings: the spread over "
    "resamples, not a confidence interval. A penalty pulls estimates towards zero, and the spread about the pulled "
    "values holds the true effect less often than in 95 of 100 samples. The choice of the penalty, the preparation of "
    "the columns and the choice of this model among several are not in it."
)


LOG_MEAN = "logarithm of the prediction"


class Effects(NamedTuple):
    """Coefficients (k, p) with ends of their intervals or None, the name of each of the k scores, what to note."""

    coef: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None
    labels: list
    notes: tuple
    spread: str = CONFIDENCE

    def ends(self, c, j, factor):
        """The interval of a coefficient times a factor; (None, None) where there is none."""
        if self.low is None or np.isnan(self.low[c, j]):
            return None, None
        return tuple(sorted((float(self.low[c, j] * factor), float(self.high[c, j] * factor))))


def in_coefficients(model, names, X, y, units):
    """Describe a linear model by its coefficients."""
    effects = _classical(model, X, y) or _resampled(model, X, y)
    spreads = _spreads(X) if X is not None else np.ones(len(names))
    units = np.ones(len(names)) if units is None else np.asarray(units, dtype=float)
    # of more than two classes, exp of a score's change is an odds ratio only against a class whose score is held at 0
    odds = _has_odds(model) and len(effects.labels) < len(model.classes_)
    tables = []
    for c, label in enumerate(effects.labels):
        order = _order(effects.coef[c] * spreads)
        if not order:
            tables.append(_constant(model, c, label))
            continue
        about = f" ({label})" if label and len(effects.labels) > 1 else ""
        if X is not None:
            title = f"What one standard deviation more does{about}"
            deviation = spreads * np.where(np.isnan(units), 1.0, units)
            caption = _caption(effects, label, odds, True, _scale(model))
            tables.append(_table(title, effects, c, names, order, spreads, odds, deviation, caption, _scale(model)))
        known = [j for j in order if np.isfinite(units[j]) and units[j] > 0.0]
        if known:
            title = f"What one unit of the table more does{about}"
            factors = np.divide(1.0, units, out=np.ones_like(units), where=units > 0.0)
            tables.append(
                _table(
                    title,
                    effects,
                    c,
                    names,
                    known,
                    factors,
                    odds,
                    None,
                    _caption(effects, label, odds, False, _scale(model)),
                    _scale(model),
                )
            )
    used = int(np.count_nonzero(effects.coef.any(axis=0)))
    notes = [*effects.notes, *_left_out(len(names), used), *fit_notes(model)]
    search = declaration(model).search
    pictures = ("path", "boundary") if search is not None and search.grid else ("boundary",)
    words = _words(model, effects, names, spreads, units, used, odds, X is not None)
    return Description(words, tuple(tables), pictures, tuple(notes))


def _classical(model, X, y):
    """Effects with the standard errors that the fit itself knows; None where it knows none."""
    evidence = evidence_of(model)
    jeffreys = declaration(model).likelihood == FIRTH
    if not (jeffreys and X is not None) and (evidence is None or evidence.penalised):
        return None
    summary = model.summary(X, y) if jeffreys else model.summary()
    rows = [table.rows[int(bool(model.fit_intercept)) :] for table in summary.tables]
    if any(row.low is None and not (row.aliased or row.infinite) for part in rows for row in part):
        return None

    def gather(field):
        return np.array([[_or_nan(vars(row)[field]) for row in part] for part in rows])

    labels = [table.output for table in summary.tables]
    if not is_classifier(model):
        labels = [""] if len(labels) == 1 else labels
    coef = np.nan_to_num(gather("estimate"), posinf=np.inf, neginf=-np.inf)
    if np.isinf(coef).any():  # separated classes: effects are those of the fit under a vanishing penalty
        coef = np.where(np.isinf(coef), evidence.coefficients[int(evidence.intercept) :].T, coef)
    return Effects(coef, gather("low"), gather("high"), labels, (PROFILE if jeffreys else CLASSICAL, *summary.notes))


def _or_nan(value):
    return np.nan if value is None else value


def _resampled(model, X, y):
    """Effects with their spread over resamples, or the reason why there is none."""
    coef = np.atleast_2d(model.coef_)
    if not is_classifier(model):
        labels = [""] if len(coef) == 1 else [f"output {o}" for o in range(len(coef))]
    elif len(coef) == 1:
        labels = [f"{model.classes_[1]} against {model.classes_[0]}"]
    else:
        labels = [str(label) for label in model.classes_[: len(coef)]]
    if X is None:
        return Effects(
            coef, None, None, labels, ("No spread over resamples: it needs the rows that the model learnt from.",)
        )
    try:
        low, high, how = spread_over_resamples(model, X, y)
    except (ValueError, TypeError, np.linalg.LinAlgError) as failure:
        low, high, how = None, None, f"a refit to resampled rows failed ({failure})"
    note = f"No spread over resamples: {how}." if low is None else RESAMPLED.format(how=how)
    return Effects(coef, low, high, labels, (note,), RESAMPLES)


def _spreads(X):
    """Standard deviations of the columns of an array, a frame or a sparse array."""
    design = as_design(X if is_sparse(X) else np.asarray(X, dtype=np.float64))
    mean = design.column_sums() / design.n
    return np.sqrt((design.column_squares() / design.n - mean * mean).clip(min=0.0))


def _scale(model):
    """What the weighted sum of a regressor is: its prediction, or a function of that."""
    if declaration(model).likelihood != GENERALIZED or model.link_ == "identity":
        return "prediction"
    return LOG_MEAN if model.link_ == "log" else f"{model.link_} of the prediction"


def _has_odds(model):
    return declaration(model).likelihood in (LOGISTIC, FIRTH)


def _order(effects):
    """Columns with an effect, largest first, as many as a table shows."""
    order = np.argsort(-np.abs(effects), kind="stable")
    return [int(j) for j in order[:MOST_ROWS] if effects[j] != 0.0]


def _table(title, effects, c, names, order, factors, odds, deviation, caption, scale):
    """A row for each column of `order`: its coefficient times its factor, the interval, and the odds where they are."""
    effect = "change of log-odds" if odds else "change of score" if effects.labels[c] else f"change of {scale}"
    heads = ["column", *(["standard deviation"] if deviation is not None else []), effect, "low", "high"]
    first = heads.index(effect)
    intervals = [(first, first + 1, first + 2)]
    if odds:
        heads += ["odds ratio", "odds low", "odds high"]
        intervals.append((first + 3, first + 4, first + 5))
    rows = []
    for j in order:
        value = float(effects.coef[c, j] * factors[j])
        ends = effects.ends(c, j, factors[j])
        row = [names[j], *([float(deviation[j])] if deviation is not None else []), value, *ends]
        if odds:
            row += [_exp(value), *(None if end is None else _exp(end) for end in ends)]
        rows.append(tuple(row))
    return DescribedTable(title, tuple(heads), tuple(rows), caption, tuple(intervals), effects.spread)


def _constant(model, c, label):
    """What is left where every weight is zero."""
    value = float(np.ravel(model.intercept_)[min(c, np.size(model.intercept_) - 1)])
    rows = ((f"constant of {label}" if label else "constant", value),)
    return DescribedTable("What is left without any column", ("what", "value"), rows, "Every weight is zero.")


def _exp(value):
    """The odds of a log-odds; None where no number is large enough."""
    return float(np.exp(value)) if value < 700.0 else None


def _caption(effects, label, odds, standard, scale):
    step = "one standard deviation of its column" if standard else "one unit of its column, as the table counts it"
    what = f"the log-odds of {label}" if odds and " against " in label else f"the score of {label}" if label else ""
    ends = "" if effects.low is None else f"; low and high end the {effects.spread}"
    if not what:
        return f"Change of the {scale} for {step}, all other columns unchanged{ends}."
    said = " The odds ratio is the factor by which the odds change." if odds else ""
    return f"Change of {what} for {step}, all other columns unchanged{ends}.{said}"


def _left_out(p, used):
    notes = []
    if used < p:
        notes.append(f"{p - used} of {p} columns have a weight of exactly zero and are not listed.")
    if used > MOST_ROWS:
        notes.append(f"The {MOST_ROWS} largest effects are listed, of {used}.")
    return notes


def _signed(value):
    return (f"{value:+,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:+.3g}").replace("-", "−")


def _words(model, effects, names, spreads, units, used, odds, standard):
    p, label = len(names), effects.labels[0]
    uses = f"all {p}" if used == p else f"{used} of {p}"
    if not used:
        return "The model gives every column a weight of zero: it predicts the same for every row."
    if not is_classifier(model):
        first = f"The {_scale(model)} is a weighted sum of {uses} prepared columns, plus a constant."
    elif len(effects.labels) == 1:
        first = f"A weighted sum of {uses} prepared columns decides between {label.replace(' against ', ' and ')}."
    else:
        first = f"Each class has a score, a weighted sum of {uses} prepared columns; the largest score decides."
    c, j = np.unravel_index(np.abs(effects.coef * spreads).argmax(), effects.coef.shape)
    step = float(effects.coef[c, j] * spreads[j])
    deviation = spreads[j] * units[j]
    more = f"one {'standard deviation' if standard else 'unit'} more of {names[j]!r}"
    more += f" ({deviation:.3g})" if np.isfinite(deviation) and not np.isclose(deviation, 1.0) else ""
    if odds and abs(step) < 50.0:
        of = effects.labels[c]
        return f"{first} The largest effect: {more} multiplies the odds of {of} by {np.exp(step):.3g}."
    of = f" of {effects.labels[c]}" if effects.labels[c] and len(effects.labels) > 1 else ""
    if _scale(model) == LOG_MEAN and abs(step) < 50.0:
        return f"{first} The largest effect: {more} multiplies the prediction by {np.exp(step):.3g}."
    target = _scale(model) if not is_classifier(model) else "score"
    return f"{first} The largest effect: {more} changes the {target}{of} by {_signed(step)}."
