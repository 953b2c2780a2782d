"""Columns as a tree takes them: numbers as they are, categories as codes, bins of numbers as codes.

A missing value stays NaN. A category that was not met in training gets the code after the last: no route leads from it,
and a row ends in the node that asks for it.
"""

from numbers import Real

import narwhals as nw
import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.protocol import is_frame
from separatrix.designs import as_dense, as_design
from separatrix.prediction.naive_bayes import by_kind
from separatrix.prediction.trees import category_codes, is_missing


def columns_of(X):
    """A frame, or an array that mixes numbers and words, as a list of (values, whether they are numbers)."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        names = frame.columns
        return [(frame[name].to_list(), _is_numeric(frame[name].dtype)) for name in names]
    return [(list(column), all(isinstance(v, Real) or v is None for v in column)) for column in X.T]


def _is_numeric(dtype):
    return dtype.is_numeric() or dtype == nw.Boolean


def has_words(X):
    """Whether X is a frame with columns other than numbers, or an array of objects with words in it."""
    if is_frame(X):
        return not all(map(_is_numeric, nw.from_native(X, eager_only=True).schema.values()))
    return isinstance(X, np.ndarray) and X.dtype.kind in "OU" and any(isinstance(v, str) for v in X.flat)


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
    present = [v for v in values if not is_missing(v)]
    return sorted(set(present), key=by_kind)


def learn_edges(column, n_bins):
    """Edges that divide a column of numbers into at most `n_bins` parts of about equal counts."""
    present = column[~np.isnan(column)]
    if not present.size:
        return np.empty(0)
    inner = np.quantile(present, np.arange(1, n_bins) / n_bins, method="inverted_cdf")
    return np.unique(inner[inner < present.max()])


def numbers_from_words(X, categorical, categories):
    """X with codes in the place of categories, float64 (n, p); a column that is not categorical must hold numbers.

    `categories` has a list for each categorical column; where it is None, what is met is learnt.
    """
    columns, table = columns_of(X), []
    for j, (values, _) in enumerate(columns):
        if categorical[j]:
            if categories[j] is None:
                categories[j] = learn_categories(values)
            table.append(category_codes(values, categories[j]))
        else:
            try:
                table.append(np.array([np.nan if v is None else v for v in values], dtype=np.float64))
            except (TypeError, ValueError):
                raise cannot(
                    f"take column {j} for numbers",
                    because="it holds words, and held numbers in training",
                    instead="the kinds of columns that the model was fitted to",
                ) from None
    return np.stack(table, axis=1)


def dense_rows(X):
    """Checked rows as a dense array, which is what a walk reads."""
    return X if isinstance(X, np.ndarray) else as_dense(as_design(X).matrix())
