"""Exceptions that say what cannot be done, because of what, and what to do instead.

Apart from :mod:`separatrix.core.errors`, whose warnings need scikit-learn: reading a table and predicting by a saved
model raise exceptions too, without importing it.
"""


class TooLarge(ValueError):
    """Raised where squares of the numbers in X overflow."""


def cannot(what: str, *, because: str, instead: str, kind: type[Exception] = ValueError) -> Exception:
    """Build the exception for something that cannot be done.

    >>> raise cannot("fit Lasso with alpha=-1", because="a penalty must not be negative", instead="alpha >= 0")
    Traceback (most recent call last):
    ValueError: Cannot fit Lasso with alpha=-1: a penalty must not be negative. Use alpha >= 0.
    """
    return kind(f"Cannot {what}: {because}. Use {instead}.")
