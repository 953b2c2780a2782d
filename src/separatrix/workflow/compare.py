"""From a table to a comparison of model families, with a model file and a report."""

import shlex
import time
import warnings
from dataclasses import dataclass
from typing import Any

from separatrix.core.atomic_file import check_writable
from separatrix.workflow.ahead import compiling_ahead, models_to_compile
from separatrix.workflow.datasets import BUNDLED, named_table, named_target

TEST = 0.2  # share of the rows held out for the final test
BUDGET = 300.0  # seconds for everything, unless another budget is given
REPORT_SECONDS = 20.0  # most seconds a report may spend on fits for its curves
# Part of a budget reserved for the report: a share of it; not less than drawing takes, in seconds of a processor, up to
# a larger share; and not more than that many seconds.
RESERVED_SHARE, DRAWING, LARGEST_SHARE, RESERVED_MOST = 0.2, 1.5, 0.4, 25.0


@dataclass(frozen=True)
class CompareRun:
    """A comparison and the files written of it.

    Attributes
    ----------
    table : Table.  comparison : Comparison.
    written : dict.  From "model" and "report" to the path, or None where none was asked for.
    seconds : float.  That everything took, from the start of the command to the report.
    """

    table: Any
    comparison: Any
    written: dict
    seconds: float

    def as_dict(self):
        own = {"written": self.written, "seconds_in_all": self.seconds}
        return {"table": self.table.source, **self.comparison.as_dict(), **own}


def compare_table(
    source,
    target,
    *,
    query=None,
    task=None,
    exclude=(),
    group=None,
    budget=BUDGET,
    model=None,
    report=None,
    command=(),
    understood=None,
    started=None,
    **options,
):
    """Compare model families on a table; write the recommended model and a report.

    Parameters
    ----------
    source : str or None.  What :func:`named_table` takes; None without a query is BUNDLED.
    target : str or None.  The column to predict; None is the target of the bundled data set.
    budget : float or None, default BUDGET.  Seconds for everything, from the start to the written report; None is no
        limit.
    started : float or None, default None.  When it started, on the clock of ``time.monotonic``; None: now.
    model, report : str or None.  Files to write.
    command : sequence of str.  The command line, recorded in both files.
    understood : callable or None.  Called with the Understanding of the table and the Question before anything is
        fitted.
    task, exclude, group, options : as in :func:`separatrix.assess.compare`.

    Returns
    -------
    CompareRun
    """
    from separatrix.assess import compare

    for path, other in ((model, source), (report, source), (report, model)):
        if path is not None:
            check_writable(path, others=(other,))
    timer = BudgetTimer(budget, report=report is not None, started=started)
    source = BUNDLED if source is None and query is None else source
    table, target = named_table(source, query=query), named_target(source, target, query=query)
    with compiling_ahead() as start:

        def announce(understanding, question):
            if understood is not None:
                understood(understanding, question)
            start(models_to_compile(understanding.task, options.get("families")))

        options |= {"task": task, "exclude": exclude, "group": group, "announce": announce}
        comparison = compare(table, target, **options, test=TEST, budget=timer.for_comparison())
    comparison.budget = budget
    if model is not None:
        write_model(model, table, comparison, command)
    if report is not None:
        write_report(report, comparison, command, timer)
    return CompareRun(table, comparison, {"model": model, "report": report}, timer.seconds)


class BudgetTimer:
    """Divides a time budget between the comparison and the report.

    Parameters
    ----------
    budget : float or None.  Seconds from the start; None is no limit.
    report : bool.  Whether a report will be written.
    started : float or None, default None.  The start, on the clock of ``time.monotonic``; None: now.
    """

    def __init__(self, budget, report, started=None):
        self.started, self.budget = time.monotonic() if started is None else started, budget
        # what was imported so far tells how busy the machine is: seconds that pass for a second of the processor
        slowness = max(self.seconds / time.process_time(), 1.0)
        self.reserved = 0.0
        if report and budget is not None:
            drawing = min(DRAWING * slowness, LARGEST_SHARE * budget)
            self.reserved = min(max(RESERVED_SHARE * budget, drawing), RESERVED_MOST)

    @property
    def seconds(self):
        """Seconds since the start."""
        return time.monotonic() - self.started

    def for_comparison(self):
        """Seconds for the comparison: at least a tenth of the budget, however long reading took."""
        return None if self.budget is None else max(self.left() - self.reserved, 0.1 * self.budget)

    def for_fits(self):
        """Seconds for the fits of each section of the report: a third of what is left."""
        return min(max(self.left() / 3.0, 0.0), REPORT_SECONDS)

    def left(self):
        """Seconds left of the budget; infinity without one."""
        return float("inf") if self.budget is None else self.budget - self.seconds


def write_model(path, table, comparison, command):
    """Write the recommended model with what is needed to predict, explain and verify."""
    from separatrix.inference.original_columns import Reference
    from separatrix.persist import save
    from separatrix.workflow.provenance import provenance

    about = provenance(
        table,
        comparison.understanding,
        family=comparison.recommended,
        score=comparison.score,
        split={
            "test": TEST,
            "seed": comparison.seed,
            "fitted_rows": comparison.fitted_rows,
            "group": comparison.question.group,
        },
        command=command,
        reference=Reference.of(comparison.model, comparison.train).as_dict(),
    )
    save(comparison.model, path, about=about)


def write_report(path, comparison, command, timer):
    """Write the report in the time that is left."""
    from separatrix.report import write

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits to small parts of the data, made for the curves only
        write(comparison, path, command=shlex.join(command), seconds=timer.for_fits(), left=timer.left)
