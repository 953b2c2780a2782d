"""A table: named columns of equal length, numbers or text, with missing cells. Plain numpy.

number column   float64, NaN where missing, never infinite
text column     object of str, None where missing
"""

from dataclasses import dataclass

from separatrix.core.cached import cached_property
from separatrix.core.refusal import cannot


@dataclass(frozen=True)
class Table:
    """Columns by name, and where they came from.

    Parameters
    ----------
    names : tuple of str.  All different.
    columns : tuple of (n,) arrays.  float64 with NaN, or object of str with None.
    source : str, default "".  What to call the table in a sentence: a file name as a rule.
    notes : tuple of str, default ().  What a reader of the file should know: how it was taken, what was odd.

    >>> import numpy as np
    >>> table = Table(("age", "sex"), (np.array([31.0, np.nan]), np.array(["f", None], dtype=object)), "people.csv")
    >>> len(table), table["age"]
    (2, array([31., nan]))
    >>> table.take([0]).columns[1]
    array(['f'], dtype=object)
    """

    names: tuple
    columns: tuple
    source: str = ""
    notes: tuple = ()

    def __len__(self):
        return len(self.columns[0]) if self.columns else 0

    def __contains__(self, name):
        return name in self._place

    def __getitem__(self, name):
        """The column of that name."""
        if name not in self._place:
            raise cannot(
                f"find the column {name!r}",
                because=f"{self.source or 'the table'} has the columns {shown(self.names)}",
                instead=meant(name, self.names) or "one of them",
                kind=KeyError,
            )
        return self.columns[self._place[name]]

    @cached_property
    def _place(self):
        return {name: place for place, name in enumerate(self.names)}

    @classmethod
    def of(cls, data, names=None, *, source=""):
        """A table from what is in memory already: see :func:`separatrix.tables.as_table`.

        >>> Table.of({"age": [31, None], "sex": ["f", "m"]})["age"]
        array([31., nan])
        """
        from separatrix.tables.frames import as_table

        return as_table(data, names, source=source)

    def take(self, rows):
        """The rows of those positions, in that order; a slice is a view."""
        return Table(self.names, tuple(column[rows] for column in self.columns), self.source, self.notes)

    def select(self, names):
        """The columns of those names, in that order."""
        return Table(tuple(names), tuple(self[name] for name in names), self.source, self.notes)

    def without(self, *names):
        """All columns but those."""
        return self.select([name for name in self.names if name not in set(names)])


def is_number(column):
    """Whether a column of a table holds numbers (else text)."""
    return column.dtype.kind == "f"


def shown(names, most=8):
    """Names for a sentence: the first few, and how many more there are.

    >>> shown(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    first = ", ".join(repr(str(name)) for name in names[:most])
    return first if len(names) <= most else f"{first} and {len(names) - most} more"


def meant(name, names):
    """The names most like a misspelt one, for the sentence that refuses it; "" if none is like it.

    >>> meant("suvived", ["Survived", "Age"]), meant("x", ["Survived", "Age"])
    ("'Survived'", '')
    """
    from difflib import get_close_matches

    lower: dict = {}
    for other in names:
        lower.setdefault(str(other).casefold(), other)
    near = get_close_matches(str(name).casefold(), lower, n=3, cutoff=0.6)
    return " or ".join(repr(lower[match]) for match in near)
