"""What bases of single features share: one block of columns for each feature, side by side."""

from abc import abstractmethod
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_choice, check_number, validate_first_rows, validate_rows


class ColumnwiseBasis(TransformerMixin, Estimator):
    """A basis that expands each feature on its own: ``H = [h_1(x_1), ..., h_p(x_p)]``.

    A subclass learns in `_learn`, tells in `_widths` how many columns each feature gets, and fills them in `_expand`.
    """

    _suffix: str
    include_bias = False

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Learn what the basis depends on (centres, widths, knots) from X."""
        X = validate_first_rows(self, X)
        check_choice(self, "include_bias", (False, True))
        self._learn(X.astype(np.float64, copy=False))
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Expand each row; float32 comes out as float32, computed in float64."""
        check_is_fitted(self)
        X = validate_rows(self, X, sparse=False)
        bias = int(self.include_bias)
        widths = self._widths()
        out = np.empty((X.shape[0], bias + sum(widths)), dtype=X.dtype)
        out[:, :bias] = 1.0
        start = bias
        with np.errstate(over="ignore", under="ignore"):  # far away from every centre the basis is flat
            for j, width in enumerate(widths):
                out[:, start : start + width] = self._expand(self._inputs(X, j), j)
                start += width
        return out

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """The feature's name, the basis and a number: ``x0_ns_0``, ``x0_ns_1``, ..."""
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)  # of the features that came in
        expanded = [f"{names[j]}_{self._suffix}_{m}" for j, width in enumerate(self._widths()) for m in range(width)]
        return np.array(["1"] * int(self.include_bias) + expanded, dtype=object)

    @abstractmethod
    def _learn(self, X):
        """Set the fitted attributes."""

    @abstractmethod
    def _widths(self):
        """How many columns each block has."""

    @abstractmethod
    def _expand(self, x, j):
        """The block j of the inputs x."""

    def _inputs(self, X, j):
        return X[:, j].astype(np.float64, copy=False)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class CentredBasis(ColumnwiseBasis):
    """A basis of one shape, moved to several centres: ``φ_m(x) = shape((x - μ_m)/s)``."""

    def __init__(self, centers: ArrayLike = 10, width: float | None = None, *, include_bias: bool = False) -> None:
        self.centers = centers
        self.width = width
        self.include_bias = include_bias

    def _learn(self, X):
        width = check_number(self, "width", 0.0, open_low=True, none=True)
        if np.ndim(self.centers) == 0:
            m = check_number(self, "centers", 1, integer=True)
            # halves, for the range of a column may exceed the greatest number; one centre stands in the middle
            low, high = X.min(axis=0) / 2.0, X.max(axis=0) / 2.0
            at = np.linspace(0.0, 1.0, m) if m > 1 else np.array([0.5])
            self.centers_ = 2.0 * (low[:, None] + np.multiply.outer(high - low, at))
            spacing = 2.0 * ((high - low) / max(m - 1, 1))
        else:
            self.centers_ = np.tile(numbers(self, "centers"), (X.shape[1], 1))
            spacing = np.full(X.shape[1], np.ptp(self.centers_[0]) / max(self.centers_.shape[1] - 1, 1))
        # a constant column has no scale of its own
        self.width_ = np.where(spacing > 0.0, spacing, 1.0) if width is None else np.full(X.shape[1], width)

    def _widths(self):
        return [self.centers_.shape[1]] * self.centers_.shape[0]

    def _distance(self, x, j):
        """(x - μ_m)/s for all centres of a feature."""
        return np.subtract.outer(x, self.centers_[j]) / self.width_[j]


def numbers(estimator, name, ndim=1):
    """A parameter as an array of finite float64, of `ndim` dimensions and not empty."""
    given = getattr(estimator, name)
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if values.ndim != ndim or values.size == 0 or not np.isfinite(values).all():
        raise cannot(
            f"fit {type(estimator).__name__} with {name}={given!r}",
            because=f"{name} must hold finite numbers in {ndim} dimension{'s' if ndim > 1 else ''}",
            instead=f"a non-empty array of {ndim} dimension{'s' if ndim > 1 else ''}",
        )
    return values
