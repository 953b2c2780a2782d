"""A fit that fails or is interrupted leaves the model as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def all_or_nothing(model: Any) -> Iterator[None]:
    """Give a model back its attributes where the block within does not end.

    Validation writes what it learns of the columns before the rest of a fit may refuse. The trees of an earlier fit
    would then be asked for columns that rows no longer need to have.

    >>> class Model: ...
    >>> model = Model()
    >>> model.kept = 1
    >>> try:
    ...     with all_or_nothing(model):
    ...         model.kept, model.new = 2, 3
    ...         raise ValueError
    ... except ValueError:
    ...     print(vars(model))
    {'kept': 1}
    """
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        model.__dict__.clear()
        model.__dict__.update(before)
        raise
