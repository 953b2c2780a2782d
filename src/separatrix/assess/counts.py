r"""The confusion matrix, rows = prediction and columns = truth, and measures computed from it: precision, recall, F1

.. math:: \text{precision} = \frac{TP}{TP + FP}, \quad \text{recall} = \frac{TP}{TP + FN}, \quad F_1 = \frac{2PR}{P + R}

scikit-learn's matrix is the transpose of this one.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from separatrix.core.errors import cannot
from separatrix.core.printable import printable
from separatrix.estimators.probabilities import class_codes, same_length, validate_labels
from separatrix.estimators.validation import validate_weights

AVERAGES = ("positive", "each", "macro", "weighted", "micro")


class Undefined(UndefinedMetricWarning):
    """A measure that the data do not determine; ``measure`` says which one and ``reason`` why."""

    def __init__(self, measure, reason):
        self.measure, self.reason = measure, reason
        super().__init__(f"The {measure} is undefined: {reason}. NaN is returned; undefined=0.0 would give 0 instead.")


def settle_undefined(measure, reason, undefined):
    """The value of an undefined measure: the number asked for or, with a warning, NaN."""
    if undefined is not None:
        return float(undefined)
    warnings.warn(Undefined(measure, reason), stacklevel=3)
    return float("nan")


@dataclass(frozen=True)
class Confusion:
    """Counts of what was predicted against what was true.

    Attributes
    ----------
    labels : array of shape (k,).  The classes, in the order of the rows and of the columns.
    matrix : array of shape (k, k).  ``matrix[i, j]`` rows were predicted as class i and are truly of class j: rows =
        prediction, columns = truth. Sums of weights where rows have weights.
    """

    labels: np.ndarray
    matrix: np.ndarray

    @property
    def transposed(self):
        """The same counts as scikit-learn lays them out: rows = truth, columns = prediction."""
        return self.matrix.T

    @property
    def predicted(self):
        """How often each class was predicted: the sums of the rows."""
        return self.matrix.sum(axis=1)

    @property
    def actual(self):
        """How often each class occurs: the sums of the columns."""
        return self.matrix.sum(axis=0)

    @property
    def accuracy(self):
        """The share of right predictions."""
        return float(np.trace(self.matrix) / self.matrix.sum())

    def of(self, positive):
        """The four counts of one class against all others, as a dict: tp, fp, fn, tn."""
        places = np.flatnonzero(self.labels == positive)
        if not len(places):
            raise cannot(
                f"take {positive!r} for the positive class",
                because=f"the classes are {self.labels.tolist()}",
                instead="positive=... among them",
            )
        c = int(places[0])
        tp, fp, fn = self.matrix[c, c], self.predicted[c] - self.matrix[c, c], self.actual[c] - self.matrix[c, c]
        return {"tp": tp, "fp": fp, "fn": fn, "tn": self.matrix.sum() - tp - fp - fn}

    def __str__(self):
        cells = [[_shown(value) for value in row] for row in self.matrix]
        names = [printable(label) for label in self.labels.tolist()]
        left = max(map(len, [*names, "prediction"]))
        width = max(len(text) for text in [*names, *(cell for row in cells for cell in row)]) + 2
        lines = [" " * (left + 2) + "truth", "prediction".ljust(left) + "".join(name.rjust(width) for name in names)]
        lines += [name.ljust(left) + "".join(c.rjust(width) for c in row) for name, row in zip(names, cells)]
        return "\n".join(lines)


def confusion(y_true, y_pred, labels=None, *, sample_weight=None):
    """Count predictions against truth: rows = prediction, columns = truth.

    scikit-learn's `confusion_matrix` is the transpose; it is here as ``.transposed``.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n,).  Labels: numbers, words or truth values.
    labels : sequence or None, default None.  The classes in the order wanted; None sorts those that occur.
    sample_weight : array of shape (n,) or None, default None.

    Returns
    -------
    counts : Confusion.

    Examples
    --------
    Of 60 ill and 40 healthy people, 20 and 30 are called ill.

    >>> truth = ["ill"] * 60 + ["healthy"] * 40
    >>> predicted = ["ill"] * 20 + ["healthy"] * 40 + ["ill"] * 30 + ["healthy"] * 10
    >>> print(confusion(truth, predicted, labels=["ill", "healthy"]))
                truth
    prediction      ill  healthy
    ill              20       30
    healthy          40       10
    """
    y_true, y_pred = _validate_labels_of(y_true, "y_true"), _validate_labels_of(y_pred, "y_pred")
    same_length(len(y_true), y_pred, "y_pred")
    if not len(y_true):
        raise cannot("count predictions", because="there are no rows", instead="at least one row")
    if (y_true.dtype.kind in "US") != (y_pred.dtype.kind in "US"):
        raise cannot(
            "compare predictions with the truth",
            because=f"y_true holds {_kind(y_true)} and y_pred holds {_kind(y_pred)}",
            instead="labels of one kind in both",
        )
    classes = np.union1d(y_true, y_pred) if labels is None else validate_labels(labels, len(labels), name="labels")
    for name, y in (("y_true", y_true), ("y_pred", y_pred)):
        unknown = ~np.isin(y, classes)
        if unknown.any():
            raise cannot(
                f"count the label {y[unknown][0]!r} of {name}, row {int(np.argmax(unknown))}",
                because=f"labels={classes.tolist()}",
                instead="labels that hold every class, or labels=None",
            )
    k = len(classes)
    s = None if sample_weight is None else validate_weights(sample_weight, len(y_true))
    # not scikit-learn's function, which warns where a fold holds a single class
    cells = k * class_codes(y_pred, classes) + class_codes(y_true, classes)
    return Confusion(classes, np.bincount(cells, s, minlength=k * k).reshape(k, k))


def accuracy(y_true, y_pred, *, sample_weight=None):
    r"""The share of right predictions, :math:`\sum_i s_i [\hat y_i = y_i] / \sum s_i`.

    Where classes are skewed it says little: :func:`accuracy_report` compares it with the share of the commonest class.

    >>> accuracy(["no"] * 10_000, ["no"] * 9_900 + ["yes"] * 100)
    0.99
    """
    return confusion(y_true, y_pred, sample_weight=sample_weight).accuracy


def balanced_accuracy(y_true, y_pred, *, sample_weight=None):
    r"""The mean over the classes of y_true of their recall: 1/k for any constant answer.

    >>> balanced_accuracy([0] * 990 + [1] * 10, [0] * 1000)
    0.5
    """
    counts = confusion(y_true, y_pred, sample_weight=sample_weight)
    there = counts.actual > 0
    return float(np.mean(np.diag(counts.matrix)[there] / counts.actual[there]))


def precision(y_true, y_pred, *, positive=None, average="positive", undefined=None, sample_weight=None):
    r"""Of the rows that were predicted positive, the share that is: TP / (TP + FP).

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n,).  Labels.
    positive : label or None, default None.  The class of interest. None stands for the greater of two labels:
        1 of 0 and 1 or of -1 and 1, True, "yes" of "no" and "yes".
    average : {"positive", "each", "macro", "weighted", "micro"}, default "positive".  One class; or each against all
        others, as an array in the order of the sorted labels; their mean; their mean weighted by how often they occur;
        or the value of the pooled counts.
    undefined : float or None, default None.  What to return where no row was predicted positive, so that TP + FP = 0.
        None returns NaN with the warning :class:`Undefined`; a number is returned without one (scikit-learn's choice
        is 0).
    sample_weight : array of shape (n,) or None, default None.

    Examples
    --------
    >>> precision([1, 1, 0, 0], [1, 0, 1, 0]), precision([1, 1, 0, 0], [0, 0, 0, 0], undefined=0.0)
    (0.5, 0.0)
    """
    counts = confusion(y_true, y_pred, sample_weight=sample_weight)
    return _averaged("precision", _precision, counts, positive, average, undefined)


def recall(y_true, y_pred, *, positive=None, average="positive", undefined=None, sample_weight=None):
    r"""Of the rows that are positive, the share that was found: TP / (TP + FN).

    Undefined where no row is positive. Parameters are those of :func:`precision`.

    >>> recall([1, 1, 1, 0], [1, 0, 0, 0])
    0.3333333333333333
    """
    counts = confusion(y_true, y_pred, sample_weight=sample_weight)
    return _averaged("recall", _recall, counts, positive, average, undefined)


def f1(y_true, y_pred, *, positive=None, average="positive", undefined=None, sample_weight=None):
    r"""The harmonic mean of precision and recall, :math:`2PR / (P + R)`.

    Undefined where precision or recall is: no row was predicted positive, or none is. Where both are 0, so is their
    harmonic mean. Parameters are those of :func:`precision`.

    >>> f1([1] * 60 + [0] * 40, [1] * 20 + [0] * 40 + [1] * 30 + [0] * 10)
    0.36363636363636365
    """
    counts = confusion(y_true, y_pred, sample_weight=sample_weight)
    return _averaged("F1", _f1, counts, positive, average, undefined)


def _precision(tp, fp, fn):
    return (tp / (tp + fp), "") if tp + fp > 0 else (None, "no row was predicted {}")


def _recall(tp, fp, fn):
    return (tp / (tp + fn), "") if tp + fn > 0 else (None, "no row is {}")


def _f1(tp, fp, fn):
    reasons = [reason for _, reason in (_precision(tp, fp, fn), _recall(tp, fp, fn)) if reason]
    return (None, " and ".join(reasons)) if reasons else (2.0 * tp / (2.0 * tp + fp + fn), "")


def _averaged(name, formula, counts, positive, average, undefined):
    if average not in AVERAGES:
        raise cannot(f"average by {average!r}", because="there is no such average", instead=f"one of {AVERAGES}")
    if positive is not None and average != "positive":
        raise cannot(
            f"use positive={positive!r} with average={average!r}",
            because="the average is taken over all classes",
            instead="average='positive', or leave positive out",
        )
    if average == "positive":
        label = _positive(counts.labels) if positive is None else np.asarray(positive).item()
        # a class that neither occurs nor was predicted has no counts; the formula says what that means
        cells = counts.of(label) if label in counts.labels.tolist() else {"tp": 0, "fp": 0, "fn": 0}
        return _valued(name, formula, cells, f"positive ({label!r})", undefined)
    tp = np.diag(counts.matrix)
    if average == "micro":
        fp, fn = (counts.predicted - tp).sum(), (counts.actual - tp).sum()
        return _valued(name, formula, {"tp": tp.sum(), "fp": fp, "fn": fn}, "positive", undefined)
    each = [_valued(name, formula, counts.of(label), repr(label), undefined) for label in counts.labels.tolist()]
    if average == "each":
        return np.array(each)
    return float(np.average(each, weights=counts.actual if average == "weighted" else None))


def _valued(name, formula, cells, which, undefined):
    value, reason = formula(cells["tp"], cells["fp"], cells["fn"])
    return settle_undefined(name, reason.replace("{}", which), undefined) if reason else float(value)


def _positive(labels):
    """The label that stands for "positive" where none is named."""
    if set(labels.tolist()) <= {0, 1} or set(labels.tolist()) <= {-1, 1}:
        return 1
    if len(labels) == 2:
        return labels.tolist()[1]
    raise cannot(
        f"tell which of the {len(labels)} classes {labels.tolist()} is positive",
        because="only of two classes the greater one is taken",
        instead="positive=..., or average='macro' over all classes",
    )


def _validate_labels_of(y, name):
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise cannot(f"use {name} of shape {y.shape}", because="each row has one class", instead="shape (n,)")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise cannot(
            f"use {name} with NaN in row {int(np.argmax(np.isnan(y)))}", because="it is no class", instead="full labels"
        )
    return y.astype(str) if y.dtype == object and all(isinstance(label, str) for label in y) else y


def _kind(y):
    return "words" if y.dtype.kind in "US" else "numbers"


def _shown(value):
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"
