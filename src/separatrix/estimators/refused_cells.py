"""Cells that no arithmetic takes: which column holds them, and what does take them."""

from typing import Any

import narwhals as nw
import numpy as np

from separatrix.core.declaration import declaration
from separatrix.core.errors import cannot
from separatrix.core.protocol import is_frame

BOOSTING = {
    "classification": "separatrix.ensemble.HistGradientBoostingClassifier",
    "regression": "separatrix.ensemble.HistGradientBoostingRegressor",
}


def explained(estimator: Any, X: Any, failure: Exception) -> Exception | None:
    """What to raise where X could not be read as numbers, with the column and a remedy; None if X is not the cause."""
    name = type(estimator).__name__
    if "contains NaN" in str(failure) and "HistGradientBoosting" in str(failure):
        takes = BOOSTING.get(declaration(estimator).task)
        others = f", or {takes}, a tree or a forest" if takes else ""
        return cannot(
            f"give {name} missing cells",
            because="Input X contains NaN",
            instead=f"separatrix.impute.SimpleImputer before it{others}",
        )
    cell = _no_number(X)
    if cell is None:
        return None
    column, held = cell
    remedy = "separatrix.preprocessing.OneHotEncoder for such columns, or a tree or a forest, which take categories"
    if held == DATES:
        remedy = "a column of numbers in its place, such as days since 1970-01-01"
    elif "categorical_features" in estimator.get_params(deep=False):
        remedy = "categorical_features with this column"
    kind = TypeError if isinstance(failure, TypeError) and not isinstance(failure, ValueError) else ValueError
    return cannot(f"use column {column!r} as numbers in {name}", because=f"it holds {held}", instead=remedy, kind=kind)


DATES = "dates, times or durations"


def _no_number(X):
    """The first column that holds words or dates, and what; None where there is none."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):  # a design in a file has columns, too
            return None
        for name, dtype in frame.schema.items():
            if dtype.is_temporal():
                return name, DATES
            if not dtype.is_numeric() and dtype != nw.Boolean:
                word = _first_word(frame[name].to_list())
                if word is not None:
                    return name, repr(word)
        return None
    cells = X if isinstance(X, np.ndarray) else np.array(X, dtype=object) if isinstance(X, list) else None
    if cells is None or cells.ndim != 2 or cells.dtype.kind not in "OUMm":
        return None
    if cells.dtype.kind in "Mm":
        return 0, DATES
    words = ((j, _first_word(column.tolist())) for j, column in enumerate(cells.T))
    return next(((j, repr(word)) for j, word in words if word is not None), None)


def _first_word(values):
    """The first text that is no number.

    >>> _first_word(["1.5", 2, "Torgersen"])
    'Torgersen'
    """
    for value in values:
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                return value
    return None
