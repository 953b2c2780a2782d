"""``separatrix compare [TABLE] --target COLUMN``."""

import click

from separatrix.cli.options import Seconds, as_json, command, query, seed

TEST = 0.2  # share of the rows that are held out for the one test at the end


@command(
    "separatrix compare                                  a bundled data set, to see what it does",
    "separatrix compare heart.csv --target chd",
    "separatrix compare ames.csv -t SalePrice --exclude Id --budget 2m --report ames.html",
    "separatrix compare -t churned --query \"SELECT * FROM 'sales.parquet' WHERE year > 2020\"",
    short_help="Compare every fitting family of models on a table, and recommend one.",
)
@click.argument("table", required=False)
@click.option("--target", "-t", metavar="COLUMN", help="The column to predict; needed with TABLE.")
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="What the target is; guessed if not said."
)
@click.option("--score", metavar="NAME", help="What to compare by: roc_auc, accuracy, log_loss, rmse, mae, r2, ...")
@click.option("--budget", type=Seconds(), help="How long it may take: 30, 120s, 2m.")
@seed
@click.option(
    "--folds", type=click.IntRange(min=2), help="Folds of the cross-validation; by the number of rows if not said."
)
@click.option("--repeats", type=click.IntRange(min=1), help="How often the folds are drawn.")
@click.option("--exclude", metavar="COLUMN", multiple=True, help="A column to leave out; repeatable.")
@query
@click.option("--family", "families", metavar="NAME", multiple=True, help="Only this family; repeatable.")
@click.option(
    "--report", default="report.html", show_default=True, type=click.Path(dir_okay=False), help="The report to write."
)
@click.option(
    "--model", default="model.sepx", show_default=True, type=click.Path(dir_okay=False), help="The model file to write."
)
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--no-model", is_flag=True, help="Write no model file.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@as_json
@click.pass_context
def compare(context, table, target, budget, as_json, no_report, no_model, report, model, query, **asked):
    """Compare every family of models that fits a table, on the same folds, and recommend one.

    TABLE is a file (CSV, TSV, Parquet, Arrow), or - for stdin; without it a bundled data set is used. Nothing is asked:
    columns are understood, prepared and said. A fifth of the rows is held out and used once, to test the model that was
    chosen. A report and a model file are written.
    """
    from separatrix.cli import comparing, screen

    if (table is not None or query is not None) and target is None:
        raise click.UsageError("--target is missing: which column of TABLE is to be predicted?")
    for path in (None if no_report else report, None if no_model else model):
        comparing.must_be_writable(path)
    clock = comparing.Clock(budget, report=not no_report)
    whole, target = comparing.read_or_bundled(table, target, query)
    found = comparing.run(whole, target, clock, as_json=as_json, test=TEST, **asked)
    line = context.find_root().meta["command line"]
    written = {
        "model": None if no_model else comparing.write_model(model, whole, found, line, TEST),
        "report": None if no_report else comparing.write_report(report, found, line, clock.for_report()),
    }
    if as_json:
        screen.write_json("compare", {"table": whole.source, **found.as_dict(), "written": written})
    else:
        comparing.show(screen.console(), found, written, table)
