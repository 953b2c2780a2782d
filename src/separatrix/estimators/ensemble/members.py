"""Rows as any member of a committee takes them: numbers, dense or sparse, or a table that mixes numbers and words."""

from copy import copy
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.utils.validation import has_fit_parameter

from separatrix.core.protocol import is_frame, row_count
from separatrix.designs import as_design
from separatrix.estimators.tree.columns import has_words
from separatrix.estimators.validation import validate_columns, validate_rows
from separatrix.prediction import committees


def enter_rows(model: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> tuple[Any, Any]:
    """X and the target of a committee, checked by its ``_validate``; of the rows of a fit unless `reset` is False.

    Of a table with words only the names and the number of the columns are checked here; the members check the cells.
    """
    if not has_words(X):
        design, target = model._validate(X, y, sample_weight, reset=reset)
        return design.matrix(), target
    judge = model
    if not reset:  # what is checked with y is not X, and has neither its names nor its number of columns
        judge = copy(model)
        judge.n_features_in_ = 1
        vars(judge).pop("feature_names_in_", None)
    _, target = judge._validate(np.zeros((row_count(X), 1)), y, sample_weight, reset=reset)
    return validate_columns(model, X, reset=reset), target


def later_rows(model: Any, X: Any, *, missing: bool) -> Any:
    """X of a prediction, checked against that of the fit."""
    return validate_columns(model, X, reset=False) if has_words(X) else validate_rows(model, X, missing=missing)


def take_rows(X: Any, rows: Any) -> Any:
    """Some rows of X, in the order of their places."""
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
    return as_design(X).take(rows).matrix()


def drawn_sample(model: Any, X: Any, y: Any, rows: Any) -> tuple[Any, Any, Any]:
    """The rows that were drawn, their targets, and None for weights.

    Of an array with words a model that takes weights gets all rows, and how often each was drawn: a sample without
    the words of a column would make it a column of numbers.
    """
    if has_words(X) and not is_frame(X) and has_fit_parameter(model, "sample_weight"):
        return X, y, np.bincount(rows, minlength=len(y)).astype(np.float64)
    return take_rows(X, rows), y[rows], None


def take_columns(X: Any, columns: Any) -> Any:
    """Some columns of X, in the order of their places."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        return frame.select([frame.columns[j] for j in columns]).to_native()
    return committees.take_columns(X, columns)
