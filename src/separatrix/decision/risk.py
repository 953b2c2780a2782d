r"""Risk: the expected loss of predictions, :math:`R = E\,\ell(Y, f(X))`, and its mean over a sample."""

import math

import numpy as np
from scipy.optimize import minimize_scalar

from separatrix.core.errors import cannot
from separatrix.core.objective import fill_slopes, sum_of_values
from separatrix.core.verbs import is_of_residual, value
from separatrix.estimators.probabilities import same_length
from separatrix.estimators.validation import validate_weights

# Beyond this raw score the slope of the logistic loss underflows: exp(-700) is about the smallest double.
LARGEST_ETA = 700.0


def empirical_risk(loss, y, prediction, sample_weight=None):
    r"""The average loss of predictions on a sample.

    .. math:: R_{emp} = \frac{1}{\sum s} \sum_i s_i\, \ell(y_i, f_i)

    Parameters
    ----------
    loss : a loss of :mod:`separatrix.losses`, or a function ``loss(y, prediction)`` that returns n losses.
    y : array of shape (n,).  What was observed; numbers, or any labels that `loss` understands.
    prediction : array of shape (n,) or, if `loss` understands it, (n, k).
    sample_weight : array of shape (n,) or None.

    References: Vapnik (1998), Statistical Learning Theory, section 1.2.

    Examples
    --------
    >>> from separatrix.losses import Squared
    >>> empirical_risk(Squared(), [0.0, 2.0], [1.0, 0.0])
    1.25
    >>> empirical_risk(zero_one, ["a", "b", "b"], ["a", "b", "a"])
    0.3333333333333333
    """
    y, prediction = np.asarray(y), np.asarray(prediction)
    same_length(len(y), prediction, "prediction")
    if not len(y):
        raise cannot("average a loss over no rows", because="y is empty", instead="at least one row")
    s = validate_weights(sample_weight, len(y))
    if type(loss) in value.table:
        if y.ndim != 1 or y.shape != prediction.shape:
            raise cannot(
                f"compare y of shape {y.shape} with predictions of shape {prediction.shape}",
                because=f"{type(loss).__name__} is a function of two numbers",
                instead="two arrays of shape (n,)",
            )
        return float(sum_of_values(loss, y.astype(np.float64), prediction.astype(np.float64), s) / s.sum())
    losses = np.asarray(loss(y, prediction), dtype=np.float64)
    if losses.shape != (len(y),):
        raise cannot(
            f"average losses of shape {losses.shape}",
            because=f"there are {len(y)} rows",
            instead="a function that returns one loss for each row, not their mean",
        )
    used = s > 0.0  # a row of weight 0 adds nothing, even where its loss is infinite
    return float(s[used] @ losses[used] / s.sum())


def zero_one(y, prediction):
    r"""The 0/1 loss: 0 where the prediction is right, 1 where it is wrong; its mean is one minus the accuracy.

    >>> zero_one([1, 2, 3], [1, 3, 3])
    array([0., 1., 0.])
    """
    return (np.asarray(y) != np.asarray(prediction)).astype(np.float64)


def zero_one_margin(margin):
    r"""The 0/1 loss as a function of the margin :math:`z = y f(x)` with y = ±1: :math:`1[z < 0]`.

    A point on the boundary (z = 0) costs nothing whichever its class, although a prediction assigns it to one of them.

    >>> zero_one_margin([-0.5, 0.0, 2.0])
    array([1., 0., 0.])
    """
    return (np.asarray(margin, dtype=np.float64) < 0.0).astype(np.float64)


def best_constant(loss, y, sample_weight=None):
    r"""The constant of least expected loss: the best prediction at x if y follows the distribution of Y given x.

    .. math:: f^*(x) = \arg\min_c E[\ell(Y, c) \mid X = x]

    The squared loss gives the mean, the absolute loss (``Quantile(0.5)``) the median, ``Quantile(q)`` the quantile q,
    the logistic loss the logit of the mean. Among equally good numbers any may be returned.

    Parameters
    ----------
    loss : a convex loss of :mod:`separatrix.losses`, or a function ``loss(y, c)`` of an array and a number, convex
        in c and least within the range of y.
    y : array of shape (n,).  The values that Y takes.
    sample_weight : array of shape (n,) or None.  Their probabilities, up to a factor.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 2.4.

    Examples
    --------
    >>> from separatrix.losses import Quantile, Squared
    >>> y = [0.0, 1.0, 2.0, 10.0, 100.0]
    >>> round(best_constant(Squared(), y), 9), round(best_constant(Quantile(0.5), y), 9)
    (22.6, 2.0)
    """
    y = np.asarray(y, dtype=np.float64)
    if y.ndim != 1 or not len(y) or not np.isfinite(y).all():
        raise cannot(
            f"find the best constant for y of shape {y.shape}",
            because="y must hold the finite values of one variable",
            instead="an array of shape (n,) with n >= 1",
        )
    s = validate_weights(sample_weight, len(y))
    low, high = float(y[s > 0.0].min()), float(y[s > 0.0].max())
    if type(loss) not in value.table:

        def risk(c):
            return empirical_risk(lambda y, prediction: loss(y, c), y, y, s)

        wide = {"bounds": (low, high), "method": "bounded", "options": {"xatol": 1e-12 * (high - low)}}
        return float(minimize_scalar(risk, **wide).x) if low < high else low
    if not is_of_residual(loss):  # a loss of raw scores, which are not in the units of y
        low, high = _enclose(loss, y, s)
    return _bisect_slope(loss, y, s, low, high)


def _slope(loss, y, s, c):
    """d/dc Σ s_i value(loss, y_i, c), which rises with c."""
    slopes = np.empty_like(y)
    fill_slopes(loss, y, np.full_like(y, c), slopes)
    return float(s @ slopes)


def _enclose(loss, y, s):
    """Raw scores between which the slope changes sign; infinite if it never does."""
    width = 1.0
    while width < LARGEST_ETA and not (_slope(loss, y, s, -width) < 0.0 <= _slope(loss, y, s, width)):
        width *= 2.0
    if width < LARGEST_ETA:
        return -width, width
    return (math.inf, math.inf) if _slope(loss, y, s, 0.0) < 0.0 else (-math.inf, -math.inf)


def _bisect_slope(loss, y, s, low, high):
    """The zero of the slope, by bisection down to neighbouring floats; the slope may jump."""
    if not low < high or _slope(loss, y, s, low) >= 0.0:
        return low
    while low < (middle := 0.5 * (low + high)) < high:
        if _slope(loss, y, s, middle) < 0.0:
            low = middle
        else:
            high = middle
    return high
