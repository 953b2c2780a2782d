"""The data shared by the sections of a report: the comparison, values computed from it once, the deadline."""

import time

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.declaration import unwrap
from separatrix.core.errors import cannot
from separatrix.core.protocol import fitted_attribute
from separatrix.decision import zero_one_costs
from separatrix.decision.costs import validate_costs
from separatrix.report.registry import Skipped
from separatrix.tables.table import Table, is_number

# Rows on which the units of prepared columns are measured, and most number columns for which they are.
TRIED_ROWS, MOST_MEASURED = 50, 400


class ReportContext:
    """A comparison, prepared for the sections.

    Parameters
    ----------
    comparison : Comparison.
    command : str or None.  The command that made it.
    costs : (k, k) array or None.  L[true class, predicted class], classes in sorted order; None: each mistake costs 1.
    seconds : float.  How long a section that fits models again may take.
    left : callable or None.  Gives the seconds left for the whole report; None: no limit.
    """

    def __init__(self, comparison, command=None, costs=None, seconds=8.0, left=None):
        self.comparison, self.command = comparison, command
        self.understanding = comparison.understanding
        self.is_classification = self.understanding.task == "classification"
        self.costs = self._costs(costs)
        self.seconds, self._left = seconds, left
        self.losses = None  # permutation importances, once a section has asked for them
        self.restart_deadline()

    def _costs(self, costs):
        if costs is None:
            return zero_one_costs(len(self.classes)) if self.is_classification else None
        if not self.is_classification:
            raise cannot("report a regression at costs", because="costs are of classes", instead="costs=None")
        L, k = validate_costs(costs, len(self.classes)), len(self.classes)
        if L.shape != (k, k):
            raise cannot(
                f"report costs of shape {L.shape}",
                because="a confusion matrix has a row and a column for each class",
                instead=f"costs of shape ({k}, {k}), L[true class, predicted class]",
            )
        return L

    @cached_property
    def classes(self):
        """The labels, in the order of the columns of probabilities; an empty array for a regression."""
        if not self.is_classification:
            return np.empty(0)
        return np.asarray(fitted_attribute(self.comparison.model, "classes_", self.understanding.classes))

    @cached_property
    def standing(self):
        """The standing of the recommended family."""
        return self.comparison[self.comparison.recommended]

    @cached_property
    def baseline(self):
        """The standing of the family that ignores the columns; None where there is none."""
        ran = [s for s in self.comparison.standings if s.complexity == 0 and not s.failed]
        return ran[0] if ran else None

    @cached_property
    def model(self):
        """The recommended model itself, at the end of its pipeline and inside its search."""
        return unwrap(self.comparison.model)

    @cached_property
    def prepared(self):
        """The training rows in the columns that reach the model: an array or a sparse array."""
        steps = self.comparison.model[:-1]
        return steps.transform(self.comparison.train) if len(steps) else self.comparison.train

    @cached_property
    def train(self):
        """The training rows, without columns that no model sees."""
        train = self.comparison.train
        used = [column.name for column in self.understanding.used]
        return train.select(used) if isinstance(train, Table) else train

    @cached_property
    def held_out(self):
        """(truth, prediction) of the training rows that were held out once: probabilities (n, k), or numbers (n,)."""
        predicted = self.comparison.y_out_of_fold
        if predicted is None:
            raise Skipped("the comparison kept no predictions for rows that were held out")
        predicted, y = np.asarray(predicted, dtype=np.float64), np.asarray(self.comparison.y_train)
        if self.is_classification and predicted.ndim != 2:
            raise Skipped("the model gives no probabilities")
        kept = np.isfinite(predicted.reshape(len(predicted), -1)).all(axis=1)
        if not kept.any():
            raise Skipped("no row was held out")
        return y[kept], predicted[kept]

    @cached_property
    def units(self):
        """How many units of the table one unit of each prepared column is; NaN if it is not proportional to a column.

        Measured: each number column is moved by one standard deviation; prepared columns that change by the same
        amount in all rows are scaled copies of it. Columns of 0 and 1 have unit 1.
        """
        names = self.comparison.feature_names
        units = np.full(len(names), np.nan)
        table = self.train
        rows = np.linspace(0, len(table) - 1, min(len(table), TRIED_ROWS)).astype(int) if len(table) else []
        if not isinstance(table, Table) or not len(rows):
            return units
        few, prepare = table.take(rows), self.comparison.model[:-1].transform
        before = _dense(prepare(few))
        units[np.isin(before, (0.0, 1.0)).all(axis=0)] = 1.0
        numbers = [j for j, column in enumerate(few.columns) if is_number(column)]
        for j in numbers if len(numbers) <= MOST_MEASURED else ():
            column = few.columns[j]
            step = float(np.nanstd(table.columns[j])) if np.isfinite(column).any() else 0.0
            if not step > 0.0:
                continue
            moved = Table(few.names, (*few.columns[:j], column + step, *few.columns[j + 1 :]), few.source)
            change = (_dense(prepare(moved)) - before)[np.isfinite(column)]
            even = (np.ptp(change, axis=0) <= 1e-6 * np.abs(change).max(axis=0)) & (np.abs(change).max(axis=0) > 0.0)
            units[even] = step / change[0, even]
        return units

    def restart_deadline(self):
        """Restart the deadline, for the next section."""
        self._deadline = time.perf_counter() + self.seconds

    @property
    def is_over(self):
        """Whether the time for the whole report is over."""
        return self._left is not None and self._left() <= 0.0

    def needs_seconds(self, seconds, what):
        """Skip the section if `seconds` more would exceed its deadline."""
        if time.perf_counter() + seconds > self._deadline or self.is_over:
            raise Skipped(f"there was not enough time for {what}")


def _dense(X):
    from separatrix.designs import as_dense

    return as_dense(X)
