"""The sentence in which everything here is refused: what cannot be done, because of what, and what to do instead.

It has a file of its own because reading a table and scoring a saved model refuse things too, and neither waits for
scikit-learn to be imported, as the warnings of :mod:`separatrix.core.errors` do.
"""


def cannot(what, *, because, instead, kind=ValueError):
    """Build the exception for something that cannot be done.

    >>> raise cannot("fit Lasso with alpha=-1", because="a penalty must not be negative", instead="alpha >= 0")
    Traceback (most recent call last):
    ValueError: Cannot fit Lasso with alpha=-1: a penalty must not be negative. Use alpha >= 0.
    """
    return kind(f"Cannot {what}: {because}. Use {instead}.")
