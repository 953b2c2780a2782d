"""The bundled data sets for the command line: listed, told, written as CSV."""

import csv

from separatrix.core.refusal import cannot
from separatrix.tables.table import is_number, meant


def lines():
    """One line about each data set, by name."""
    from separatrix.datasets import available

    return available()


def named(name):
    """The data set of that name; a slip gets a suggestion."""
    from separatrix.datasets import load

    known = lines()
    name = name.strip().lower().replace("-", "_").replace(" ", "_")
    if name not in known:
        raise cannot(
            f"find the data set {name!r}",
            because="there is none of that name",
            instead=meant(name, list(known)) or f"one of {', '.join(known)}",
        )
    return load(name)


def as_table(name, target=None):
    """A data set as a Table, and its target (or the one asked for)."""
    found = named(name)
    return found.table(), target or found.target_name


def facts(found):
    """What there is to say of a data set, as plain data."""
    return {
        "name": found.name,
        "words": found.words,
        "task": found.task,
        "rows": len(found),
        "target": found.target_name,
        "classes": list(found.classes),
        "truth": found.truth.words if found.truth is not None else None,
    }


def show_all(out, listed):
    """Print all names, a line each."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, words in listed.items():
        grid.add_row(Text(f" {name}"), Text(words))
    out.print(grid)


def show(out, found):
    """Print what is known of one."""
    from separatrix.cli.screen import say

    told = facts(found)
    say(out, found.name, "bold", gap=False)
    say(out, found.words, gap=False)
    kind = f"{len(found.classes)} classes: {', '.join(map(str, found.classes))}" if found.classes else "a number"
    say(out, f"{told['rows']:,} rows; target {found.target_name}, {kind}.", gap=False)
    say(out, f"Columns: {', '.join(found.feature_names)}.", gap=False)
    if told["truth"]:
        say(out, f"Truth: {told['truth']}", gap=False)
    say(out, f"Next: separatrix datasets {found.name} --csv > {found.name}.csv", "dim")


def write_csv(file, table):
    """The rows of a table as CSV; numbers so that they read back as they were."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(cells(column) for column in table.columns)))


def cells(column):
    """Cells as they are written: a missing one is empty, a whole number has no point."""
    if not is_number(column):
        return ["" if value is None else value for value in column.tolist()]
    return ["" if value != value else int(value) if value.is_integer() else value for value in column.tolist()]
