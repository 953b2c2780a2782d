"""``separatrix where NAME``."""

import click

from separatrix.cli.options import as_json, command


@command(
    "separatrix where lasso",
    'separatrix where "logistic regression"',
    "separatrix where huber --json",
    short_help="Tell in which files a model, loss or solver is written.",
)
@click.argument("name", required=False)
@as_json
def where(name, as_json):
    """Tell in which files a model, loss, penalty or solver is written, and its formula.

    NAME is a name from the leaderboard, a class or a file, in any spelling. Without NAME all names are listed.
    """
    from separatrix.cli import output
    from separatrix.workflow.where import everything, find

    entries = find(name) if name else everything()
    if as_json:
        output.write_json("where", {"name": name, "found": [entry.as_dict() for entry in entries]})
    elif name:
        out = output.console()
        for entry in entries:
            _show(out, entry)
    else:
        _list(output.console(), entries)


def _show(out, entry):
    from rich.table import Table
    from rich.text import Text

    from separatrix.cli.output import paragraph

    heading = Text.assemble((entry.name, "bold"), ("  " + entry.kind, "dim"))
    if entry.called:
        heading.append(f"  “{'”, “'.join(entry.called)}” on the leaderboard", style="dim")
    paragraph(out, heading)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    rows = [("says", entry.sentence), ("formula", entry.formula), ("file", f"{entry.path}:{entry.line}")]
    rows += [(part.kind, _part(part)) for part in entry.parts]
    if entry.public and entry.kind == "model":
        rows.append(("import", f"from {entry.public} import {entry.name}"))
    rows.append(("from", entry.source))
    last = None
    for label, cell in rows:
        if cell:
            grid.add_row("  " + ("" if label == last else label), cell if isinstance(cell, Text) else Text(cell))
            last = label
    out.print(grid)


def _part(part):
    from rich.text import Text

    description = part.formula if part.kind != "solver" else part.sentence
    return Text.assemble(part.file, ("  " + description, "dim"))


def _list(out, entries):
    from separatrix.cli.output import paragraph

    for kind, title in (("model", "Models"), ("loss", "Losses"), ("penalty", "Penalties"), ("solver", "Solvers")):
        paragraph(out, title, "bold")
        paragraph(out, ", ".join(entry.name for entry in entries if entry.kind == kind), gap=False)
    paragraph(out, "separatrix where NAME tells more of each.", "dim")
