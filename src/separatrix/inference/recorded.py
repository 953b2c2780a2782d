r"""How far the rounding of the data, as they were recorded, may have moved the coefficients of least squares.

A number recorded as 83.0 may have been anything from 82.95 to 83.05. With half units h_j of the columns and h_y of y,
and errors that are independent and uniform, coefficients move to first order by X⁺(Δy - ΔX b) + W ΔX' r, of variance

    Var(Δb_k) = [W_kk (h_y² + Σ_j b_j² h_j²) + RSS Σ_j W_kj² h_j²] / 3,        W = (X'X)^-1

(the two parts are uncorrelated, because X⁺ r = 0).

References: Beaton, Rubin and Barone (1976), J. Am. Statist. Assoc. 71(353), on Longley's data; Stewart (1990), SIAM
Review 32(4).
"""

import numpy as np

# Decimal places that are looked for; numbers of more are taken for results of computing, which nobody rounded.
MOST_PLACES = 8
# Decimal digits that a number of single precision can show to have been rounded to.
SINGLE_DIGITS = 6


def half_unit(values):
    """Half a unit of the last decimal place that numbers are recorded to; 0 where they are exact or not rounded.

    Two different values are a code, and different numbers at equal distances count rows, as years do: both are exact.

    >>> half_unit([83.0, 88.5, 88.2]), half_unit([0.0, 1.0, 1.0]), half_unit([1947.0, 1948.0, 1949.0])
    (0.05, 0.0, 0.0)
    >>> half_unit([234289.0, 259426.0, 258054.0]), half_unit([0.1234567891234, 1 / 3, 2.0])
    (0.5, 0.0)
    >>> half_unit(np.float32([83.1, 88.5, 88.2])), half_unit(np.float32([83.12345, 88.5, 88.2]))
    (0.05, 0.0)
    """
    count, values = np.size(values), np.unique(np.asarray(values, dtype=np.float64))
    steps = np.diff(values)
    if len(values) <= 2 or (len(values) == count and (steps == steps[0]).all()):
        return 0.0
    most, kept = MOST_PLACES, np.float64
    with np.errstate(over="ignore"):
        if (values.astype(np.float32) == values).all():  # of single precision: 83.1 is not that of float64
            most, kept = SINGLE_DIGITS - len(f"{np.abs(values).max():.0f}"), np.float32
    for places in range(max(most, 0) + 1):
        if (np.round(values, places).astype(kept) == values).all():
            return 0.5 * 10.0**-places
    return 0.0


def recorded_spread(evidence, design, y):
    """Two standard deviations of the coefficients (q, k), from rounding as recorded; see the head of this file.

    Parameters
    ----------
    evidence : LeastSquaresStatistics.  Of an unpenalised fit without weights; ``unscaled`` must have been formed.
    design : Design.  In memory.
    y : (n, k) array.
    """
    first, W = int(evidence.intercept), np.nan_to_num(evidence.unscaled)
    half = np.zeros(first + design.p)
    half[first:] = [half_unit(design.columns([j])) for j in range(design.p)]
    h_y = np.array([half_unit(column) for column in np.asarray(y).T])
    b = np.nan_to_num(evidence.coefficients)
    variance = np.diag(W)[:, None] * (h_y**2 + half**2 @ b**2) + (W**2 @ half**2)[:, None] * evidence.rss
    return 2.0 * np.sqrt(variance.clip(min=0.0) / 3.0)
