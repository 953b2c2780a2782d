"""Where words go: tables and sentences to stdout, progress to stderr, or one JSON document and nothing else."""

import json
import math
import os
import sys

import click

PLAIN_WIDTH = 100  # of a page that is not a terminal, unless COLUMNS says otherwise
MOST_DOUBTS = 8


def console(stderr=False):
    """A rich console: plain where it is no terminal, and quiet where the reader of a pipe has gone."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self):
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    width = None if terminal or os.environ.get("COLUMNS", "").isdigit() else PLAIN_WIDTH
    return Quiet(file=stream if terminal else _Trimmed(stream), highlight=False, width=width)


class _Trimmed:
    """A stream that drops the blanks with which tables are padded to the right: a file has no use for them."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, text):
        return self._stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))

    def __getattr__(self, name):
        return getattr(self._stream, name)


def say(out, words, style=None, gap=True):
    """A paragraph, indented by a space as tables are, with an empty line before it if `gap`."""
    from rich.padding import Padding
    from rich.text import Text

    text = words if isinstance(words, Text) else Text(words, style=style or "")  # Text: brackets are no markup
    out.print(Padding(text, (int(gap), 1, 0, 1), expand=False))


def show_understanding(out, understanding):
    """What was understood of a table, before anything is fitted, and what deserves a second look."""
    for place, line in enumerate(understanding.lines()):
        say(out, line, "dim" if line.startswith("Left out") else None, gap=place == 0)
    doubts = [f"{column.name}: {column.why}" for column in understanding.used if column.why]
    for note in (*understanding.notes, *doubts[:MOST_DOUBTS]):
        say(out, f"Note: {note}", "dim", gap=False)


def write_json(command, document):
    """Print a document, with the name of its command and the version; what is no number becomes null."""
    from separatrix import __version__

    whole = {"command": command, "separatrix": __version__, **document}
    click.echo(json.dumps(plain(whole), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value):
    """A value as JSON knows it: arrays as lists, numpy's numbers as Python's, NaN and infinity as None.

    >>> plain({"a": (1.5, float("nan")), 3: True})
    {'a': [1.5, None], '3': True}
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


def duration(seconds):
    """A time for a person.

    >>> duration(0.0312), duration(7.25), duration(95), duration(4000)
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
