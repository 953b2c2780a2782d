"""Tables by what people type, a file or the name of a bundled data set; and tables as CSV."""

from pathlib import Path

from separatrix.core.refusal import cannot
from separatrix.tables.table import meant
from separatrix.workflow.csv_text import CsvText, csv_cells

BUNDLED = "breast_cancer"  # where no table is given


def bundled_name(source):
    """The name of the bundled data set that a source stands for; None if it is something to read.

    A file of that name goes first.

    >>> bundled_name("wine"), bundled_name("Breast Cancer"), bundled_name("wine.csv"), bundled_name(None)
    ('wine', 'breast_cancer', None, None)
    """
    from separatrix.datasets import available

    if source is None or Path(source).exists():
        return None
    name = _bare(source)
    return name if name in available() else None


def _bare(name):
    return str(name).strip().lower().replace("-", "_").replace(" ", "_")


def named_table(source, *, query=None):
    """The table that a command was given: a file, "-", a query, or the name of a bundled data set."""
    name = bundled_name(source) if query is None else None
    if name is not None:
        return data_set(name).table()
    from separatrix.tables import read

    return read(source, query=query)


def named_blocks(source, rows):
    """The same in blocks of at most so many rows."""
    name = bundled_name(source)
    if name is not None:
        table = data_set(name).table()
        yield from (table.take(range(i, min(i + rows, len(table)))) for i in range(0, len(table), rows))
        return
    from separatrix.tables import blocks

    yield from blocks(source, rows=rows)


def named_target(source, target, *, query=None):
    """The target that was named, else that of a bundled data set; None if neither."""
    name = bundled_name(source) if target is None and query is None else None
    return target if name is None else data_set(name).target_name


def data_set(name):
    """The data set of that name, in any spelling; an unknown name gets a suggestion."""
    from separatrix.datasets import available, load

    known, name = available(), _bare(name)
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
    text = CsvText(file)
    text.write_names(table.names)
    text.write_columns(map(csv_cells, table.columns))
