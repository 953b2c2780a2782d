"""``separatrix datasets [NAME]``."""

import click

from separatrix.cli.options import as_json, command


@command(
    "separatrix datasets",
    "separatrix datasets iris --csv > iris.csv",
    "separatrix datasets iris --csv | separatrix compare - --target species",
    short_help="List the bundled data sets, or print one as CSV.",
)
@click.argument("name", required=False)
@click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV, the target last.")
@as_json
def datasets(name, as_csv, as_json):
    """List the bundled data sets, tell more of one, or print it as CSV."""
    from separatrix.cli import output
    from separatrix.cli.streams import data_stream
    from separatrix.datasets import available
    from separatrix.workflow.datasets import data_set, data_set_facts, write_csv

    if name is None:
        if as_csv:
            raise click.UsageError("--csv needs the NAME of a data set; `separatrix datasets` lists them.")
        if as_json:
            listed = [{"name": each, "words": description} for each, description in available().items()]
            output.write_json("datasets", {"datasets": listed})
        else:
            _list(output.console(), available())
        return
    data = data_set(name)
    if as_csv:
        write_csv(data_stream(), data.table())
    elif as_json:
        table = data.table()
        columns = dict(zip(table.names, table.columns))
        output.write_json("datasets", {**data_set_facts(data), "columns": columns})
    else:
        _show(output.console(), data)


def _list(out, descriptions):
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, description in descriptions.items():
        grid.add_row(Text(f" {name}"), Text(description))
    out.print(grid)


def _show(out, data):
    from separatrix.cli.output import paragraph, propose

    paragraph(out, data.name, "bold", gap=False)
    paragraph(out, data.words, gap=False)
    kind = f"{len(data.classes)} classes: {', '.join(map(str, data.classes))}" if data.classes else "a number"
    paragraph(out, f"{len(data):,} rows; target {data.target_name}, {kind}.", gap=False)
    paragraph(out, f"Columns: {', '.join(data.feature_names)}.", gap=False)
    if data.truth is not None:
        paragraph(out, f"Truth: {data.truth.words}", gap=False)
    propose(out, ["separatrix", "datasets", data.name, "--csv", ">", f"{data.name}.csv"])
