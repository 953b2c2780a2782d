"""What a table was understood to be: the role of each column, the task, the classes; plain data, ready for JSON."""

from collections import Counter
from dataclasses import asdict, dataclass, field

# What a column can be. The first five enter a model, the others are left out, with the reason said.
USED = ("number", "category", "flag", "date", "text")
LEFT_OUT = ("identifier", "constant", "empty", "copy of the target", "asked to be left out")
MIXED = "mixed"  # the form of a column of numbers with a few cells that are none


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
    form : str, default "".  Of a date, how it is written: a form of :mod:`separatrix.tables.dates`. Of numbers, MIXED
        if some cells are no numbers and count as missing.
    odd : tuple of (str, int), default ().  Those cells of MIXED numbers, the commonest first, with their counts.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    why: str = ""
    levels: tuple = ()
    shown: str = ""
    form: str = ""
    odd: tuple = ()

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

    def lines(self):
        """What was understood, in a few sentences: rows, columns by kind, missing cells, target, what is left out.

        >>> age = ColumnFacts("age", "number", 2, 40)
        >>> key = ColumnFacts("id", "identifier", 0, 60, why="it counts the rows")
        >>> told = Understanding("people.csv", 60, 0, "sick", "classification", (age, key), ("no", "yes"), (45, 15))
        >>> print("\\n".join(told.lines()))
        people.csv has 60 rows and 3 columns.
        The target is sick, with 2 classes: no 45 (75 %), yes 15 (25 %).
        1 column is used: 1 number.
        Missing cells: age 2 (3 %).
        Left out: id (it counts the rows).
        """
        said = [
            f"{self.source or 'The table'} has {_many(self.rows, 'row')} and {_many(len(self.columns) + 1, 'column')}."
        ]
        said.append(self._about_target())
        if self.unlabelled:
            said.append(f"{_many(self.unlabelled, 'row')} without a target {_is(self.unlabelled)} set aside.")
        kinds = Counter(column.kind for column in self.used)
        listed = ", ".join(_many(kinds[kind], kind) for kind in USED if kinds[kind])
        said.append(f"{_many(len(self.used), 'column')} {_is(len(self.used))} used: {listed}.")
        said.append(self._about_missing())
        out = [
            f"{column.name} ({column.why})" if column.why else column.name for column in self.columns if not column.used
        ]
        if out:
            said.append(f"Left out: {'; '.join(out[:6])}{_more(out, 6)}.")
        return tuple(said)

    def _about_target(self):
        if self.task == "regression":
            return f"The target is {self.target}, a number to be estimated."
        total = sum(self.counts)
        pairs = sorted(zip(self.classes, self.counts, strict=True), key=lambda pair: -pair[1])
        if len(pairs) <= 3:  # few classes keep their order
            pairs = list(zip(self.classes, self.counts, strict=True))
        mark = (
            ":" if all(str(label)[-1:].isdigit() for label, _ in pairs) else ""
        )  # or two numbers would stand together
        shares = [f"{label}{mark} {count:,} ({share(count, total)})" for label, count in pairs]
        return f"The target is {self.target}, with {len(pairs)} classes: {', '.join(shares[:6])}{_more(shares, 6)}."

    def _about_missing(self):
        rows = max(self.rows - self.unlabelled, 1)
        gaps = sorted((column for column in self.used if column.missing), key=lambda column: -column.missing)
        if not gaps:
            return "No cell of these columns is missing."
        listed = [f"{column.name} {column.missing:,} ({share(column.missing, rows)})" for column in gaps]
        return f"Missing cells: {', '.join(listed[:6])}{_more(listed, 6)}."

    def as_dict(self):
        """Plain lists, dicts, numbers and strings, for JSON and for a model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain):
        """The inverse of :meth:`as_dict`."""
        columns = tuple(
            ColumnFacts(
                **{**column, "levels": tuple(column["levels"]), "odd": tuple(map(tuple, column.get("odd", ())))}
            )
            for column in plain["columns"]
        )
        tuples = {name: tuple(plain[name]) for name in ("classes", "counts", "notes")}
        return cls(**{**plain, **tuples, "columns": columns})


def share(count, total):
    """A share in per cent, neither none nor all where it is not.

    >>> share(1, 3), share(1, 1000), share(999, 1000), share(5, 5)
    ('33 %', '<1 %', '>99 %', '100 %')
    """
    part = count / max(total, 1)
    if 0 < part < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= part < 1 else f"{100 * part:.0f} %"


def _many(count, what):
    plural = {"category": "categories", "text": "texts"}.get(what, f"{what}s")
    return f"{count:,} {what if count == 1 else plural}"


def _is(count):
    return "is" if count == 1 else "are"


def _more(names, most):
    return f" and {len(names) - most:,} more" if len(names) > most else ""
