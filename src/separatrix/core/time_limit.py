"""A limit of time for whatever runs within it: work that goes in steps asks between them, and stops when it is over."""

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
