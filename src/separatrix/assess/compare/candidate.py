"""A family in a comparison: how many rows and rounds it may have, and what its rounds have shown so far."""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from separatrix.assess.compare import fit_once
from separatrix.assess.compare.comparison import Standing
from separatrix.assess.compare.deadline import PowerLaw

# Predictions of a round that are kept for pictures: numbers at the most.
MOST_KEPT = 4_000_000
# Rows that a model is asked about when it is timed on a sample.
QUERIES = 1_000
_DIGITS = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?")


@dataclass
class Candidate:
    """A family and its record.

    Parameters
    ----------
    family : Family.
    total : int.  Rounds of the comparison.
    most_rows : int or None.  Rows that it may learn from in a round, by nature or for want of memory; None for all.
    rounds : int.  Rounds that it takes part in: the first so many.
    planned_rows : int or None.  Rows that the budget is enough for; None for all.
    refused : bool.  Whether the reason why it does not run is the budget.
    trouble : str.  What it said when it failed on a sample.
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
    remarks: dict = field(default_factory=dict)
    last: fit_once.OneFit | None = None
    rows: int = 0
    fit_law: PowerLaw = field(default_factory=PowerLaw)
    predict_law: PowerLaw = field(default_factory=PowerLaw)
    stopped: bool = False
    planned_rows: int | None = None
    refused: bool = False
    trouble: str = ""

    def __post_init__(self):
        self.rounds = self.rounds or self.total
        self.scores = np.full(self.total, np.nan)
        self.most_rows = self.family.most_rows if self.most_rows is None else self.most_rows

    @property
    def running(self):
        return not self.reason

    def limit(self, rows):
        """How many of so many rows it learns from."""
        return min(most for most in (rows, self.most_rows, self.planned_rows) if most is not None)

    def seconds(self):
        """What a round took, on average; None before the first."""
        return float(np.mean(self.fits) + np.mean(self.predictions)) if self.fits else None

    def expected(self, rows, queries):
        """Seconds that a trial is expected to take, from what was measured on samples; 0 where nothing was."""
        return self.fit_law(rows) + self.predict_law(rows) * queries / QUERIES

    def learn_cost(self, outcome, rows, queries):
        """Enter what a trial took in the laws: of the fit, and of so many answers as are asked of a sample."""
        for law, seconds in (
            (self.fit_law, outcome.fit_seconds),
            (self.predict_law, outcome.predict_seconds * QUERIES / queries),
        ):
            law.add(rows, seconds)

    def forget(self):
        """Start anew, as if no round had been run."""
        self.scores = np.full(self.total, np.nan)
        self.measures, self.fits, self.predictions, self.held_out, self.remarks = [], [], [], {}, {}
        self.stopped = False

    def record(self, round_, outcome, measures, score, rows):
        """Enter a trial of a round."""
        self.scores[round_.number] = measures.get(score, np.nan)
        self.measures.append(measures)
        self.fits.append(outcome.fit_seconds)
        self.predictions.append(outcome.predict_seconds)
        for remark in outcome.remarks:  # sentences that differ in their numbers only are one
            first, times = self.remarks.get(_DIGITS.sub("", remark), (remark, 0))
            self.remarks[_DIGITS.sub("", remark)] = first, times + 1
        kept = outcome.answer.values if outcome.answer.probabilities is None else outcome.answer.probabilities
        if round_.first_repeat and np.size(kept) <= MOST_KEPT and kept.dtype.kind == "f":
            self.held_out[round_.number] = kept
        self.last, self.rows = replace(outcome, answer=None), rows

    def standing(self, learnable):
        """The row of the leaderboard, without its place; `learnable` are the rows that a round has to offer."""
        family = self.family
        row = Standing(family.name, family.description, family.complexity, scores=self.scores, reason=self.reason)
        if not self.reason and not np.isfinite(self.scores).any():
            row.reason = "its score is undefined in every round"
        if self.last is None:
            return row
        model = self.last.model
        names = dict.fromkeys(name for found in self.measures for name in found)
        row.measures = {name: _mean([found.get(name, np.nan) for found in self.measures]) for name in names}
        row.fit_seconds, row.predict_seconds = float(np.median(self.fits)), float(np.median(self.predictions))
        row.size, row.rows = fit_once.size_of(model), self.rows
        row.certificate, row.certified = fit_once.certificate_of(model)
        row.chosen = self.last.chosen
        row.note = "; ".join(self._notes(learnable))
        return row

    def _notes(self, learnable):
        done = len(self.fits)
        if self.rows < learnable:
            yield f"learnt from {self.rows:,} of {learnable:,} rows"
        if done < self.total and not self.reason:
            yield f"ran {done} of {self.total} rounds"
        for remark, times in self.remarks.values():
            yield remark if times >= done else f"{remark} (in {times} of {done} rounds)"


def _mean(values):
    values = np.asarray(values, dtype=np.float64)
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")
