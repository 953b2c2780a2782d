r"""Bias and variance by simulation: the same model fitted to many data sets of one size.

.. math:: E\,(y - h)^2 = \underbrace{\overline{(\bar h - f)^2}}_{\text{bias}^2}
          + \underbrace{\overline{(h - \bar h)^2}}_{\text{variance}}
          + \underbrace{\overline{\mathrm{var}(y \mid x)}}_{\text{noise}}, \qquad f(x) = E[y \mid x]

Means are over points x, :math:`\bar h` is the mean prediction of the fits.
"""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.base import clone

from separatrix.core.errors import cannot
from separatrix.decision.bayes import Risk


@dataclass(frozen=True, repr=False)
class BiasVariance:
    r"""Bias and variance over L data sets, at m points.

    Attributes
    ----------
    bias2 : float.  :math:`\frac1m \sum_i (\bar h(x_i) - f(x_i))^2`.
    variance : float.  :math:`\frac1m \sum_i \frac1L \sum_l (h_l(x_i) - \bar h(x_i))^2`.
    noise : float.  :math:`\frac1m \sum_i \mathrm{var}(y \mid x_i)`: the least error of any model.
    error : float.  Standard error of `expected_loss` over the data sets.
    X : array.  The points.
    truth : (m,) array.  f there.
    average : (m,) array.  The mean prediction there.
    predictions : (L, m) array.  Of each fit.
    """

    bias2: float
    variance: float
    noise: float
    error: float
    X: np.ndarray
    truth: np.ndarray
    average: np.ndarray
    predictions: np.ndarray

    @property
    def squared_error(self):
        """Mean squared distance of the predictions from f: bias² + variance, up to rounding."""
        return float(np.mean((self.predictions - self.truth) ** 2))

    @property
    def expected_loss(self):
        """bias² + variance + noise."""
        return self.bias2 + self.variance + self.noise

    def __repr__(self):
        return (
            f"BiasVariance(bias² {self.bias2:.4g} + variance {self.variance:.4g} + noise {self.noise:.4g} "
            f"= {self.expected_loss:.4g} ± {self.error:.2g}, {len(self.predictions)} data sets)"
        )


def bias_variance(estimator, generate, truth, X, *, noise=0.0, datasets=100, seed=0):
    """Fit a model to many data sets and decompose its error.

    Parameters
    ----------
    estimator : regressor.  A clone is fitted to each data set.
    generate : callable.  From a numpy Generator to one data set (X, y).
    truth : callable.  From X to the regression function f(x) = E[y | x].
    X : array of shape (m, p).  Points at which predictions are compared with f; means over them stand for means over x.
    noise : float or callable, default 0.0.  The variance of y given x, or a function of X that returns it.
    datasets : int, [2, inf), default 100.  L.
    seed : int, default 0.  Of the Generator that all data sets are drawn from, one after the other.

    Returns
    -------
    BiasVariance.

    Notes
    -----
    With L data sets the mean prediction is itself uncertain: `bias2` is too large by variance / L on average, and
    `variance` too small by as much. Their sum is not affected.

    References: Geman, Bienenstock and Doursat (1992), Neural Computation 4(1); Bishop (2006), Pattern Recognition and
    Machine Learning, section 3.2.

    Examples
    --------
    A line through noisy points of a sine: most of its error is bias (at least 1/2 - 3/π² = 0.196).

    >>> from separatrix.linear_model import LinearRegression
    >>> def sine(X):
    ...     return np.sin(2.0 * np.pi * X[:, 0])
    >>> def generate(rng):
    ...     X = rng.uniform(size=(25, 1))
    ...     return X, sine(X) + 0.3 * rng.standard_normal(25)
    >>> bias_variance(LinearRegression(), generate, sine, np.linspace(0, 1, 101)[:, None], noise=0.09)
    BiasVariance(bias² 0.2038 + variance 0.02301 + noise 0.09 = 0.3169 ± 0.0023, 100 data sets)
    """
    _refuse_few(datasets)
    f = np.asarray(truth(X), dtype=np.float64)
    rng = np.random.default_rng(seed)
    predictions = np.array([clone(estimator).fit(*generate(rng)).predict(X) for _ in range(datasets)])
    if f.ndim != 1 or predictions.shape[1:] != f.shape:
        raise cannot(
            f"compare predictions of shape {predictions.shape[1:]} with a truth of shape {f.shape}",
            because="there is one number for each point",
            instead=f"truth(X) and predict(X) of shape ({len(f)},)",
        )
    average = predictions.mean(axis=0)
    spread = noise(X) if callable(noise) else noise
    return BiasVariance(
        bias2=float(np.mean((average - f) ** 2)),
        variance=float(np.mean((predictions - average) ** 2)),
        noise=float(np.mean(spread)),
        error=float(np.std(np.mean((predictions - f) ** 2, axis=1), ddof=1) / np.sqrt(datasets)),
        X=X,
        truth=f,
        average=average,
        predictions=predictions,
    )


def expected_prediction_error(estimator, generate, draw=None, *, loss=None, datasets=100, seed=0):
    r"""Expected loss on new rows, averaged over the data sets that a model may be fitted to: :math:`E\,\ell(y, h(x))`.

    Parameters
    ----------
    estimator : regressor or classifier.
    generate : callable.  From a numpy Generator to one data set (X, y) to fit.
    draw : callable or None, default None.  From a Generator to new rows (X, y); None draws them by `generate`.
    loss : callable or None, default None.  From (y, prediction) to n losses; None is the squared error.
    datasets : int, [2, inf), default 100.  How many fits.
    seed : int, default 0.  The data sets are those of :func:`bias_variance` with the same seed; new rows come from a
        Generator of their own.

    Returns
    -------
    risk : Risk.  Its value, and the standard error over the fits.

    >>> from separatrix.linear_model import LinearRegression
    >>> def generate(rng):
    ...     X = rng.standard_normal((50, 1))
    ...     return X, X[:, 0] + rng.standard_normal(50)
    >>> risk = expected_prediction_error(LinearRegression(), generate)
    >>> abs(risk.value - 1.04) < 3.0 * risk.error  # noise of variance 1, and 2/50 for two coefficients
    True
    """
    _refuse_few(datasets)
    rng, fresh = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    loss = _squared if loss is None else loss
    means = np.empty(datasets)
    for l in range(datasets):
        model = clone(estimator).fit(*generate(rng))
        X, y = (draw or generate)(fresh)
        means[l] = np.mean(loss(y, model.predict(X)))
    return Risk(float(means.mean()), float(means.std(ddof=1) / np.sqrt(datasets)), "monte_carlo")


def _squared(y, prediction):
    return (y - prediction) ** 2


def _refuse_few(datasets):
    if not isinstance(datasets, Integral) or datasets < 2:
        raise cannot(
            f"compare the fits of {datasets!r} data sets",
            because="a variance needs two",
            instead="a whole number datasets >= 2",
        )
