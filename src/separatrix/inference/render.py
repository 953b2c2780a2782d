"""How a summary looks: numbers with as many digits as they deserve, in a terminal and in a notebook."""

import io
from html import escape
from math import floor, isfinite, isinf, log10

from separatrix.core.printable import printable

MOST_ROWS = 60
SMALLEST_P = 2.2e-16  # below the rounding of 1 - p no p-value is told apart
UNDEFINED = "–"


def significant(value, wanted, trusted=15):
    """A number with `wanted` significant digits, never more than are `trusted`.

    >>> significant(1234.5678, 6), significant(1234.5678, 6, trusted=2), significant(0.00001234, 3)
    ('1234.57', '1.2e+03', '0.0000123')
    """
    if value is None:
        return UNDEFINED
    if not isfinite(value):
        return ("∞" if value > 0 else "-∞") if isinf(value) else UNDEFINED
    if value == 0.0:
        return "0"
    digits = max(1, min(wanted, trusted))
    scientific = f"{value:.{digits - 1}e}"
    exponent = int(scientific.split("e")[1])
    if -6 < exponent < digits:
        return f"{value:.{digits - 1 - exponent}f}"
    if digits <= exponent < min(trusted, 7):
        return f"{value:.0f}"  # 890420 reads better than 8.904e+05, where the digits are trusted
    return scientific


def p_value(p):
    """A probability, in words where it is too small to be told from zero.

    >>> p_value(0.03456), p_value(3.2e-7), p_value(1e-40)
    ('0.0346', '3.2e-07', '<2e-16')
    """
    if p is None:
        return UNDEFINED
    if p < SMALLEST_P:
        return "<2e-16"
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def count(value):
    """A number of rows or of degrees of freedom: whole, unless weights made it fractional."""
    if value is None:
        return UNDEFINED
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


def columns(table, level):
    """Labels and cells of a table: only the columns in which something is defined."""
    rows = shown_rows(table)
    cells = {
        "": [printable(row.name) for row in rows],
        "estimate": [_estimate(row) for row in rows],
        "std. error": [_unless_aliased(row, significant(row.error, 4)) for row in rows],
        "t": [_unless_aliased(row, _t(row.t)) for row in rows],
        "z": [_unless_aliased(row, _t(row.z)) for row in rows],
        "p": [_unless_aliased(row, p_value(row.p)) for row in rows],
        f"{100 * level:.4g}% from": [_unless_aliased(row, _bound(row, row.low)) for row in rows],
        "to": [_unless_aliased(row, _bound(row, row.high)) for row in rows],
        "odds ratio": [_unless_aliased(row, significant(row.odds_ratio, 4)) for row in rows],
        "OR from": [_unless_aliased(row, significant(row.odds_low, 4)) for row in rows],
        "OR to": [_unless_aliased(row, significant(row.odds_high, 4)) for row in rows],
        "digits": [_unless_aliased(row, _digits(row)) for row in rows],
        "recorded ±": [_unless_aliased(row, significant(row.recorded, 2)) for row in rows],
    }
    return {label: column for label, column in cells.items() if set(column) - {"", UNDEFINED}}


def shown_rows(table):
    """The rows to print: all, but of a model that selects only those it selected; and no more than fill a page.

    Infinite coefficients come after the finite ones.
    """
    rows = sorted(table.rows, key=lambda row: row.infinite)
    if "nonzero" in table.statistics:
        rows = [row for row in rows if row.estimate != 0.0 or row.name == "intercept"]
    return rows[:MOST_ROWS]


def _estimate(row):
    if row.aliased:
        return "aliased"
    shown = significant(row.estimate, _wanted(row), _trusted(row))
    return shown + ("?" if row.digits is not None and row.digits < 1.0 else "")


def _wanted(row):
    """Digits of the estimate down to the fourth digit of its standard error: beyond that all is noise."""
    if not row.error or not row.estimate or not isfinite(row.error):
        return 6
    return min(9, max(2, floor(log10(abs(row.estimate))) - floor(log10(row.error)) + 4))


def _bound(row, value):
    """A bound of the interval, to the decimal of the estimate."""
    if not row.estimate or not isfinite(row.estimate) or not value or not isfinite(value):
        return significant(value, 5)
    wanted = _wanted(row) + floor(log10(abs(value))) - floor(log10(abs(row.estimate)))
    return significant(value, min(9, max(1, wanted)))


def _trusted(row):
    return 15 if row.digits is None else int(row.digits)


def _t(t):
    if t is None or not isfinite(t):
        return significant(t, 4)
    return f"{t:.2f}" if abs(t) < 1e4 else significant(t, 4)


def _digits(row):
    return UNDEFINED if row.digits is None else str(max(0, int(row.digits)))


def _unless_aliased(row, cell):
    return "" if row.aliased else cell


def facts(table):
    """Labels and values of the statistics that are defined."""
    statistics = table.statistics
    shown = []
    if "nonzero" in statistics:
        shown.append(("nonzero slopes", f"{statistics['nonzero']} of {statistics['p']}"))
    for key, label, form in (
        ("n", "observations", count),
        ("residual_df", "residual df", count),
        ("rank", "rank of slopes", count),
        ("edf", "effective df", count),
        ("sigma", "residual scale", lambda v: significant(v, 5)),
        ("r_squared", "R²", _share),
        ("adjusted_r_squared", "adjusted R²", _share),
        ("dispersion", "dispersion", lambda v: significant(v, 5)),
        ("null_deviance", "null deviance", lambda v: f"{v:.2f}"),
        ("deviance", "deviance", lambda v: f"{v:.2f}"),
        ("pseudo_r_squared", "McFadden R²", _share),
        ("log_likelihood", "log-likelihood", lambda v: f"{v:.2f}"),
        ("penalised_log_likelihood", "penalised log-likelihood", lambda v: f"{v:.2f}"),
        ("aic", "AIC", lambda v: f"{v:.2f}"),
        ("bic", "BIC", lambda v: f"{v:.2f}"),
        ("condition", "condition", lambda v: significant(v, 3)),
    ):
        if statistics.get(key) is not None:
            shown.append((label, form(statistics[key])))
    if "slack" in statistics:
        from separatrix.inference.margins import shown_facts

        shown += shown_facts(statistics)
    for test, name in (("f", "F"), ("lr", "LR χ²")):
        if statistics.get(test) is not None:
            df = ", ".join(map(count, statistics[f"{test}_df"]))
            shown.append((f"{name}({df})", f"{significant(statistics[test], 4)}, p {p_value(statistics[f'{test}_p'])}"))
    return shown


def _share(value):
    """R²: enough nines to tell a fit from a perfect one."""
    if value == 1.0 or value <= 0.999:
        return f"{value:.4f}"
    return f"{value:.{min(12, 3 - floor(log10(1.0 - value)))}f}"


def title(summary):
    """What is shown, and under which assumptions."""
    parts = []
    if summary.covariance is not None:
        penalised = summary.tables[0].statistics.get("edf") is not None
        parts.append("standard errors around a shrunken mean" if penalised else f"{summary.covariance} standard errors")
    if summary.intervals == "profile":
        parts.append("profile-likelihood intervals")
    if summary.weights not in (None, "frequency"):  # of repetitions a note speaks, where there are weights
        parts.append(f"{summary.weights} weights")
    return " · ".join(parts)


def remarks(summary, table):
    """The notes, and how many rows were left out of the printed table."""
    chosen = table.rows if "nonzero" not in table.statistics else [r for r in table.rows if r.estimate != 0.0]
    left = len(chosen) - MOST_ROWS
    more = (f"{left} more rows are in to_frame() and to_dict().",) if left > 0 else ()
    return (*more, *map(printable, summary.notes))


def text(summary, width=100):
    """The summary as plain text, without colours."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    for part in renderables(summary, width):
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def renderables(summary, width):
    """The parts of a summary for a rich console."""
    from rich.padding import Padding
    from rich.text import Text

    for table in summary.tables:
        head = Text(summary.model, style="bold")
        if len(summary.tables) > 1:
            head.append(f"  {printable(table.output)}")
        if title(summary):
            head.append(f"  {title(summary)}", style="dim")
        yield Padding(head, (0, 0, 0, 1))
        if table.rows:
            yield rich_table(fitting(columns(table, summary.level), width))
        if _said_below(summary, table):
            continue
        yield Padding(_rich_facts(facts(table), width), (0, 0, 0, 1))
        if table.statistics.get("certificate"):
            yield Padding(Text(table.statistics["certificate"]), (0, 0, 0, 1))
        yield Text("")
    for remark in remarks(summary, summary.tables[0]):
        yield Padding(Text(remark, style="dim"), (0, 0, 0, 1))


def _said_below(summary, table):
    """Whether the next table has the same statistics, as the tables of one multinomial fit have."""
    place = next(i for i, other in enumerate(summary.tables) if other is table)
    return place + 1 < len(summary.tables) and summary.tables[place + 1].statistics == table.statistics


def fitting(cells, width, gap=2, least_name=12):
    """Columns that fit a width whole: numbers are never cut, so a narrow terminal gets fewer columns.

    Given up in this order: the alignment of decimal points, the interval of the odds ratio, the interval, the digits to
    trust, the effect of rounding as recorded, the odds ratio, t or z.
    """
    names = {"": cells[""]}
    numbers = {label: column for label, column in cells.items() if label}
    room = width - 2 - min(least_name, max(map(len, cells[""])))
    interval = [label for label in numbers if label == "to" or label.endswith("% from")]
    attempts, given_up = [{label: aligned_by_point(column) for label, column in numbers.items()}], []
    for last in ([], ["OR from", "OR to"], interval, ["digits"], ["recorded ±"], ["odds ratio"], ["t", "z"]):
        given_up = [*given_up, *last]
        attempts.append({label: column for label, column in numbers.items() if label not in given_up})
    for attempt in attempts:
        if sum(gap + max(map(len, (label, *column))) for label, column in attempt.items()) <= room:
            break
    return {**names, **attempt}


def rich_table(cells):
    """Columns as a table for a rich console; the first holds names, the others numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    drawn_columns = []
    for label, column in cells.items():
        if label:
            # set flush right here: rich would strip the padding that aligns the points
            label, *column = _flush_right([label, *column])
        drawn.add_column(Text(label), overflow="fold", no_wrap=bool(label))
        drawn_columns.append(column)
    for row in zip(*drawn_columns):
        drawn.add_row(*(Text(cell) for cell in row))  # Text: a feature may be called "[bold]"
    return drawn


def _flush_right(cells):
    width = max(map(len, cells))
    return [cell.rjust(width) for cell in cells]


def _rich_facts(pairs, width):
    from rich.table import Table

    across = 3 if width >= 88 else 2 if width >= 70 else 1
    while across > 1 and _breadth(pairs, across) > width:
        across -= 1

    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(across):
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(justify="right", min_width=10, no_wrap=True)
    height = -(-len(pairs) // across)
    for i in range(height):
        grid.add_row(*(cell for pair in pairs[i::height] for cell in pair))
    return grid


def _breadth(pairs, across):
    """Letters that so many pairs beside each other take."""
    height = -(-len(pairs) // across)
    columns = [list(zip(*pairs[start : start + height])) for start in range(0, len(pairs), height)]
    return sum(max(map(len, labels)) + max(10, *map(len, values)) + 4 for labels, values in columns) - 1


def aligned_by_point(cells):
    """Pad numbers on the right so that their decimal points stand under each other.

    >>> aligned_by_point(["1.25", "-30", "aliased"])
    ['1.25', '-30   ', 'aliased']
    """
    tails = [len(cell) - _point(cell) for cell in cells]
    longest = max((tail for cell, tail in zip(cells, tails) if _is_number(cell)), default=0)
    return [cell + " " * (longest - tail) if _is_number(cell) else cell for cell, tail in zip(cells, tails)]


def _is_number(cell):
    return cell[-1:].isdigit() and not cell.startswith("<")


def _point(cell):
    """Where the decimal point is, or would be."""
    for i, character in enumerate(cell):
        if character in ".e":
            return i
    return len(cell)


STYLE = """
.separatrix-summary{font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
color:inherit;max-width:60rem;margin:.4rem 0}
.separatrix-summary .head{display:flex;gap:.75rem;align-items:baseline;margin:.9rem 0 .35rem}
.separatrix-summary .head b{font-size:1.12em;font-weight:650}
.separatrix-summary .soft{opacity:.66}
.separatrix-summary .wide{overflow-x:auto}
.separatrix-summary table{border-collapse:collapse;border:0;margin:0;font:inherit;color:inherit;
font-variant-numeric:tabular-nums}
.separatrix-summary tr{background:none!important}
.separatrix-summary th,.separatrix-summary td{padding:.24rem .8rem;text-align:right;white-space:pre;border:0;
color:inherit;background:none}
.separatrix-summary thead th{font-weight:500;opacity:.66;border-bottom:1.5px solid rgba(128,128,128,.65)}
.separatrix-summary tbody th{font-weight:600;text-align:left;white-space:normal;overflow-wrap:anywhere;max-width:22rem}
.separatrix-summary thead th:first-child{text-align:left}
.separatrix-summary tbody tr+tr>*{border-top:1px solid rgba(128,128,128,.2)}
.separatrix-summary tbody tr:last-child>*{border-bottom:1.5px solid rgba(128,128,128,.65)}
.separatrix-summary td.word{font-style:italic;opacity:.66}
.separatrix-summary dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(13.5rem,16rem));gap:.1rem 2.2rem;
margin:.7rem .8rem .5rem}
.separatrix-summary dl div{display:flex;justify-content:space-between;gap:1rem}
.separatrix-summary dt{font-weight:400;opacity:.66;margin:0}
.separatrix-summary dd{margin:0;font-variant-numeric:tabular-nums;white-space:nowrap}
.separatrix-summary .seal{margin:.2rem .8rem;font-weight:550}
.separatrix-summary .seal::before{content:"✓ ";color:#2a9d5c}
.separatrix-summary .seal.broken::before{content:"✗ ";color:#d1495b}
.separatrix-summary p.note{margin:.25rem .8rem;opacity:.75;font-size:.93em;max-width:48rem}
"""


def html(summary):
    """The summary as a piece of HTML that brings its style along and takes its colours from the page."""
    parts = [f"<style>{STYLE}</style>"]
    for table in summary.tables:
        output = f"<span>{escape(printable(table.output))}</span>" if len(summary.tables) > 1 else ""
        soft = f'<span class="soft">{escape(title(summary))}</span>'
        parts.append(f'<div class="head"><b>{escape(summary.model)}</b>{output}{soft}</div>')
        if table.rows:
            parts.append(f'<div class="wide">{html_table(columns(table, summary.level))}</div>')
        if _said_below(summary, table):
            continue
        pairs = (f"<div><dt>{escape(label)}</dt><dd>{_html_number(value)}</dd></div>" for label, value in facts(table))
        parts.append(f"<dl>{''.join(pairs)}</dl>")
        certificate = table.statistics.get("certificate")
        if certificate:
            broken = " broken" if certificate.startswith("NOT") else ""
            parts.append(f'<div class="seal{broken}">{escape(certificate)}</div>')
    parts += [f'<p class="note">{escape(remark)}</p>' for remark in remarks(summary, summary.tables[0])]
    return f'<div class="separatrix-summary">{"".join(parts)}</div>'


def html_table(cells):
    """Columns as an HTML table; the first holds names, the others numbers."""
    head = "".join(f'<th scope="col">{escape(label)}</th>' for label in cells)
    aligned = [column if not label else aligned_by_point(column) for label, column in cells.items()]
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_html_cell, numbers))}</tr>'
        for name, *numbers in zip(*aligned)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(cell):
    kind = ' class="word"' if cell == "aliased" else ""
    return f"<td{kind}>{_html_number(cell)}</td>"


def _html_number(cell):
    """A true minus sign, and padding as wide as the point and the digits it stands for."""
    bare = cell.rstrip(" ")
    missing = len(cell) - len(bare)
    padding = ""
    if missing:
        padding = "\u2007" * missing if "." in bare else "\u2008" + "\u2007" * (missing - 1)
    return escape(bare.replace("-", "\u2212")) + padding
