"""From a table to a comparison of model families, with a model file and a report."""

import os
import shlex
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from separatrix.core.refusal import cannot

BUNDLED = "breast_cancer"  # compared where no table is given
TEST = 0.2  # share of the rows held out for the final test
BUDGET = 300.0  # seconds for everything, unless another budget is given
REPORT_SECONDS = 20.0  # most seconds a report may spend on fits for its curves
# Part of a budget reserved for the report: a share of it, within limits in seconds.
RESERVED_SHARE, RESERVED_LEAST, RESERVED_MOST = 0.2, 4.0, 25.0


@dataclass(frozen=True)
class CompareRun:
    """A comparison and the files written of it.

    Attributes
    ----------
    table : Table.  comparison : Comparison.
    written : dict.  From "model" and "report" to the path, or None where none was asked for.
    """

    table: Any
    comparison: Any
    written: dict

    def as_dict(self):
        return {"table": self.table.source, **self.comparison.as_dict(), "written": self.written}


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
    **options,
):
    """Compare model families on a table; write the recommended model and a report.

    Parameters
    ----------
    source : str or None.  What `read` takes, or the name of a bundled data set; None without a query is BUNDLED.
    target : str or None.  The column to predict; None is the target of the bundled data set.
    budget : float or None, default BUDGET.  Seconds for everything, from reading to the report; None is no limit.
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

    for path in (report, model):
        check_writable(path)
    timer = BudgetTimer(budget, report=report is not None)
    table, target = read_or_bundled(source, target, query)
    options |= {"task": task, "exclude": exclude, "group": group, "announce": understood}
    options |= {"test": TEST, "budget": timer.for_comparison()}
    comparison = compare(table, target, **options)
    comparison.budget = budget
    if model is not None:
        write_model(model, table, comparison, command)
    if report is not None:
        write_report(report, comparison, command, timer.for_report())
    return CompareRun(table, comparison, {"model": model, "report": report})


def check_writable(path):
    """Raise if the folder of `path` cannot be written to."""
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


def read_or_bundled(source, target, query):
    """The table and its target; of a bundled data set (BUNDLED without a source) its own, unless another is named."""
    from separatrix.workflow.datasets import data_set

    name = bundled_name(source) if query is None else None
    if name is not None:
        data = data_set(name)
        return data.table(), target or data.target_name
    from separatrix.tables import read

    return read(source, query=query), target


def bundled_name(source):
    """The name of the bundled data set that a source stands for; None if it is something to read.

    A file of that name goes first.

    >>> bundled_name(None), bundled_name("wine"), bundled_name("wine.csv")
    ('breast_cancer', 'wine', None)
    """
    from separatrix.datasets import available

    if source is None:
        return BUNDLED
    name = str(source).strip().lower().replace("-", "_").replace(" ", "_")
    return name if name in available() and not Path(source).exists() else None


class BudgetTimer:
    """Divides a time budget between the comparison and the report.

    Parameters
    ----------
    budget : float or None.  Seconds from now; None is no limit.
    report : bool.  Whether a report will be written.
    """

    def __init__(self, budget, report):
        self.started, self.budget = time.monotonic(), budget
        self.reserved = min(max(RESERVED_SHARE * budget, RESERVED_LEAST), RESERVED_MOST) if budget and report else 0.0

    def for_comparison(self):
        """Seconds for the comparison: at least a tenth of the budget, however long reading took."""
        return None if self.budget is None else max(self._left() - self.reserved, 0.1 * self.budget)

    def for_report(self):
        """Seconds for the fits of the report: half of what is left; drawing takes the other half."""
        return REPORT_SECONDS if self.budget is None else min(max(0.5 * self._left(), 0.0), REPORT_SECONDS)

    def _left(self):
        return self.budget - (time.monotonic() - self.started)


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


def write_report(path, comparison, command, seconds):
    """Write the report, with at most `seconds` spent on fits for its curves."""
    from separatrix.report import write

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits to small parts of the data, made for the curves only
        write(comparison, path, command=shlex.join(command), seconds=seconds)
