"""The recommended family fitted to all training rows, and the standard error of its test score."""

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.assess.compare import fit_once
from separatrix.assess.compare.deadline import MOST_SECONDS
from separatrix.assess.compare.paired import corrected_error
from separatrix.assess.compare.splits import fair_order
from separatrix.assess.metrics import calibration_by_chance, calibration_error
from separatrix.estimators.preparation.compose import feature_names

# Up to this many test rows the standard error is a bootstrap's; beyond, that of parts of them, which is faster.
BOOTSTRAP_ROWS, PARTS = 5_000, 20
# A standard error of so many resamples has one of its own of 10 % and of 3.5 %: many where rows are few, and cheap.
FEWEST_DRAWS, MOST_DRAWS, ROWS_DRAWN = 50, 400, 200_000


def refit(tournament, candidate):
    """The recommended family on all training rows, as a Pipeline that takes a Table or a frame.

    If the time left is too short for all rows, it is fitted to as many as in a round, and a note says so.

    Returns
    -------
    The Pipeline (columns → prepare → model), the names of the columns that reach the model, the note or "", and how
    many rows it was fitted to.
    """
    n = len(tournament.y)
    count = candidate.family.most_rows or n
    expected = (
        1.25 * (candidate.seconds() or 0.0) * (min(count, n) / max(candidate.rows, 1)) ** candidate.fit_law.exponent
    )
    if expected > min(tournament.deadline.left(), MOST_SECONDS):
        count = candidate.rows
    rows = refitted_rows(
        tournament.y, min(count, n), classification=tournament.classes is not None, seed=tournament.seed
    )
    steps, X = tournament.prepared(candidate.family.preparation, rows)
    y = tournament.y[rows]
    facts = tournament.facts(y, X.shape[1], sparse=not isinstance(X, np.ndarray))
    fitted = fit_once.fit_once(candidate.family.to_keep(facts), X, y, X[:1], tournament.classes).model
    note = "" if len(rows) == n else f"It was fitted to {len(rows):,} of {n:,} training rows."
    model = Pipeline([*steps.steps, ("model", fitted)])
    return model, feature_names(model), note, len(rows)


def refitted_rows(y, count, *, classification, seed):
    """Positions of the `count` training rows that the recommended model is fitted to, determined by the seed."""
    order = fair_order(np.arange(len(y)), y if classification else None, np.random.default_rng([seed, 2]))
    return np.sort(order[:count])


def held_out_predictions(tournament, candidate):
    """For each training row its prediction when held out in the first repeat; NaN if it never was."""
    if not candidate.held_out:
        return None
    some = next(iter(candidate.held_out.values()))
    predictions = np.full((len(tournament.y), *some.shape[1:]), np.nan)
    for round_ in tournament.rounds:
        if round_.number in candidate.held_out:
            predictions[round_.held_out] = candidate.held_out[round_.number]
    return predictions


def held_out_calibration(tournament, candidate):
    """The calibration error of the held-out probabilities of the first repeat, all rows together, and chance's.

    A dict of "calibration" and "calibration_by_chance", the mean error that right probabilities would have on so many
    rows; empty without probabilities, or where calibration is the score itself.
    """
    predicted = None if tournament.classes is None else held_out_predictions(tournament, candidate)
    if predicted is None or predicted.ndim != 2 or tournament.score == "calibration":
        return {}
    seen = np.isfinite(predicted).all(axis=1)
    P, classes = predicted[seen], tournament.classes
    return {
        "calibration": calibration_error(tournament.y[seen], P, classes=classes),
        "calibration_by_chance": calibration_by_chance(P, seed=tournament.seed),
    }


def test_standard_error(predictions, y, classes, *, score, seed, groups=None):
    """The standard error of a score on the test rows; NaN where resamples cannot tell it.

    A bootstrap of rows, or of whole groups; of many rows, the standard deviation of the scores of 20 parts over the
    root of 20. Where every resample has the same score, as where every row is right, the spread is 0 and says nothing
    of other rows: 30 right of 30 happen in 4 % of samples where one row in ten is wrong.
    """
    draw = np.random.default_rng([seed, 3])
    n = len(y)
    draws = int(np.clip(ROWS_DRAWN // max(n, 1), FEWEST_DRAWS, MOST_DRAWS))
    if groups is not None:
        members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        drawn = draw.integers(0, len(members), (draws, len(members)))
        parts, shrink = [np.concatenate([members[i] for i in one]) for one in drawn], 1.0
    elif n <= BOOTSTRAP_ROWS:
        parts = [draw.integers(0, n, n) for _ in range(draws)]
        shrink = 1.0
    else:
        parts = np.array_split(draw.permutation(n), PARTS)
        shrink = np.sqrt(PARTS)
    scores = [predictions.take(rows).measured(y[rows], classes, (score,)).get(score, np.nan) for rows in parts]
    scores = np.array([value for value in scores if np.isfinite(value)])
    error = float(corrected_error(scores, 0.0) * np.sqrt(len(scores)) / shrink)
    return error if error > 0.0 else float("nan")
