r"""Numbers as switches, for models of on and off: :math:`b_j = [x_j > m_j]`, with the median m."""

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import NumberColumns, medians
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.numbers import above


@declares(
    task="transformation",
    prediction=forms.THRESHOLDS,
    verification=PREPARED,
)
class Thresholds(NumberColumns):
    r"""1 where a number is above the median of its column in training, else 0.

    .. math:: b_{ij} = [x_{ij} > m_j]

    Where no number is above the median, as in a column of mostly ones, m is the largest number below it, so that the
    column still tells two groups apart. A missing cell (NaN) is not above; where that occurs in training, a column of
    flags is added at the end.

    Attributes
    ----------
    threshold_ : (p,) array.  m above.
    flagged_ : array of int.  Columns that have a flag.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> switches = Thresholds().fit([[1.0], [2.0], [4.0]])
    >>> switches.transform([[2.0], [3.0]]).ravel(), switches.get_feature_names_out(["age"])
    (array([0., 1.]), array(['age > 2'], dtype=object))
    """

    def __init__(self) -> None:
        """There is nothing to choose."""

    _arithmetic = staticmethod(above)

    def _learn(self, X):
        missing = np.isnan(X)
        self._flag(missing)
        self.threshold_ = medians(X, missing)
        for j in np.flatnonzero(~(self.threshold_ < X).any(axis=0)):
            below = X[self.threshold_[j] > X[:, j], j]
            if below.size:
                self.threshold_[j] = below.max()

    def _names(self, names):
        return [f"{name} > {m:.6g}" for name, m in zip(names, self.threshold_)] + self._flag_names(names)
