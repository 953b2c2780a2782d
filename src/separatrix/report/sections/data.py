"""The data: rows, columns with their kinds, missing cells, columns left out and why, class shares."""

import numpy as np

from separatrix.report.blocks import Facts, Heading, Note, grid
from separatrix.report.numbers import counted, short
from separatrix.report.registry import section

MOST_COLUMNS = 60
OPEN_COLUMNS = 12
MOST_LEVELS = 40


@section("data", "The data", order=30, always=True)
def data(context):
    """The Understanding of the table."""
    facts, comparison = context.understanding, context.comparison
    used = [column for column in facts.columns if column.used]
    left_out = [column for column in facts.columns if not column.used]
    parts = [Facts(tuple(_pairs(facts, comparison, used, left_out)))]
    parts += [Note(note) for note in facts.notes]
    if context.is_classification:
        parts += [Heading("Balance of the classes"), _balance(facts)]
    else:
        parts += _target(comparison)
    if used:
        parts += [Heading("Columns that were used"), _columns(used, "used")]
    if left_out:
        parts += [Heading("Columns that were left out"), _columns(left_out, "left out")]
    return parts


def _pairs(facts, comparison, used, left_out):
    yield "rows", f"{facts.rows:,}"
    if facts.unlabelled:
        yield "rows without a target", f"{facts.unlabelled:,}, set aside"
    yield "learnt from", counted(len(comparison.y_train), "row")
    if len(comparison.y_test):
        yield "kept for the test at the end", counted(len(comparison.y_test), "row")
    kinds = {}
    for column in used:
        kinds[column.kind] = kinds.get(column.kind, 0) + 1
    yield "columns used", f"{len(used)}: " + ", ".join(f"{count} × {kind}" for kind, count in sorted(kinds.items()))
    if left_out:
        yield "columns left out", f"{len(left_out)}"
    yield "missing cells in the columns used", _missing(facts, used)


def _missing(facts, used):
    # cells are counted in the rows that have a target
    missing, cells = sum(column.missing for column in used), (facts.rows - facts.unlabelled) * len(used)
    if not missing:
        return "none"
    columns = sum(column.missing > 0 for column in used)
    return f"{missing:,} of {cells:,} ({_share(missing, cells)}), in {counted(columns, 'column')}"


def _share(part, whole):
    share = 100.0 * part / whole if whole else 0.0
    return f"{share:.0f} %" if share >= 9.95 else f"{share:.1f} %" if share >= 0.1 or part == 0 else "< 0.1 %"


def _balance(facts):
    total = sum(facts.counts)
    pairs = sorted(zip(facts.classes, facts.counts), key=lambda pair: -pair[1])
    rows = [(str(label), f"{count:,}", _share(count, total)) for label, count in pairs[:MOST_LEVELS]]
    more = f" The {MOST_LEVELS} commonest of {len(pairs)} classes." if len(pairs) > MOST_LEVELS else ""
    return grid(("class", "rows", "share"), rows, f"Rows of each class of {facts.target}.{more}")


def _target(comparison):
    y = np.asarray(comparison.y_train, dtype=np.float64)
    low, quarter, median, three, high = np.quantile(y, [0.0, 0.25, 0.5, 0.75, 1.0])
    return [
        Heading("The target"),
        Facts(
            (
                ("lowest and highest", f"{short(low, 4)} to {short(high, 4)}"),
                ("middle half of the rows", f"{short(quarter, 4)} to {short(three, 4)}"),
                ("median", short(median, 4)),
                ("mean", short(y.mean(), 4)),
                ("standard deviation", short(y.std())),
            )
        ),
    ]


def _columns(columns, word):
    rows = [
        (column.name, column.kind, f"{column.missing:,}", f"{column.distinct:,}", column.shown, column.why)
        for column in columns[:MOST_COLUMNS]
    ]
    heads = ("column", "kind", "missing", "distinct", "values", "remark")
    more = f" The first {MOST_COLUMNS} of {len(columns):,}." if len(columns) > MOST_COLUMNS else ""
    folded = f"All {counted(len(columns), 'column')}" if len(columns) > OPEN_COLUMNS else ""
    folded = f"The first {MOST_COLUMNS} of {len(columns):,} columns" if more else folded
    return grid(heads, rows, f"Columns {word}.{more}", cards=True, folded=folded)
