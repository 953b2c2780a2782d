"""``separatrix explain MODEL TABLE``."""

import click

from separatrix.cli.options import as_json, command, query


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
    single column that changes the decision. TABLE is a file (CSV, TSV, Parquet, Arrow), or - for stdin.
    """
    from separatrix.cli import provenance, reasons, screen
    from separatrix.core.refusal import cannot
    from separatrix.inference.explain import explain as reasons_for
    from separatrix.persist import about, load
    from separatrix.tables import read

    remembered, whole = about(model), read(table, query=query)
    if row > len(whole):
        raise cannot(
            f"explain row {row} of {whole.source}",
            because=f"it has {len(whole):,} rows",
            instead=f"--row 1 to {len(whole)}",
        )
    found = reasons_for(load(model), whole.take([row - 1]), reference=provenance.explained_by(remembered))
    if as_json:
        screen.write_json("explain", {"model": model, "table": whole.source, "row": row, **found.as_dict()})
    else:
        reasons.show(screen.console(), found, remembered, row, most)
