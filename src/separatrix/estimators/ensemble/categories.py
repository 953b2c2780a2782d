"""Which columns hold categories, and their codes: 0, 1, 2, ... in the order of the sorted categories."""

from numbers import Integral

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import can, is_frame
from separatrix.estimators.validation import validate_cells, validate_columns
from separatrix.prediction.boosted_trees import encoded
from separatrix.prediction.trees import is_missing


def find_categories(estimator, X):
    """Whether each column holds categories (p,), or None where none does, by the parameter `categorical_features`."""
    asked = estimator.categorical_features
    if asked is None or (isinstance(asked, str) and asked == "from_dtype" and not is_frame(X)):
        return None
    p = _width(X)
    if isinstance(asked, str):
        if asked != "from_dtype":
            raise _refused(asked, "the one word that it may be is 'from_dtype'")
        mask = np.array([_is_categorical(_cells(X, j)) for j in range(p)], dtype=bool)
        return mask if mask.any() else None
    chosen = np.asarray(asked)
    if not chosen.size:
        return None
    mask = np.zeros(p, dtype=bool)
    if chosen.dtype.kind == "b":
        if chosen.shape != (p,):
            raise _refused(asked, f"X has {p} columns")
        return chosen if chosen.any() else None
    names = list(map(str, X.columns)) if is_frame(X) and can(X, "columns") else []
    for each in chosen.tolist():
        if isinstance(each, str):
            if each not in names:
                raise _refused(asked, f"X has no column named {each!r}")
            mask[names.index(each)] = True
        elif isinstance(each, Integral) and -p <= each < p:
            mask[each] = True
        else:
            raise _refused(asked, f"{each!r} is no column of X, which has {p}")
    return mask


def learn_categories(estimator, X, mask, max_bins):
    """Check X, learn the categories of the columns of `mask`, and return them with X as numbers."""
    X = _checked(estimator, X, reset=True)
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
    """Check X of a prediction; return it as numbers. A category that was not met in training counts as missing."""
    return _as_numbers(_checked(estimator, X, reset=False), known)


def _as_numbers(X, known):
    columns = [_plain(X, j) if levels is None else encoded(_cells(X, j), levels) for j, levels in enumerate(known)]
    return np.column_stack(columns)


def _checked(estimator, X, reset):
    return validate_columns(estimator, X, reset=reset) if is_frame(X) else validate_cells(estimator, X, reset=reset)


def _plain(X, j):
    try:
        return np.asarray(_cells(X, j), dtype=np.float64)
    except (TypeError, ValueError):
        raise cannot(
            f"take column {j} for numbers",
            because="it holds something else",
            instead="categorical_features with this column, or a frame with a column of categories",
        ) from None


def _cells(X, j):
    """Column j of an array or of a frame."""
    if not is_frame(X):
        return X[:, j]
    return X.iloc[:, j] if can(X, "iloc") else X[X.columns[j] if can(X, "get_column") else X.column_names[j]]


def _width(X):
    return X.shape[1] if can(X, "shape") else np.asarray(X).shape[1]


def _is_categorical(column):
    """Whether a column of a frame says that it holds categories: pandas and polars name their types so."""
    name = type(column.dtype).__name__ if can(column, "dtype") else str(column.type) if can(column, "type") else ""
    return name in ("CategoricalDtype", "Categorical", "Enum") or name.startswith("dictionary")


def _levels(cells):
    """The categories of a column, sorted, without missing ones."""
    values = {value for value in np.asarray(cells).tolist() if not is_missing(value)}
    try:
        ordered = sorted(values)
    except TypeError:
        ordered = sorted(values, key=lambda value: (type(value).__name__, str(value)))
    if all(isinstance(value, str) for value in ordered):
        return np.array(ordered, dtype=object)
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in ordered)
    return np.array(ordered, dtype=np.float64 if numeric else object)


def _refused(asked, why):
    return cannot(
        f"use categorical_features={asked!r}",
        because=why,
        instead="'from_dtype', None, positions or names of columns, or a mask with an entry for each column",
    )
