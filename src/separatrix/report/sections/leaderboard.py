"""The leaderboard: families with scores, times, sizes and certificates, in groups without a significant difference."""

import math
from dataclasses import replace

from separatrix import plots
from separatrix.plots.labels import listed
from separatrix.report.blocks import Grid, Group, Text, grid, picture, wide
from separatrix.report.numbers import counted, fixed, plus_minus, seconds, short
from separatrix.report.registry import section

# Name and label of the measures shown, where families have them.
COLUMNS = {
    "classification": (("log_loss", "log loss"), ("calibration", "calibration error"), ("accuracy", "accuracy")),
    "regression": (
        ("rmse", "root-mean-square error"),
        ("mae", "mean absolute error"),
        ("medae", "median absolute error"),
        ("r2", "R²"),
    ),
}
EXPLAINED = (
    "A model is in the group of the best one if a test of their scores, round by round, does not show it to be worse. "
    "The best of the rest leads the next group. The test allows for the overlap of the training rows, and for the best "
    "being chosen by the same scores: the chance that the board calls any model worse than its equal is about 5 %, or "
    "less. Within a group the order is by score, which may be chance; a score that varies much may stand in a group "
    "above a better one."
)


@section("leaderboard", "Leaderboard", order=40, always=True)
def leaderboard(context):
    """All families that ran, and why others did not."""
    comparison = context.comparison
    ran = [standing for standing in comparison.standings if not standing.failed]
    failed = [standing for standing in comparison.standings if standing.failed]
    text = f"{counted(len(ran), 'family', 'families')} of models ran in {seconds(comparison.seconds)}"
    text += f", {counted(len(failed), 'family', 'families')} could not." if failed else "."
    parts = [Text(text), Text(EXPLAINED)]
    if ran:
        parts += [_picture(comparison, ran), _table(context, ran)]
    if failed:
        rows = [(standing.family, standing.reason) for standing in failed]
        parts.append(grid(("family", "reason"), rows, "Families that could not take part.", cards=True))
    if ran:
        parts.append(_settings(ran))
    return parts


def _picture(comparison, ran):
    """Scores as dots; a baseline that is far off goes into the caption, so that the others remain distinguishable."""
    caption = "Each family with one standard error to both sides; the star marks the recommended one."
    guess = [s for s in ran if s.complexity == 0 and s.family != comparison.recommended]
    others = [s.score for s in ran if s not in guess]
    if guess and others:
        away = min(abs(guess[0].score - score) for score in others)
        if away > 2.0 * (max(others) - min(others)):
            caption += f" Guessing, at {plus_minus(guess[0].score, guess[0].error)}, lies far outside and is not drawn."
            comparison = replace(comparison, standings=[s for s in comparison.standings if s not in guess])
            ran = [s for s in ran if s not in guess]
    return picture(plots.leaderboard(comparison, ax=wide(height=0.9 + 0.26 * len(ran))), caption)


def _table(context, ran):
    comparison = context.comparison
    measures = [
        (key, label)
        for key, label in COLUMNS.get(context.understanding.task, ())
        if label != comparison.score and any(key in standing.measures for standing in ran)
    ]
    heads = ("family", comparison.score, *(label for _, label in measures), "fit", "predict", "size", "certified")
    groups, leaders = [], []
    for number in sorted({standing.group for standing in ran}):
        members = [standing for standing in ran if standing.group == number]
        title = f"Group {number}: " + (
            "the best, and all that are not shown to be worse" if number == 1 else f"worse than {listed(leaders)}"
        )
        leaders.append(members[0].family)
        marks = tuple("chosen" if s.family == comparison.recommended else "" for s in members)
        groups.append(Group(tuple(_row(s, measures, comparison) for s in members), title, marks))
    caption = (
        "Score ± standard error over the rounds; times are medians of a round; size is how many numbers the fitted "
        "model keeps; certified means that the fit of every round is proven to solve its problem, or, of trees and "
        "committees, which a greedy search finds and nothing proves to be the best, that their numbers agree with a "
        "second count; stationary means that only the gradient is known to be small, and another fit may be better. A "
        "model without a certificate (–) has no problem to solve: its numbers are counts, means or "
        "stored rows, which separatrix verify recomputes. ★ is the recommended one."
    )
    if any(key == "calibration" for key, _ in measures):
        caption += (
            " Beside the calibration error, in parentheses, is what right probabilities would have on so many rows: an "
            "error near it is no sign of bad calibration."
        )
    return Grid(heads, tuple(groups), caption, frozenset(range(1, len(heads) - 1)), cards=True)


def _row(standing, measures, comparison):
    star = " ★" if standing.family == comparison.recommended else ""
    return (
        f"{standing.family}{star}",
        plus_minus(standing.score, standing.error),
        *(_measure(key, standing.measures, comparison) for key, _ in measures),
        seconds(standing.fit_seconds),
        seconds(standing.predict_seconds),
        f"{standing.size:,}",
        _certificate(standing),
    )


def _measure(key, measures, comparison):
    """Measures of probabilities and shares to three decimals, measures in units of the target to four digits."""
    value, chance = measures.get(key), measures.get(f"{key}_by_chance")
    if value is None or not math.isfinite(value):
        return "–"
    if chance is not None:
        return f"{fixed(value, 3)} ({fixed(chance, 3)})"
    return fixed(value, 3) if key == "r2" or comparison.understanding.task == "classification" else short(value, 4)


def _certificate(standing):
    if standing.verdict == "no":
        return f"no: {standing.certificate.removeprefix('NOT ').removeprefix('certified: ')}"
    return standing.verdict or "–"


def _settings(ran):
    rows = [(s.family, s.description, _chosen(s), s.certificate, s.note) for s in ran]
    heads = ("family", "what it is", "settings chosen", "certificate", "remark")
    return grid(
        heads,
        rows,
        "What each family is, and the settings that its own search chose in the last round.",
        cards=True,
        folded="What each family is, and the settings it chose",
    )


def _chosen(standing):
    return ", ".join(f"{name} = {_value(value)}" for name, value in standing.chosen.items())


def _value(value):
    return short(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
