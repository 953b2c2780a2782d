"""A family in a comparison: the rows and rounds it may have, and the results of its rounds."""

import re
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

import numpy as np

from separatrix.assess.compare import fit_once
from separatrix.assess.compare.comparison import Standing
from separatrix.assess.compare.deadline import PowerLaw
from separatrix.core.declaration import certificate_of

# Most numbers of predictions of a round that are kept for plots.
MOST_KEPT = 4_000_000
# Fewest rounds to which a family is cut by a plan, and those that are kept free for families that have begun.
FEWEST_ROUNDS, ENOUGH_ROUNDS = 3, 5
# Rows predicted when a model is timed on a sample.
QUERIES = 1_000
# What may differ between warnings of rounds that say the same: numbers, and names of columns with how many more.
_PARTICULAR = re.compile(r"'[^']*'(, '[^']*')*( and \d+ more)?|[-+]?[\d.]+(e[-+]?\d+)?")
LONGEST_MESSAGE = 110


@dataclass
class Candidate:
    """A family and its results.

    Parameters
    ----------
    family : Family.
    total : int.  Rounds of the comparison.
    most_rows : int or None.  Most rows to learn from in a round, by declaration or for memory; None: all.
    rounds : int.  Rounds that it takes part in, from the first.
    planned_rows : int or None.  Rows that the budget allows; None: all.
    over_budget : bool.  Whether it does not run because of the budget.
    sample_error : str.  The error of its fit to a sample.
    excluded : bool.  Whether it does not run because of the columns that a sample has after preparation.
    certificate : Certificate or None.  The worst of its rounds; None if its model has none.
    messages : dict.  From a warning without its numbers and names to its first text and its count.
    tried : set of int.  Numbers of the rounds that it was given, whatever came of them.
    stopped_after : float.  Seconds after which its first fit was stopped for the budget; 0 if it was not.
    """

    family: object
    total: int
    most_rows: int | None = None
    rounds: int = 0
    reason: str = ""
    scores: np.ndarray = field(default_factory=lambda: np.empty(0))
    measures: list = field(default_factory=list)
    fits: list = field(default_factory=list)
    predictions: list = field(default_factory=list)
    held_out: dict = field(default_factory=dict)
    messages: dict = field(default_factory=dict)
    last: fit_once.OneFit | None = None
    certificate: Any = None
    rows: int = 0
    fit_law: PowerLaw = field(default_factory=lambda: PowerLaw(alone=2.0))  # a fit that was timed once may be slow
    predict_law: PowerLaw = field(default_factory=PowerLaw)
    stopped: bool = False
    planned_rows: int | None = None
    over_budget: bool = False
    sample_error: str = ""
    excluded: bool = False
    tried: set = field(default_factory=set)
    stopped_after: float = 0.0

    def __post_init__(self):
        self.rounds = self.rounds or self.total
        self.scores = np.full(self.total, np.nan)
        self.most_rows = self.family.most_rows if self.most_rows is None else self.most_rows

    @property
    def running(self):
        return not self.reason

    @property
    def is_cut(self):
        """Whether the budget allowed it fewer rounds or rows than there are."""
        return self.stopped or self.rounds < self.total or self.planned_rows is not None

    def stop(self, reason):
        """Run no more rounds, because of the budget; the reason is that of a family without any."""
        self.stopped = True
        if not self.fits:
            self.reason = reason

    def resume(self):
        """Begin the first fit again, if the budget stopped it."""
        if self.stopped_after and not self.fits:
            self.stopped, self.reason, self.stopped_after, self.tried = False, "", 0.0, set()

    def takes_part(self, number):
        """Whether it has a round of that number, and was not stopped."""
        return self.running and not self.stopped and number < self.rounds

    def limit(self, rows):
        """How many of `rows` it learns from."""
        return min(most for most in (rows, self.most_rows, self.planned_rows) if most is not None)

    def seconds(self):
        """Seconds of the last round, which tells how busy the machine is now; None before the first."""
        return float(self.fits[-1] + self.predictions[-1]) if self.fits else None

    def expected(self, rows, queries):
        """Expected seconds of a fit and its predictions, from timings on samples; 0 without timings."""
        return self.fit_law(rows) + self.predict_law(rows) * queries / QUERIES

    def add_timing(self, outcome, rows, queries):
        """Add the times of a fit, and of its predictions scaled to QUERIES rows."""
        for law, seconds in (
            (self.fit_law, outcome.fit_seconds),
            (self.predict_law, outcome.predict_seconds * QUERIES / queries),
        ):
            law.add(rows, seconds)

    def reset(self):
        """Discard the results of all rounds."""
        self.scores = np.full(self.total, np.nan)
        self.measures, self.fits, self.predictions, self.held_out, self.messages = [], [], [], {}, {}
        self.certificate, self.stopped, self.tried = None, False, set()

    def record(self, round_, outcome, measures, score, rows):
        """Add the results of a round."""
        self.scores[round_.number] = measures.get(score, np.nan)
        self.measures.append(measures)
        self.fits.append(outcome.fit_seconds)
        self.predictions.append(outcome.predict_seconds)
        for message in outcome.messages:
            key = _PARTICULAR.sub("", message)
            first, times = self.messages.get(key, (message, 0))
            self.messages[key] = first, times + 1
        predictions = outcome.predictions
        kept = predictions.values if predictions.probabilities is None else predictions.probabilities
        if round_.first_repeat and np.size(kept) <= MOST_KEPT and kept.dtype.kind == "f":
            self.held_out[round_.number] = kept
        self.certificate = fit_once.worse_certificate(self.certificate, certificate_of(outcome.model))
        self.last, self.rows = replace(outcome, predictions=None), rows

    def standing(self, train_size):
        """The row of the leaderboard, without its group; `train_size` is the number of training rows of a round."""
        family = self.family
        row = Standing(family.name, family.description, family.complexity, scores=self.scores, reason=self.reason)
        if not self.reason and not np.isfinite(self.scores).any():
            row.reason = "its score is undefined in every round"
        if self.last is None:
            return row
        model = self.last.model
        names = dict.fromkeys(name for measures in self.measures for name in measures)
        row.measures = {name: _mean([measures.get(name, np.nan) for measures in self.measures]) for name in names}
        row.fit_seconds, row.predict_seconds = float(np.median(self.fits)), float(np.median(self.predictions))
        row.size, row.rows = fit_once.size_of(model), self.rows
        if self.certificate is not None:
            row.certificate, row.certified = str(self.certificate), bool(self.certificate.converged)
        row.chosen = self.last.chosen
        row.note = "; ".join(self._notes(train_size))
        return row

    def _notes(self, train_size):
        done = len(self.fits)
        if self.rows < train_size:
            yield f"learnt from {self.rows:,} of {train_size:,} rows"
        if done < self.total and not self.reason:
            yield f"ran {done} of {self.total} rounds"
        if self.messages:  # one line of a family: the warning of most rounds, and how many others there are
            message, times = max(self.messages.values(), key=itemgetter(1))
            others = len(self.messages) - 1
            more = f"; {others} other warning{'s'[: others > 1]}" if others else ""
            rounds = "" if times >= done else f" (in {times} of {done} rounds)"
            yield f"{fit_once.first_sentence(message, LONGEST_MESSAGE)}{rounds}{more}"


def _mean(values):
    values = np.asarray(values, dtype=np.float64)
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
