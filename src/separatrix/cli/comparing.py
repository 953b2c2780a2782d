"""The parts of ``separatrix compare``: reading, running with progress, showing, writing."""

import os
import warnings
from pathlib import Path

from separatrix.cli import leaderboard, screen, understood
from separatrix.cli.working import Bar, Lines
from separatrix.core.refusal import cannot

BUNDLED = "breast_cancer"
REPORT_SECONDS = 20.0  # that a report may spend on fitting models again, for its curves


def must_be_writable(path):
    """Refuse a place that cannot be written to before minutes are spent on what would be written there."""
    if path is None:
        return
    folder = Path(path).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise cannot(
            f"write {str(path)!r}",
            because=f"the folder {str(folder)!r} {'may not be written to' if folder.is_dir() else 'does not exist'}",
            instead="a folder that exists and that you may write to",
            kind=OSError,
        )


def read_or_bundled(table, target, query):
    """The table and its target; without a table, the bundled one."""
    if table is not None or query is not None:
        from separatrix.tables import read

        return read(table, query=query), target
    from separatrix.cli.bundled import as_table

    return as_table(BUNDLED, target)


def run(table, target, *, quiet, as_json, exclude, families, **options):
    """The comparison, with what was understood said first and progress on stderr."""
    from separatrix.assess.compare import compare
    from separatrix.tables import understand

    if not as_json:
        understood.show(screen.console(), understand(table, target, task=options["task"], exclude=exclude))
    errors = screen.console(stderr=True)
    progress = None if quiet else Bar(errors) if errors.is_terminal else Lines()
    try:
        return compare(table, target, exclude=exclude, families=families or None, progress=progress, **options)
    finally:
        if progress is not None:
            progress.end()


def write_model(path, table, comparison, command, test):
    """Write the chosen model with all that is needed to predict, explain and verify; return the path."""
    from separatrix.cli.provenance import remembered
    from separatrix.inference.seen import Reference
    from separatrix.persist import save

    about = remembered(
        table,
        comparison.understanding,
        family=comparison.recommended,
        score=comparison.score,
        split={"test": test, "seed": comparison.seed, "fitted_rows": fitted_rows(comparison)},
        command=command,
        reference=Reference.of(comparison.model, comparison.train).as_dict(),
    )
    save(comparison.model, path, about=about)
    return path


def fitted_rows(comparison):
    """How many of the training rows the chosen model was fitted to; all, unless the budget did not allow it."""
    return getattr(comparison, "fitted_rows", None) or len(comparison.y_train)


def write_report(path, comparison, command):
    """Write the report; return the path."""
    import shlex

    from separatrix.report import write

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits to small parts of the data, made for the curves only
        write(comparison, path, command=shlex.join(command), seconds=REPORT_SECONDS)
    return path


def show(out, comparison, written, table):
    """Print leaderboard, recommendation, test and what to do next."""
    rounds = (
        f"{comparison.folds} folds × {comparison.repeats}" if comparison.repeats > 1 else f"{comparison.folds} folds"
    )
    better = "higher" if comparison.higher_is_better else "lower"
    score = comparison.score[:1].upper() + comparison.score[1:]
    screen.say(
        out,
        f"{score} ({better} is better), mean ± standard error over {rounds} of {len(comparison.y_train):,} rows, in "
        f"{screen.duration(comparison.seconds)}. Models of one group cannot be told apart.",
    )
    leaderboard.show(out, comparison)
    screen.say(out, f"Recommended: {comparison.why}", "bold")
    for standing in comparison.standings:
        if standing.note and not standing.failed:
            screen.say(out, f"{standing.family}: {standing.note}.", "dim", gap=False)
    if comparison.test_measures:
        told = leaderboard.plus_minus(comparison.test_score, comparison.test_error)
        screen.say(out, f"On the {len(comparison.y_test):,} test rows, used once: {comparison.score} {told}.")
    for place, (what, path) in enumerate((what, path) for what, path in written.items() if path):
        screen.say(out, f"Written: {path} ({what})", gap=place == 0)
    if written["model"]:
        name = table or "NEW_TABLE.csv"
        screen.say(out, f"Next:  separatrix predict {written['model']} {name}", "dim")
        screen.say(out, f"       separatrix explain {written['model']} {name} --row 1", "dim", gap=False)
        screen.say(out, f"       separatrix verify {written['model']} {name}", "dim", gap=False)
