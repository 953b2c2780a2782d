"""The question of a comparison, said before its numbers: the score, the positive class, the cost of a mistake."""

from dataclasses import dataclass

import numpy as np

from separatrix.assess.measures import MEASURES, Measure
from separatrix.core.refusal import cannot

# Above this share of the largest class accuracy rewards predicting that class only.
SKEWED = 0.8
# Rows rule the squared error where so small a share of them holds so large a share of the baseline's.
FEW, MOST_OF_IT = 0.01, 0.5
MOST_NAMED = 5

COSTS = {
    "roc_auc": "No cost of a mistake enters it: it judges the order of the rows. Where classes are decided, every "
    "mistake costs the same",
    "accuracy": "Every mistake costs the same",
    "balanced_accuracy": "A mistake costs the more, the rarer its true class is",
    "precision": "Only false alarms cost",
    "recall": "Only misses cost",
    "f1": "Misses and false alarms cost the same; what is rightly left alone counts nothing",
    "log_loss": "A mistake costs minus the logarithm of the probability that its true class was given",
    "brier": "A mistake costs the squared distance of its probability",
    "calibration": "What counts is whether probabilities are right on average, not whether rows are told apart",
    "rmse": "An error twice as large costs four times as much",
    "mse": "An error twice as large costs four times as much",
    "mae": "An error twice as large costs twice as much",
    "medae": "Only the error that half of the rows stay below counts",
    "r2": "An error twice as large costs four times as much",
}


@dataclass(frozen=True)
class Question:
    """What is compared, by which score, and what a mistake costs.

    Parameters
    ----------
    measure : Measure.  why : str.  Why this one.
    positive : str.  The label of the positive class; "" where there is none (more than two classes, numbers).
    negative : str.  The other class.
    group : str.  The column whose values keep their rows together; "" for none.
    warnings : tuple of str.  What may make the numbers misleading.
    """

    measure: Measure
    why: str
    positive: str = ""
    negative: str = ""
    group: str = ""
    warnings: tuple = ()

    def lines(self):
        """Sentences in the order in which they are said; warnings apart."""
        better = "higher" if self.measure.higher_is_better else "lower"
        lines = [f"The score is the {self.measure.label} ({better} is better): {self.why}."]
        if self.positive:
            lines.append(
                f"The positive class is {self.positive}, the second of {self.negative} and {self.positive} in sorted "
                "order: probabilities, recall and precision are of it."
            )
        lines.append(f"{COSTS[self.measure.name]}.")
        if self.group:
            lines.append(f"Rows of one {self.group} stay together, in the folds and in the test part.")
        return lines


def choose_measure(score, y, task):
    """The measure to compare by, and why: the one asked for, else the default of the target.

    The default is the area under the ROC curve for two classes, accuracy for more (balanced accuracy where one class
    has more than 80 % of the rows), the root-mean-square error for numbers. Where a few rows hold most of the squared
    error of the mean, it is the mean absolute error; where they hold most of the absolute error of the median too, the
    median absolute error.

    >>> choose_measure(None, np.array([0, 1, 1]), "classification")[0].name
    'roc_auc'
    >>> choose_measure(None, np.array([1.0, 2.0, 3.0, 2.0, 1e9]), "regression")[0].name
    'medae'
    """
    if score is not None:
        return _named(score, task), "it was asked for"
    if task == "regression":
        if len(ruling_rows(y)) and _few_hold_most(np.abs(y - np.median(y))):
            return MEASURES["medae"], "a few rows would decide the root-mean-square and the mean absolute error alone"
        if len(ruling_rows(y)):
            return MEASURES["mae"], "a few rows would decide the root-mean-square error alone"
        return MEASURES["rmse"], "the target is a number"
    counts = np.unique(y, return_counts=True)[1]
    if len(counts) == 2:
        return MEASURES["roc_auc"], "the target has two classes"
    if counts.max() > SKEWED * len(y):
        return MEASURES["balanced_accuracy"], f"one class has {100 * counts.max() / len(y):.0f} % of the rows"
    return MEASURES["accuracy"], f"the target has {len(counts)} classes"


def _named(score, task):
    by = MEASURES.get(score) if isinstance(score, str) else score
    if by is None:
        raise cannot(f"measure {score!r}", because="there is no such measure", instead=f"one of {sorted(MEASURES)}")
    if by.task != task:
        fitting = [name for name, other in MEASURES.items() if other.task == task]
        raise cannot(
            f"score a {task} by {score!r}", because=f"it is a measure of {by.task}", instead=f"one of {fitting}"
        )
    return by


def ruling_rows(y):
    """Positions of the rows that hold most of the squared error of the mean, largest first; empty if they are many.

    The mean is what the baseline predicts. If 1 % of the rows hold more than half of its squared error, no score of
    squared errors says much about the other rows.

    >>> ruling_rows(np.array([7e4, 5e8, 6e4, 8e4, 5e4])).tolist(), ruling_rows(np.arange(9.0)).tolist()
    ([1], [])
    """
    error = (y - np.mean(y)) ** 2
    if not _few_hold_most(error):
        return np.empty(0, dtype=np.intp)
    largest = np.argsort(-error, kind="stable")[: _few(y)]
    held = np.cumsum(error[largest])
    return largest[: int(np.searchsorted(held, (1.0 - FEW) * held[-1])) + 1]  # those that make up 99 % of it


def _few(rows):
    return max(int(FEW * len(rows)), 1)


def _few_hold_most(error):
    """Whether 1 % of the rows, one at least, hold more than half of the sum of their errors."""
    return bool(np.sort(error)[-_few(error) :].sum() > MOST_OF_IT * error.sum())


def about_ruling_rows(y, rows, target):
    """Sentences that name the rows that rule the squared error, by their numbers in the table; () without such rows.

    Parameters
    ----------
    y : (n,) array.  rows : (n,) array.  Their positions in the table as it was read.  target : str.
    """
    ruling = ruling_rows(y)
    if not len(ruling):
        return ()
    error = (y - np.mean(y)) ** 2
    named = ", ".join(f"row {rows[i] + 1:,} ({y[i]:,.6g})" for i in ruling[:MOST_NAMED])
    more = f" and {len(ruling) - MOST_NAMED:,} more" if len(ruling) > MOST_NAMED else ""
    one, held = len(ruling) == 1, 100 * error[ruling].sum() / error.sum()
    return (
        f"{len(ruling):,} of {len(y):,} rows {'holds' if one else 'hold'} {held:.0f} % of the squared error of "
        f"guessing the mean of {target} in every row (median {np.median(y):,.6g}): {named}{more}. If "
        f"{'it is a mistake' if one else 'they are mistakes'}, correct or remove {'it' if one else 'them'}: such rows "
        "rule every fit by least squares, and the scores 'rmse', 'mse' and 'r2'; they rule 'mae' less, and neither "
        "'medae' nor median regression.",
    )
