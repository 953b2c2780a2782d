r"""Measures of probabilities (log loss, Brier, area under the ROC curve, calibration) and of numbers (RMSE, R², ...).

Those of labels are in :mod:`separatrix.assess.counts`, beside the confusion matrix. The sums are scikit-learn's where
it has them; added are one validation of probabilities and named undefined values.
"""

import numpy as np
from sklearn import metrics as theirs

from separatrix.assess.counts import settle_undefined
from separatrix.core.errors import cannot
from separatrix.estimators.probabilities import class_codes, same_length, validate_labels, validate_posteriors
from separatrix.estimators.validation import validate_weights

# Cells of equal width in which probabilities count as equal when outcomes are simulated.
CELLS = 1_000

# ------------------------------------------------------------------ probabilities


def log_loss(y_true, probabilities, *, classes=None, sample_weight=None):
    r"""The mean negative log-likelihood in nats, :math:`-\frac{1}{\sum s}\sum_i s_i \log P(y_i \mid x_i)`.

    A probability of 0 for the true class would cost infinity; it counts as 2.2e-16, which costs 36.

    Parameters
    ----------
    y_true : array of shape (n,).  Labels.
    probabilities : array of shape (n, k), or (n,) for the second of two classes.
    classes : sequence of k labels or None, default None.  Those of the columns; None stands for the sorted labels of
        y_true, which must then be as many as there are columns.
    sample_weight : array of shape (n,) or None, default None.

    >>> round(log_loss(["no", "yes"], [[0.75, 0.25], [0.5, 0.5]]), 6)
    0.490415
    """
    codes, P, _ = validate_probabilities(y_true, probabilities, classes)
    s = validate_weights(sample_weight, len(codes))
    return float(theirs.log_loss(codes, P, labels=np.arange(P.shape[1]), sample_weight=s))


def brier(y_true, probabilities, *, classes=None, sample_weight=None):
    r"""The mean squared error of probabilities.

    .. math:: \frac{1}{\sum s} \sum_i s_i (p_i - [y_i = \text{second}])^2 \ \text{for two classes},
              \qquad \frac{1}{\sum s} \sum_i s_i \sum_c (P_{ic} - [y_i = c])^2 \ \text{for more}

    Parameters are those of :func:`log_loss`.

    References: Brier (1950), Monthly Weather Review 78(1).

    >>> brier([0, 1], [0.25, 0.5]), brier(["a", "b", "c"], [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    (0.15625, 0.16666666666666666)
    """
    codes, P, _ = validate_probabilities(y_true, probabilities, classes)
    s = validate_weights(sample_weight, len(codes))
    if P.shape[1] == 2:
        return float(s @ (P[:, 1] - codes) ** 2 / s.sum())
    truth = np.eye(P.shape[1])[codes]
    return float(s @ ((P - truth) ** 2).sum(axis=1) / s.sum())


def roc_auc(y_true, scores, *, classes=None, undefined=None, sample_weight=None):
    r"""The probability that a row of the second class ranks above one of the first; a tie counts one half.

    Of more than two classes it is the mean of each against the others, over those that occur.

    Parameters
    ----------
    y_true : array of shape (n,).  Labels.
    scores : array of shape (n,) of raw scores, which grow with the second class; or (n, k), as `probabilities`.
    classes : sequence of k labels or None, default None.  Those of the columns; None stands for the sorted labels.
    undefined : float or None, default None.  What to return where y_true holds one class only; None is NaN with the
        warning :class:`~separatrix.assess.Undefined`.
    sample_weight : array of shape (n,) or None, default None.

    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    pairs = [pair for pair in _against_the_rest(y_true, scores, classes) if pair[0].any() and not pair[0].all()]
    if not pairs:
        return settle_undefined("area under the ROC curve", "all rows are of one class", undefined)
    s = validate_weights(sample_weight, len(pairs[0][0]))
    return float(np.mean([theirs.roc_auc_score(positive, column, sample_weight=s) for positive, column in pairs]))


def calibration_error(y_true, probabilities, *, classes=None, bins=10, sample_weight=None):
    r"""The expected calibration error: the mean distance of probabilities from frequencies over bins.

    .. math:: \sum_b \frac{n_b}{n} \left| \bar p_b - \bar y_b \right|

    Of two classes, p is the probability of the second and y its indicator; of more, p is the probability of the
    predicted class and y whether it is right.

    Parameters
    ----------
    y_true, probabilities, classes, sample_weight : as in :func:`log_loss`.
    bins : int, [1, inf), default 10.  Intervals of equal width on [0, 1]; a bound belongs to the lower one.

    References: Naeini, Cooper and Hauskrecht (2015), AAAI, section "Calibration measures".

    >>> round(calibration_error([0, 0, 0, 1, 1, 1, 1, 0], [0.25] * 4 + [0.75] * 4), 12)
    0.0
    >>> calibration_error([1, 1, 0, 0], [1.0, 1.0, 0.5, 0.5])
    0.25
    """
    p, occurred = confidence(y_true, probabilities, classes)
    s = validate_weights(sample_weight, len(p))
    where = bin_numbers(p, bins)
    gap = np.bincount(where, s * (p - occurred), minlength=bins)
    return float(np.abs(gap).sum() / s.sum())


def calibration_by_chance(probabilities, *, bins=10, draws=200, seed=0):
    r"""The mean :func:`calibration_error` of right probabilities: what chance alone gives on so many rows.

    .. math:: \mathrm{E} \sum_b \frac{1}{n} \Big| \sum_{i \in b} (p_i - Y_i) \Big|,
              \qquad Y_i \sim \mathrm{Bernoulli}(p_i)

    The expected calibration error is a sum of absolute values, so that it is above 0 even if every probability is
    right, and the more so the fewer rows there are. An error near this number is no sign of bad calibration.

    Parameters
    ----------
    probabilities, bins : as in :func:`calibration_error`.
    draws : int, [1, inf), default 200.  Simulated sets of outcomes; p is rounded to a thousandth for them.
    seed : int, default 0.

    >>> p = np.linspace(0.05, 0.95, 150)
    >>> 0.06 < calibration_by_chance(p) < 0.1
    True
    """
    P = np.asarray(probabilities, dtype=np.float64)
    P = P.reshape(-1) if P.ndim == 1 or P.shape[1] == 1 else P
    p = P if P.ndim == 1 else P[:, 1] if P.shape[1] == 2 else P.max(axis=1)
    cell = np.maximum(np.ceil(p * CELLS).astype(np.intp) - 1, 0)  # as of bins, a bound belongs to the lower cell
    counts = np.bincount(cell, minlength=CELLS)
    used = np.flatnonzero(counts)
    mean = np.clip(np.bincount(cell, p, minlength=CELLS)[used] / counts[used], 0.0, 1.0)
    occurred = np.random.default_rng(seed).binomial(counts[used], mean, (draws, len(used)))
    gap = np.zeros((draws, bins))
    bounds = np.searchsorted((used + 0.5) / CELLS, np.linspace(0, 1, bins + 1)[1:-1])
    for b, where in enumerate(np.split(np.arange(len(used)), bounds)):
        gap[:, b] = (occurred[:, where] - counts[used][where] * mean[where]).sum(axis=1)
    return float(np.abs(gap).sum(axis=1).mean() / len(p))


def positive_scores(y_true, scores, classes=None):
    """Which rows are of the second of two classes, and their raw scores (n,); for curves over thresholds."""
    pairs = _against_the_rest(y_true, scores, classes)
    if len(pairs) != 1 or pairs[0][0].all() or not pairs[0][0].any():
        raise cannot(
            "draw a curve over thresholds",
            because="there are more than two classes" if len(pairs) != 1 else "all rows are of one class",
            instead="rows of two classes, such as y == one of them",
        )
    return pairs[0]


def _against_the_rest(y_true, scores, classes):
    """(is it of the class, its raw score) for the second of two classes, or for each of more."""
    y_true, scores = np.asarray(y_true), np.asarray(scores, dtype=np.float64)
    same_length(len(y_true), scores, "scores")
    if scores.ndim == 1 or scores.shape[1] <= 2:
        codes = class_codes(y_true, _two_classes(y_true) if classes is None else validate_labels(classes, 2))
        return [(codes == 1, scores if scores.ndim == 1 else scores[:, -1])]
    codes = class_codes(y_true, validate_labels(np.unique(y_true) if classes is None else classes, scores.shape[1]))
    return [(codes == c, column) for c, column in enumerate(scores.T)]


def confidence(y_true, probabilities, classes=None):
    """(p, 0 or 1): probability and occurrence of the second of two classes, else of the predicted class."""
    codes, P, _ = validate_probabilities(y_true, probabilities, classes)
    if P.shape[1] == 2:
        return P[:, 1], (codes == 1).astype(np.float64)
    return P.max(axis=1), (P.argmax(axis=1) == codes).astype(np.float64)


def bin_numbers(p, bins):
    """The number of the interval of equal width that each p in [0, 1] lies in."""
    if not isinstance(bins, int | np.integer) or isinstance(bins, bool) or bins < 1:
        raise cannot(f"use bins={bins!r}", because="bins are counted", instead="a whole number of at least 1")
    return np.searchsorted(np.linspace(0.0, 1.0, bins + 1)[1:-1], p)


def validate_probabilities(y_true, probabilities, classes=None):
    """Check labels and probabilities; return codes (n,), P (n, k) with rows summing to 1, and the k classes."""
    y_true = np.asarray(y_true)
    P = np.asarray(probabilities)
    if P.ndim == 1 or (P.ndim == 2 and P.shape[1] == 1):
        p = P.astype(np.float64).reshape(-1)
        P = np.column_stack([1.0 - p, p])
        classes = _two_classes(y_true) if classes is None else classes
    P = validate_posteriors(P, name="probabilities")
    same_length(len(y_true), P, "probabilities")
    if not len(P):
        raise cannot("assess probabilities", because="there are no rows", instead="at least one row")
    if classes is None:
        classes = _two_classes(y_true) if P.shape[1] == 2 else np.unique(y_true)
        if len(classes) != P.shape[1]:
            raise cannot(
                f"tell which classes the {P.shape[1]} columns of probabilities are",
                because=f"y_true holds {len(classes)}: {classes.tolist()[:8]}",
                instead="classes=model.classes_",
            )
    classes = validate_labels(classes, P.shape[1])
    return class_codes(y_true, classes), P / P.sum(axis=1, keepdims=True), classes


def _two_classes(y):
    """The first and the second class; of 0 and 1, and of -1 and 1, only one needs to occur."""
    labels = np.unique(y)
    for pair in ((0, 1), (-1, 1)):
        if labels.dtype.kind not in "USO" and set(labels.tolist()) <= set(pair):
            return np.array(pair)
    if len(labels) == 2:
        return labels
    raise cannot(
        "tell the second class from the first",
        because=f"y_true holds {labels.tolist()[:8]}",
        instead="classes=[first, second], such as model.classes_",
    )


# ------------------------------------------------------------------ numbers


def mse(y_true, y_pred, *, sample_weight=None):
    r"""The mean squared error, :math:`\frac{1}{\sum s}\sum_i s_i (y_i - \hat y_i)^2`.

    >>> mse([1.0, 2.0], [1.0, 4.0])
    2.0
    """
    return float(theirs.mean_squared_error(y_true, y_pred, sample_weight=sample_weight))


def rmse(y_true, y_pred, *, sample_weight=None):
    r"""The root-mean-square error, :math:`\sqrt{2E/N}` with :math:`E = \tfrac12 \sum_i (y_i - \hat y_i)^2`; in the
    units of y.

    >>> rmse([1, -2, 2, 0], [0, 0, 0, 0])
    1.5
    """
    return float(np.sqrt(mse(y_true, y_pred, sample_weight=sample_weight)))


def mae(y_true, y_pred, *, sample_weight=None):
    r"""The mean absolute error, :math:`\frac{1}{\sum s}\sum_i s_i |y_i - \hat y_i|`.

    >>> mae([1, -2, 2, 0], [0, 0, 0, 0])
    1.25
    """
    return float(theirs.mean_absolute_error(y_true, y_pred, sample_weight=sample_weight))


def medae(y_true, y_pred, *, sample_weight=None):
    r"""The median absolute error, :math:`\mathrm{median}_i |y_i - \hat y_i|`: half of the rows have a smaller error.

    Fewer than half of the rows, however wild, cannot make it large.

    >>> medae([1.0, 2.0, 5e8], [1.5, 2.0, 3.0])
    0.5
    """
    return float(theirs.median_absolute_error(y_true, y_pred, sample_weight=sample_weight))


def r2(y_true, y_pred, *, undefined=None, sample_weight=None):
    r"""The share of the variance of y that is explained, :math:`1 - \sum s(y - \hat y)^2 / \sum s(y - \bar y)^2`.

    Undefined where all values of y are equal: there is nothing to explain. `undefined` is as in
    :func:`~separatrix.assess.precision`.

    >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    y = np.asarray(y_true, dtype=np.float64)
    counted = y if sample_weight is None else y[validate_weights(sample_weight, len(y)) > 0.0]
    if len(counted) and np.all(counted == counted[0]):
        return settle_undefined("R²", "all values of y are equal", undefined)
    return float(theirs.r2_score(y, y_pred, sample_weight=sample_weight))
