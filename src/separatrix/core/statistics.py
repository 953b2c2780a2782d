"""What a fit knows of its own uncertainty: small numbers kept with the model, never the data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.registry import register


@register("record")
@dataclass(frozen=True)
class LeastSquaresStatistics:
    """Kept by LinearRegression and Ridge as ``evidence_``; the summary is made of it.

    With q = p + 1 coefficients where there is an intercept (which then comes first), else q = p; k outputs.

    Attributes
    ----------
    n : int.  Rows with positive weight.
    total : float.  Σs, the number of rows counted with their weights.
    p, rank : int.  Columns, and how many of them are linearly independent (of each other and of the intercept).
    intercept : bool.
    rss, tss : (k,) arrays.  Residual and total sums of squares (about the mean if there is an intercept).
    coefficients : (q, k) array.  Intercept first. Aliased ones 0 and the others those of the model without them: the
        solution that `unscaled` belongs to, not the shortest one.
    unscaled : (q, q) array or None.  Var(coefficients) / σ²: ``(X'SX)^-1`` for least squares, rows and columns of
        aliased coefficients NaN; for ridge ``W X'SX W`` with ``W = (X'SX + lam I)^-1``. None where it was not formed.
    edf : float.  Effective degrees of freedom used by the model, intercept included: trace of the hat matrix.
    condition : float.  2-norm condition number of the centred columns, each scaled to unit length.
    digits : (q, k) array.  Decimal digits of each coefficient that rounding to float64 cannot change.
    aliased : tuple of int.  Columns that are linear combinations of the others.
    penalised : bool.
    """

    n: int
    total: float
    p: int
    rank: int
    intercept: bool
    rss: np.ndarray
    tss: np.ndarray
    coefficients: np.ndarray
    unscaled: np.ndarray | None
    edf: float
    condition: float
    digits: np.ndarray
    aliased: tuple[int, ...] = ()
    penalised: bool = False


@register("record")
@dataclass(frozen=True)
class LikelihoodStatistics:
    """What a logistic fit knows of its own uncertainty; kept as ``evidence_`` where nothing was penalised.

    With q = p + 1 coefficients of a class where there is an intercept (which then comes first), else q = p. Two classes
    have k = 1 column of coefficients, the log-odds of the second against the first; K classes have k = K - 1, the
    log-odds of each against the first, the reference.

    Attributes
    ----------
    n : int.  Rows with positive weight.
    total : float.  Σs, the number of rows counted with their weights.
    p, rank : int.  Columns, and how many of them are linearly independent (of each other and of the intercept).
    intercept : bool.
    classes : tuple or None.  Labels, the reference first.
    coefficients : (q, k) array.  Intercept first. Aliased ones 0 and the others those of the model without them.
    covariance : (q k, q k) array or None.  The inverse of the Fisher information ``Σ s_i μ_i (1 - μ_i) x_i x_i'``, all
        coefficients of a class together; rows and columns of aliased coefficients NaN. For an L2 penalty ``W I W`` with
        I the information and W the inverse of information plus penalty. None where it was not formed.
    log_likelihood, null_log_likelihood : float.  Of the fit, and of the model that has only the intercept (without an
        intercept: of equal probabilities).
    saturated_log_likelihood : float.  Of fitted probabilities equal to y: 0 unless labels are soft.
    edf : float.  Effective degrees of freedom, intercepts included; with an L1 part in the penalty, the number of
        coefficients that are not zero.
    condition : float.  2-norm condition number of the columns, weighted by their information, centred and scaled; NaN
        where none was needed.
    sure : int.  Rows for which some class has a fitted probability of 0 or 1, to rounding.
    aliased : tuple of int.  Columns that are linear combinations of the others.
    penalised : bool.
    held : tuple of int.  Columns with a coefficient at its bound. The estimate is not normal there: rows and columns of
        the covariance are NaN, and the others are those of the model in which it is fixed. For more than two classes
        neither a covariance nor edf (NaN) is formed then.
    """

    n: int
    total: float
    p: int
    rank: int
    intercept: bool
    classes: tuple[Any, ...] | None
    coefficients: np.ndarray
    covariance: np.ndarray | None
    log_likelihood: float
    null_log_likelihood: float
    saturated_log_likelihood: float
    edf: float
    condition: float
    sure: int = 0
    aliased: tuple[int, ...] = ()
    penalised: bool = False
    held: tuple[int, ...] = ()


@register("record")
@dataclass(frozen=True)
class GeneralizedLinearStatistics(LikelihoodStatistics):
    """What a generalised linear model knows of its own uncertainty; kept as ``evidence_`` where nothing was penalised.

    As :class:`LikelihoodStatistics` with one column of coefficients. The covariance is the inverse of the expected
    information ``Σ s_i h_i x_i x_i'`` at a dispersion of 1; log-likelihoods are minus half deviances, but for shares,
    where they are those of the single trials. With an exposure, `total` is that of the weights of the problem.

    Attributes
    ----------
    family, link : str.
    dispersion : float or None.  Where it is known; None where it is estimated, by `pearson` over degrees of freedom.
    pearson : float.  Pearson's chi-squared.
    observations : float.  Σs of the sample weights as given.
    density : float.  The log-likelihood with all its constants, weights read as repetitions; NaN where there is none.
    log_weights : float.  Σ log s over the rows of positive weight, which the density of precision weights needs.
    """

    family: str = ""
    link: str = ""
    dispersion: float | None = None
    pearson: float = np.nan
    observations: float = np.nan
    density: float = np.nan
    log_weights: float = 0.0
