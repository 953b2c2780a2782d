"""Numbers that count something, for models of counts: not negative, and whole where that is asked for."""

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import NumberColumns
from separatrix.estimators.validation import check_choice
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.numbers import counts, refuse_if


@declares(
    task="transformation",
    prediction=forms.COUNTS,
    verification=PREPARED,
)
class Counts(NumberColumns):
    """Columns of counts, checked and taken as they are; a missing cell (NaN) counts nothing.

    Negative numbers are refused, in training and later.

    Parameters
    ----------
    whole : bool, default False.  Whether fractions are refused in training, too: a column that has them was measured,
        not counted.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> import numpy as np
    >>> Counts().fit_transform([[3.0], [0.0], [np.nan]]).ravel()
    array([3., 0., 0.])
    """

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole

    _arithmetic = staticmethod(counts)

    def _learn(self, X):
        counts(vars(self), X)
        if check_choice(self, "whole", (False, True)):
            refuse_if(np.floor(X) < X, X, vars(self), "a fraction was measured, not counted")

    def _names(self, names):
        return names

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags
