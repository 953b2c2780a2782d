"""Bounds on what a file may cost: memory for a table, time for a query, the length of a line, a cell and a stream.

A small file can ask for a lot: a gzip file for a thousand times its size, a view for any number of rows.
"""

from separatrix.core.memory import memory as total_memory
from separatrix.core.refusal import cannot

LONGEST_LINE = 1 << 24  # bytes; also of a quoted cell, for which the csv module's own limit is 131,072
MOST_COLUMNS = 200_000
MOST_STREAMED = 1 << 31  # bytes of a pipe, which has to be kept on disk to be read twice
UNPACKED = 1 << 26  # bytes that a compressed file may always unpack to
MOST_PACKED = 200  # times its size, beyond that: tables reach 50, a file of one repeated byte 1,000
PATIENCE = 120  # seconds for the next rows of a query


def memory():
    """Bytes that a table may have: half of the memory of the machine, of its container, of this process's own limit."""
    return total_memory() // 2


def refuse_beyond_memory(needed, source, most):
    """Refuse a table that needs more bytes than there are; `most` is what :func:`memory` said."""
    if needed > most:
        raise cannot(
            f"read {source}",
            because=f"its table does not fit into {most / 2**30:.3g} GB of memory",
            instead="fewer rows or columns, or separatrix.tables.blocks, which holds some rows at a time",
        )


def refuse_too_wide(columns, source):
    """Refuse more columns than can be handled one by one."""
    if columns > MOST_COLUMNS:
        raise cannot(
            f"read {source}",
            because=f"it has {columns:,} columns",
            instead=f"at most {MOST_COLUMNS:,}; a row for each measurement instead of a column, for example",
        )
