"""The parts of ``separatrix compare``: reading, running with progress, showing, writing."""

import os
import time
import warnings
from pathlib import Path

from separatrix.cli import leaderboard, screen
from separatrix.cli.progress import Bar, Lines
from separatrix.core.refusal import cannot

BUNDLED = "breast_cancer"
REPORT_SECONDS = 20.0  # that a report may spend on fitting models again, for its curves
# Of a budget, kept for the report and the model file: a share, within limits in seconds.
KEPT_SHARE, KEPT_LEAST, KEPT_MOST = 0.2, 4.0, 25.0


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
    from separatrix.workflow.datasets import as_table

    return as_table(BUNDLED, target)


class Clock:
    """What is left of a budget, from the start of the command to its end.

    Parameters
    ----------
    budget : float or None.  Seconds; None is no limit.
    report : bool.  Whether a report will be written.
    """

    def __init__(self, budget, report):
        self.started, self.budget = time.monotonic(), budget
        self.kept = min(max(KEPT_SHARE * budget, KEPT_LEAST), KEPT_MOST) if budget and report else 0.0

    def for_comparison(self):
        """Seconds for the comparison; a tenth of the budget at the least, whatever reading took."""
        return None if self.budget is None else max(self._left() - self.kept, 0.1 * self.budget)

    def for_report(self):
        """Seconds for the fits of the report: half of what is left, as pictures take their time too."""
        return REPORT_SECONDS if self.budget is None else min(max(0.5 * self._left(), 0.0), REPORT_SECONDS)

    def _left(self):
        return self.budget - (time.monotonic() - self.started)


def run(table, target, clock, *, quiet, as_json, exclude, families, **options):
    """The comparison, with what was understood said first and progress on stderr."""
    from separatrix.assess.compare.compare import compare
    from separatrix.tables import understand

    if not as_json:
        screen.show_understanding(screen.console(), understand(table, target, task=options["task"], exclude=exclude))
    errors = screen.console(stderr=True)
    progress = None if quiet else Bar(errors) if errors.is_terminal else Lines()
    try:
        options |= {"exclude": exclude, "families": families or None, "progress": progress}
        found = compare(table, target, budget=clock.for_comparison(), **options)
        found.budget = clock.budget  # as it was asked for
        return found
    finally:
        if progress is not None:
            progress.end()


def write_model(path, table, comparison, command, test):
    """Write the chosen model with all that is needed to predict, explain and verify; return the path."""
    from separatrix.workflow.provenance import remembered
    from separatrix.inference.original_columns import Reference
    from separatrix.persist import save

    about = remembered(
        table,
        comparison.understanding,
        family=comparison.recommended,
        score=comparison.score,
        split={"test": test, "seed": comparison.seed, "fitted_rows": comparison.fitted_rows},
        command=command,
        reference=Reference.of(comparison.model, comparison.train).as_dict(),
    )
    save(comparison.model, path, about=about)
    return path


def write_report(path, comparison, command, seconds):
    """Write the report; return the path."""
    import shlex

    from separatrix.report import write

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits to small parts of the data, made for the curves only
        write(comparison, path, command=shlex.join(command), seconds=seconds)
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
        name = table or f"{BUNDLED}.csv"
        commands = [] if table else [f"separatrix datasets {BUNDLED} --csv > {name}"]
        commands += [f"separatrix predict {written['model']} {name}"]
        commands += [f"separatrix explain {written['model']} {name} --row 1"]
        commands += [f"separatrix verify {written['model']} {name}"]
        for place, command in enumerate(commands):
            screen.say(out, f"{'Next:' if place == 0 else '':5}  {command}", "dim", gap=place == 0)
