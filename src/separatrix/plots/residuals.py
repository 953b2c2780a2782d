"""Residuals against fitted values and normal quantiles; predictions against the truth."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.plots.labels import number, percent
from separatrix.plots.style import COLOURS, FAINT, picture

MOST_POINTS = 600
SMOOTH_POINTS = 60


@picture()
def residuals(y, predicted, ax=None):
    """Residuals against fitted values, with a smooth of them: flat about zero if the model has no systematic error.

    The smooth is a local linear fit to the nearest half of the rows.

    Parameters
    ----------
    y : (n,) array.  The truth.
    predicted : (n,) array.
    ax : Axes or None.

    >>> ax = residuals([1.0, 2.0, 3.0, 4.0], [1.5, 1.5, 3.5, 3.5])
    >>> ax.lines[1].get_ydata()
    array([-0.5,  0.5, -0.5,  0.5])
    """
    y, predicted = _pairs(y, predicted)
    left = y - predicted
    shown = _thinned(len(y))
    ax.axhline(0.0, color=FAINT, linewidth=0.8)
    ax.plot(predicted[shown], left[shown], "o", color=COLOURS[0], markersize=3.0, alpha=0.55, markeredgewidth=0)
    across, smooth = _smooth(predicted, left)
    ax.plot(across, smooth, color=COLOURS[1])
    ax.set(xlabel="fitted value", ylabel="residual (truth − fitted)")
    spread = float(left.std())
    centre = 0.0 if abs(left.mean()) < 1e-9 * spread else float(left.mean())
    trend = float(np.abs(smooth).max() / spread) if spread else 0.0
    return (
        f"Residuals of {len(y):,} rows{_drawn(shown, y)} against fitted values from {number(predicted.min())} to "
        f"{number(predicted.max())}. Their mean is {number(centre)}, their standard deviation {number(spread)}; "
        f"the smooth strays from zero by at most {number(trend, 2)} standard deviations."
    )


@picture()
def residual_quantiles(y, predicted, ax=None):
    """Sorted residuals, in standard deviations, against the quantiles of a normal distribution.

    On the line if residuals are normal; ends above it on the right and below it on the left are heavy tails.

    Parameters
    ----------
    y : (n,) array.  The truth.
    predicted : (n,) array.
    ax : Axes or None.

    >>> ax = residual_quantiles([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])
    >>> ax.lines[1].get_xdata().round(3)
    array([-0.869,  0.   ,  0.869])
    """
    from scipy.stats import norm

    y, predicted = _pairs(y, predicted)
    left = np.sort(y - predicted)
    n, spread = len(left), float(left.std()) or 1.0
    left = (left - left.mean()) / spread
    # Blom's positions, near the expected order statistics of a normal sample
    expected = norm.ppf((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    # the middle is dense and straight; the tails are kept whole
    shown = (
        np.arange(n)
        if n <= MOST_POINTS
        else np.unique(np.r_[:50, np.linspace(50, n - 51, 500).astype(int), n - 50 : n])
    )
    ends = np.array([expected[0], expected[-1]])
    ax.plot(ends, ends, color=FAINT, linewidth=0.8)
    ax.plot(expected[shown], left[shown], "o", color=COLOURS[0], markersize=3.0, markeredgewidth=0)
    ax.set(xlabel="normal quantile", ylabel="residual, in standard deviations")
    share = float((np.abs(left) > 2.0).mean())
    return (
        f"Quantiles of {n:,} residuals against those of a normal distribution. The smallest is {number(left[0])} and "
        f"the largest {number(left[-1])} standard deviations from the mean, where {number(expected[0])} and "
        f"{number(expected[-1])} are expected; {percent(share)} lie beyond two, where a normal distribution has 4.6 %."
    )


@picture()
def predicted_vs_true(y, predicted, ax=None):
    """Predictions against the truth; on the line they are right.

    Parameters
    ----------
    y : (n,) array.  The truth.
    predicted : (n,) array.
    ax : Axes or None.

    >>> ax = predicted_vs_true([1.0, 2.0, 3.0], [1.5, 2.0, 2.5])
    >>> ax.get_xlabel(), ax.lines[1].get_xdata()
    ('truth', array([1., 2., 3.]))
    """
    y, predicted = _pairs(y, predicted)
    shown = _thinned(len(y))
    ends = np.array([min(y.min(), predicted.min()), max(y.max(), predicted.max())])
    ax.plot(ends, ends, color=FAINT, linewidth=0.8)
    ax.plot(y[shown], predicted[shown], "o", color=COLOURS[0], markersize=3.0, alpha=0.55, markeredgewidth=0)
    ax.set(xlabel="truth", ylabel="prediction")
    spread = float(((y - y.mean()) ** 2).sum())
    error = float(((y - predicted) ** 2).sum())
    explained = f"; {percent(1.0 - error / spread)} of the variance is explained" if spread and error <= spread else ""
    return (
        f"Predictions of {len(y):,} rows{_drawn(shown, y)} against the truth, which lies between {number(y.min())} and "
        f"{number(y.max())}. The root-mean-square error is {number(np.sqrt(error / len(y)))}{explained}."
    )


def _pairs(y, predicted):
    y, predicted = np.asarray(y, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    if y.ndim != 1 or y.shape != predicted.shape or not len(y) or not np.isfinite(y - predicted).all():
        raise cannot(
            f"draw residuals of y of shape {y.shape} and predictions of shape {predicted.shape}",
            because="each row needs a finite truth and a finite prediction",
            instead="two arrays of shape (n,) without missing values",
        )
    return y, predicted


def _thinned(n):
    """Rows to draw: all, or 600 of them, the same ones each time."""
    return np.arange(n) if n <= MOST_POINTS else np.sort(np.random.default_rng(0).choice(n, MOST_POINTS, replace=False))


def _drawn(shown, y):
    return "" if len(shown) == len(y) else f" ({len(shown)} of them drawn)"


def _smooth(x, y):
    """A local linear fit with tricube weights on the nearest half of the rows, at 60 places between the 1 % tails.

    Not LocalLinearRegression: a picture should not wait for the compiler.
    """
    if len(x) > 4000:
        rows = np.random.default_rng(0).choice(len(x), 4000, replace=False)
        x, y = x[rows], y[rows]
    at = np.linspace(*np.quantile(x, [0.01, 0.99]), SMOOTH_POINTS)
    distance = np.abs(at[:, None] - x)
    width = np.maximum(np.quantile(distance, 0.5, axis=1, keepdims=True), 1e-12 * (1.0 + np.ptp(x))) * (1.0 + 1e-9)
    weight = np.clip(1.0 - (distance / width) ** 3, 0.0, None) ** 3
    total = weight.sum(axis=1)
    centre, level = (weight @ x) / total, (weight @ y) / total
    offset = x - centre[:, None]
    bent = (weight * offset**2).sum(axis=1)
    slope = np.divide((weight * offset) @ y, bent, out=np.zeros_like(bent), where=bent > 1e-12 * np.ptp(x) ** 2 * total)
    return at, level + slope * (at - centre)
