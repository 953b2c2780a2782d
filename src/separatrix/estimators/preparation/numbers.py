r"""Numbers for a linear model: missing cells filled by the median, :math:`z_j = (x_j - \bar x_j) / s_j`, flags."""

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import FlaggedColumns, Scaled, medians, moments
from separatrix.estimators.validation import check_choice
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.numbers import fill, standardise


@declares(
    task="transformation",
    prediction=forms.NUMBERS,
    verification=PREPARED,
)
class Numbers(FlaggedColumns):
    r"""Fill, centre and scale columns of numbers, and say where a cell was missing.

    .. math:: z_{ij} = \frac{x_{ij} - \bar x_j}{s_j}, \qquad s_j^2 = \frac1n \sum_i (x_{ij} - \bar x_j)^2

    A missing cell (NaN) is given the median of its column, before the mean and the deviation are taken. For each column
    that had missing cells in training a column of 0 and 1 is added at the end, once for columns that were missing in
    the same rows. A column that was constant in training tells nothing: it becomes 0, whatever it holds later.

    Parameters
    ----------
    standardise : bool, default True.  Whether to centre and scale; False only fills and flags.
    flag_missing : bool, default True.  Whether to add flags.
    keep_missing : bool, default False.  Whether a missing cell stays missing (NaN), without a flag: for trees, which
        send it a way of its own.
    unflagged : tuple of int, default ().  Columns without a flag, because other columns of the table tell the same.

    Attributes
    ----------
    median_, mean_, scale_ : (p,) arrays.  The scale is the standard deviation, 0 for a constant column.
    exponent_ : (p,) array of int.  The largest number of a column is below two to this power: the unit in which the
        differences are taken, so that columns of 1e300 or 1e-300 lose no digit.
    flagged_ : array of int.  Columns that have a flag.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> import numpy as np
    >>> numbers = Numbers().fit([[1.0, 5.0], [3.0, 5.0], [np.nan, 5.0]])
    >>> numbers.transform([[3.0, 5.0], [np.nan, 9.0]]).round(3)
    array([[1.225, 0.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    >>> numbers.get_feature_names_out(["age", "height"])
    array(['age', 'height', 'age is missing'], dtype=object)
    """

    def __init__(
        self,
        *,
        standardise: bool = True,
        flag_missing: bool = True,
        keep_missing: bool = False,
        unflagged: tuple[int, ...] = (),
    ) -> None:
        self.standardise = standardise
        self.flag_missing = flag_missing
        self.keep_missing = keep_missing
        self.unflagged = unflagged

    _arithmetic = staticmethod(standardise)

    def _learn(self, X):
        for name in ("standardise", "flag_missing", "keep_missing"):
            check_choice(self, name, (True, False))
        missing = np.isnan(X)
        self.median_ = medians(X, missing)
        self._flag(missing & (self.flag_missing and not self.keep_missing))
        Z = np.empty_like(X)
        fill(X, missing, self.median_, Z)
        self.exponent_, self.mean_, self.scale_ = moments(Z)

    def scaled_columns(self) -> dict[int, Scaled]:
        """Every column but the flags."""
        if not self.standardise:
            return {j: Scaled(j, 0.0, 1.0) for j in range(self.n_features_in_)}
        return {j: Scaled(j, float(mean), float(s)) for j, (mean, s) in enumerate(zip(self.mean_, self.scale_))}

    def _names(self, names):
        return names + self._flag_names(names)
