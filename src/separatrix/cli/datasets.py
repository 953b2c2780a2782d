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
    import sys

    from separatrix.cli import bundled, screen

    if name is None:
        if as_csv:
            raise click.UsageError("--csv needs the NAME of a data set; `separatrix datasets` lists them.")
        listed = bundled.lines()
        if as_json:
            screen.write_json("datasets", {"datasets": [{"name": n, "words": words} for n, words in listed.items()]})
        else:
            bundled.show_all(screen.console(), listed)
        return
    found = bundled.named(name)
    if as_csv:
        bundled.write_csv(sys.stdout, found.table())
    elif as_json:
        table = found.table()
        columns = dict(zip(table.names, table.columns))
        screen.write_json("datasets", {**bundled.facts(found), "columns": columns})
    else:
        bundled.show(screen.console(), found)
