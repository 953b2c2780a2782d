"""The list of sections: each declares itself, in its own file, with a place in the order and what it is for."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from separatrix.report.blocks import Remark


class Skipped(Exception):
    """Raised by a section that is not drawn; its text is the reason, as the reader will see it."""


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Parameters
    ----------
    key : str.  Its anchor.
    title : str.
    make : callable.  From a ReportContext to a list of parts; raises Skipped with the reason where there is nothing.
    order : int.  Sections are shown by it.
    task : str, default "".  The only task it is for, "classification" or "regression"; "" for both.
    """

    key: str
    title: str
    make: Callable
    order: int
    task: str = ""


_SECTIONS: dict = {}


def section(key, title, *, order, task=""):
    """Declare a function as a section of the report; one of the same key replaces it.

    >>> @section("thanks", "Thanks", order=10_000)
    ... def thanks(context):
    ...     return [Remark("Thank you for reading.")]
    >>> [s.title for s in sections("regression") if s.key == "thanks"]
    ['Thanks']
    >>> _ = _SECTIONS.pop("thanks")
    """

    def enter(make):
        _SECTIONS[key] = Section(key, title, make, order, task)
        return make

    return enter


def sections(task):
    """All sections for a task, in order."""
    import separatrix.report.sections  # noqa: F401 - the sections of the house declare themselves

    return sorted((s for s in _SECTIONS.values() if s.task in ("", task)), key=lambda s: (s.order, s.key))


def drawn(part, context):
    """The parts of a section, and how long they took; a failure becomes a remark, never a lost report."""
    started = time.perf_counter()
    context.begin()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # refits to parts of the rows meet what the fit itself has reported
            parts = list(part.make(context))
    except Skipped as reason:
        parts = [Remark(f"Not shown: {reason}", skipped=True)]
    except Exception as failure:
        what = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
        parts = [Remark(f"This part could not be made. The reason: {what}", missing=True)]
    return parts, time.perf_counter() - started
