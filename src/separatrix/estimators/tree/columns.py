"""Columns as trees take them: numbers as they are, categories as codes, bins of numbers as codes.

Which columns hold categories is asked for by name, place or mask; "from_dtype" is read by a single tree or a forest as
all columns that hold something else than numbers, by histogram boosting as those of a type made for categories.

A missing value stays NaN. Levels that a frame states in order (an ordered categorical of pandas, an Enum of Polars, an
ordered dictionary of pyarrow) are numbered in that order and split by thresholds, as numbers are. Dates and durations
are refused: they are no numbers, and as categories they would lose their order. A category that was not met in training
gets the code after the last: no route leads from it, and a row ends in the node that asks for it.
"""

from collections.abc import Hashable
from numbers import Integral, Real

import narwhals as nw
import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import is_frame, is_sparse
from separatrix.designs import as_dense
from separatrix.prediction.naive_bayes import by_kind
from separatrix.prediction.trees import category_codes, is_missing, level_codes

EXACT = 1 << 53  # whole numbers up to here are their own floating-point numbers


def names_of(X):
    """Names of the columns of a frame; None of an array."""
    return list(nw.from_native(X, eager_only=True).columns) if is_frame(X) else None


def cells_of(X, j):
    """Column j of a frame or of an array, as an array."""
    return nw.from_native(X, eager_only=True)[:, j].to_numpy() if is_frame(X) else X[:, j]


def worded_columns(X):
    """Which columns of a frame, or of an array that mixes numbers and words, hold something else than numbers."""
    if is_frame(X):
        return np.array([not _is_numeric(dtype) for dtype in _dtypes(X)])
    return np.array([not all(isinstance(v, Real) or v is None for v in column) for column in X.T])


def stated_columns(X):
    """Which columns of a frame are of a type that is made for categories."""
    return np.array([dtype in (nw.Categorical, nw.Enum) for dtype in _dtypes(X)])


def _dtypes(X):
    return list(nw.from_native(X, eager_only=True).schema.values())


def _is_numeric(dtype):
    return dtype.is_numeric() or dtype == nw.Boolean


def has_words(X):
    """Whether X is a frame with columns other than numbers, or an array of objects with words in it."""
    if is_frame(X):
        return bool(worded_columns(X).any())
    return isinstance(X, np.ndarray) and X.dtype.kind in "OU" and any(isinstance(v, str) for v in X.flat)


def orders_of(X):
    """Of each column of a frame the levels in their order, lowest first; None where they have none."""
    if not is_frame(X):
        return [None] * X.shape[1]
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation.is_pyarrow():
        return [_stated_order(column) for column in frame.to_native().columns]
    return [list(dtype.categories) if dtype == nw.Enum else None for dtype in _dtypes(X)]


def _stated_order(column):
    """The levels of a column of pyarrow whose dictionary says that it is ordered."""
    from pyarrow.types import is_dictionary

    if not is_dictionary(column.type) or not column.type.ordered or not column.num_chunks:
        return None
    return column.unify_dictionaries().chunk(0).dictionary.to_pylist()


def refuse_dates(X, asked):
    """Refuse columns of a frame that hold dates or durations, but for those that are `asked` to be categories."""
    if not is_frame(X):
        return
    for j, (name, dtype) in enumerate(nw.from_native(X, eager_only=True).schema.items()):
        if dtype.is_temporal() and not asked[j]:
            raise cannot(
                f"split column {name!r}",
                because="it holds dates, times or durations, which as categories would lose their order",
                instead="a column of numbers in its place, such as days since 1970-01-01, or categorical_features "
                "with this column where its values are only labels",
            )


def asked_columns(estimator, names, p):
    """Which columns `categorical_features` names: a bool (p,), by mask, by place or by name; None for all others."""
    asked = estimator.categorical_features
    if asked is None or (isinstance(asked, str) and asked == "from_dtype"):
        return np.zeros(p, dtype=bool)
    chosen = np.atleast_1d(np.asarray(asked))
    if chosen.dtype == bool and chosen.shape == (p,):
        return chosen
    mask = np.zeros(p, dtype=bool)
    for each in chosen.tolist():
        at = names.index(each) if isinstance(each, str) and names is not None and each in names else each
        if isinstance(at, str | bool) or not isinstance(at, int) or not -p <= at < p:
            raise cannot(
                f"take column {each!r} for categories",
                because=f"X has {p} columns and no such one",
                instead="places from 0, names of columns, or a bool for each column",
            )
        mask[at] = True
    return mask


def learn_categories(values):
    """The distinct values of a column, sorted, missing ones left out."""
    return sorted({v for v in values if not is_missing(v)}, key=by_kind)


def refuse_merged(X, mask):
    """Refuse whole numbers for categories that would not be told apart once they are floating-point numbers."""
    if not mask.any():
        return
    if not is_frame(X):
        X = as_dense(X) if is_sparse(X) else np.asarray(X)
    for j in np.flatnonzero(mask).tolist():
        largest = _largest_whole(cells_of(X, j))
        if largest >= EXACT:
            raise cannot(
                f"take column {j} for categories",
                because=f"it holds the whole number {largest}, and those from 2^53 on are rounded as numbers",
                instead="words for the categories: the column as text",
            )


def _largest_whole(cells):
    """The largest absolute value of the whole numbers among the cells of a column."""
    if cells.dtype.kind in "iu":
        ends = [cells.min(), cells.max()] if cells.size else []
    else:
        ends = [v for v in cells if isinstance(v, Integral)] if cells.dtype == object else []
    return max((abs(int(v)) for v in ends), default=0)


def refuse_lists(values, j):
    """Refuse cells of column j that can be no categories."""
    for value in values:
        if not isinstance(value, Hashable):
            raise cannot(
                f"take column {j} for categories",
                because=f"the cell {value!r} is a {type(value).__name__}",
                instead="a word or a number in each cell",
            )


def learn_edges(column, n_bins, s=None):
    """Edges that divide a column of numbers into at most `n_bins` parts of about equal weight; a weight is a count.

    >>> column = np.array([1.0, 2.0, 3.0, np.nan])
    >>> learn_edges(column, 2), learn_edges(column, 2, np.array([3.0, 1.0, 1.0, 9.0]))
    (array([2.]), array([1.]))
    """
    present = ~np.isnan(column) if s is None else ~np.isnan(column) & (s > 0.0)
    if not present.any():
        return np.empty(0)
    order = np.argsort(column[present], kind="stable")
    values = column[present][order]
    below = np.cumsum(np.ones(values.size) if s is None else s[present][order])
    inner = values[np.searchsorted(below, np.arange(1, n_bins) / n_bins * below[-1])]
    return np.unique(inner[inner < values[-1]])


def _values(X, j):
    return nw.from_native(X, eager_only=True)[:, j].to_list() if is_frame(X) else list(X[:, j])


def numbers_from_words(X, categorical, ordinal, categories):
    """X with codes in the place of categories, float64 (n, p); columns neither categorical nor ordinal hold numbers.

    `categories` has a list for each categorical column; where it is None, what is met is learnt. A level that an
    ordinal column has not stated has no place in its order: it is missing.
    """
    table = []
    for j in range(X.shape[1]):
        values = _values(X, j)
        if ordinal[j] or categorical[j]:
            refuse_lists(values, j)
        if ordinal[j]:
            table.append(level_codes(values, categories[j]))
        elif categorical[j]:
            if categories[j] is None:
                categories[j] = learn_categories(values)
            table.append(category_codes(values, categories[j]))
        else:
            try:
                table.append(np.array([np.nan if is_missing(v) else v for v in values], dtype=np.float64))
            except (TypeError, ValueError):
                raise cannot(
                    f"take column {j} for numbers",
                    because="it holds words, and held numbers in training",
                    instead="the kinds of columns that the model was fitted to",
                ) from None
    return np.stack(table, axis=1)
