"""Sigmoidal basis: ``φ_m(x) = σ((x - μ_m)/s)``."""

from scipy.special import expit

from separatrix.core.declaration import declares
from separatrix.estimators.basis.columnwise import CentredBasis
from separatrix.estimators.verification import EXPANDED


@declares(
    task="transformation",
    verification=EXPANDED,
)
class SigmoidBasis(CentredBasis):
    r"""Smooth steps up, one at each centre.

    .. math:: \varphi_m(x) = \sigma\left(\frac{x - \mu_m}{s}\right), \qquad \sigma(a) = \frac{1}{1 + e^{-a}}

    Each function increases from 0 to 1. (Printed elsewhere with a minus sign, it decreases; together with a constant
    both span the same functions.)

    Parameters
    ----------
    centers : int >= 1 or array of shape (m,), default 10.  A number: for each feature that many centres, evenly spaced
        from its smallest to its largest value. An array: the same centres for each feature.
    width : float, (0, inf), or None, default None. The s. None: the mean spacing of the centres (1 if there is none).
    include_bias : bool, default False.  Begin with a column of ones.

    Attributes
    ----------
    centers_ : ndarray of shape (n_features_in_, m).
    width_ : ndarray of shape (n_features_in_,).

    References: Bishop (2006), Pattern Recognition and Machine Learning, eq. 3.5.

    >>> import numpy as np
    >>> SigmoidBasis([0.0], width=0.5).fit_transform(np.array([[-1.0], [0.0], [1.0]])).round(4).ravel().tolist()
    [0.1192, 0.5, 0.8808]
    """

    _suffix = "sigmoid"

    def _expand(self, x, j):
        return expit(self._distance(x, j))
