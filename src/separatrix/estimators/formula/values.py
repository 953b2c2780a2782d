"""What an expression of a formula may be: numbers, truth values, text, a factor, or a matrix of columns.

numbers      float64 of shape (n,), or () for a constant; NaN where missing
text         object of str, None where missing, as in a table
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.refusal import cannot


@dataclass(frozen=True)
class Truth:
    """True and false as 1.0 and 0.0, NaN where missing."""

    values: np.ndarray


@dataclass(frozen=True)
class Factor:
    """A value of a few: `codes` are places in `levels`, -1 where missing.

    `contrasts` is a pair of a name ("treatment", "sum", "helmert", "poly", "SAS") and its options, or None for R's own
    choice: polynomials for an ordered factor, else differences from the first level.
    """

    codes: np.ndarray
    levels: tuple
    ordered: bool = False
    contrasts: tuple | None = None


@dataclass(frozen=True)
class Matrix:
    """Several columns (n, k) of one variable, with their names."""

    values: np.ndarray
    names: tuple


def is_text(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "O"


def as_numbers(value, what):
    """The value as float64, truth values as 0 and 1; refused where it is no number."""
    if isinstance(value, Truth):
        return value.values
    if isinstance(value, Matrix) and value.values.shape[1] == 1:
        return value.values[:, 0]
    if isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f":
        return np.asarray(value)
    kind = "several columns" if isinstance(value, Matrix) else "a factor" if isinstance(value, Factor) else "text"
    raise cannot(f"compute {str(what)!r}", because=f"an operand is {kind}, not numbers", instead="columns of numbers")


def labels_of(value):
    """The values as text, None where missing: what the levels of a factor are called.

    >>> labels_of(np.array([4.0, np.nan, 0.5])).tolist()
    ['4', None, '0.5']
    """
    if is_text(value):
        return value
    if isinstance(value, Factor):
        names = np.array([*value.levels, None], dtype=object)
        return names[value.codes]
    if isinstance(value, Truth):
        return np.array([None if np.isnan(v) else ("TRUE" if v else "FALSE") for v in value.values], dtype=object)
    return np.array([None if np.isnan(v) else _label(v) for v in value], dtype=object)


def _label(value):
    return f"{int(value)}" if value == np.floor(value) and abs(value) < 1e15 else f"{value:.15g}"


def levels_of(value):
    """Levels in their order: of a factor its own, of numbers by size, of text by its characters."""
    if isinstance(value, Factor):
        return value.levels
    if isinstance(value, Truth):
        return ("FALSE", "TRUE")
    if is_text(value):
        return tuple(sorted({label for label in value if label is not None}))
    return tuple(dict.fromkeys(_label(v) for v in np.unique(value[~np.isnan(value)])))


def codes_of(labels, levels):
    """Places of labels among the levels, -1 for those that are not among them."""
    place = {level: code for code, level in enumerate(levels)}
    return np.array([place.get(label, -1) for label in labels], dtype=np.intp)


def shape_of(value):
    """(n,) or (n, k); () of a constant."""
    if isinstance(value, Factor):
        return value.codes.shape
    return np.shape(value.values if isinstance(value, Matrix | Truth) else value)


def missing(value):
    """Rows in which a value is missing."""
    if isinstance(value, Factor):
        return value.codes < 0
    if isinstance(value, Matrix):
        return np.isnan(value.values).any(axis=1)
    if is_text(value):
        return np.array([cell is None for cell in value], dtype=bool)
    return np.isnan(value.values if isinstance(value, Truth) else value)


def taken(value, rows):
    """Some rows of a value."""
    if isinstance(value, Factor):
        return Factor(value.codes[rows], value.levels, value.ordered, value.contrasts)
    if isinstance(value, Matrix):
        return Matrix(value.values[rows], value.names)
    return Truth(value.values[rows]) if isinstance(value, Truth) else value[rows]
