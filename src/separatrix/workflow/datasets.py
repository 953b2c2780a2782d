"""Bundled data sets by name, and tables as CSV."""

import csv

from separatrix.core.refusal import cannot
from separatrix.tables.table import is_number, meant


def data_set(name):
    """The data set of that name, in any spelling; an unknown name gets a suggestion."""
    from separatrix.datasets import available, load

    known = available()
    name = name.strip().lower().replace("-", "_").replace(" ", "_")
    if name not in known:
        raise cannot(
            f"find the data set {name!r}",
            because="there is none of that name",
            instead=meant(name, list(known)) or f"one of {', '.join(known)}",
        )
    return load(name)


def data_set_facts(data):
    """Name, description, task and sizes of a data set, as plain data."""
    return {
        "name": data.name,
        "words": data.words,
        "task": data.task,
        "rows": len(data),
        "target": data.target_name,
        "classes": list(data.classes),
        "truth": data.truth.words if data.truth is not None else None,
    }


def write_csv(file, table):
    """The rows of a table as CSV; numbers so that they read back as they were."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(zip(*(csv_cells(column) for column in table.columns)))


def csv_cells(column):
    """Cells as they are written: a missing one is empty, a whole number has no decimal point."""
    if not is_number(column):
        return ["" if value is None else value for value in column.tolist()]
    return ["" if value != value else int(value) if value.is_integer() else value for value in column.tolist()]
