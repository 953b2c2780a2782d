"""Results on the screen."""

from rich.console import Console
from rich.table import Table

YARDSTICK = "by hand"  # not a package: shown apart from the ratio to the best rival, as are parts of the work
ROUNDING = 1e-16  # below this a difference of two objectives says nothing


def show(rows, megabytes, proof=None, slow=()):
    """One problem, one number of threads: a row per contestant, and the ratios below."""
    if not rows:
        return
    first = rows[0]
    size = f"{first.shape[0]:,}×{first.shape[1]:,}, X {megabytes:,.0f} MB"
    title = f"{first.group} {first.variant} ({size}), {first.threads} thread{'s' if first.threads > 1 else ''}"
    table = Table(title=title, title_justify="left")
    table.add_column("contestant")
    for name in ("tol", "seconds", "suboptimality", f"≤ {first.target:g}", "our gap", "extra MB", "% of X"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        style = "bold" if row.side == "ours" else "" if row.reached or row.yardstick else "dim"
        if row.seconds is None:
            table.add_row(f"{row.contestant}: {row.note}", *[""] * 7, style="dim")
            continue
        table.add_row(
            f"{row.contestant}: {row.note}" if row.note else row.contestant,
            "" if row.tolerance is None else f"{row.tolerance:.0e}",
            f"{row.seconds:.4f}" if row.reached or row.yardstick else f"({row.seconds:.4f})",
            *_judgement(row),
            "" if row.certificate is None else f"{row.certificate:.1e}",
            f"{row.extra_mb:.1f}",
            f"{row.extra_percent:.0f}",
            style=style,
        )
    console = Console(width=None if Console().is_terminal else 120)
    console.print(table)
    if proof is not None:
        console.print(f"reference proved to a relative gap of {proof:.0e}", style="dim")
    if slow:
        console.print(f"left out as slow, unless --rivals names them: {', '.join(slow)}", style="dim")
    for line in ratios(rows):
        console.print(line, style="bold")
    console.print()


def _judgement(row):
    if row.yardstick:
        return "", ""
    shown = f"{row.suboptimality:.1e}" if row.suboptimality >= ROUNDING else f"< {ROUNDING:.0e}"
    return shown, "yes" if row.reached else "no"


def ratios(rows):
    """Lines that set our seconds against the best rival that reached the target, and against the yardsticks."""
    mine = min((row.seconds for row in rows if row.side == "ours" and row.reached), default=None)
    ran = any(row.side == "ours" and not row.yardstick for row in rows)
    absent = "ours did not reach the target" if ran else "ours was not run"
    others = [row for row in rows if row.side == "rivals" and row.reached]
    lines = []
    for part in (row for row in rows if row.yardstick and row.seconds is not None):
        ratio = absent if mine is None else f"{mine / part.seconds:.3f}"
        lines.append(f"ratio to {part.contestant} ({part.seconds:.4f} s): {ratio}")
    yardsticks = [row for row in others if row.contestant == YARDSTICK]
    packages = [row for row in others if row.contestant != YARDSTICK]
    for kind, group in (("by hand", yardsticks), ("best rival", packages)):
        if group:
            best = min(group, key=lambda row: row.seconds)
            ratio = absent if mine is None else f"{mine / best.seconds:.3f}"
            lines.append(f"ratio to {kind} ({best.contestant}, {best.seconds:.4f} s): {ratio}")
    return lines if others else [*lines, "ratio to best rival: no rival reached the target"]


def show_startup(result):
    table = Table(title=f"startup, {result['threads']} threads, second process", title_justify="left")
    for name in ("program", "best s", "median s"):
        table.add_column(name, justify="left" if name == "program" else "right")
    for name, row in result["rows"].items():
        table.add_row(name, *("failed" if row[key] is None else f"{row[key]:.3f}" for key in ("best", "median")))
    console = Console()
    console.print(table)
    mine, theirs = result["rows"]["separatrix: import + fit"], result["rows"]["sklearn: import + fit"]
    if mine["best"] is not None and theirs["best"] is not None:
        console.print(
            f"ratio to sklearn: {mine['best'] / theirs['best']:.3f} (best), "
            f"{mine['median'] / theirs['median']:.3f} (median)\n",
            style="bold",
        )
