r"""Dates for a linear model: the trend, and the season as a point :math:`(\sin\varphi, \cos\varphi)` of a circle."""

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import FlaggedColumns, medians, moments
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.dates import calendar
from separatrix.prediction.numbers import fill

_PARTS = ("", ": season sine", ": season cosine", ": weekday sine", ": weekday cosine")


@declares(
    task="transformation",
    prediction=forms.DATES,
    verification=PREPARED,
)
class Dates(FlaggedColumns):
    r"""Five columns for each date, which comes as days since 1970-01-01.

    .. math:: \frac{d - \bar d}{s}, \quad \sin\frac{2\pi d}{365.2425}, \quad \cos\frac{2\pi d}{365.2425}, \quad
              \sin\frac{2\pi (d - 4)}{7}, \quad \cos\frac{2\pi (d - 4)}{7}

    The first is the trend; year and month are in it, and a column for each would be nearly its copy. The season is a
    place on a circle, on which December is next to January; so is the day of the week, which begins on Monday (day 4).
    A missing date has the median trend and the middle of both circles; where that occurs in training, a flag is added.

    Parameters
    ----------
    unflagged : tuple of int, default ().  Columns without a flag, because other columns of the table tell the same.

    Attributes
    ----------
    median_, mean_, scale_, exponent_ : (p,) arrays.  Of the days, as in :class:`Numbers`.
    flagged_ : array of int.  Columns that have a flag.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> Dates().fit([[0.0], [365.0]]).get_feature_names_out(["signup"]).tolist()
    ['signup', 'signup: season sine', 'signup: season cosine', 'signup: weekday sine', 'signup: weekday cosine']
    """

    def __init__(self, unflagged: tuple[int, ...] = ()) -> None:
        self.unflagged = unflagged

    _arithmetic = staticmethod(calendar)

    def _learn(self, X):
        missing = np.isnan(X)
        self._flag(missing)
        self.median_ = medians(X, missing)
        Z = np.empty_like(X)
        fill(X, missing, self.median_, Z)
        self.exponent_, self.mean_, self.scale_ = moments(Z)

    def _names(self, names):
        return [f"{name}{part}" for name in names for part in _PARTS] + self._flag_names(names)
