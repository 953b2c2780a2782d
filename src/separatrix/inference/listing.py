"""A small table of numbers with a title: what analyses of terms hand out, as text, HTML, a dict or a frame."""

import io
from dataclasses import dataclass

from separatrix.core.printable import printable
from separatrix.inference.render import (
    STYLE,
    aligned_by_point,
    count,
    html_table,
    p_value,
    rich_table,
    significant,
)
from separatrix.inference.table import frame_backend

_LABELS = {
    "aic": "AIC",
    "bic": "BIC",
    "lr": "LR χ²",
    "residual_df": "residual df",
    "sum_sq": "sum of squares",
    "rss": "RSS",
    "f": "F",
    "chi2": "χ²",
    "std_error": "std. error",
    "ci_low": "from",
    "ci_high": "to",
    "vif": "VIF",
    "gvif": "GVIF",
    "scaled_gvif": "GVIF^(1/2df)",
    "adjusted_p": "adjusted p",
}
_SIX_DIGITS = ("sum_sq", "rss", "estimate", "std_error", "ci_low", "ci_high")  # in the units of y: of any size


@dataclass(frozen=True, repr=False)
class Listing:
    """Rows under names, one dict of columns; the first column names the rows.

    Attributes
    ----------
    title : str.
    columns : dict.  From the name of a column to its values, one for each row; None where nothing is defined.
    notes : tuple of str.  What must be known to read the numbers.

    >>> table = Listing("Two rows", {"term": ("a", "b"), "df": (1, 2), "p": (0.5, None)})
    >>> table["a"]["p"], len(table)
    (0.5, 2)
    """

    title: str
    columns: dict
    notes: tuple[str, ...] = ()

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name):
        """The row of that name, as a dict."""
        names = next(iter(self.columns.values()))
        if name not in names:
            raise KeyError(name)
        place = names.index(name)
        return {column: values[place] for column, values in self.columns.items()}

    def to_dict(self):
        """Title, columns and notes, of plain Python numbers."""
        columns = {name: list(values) for name, values in self.columns.items()}
        return {"title": self.title, "columns": columns, "notes": list(self.notes)}

    def to_frame(self, backend=None):
        """The rows as a data frame; undefined numbers are missing values.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None.  None takes the first of these that is installed.
        """
        import narwhals as nw

        schema = {
            name: nw.String if any(isinstance(v, str) for v in values) else nw.Float64
            for name, values in self.columns.items()
        }
        data = {
            name: [v if v is None or isinstance(v, str) else float(v) for v in values]
            for name, values in self.columns.items()
        }
        return nw.from_dict(data, schema=schema, backend=frame_backend(backend)).to_native()

    def _cells(self):
        """Labels and cells as text; the first column without a label, as names have none."""
        cells = {}
        for place, (name, values) in enumerate(self.columns.items()):
            label = "" if place == 0 else _LABELS.get(name, printable(name))
            shown = [_shown(name, value) for value in values]
            cells[label] = shown if place == 0 else aligned_by_point(shown)
        return cells

    def __rich_console__(self, console, options):
        from rich.padding import Padding
        from rich.text import Text

        yield Padding(Text(printable(self.title), style="bold"), (0, 0, 0, 1))
        yield rich_table(self._cells())
        for note in self.notes:
            yield Padding(Text(printable(note), style="dim"), (0, 0, 0, 1))

    def __str__(self):
        from rich.console import Console

        out = io.StringIO()
        console = Console(file=out, width=100, color_system=None, force_terminal=False, legacy_windows=False)
        console.print(self)
        return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())

    __repr__ = __str__

    def _repr_html_(self):
        from html import escape

        notes = "".join(f'<p class="note">{escape(printable(note))}</p>' for note in self.notes)
        head = f'<div class="head"><b>{escape(printable(self.title))}</b></div>'
        table = f'<div class="wide">{html_table(self._cells())}</div>'
        return f'<style>{STYLE}</style><div class="separatrix-summary">{head}{table}{notes}</div>'


def _shown(name, value):
    if isinstance(value, str):
        return printable(value)
    if value is None:
        return ""
    if name in ("p", "adjusted_p"):
        return p_value(value)
    if name.endswith("df"):
        return count(value)
    if name in _SIX_DIGITS:
        return significant(value, 6)
    return f"{value:.2f}" if abs(value) < 1e6 else significant(value, 8)
