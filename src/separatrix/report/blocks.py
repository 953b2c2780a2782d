"""The blocks of a report section: text, notes, facts, tables, pictures, commands. Plain data; templates render them."""

import re
from dataclasses import dataclass, field
from typing import ClassVar

from separatrix.core.errors import cannot


@dataclass(frozen=True)
class Text:
    """A paragraph; `strong` emphasises it."""

    text: str
    strong: bool = False
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Note:
    """A note: how to read something, or what is missing and why."""

    text: str
    missing: bool = False
    skipped: bool = False
    kind: ClassVar[str] = "note"


@dataclass(frozen=True)
class Heading:
    """A title within a section."""

    text: str
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Facts:
    """Pairs of a label and a text."""

    pairs: tuple
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Group:
    """Rows of a table that belong together, under a title of their own ("" for none).

    `marks` gives each row a style: "chosen", "failed", "".
    """

    rows: tuple
    title: str = ""
    marks: tuple = ()


@dataclass(frozen=True)
class Grid:
    """A table: cells are strings, already rounded; the first cell of a row names it.

    Parameters
    ----------
    heads : tuple of str.
    groups : tuple of Group.
    caption : str.
    numbers : frozenset of int.  Columns that hold numbers, set flush right.
    cards : bool, default False.  Whether each row becomes a card on a phone; else the table scrolls in its own box.
    folded : str, default "".  If not empty, the table is collapsed under this line.
    """

    heads: tuple
    groups: tuple
    caption: str
    numbers: frozenset = field(default_factory=frozenset)
    cards: bool = False
    folded: str = ""
    kind: ClassVar[str] = "grid"

    def __post_init__(self):
        for group in self.groups:
            for row in group.rows:
                if len(row) != len(self.heads):
                    raise cannot(
                        f"show the table {self.caption!r}",
                        because=f"a row has {len(row)} cells for {len(self.heads)} heads",
                        instead="a cell for each head",
                    )


@dataclass(frozen=True)
class Picture:
    """An inline SVG with its caption and its text alternative."""

    svg: str
    alternative: str
    caption: str = ""
    kind: ClassVar[str] = "picture"


@dataclass(frozen=True)
class Code:
    """A command or a few lines of code."""

    text: str
    kind: ClassVar[str] = "code"


def grid(heads, rows, caption, **options):
    """A table of one group; columns are numbers where every filled cell looks like one."""
    rows = [tuple(str(cell) for cell in row) for row in rows]
    kept = [j for j in range(len(heads)) if j == 0 or any(row[j] for row in rows)]  # empty columns are dropped
    heads, rows = [heads[j] for j in kept], tuple(tuple(row[j] for j in kept) for row in rows)
    numbers = frozenset(j for j in range(1, len(heads)) if all(_numeric(row[j]) for row in rows))
    return Grid(tuple(heads), (Group(rows),), caption, numbers, **options)


def _numeric(cell):
    """Whether a cell reads as a number: it begins like one, and holds no word longer than a unit or "to"."""
    return not cell or ((cell[0].isdigit() or cell[0] in "−–+<") and not re.search(r"[^\W\d_]{3}", cell))


def picture(ax, caption):
    """Axes as an inline SVG with a caption; :mod:`separatrix.plots` provides the text alternative."""
    from matplotlib.ticker import AutoLocator

    from separatrix import plots

    if isinstance(ax.xaxis.get_major_locator(), AutoLocator):
        ax.locator_params(axis="x", nbins=5)  # long numbers would overlap on a phone
    alternative = plots.describe(ax)
    return Picture(plots.svg(ax, title=alternative), alternative, caption)


def wide(height=3.2, width=5.6):
    """Axes for a picture of the full width of the page."""
    from separatrix.plots.style import axes

    return axes((width, height))
