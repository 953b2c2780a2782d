"""Limits of time for whatever runs within them: work that goes in steps asks between them.

After a hard limit (:func:`limited_by`) nothing is left; after a soft one (:func:`ending_when`) iterations end with
what they have.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class OutOfTime(BaseException):
    """The time for a fit is over.

    No Exception: a search of scikit-learn takes an Exception for a bad setting, and goes on to the next one.
    """


_is_over: ContextVar[Callable[[], bool] | None] = ContextVar("is_over", default=None)


@contextmanager
def limited_by(is_over: Callable[[], bool]) -> Iterator[None]:
    """A context in which :func:`stop_if_over` raises OutOfTime as soon as `is_over()` is true."""
    token = _is_over.set(is_over)
    try:
        yield
    finally:
        _is_over.reset(token)


def stop_if_over() -> None:
    """Raise OutOfTime if there is a limit and it is over; called between the folds and the settings of a search.

    >>> with limited_by(lambda: True):
    ...     try:
    ...         stop_if_over()
    ...     except OutOfTime:
    ...         print("stopped")
    stopped
    >>> stop_if_over()
    """
    is_over = _is_over.get()
    if is_over is not None and is_over():
        raise OutOfTime


_should_end: ContextVar[Callable[[], bool] | None] = ContextVar("should_end", default=None)


@contextmanager
def ending_when(is_over: Callable[[], bool]) -> Iterator[None]:
    """A context in which iterations end, with the best that they have, as soon as `is_over()` is true."""
    token = _should_end.set(is_over)
    try:
        yield
    finally:
        _should_end.reset(token)


def should_end() -> bool:
    """Whether iterations should end with what they have.

    >>> with ending_when(lambda: True):
    ...     should_end()
    True
    >>> should_end()
    False
    """
    is_over = _should_end.get()
    return is_over is not None and is_over()
