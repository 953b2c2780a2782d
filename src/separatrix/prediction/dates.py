"""The arithmetic of date columns: the trend, and the place in the year and in the week as points of a circle."""

import numpy as np

from separatrix.prediction.numbers import fill, scale

YEAR = 365.2425  # days of the mean Gregorian year
PARTS = 5  # columns that each date gets


def calendar(state, X):
    """What Dates makes of days since 1970-01-01 (n, p): five columns for each date, then the flags.

    >>> state = {"median_": np.zeros(1), "mean_": np.zeros(1), "scale_": np.ones(1), "exponent_": np.zeros(1, int),
    ...          "flagged_": np.array([], int)}
    >>> calendar(state, np.array([[4.0]])).round(2)  # 1970-01-05, a Monday
    array([[4.  , 0.07, 1.  , 0.  , 1.  ]])
    """
    X = np.asarray(X, dtype=np.float64)
    missing = np.isnan(X)
    flagged = state["flagged_"]
    n, p = X.shape
    out = np.empty((n, PARTS * p + len(flagged)))
    trend = np.empty((n, p))
    fill(X, missing, state["median_"], trend)
    days = np.floor(trend)
    year, week = 2.0 * np.pi * np.mod(days, YEAR) / YEAR, 2.0 * np.pi * np.mod(days - 4.0, 7.0) / 7.0
    scale(trend, state["mean_"], state["scale_"], state["exponent_"])
    parts = (trend, np.sin(year), np.cos(year), np.sin(week), np.cos(week))
    for m, part in enumerate(parts):
        # a missing date has no season: the middle of the circle is equally far from all of them
        out[:, m : PARTS * p : PARTS] = part if m == 0 else np.where(missing, 0.0, part)
    out[:, PARTS * p :] = missing[:, flagged]
    return out
