"""The rounds of a comparison; families with the same preparation share it, fitted to the training rows of a round."""

import re
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.assess.compare import fit_once
from separatrix.assess.compare.candidate import ENOUGH_ROUNDS
from separatrix.assess.compare.deadline import Deadline, PowerLaw
from separatrix.assess.measures import MEASURES
from separatrix.core.family import DataFacts, spread_of
from separatrix.core.progress import Silent
from separatrix.core.threads import one_blas_thread
from separatrix.core.time_limit import OutOfTime, limited_by
from separatrix.estimators.preparation.compose import feature_names, prepared

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
    first_part : float.  Seconds that the first fit of a family may take; one that took longer runs no more for now.
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
    first_part: float = np.inf

    @property
    def score(self):
        return self.measures[0]

    @property
    def train_size(self):
        """Training rows of a round."""
        return len(self.rounds[0].learn)

    @property
    def not_tried(self):
        """Candidates that the budget kept from running."""
        return [each for each in self.candidates if each.over_budget or (each.stopped and not each.fits)]

    @property
    def partly_tried(self):
        """Candidates that the budget kept from some of the rounds, or of the rows."""
        return [each for each in self.candidates if each.running and each.fits and each.is_cut]

    @property
    def unfinished(self):
        """How many families the budget kept from running, or from all rounds and rows."""
        return len(self.not_tried) + len(self.partly_tried)

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
            spread=spread_of(y) if self.classes is None else 1.0,
        )

    def prepared(self, preparation, rows):
        """The steps before the model, fitted to these rows, and the rows transformed by them."""
        return prepared(self.understanding, preparation, self.table.take(rows))

    def run_rounds(self, rounds, candidates):
        """Run rounds of the candidates that take part in them: all of them for one family, then for the next.

        Families with the same preparation share it; of more than one round the prepared rows are in memory together.
        """
        for preparation, sharing in by_preparation(candidates, rounds[0].number).items():
            sharing = [each for each in sharing if self._has_time(each, rounds[0].number)]  # before they are prepared
            prepared = [self._prepare(preparation, sharing, round_) for round_ in rounds] if sharing else []
            prepared = [each for each in prepared if each]
            for candidate in sharing:
                for round_, parts in prepared:
                    done, left = self.done()
                    self.progress.step(candidate.family.name, done, left)
                    quick = not candidate.fits or candidate.seconds() <= self.first_part
                    if quick and candidate.takes_part(round_.number) and self._has_time(candidate, round_.number):
                        candidate.tried.add(round_.number)
                        self._fit(candidate, round_, *parts)

    def _prepare(self, preparation, candidates, round_):
        """A round with its prepared rows and their targets, to learn from and held out, and the names of columns.

        None if the round has no score for any family, or if the columns cannot be prepared.
        """
        y = self.y
        if self.classes is not None and len(np.unique(y[round_.learn])) < 2:
            return None
        rows = round_.learn[: max(candidate.limit(len(round_.learn)) for candidate in candidates)]
        try:
            started = self.deadline.seconds
            steps, X = self.prepared(preparation, rows)
            X_held = steps.transform(self.table.take(round_.held_out))
            self.preparing.setdefault(preparation, PowerLaw()).add(len(rows), self.deadline.seconds - started)
        except Exception as error:
            for candidate in candidates:
                candidate.reason = f"its columns could not be prepared: {error_text(error)}"
            return None
        self._renew_reasons(preparation, y[rows], X)
        return round_, (X, y[rows], X_held, y[round_.held_out], feature_names(steps))

    def _renew_reasons(self, preparation, y, X):
        """Say with the columns of all rows why families are excluded that were so by the columns of a sample."""
        facts = self.facts(y, X.shape[1], sparse=not isinstance(X, np.ndarray))
        for candidate in self.candidates:
            if candidate.excluded and candidate.family.preparation == preparation:
                candidate.reason = candidate.family.why_excluded(facts) or candidate.reason

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
        started = self.deadline.seconds
        try:
            with one_thread_if_small(X), self._limit(candidate):
                outcome = fit_once.fit_once(candidate.family.make(facts), X, y, X_held, self.classes)
            measures = outcome.predictions.measured(y_held, self.classes, self.measures)
        except OutOfTime:
            candidate.stop("its first fit was stopped: it took more than its part of the budget")
            candidate.stopped_after = self.deadline.seconds - started
            return
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
        if _always_runs(candidate):
            return True
        expected = candidate.seconds()
        if expected is None:
            expected = candidate.expected(candidate.limit(self.train_size), len(self.rounds[number].held_out))
        left = self.left_for(candidate)
        if not candidate.stopped and left > 0.0 and expected <= left:
            return True
        candidate.stop(
            "the budget was used up before its turn"
            if left <= 0.0
            else f"would take about {format_seconds(expected)} a round, and the budget leaves {format_seconds(left)}"
        )
        return False

    def left_for(self, candidate):
        """Seconds that a fit of a candidate may take.

        Without the refit, for which the slowest family may be the recommended one (it has more rows than a round; of
        the families that ran twice or are about to, because the first fit of a small table may have loaded compiled
        loops). A family that has not begun leaves what is to come of the others, but for those that wait for all first
        fits: a test of fewer than five rounds has no power.
        """
        others = [each for each in self.candidates if each.fits and not each.stopped and not candidate.fits]
        others = [each for each in others if each.seconds() <= self.first_part]
        begun = sum(max(min(ENOUGH_ROUNDS, each.rounds) - len(each.fits), 0) * each.seconds() for each in others)
        twice = [each for each in self.candidates if len(each.fits) > 1 or (each is candidate and each.fits)]
        longest = max((each.seconds() for each in twice), default=0.0)
        return self.deadline.left() - max(self.reserve, 1.25 * longest) - begun

    def _limit(self, candidate):
        """A context that stops a fit between its folds when the time for it is over."""
        if _always_runs(candidate):
            return nullcontext()
        started, most = self.deadline.seconds, self.left_for(candidate)
        if not candidate.fits:
            most = min(most, self.first_part)
        return limited_by(lambda: self.deadline.seconds - started > most)


def _always_runs(candidate):
    """All others are judged against the baseline, which takes no time."""
    return candidate.family.complexity == 0 and len(candidate.fits) < ENOUGH_ROUNDS


def one_thread_if_small(X):
    """A context in which BLAS runs on one thread, if X is small."""
    return one_blas_thread() if X.shape[0] * X.shape[1] < SMALL else nullcontext()


def by_preparation(candidates, number):
    """The candidates that take part in a round, by their preparation, in the order given."""
    groups = {}
    for candidate in candidates:
        if candidate.takes_part(number):
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
    """Milliseconds, seconds, minutes or hours, with a unit.

    >>> [format_seconds(seconds) for seconds in (0.0021, 0.21, 42.4, 600.0, 9e4)]
    ['2 ms', '0.2 s', '42 s', '10 min', '25 h']
    """
    if seconds >= 7200.0:
        return f"{seconds / 3600.0:,.0f} h"
    if seconds >= 120.0:
        return f"{seconds / 60.0:.0f} min"
    if seconds < 0.1:
        return f"{max(1e3 * seconds, 1.0):.0f} ms"
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.1f} s"
