"""What a table was understood to be: the role of each column, the task, the classes; plain data, ready for JSON."""

from dataclasses import asdict, dataclass, field

# What a column can be. The first five enter a model, the others are left out, with the reason said.
USED = ("number", "category", "flag", "date", "text")
LEFT_OUT = ("identifier", "constant", "empty", "copy of the target", "asked to be left out")


@dataclass(frozen=True)
class ColumnFacts:
    """One column: its role, why it has it, and what a report shows of it.

    Parameters
    ----------
    name : str.
    kind : str.  One of USED or LEFT_OUT.
    missing : int.  Cells without a value.
    distinct : int.  Different values.
    why : str, default "".  Why it is left out or deserves a second look; empty where nothing is to be said.
    levels : tuple of str, default ().  Of a category or a flag, most frequent first.
    shown : str, default "".  A few words for a person: a range, the commonest levels, an example.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    why: str = ""
    levels: tuple = ()
    shown: str = ""

    @property
    def used(self):
        return self.kind in USED


@dataclass(frozen=True)
class Understanding:
    """A table with a target, as it will be modelled.

    Parameters
    ----------
    source : str.  What the table is called.
    rows : int.  Rows read.
    unlabelled : int.  Rows without a target, which are set aside.
    target : str.  Name of the target column.
    task : {"classification", "regression"}.
    columns : tuple of ColumnFacts.  All but the target, in the order of the table.
    classes : tuple, default ().  Labels, sorted; int, float, bool-like text or str, as in the target column.
    counts : tuple of int, default ().  Rows of each class.
    notes : tuple of str, default ().  What a careful colleague would mention: a suspected leak, few rows of a class.
    """

    source: str
    rows: int
    unlabelled: int
    target: str
    task: str
    columns: tuple
    classes: tuple = ()
    counts: tuple = ()
    notes: tuple = field(default=())

    @property
    def used(self):
        """The columns that enter a model."""
        return tuple(column for column in self.columns if column.used)

    def as_dict(self):
        """Plain lists, dicts, numbers and strings, for JSON and for a model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain):
        """The inverse of :meth:`as_dict`."""
        columns = tuple(ColumnFacts(**{**column, "levels": tuple(column["levels"])}) for column in plain["columns"])
        tuples = {name: tuple(plain[name]) for name in ("classes", "counts", "notes")}
        return cls(**{**plain, **tuples, "columns": columns})
