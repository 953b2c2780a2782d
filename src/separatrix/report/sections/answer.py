"""The answer: the recommended model, its score, and whether it is better than guessing."""

import math

import numpy as np

from separatrix.assess.compare.leaderboard import NO_SPREAD
from separatrix.report.blocks import Facts, Note, Text
from separatrix.report.numbers import counted, plus_minus
from separatrix.report.registry import section


@section("answer", "The answer", order=10, always=True)
def answer(context):
    """The recommendation, its score in cross-validation and on the test part, beside the baseline's."""
    comparison, standing = context.comparison, context.standing
    parts = [Text(f"Recommended: {standing.family}.", strong=True)]
    if standing.description:
        parts.append(Text(standing.description))
    parts.append(Text(comparison.why[:1].upper() + comparison.why[1:]))
    run, planned = int(np.isfinite(standing.scores).sum()), comparison.folds * comparison.repeats
    rounds = counted(planned, "round") if run >= planned else f"{run} of {counted(planned, 'round')}"
    pairs = [(f"{comparison.score}, by cross-validation", f"{plus_minus(standing.score, standing.error)} ({rounds})")]
    pairs.append(("on the held-out test part", _tested(comparison)))
    if context.baseline is not None and context.baseline is not standing:
        guessed = plus_minus(context.baseline.score, context.baseline.error)
        pairs.append(("guessing without looking at the columns", guessed))
    pairs.append(("better than guessing?", _verdict(context)))
    parts.append(Facts(tuple(pairs)))
    parts += [Note(text) for text in _warnings(context)]
    return parts


def _tested(comparison):
    if comparison.test is None or not len(comparison.test) or not math.isfinite(comparison.test_score):
        return "no rows were held out"
    rows = counted(len(comparison.test), "row")
    unknown = "" if math.isfinite(comparison.test_error) else f"; {NO_SPREAD}"
    return f"{plus_minus(comparison.test_score, comparison.test_error)} ({rows}, looked at once{unknown})"


def _verdict(context):
    if context.comparison.beats_baseline:
        return (
            "Yes: the difference is larger than chance explains (corrected paired tests, 5 % for all models together)."
        )
    if context.baseline is None:
        return "Not known: guessing did not take part."
    return "No: on these data no model is shown to be better than guessing."


def _warnings(context):
    """What a careful reader should know before using the number."""
    comparison, standing = context.comparison, context.standing
    if comparison.question is not None:
        yield from comparison.question.warnings
    if not comparison.beats_baseline and context.baseline is not None and not comparison.unfinished:
        yield (
            "The columns may hold nothing about the target, or there may be too few rows to see it. More rows or other "
            "columns can change this answer; another model on the same rows hardly will."
        )
    gap, errors = comparison.test_score - standing.score, (comparison.test_error, standing.error)
    error = math.hypot(*(error for error in errors if math.isfinite(error)))
    worse = -gap if comparison.higher_is_better else gap
    if math.isfinite(gap) and error > 0.0 and worse > 2.0 * error:
        yield (
            "On the test part the model did clearly worse than in cross-validation. The test part may differ from the "
            "rest, or the best of many models was lucky in cross-validation; trust the test part."
        )
