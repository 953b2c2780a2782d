"""The leaderboard in a terminal of any width, with the reasons of failures."""

import math

from separatrix.cli.output import NARROWEST, cell, format_seconds, print_table

# Columns dropped, in this order, if the terminal is too narrow.
DROPPED_FIRST = ("size", "predict", "medae", "mae", "rmse", "calib. (chance)", "R²", "certified", "fit", "log loss")
MEASURES = {
    "log_loss": "log loss",
    "calibration": "calib. (chance)",
    "r2": "R²",
    "rmse": "rmse",
    "mae": "mae",
    "medae": "medae",
}
GAP = 2


def show(out, comparison):
    """Print the leaderboard of a comparison."""
    from rich import box
    from rich.table import Table

    ranked = [standing for standing in comparison.standings if not standing.failed]
    failed = [standing for standing in comparison.standings if standing.failed]
    cells = fitting(columns(comparison, ranked), max(out.width, NARROWEST) - 2)
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for label in cells:
        drawn.add_column(
            cell(label), justify="left" if label in ("group", "model", "certified") else "right", no_wrap=True
        )
    for place, standing in enumerate(ranked):
        style = "bold" if standing.family == comparison.recommended else ""
        drawn.add_row(*(cell(column[place], style) for column in cells.values()))
    print_table(out, drawn)
    if failed:
        _show_failures(out, failed)


def columns(comparison, ranked):
    """Labels and cells of all columns that have values."""
    groups = [row.group for row in ranked]
    cells = {
        "group": [str(group) for group in groups],
        "model": [("→ " if row.family == comparison.recommended else "  ") + row.family for row in ranked],
        comparison.score: [plus_minus(row.score, row.error) for row in ranked],
    }
    for key, label in MEASURES.items():
        if key != comparison.measure and any(_is_number(row.measures.get(key)) for row in ranked):
            cells[label] = [_beside_chance(row.measures, key) for row in ranked]
    cells["fit"] = [format_seconds(row.fit_seconds) for row in ranked]
    cells["predict"] = [format_seconds(row.predict_seconds) for row in ranked]
    cells["size"] = [f"{row.size:,}" if row.size else "–" for row in ranked]
    cells["certified"] = [row.verdict or "–" for row in ranked]
    return cells


def fitting(cells, width):
    """Columns that fit a width; a long name of the score is shortened before columns are dropped."""
    cells = dict(cells)
    for label in list(cells):
        widest = max((len(cell) for cell in cells[label]), default=0)
        if label not in ("group", "model", *MEASURES.values()) and len(label) > max(widest, 13):
            cells = {("score" if name == label else name): column for name, column in cells.items()}
    for dropped in (None, *DROPPED_FIRST):
        cells.pop(dropped, None)
        needed = sum(GAP + max(len(label), *map(len, column), 0) for label, column in cells.items())
        if needed <= width:
            break
    return cells


def plus_minus(score, error):
    """A score with its standard error, to the second digit of the error.

    >>> plus_minus(0.98312, 0.00431), plus_minus(25103.2, 812.3), plus_minus(0.5, float("nan"))
    ('0.9831 ± 0.0043', '25103 ± 812', '0.5000')
    """
    if not _is_number(score):
        return "–"
    if not _is_number(error) or error <= 0.0:
        return f"{score:.4f}" if abs(score) < 100.0 else f"{score:.6g}"
    decimals = min(max(1 - math.floor(math.log10(error)), 0), 6)
    return f"{score:.{decimals}f} ± {error:.{decimals}f}"


def _beside_chance(measures, key):
    """A measure, with what chance gives in parentheses where that is known.

    >>> _beside_chance({"calibration": 0.083, "calibration_by_chance": 0.079}, "calibration")
    '0.083 (0.079)'
    """
    chance = measures.get(f"{key}_by_chance")
    return _short(measures.get(key)) + (f" ({_short(chance)})" if _is_number(chance) else "")


def _short(value):
    if not _is_number(value):
        return "–"
    return f"{value:.3f}" if abs(value) < 100.0 else f"{value:.4g}"


def _is_number(value):
    return value is not None and math.isfinite(value)


def _show_failures(out, failed):
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for standing in failed:
        grid.add_row(cell(f" {standing.family}"), cell(f"not run: {standing.reason}", "dim"))
    out.print(grid)
