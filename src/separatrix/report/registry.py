"""Registry of report sections; each is declared in a file of its own, with its order and task."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from separatrix.report.blocks import Note


class Skipped(Exception):
    """Raised by a section that is not shown; its text is the reason shown to the reader."""


class Inapplicable(Exception):
    """Raised by a section that this kind of model cannot have: the report does not name it."""


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Parameters
    ----------
    key : str.  Its anchor.
    title : str.
    make : callable.  From a ReportContext to a list of blocks; raises Skipped with the reason if there are none,
        Inapplicable if there can be none.
    order : int.  Sections are shown by it.
    task : str, default "".  The only task it is for, "classification" or "regression"; "" for both.
    always : bool, default False.  Whether it is shown also when the time for the report is over.
    """

    key: str
    title: str
    make: Callable
    order: int
    task: str = ""
    always: bool = False


_SECTIONS: dict = {}


def section(key, title, *, order, task="", always=False):
    """Declare a function as a section of the report; one of the same key replaces it.

    >>> @section("thanks", "Thanks", order=10_000)
    ... def thanks(context):
    ...     return [Note("Thank you for reading.")]
    >>> [s.title for s in sections("regression") if s.key == "thanks"]
    ['Thanks']
    >>> _ = _SECTIONS.pop("thanks")
    """

    def enter(make):
        _SECTIONS[key] = Section(key, title, make, order, task, always)
        return make

    return enter


def sections(task):
    """All sections for a task, in order."""
    import separatrix.report.sections  # noqa: F401  (declares the sections)

    return sorted((s for s in _SECTIONS.values() if s.task in ("", task)), key=lambda s: (s.order, s.key))


def blocks_of(section, context):
    """The blocks of a section; if it is skipped or fails, a note with the reason; none if it is inapplicable."""
    context.restart_deadline()
    if context.is_over and not section.always:
        return [Note("Not shown: the time budget was used up.", skipped=True)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # refits to parts of the rows repeat warnings of the fit
            return list(section.make(context))
    except Inapplicable:
        return []
    except Skipped as reason:
        return [Note(f"Not shown: {reason}", skipped=True)]
    except Exception as failure:
        what = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
        return [Note(f"This part could not be made. The reason: {what}", missing=True)]
