"""``separatrix explain MODEL TABLE``."""

from math import floor, isfinite, log10

import click

from separatrix.cli.options import as_json, command, query

LONGEST, LONGEST_NAME = 32, 64  # letters of a cell, and of the name of a column, that are shown
ROUNDING = 50 * 2.0**-52  # of a sum, relative to the sizes of its terms


@command(
    "separatrix explain model.sepx heart.csv --row 3",
    "separatrix explain model.sepx heart.csv --row 3 --json | jq .flips",
    short_help="Tell why one row gets its prediction, and what would change it.",
)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("table")
@click.option(
    "--row", "-r", type=click.IntRange(min=1), default=1, show_default=True, help="Which row; the first is 1."
)
@click.option(
    "--columns", "most", type=click.IntRange(min=1), default=12, show_default=True, help="How many columns to show."
)
@query
@as_json
def explain(model, table, row, most, query, as_json):
    """Tell why one row of a table gets its prediction: what each column adds, and what would change the decision.

    Contributions are measured against the mean of the training rows. The nearest flip is the smallest change of a
    single column that changes the decision. TABLE is a file (CSV, TSV, Parquet, Arrow), - for stdin, or the name of a
    bundled data set.
    """
    from separatrix.cli import output
    from separatrix.workflow.explain import explain_row

    explained = explain_row(model, table, row, query=query)
    if as_json:
        output.write_json("explain", explained.as_dict())
    else:
        _show(output.console(), explained, most)


def _show(out, explained, most):
    """Print what is predicted, what each column adds, and what would change it."""
    from separatrix.cli.output import paragraph

    explanation, target = explained.explanation, explained.target or "the target"
    predicted = explanation.prediction
    predicted = f"{predicted:.6g}" if explanation.task == "regression" else predicted
    paragraph(out, f"Row {explained.row}: {target} is predicted to be {predicted}.", "bold", gap=False)
    if explanation.probabilities:
        chances = ", ".join(f"{label} {100 * chance:.1f} %" for label, chance in explanation.probabilities.items())
        paragraph(out, f"Probabilities: {chances}.", gap=False)
    if explanation.distance is not None:
        side = explanation.towards if explanation.distance >= 0 else explanation.against
        paragraph(
            out,
            f"Signed distance to the boundary: {explanation.distance:+.3f} (on the side of {side}; in standard "
            "deviations of the prepared columns).",
            gap=False,
        )
    for note in explanation.notes:
        paragraph(out, note, "dim")
    if explanation.path:
        _show_path(out, explanation)
    if explanation.contributions:
        _show_contributions(out, explanation, most)
    if explanation.task == "classification":
        _show_flips(out, explanation)
    if explanation.boundary:
        _show_boundary(out, explanation, most)


def _show_path(out, explanation):
    from rich import box
    from rich.table import Table

    from separatrix.cli.output import cell, paragraph, print_table

    shares = explanation.scale == "probability"
    of = f"share of {explanation.towards}" if shares else "mean" if explanation.towards is None else "mean score"
    sides = f", for {explanation.towards} and against {explanation.against}," if explanation.against is not None else ""
    paragraph(out, f"The way through the tree, and the {of}{sides} among the training rows that are left:")
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    heads = (("question", "left"), ("value", "right"), ("answer", "left"), ("rows left", "right"), (of, "right"))
    for label, justify in heads:
        drawn.add_column(cell(label), justify=justify, overflow="fold")
    first = explanation.path[0].before
    drawn.add_row("all training rows", "", "", "", _level(first, shares))
    for step in explanation.path:
        cells = (step.question, _value(step.value), step.answer, f"{step.rows:,}", _level(step.after, shares))
        drawn.add_row(*map(cell, cells))
    print_table(out, drawn)


def _level(value, shares):
    return f"{100.0 * value:.1f} %" if shares else f"{value:.6g}"


def _show_contributions(out, explanation, most):
    from rich import box
    from rich.table import Table

    from separatrix.cli.output import cell, paragraph, print_table

    scale = f"to the {explanation.scale}"
    if explanation.against is not None:
        scale += f", for {explanation.towards} and against {explanation.against}"
    elif explanation.towards is not None:
        scale += f" of {explanation.towards}"
    paragraph(out, f"What each column adds {scale}, compared with {explanation.reference}:")
    shown = [each for each in explanation.contributions if each.contribution != 0.0][:most]
    longest = max((abs(each.contribution) for each in shown), default=1.0)
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for label, justify in (("column", "left"), ("value", "right"), ("adds", "right"), ("", "left")):
        drawn.add_column(label, justify=justify, overflow="fold")
    for each in shown:
        share = abs(each.contribution) / longest
        bar = ("+" if each.contribution > 0 else "-") * (max(1, round(16 * share)) if isfinite(share) else 1)
        style = "green" if each.contribution > 0 else "red"
        cells = (_name(each.column), _value(each.value), f"{each.contribution:+.4g}")
        drawn.add_row(*map(cell, cells), cell(bar, style))
    rest = [each.contribution for each in explanation.contributions][len(shown) :]
    if any(rest):
        drawn.add_row(f"{len(rest)} other columns", "", f"{sum(rest):+.4g}", "")
    eta, mean_eta = explanation.score, explanation.mean_score
    size = abs(mean_eta) + sum(abs(each.contribution) for each in explanation.contributions)
    if abs(eta) <= ROUNDING * size:
        eta = 0.0
    drawn.add_row("all columns", "", f"{eta - mean_eta:+.4g}", f"from {mean_eta:.4g} to {eta:.4g}")
    print_table(out, drawn)


def _show_flips(out, explanation):
    from separatrix.cli.output import paragraph

    if not explanation.flips:
        paragraph(out, "No change of a single column that could be tried changes the decision.")
        return
    paragraph(out, "Smallest changes of a single column that change the decision:")
    for flip in explanation.flips[:3]:
        about = [_how_far(flip)] if flip.unit else []
        about += ["beyond all training rows"] if flip.outside else []
        aside = f" ({', '.join(about)})" if about else ""
        to = _value(flip.to) if isinstance(flip.to, str) else outwards(flip.value, flip.to)
        change = f"{_name(flip.column)} from {_value(flip.value)} to {to}"
        paragraph(out, f"  {change}: {flip.prediction}{aside}", gap=False)


def _how_far(flip):
    """The size of a change: "by 1 standard deviation", "by 1.2 standard deviations"."""
    size = f"{flip.size:.2g}"
    return f"by {size} {flip.unit.removesuffix('s') if size == '1' else flip.unit}"


def _show_boundary(out, explanation, most):
    from separatrix.cli.output import paragraph

    values = {each.column: each.value for each in explanation.contributions}
    moved = [name for name in values if name in explanation.boundary and explanation.boundary[name] != values[name]]
    values_there = [f"{_name(name)} {explanation.boundary[name]:.4g}" for name in moved[:most]]
    more = f", and {len(moved) - most} more" if len(moved) > most else ""
    paragraph(out, f"Nearest point of the boundary, by moving numbers: {', '.join(values_there)}{more}.")


def _name(column):
    from separatrix.core.printable import shortened

    return shortened(column, LONGEST_NAME)


def _value(value):
    if value is None:
        return "missing"
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
    return f"{value:.6g}"


def outwards(value, to):
    """A changed number with three digits of the change, rounded away from the value, so that the decision still flips.

    >>> outwards(52.0, 38.2711), outwards(0.5, 0.50123), outwards(33.0, 24.0), outwards(None, 3.14159)
    ('38.2', '0.50123', '24', '3.14159')
    """
    if value is None or to == value:
        return f"{to:.6g}"
    decimals = 2 - floor(log10(abs(to - value)))
    unit = 10.0**-decimals
    steps = (to - value) / unit
    whole = floor(steps) if steps < 0 else -floor(-steps)
    text = f"{value + whole * unit:.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
