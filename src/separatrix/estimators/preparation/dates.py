r"""Dates for a linear model: trend, and season and time of day as points :math:`(\sin\varphi, \cos\varphi)`."""

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import FlaggedColumns, Scaled, medians, moments
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.dates import PARTS, calendar, circle, time_of_day
from separatrix.prediction.numbers import fill

_PARTS = ("", ": season sine", ": season cosine", ": weekday sine", ": weekday cosine")
_SECONDS = 86_400  # of a day: times that differ by less than one are the same, but for the rounding of days


@declares(
    task="transformation",
    prediction=forms.DATES,
    verification=PREPARED,
)
class Dates(FlaggedColumns):
    r"""Five columns for each date, which comes as days since 1970-01-01, and two more where its time of day varies.

    .. math:: \frac{d - \bar d}{s}, \quad \sin\frac{2\pi \lfloor d\rfloor}{365.2425}, \quad
              \cos\frac{2\pi \lfloor d\rfloor}{365.2425}, \quad \sin\frac{2\pi (\lfloor d\rfloor - 4)}{7}, \quad
              \cos\frac{2\pi (\lfloor d\rfloor - 4)}{7}, \quad \sin 2\pi d, \quad \cos 2\pi d

    The first is the trend; year and month are in it, and a column for each would be nearly its copy. The season is a
    place on a circle, on which December is next to January; so is the day of the week, which begins on Monday (day 4),
    and the time of day, on which 23:00 is next to midnight. Two times of day differ in one number: one column then.
    A missing date has the median trend and the middle of all circles; where that occurs in training, a flag is added.

    Parameters
    ----------
    unflagged : tuple of int, default ().  Columns without a flag, because other columns of the table tell the same.

    Attributes
    ----------
    median_, mean_, scale_, exponent_ : (p,) arrays.  Of the days, as in :class:`Numbers`.
    hour_sines_, hour_cosines_ : arrays of int.  Columns that have the sine and the cosine of the time of day.
    flagged_ : array of int.  Columns that have a flag.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> Dates().fit([[0.0], [365.0]]).get_feature_names_out(["signup"]).tolist()
    ['signup', 'signup: season sine', 'signup: season cosine', 'signup: weekday sine', 'signup: weekday cosine']
    >>> Dates().fit([[0.0], [0.25], [0.5]]).get_feature_names_out(["signup"]).tolist()[5:]
    ['signup: hour sine', 'signup: hour cosine']
    """

    def __init__(self, unflagged: tuple[int, ...] = ()) -> None:
        self.unflagged = unflagged

    _arithmetic = staticmethod(calendar)

    def _learn(self, X):
        missing = np.isnan(X)
        self._flag(missing)
        self.median_ = medians(X, missing)
        needed = np.array([_hour_parts(X[~missing[:, j], j]) for j in range(X.shape[1])])
        self.hour_sines_, self.hour_cosines_ = map(np.flatnonzero, needed.T)
        Z = np.empty_like(X)
        fill(X, missing, self.median_, Z)
        self.exponent_, self.mean_, self.scale_ = moments(Z)

    def scaled_columns(self) -> dict[int, Scaled]:
        """The trend of each date: its days."""
        return {PARTS * j: Scaled(j, float(mean), float(s)) for j, (mean, s) in enumerate(zip(self.mean_, self.scale_))}

    def _names(self, names):
        out = [f"{name}{part}" for name in names for part in _PARTS]
        # a model of a file that is older than times of day has neither
        out += [f"{names[j]}: hour sine" for j in vars(self).get("hour_sines_", ())]
        out += [f"{names[j]}: hour cosine" for j in vars(self).get("hour_cosines_", ())]
        return out + self._flag_names(names)


def _hour_parts(days):
    """Whether a column of dates needs the sine, and the cosine, of its time of day.

    >>> _hour_parts(np.array([0.25, 1.25])), _hour_parts(np.array([0.25, 0.75])), _hour_parts(np.array([0.0, 0.1, 0.2]))
    ((False, False), (True, False), (True, True))
    """
    times = np.unique(np.round(days * _SECONDS) % _SECONDS)
    if len(times) != 2:
        return (len(times) > 2,) * 2
    sine, cosine = (abs(part[1] - part[0]) for part in circle(time_of_day(times / _SECONDS)))
    return bool(sine >= cosine), bool(sine < cosine)
