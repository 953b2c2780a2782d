"""The arithmetic of date columns: the trend, and the place in the year, the week and the day as points of a circle."""

import numpy as np

from separatrix.prediction.numbers import fill, scale

YEAR = 365.2425  # days of the mean Gregorian year
PARTS = 5  # columns that each date gets, whatever its time of day
NONE = np.empty(0, dtype=np.int64)


def calendar(state, X):
    """What Dates makes of days since 1970-01-01 (n, p): five columns for each date, then times of day, then flags.

    >>> state = {"median_": np.zeros(1), "mean_": np.zeros(1), "scale_": np.ones(1), "exponent_": np.zeros(1, int),
    ...          "flagged_": np.array([], int), "hour_sines_": np.array([0]), "hour_cosines_": np.array([0])}
    >>> calendar(state, np.array([[4.25]])).round(2)  # 1970-01-05, a Monday, at six o'clock
    array([[4.25, 0.07, 1.  , 0.  , 1.  , 1.  , 0.  ]])
    """
    X = np.asarray(X, dtype=np.float64)
    missing = np.isnan(X)
    flagged = state["flagged_"]
    # files of versions that ignored the time of day have neither
    sines, cosines = state.get("hour_sines_", NONE), state.get("hour_cosines_", NONE)
    n, p = X.shape
    trend = np.empty((n, p))
    fill(X, missing, state["median_"], trend)
    days = np.floor(trend)
    year, week = 2.0 * np.pi * np.mod(days, YEAR) / YEAR, 2.0 * np.pi * np.mod(days - 4.0, 7.0) / 7.0
    hours = time_of_day(trend)
    scale(trend, state["mean_"], state["scale_"], state["exponent_"])
    parts = [trend] + [np.where(missing, 0.0, part) for part in circle(year) + circle(week)]
    # a missing date has no season: the middle of the circle is equally far from all of them
    sine, cosine = (np.where(missing, 0.0, part) for part in circle(hours))
    each = np.stack(parts, axis=2).reshape(n, PARTS * p)
    return np.hstack([each, sine[:, sines], cosine[:, cosines], missing[:, flagged]])


def time_of_day(days):
    """The part of the day that has passed, as an angle."""
    return 2.0 * np.pi * (days - np.floor(days))


def circle(angle):
    """The point of a circle at each angle."""
    return np.sin(angle), np.cos(angle)
