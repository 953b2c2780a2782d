"""Tables of categories: from cells of any kind to codes 0, 1, ... of each column, and back."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.errors import IncompleteRows, cannot
from separatrix.core.types import Array
from separatrix.designs.pair_counts import MISSING, whole_numbers
from separatrix.prediction.chow_liu import codes_of, is_missing
from separatrix.prediction.naive_bayes import by_kind


class Coded(NamedTuple):
    """Rows as codes (n, p), the categories of each column in ascending order, and the weights of the rows, or None.

    `kept` are the numbers of the rows among those that were given; None where all are here.
    """

    codes: Array
    categories: list[list[Any]]
    s: Array | None
    kept: Array | None = None

    @property
    def sizes(self) -> Array:
        """How many categories each column has."""
        return np.array([len(known) for known in self.categories], dtype=np.int64)

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.codes)) if self.s is None else float(self.s.sum())

    def only(self, rows: Array) -> "Coded":
        """Some of the rows, with the same categories."""
        return Coded(self.codes[rows], self.categories, None if self.s is None else self.s[rows])


def learn_categories(X: Array, s: Array | None, declared: Any, name: Any) -> Coded:
    """The complete rows of X with positive weight as codes; a warning says how many rows are left out.

    Parameters
    ----------
    X : (n, p) array of cells.  s : (n,) array of weights, or None.
    declared : list of p lists, or None.  The categories of each column; None for those that are met.
    name : function.  From the number of a column to what to call it.

    >>> coded = learn_categories(np.array([["b", "x"], ["a", "x"]], dtype=object), None, None, str)
    >>> coded.codes.tolist(), coded.categories
    ([[1, 0], [0, 0]], [['a', 'b'], ['x']])
    """
    if X.dtype.kind in "mM":
        raise cannot(
            "take dates, times or durations for categories",
            because="nearly every one is met once",
            instead="months, weekdays or years in their place",
        )
    kept = None
    if s is not None and not s.all():  # a row of weight 0 is as if it were not there
        kept = np.flatnonzero(s)
        X, s = X[kept], s[kept]
    if declared is not None:
        categories = _declared(declared, X.shape[1], name)
        codes, missing = codes_of(X, categories, "error", name)
    else:
        codes, categories, missing = _met(X, name)
    if missing is not None:
        whole = _complete(missing, name)
        codes, s, kept = codes[whole], None if s is None else s[whole], whole if kept is None else kept[whole]
        if declared is None:
            codes, categories = _without_unmet(codes, categories)
    return Coded(codes, categories, s, kept)


def values_of(codes: Array, categories: list[list[Any]]) -> Array:
    """The cells that codes (n, p) stand for: numbers where all categories are numbers, else words or anything.

    >>> values_of(np.array([[0, 1]]), [["a"], ["x", "y"]])
    array([['a', 'y']], dtype='<U1')
    """
    columns = [_one_kind(known)[codes[:, j]] for j, known in enumerate(categories)]
    kinds = {column.dtype.kind for column in columns}
    if kinds <= set("iuf") or len(kinds) == 1:
        return np.column_stack(columns)
    return np.column_stack([column.astype(object) for column in columns])


def _one_kind(values: list[Any]) -> Array:
    """Values as an array; of objects where they are of several kinds, which numpy would write as words."""
    if len({type(value) for value in values}) == 1 and isinstance(values[0], bool | int | float | str):
        return np.array(values)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _declared(declared: Any, p: int, name: Any) -> list[list[Any]]:
    categories = [list(known) for known in declared]
    if len(categories) != p:
        raise cannot(
            f"use the categories of {len(categories)} columns",
            because=f"X has {p} columns",
            instead="one list of categories for each column, or None",
        )
    for j, known in enumerate(categories):
        if not known or len(set(known)) < len(known) or any(map(is_missing, known)):
            raise cannot(
                f"use the categories {known} of {name(j)}",
                because="they are none, one of them is missing, or one stands there twice",
                instead="different values, at least one",
            )
    return categories


def _met(X: Array, name: Any) -> tuple[Array, list[list[Any]], Array | None]:
    """Codes, categories and missing cells of what is met; columns of missing cells alone are refused."""
    if X.dtype.kind in "biuf":
        small = whole_numbers(X)
        if small is not None:
            return _ranked(*small, X.dtype.kind, name)
    codes, missing = np.empty(X.shape, dtype=np.int32), np.zeros(X.shape, dtype=bool)
    categories: list[list[Any]] = []
    for j in range(X.shape[1]):
        known, codes[:, j], missing[:, j] = _distinct(X[:, j])
        _refuse_empty(known, name(j))
        if isinstance(known[-1], float) and np.isinf([known[0], known[-1]]).any():
            raise cannot(
                f"take infinity for a category of {name(j)}", because="it is no value", instead="finite numbers"
            )
        categories.append(known)
    return codes, categories, missing if missing.any() else None


def _ranked(codes: Array, met: Array, kind: str, name: Any) -> tuple[Array, list[list[Any]], Array | None]:
    """Codes of the numbers that were met, from the numbers themselves, in place."""
    missing = codes == MISSING if met[:, MISSING].any() else None
    categories, make = [], {"b": bool, "f": float}.get(kind, int)
    for j, mine in enumerate(met[:, :MISSING]):
        numbers = np.flatnonzero(mine)
        _refuse_empty(numbers, name(j))
        categories.append([make(number) for number in numbers.tolist()])
        if numbers[-1] >= len(numbers) or missing is not None:
            rank = np.zeros(256, dtype=np.uint8)
            rank[numbers] = np.arange(len(numbers))
            codes[:, j] = rank[codes[:, j]]
    return codes, categories, missing


def _refuse_empty(known: Any, name: str) -> None:
    if not len(known):
        raise cannot(
            f"learn the categories of {name}",
            because="all of its cells are missing",
            instead="the other columns, or categories=... and rows that have it",
        )


def _distinct(column: Array) -> tuple[list[Any], Array, Array]:
    """The different values of a column, ascending, the place of each cell among them, and which cells are missing."""
    if column.dtype.kind in "biufU":
        missing = column != column
        if not missing.any():
            known, codes = np.unique(column, return_inverse=True)
            return known.tolist(), codes, missing
    values = column.tolist()
    missing = np.array([is_missing(value) for value in values], dtype=bool)
    met = {value for value, gone in zip(values, missing, strict=True) if not gone}
    place = {value: code for code, value in enumerate(sorted(met, key=by_kind))}
    codes = np.array([0 if gone else place[value] for value, gone in zip(values, missing, strict=True)])
    return list(place), codes, missing


def _complete(missing: Array, name: Any) -> Array:
    """The numbers of the rows without missing cells."""
    whole = np.flatnonzero(~missing.any(axis=1))
    if not len(whole):
        j = int(np.argmax(missing.sum(axis=0)))
        raise cannot(
            f"learn from {len(missing)} rows",
            because=f"each of them has a missing cell, {int(missing[:, j].sum())} in {name(j)}",
            instead="rows without missing cells, fewer columns, or a category of its own for what is missing",
        )
    warnings.warn(IncompleteRows(len(missing) - len(whole), len(missing)), stacklevel=5)
    return whole


def _without_unmet(codes: Array, categories: list[list[Any]]) -> tuple[Array, list[list[Any]]]:
    """Without the categories that incomplete rows alone had."""
    kept: list[list[Any]] = []
    for j, known in enumerate(categories):
        met = np.bincount(codes[:, j], minlength=len(known)) > 0
        codes[:, j] = (np.cumsum(met) - 1)[codes[:, j]]
        kept.append([value for value, is_met in zip(known, met.tolist(), strict=True) if is_met])
    return codes, kept
