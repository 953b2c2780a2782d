"""The columns of an array or of a frame, one at a time: what kind they are, as numbers, as categories."""

from numbers import Real

import narwhals as nw
import numpy as np

from separatrix.core.errors import cannot
from separatrix.prediction.naive_bayes import by_kind, codes_of


class Columns:
    """A table that was checked at the door.

    >>> import numpy as np
    >>> table, categories = Columns(np.array([[0.0, 2.5], [1.0, 7.0]])), []
    >>> table.distribution(0), table.distribution(1)
    ('bernoulli', 'gaussian')
    >>> table.learn(1, "x1", categories)
    >>> categories, table.codes(1, "x1", categories)
    ([2.5, 7.0], array([0., 1.]))
    """

    def __init__(self, X):
        self._X = X if isinstance(X, np.ndarray) else nw.from_native(X, eager_only=True)
        self.n = self._X.shape[0]

    @property
    def backend(self):
        """Which library the frame is of; None for an array."""
        return None if isinstance(self._X, np.ndarray) else self._X.implementation.value

    def rows(self, rows):
        """Some of the rows."""
        taken = self._X[rows]
        return Columns(taken if isinstance(taken, np.ndarray) else taken.to_native())

    @property
    def has_words(self):
        """Whether this is an array that mixes numbers and words."""
        return self.backend is None and self._X.dtype == object

    def is_truth(self, j):
        """Whether a column holds truth values."""
        if self.has_words:
            return all(isinstance(v, bool | np.bool_) for v in self._X[:, j])
        return self.backend is not None and self._X[:, j].dtype == nw.Boolean

    def is_number(self, j):
        """Whether a column holds numbers, truth values among them."""
        if self.has_words:
            return all(isinstance(v, Real | np.bool_) for v in self._X[:, j])
        return self.backend is None or self._X[:, j].dtype.is_numeric() or self.is_truth(j)

    def distribution(self, j):
        """What a column is taken for where nobody says: see :class:`MixedNB`."""
        if not self.is_number(j):
            return "categorical"
        values = self._values(j)
        return "bernoulli" if ((values == 0) | (values == 1)).all() else "gaussian"

    def numbers(self, J, names):
        """Some columns side by side, as numbers (n, q)."""
        if self.backend is None and not self.has_words:
            return self._X if len(J) == self._X.shape[1] else self._X[:, J]
        columns = []
        for j in J:
            self._refuse_null(j, names[j])
            if not self.is_number(j):
                raise cannot(
                    f"take column {names[j]!r} for numbers",
                    because="it holds something else",
                    instead='"categorical" for it in columns, or numbers',
                )
            columns.append(np.asarray(self._values(j), dtype=np.float64))
        return np.stack(columns, axis=1)

    def learn(self, j, name, categories):
        """Append to `categories` those of a column that are not there yet."""
        self._refuse_null(j, name)
        known = set(categories)
        for v in [*self._declared(j), *sorted(set(self._values(j).tolist()), key=by_kind)]:
            if v not in known:
                known.add(v)
                categories.append(v)

    def codes(self, j, name, categories, strict=True):
        """The place of each value among the categories; a stranger is refused, or has the place behind the last."""
        self._refuse_null(j, name)
        return codes_of(self._values(j).tolist(), categories, name, strict=strict)

    def _values(self, j):
        return self._X[:, j] if isinstance(self._X, np.ndarray) else self._X[:, j].to_numpy()

    def _declared(self, j):
        """The categories that the type of a column declares, met or not. (Those of polars' Categorical are no such
        declaration: it lists whatever any frame has held.)"""
        if self.backend is None:
            return []
        column = self._X[:, j]
        if column.dtype == nw.Categorical and column.implementation.is_pandas_like():
            return column.to_native().cat.categories.tolist()
        return list(column.dtype.categories) if column.dtype == nw.Enum else []

    def _refuse_null(self, j, name):
        if self.has_words:
            missing = any(v is None for v in self._X[:, j])
        else:
            missing = self.backend is not None and self._X[:, j].is_null().any()
        if missing:
            raise cannot(
                f"use column {name!r}",
                because="some of its values are missing (null or NaN)",
                instead="data without missing values, or a category of its own for them",
            )
