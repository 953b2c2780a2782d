"""Gaussian basis: ``φ_m(x) = exp{-(x - μ_m)²/(2 s²)}``."""

import numpy as np
from numpy.typing import ArrayLike

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.types import Array
from separatrix.estimators.basis.columnwise import CentredBasis, numbers
from separatrix.estimators.validation import check_number
from separatrix.estimators.verification import EXPANDED


@declares(
    task="transformation",
    verification=EXPANDED,
)
class GaussianBasis(CentredBasis):
    r"""Bumps around centres, with height 1 (there is no normalising constant).

    .. math:: \varphi_m(x) = \exp\{-(x - \mu_m)^2/(2 s^2)\} \quad\text{or}\quad \exp\{-\|x - \mu_m\|^2/(2 s^2)\}

    Parameters
    ----------
    centers : int >= 1 or array, default 10.  A number: for each feature that many centres, evenly spaced from its
        smallest to its largest value. An array (m,): the same centres for each feature. An array
        (m, n_features): centres in the space of all features, one column each.
    width : float, (0, inf), or None, default None.  The s. None: the mean spacing of the centres of a feature (1 where
        there is none); in the space of all features, the mean distance from a centre to the nearest other one.
    include_bias : bool, default False.  Begin with a column of ones.

    Attributes
    ----------
    centers_ : ndarray of shape (n_features_in_, m), or (m, n_features_in_) if such an array was given.
    width_ : ndarray of shape (n_features_in_,), or float.

    References: Bishop (2006), Pattern Recognition and Machine Learning, eq. 3.4.

    >>> import numpy as np
    >>> GaussianBasis([0.0], width=0.5).fit_transform(np.array([[-1.0], [0.0], [1.0]])).round(4).ravel().tolist()
    [0.1353, 1.0, 0.1353]
    """

    _suffix = "gauss"

    def _learn(self, X):
        if np.ndim(self.centers) < 2:
            super()._learn(X)
            return
        centers = numbers(self, "centers", ndim=2)
        if centers.shape[1] != X.shape[1]:
            raise cannot(
                f"fit GaussianBasis with centers of shape {centers.shape}",
                because=f"X has {X.shape[1]} features",
                instead=f"centers of shape (m, {X.shape[1]}), or of shape (m,) for centres along each feature",
            )
        self.centers_ = centers
        width = check_number(self, "width", 0.0, open_low=True, none=True)
        self.width_ = _nearest(centers) if width is None else width

    def _in_space(self):
        return np.ndim(self.width_) == 0

    def _widths(self):
        return [self.centers_.shape[0]] if self._in_space() else super()._widths()

    def _inputs(self, X, j):
        return X.astype(np.float64, copy=False) if self._in_space() else super()._inputs(X, j)

    def _expand(self, x, j):
        if not self._in_space():
            return np.exp(-0.5 * np.square(self._distance(x, j)))
        # differences before squares: expanding the square would cancel far from the origin
        total = np.zeros((x.shape[0], self.centers_.shape[0]))
        for i in range(x.shape[1]):
            total += np.square(np.subtract.outer(x[:, i], self.centers_[:, i]) / self.width_)
        return np.exp(-0.5 * total)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """The feature's name and a number, ``x0_gauss_0``; ``gauss_0`` for centres in the space of all features."""
        names = super().get_feature_names_out(input_features)
        if not self._in_space():
            return names
        return np.array(["1"] * int(self.include_bias) + [f"gauss_{m}" for m in range(self.centers_.shape[0])], object)


def _nearest(centers):
    """The mean distance from a centre to the nearest other one; 1 if there is no other."""
    if centers.shape[0] == 1:
        return 1.0
    distance = np.sqrt(np.square(centers[:, None, :] - centers[None, :, :]).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    return float(distance.min(axis=1).mean()) or 1.0
