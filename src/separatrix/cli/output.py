"""Printing: a console, paragraphs, JSON documents and durations."""

import json
import math
import os
import shlex
import sys

import click

from separatrix.core.printable import json_printable, printable
from separatrix.core.protocol import can

PLAIN_WIDTH = 100  # columns where stdout is not a terminal and COLUMNS is not set
NARROWEST = 64  # columns that a table with a name and two or three numbers needs
MOST_DOUBTS = 8  # notes on single columns


def console(stderr=False):
    """A rich console: plain text if not on a terminal, no markup; a broken pipe raises BrokenPipeError."""
    from rich.console import Console

    class PipeConsole(Console):
        def on_broken_pipe(self):
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    terminal = can(stream, "isatty") and bool(stream.isatty())
    width = None if terminal or os.environ.get("COLUMNS", "").isdigit() else PLAIN_WIDTH
    file = stream if terminal else _Trimmed(stream)
    return PipeConsole(file=file, highlight=False, markup=False, emoji=False, width=width)


class _Trimmed:
    """A stream that drops the trailing blanks with which tables are padded."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, text):
        return self._stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))

    def __getattr__(self, name):
        return getattr(self._stream, name)


def paragraph(out, text, style=None, gap=True):
    """Print a paragraph, indented by a space as tables are, with an empty line before it if `gap`."""
    from rich.padding import Padding
    from rich.text import Text

    text = text if isinstance(text, Text) else cell(text, style or "")
    out.print(Padding(text, (int(gap), 1, 0, 1), expand=False))


def cell(text, style=""):
    """Text for a table or a paragraph: brackets are no markup, and what does not show is an escape."""
    from rich.text import Text

    return Text(printable(text), style=style)


def print_table(out, table):
    """Print a table no narrower than its numbers need: a narrow terminal breaks its lines, and no number is cut."""
    before = out.width
    out.width = max(before, NARROWEST)
    out.print(table)
    out.width = before


def propose(out, *commands):
    """Print what to do next: commands, as lists of words, that can be copied into a shell as they are printed."""
    for place, words in enumerate(commands):
        line = f"{'Next:' if place == 0 else '':5} {shell_line(words)}"
        if place == 0:
            out.print()
        out.print(cell(f" {line}", "dim"), soft_wrap=True)  # a line break would be copied too


def shell_line(words):
    r"""Words of a command as a shell reads them; a Path that looks like an option gets a folder.

    >>> from pathlib import Path
    >>> print(shell_line(["predict", "m.sepx", Path("x; y.csv")]), shell_line(["cat", Path("-r"), ">", "a\x1b"]))
    predict m.sepx 'x; y.csv' cat ./-r > $'a\033'
    """
    return " ".join(word if word in (">", "|") else _shell_word(word) for word in words)


def _shell_word(word):
    text = os.fspath(word)
    if isinstance(word, os.PathLike) and text.startswith("-") and text != "-":
        text = f"./{text}"
    if printable(text) == text:
        return shlex.quote(text)
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\{byte:03o}" for byte in os.fsencode(text))
    return f"$'{''.join(plain)}'"


def print_understanding(out, understanding):
    """Print the Understanding of a table, with its notes and doubts."""
    for place, line in enumerate(understanding.lines()):
        paragraph(out, line, "dim" if line.startswith("Left out") else None, gap=place == 0)
    doubts = [
        f"{column.name}: {doubt}." for column in understanding.used if (doubt := _not_noted(column, understanding))
    ]
    for note in (*understanding.notes, *doubts[:MOST_DOUBTS]):
        paragraph(out, f"Note: {note}", "dim", gap=False)


def _not_noted(column, understanding):
    """What is to be said about a column, without what a note says already."""
    parts = column.why.split("; ")
    told = " ".join(note for note in understanding.notes if column.name in note)
    return "; ".join(part for part in parts if part.removeprefix("suspected leak: ") not in told)


def write_json(command, document):
    """Print a document with the name of its command and the version; NaN and infinity become null."""
    from separatrix import __version__
    from separatrix.core.description import json_value  # with numpy, which --help need not wait for

    whole = {"command": command, "separatrix": __version__, **document}
    encoding = (sys.stdout.encoding or "ascii").lower()
    text = json.dumps(json_value(whole), indent=2, ensure_ascii=not encoding.startswith("utf"), allow_nan=False)
    click.echo(json_printable(text))


def format_seconds(seconds):
    """A duration with its unit.

    >>> format_seconds(0.0312), format_seconds(7.25), format_seconds(95), format_seconds(4000)
    ('31 ms', '7.2 s', '1 min 35 s', '1 h 6 min')
    """
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 0.9995:
        return f"{1e3 * seconds:.0f} ms" if seconds >= 0.00095 else f"{1e3 * seconds:.1g} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
