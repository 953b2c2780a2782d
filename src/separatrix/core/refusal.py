"""Exceptions that say what cannot be done, because of what, and what to do instead.

Apart from :mod:`separatrix.core.errors`, whose warnings need scikit-learn: reading a table and predicting by a saved
model raise exceptions too, without importing it.
"""

from separatrix.core.printable import printable


class TooLarge(ValueError):
    """Raised where squares of the numbers in X overflow."""


class WrongType(TypeError, ValueError):
    """Raised for a parameter of a wrong type; also a ValueError, as scikit-learn's errors about parameters are."""


def cannot(what: str, *, because: str, instead: str, kind: type[Exception] = ValueError) -> Exception:
    """Build the exception for something that cannot be done; names from data are shown by :func:`printable`.

    >>> raise cannot("fit Lasso with alpha=-1", because="a penalty must not be negative", instead="alpha >= 0")
    Traceback (most recent call last):
    ValueError: Cannot fit Lasso with alpha=-1: a penalty must not be negative. Use alpha >= 0.
    """
    return kind(printable(f"Cannot {what}: {because}. Use {instead}."))
