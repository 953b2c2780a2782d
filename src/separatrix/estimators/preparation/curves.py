r"""Numbers for smooth curves: :math:`f_j(x_j) = h_j(x_j)'\beta_j`, with natural cubic splines h, standardised."""

import numpy as np

from separatrix.core.registry import register
from separatrix.estimators.basis.natural_spline import NaturalSpline
from separatrix.estimators.doors import check_number
from separatrix.estimators.preparation.columns import NumberColumns, medians, moments
from separatrix.scoring.numbers import fill, scale


@register("estimator")
class Curves(NumberColumns):
    r"""A few columns for each number, in which a linear model is a smooth curve of it.

    .. math:: z_{jm} = \frac{h_{jm}(x_j) - \bar h_{jm}}{s_{jm}}, \qquad m = 1, \dots, \mathrm{df}

    h are the natural cubic splines of :class:`NaturalSpline`: straight lines beyond the data, where a polynomial would
    run away. A number of two values keeps one column. Missing cells are treated as in :class:`Numbers`.

    Parameters
    ----------
    df : int, [1, inf), default 4.  Columns for each number that has more different values than this.

    Attributes
    ----------
    median_ : (p,) array.
    spline_ : NaturalSpline.  Fitted to the filled columns.
    mean_, scale_, exponent_ : arrays.  Of the columns of the spline, as in :class:`Numbers`.
    flagged_ : array of int.  Columns that have a flag.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, 5.2.2.

    >>> import numpy as np
    >>> X = np.column_stack([np.arange(9.0), [0.0, 1.0, 0.0] * 3])
    >>> Curves(df=2).fit(X).get_feature_names_out(["age", "smoker"]).tolist()
    ['age: curve 1', 'age: curve 2', 'smoker']
    """

    def __init__(self, df=4):
        self.df = df

    @staticmethod
    def _arithmetic(state, X):
        missing = np.isnan(X)
        filled = np.empty_like(X)
        fill(X, missing, state["median_"], filled)
        Z = state["spline_"].transform(filled)
        scale(Z, state["mean_"], state["scale_"], state["exponent_"])
        return np.hstack([Z, missing[:, state["flagged_"]]])

    def _learn(self, X):
        df = check_number(self, "df", 1, integer=True)
        missing = np.isnan(X)
        self._flag(missing)
        self.median_ = medians(X, missing)
        filled = np.empty_like(X)
        fill(X, missing, self.median_, filled)
        self.spline_ = NaturalSpline(df).fit(filled)
        self.exponent_, self.mean_, self.scale_ = moments(self.spline_.transform(filled))

    def _names(self, names):
        found = []
        for name, width in zip(names, self.spline_.df_):
            found += [name] if width == 1 else [f"{name}: curve {m + 1}" for m in range(width)]
        return found + self._flag_names(names)
