"""The rounds of a comparison; families with the same preparation share it, fitted to the training rows of a round."""

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

# Below this many prepared numbers BLAS gains nothing from a second thread, and idle threads slow it down.
SMALL = 4_000_000


@dataclass
class Tournament:
    """What all families share: the training rows, the rounds and the measures.

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
    preparing : dict from a preparation to the PowerLaw of its time.
    reserve : float.  Seconds of the budget that the refit and the final test need.
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
    def train_size(self):
        """Training rows of a round."""
        return len(self.rounds[0].learn)

    @property
    def unfinished(self):
        """Families that the time kept from running, or from running all rounds."""
        return sum(candidate.over_budget or candidate.stopped for candidate in self.candidates)

    def facts(self, y, columns, sparse=False):
        """Facts about the rows with targets y, for families."""
        counts = () if self.classes is None else np.unique(y, return_counts=True)[1]
        return DataFacts(
            rows=len(y),
            columns=columns,
            classes=len(counts),
            smallest_class=int(min(counts, default=0)),
            sparse=sparse,
            kinds=tuple(column.kind for column in self.understanding.used),
            seed=self.seed,
            score=self.score,
        )

    def prepared(self, preparation, rows):
        """The steps before the model, fitted to these rows, and the rows transformed by them."""
        steps = pipeline(self.understanding, preparation, "passthrough")[:-1]
        part = self.table.take(rows)
        return steps, steps.fit_transform(part)

    def run(self, candidates):
        """Run the rounds after the first, or as many as the deadline allows."""
        for round_ in self.rounds[1:]:
            self.run_round(round_, candidates)

    def run_round(self, round_, candidates):
        """Run one round of the candidates that take part in it."""
        for preparation, sharing in by_preparation(candidates, round_.number).items():
            self._run_preparation(preparation, sharing, round_)

    def _run_preparation(self, preparation, candidates, round_):
        y = self.y
        if self.classes is not None and len(np.unique(y[round_.learn])) < 2:
            return  # one class only: the round has no score for any family
        rows = round_.learn[: max(candidate.limit(len(round_.learn)) for candidate in candidates)]
        try:
            started = self.deadline.seconds
            steps, X = self.prepared(preparation, rows)
            X_held = steps.transform(self.table.take(round_.held_out))
            self.preparing.setdefault(preparation, PowerLaw()).add(len(rows), self.deadline.seconds - started)
        except Exception as error:
            for candidate in candidates:
                candidate.reason = f"its columns could not be prepared: {error_text(error)}"
            return
        names = feature_names(steps)
        for candidate in candidates:
            done, left = self.done()
            self.progress.step(candidate.family.name, done, left)
            if self._has_time(candidate, round_.number):
                self._fit(candidate, round_, X, y[rows], X_held, y[round_.held_out], names)

    def done(self):
        """The share of all fits that are done, and the expected seconds of the others, None if unknown."""
        going = [candidate for candidate in self.candidates if candidate.running and not candidate.stopped]
        work = sum(candidate.rounds for candidate in going)
        done = sum(len(candidate.fits) for candidate in going)
        each = [candidate.seconds() for candidate in going]
        left = [
            (candidate.rounds - len(candidate.fits)) * seconds for candidate, seconds in zip(going, each) if seconds
        ]
        return done / max(work, 1), None if None in each else sum(left)

    def _fit(self, candidate, round_, X, y, X_held, y_held, names):
        count = candidate.limit(len(y))
        X, y = X[:count], y[:count]
        facts = self.facts(y, X.shape[1], sparse=not isinstance(X, np.ndarray))
        candidate.reason = candidate.family.why_excluded(facts)
        if candidate.reason:
            return
        try:
            with one_blas_thread() if X.shape[0] * X.shape[1] < SMALL else nullcontext():
                outcome = fit_once.fit_once(candidate.family.make(facts), X, y, X_held, self.classes)
            measures = outcome.predictions.measured(y_held, self.classes, self.measures)
        except Exception as error:
            candidate.reason = f"round {round_.number + 1} of {len(self.rounds)}: {error_text(error)}"
            return
        if self.score not in measures:
            candidate.reason = f"it gives no {MEASURES[self.score].needs}, which {MEASURES[self.score].label} needs"
            return
        outcome.messages[:] = with_column_names(outcome.messages, names)
        candidate.record(round_, outcome, measures, self.score, count)
        scores = candidate.scores[np.isfinite(candidate.scores)]
        if len(scores):
            better = MEASURES[self.score].higher_is_better
            self.progress.scored(candidate.family.name, scores.mean(), len(candidate.fits), candidate.rounds, better)

    def _has_time(self, candidate, number):
        """Whether the time left is enough for one more fit; a family that ran out of time stays out."""
        expected = candidate.seconds()
        if expected is None:
            expected = candidate.expected(candidate.limit(self.train_size), len(self.rounds[number].held_out))
        # the refit has more rows than a round, and the slowest family may be the recommended one
        longest = max((other.seconds() or 0.0 for other in self.candidates), default=0.0)
        left = self.deadline.left() - max(self.reserve, 1.25 * longest)
        if not candidate.stopped and (expected <= left or (candidate.family.complexity == 0 and not candidate.fits)):
            return True
        candidate.stopped = True
        if not candidate.fits:
            left = max(self.deadline.left(), 0.0)
            candidate.reason = (
                f"would take about {format_seconds(expected)} a round, and the budget leaves {format_seconds(left)}"
            )
        return False


def by_preparation(candidates, number):
    """The candidates that take part in a round, by their preparation, in the order given."""
    groups = {}
    for candidate in candidates:
        if candidate.running and number < candidate.rounds and not candidate.stopped:
            groups.setdefault(candidate.family.preparation, []).append(candidate)
    return groups


def with_column_names(messages, names):
    """Messages with x0, x1, ... replaced by the names of the columns.

    >>> with_column_names(["x1 is determined by the other columns"], ["age", "sex=m"])
    ["'sex=m' is determined by the other columns"]
    """

    def name(match):
        place = int(match.group(1))
        return repr(names[place]) if place < len(names) else match.group()

    return [re.sub(r"\bx(\d+)\b", name, message) for message in messages]


def error_text(error):
    """The type and the first sentence of an exception."""
    return f"{type(error).__name__}: {fit_once.first_sentence(str(error) or 'no message')}"


def format_seconds(seconds):
    """Seconds or minutes, with a unit.

    >>> format_seconds(0.21), format_seconds(42.4), format_seconds(600.0)
    ('0.2 s', '42 s', '10 min')
    """
    if seconds >= 120.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.1f} s"
