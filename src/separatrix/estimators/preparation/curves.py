r"""Numbers for smooth curves: :math:`f_j(x_j) = h_j(x_j)'\beta_j`, with natural cubic splines h, standardised."""

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.basis.natural_spline import NaturalSpline
from separatrix.estimators.preparation.columns import FlaggedColumns, medians, moments
from separatrix.estimators.validation import check_number
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.curves import bend, curve, starts_and_units
from separatrix.prediction.numbers import fill


@declares(
    task="transformation",
    prediction=forms.CURVES,
    verification=PREPARED,
)
class Curves(FlaggedColumns):
    r"""A few columns for each number, in which a linear model is a smooth curve of it.

    .. math:: z_{jm} = \frac{h_{jm}(x_j) - \bar h_{jm}}{s_{jm}}, \qquad m = 1, \dots, \mathrm{df}

    h are the natural cubic splines of :class:`NaturalSpline`: straight lines beyond the data, where a polynomial would
    run away. A number of two values keeps one column. Missing cells are treated as in :class:`Numbers`.

    Parameters
    ----------
    df : int, [1, inf), default 4.  Columns for each number that has more different values than this.
    unflagged : tuple of int, default ().  Columns without a flag, because other columns of the table tell the same.

    Attributes
    ----------
    median_ : (p,) array.
    knots_ : list of p arrays.  The boundary knots and those between; of a constant column its value.
    pieces_ : list of p arrays of shape (K + 1, 4, df).  Coefficients of the polynomials left of the K knots, between
        them, and to the right: the columns of a :class:`NaturalSpline`, centred and scaled.
    flagged_ : array of int.  Columns that have a flag.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 5.2.2.

    >>> import numpy as np
    >>> X = np.column_stack([np.arange(9.0), [0.0, 1.0, 0.0] * 3])
    >>> Curves(df=2).fit(X).get_feature_names_out(["age", "smoker"]).tolist()
    ['age: curve 1', 'age: curve 2', 'smoker']
    """

    def __init__(self, df: int = 4, unflagged: tuple[int, ...] = ()) -> None:
        self.df = df
        self.unflagged = unflagged

    _arithmetic = staticmethod(bend)

    def _learn(self, X):
        df = check_number(self, "df", 1, integer=True)
        missing = np.isnan(X)
        self._flag(missing)
        self.median_ = medians(X, missing)
        filled = np.empty_like(X)
        fill(X, missing, self.median_, filled)
        splines = [_standardised(x, *_polynomials(NaturalSpline(df).fit(x[:, None]))) for x in filled.T]
        self.knots_, self.pieces_ = map(list, zip(*splines))

    def _names(self, names):
        names_out = []
        for name, pieces in zip(names, self.pieces_):
            width = pieces.shape[2]
            names_out += [name] if width == 1 else [f"{name}: curve {m + 1}" for m in range(width)]
        return names_out + self._flag_names(names)


def _polynomials(spline):
    """The knots of a spline of one feature, and its polynomials: four values determine a cubic."""
    (low, high), inner = spline.boundary_knots_[0], spline.knots_[0]
    if low == high:
        return np.array([low]), np.zeros((2, 4, 1))
    knots = np.concatenate([[low], inner, [high]])
    starts, units = starts_and_units(knots)
    inside = slice(1, len(knots))
    t = np.arange(4.0) / 3.0
    points = starts[inside, None] + np.multiply.outer(units[inside], t)
    values = spline.transform(points.reshape(-1, 1)).reshape(len(inner) + 1, 4, -1)
    pieces = np.zeros((len(knots) + 1, 4, values.shape[2]))
    pieces[inside] = np.linalg.solve(np.vander(t, increasing=True), values)
    pieces[0, :2] = pieces[1, :2]  # outside go the tangents of the ends
    pieces[-1, 0] = pieces[-2].sum(axis=0)
    pieces[-1, 1] = np.arange(4.0) @ pieces[-2]
    return knots, pieces


def _standardised(x, knots, pieces):
    """The same with curves of mean 0 and deviation 1 over x; those that are constant there are 0."""
    _, mean, deviation = moments(curve(x, knots, pieces))
    pieces[:, 0] -= mean
    return knots, np.divide(pieces, deviation, out=np.zeros_like(pieces), where=deviation > 0.0)
