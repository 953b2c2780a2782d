"""What a comparison can afford: families are measured on growing samples, then given rows and rounds that fit the time.

Without a budget nothing hopeless is started: a family that would take longer than two minutes learns from a sample.
"""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from separatrix.assess.compare import deadline, fit_once
from separatrix.assess.compare.candidate import QUERIES
from separatrix.assess.compare.deadline import HOPELESS, PowerLaw
from separatrix.assess.compare.tournament import duration, said
from separatrix.estimators.preparation.compose import obstacle

# Tables up to this size are run at once: measuring first would cost more than it saves.
SMALL_ROWS, SMALL_CELLS = 5_000, 500_000
# Numbers in a dense prepared array: a gigabyte.
MOST_CELLS = 125_000_000
FIRST_SAMPLE, GROWTH = 250, 4
REHEARSALS = 3
# A sample of fewer rows says little about a family that could have had them all.
FEWEST_ROWS, FEWEST_ROUNDS = 1_000, 3


def plan(tournament, candidates):
    """Decide for each candidate: all rows, a sample of them, fewer rounds, or a reason not to run."""
    known = tournament.facts(tournament.y[tournament.rounds[0].learn], _columns(tournament))
    for candidate in candidates:  # what the table alone rules out need not be prepared
        candidate.reason = candidate.family.why_excluded(known) or obstacle(
            tournament.understanding.used, candidate.family.preparation
        )
    cells = tournament.learnable * _columns(tournament)
    if tournament.deadline.budget is None and tournament.learnable <= SMALL_ROWS and cells <= SMALL_CELLS:
        return
    views = dict.fromkeys(candidate.family.preparation for candidate in candidates if candidate.running)
    for measured in (warm_up, measure):
        until = Until(tournament, share=0.5 if measured is warm_up else 1.0 / 7.0)
        for view in views:
            measured(tournament, view, [e for e in candidates if e.running and e.family.preparation == view], until)
    allot(tournament, [candidate for candidate in candidates if candidate.running])


def _columns(tournament):
    return len(tournament.understanding.used)


class Until:
    """How long something may go on: a share of the time left when it starts."""

    def __init__(self, tournament, share):
        self.deadline = tournament.deadline
        self.started, self.most = tournament.deadline.seconds, share * tournament.deadline.left()

    def allows(self, seconds=0.0):
        """Whether so many more seconds would be within it."""
        return self.deadline.seconds - self.started + seconds <= self.most


class Sample(NamedTuple):
    """Prepared rows with their targets, and prepared rows to ask about."""

    X: Any
    y: np.ndarray
    held: Any

    def first(self, count):
        return Sample(self.X[:count], self.y[:count], self.held)


def warm_up(tournament, view, candidates, until):
    """Fit each family of a view to a small sample, so that compiled loops are loaded before anything is timed.

    The times are kept where nothing better is measured later: of several at one size the least counts.
    """
    sample = _sample(tournament, view, min(FIRST_SAMPLE, tournament.learnable), candidates)
    for candidate in candidates if sample is not None else ():
        if until.allows():
            _time(tournament, candidate, sample)


def measure(tournament, view, candidates, until):
    """Time the preparation of a view and each of its families on samples, each four times the last.

    A family's sample grows until it takes 1/250 of the budget, twice: something else may have been on the machine.
    """
    enough = 0.5 if tournament.deadline.budget is None else tournament.deadline.budget / 250.0
    growing, size = list(candidates), min(FIRST_SAMPLE, tournament.learnable)
    while growing and until.allows():
        sample = _sample(tournament, view, size, growing)
        if sample is not None:
            growing = [e for e in growing if e.running and _grows(tournament, e, sample, enough, until)]
        if size == tournament.learnable or (size * GROWTH > tournament.learnable and size > FIRST_SAMPLE):
            return
        size = min(size * GROWTH, tournament.learnable)


def _sample(tournament, view, size, candidates):
    """The first so many rows of the first round, prepared; None where they are too few for it."""
    round_, started = tournament.rounds[0], deadline.now()
    rows = round_.learn[:size]
    try:
        steps, X = tournament.prepared(view, rows)
        sample = Sample(X, tournament.y[rows], steps.transform(tournament.table.take(round_.held_out[:QUERIES])))
    except Exception as error:  # the sample may be too small
        for candidate in candidates:
            candidate.trouble = said(error)
        return None
    tournament.preparing.setdefault(view, PowerLaw()).add(size, deadline.now() - started)
    return sample


def _grows(tournament, candidate, sample, enough, until):
    """Time an candidate on a sample; return whether a larger one is worth its time."""
    X = sample.X
    if isinstance(X, np.ndarray) and MOST_CELLS // X.shape[1] < tournament.learnable:
        candidate.most_rows = candidate.limit(max(MOST_CELLS // X.shape[1], 1))
    if not until.allows():
        return False
    seconds = _time(tournament, candidate, sample)
    if seconds is None:
        return True
    if seconds >= enough and until.allows(seconds):
        seconds = min(seconds, _time(tournament, candidate, sample) or seconds)
    if seconds >= enough and len(candidate.fit_law.sizes) == 1 and until.allows(0.5 * seconds):
        # an exponent needs a second size, and only a smaller one is cheap
        _time(tournament, candidate, sample.first(len(sample.y) // 2))
    return seconds < enough and len(sample.y) < candidate.limit(tournament.learnable)


def _time(tournament, candidate, sample):
    """Seconds of a trial, entered in the laws of the candidate; None where the sample does not suit it.

    What does not suit the whole either is the reason why the family does not run.
    """
    facts = tournament.facts(sample.y, sample.X.shape[1], sparse=not isinstance(sample.X, np.ndarray))
    if candidate.family.why_excluded(facts):
        whole = tournament.facts(tournament.y[tournament.rounds[0].learn], facts.columns, sparse=facts.sparse)
        candidate.reason = candidate.family.why_excluded(whole)
        return None
    try:
        found = fit_once.fit_once(candidate.family.make(facts), *sample, tournament.classes)
    except Exception as error:  # the sample may be too small for it
        candidate.trouble = said(error)
        return None
    candidate.learn_cost(found, len(sample.y), sample.held.shape[0])
    return found.seconds


def allot(tournament, candidates):
    """Share the time left among the candidates, the quickest first; what one does not need is passed on."""
    total = len(tournament.rounds)
    sharing = Counter(candidate.family.preparation for candidate in candidates)
    for candidate in candidates:
        candidate.reason = ""
    left = tournament.deadline.left()
    waiting = sorted(candidates, key=lambda candidate: _seconds(tournament, candidate, sharing))
    for place, candidate in enumerate(waiting):
        share = HOPELESS if np.isinf(left) else left / (len(waiting) - place)
        _afford(tournament, candidate, total, share, sharing)
        if candidate.running:
            left -= candidate.rounds * _seconds(tournament, candidate, sharing)
    if tournament.deadline.budget is not None:
        refits = [1.25 * _seconds(tournament, candidate, sharing) for candidate in candidates if candidate.running]
        tournament.reserve = min(max(refits, default=0.0), tournament.deadline.left() / (total + 1))


def _seconds(tournament, candidate, sharing, rows=None):
    """Seconds of a round with so many rows, its part of the preparation included."""
    rows = candidate.limit(tournament.learnable) if rows is None else rows
    prepared = (
        tournament.preparing.get(candidate.family.preparation, PowerLaw())(rows) / sharing[candidate.family.preparation]
    )
    return candidate.expected(rows, len(tournament.rounds[0].held_out)) + prepared


def _afford(tournament, candidate, total, share, sharing):
    """Set the rows and rounds of an candidate to what its share of the time is enough for.

    The rounds are counted with one more, for the refit and the test.
    """

    def too_long():
        return (rounds + 1) * _seconds(tournament, candidate, sharing, rows) > share

    rows, rounds = candidate.limit(tournament.learnable), total
    fewest = min(FEWEST_ROWS, rows)
    if not candidate.fit_law.sizes and candidate.family.complexity > 0:
        used_up = "the budget was used up before it could be timed on a sample"
        candidate.reason = f"it could not be timed on a sample: {candidate.trouble}" if candidate.trouble else used_up
        candidate.refused = True
        return
    while rows > fewest and too_long():
        rows = max(int(rows / 1.25), fewest)
    while rounds > FEWEST_ROUNDS and too_long():
        rounds -= 1
    if too_long() and candidate.family.complexity > 0:  # without the baseline nothing can be judged
        whole, least = (duration(_seconds(tournament, candidate, sharing, each)) for each in (None, rows))
        leaves = duration(max(share, 0.0) / (rounds + 1))
        candidate.reason = f"would take about {whole} a round, {least} with {rows:,} rows; the budget leaves {leaves}"
        candidate.refused = True
        return
    if rows < candidate.limit(tournament.learnable):
        candidate.planned_rows = rows
    candidate.rounds, candidate.refused = rounds, False


def rehearse(tournament, candidates):
    """Run the first round, and where it took far less than planned, once more with the rows that there is time for.

    Estimates from samples err on the careful side. What a round really took is entered in the laws, the time left is
    shared anew, and who may have twice the rows, or was refused, gets another first round.
    """
    tournament.run_round(tournament.rounds[0], candidates)
    if tournament.deadline.budget is None:
        return
    for _ in range(REHEARSALS):
        tried = [candidate for candidate in candidates if candidate.refused or candidate.fits]
        held = [candidate.planned_rows for candidate in tried]
        if not any(candidate.refused or candidate.planned_rows for candidate in tried):
            return
        for candidate in tried:
            if candidate.fits:
                candidate.learn_cost(candidate.last, candidate.rows, len(tournament.rounds[0].held_out))
            candidate.planned_rows = None
        allot(tournament, tried)
        again = []
        for candidate, before in zip(tried, held):
            rows = candidate.limit(tournament.learnable)
            if candidate.running and (not candidate.fits or rows >= 2 * candidate.rows):
                candidate.forget()
                again.append(candidate)
            elif candidate.fits:
                candidate.planned_rows, candidate.reason, candidate.refused = before, "", False
        if not again:
            return
        tournament.run_round(tournament.rounds[0], again)
