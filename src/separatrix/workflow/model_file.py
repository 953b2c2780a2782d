"""The model of a file while it answers: anybody may have made the file, and no check knows all that a model can say.

Loading holds every part of a file to its kind (:mod:`separatrix.persist.attributes`), which is what memory and time
depend on. Whether the steps of a pipeline fit each other shows when they run: numpy and scikit-learn raise then, in
words of their own. A command says instead which file it was.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from separatrix.core.refusal import cannot

LONGEST = 120  # letters of the message of another library: some of them quote all the data


class NotFinite(UserWarning):
    """Answers of a model that are NaN or infinite."""


@contextmanager
def answering(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let the model of a file answer; an exception that is not a sentence of ours becomes one about the file.

    >>> with answering("m.sepx"):
    ...     [1.0, 2.0][7]
    Traceback (most recent call last):
    ValueError: Cannot use the model of 'm.sepx': it fails on these rows (IndexError: list index out of range). Use \
the file as separatrix wrote it; if this is it, report the fault (--debug shows where).
    """
    try:
        yield
    except Exception as error:
        if str(error).startswith("Cannot "):
            raise
        words = " ".join(str(error).split())[:LONGEST]
        raise cannot(
            f"use the model of {os.fspath(path)!r}",
            because=f"it fails on these rows ({type(error).__name__}{': ' if words else ''}{words})",
            instead="the file as separatrix wrote it; if this is it, report the fault (--debug shows where)",
        ) from error
