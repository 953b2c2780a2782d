"""The rounds of a comparison: each view of the table is prepared once a round, on the rows learnt from, for all."""

import re
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.assess.compare import fit_once
from separatrix.assess.compare.deadline import Deadline, PowerLaw
from separatrix.assess.measures import MEASURES
from separatrix.core.family import DataFacts
from separatrix.core.progress import Silent
from separatrix.core.threads import one_blas_thread
from separatrix.estimators.preparation.compose import feature_names, pipeline

# Below so many prepared numbers BLAS gains nothing from a second thread, and its idle threads are in the way.
SMALL = 4_000_000


@dataclass
class Tournament:
    """What all families share: the training part of the table, its rounds, and how answers are judged.

    Parameters
    ----------
    understanding : Understanding.
    table : Table.  The training part.
    y : (n,) array.  Labels or numbers.
    classes : (k,) array or None.  All classes, sorted; None for regression.
    rounds : list of Round.
    measures : tuple of str.  What is measured; the first is the score.
    seed : int.
    deadline : Deadline.
    progress : Progress.
    preparing : dict from a view to the PowerLaw of its preparation.
    reserve : float.  Seconds of the budget that the refit and the test at the end need.
    candidates : list of Candidate.  Those that are running.
    """

    understanding: Any
    table: Any
    y: np.ndarray
    classes: np.ndarray | None
    rounds: list
    measures: tuple
    seed: int = 0
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    progress: Any = field(default_factory=Silent)
    preparing: dict = field(default_factory=dict)
    reserve: float = 0.0
    candidates: list = field(default_factory=list)

    @property
    def score(self):
        return self.measures[0]

    @property
    def learnable(self):
        """Rows that a round has to learn from."""
        return len(self.rounds[0].learn)

    def facts(self, y, columns, sparse=False):
        """The facts that a family may know, of the rows with targets y."""
        counts = () if self.classes is None else np.unique(y, return_counts=True)[1]
        return DataFacts(
            rows=len(y),
            columns=columns,
            classes=len(counts),
            smallest_class=int(min(counts, default=0)),
            sparse=sparse,
            kinds=tuple(column.kind for column in self.understanding.used),
            seed=self.seed,
        )

    def prepared(self, view, rows):
        """The steps before the model, fitted to these rows, and the rows as they come out."""
        steps = pipeline(self.understanding, view, "passthrough")[:-1]
        part = self.table.take(rows)
        return steps, steps.fit_transform(part)

    def run(self, candidates):
        """Run the rounds after the first, or as many as the deadline allows."""
        for round_ in self.rounds[1:]:
            self.run_round(round_, candidates)

    def run_round(self, round_, candidates):
        """Run one round of the candidates that take part in it."""
        for view, mine in by_view(candidates, round_.number).items():
            self._run_view(view, mine, round_)

    def _run_view(self, view, mine, round_):
        y = self.y
        if self.classes is not None and len(np.unique(y[round_.learn])) < 2:
            return  # nothing to tell apart: no family is to blame, and none gets a score
        rows = round_.learn[: max(candidate.limit(len(round_.learn)) for candidate in mine)]
        try:
            started = self.deadline.seconds
            steps, X = self.prepared(view, rows)
            X_held = steps.transform(self.table.take(round_.held_out))
            self.preparing.setdefault(view, PowerLaw()).add(len(rows), self.deadline.seconds - started)
        except Exception as error:
            for candidate in mine:
                candidate.reason = f"its columns could not be prepared: {said(error)}"
            return
        names = feature_names(steps)
        for candidate in mine:
            done, left = self.done()
            self.progress.step(candidate.family.name, done, left)
            if self._has_time(candidate, round_.number):
                self._try(candidate, round_, X, y[rows], X_held, y[round_.held_out], names)

    def done(self):
        """The share of all trials that are done, and the seconds that the others will take, None where unknown."""
        going = [candidate for candidate in self.candidates if candidate.running and not candidate.stopped]
        work = sum(candidate.rounds for candidate in going)
        done = sum(len(candidate.fits) for candidate in going)
        each = [candidate.seconds() for candidate in going]
        left = [
            (candidate.rounds - len(candidate.fits)) * seconds for candidate, seconds in zip(going, each) if seconds
        ]
        return done / max(work, 1), None if None in each else sum(left)

    def _try(self, candidate, round_, X, y, X_held, y_held, names):
        count = candidate.limit(len(y))
        X, y = X[:count], y[:count]
        facts = self.facts(y, X.shape[1], sparse=not isinstance(X, np.ndarray))
        candidate.reason = candidate.family.why_excluded(facts)
        if candidate.reason:
            return
        try:
            with one_blas_thread() if X.shape[0] * X.shape[1] < SMALL else nullcontext():
                outcome = fit_once.fit_once(candidate.family.make(facts), X, y, X_held, self.classes)
            found = outcome.answer.measured(y_held, self.classes, self.measures)
        except Exception as error:
            candidate.reason = f"round {round_.number + 1} of {len(self.rounds)}: {said(error)}"
            return
        if self.score not in found:
            candidate.reason = f"it gives no {MEASURES[self.score].needs}, which the score is computed from"
            return
        outcome.remarks[:] = named(outcome.remarks, names)
        candidate.record(round_, outcome, found, self.score, count)

    def _has_time(self, candidate, number):
        """Whether the time left is enough for one more trial; a family that is out of time stays out."""
        expected = candidate.seconds()
        if expected is None:
            expected = candidate.expected(candidate.limit(self.learnable), len(self.rounds[number].held_out))
        # the refit has more rows than a round, and what has been recommended may be the slowest
        longest = max((other.seconds() or 0.0 for other in self.candidates), default=0.0)
        left = self.deadline.left() - max(self.reserve, 1.25 * longest)
        if not candidate.stopped and (expected <= left or (candidate.family.complexity == 0 and not candidate.fits)):
            return True
        candidate.stopped = True
        if not candidate.fits:
            left = max(self.deadline.left(), 0.0)
            candidate.reason = f"would take about {duration(expected)} a round, and the budget leaves {duration(left)}"
        return False


def by_view(candidates, number):
    """The candidates that take part in a round, by the view that they share; simplest first, as they come."""
    views = {}
    for candidate in candidates:
        if candidate.running and number < candidate.rounds and not candidate.stopped:
            views.setdefault(candidate.family.preparation, []).append(candidate)
    return views


def named(remarks, names):
    """Remarks in which columns are called x0, x1, ... with the names that the columns have.

    >>> named(["x1 is determined by the other columns"], ["age", "sex=m"])
    ["'sex=m' is determined by the other columns"]
    """

    def name(match):
        place = int(match.group(1))
        return repr(names[place]) if place < len(names) else match.group()

    return [re.sub(r"\bx(\d+)\b", name, remark) for remark in remarks]


def said(error):
    """An exception as a reason: its type and its first sentence."""
    return f"{type(error).__name__}: {fit_once.first_sentence(str(error) or 'no message')}"


def duration(seconds):
    """Seconds for a person.

    >>> duration(0.21), duration(42.4), duration(600.0)
    ('0.2 s', '42 s', '10 min')
    """
    if seconds >= 120.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.1f} s"
