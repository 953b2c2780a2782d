"""What a base model answers, checked before a committee counts on it: its shape, finite numbers, and its classes."""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.types import Array


def finite_answers(member: Any, answers: Any, shape: tuple[int, ...], of: str = "predict") -> Array:
    """The answers of a member as an array of this shape, all of them finite if they are numbers.

    >>> finite_answers(object(), [1.0, 2.0], (2,))
    array([1., 2.])
    """
    answers, name = np.asarray(answers), type(member).__name__
    if answers.shape != shape:
        raise cannot(
            f"use the answers of {name}.{of}",
            because=f"they have the shape {answers.shape}, for {shape[0]} rows",
            instead=f"a base model that answers arrays of shape {shape}",
        )
    if answers.dtype.kind == "f" and not np.isfinite(answers).all():
        raise cannot(
            f"use the answers of {name}.{of}",
            because=f"{np.count_nonzero(~np.isfinite(answers))} of {answers.size} are not finite",
            instead="a base model that answers finite numbers",
        )
    return answers


def refuse_other_classes(member: Any, labels: Any, k: int) -> None:
    """Refuse labels of a member that was trained on the codes 0, 1, ..., k - 1, and says others."""
    labels = np.asarray(labels)
    strange = labels[~np.isin(labels, np.arange(k))]
    if len(strange):
        raise cannot(
            f"average the answers of {type(member).__name__}",
            because=f"it was trained on classes with the codes 0 to {k - 1}, and answers {strange[0]!r}",
            instead="a base model that keeps the classes of its y",
        )
