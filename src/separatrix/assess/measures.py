"""Every measure by name: its direction, its label, what it is computed from, and what it is best for.

>>> MEASURES["log_loss"].label, MEASURES["log_loss"].higher_is_better, MEASURES["log_loss"].needs
('log loss', False, 'probabilities')
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils import get_tags

from separatrix.assess import counts, metrics
from separatrix.core.errors import cannot
from separatrix.core.protocol import can, fitted_attribute


@dataclass(frozen=True)
class Measure:
    """A measure of the quality of predictions.

    Parameters
    ----------
    name : str.  As in ``MEASURES[name]``.
    label : str.  For people: "root-mean-square error".
    task : {"classification", "regression"}.
    higher_is_better : bool.
    needs : {"labels", "probabilities", "scores", "numbers"}.  What it compares with the truth; scores are raw
        scores or probabilities.
    best_for : str.  When to look at it, in a sentence.
    compute : callable.  From (y_true, prediction, classes, sample_weight) to a number.

    Examples
    --------
    >>> MEASURES["rmse"]([1.0, 2.0], [1.0, 4.0])
    1.4142135623730951
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> round(MEASURES["accuracy"].of(LogisticRegression(max_iter=1000).fit(X, y), X, y), 2)
    0.97
    """

    name: str
    label: str
    task: str
    higher_is_better: bool
    needs: str
    best_for: str
    compute: Callable

    def __call__(self, y_true, prediction, *, classes=None, sample_weight=None):
        """The measure of predictions of the kind that it `needs`; `classes` are those of the columns."""
        return self.compute(y_true, prediction, classes, sample_weight)

    def of(self, model, X, y, sample_weight=None):
        """The measure of a fitted model on the rows of X."""
        return self(
            y, _predicted(self, model, X), classes=fitted_attribute(model, "classes_"), sample_weight=sample_weight
        )

    def better(self, a, b):
        """Whether the value a is better than b; any number is better than NaN."""
        if np.isnan(a) or np.isnan(b):
            return bool(np.isnan(b) and not np.isnan(a))
        return bool(a > b if self.higher_is_better else a < b)

    def resolution(self, y):
        """The smallest step in which the measure of rows with these targets can change; 0 where it is continuous.

        >>> MEASURES["accuracy"].resolution([0, 0, 1, 1]), MEASURES["roc_auc"].resolution([0, 0, 1, 1])
        (0.25, 0.25)
        >>> MEASURES["log_loss"].resolution([0, 0, 1, 1])
        0.0
        """
        if self.needs not in ("labels", "scores"):
            return 0.0
        if self.name == "accuracy":
            return 1.0 / len(y)
        counts = np.unique(y, return_counts=True)[1]
        fewest, others = counts.min(), max(len(y) - counts.min(), 1)
        if self.needs == "labels":  # a share of the rows of a class, averaged over classes
            return 1.0 / float(fewest * len(counts))
        return 1.0 / float(fewest * others * (len(counts) if len(counts) > 2 else 1))

    def best(self, values):
        """The position of the best of some values, the first of equals; NaN never wins over a number."""
        values = np.asarray(values, dtype=np.float64)
        return int(np.argmax(np.where(np.isnan(values), -np.inf, values if self.higher_is_better else -values)))

    def scorer(self):
        """A scorer for scikit-learn's ``scoring=``: called with (model, X, y), and higher is always better."""
        sign = 1.0 if self.higher_is_better else -1.0

        def score(model, X, y, sample_weight=None):
            return sign * self.of(model, X, y, sample_weight)

        return score


def measure(which):
    """A measure by its name; a Measure is returned as it is."""
    if isinstance(which, Measure):
        return which
    if which not in MEASURES:
        raise cannot(f"measure {which!r}", because="there is no such measure", instead=f"one of {sorted(MEASURES)}")
    return MEASURES[which]


def usual_measure(model):
    """The default measure of a model: log loss, accuracy without probabilities, or RMSE."""
    if get_tags(model).estimator_type != "classifier":
        return MEASURES["rmse"]
    return MEASURES["log_loss" if can(model, "predict_proba") else "accuracy"]


def _predicted(measure, model, X):
    if measure.needs in ("labels", "numbers"):
        return model.predict(X)
    if can(model, "predict_proba"):
        return model.predict_proba(X)
    if measure.needs == "scores" and can(model, "decision_function"):
        return model.decision_function(X)
    raise cannot(
        f"take the {measure.label} of {type(model).__name__}",
        because=f"it needs {measure.needs}, and the model has no predict_proba",
        instead="a measure of labels such as 'accuracy', or calibrate the model first",
    )


def _of_labels(function):
    return lambda y, prediction, classes, s: function(y, prediction, sample_weight=s)


def _of_counts(function):
    """Of two classes the value of the second, of more the mean; 0 where undefined, so that it can be ranked."""

    def compute(y, prediction, classes, s):
        labels = np.union1d(y, prediction) if classes is None else np.asarray(classes)
        how = {"average": "macro"} if len(labels) > 2 else {"positive": None if classes is None else labels[-1]}
        return function(y, prediction, undefined=0.0, sample_weight=s, **how)

    return compute


def _of_classes(function):
    return lambda y, prediction, classes, s: function(y, prediction, classes=classes, sample_weight=s)


_CLASSES = [
    ("accuracy", "accuracy", True, "labels", "classes of similar size whose mistakes cost the same", counts.accuracy),
    ("balanced_accuracy", "balanced accuracy", True, "labels", "skewed classes that matter the same",
     counts.balanced_accuracy),
    ("precision", "precision", True, "labels", "false alarms that are expensive", counts.precision),
    ("recall", "recall", True, "labels", "misses that are expensive", counts.recall),
    ("f1", "F1", True, "labels", "a rare class, where misses and false alarms both count", counts.f1),
    ("log_loss", "log loss", False, "probabilities", "probabilities that are acted on", metrics.log_loss),
    ("brier", "Brier score", False, "probabilities", "probabilities, with a bounded price for a sure mistake",
     metrics.brier),
    ("calibration", "calibration error", False, "probabilities", "whether 70 % means seven in ten",
     metrics.calibration_error),
    ("roc_auc", "area under the ROC curve", True, "scores", "ranking: which row to look at first", metrics.roc_auc),
]  # fmt: skip
_NUMBERS = [
    ("rmse", "root-mean-square error", False, "errors in the units of y, large ones above all", metrics.rmse),
    ("mse", "mean squared error", False, "comparison with theory: bias² + variance + noise", metrics.mse),
    ("mae", "mean absolute error", False, "errors in the units of y, with a few wild ones", metrics.mae),
    ("medae", "median absolute error", False, "errors in the units of y, with wild ones that must not count",
     metrics.medae),
    ("r2", "R²", True, "the share of the variance that is explained", metrics.r2),
]  # fmt: skip


def _computation(function, needs):
    if needs != "labels":
        return _of_classes(function)
    return _of_counts(function) if function in (counts.precision, counts.recall, counts.f1) else _of_labels(function)


MEASURES = {
    name: Measure(name, label, "classification", higher, needs, best_for, _computation(function, needs))
    for name, label, higher, needs, best_for, function in _CLASSES
} | {
    name: Measure(name, label, "regression", higher, "numbers", best_for, _of_labels(function))
    for name, label, higher, best_for, function in _NUMBERS
}
