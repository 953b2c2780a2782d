"""A table: named columns of equal length, numbers or text, with missing cells. Plain numpy.

number column   float64, NaN where missing
text column     object of str, None where missing
"""

from dataclasses import dataclass

from separatrix.core.refusal import cannot


@dataclass(frozen=True)
class Table:
    """Columns by name, and where they came from.

    Parameters
    ----------
    names : tuple of str.  All different.
    columns : tuple of (n,) arrays.  float64 with NaN, or object of str with None.
    source : str, default "".  What to call the table in a sentence: a file name as a rule.

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

    def __len__(self):
        return len(self.columns[0]) if self.columns else 0

    def __contains__(self, name):
        return name in self.names

    def __getitem__(self, name):
        """The column of that name."""
        if name not in self.names:
            raise cannot(
                f"find the column {name!r}",
                because=f"{self.source or 'the table'} has the columns {shown(self.names)}",
                instead="one of them",
                kind=KeyError,
            )
        return self.columns[self.names.index(name)]

    def take(self, rows):
        """The rows of those positions, in that order; a slice is a view."""
        return Table(self.names, tuple(column[rows] for column in self.columns), self.source)

    def select(self, names):
        """The columns of those names, in that order."""
        return Table(tuple(names), tuple(self[name] for name in names), self.source)

    def without(self, *names):
        """All columns but those."""
        return self.select([name for name in self.names if name not in names])


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
