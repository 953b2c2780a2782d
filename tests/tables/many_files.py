"""Files by the thousand, valid and damaged, each read in a child process: a table or a sentence, never anything else.

``python tests/tables/many_files.py text 100000`` and ``... columnar 10000`` read that many (``... text 5000 6000``:
those with these numbers) and print how many were read and refused, and each that crashed, raised something else, took
long or gave other cells than Python's csv module, float() and pandas find in it.
"""

import csv
import io
import math
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

SLOW = 10.0  # seconds of processor time for a small file
WORDS = ["ab", "c d", "naïve", 'say "no"', "x,y", "p;q", "t\tu", "one\ntwo", "r\r\ns", "|", "'", "7 up", "Ω", "z" * 300]
MISSING = ["", "NA", "?", "NaN", "null"]
ODD = [
    b'"',
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"1e999",
    b"-",
    b"  ",
    b"$",
    b"'",
]


def text_file(rng):
    """A valid file, how to read it, and its cells by rows without the names."""
    width, rows = int(rng.integers(1, 7)), int(rng.integers(1, 40))
    delimiter = str(rng.choice([",", ";", "\t", "|"]))
    columns = [_column(rng, rows) for _ in range(width)]
    header = bool(rng.random() < 0.7)
    table = list(map(list, zip(*columns, strict=True)))
    out = io.StringIO(newline="")
    plain = width > 1 and not any("\r" in cell for row in table for cell in row)  # else a blank or cut line
    quoting = csv.QUOTE_MINIMAL if plain and rng.random() < 0.6 else csv.QUOTE_ALL
    end = str(rng.choice(["\n", "\r\n"]))
    names = [f"name {j}" for j in range(width)]
    csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows([names] * header + table)
    return out.getvalue().encode("utf-8"), {"delimiter": delimiter, "header": header}


def _column(rng, rows):
    kind = rng.integers(0, 5)
    if kind == 0:
        return [str(rng.choice(WORDS)) for _ in range(rows)]
    if kind == 1:
        return [str(rng.choice(MISSING if rng.random() < 0.3 else WORDS)) for _ in range(rows)]
    if kind == 2:
        values = rng.integers(-(10 ** int(rng.integers(1, 18))), 10 ** int(rng.integers(1, 18)), rows)
        return [str(value) for value in values.tolist()]
    values = (rng.normal(size=rows) * 10.0 ** float(rng.integers(-20, 20))).tolist()
    return [str(rng.choice(MISSING)) if rng.random() < 0.1 and kind == 3 else repr(value) for value in values]


def expected(content, how):
    """The columns of a valid file by Python's csv module, as text or, where all cells are numbers, by float()."""
    records = list(csv.reader(io.StringIO(content.decode("utf-8"), newline=""), delimiter=how["delimiter"]))
    for cells in zip(*records[how["header"] :], strict=True):
        cells = [None if cell.strip() in MISSING else cell.strip() for cell in cells]
        try:
            values = [math.nan if cell is None else float(cell) for cell in cells]
        except ValueError:
            yield cells
            continue
        whole = all(cell is None or cell.lstrip("-").isdigit() for cell in cells)
        merged = whole and any(cell is not None and int(float(cell)) != int(cell) for cell in cells)
        yield cells if merged else values


def by_pandas(content, how):
    """The same by pandas; a column of whole numbers as it reads them, 64 bits each."""
    import pandas

    frame = pandas.read_csv(
        io.BytesIO(content),
        sep=how["delimiter"],
        header=0 if how["header"] else None,
        na_values=MISSING,
        keep_default_na=False,
        float_precision="round_trip",
        skip_blank_lines=False,
    )
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        text = [None if pandas.isna(cell) else str(cell).strip() for cell in column]
        yield text, column.to_numpy(float) if pandas.api.types.is_numeric_dtype(column) else None


def differs(content, how, table):
    """What a table of a valid file has that it should not have; "" if nothing."""
    wanted = list(expected(content, how))
    if len(wanted) != len(table.columns):
        return f"{len(table.columns)} columns instead of {len(wanted)}"
    for column, cells, (text, values) in zip(table.columns, wanted, by_pandas(content, how), strict=True):
        same = (
            column.tolist() if column.dtype == object else [None if cell != cell else cell for cell in column.tolist()]
        )
        if same != [None if cell is None or cell != cell else cell for cell in cells]:
            return f"{same[:5]} instead of {cells[:5]}"
        agrees = same == text if column.dtype == object else np.array_equal(column, values, equal_nan=True)
        if not agrees:
            return f"{same[:5]} where pandas has {text[:5]}"
    return ""


def columnar_files():
    """Small Parquet and Arrow files of every type, of which half is about the columns and half is cells."""
    import pyarrow
    from pyarrow import feather, ipc, parquet

    rng = np.random.default_rng(0)
    for n in (6, 200):
        moments = pyarrow.array(np.arange(n) * 86_400_000, pyarrow.timestamp("ms"))
        table = pyarrow.table(
            {
                "real": rng.normal(size=n),
                "whole": pyarrow.array([None if i % 7 == 0 else i for i in range(n)]),
                "words": pyarrow.array([None if i % 5 == 0 else f"w{i}" for i in range(n)]),
                "levels": pyarrow.array([f"l{i % 3}" for i in range(n)]).dictionary_encode(),
                "codes": pyarrow.array([i % 3 for i in range(n)]).dictionary_encode(),
                "flag": pyarrow.array([i % 2 == 0 for i in range(n)]),
                "moment": moments,
                "zoned": moments.cast(pyarrow.timestamp("ms", "UTC")),
                "long": pyarrow.array(["abc"] * n, pyarrow.large_string()),
                "decimal": pyarrow.array([None, 1] * (n // 2), pyarrow.decimal128(10, 2)),
                "list": pyarrow.array([[1, 2], None] * (n // 2)),
                "struct": pyarrow.array([{"a": 1, "b": "x"}] * n),
                "none": pyarrow.nulls(n),
            }
        )
        for part in [table, table.select(range(9)), *(table.select([j]) for j in range(9) if n == 6)]:
            for how in (
                {"compression": "none"},
                {"compression": "zstd", "row_group_size": 50},
                {"use_dictionary": False},
            ):
                out = io.BytesIO()
                parquet.write_table(part, out, **how)
                yield ".parquet", out.getvalue()
            for compression in ("uncompressed", "lz4", "zstd"):
                out = io.BytesIO()
                feather.write_feather(part, out, compression=compression, chunksize=60)
                yield ".feather", out.getvalue()
            out = io.BytesIO()
            with ipc.new_stream(out, part.schema) as file:
                file.write_table(part, max_chunksize=60)
            yield ".arrow", out.getvalue()


def damaged(content, rng, pieces=ODD):
    """A file with some bytes changed, lost, added or repeated; often near its end, where Arrow keeps its schema."""
    content, kind = bytearray(content), int(rng.integers(0, 8))
    for _ in range(int(rng.integers(1, 4))):
        last = len(content) - 1
        if last < 16:
            break
        place = int(rng.integers(0, last + 1))
        if rng.random() < 0.5:
            place = last - int(min(last, rng.exponential(last / 10)))
        if kind == 0:
            content[place] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1:
            content[place] = int(rng.integers(0, 256))
        elif kind == 2:
            content[place : place + 8] = int(rng.integers(-(2**62), 2**62)).to_bytes(8, "little", signed=True)
        elif kind == 3:
            content[place : place + 4] = b"\xff" * 4
        elif kind == 4:
            del content[place : place + int(rng.integers(1, 50))]
        elif kind == 5:
            content[place:place] = pieces[int(rng.integers(0, len(pieces)))]
        elif kind == 6:
            content[place:place] = content[place : place + int(rng.integers(1, 60))]
        else:
            content[place : place + 16] = bytes(16)
    return bytes(content)


def read_one(kind, number, folder, seeds):
    """Read the file of that number, whole and in blocks; "read" or "refused", or what was wrong."""
    from separatrix.tables import blocks, delimited, encoding, read

    rng = np.random.default_rng([1, number])
    # files as small as these are in several pieces only if pieces are small, too
    small = bool(rng.random() < 0.5)
    delimited.FIRST = int(rng.integers(8, 200)) if small else 1 << 14
    encoding.Pieces.__init__.__defaults__ = (int(rng.integers(5, 200)) if small else encoding.PIECE,)
    how, valid, suffix = {}, False, ".csv"
    if kind == "text":
        content, how = text_file(rng)
        valid = bool(rng.random() < 0.5) and bool(content.strip(b'",;\t|\r\n'))  # without any cell it is refused
        content = content if valid else damaged(content, rng)
        how = how if valid or rng.random() < 0.5 else {}
    else:
        suffix, content = seeds[number % len(seeds)]
        content = damaged(content, rng)
    path = folder / f"t{suffix}"
    path.write_bytes(content)
    try:
        table = read(path, **how)
        for _ in blocks(path, rows=50, **how):
            pass
    except Exception as refusal:
        foreseen = isinstance(refusal, ValueError) and str(refusal).startswith("Cannot ") and not valid
        return "refused" if foreseen else f"raised {refusal!r}"
    wrong = differs(content, how, table) if valid else ""
    return f"has {wrong}" if wrong else "read"


def child(kind, first, last):
    seeds = list(columnar_files()) if kind == "columnar" else []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, last):
            print(number, end=" ", flush=True)
            start = time.process_time()
            outcome = read_one(kind, number, Path(folder), seeds)
            seconds = time.process_time() - start
            print(f"took {seconds:.0f} s" if seconds > SLOW else outcome.replace("\n", " "), flush=True)


def many(kind, first, last):
    """How many files were read and refused, and the others by number with what was wrong."""
    counts, wrong = Counter(), {}
    while first < last:
        command = [sys.executable, __file__, "child", kind, str(first), str(last)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        lines = done.stdout.splitlines()
        for line in lines:
            number, _, outcome = line.partition(" ")
            counts[outcome.split(" ")[0]] += 1
            if outcome not in ("read", "refused"):
                wrong[int(number)] = outcome or f"crashed with {done.returncode}: {done.stderr[-300:]}"
        if done.returncode == 0:
            break
        if not lines:
            raise RuntimeError(done.stderr)
        first = int(lines[-1].split(" ")[0]) + 1
    return counts, wrong


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        numbers = list(map(int, sys.argv[2:]))
        counts, wrong = many(sys.argv[1], *(numbers if len(numbers) == 2 else [0, *numbers]))
        print(dict(counts))
        for number, words in wrong.items():
            print(number, words)
        sys.exit(bool(wrong))
