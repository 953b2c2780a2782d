r"""Random Fourier features: :math:`\phi(x) = \sqrt{2/m}\,\cos(W'x + b)`."""

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import declares
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators.parameters import check_choice
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_number, validate_first_rows, validate_rows


@declares(
    task="transformation",
    verification="it solves no problem: its features are drawn at random, without a look at the rows",
)
class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    r"""Random features whose plain products are a Gaussian kernel on average.

    .. math:: \phi(x) = \sqrt{2/m}\,\cos(W'x + b), \quad W_{jl} \sim N(0, 2\gamma),\ b_l \sim U(0, 2\pi), \qquad
              E\,\phi(x)'\phi(z) = e^{-\gamma |x - z|^2}

    The standard deviation of a product is at most :math:`1/\sqrt m`.

    Parameters
    ----------
    gamma : "scale" or float, [0, inf), default 1.0.  "scale" is one over the number of columns times the variance of X.
    n_components : int, [1, inf), default 100.  m.
    random_state : int, RandomState or None, default None.  The features of a number are fixed for ever: W by columns of
        ``numpy.random.RandomState(seed).normal(size=(p, m))``, times :math:`\sqrt{2\gamma}`, then b by
        ``.uniform(0, 2 * pi, size=m)``. They are scikit-learn's.

    Attributes
    ----------
    random_weights_ : (p, m) array.  W.  random_offset_ : (m,) array.  b.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Rahimi and Recht (2007), Random Features for Large-Scale Kernel Machines, NIPS.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> features = RBFSampler(gamma=0.5, n_components=20_000, random_state=0).fit_transform(X)
    >>> (features @ features.T).round(1)  # the Gaussian is 0.61
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    def __init__(
        self,
        *,
        gamma: float | str = 1.0,
        n_components: int = 100,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: Any = None) -> Self:
        """Draw the features for the columns of X (n, p); y is not looked at."""
        m = check_number(self, "n_components", 1, integer=True)
        rows = validate_first_rows(self, X, sparse=True)
        rng, p = check_random_state(self.random_state), rows.shape[1]
        weights = np.sqrt(2.0 * self._width(rows)) * rng.normal(size=(p, m))
        self.random_weights_ = weights.astype(rows.dtype, copy=False)
        self.random_offset_ = rng.uniform(0, 2 * np.pi, size=m).astype(rows.dtype, copy=False)
        return self

    def transform(self, X: MatrixLike) -> Array:
        """The features of each row of X: (n, m), in the type of X."""
        check_is_fitted(self)
        features = as_dense(validate_rows(self, X) @ self.random_weights_)
        features += self.random_offset_
        np.cos(features, out=features)
        features *= np.sqrt(2.0 / features.shape[1])
        return features

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.random_weights_.shape[1])

    def _width(self, rows: Any) -> float:
        if isinstance(self.gamma, Real) and not isinstance(self.gamma, bool):
            return check_number(self, "gamma", 0.0)
        check_choice(self, "gamma", ("scale",))
        mean = float(rows.mean())
        variance = float((rows * rows).sum() / np.prod(rows.shape)) - mean**2
        variance = float(rows.var()) if isinstance(rows, np.ndarray) else variance
        return 1.0 / (rows.shape[1] * variance) if variance > 0.0 else 1.0
