"""An explanation of one row in a terminal."""

from math import floor, log10

LONGEST = 32  # letters of a cell that are shown


def show(out, found, about, row, most):
    """Print what is predicted, what each column adds, and what would change it."""
    from separatrix.cli.screen import say

    target = about.get("target") or "the target"
    say(out, f"Row {row}: {target} is predicted to be {_answer(found)}.", "bold", gap=False)
    if found.probabilities:
        chances = ", ".join(f"{label} {100 * chance:.1f} %" for label, chance in found.probabilities.items())
        say(out, f"Probabilities: {chances}.", gap=False)
    if found.distance is not None:
        side = found.towards if found.distance >= 0 else found.against
        say(
            out,
            f"Signed distance to the boundary: {found.distance:+.3f} (on the side of {side}; in standard deviations of "
            "the prepared columns).",
            gap=False,
        )
    for note in found.notes:
        say(out, note, "dim")
    if found.contributions:
        _show_contributions(out, found, most)
    if found.task == "classification":
        _show_flips(out, found)
    if found.boundary:
        _show_boundary(out, found, most)


def _answer(found):
    return f"{found.prediction:.6g}" if found.task == "regression" else found.prediction


def _show_contributions(out, found, most):
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from separatrix.cli.screen import say

    speaks = (
        "to the prediction"
        if found.task == "regression"
        else f"to the score, for {found.towards} and against {found.against}"
    )
    say(out, f"What each column adds {speaks}, beside a mean row:")
    shown = [each for each in found.contributions if each.contribution != 0.0][:most]
    longest = max((abs(each.contribution) for each in shown), default=1.0)
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for label, justify in (("column", "left"), ("value", "right"), ("adds", "right"), ("", "left")):
        drawn.add_column(label, justify=justify, overflow="fold")
    for each in shown:
        bar = ("+" if each.contribution > 0 else "-") * max(1, round(16 * abs(each.contribution) / longest))
        style = "green" if each.contribution > 0 else "red"
        cells = (each.column, _value(each.value), f"{each.contribution:+.4g}")
        drawn.add_row(*map(Text, cells), Text(bar, style=style))
    rest = [each.contribution for each in found.contributions][len(shown) :]
    if any(rest):
        drawn.add_row(f"{len(rest)} other columns", "", f"{sum(rest):+.4g}", "")
    drawn.add_row(
        "all columns", "", f"{found.score - found.mean_score:+.4g}", f"from {found.mean_score:.4g} to {found.score:.4g}"
    )
    out.print(drawn)


def _show_flips(out, found):
    from separatrix.cli.screen import say

    if not found.flips:
        say(out, "No change of a single column that could be tried changes the decision.")
        return
    say(out, "Smallest changes of a single column that change the decision:")
    for flip in found.flips[:3]:
        beyond = ", beyond all training rows" if flip.outside else ""
        to = flip.to if isinstance(flip.to, str) else outwards(flip.value, flip.to)
        say(
            out,
            f"  {flip.column} from {_value(flip.value)} to {to}: {flip.prediction} ({flip.size:.2g} away{beyond})",
            gap=False,
        )


def _show_boundary(out, found, most):
    from separatrix.cli.screen import say

    values = {each.column: each.value for each in found.contributions}
    moved = [name for name in values if name in found.boundary and found.boundary[name] != values[name]]
    words = [f"{name} {found.boundary[name]:.4g}" for name in moved[:most]]
    more = f", and {len(moved) - most} more" if len(moved) > most else ""
    say(out, f"Nearest point of the boundary, by moving numbers: {', '.join(words)}{more}.")


def _value(value):
    if value is None:
        return "missing"
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"
    return f"{value:.6g}"


def outwards(value, to):
    """A changed number with three digits of the change, rounded away from the value, so that it still changes all.

    >>> outwards(52.0, 38.2711), outwards(0.5, 0.50123), outwards(None, 3.14159)
    ('38.2', '0.50123', '3.14159')
    """
    if value is None or to == value:
        return f"{to:.6g}"
    decimals = 2 - floor(log10(abs(to - value)))
    unit = 10.0**-decimals
    steps = (to - value) / unit
    whole = floor(steps) if steps < 0 else -floor(-steps)
    return f"{value + whole * unit:.{max(decimals, 0)}f}"
