"""``separatrix compare [TABLE] --target COLUMN``."""

import math
from functools import partial

import click

from separatrix.cli.options import OutputFile, Seconds, as_json, command, query, require_target, seed, target

GROUPS = (
    "Group 1 holds the best and all that are not shown to be worse than it; each model of a later group is worse than "
    "the best of every group before (the chance of any false claim on the board is about 5 %, or less). Within a group "
    "the order is by score."
)


@command(
    "separatrix compare                                  a bundled data set, to see what it does",
    "separatrix compare wine                             another one, by its name",
    "separatrix compare heart.csv --target chd",
    "separatrix compare visits.csv -t relapse --group patient",
    "separatrix compare ames.csv -t SalePrice --exclude Id --budget 2m --report ames.html",
    "separatrix compare -t churned --query \"SELECT * FROM 'sales.parquet' WHERE year > 2020\"",
    short_help="Compare every fitting family of models on a table, and recommend one.",
)
@click.argument("table", required=False)
@target
@click.option(
    "--task", type=click.Choice(["classification", "regression"]), help="What the target is; guessed if not said."
)
@click.option(
    "--score", metavar="NAME", help="What to compare by: roc_auc, accuracy, log_loss, rmse, mae, medae, r2, ..."
)
@click.option(
    "--budget",
    type=Seconds(),
    default="5m",
    show_default=True,
    help="How long all of it may take, reading and report included: 30, 120s, 2m, 1h.",
)
@click.option(
    "--group", metavar="COLUMN", help="Keep rows with the same value together, in the folds and in the test part."
)
@seed
@click.option(
    "--folds", type=click.IntRange(min=2), help="Folds of the cross-validation; by the number of rows if not said."
)
@click.option("--repeats", type=click.IntRange(1, 1000), help="How often the folds are drawn.")
@click.option("--exclude", metavar="COLUMN", multiple=True, help="A column to leave out; repeatable.")
@query
@click.option("--family", "families", metavar="NAME", multiple=True, help="Only this family; repeatable.")
@click.option("--report", default="report.html", show_default=True, type=OutputFile(), help="The report to write.")
@click.option("--model", default="model.sepx", show_default=True, type=OutputFile(), help="The model file to write.")
@click.option("--no-report", is_flag=True, help="Write no report.")
@click.option("--no-model", is_flag=True, help="Write no model file.")
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@as_json
@click.pass_context
def compare(context, table, target, query, families, report, model, no_report, no_model, quiet, as_json, **options):
    """Compare every family of models that fits a table, on the same folds, and recommend one.

    TABLE is a file (CSV, TSV, Parquet, Arrow), - for stdin, or the name of a bundled data set (`separatrix datasets`);
    without it one of those is used. Nothing is asked: columns, score and positive class are understood and said. A
    fifth of the rows is held out and used once, to test the model that was chosen. No model was fitted to them;
    they are new only if they do not depend on the others (see --group). A report and a model file are written.
    """
    from separatrix.cli import output
    from separatrix.cli.progress import progress_on
    from separatrix.workflow.compare import compare_table

    if table is not None or query is not None:
        require_target(table, target, query)
    out = output.console()
    progress = None if quiet else progress_on(output.console(stderr=True))
    try:
        run = compare_table(
            table,
            target,
            query=query,
            families=families or None,
            model=None if no_model else model,
            report=None if no_report else report,
            command=context.find_root().meta["command line"],
            started=context.find_root().meta["started"],
            understood=None if as_json else partial(_announce, out, options["budget"]),
            progress=progress,
            **options,
        )
    finally:
        if progress is not None:
            progress.end()
    if as_json:
        output.write_json("compare", run.as_dict())
    else:
        _show(out, run, table if query is None else table or "new.csv")


def _announce(out, budget, understanding, question):
    """Print what was understood, the score, the positive class, the cost of a mistake, and warnings."""
    from separatrix.cli import output

    output.print_understanding(out, understanding)
    limit = f"Everything, report included, may take {_in_words(budget)} (--budget)."
    output.paragraph(out, " ".join([*question.lines(), limit]))
    for warning in question.warnings:
        output.paragraph(out, f"Warning: {warning}", "yellow")


def _in_words(seconds):
    from separatrix.cli.output import format_seconds

    return format_seconds(seconds).removesuffix(" 0 s").replace(".0 s", " s")


def _show(out, run, table):
    """Print leaderboard, recommendation, test and what to do next."""
    from pathlib import Path

    from separatrix.assess.compare.leaderboard import NO_SPREAD
    from separatrix.cli import leaderboard, output
    from separatrix.workflow.datasets import BUNDLED, bundled_name

    comparison, written = run.comparison, run.written
    rounds = (
        f"{comparison.folds} folds × {comparison.repeats}" if comparison.repeats > 1 else f"{comparison.folds} folds"
    )
    better = "higher" if comparison.higher_is_better else "lower"
    score = comparison.score[:1].upper() + comparison.score[1:]
    output.paragraph(
        out,
        f"{score} ({better} is better), mean ± standard error over {rounds} of {len(comparison.y_train):,} rows, in "
        f"{output.format_seconds(comparison.seconds)}. {GROUPS}",
    )
    leaderboard.show(out, comparison)
    output.paragraph(out, f"Recommended: {comparison.why}", "bold")
    for standing in comparison.standings:
        if standing.note and not standing.failed:
            output.paragraph(out, f"{standing.family}: {standing.note}.", "dim", gap=False)
    if comparison.test_measures:
        test = leaderboard.plus_minus(comparison.test_score, comparison.test_error)
        test += "" if math.isfinite(comparison.test_error) else f" ({NO_SPREAD})"
        output.paragraph(out, f"On the {len(comparison.y_test):,} test rows, used once: {comparison.score} {test}.")
    for place, (what, path) in enumerate((what, path) for what, path in written.items() if path):
        output.paragraph(out, f"Written: {path} ({what})", gap=place == 0)
    if comparison.budget is not None and run.seconds > comparison.budget:
        took, allowed = output.format_seconds(run.seconds), _in_words(comparison.budget)
        output.paragraph(
            out,
            f"All of this took {took}, longer than the budget of {allowed}: imports, the first fit of a family and a "
            "fit between two of its folds cannot be stopped.",
            "yellow",
        )
    if written["model"]:
        table = BUNDLED if table is None else table
        files = [Path(written["model"]), table if bundled_name(table) else Path(table)]
        commands = [["separatrix", "predict", *files]]
        commands += [["separatrix", "explain", *files, "--row", "1"]]
        commands += [["separatrix", "verify", *files]]
        output.propose(out, *commands)
