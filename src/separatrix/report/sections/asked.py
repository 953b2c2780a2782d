"""What was asked: the table, the target, the task, and what the score means in plain words."""

from separatrix.report.blocks import Facts, Text
from separatrix.report.numbers import counted
from separatrix.report.registry import section

TASKS = {
    "classification": "classification: which class does a row belong to?",
    "regression": "regression: which number belongs to a row?",
}
# By the label of the measure in separatrix.assess.
MEANINGS = {
    "area under the ROC curve": (
        "The probability that a random row of one class is ranked above a random row of the other. "
        "0.5 is guessing, 1 is perfect. It judges the order of the rows, not the probabilities themselves."
    ),
    "log loss": (
        "The mean of minus the logarithm of the probability that was given to the true class. 0 is perfect; being sure "
        "and wrong is expensive."
    ),
    "accuracy": "The share of rows that are given the right class. 1 is perfect.",
    "balanced accuracy": "The share of right answers in each class, averaged over the classes. 1 is perfect.",
    "F1": "The harmonic mean of precision and recall. 1 is perfect.",
    "Brier score": "The mean squared distance between probabilities and what happened. 0 is perfect.",
    "root-mean-square error": (
        "The typical distance between prediction and truth, in the units of the target; large misses count most. 0 is "
        "perfect."
    ),
    "mean absolute error": "The average distance between prediction and truth, in units of the target. 0 is perfect.",
    "median absolute error": (
        "Half of the rows have a smaller distance between prediction and truth, in units of the target. 0 is perfect; "
        "how far off the worst half is, it does not say."
    ),
    "mean squared error": "The average squared distance between prediction and truth. 0 is perfect.",
    "R²": "The share of the variance of the target that is explained. 0 is guessing the mean, 1 is perfect.",
}


@section("asked", "What was asked", order=20, always=True)
def asked(context):
    """Table, target, task and score."""
    understanding, comparison = context.understanding, context.comparison
    pairs = [
        ("table", understanding.source or "a table in memory"),
        ("target", understanding.target),
        ("task", TASKS.get(understanding.task, understanding.task)),
    ]
    if context.is_classification:
        pairs.append(("classes", ", ".join(str(label) for label in understanding.classes)))
    pairs += [
        ("score", f"{comparison.score} ({'higher' if comparison.higher_is_better else 'lower'} is better)"),
        ("judged by", _rounds(comparison)),
    ]
    parts = [Facts(tuple(pairs))]
    if comparison.question is not None:
        parts.append(Text(" ".join(comparison.question.lines())))
    meaning = MEANINGS.get(comparison.score)
    if meaning:
        parts.append(Text(f"{comparison.score[0].upper()}{comparison.score[1:]}: {meaning[0].lower()}{meaning[1:]}"))
    return parts


def _rounds(comparison):
    folds = f"{comparison.folds} folds"
    if comparison.repeats > 1:
        folds += f", with {comparison.repeats} different divisions of the rows"
    kept = len(comparison.test) if comparison.test is not None else 0
    aside = f"; {counted(kept, 'row')} were set aside before and looked at once, at the end" if kept else ""
    return f"cross-validation in {folds}, the same for every model{aside}"
