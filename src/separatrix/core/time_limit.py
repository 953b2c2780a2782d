"""Limits of time for whatever runs within them: work that goes in steps asks between them.

After a hard limit (:func:`limited_by`) nothing is left; after a soft one (:func:`ending_when`) iterations end with
what they have.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real

_NUMBER = r"(\d+\.?\d*|\.\d+)"
_UNITS = {"h": 3600.0, "(?:min|m)": 60.0, "s": 1.0, "ms": 1e-3}
_PLAIN = re.compile(_NUMBER, re.ASCII)
_WITH_UNITS = re.compile("".join(rf"(?:{_NUMBER} *{unit} *)?" for unit in _UNITS), re.ASCII)


def seconds_of(time: object) -> float | None:
    """The seconds of a time: a number, or text such as "120", "10s", "500ms", "2m", "2min", "1h" and "1m30s".

    None of what is no time above 0.

    >>> seconds_of(2.5), seconds_of("1m30s"), seconds_of("0.5 min"), seconds_of("soon")
    (2.5, 90.0, 30.0, None)
    """
    seconds = 0.0
    if isinstance(time, str):
        text = time.strip().lower()
        if _PLAIN.fullmatch(text):
            seconds = float(text)
        elif match := _WITH_UNITS.fullmatch(text):
            seconds = sum(float(part or 0.0) * unit for part, unit in zip(match.groups(), _UNITS.values()))
    elif isinstance(time, Real) and not isinstance(time, bool):
        seconds = float(time)
    return seconds if seconds > 0.0 else None


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
