"""What the transformers of this room share: the doors of numbers and of cells, and the names of columns."""

from abc import abstractmethod
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.errors import cannot
from separatrix.core.types import Array, Matrix, MatrixLike
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_cells, validate_numbers

# Up to so many columns of levels or words come out as an array: many models take nothing else.
NARROW = 200


class Scaled(NamedTuple):
    """A column that comes out as z, where ``origin + unit z`` is what came in.

    Attributes
    ----------
    column : int.  The place of the column that came in.
    origin, unit : float.
    """

    column: int
    origin: float
    unit: float


class PreparedColumns(TransformerMixin, Estimator):
    """A transformer whose arithmetic is a function of its state (parameters and fitted attributes) in prediction/."""

    # Whether its columns may make flags of other blocks superfluous: see aliases.py.
    _determines_flags = True

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Learn from the columns of X."""
        self._learn(self._enter(X, reset=True))
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Prepare each row of X; what was learnt in training is not changed by it."""
        check_is_fitted(self)
        return self._arithmetic(vars(self), self._enter(X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """The name of each column that comes out."""
        check_is_fitted(self)
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)  # of the columns that came in
        return np.array(self._names([str(name) for name in names]), dtype=object)

    def flag_places(self) -> dict[int, int]:
        """From a column to the place of its flag among the columns that come out, if `unflagged` can leave it out."""
        return {}

    def scaled_columns(self) -> dict[int, Scaled]:
        """From the place of a column that comes out to what it was, where it is a number that came in, scaled."""
        return {}

    @staticmethod
    @abstractmethod
    def _arithmetic(state, X):
        """The transformation itself, of plain data."""

    @abstractmethod
    def _enter(self, X, *, reset):
        """Check X at the door."""

    @abstractmethod
    def _learn(self, X):
        """Set the fitted attributes."""

    @abstractmethod
    def _names(self, names):
        """Names of the columns that come out, from those that came in."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class NumberColumns(PreparedColumns):
    """A transformer of numbers, NaN where a cell is missing."""

    def _enter(self, X, *, reset):
        X = validate_numbers(self, X, reset=reset)
        infinite = np.isinf(X)
        if infinite.any():
            i, j = np.argwhere(infinite)[0]
            name = OneToOneFeatureMixin.get_feature_names_out(self)[j]
            raise cannot(
                f"use {X[i, j]:g} in row {i + 1} of column {name!r}",
                because="an infinite number has no place on a scale",
                instead="a finite number, or an empty cell",
            )
        return X

    def _flag(self, missing, unflagged=()):
        """Learn which columns get a flag: those with some missing cells, but not all, each set of rows once."""
        share = missing.mean(axis=0)
        share[list(unflagged)] = 0.0
        some = np.flatnonzero((share > 0.0) & (share < 1.0))
        self.flagged_ = some[first_of_equals([missing[:, j].tobytes() for j in some])]

    def _flag_names(self, names):
        return [f"{names[j]} is missing" for j in self.flagged_]


class FlaggedColumns(NumberColumns):
    """A transformer of numbers with a parameter `unflagged`: columns that get no flag. Flags are the last columns."""

    def _flag(self, missing):
        super()._flag(missing, self.unflagged)

    def flag_places(self) -> dict[int, int]:
        """From a column that has a flag to the place of the flag among the columns that come out."""
        start = len(self._names([""] * self.n_features_in_)) - len(self.flagged_)
        return {int(column): start + place for place, column in enumerate(self.flagged_)}


class CellColumns(PreparedColumns):
    """A transformer of text, or of whatever may stand for a category."""

    def _enter(self, X, *, reset):
        return validate_cells(self, X, reset=reset)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def first_of_equals(patterns):
    """Which of some values are not equal to an earlier one, as an array of bool.

    >>> first_of_equals(["a", "b", "a"])
    array([ True,  True, False])
    """
    seen: set = set()
    return np.array([not (pattern in seen or seen.add(pattern)) for pattern in patterns], dtype=bool)


def medians(X, missing):
    """The median of what is there in each column, 0 where nothing is."""
    complete = ~missing.any(axis=0)
    out = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        there = X[:, j] if complete[j] else X[~missing[:, j], j]
        if there.size:
            with np.errstate(over="ignore"):
                out[j] = np.median(there)
            if np.isinf(out[j]):  # the sum of the two in the middle exceeds the greatest number
                out[j] = 2.0 * np.median(there / 2.0)
    return out


def moments(Z):
    """Exponent, mean and standard deviation of each column of Z (n, p), which is overwritten; 0 where constant.

    The exponent brings the largest number of the column to [0.5, 1), so that squares neither overflow nor vanish. The
    mean of the deviations from a first mean corrects both moments for its rounding.
    """
    constant = Z.min(axis=0) == Z.max(axis=0)
    exponent = np.frexp(np.maximum(Z.max(axis=0), -Z.min(axis=0)))[1].astype(np.int64)
    np.ldexp(Z, -exponent, out=Z)
    first = Z.mean(axis=0)
    Z -= first
    off = Z.mean(axis=0)
    variance = np.maximum(np.einsum("ij,ij->j", Z, Z) / len(Z) - off * off, 0.0)
    mean, deviation = np.ldexp(first + off, exponent), np.ldexp(np.sqrt(variance), exponent)
    deviation[constant] = 0.0
    return exponent, mean, deviation
