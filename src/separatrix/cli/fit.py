"""``separatrix fit TABLE --target COLUMN --family NAME``."""

from functools import partial

import click

from separatrix.cli.options import OutputFile, as_json, command, query, require_target, seed, target


@command(
    'separatrix fit heart.csv --target chd --family "logistic regression, L2"',
    'separatrix fit wine --family "linear discriminant"',
    "separatrix fit heart.csv --target chd --family LogisticRegression --set C=0.1 -o heart.sepx",
    "separatrix fit prostate.csv --target lpsa --family lasso --exclude train",
    short_help="Fit one model to a table, print its certificate, write it to a file.",
)
@click.argument("table", required=False)
@target
@click.option("--family", "-f", metavar="NAME", required=True, help="A name from the leaderboard, or a class.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter of the model; repeatable.")
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="What the target is; guessed if not said."
)
@click.option("--exclude", metavar="COLUMN", multiple=True, help="A column to leave out; repeatable.")
@click.option(
    "--output",
    "-o",
    "path",
    default="model.sepx",
    show_default=True,
    type=OutputFile(),
    help="The model file to write.",
)
@query
@seed
@as_json
def fit(table, target, family, settings, task, exclude, path, query, seed, as_json):
    """Fit one model to all rows of a table, with its preparation; print its certificate and write a model file.

    TABLE is a file (CSV, TSV, Parquet, Arrow), - for stdin, or the name of a bundled data set.
    """
    from pathlib import Path

    from separatrix.cli import output
    from separatrix.workflow.datasets import bundled_name
    from separatrix.workflow.fit import fit_table

    require_target(table, target, query)
    out = output.console()
    fitted = fit_table(
        table,
        target,
        family,
        path,
        settings=settings,
        task=task,
        exclude=exclude,
        query=query,
        seed=seed,
        command=click.get_current_context().find_root().meta["command line"],
        understood=None if as_json else partial(output.print_understanding, out),
    )
    if as_json:
        output.write_json("fit", fitted.as_dict())
        return
    model, certificate = fitted.model, fitted.certificate
    output.paragraph(
        out,
        f"{fitted.name}: {type(model).__name__} of {model.n_features_in_:,} prepared columns, {fitted.rows:,} rows.",
    )
    output.paragraph(
        out,
        str(certificate) if certificate is not None else "No certificate: a closed form or a count.",
        gap=False,
    )
    output.paragraph(out, f"Written: {path}")
    if table is not None:
        output.propose(out, ["separatrix", "predict", Path(path), table if bundled_name(table) else Path(table)])
