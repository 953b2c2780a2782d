r"""Accuracy beside the no-information rate: the share of the commonest class, which a constant prediction reaches.

With 9,900 healthy and 100 ill people, always predicting "healthy" is right for 99 % and detects no illness.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from separatrix.assess.counts import Confusion, confusion

# Classes are called skewed above this share of the commonest.
SKEWED = 0.9


@dataclass(frozen=True)
class AccuracyReport:
    """Accuracy, compared with the no-information rate.

    Attributes
    ----------
    accuracy : float.  The share of right predictions.
    no_information_rate : float.  The share of the commonest class: the accuracy of always predicting it.
    majority : label.  That class.
    balanced_accuracy : float.  Mean recall of the classes; 1/k for a constant answer.
    recalls : dict.  From each class of y_true to its recall.
    p_value : float.  Exact one-sided binomial test of accuracy > no-information rate.
    counts : Confusion.  Rows = prediction, columns = truth.
    """

    accuracy: float
    no_information_rate: float
    majority: object
    balanced_accuracy: float
    recalls: dict
    p_value: float
    counts: Confusion

    @property
    def skewed(self):
        """Whether one class is so common that accuracy says little."""
        return self.no_information_rate >= SKEWED

    @property
    def informative(self):
        """Whether the predictions are right more often than the commonest class, beyond chance (5 %)."""
        return self.p_value < 0.05

    @property
    def missed(self):
        """Classes of which no row was predicted rightly."""
        return [label for label, share in self.recalls.items() if share == 0.0]

    def __str__(self):
        lines = [
            f"accuracy             {self.accuracy:.4f}",
            f"no-information rate  {self.no_information_rate:.4f}  (always {self.majority!r})",
            f"balanced accuracy    {self.balanced_accuracy:.4f}",
        ]
        if self.informative:
            lines.append(f"Right more often than {self.majority!r} throughout (p = {self.p_value:.2g}).")
        else:
            lines.append(
                f"Not shown to be right more often than {self.majority!r} throughout (p = {self.p_value:.2g})."
            )
        if self.missed:
            lines.append("No row was predicted rightly of: " + ", ".join(map(repr, self.missed)) + ".")
        if self.skewed:
            lines.append("One class is that common: look at recall, precision or the area under the ROC curve instead.")
        return "\n".join(lines)


def accuracy_report(y_true, y_pred):
    """Compare accuracy with the share of the commonest class.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n,).  Labels.

    Returns
    -------
    report : AccuracyReport.

    Examples
    --------
    >>> print(accuracy_report(["no"] * 9900 + ["yes"] * 100, ["no"] * 10_000))
    accuracy             0.9900
    no-information rate  0.9900  (always 'no')
    balanced accuracy    0.5000
    Not shown to be right more often than 'no' throughout (p = 0.53).
    No row was predicted rightly of: 'yes'.
    One class is that common: look at recall, precision or the area under the ROC curve instead.
    """
    counts = confusion(y_true, y_pred)
    actual, right, n = counts.actual, np.diag(counts.matrix), int(counts.matrix.sum())
    rate = float(actual.max() / n)
    recalls = {label: float(r / m) for label, r, m in zip(counts.labels.tolist(), right, actual) if m}
    return AccuracyReport(
        accuracy=counts.accuracy,
        no_information_rate=rate,
        majority=counts.labels.tolist()[int(actual.argmax())],
        balanced_accuracy=float(np.mean(list(recalls.values()))),
        recalls=recalls,
        p_value=float(binomtest(int(right.sum()), n, rate, alternative="greater").pvalue),
        counts=counts,
    )
