"""Curves as tables: named columns of equal length, and facts about the whole. Plots and reports draw them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import norm
from sklearn import metrics as theirs

from separatrix.assess.metrics import bin_numbers, confidence, positive_scores
from separatrix.core.errors import cannot
from separatrix.estimators.validation import validate_weights


@dataclass(frozen=True, repr=False)
class Curve(Mapping):
    """A table of a few columns.

    Attributes
    ----------
    kind : str.  "learning", "validation", "roc", ...
    columns : dict from names to (m,) arrays.
    facts : dict.  What is true of the whole curve, such as its area.

    >>> curve = Curve("line", {"x": np.array([0.0, 1.0]), "y": np.array([1.0, 3.0])}, {"slope": 2.0})
    >>> curve["y"], list(curve)
    (array([1., 3.]), ['x', 'y'])
    >>> print(curve)
    line (slope 2)
             x         y
             0         1
             1         3
    """

    kind: str
    columns: dict
    facts: dict = field(default_factory=dict)

    def __getitem__(self, name):
        """The column of that name."""
        return self.columns[name]

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        """The number of columns; each has ``rows`` entries."""
        return len(self.columns)

    @property
    def rows(self):
        return len(next(iter(self.columns.values())))

    def frame(self):
        """The curve as a pandas frame."""
        try:
            import pandas
        except ImportError:
            raise cannot(
                "make a frame of a curve",
                because="pandas is not installed",
                instead="pip install 'separatrix[frames]', or the columns as they are: dict(curve)",
                kind=ImportError,
            ) from None
        return pandas.DataFrame(self.columns)

    def __str__(self):
        facts = ", ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                          for name, value in self.facts.items())  # fmt: skip
        width = max(10, *(len(name) + 2 for name in self.columns))
        lines = [f"{self.kind} ({facts})" if facts else self.kind, "".join(name.rjust(width) for name in self.columns)]
        lines += ["".join(_shown(v).rjust(width) for v in row) for row in zip(*self.columns.values())]
        return "\n".join(lines)

    def __repr__(self):
        return f"Curve({self.kind!r}, {self.rows} rows of {', '.join(self.columns)})"


def roc_curve(y_true, scores, *, classes=None, sample_weight=None):
    """True against false positive rate, for every threshold on the scores.

    Parameters
    ----------
    y_true : array of shape (n,).  Labels of two classes.
    scores : array of shape (n,) of raw scores, which grow with the second class; or probabilities of shape (n, 2).
    classes : sequence of two labels or None, default None.  None stands for the sorted labels.
    sample_weight : array of shape (n,) or None, default None.

    Returns
    -------
    curve : Curve of ``threshold`` (falling), ``false_positive_rate``, ``true_positive_rate``.  Fact: its ``area``.

    >>> roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).facts
    {'area': 0.75}
    """
    positive, scores = positive_scores(y_true, scores, classes)
    false, true, threshold = theirs.roc_curve(positive, scores, sample_weight=sample_weight)
    columns = {"threshold": threshold, "false_positive_rate": false, "true_positive_rate": true}
    return Curve("roc", columns, {"area": float(theirs.auc(false, true))})


def precision_recall_curve(y_true, scores, *, classes=None, sample_weight=None):
    """Precision against recall, for every threshold on the scores; what to look at where a class is rare.

    Parameters are those of :func:`roc_curve`.

    Returns
    -------
    curve : Curve of ``threshold`` (rising), ``precision``, ``recall``; at the last threshold nothing is predicted
        positive, and the precision is set to 1.  Facts: ``average_precision``, and ``base_rate``, the precision of
        calling everything positive.

    >>> precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])["precision"].round(2)
    array([0.5 , 0.67, 0.5 , 1.  , 1.  ])
    """
    positive, scores = positive_scores(y_true, scores, classes)
    s = validate_weights(sample_weight, len(positive))
    precision, recall, threshold = theirs.precision_recall_curve(positive, scores, sample_weight=s)
    average = theirs.average_precision_score(positive, scores, sample_weight=s)
    columns = {"threshold": np.append(threshold, np.inf), "precision": precision, "recall": recall}
    facts = {"average_precision": float(average), "base_rate": float(s @ positive / s.sum())}
    return Curve("precision and recall", columns, facts)


def calibration_curve(y_true, probabilities, *, classes=None, bins=10, level=0.95, sample_weight=None):
    """Observed frequency against predicted probability p, in bins of p, with Wilson's intervals.

    Parameters
    ----------
    y_true, probabilities, classes, bins, sample_weight : as in :func:`~separatrix.assess.calibration_error`.
    level : float, (0, 1), default 0.95.  Of the intervals.

    Returns
    -------
    curve : Curve of ``low``, ``high`` (the bin), ``rows``, ``claimed`` (mean p), ``observed`` (frequency), ``lower``,
        ``upper``.  Empty bins are left out. Fact: the expected calibration ``error``.

    References: Wilson (1927), J. Amer. Statist. Assoc. 22(158).

    >>> curve = calibration_curve([0, 0, 0, 1, 1, 1, 1, 0], [0.25] * 4 + [0.75] * 4, bins=2)
    >>> curve["observed"], curve["lower"].round(3), curve["upper"].round(3)
    (array([0.25, 0.75]), array([0.046, 0.301]), array([0.699, 0.954]))
    """
    p, occurred = confidence(y_true, probabilities, classes)
    s = validate_weights(sample_weight, len(p))
    where = bin_numbers(p, bins)
    total = np.bincount(where, s, minlength=bins)
    used = np.flatnonzero(total > 0.0)
    claimed, observed = (np.bincount(where, s * v, minlength=bins)[used] / total[used] for v in (p, occurred))
    # Kish's effective number of rows of unequal weight
    effective = total[used] ** 2 / np.bincount(where, s**2, minlength=bins)[used]
    lower, upper = wilson_interval(observed, effective, level)
    columns = {"low": used / bins, "high": (used + 1) / bins, "rows": np.bincount(where, minlength=bins)[used]}
    columns |= {"claimed": claimed, "observed": observed, "lower": lower, "upper": upper}
    return Curve("calibration", columns, {"error": float(total[used] @ np.abs(claimed - observed) / total.sum())})


def wilson_interval(share, n, level=0.95):
    r"""Wilson's interval for a probability, from its share in n rows: the inverted score test.

    .. math:: \frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n}

    Parameters
    ----------
    share : float or array, [0, 1].
    n : number or array, (0, inf).
    level : float, (0, 1), default 0.95.

    >>> [float(end.round(3)) for end in wilson_interval(0.0, 10)]
    [0.0, 0.278]
    """
    share, n = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    z2 = norm.ppf(0.5 + 0.5 * level) ** 2
    centre, half = share + z2 / (2.0 * n), np.sqrt(z2 * (share * (1.0 - share) / n + z2 / (4.0 * n**2)))
    return np.maximum((centre - half) / (1.0 + z2 / n), 0.0), np.minimum((centre + half) / (1.0 + z2 / n), 1.0)


def _shown(value):
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
