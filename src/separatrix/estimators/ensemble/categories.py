"""Columns of categories in histogram boosting: their codes 0, 1, 2, ... in the order of the sorted categories.

A category that was not met in training counts as missing.
"""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import is_frame
from separatrix.estimators.tree import columns
from separatrix.estimators.validation import validate_cells, validate_columns
from separatrix.prediction.boosted_trees import encoded


def find_categories(estimator, X):
    """Whether each column holds categories (p,), or None where none does, by the parameter `categorical_features`."""
    asked = estimator.categorical_features
    if isinstance(asked, str) and asked == "from_dtype":
        mask = columns.stated_columns(X) if is_frame(X) else np.zeros(0, dtype=bool)
    else:
        mask = columns.asked_columns(estimator, columns.names_of(X), np.shape(X)[1])
    return mask if mask.any() else None


def learn_categories(estimator, X, mask, max_bins):
    """Check X, learn the categories of the columns of `mask`, and return them with X as numbers."""
    X = _checked(estimator, X, reset=True)
    columns.refuse_merged(X, mask)
    known = [_levels(_cells(X, j)) if mask[j] else None for j in range(len(mask))]
    for j, levels in enumerate(known):
        if levels is not None and len(levels) > max_bins:
            raise cannot(
                f"take column {j} for categories",
                because=f"it has {len(levels)} of them, and max_bins={max_bins}",
                instead="fewer categories (cardinality <= max_bins), or the column as numbers",
            )
    return known, _as_numbers(X, known)


def apply_categories(estimator, X, known):
    """Check X of a prediction; return it as numbers."""
    X = _checked(estimator, X, reset=False)
    columns.refuse_merged(X, np.array([levels is not None for levels in known]))
    return _as_numbers(X, known)


def _as_numbers(X, known):
    codes = [_plain(X, j) if levels is None else encoded(_cells(X, j), levels) for j, levels in enumerate(known)]
    return np.column_stack(codes)


def _cells(X, j):
    """Column j, whose cells can be categories."""
    cells = columns.cells_of(X, j)
    if cells.dtype == object:
        columns.refuse_lists(cells, j)
    return cells


def _checked(estimator, X, reset):
    return validate_columns(estimator, X, reset=reset) if is_frame(X) else validate_cells(estimator, X, reset=reset)


def _plain(X, j):
    try:
        return np.asarray(columns.cells_of(X, j), dtype=np.float64)
    except (TypeError, ValueError):
        names = columns.names_of(X)
        raise cannot(
            f"take column {j if names is None else names[j]!r} for numbers",
            because="it holds something else",
            instead="categorical_features with this column, or a frame with a column of categories",
        ) from None


def _levels(cells):
    """The categories of a column, sorted: float64 where all are numbers."""
    levels = columns.learn_categories(cells.tolist())
    if levels and all(isinstance(value, int | float) and not isinstance(value, bool) for value in levels):
        return np.unique(np.array(levels, dtype=np.float64))
    return np.array(levels, dtype=object)
