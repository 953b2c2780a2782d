"""What a comparison can afford: families are measured on growing samples, then given rows and rounds that fit the time.

Without a budget nothing hopeless is started: a family that would take longer than two minutes learns from a sample.
"""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from separatrix.assess import deadline, trial
from separatrix.assess.contest import duration, said
from separatrix.assess.deadline import HOPELESS, PowerLaw
from separatrix.assess.entrant import QUERIES
from separatrix.estimators.preparation.compose import obstacle

# Tables up to this size are run at once: measuring first would cost more than it saves.
SMALL_ROWS, SMALL_CELLS = 5_000, 500_000
# Numbers in a dense prepared array: a gigabyte.
MOST_CELLS = 125_000_000
FIRST_SAMPLE, GROWTH = 250, 4
REHEARSALS = 3
# A sample of fewer rows says little about a family that could have had them all.
FEWEST_ROWS, FEWEST_ROUNDS = 1_000, 3


def plan(contest, entrants):
    """Decide for each entrant: all rows, a sample of them, fewer rounds, or a reason not to run."""
    known = contest.situation(contest.y[contest.rounds[0].learn], _columns(contest))
    for entrant in entrants:  # what the table alone rules out need not be prepared
        entrant.reason = entrant.family.unfit(known) or obstacle(contest.understanding.used, entrant.family.view)
    cells = contest.learnable * _columns(contest)
    if contest.deadline.budget is None and contest.learnable <= SMALL_ROWS and cells <= SMALL_CELLS:
        return
    views = dict.fromkeys(entrant.family.view for entrant in entrants if entrant.running)
    for measured in (warm_up, measure):
        until = Until(contest, share=0.5 if measured is warm_up else 1.0 / 7.0)
        for view in views:
            measured(contest, view, [e for e in entrants if e.running and e.family.view == view], until)
    allot(contest, [entrant for entrant in entrants if entrant.running])


def _columns(contest):
    return len(contest.understanding.used)


class Until:
    """How long something may go on: a share of the time left when it starts."""

    def __init__(self, contest, share):
        self.deadline = contest.deadline
        self.started, self.most = contest.deadline.seconds, share * contest.deadline.left()

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


def warm_up(contest, view, entrants, until):
    """Fit each family of a view to a small sample, so that compiled loops are loaded before anything is timed.

    The times are kept where nothing better is measured later: of several at one size the least counts.
    """
    sample = _sample(contest, view, min(FIRST_SAMPLE, contest.learnable), entrants)
    for entrant in entrants if sample is not None else ():
        if until.allows():
            _time(contest, entrant, sample)


def measure(contest, view, entrants, until):
    """Time the preparation of a view and each of its families on samples, each four times the last.

    A family's sample grows until it takes 1/250 of the budget, twice: something else may have been on the machine.
    """
    enough = 0.5 if contest.deadline.budget is None else contest.deadline.budget / 250.0
    growing, size = list(entrants), min(FIRST_SAMPLE, contest.learnable)
    while growing and until.allows():
        sample = _sample(contest, view, size, growing)
        if sample is not None:
            growing = [e for e in growing if e.running and _grows(contest, e, sample, enough, until)]
        if size == contest.learnable or (size * GROWTH > contest.learnable and size > FIRST_SAMPLE):
            return
        size = min(size * GROWTH, contest.learnable)


def _sample(contest, view, size, entrants):
    """The first so many rows of the first round, prepared; None where they are too few for it."""
    round_, started = contest.rounds[0], deadline.now()
    rows = round_.learn[:size]
    try:
        steps, X = contest.prepared(view, rows)
        sample = Sample(X, contest.y[rows], steps.transform(contest.table.take(round_.held_out[:QUERIES])))
    except Exception as error:  # the sample may be too small
        for entrant in entrants:
            entrant.trouble = said(error)
        return None
    contest.preparing.setdefault(view, PowerLaw()).add(size, deadline.now() - started)
    return sample


def _grows(contest, entrant, sample, enough, until):
    """Time an entrant on a sample; return whether a larger one is worth its time."""
    X = sample.X
    if isinstance(X, np.ndarray) and MOST_CELLS // X.shape[1] < contest.learnable:
        entrant.most_rows = entrant.limit(max(MOST_CELLS // X.shape[1], 1))
    if not until.allows():
        return False
    seconds = _time(contest, entrant, sample)
    if seconds is None:
        return True
    if seconds >= enough and until.allows(seconds):
        seconds = min(seconds, _time(contest, entrant, sample) or seconds)
    if seconds >= enough and len(entrant.fit_law.sizes) == 1 and until.allows(0.5 * seconds):
        # an exponent needs a second size, and only a smaller one is cheap
        _time(contest, entrant, sample.first(len(sample.y) // 2))
    return seconds < enough and len(sample.y) < entrant.limit(contest.learnable)


def _time(contest, entrant, sample):
    """Seconds of a trial, entered in the laws of the entrant; None where the sample does not suit it.

    What does not suit the whole either is the reason why the family does not run.
    """
    facts = contest.situation(sample.y, sample.X.shape[1], sparse=not isinstance(sample.X, np.ndarray))
    if entrant.family.unfit(facts):
        whole = contest.situation(contest.y[contest.rounds[0].learn], facts.columns, sparse=facts.sparse)
        entrant.reason = entrant.family.unfit(whole)
        return None
    try:
        found = trial.attempt(entrant.family.make(facts), *sample, contest.classes)
    except Exception as error:  # the sample may be too small for it
        entrant.trouble = said(error)
        return None
    entrant.learn_cost(found, len(sample.y), sample.held.shape[0])
    return found.seconds


def allot(contest, entrants):
    """Share the time left among the entrants, the quickest first; what one does not need is passed on."""
    total = len(contest.rounds)
    sharing = Counter(entrant.family.view for entrant in entrants)
    for entrant in entrants:
        entrant.reason = ""
    left = contest.deadline.left()
    waiting = sorted(entrants, key=lambda entrant: _seconds(contest, entrant, sharing))
    for place, entrant in enumerate(waiting):
        share = HOPELESS if np.isinf(left) else left / (len(waiting) - place)
        _afford(contest, entrant, total, share, sharing)
        if entrant.running:
            left -= entrant.rounds * _seconds(contest, entrant, sharing)
    if contest.deadline.budget is not None:
        refits = [1.25 * _seconds(contest, entrant, sharing) for entrant in entrants if entrant.running]
        contest.reserve = min(max(refits, default=0.0), contest.deadline.left() / (total + 1))


def _seconds(contest, entrant, sharing, rows=None):
    """Seconds of a round with so many rows, its part of the preparation included."""
    rows = entrant.limit(contest.learnable) if rows is None else rows
    prepared = contest.preparing.get(entrant.family.view, PowerLaw())(rows) / sharing[entrant.family.view]
    return entrant.expected(rows, len(contest.rounds[0].held_out)) + prepared


def _afford(contest, entrant, total, share, sharing):
    """Set the rows and rounds of an entrant to what its share of the time is enough for.

    The rounds are counted with one more, for the refit and the test.
    """

    def too_long():
        return (rounds + 1) * _seconds(contest, entrant, sharing, rows) > share

    rows, rounds = entrant.limit(contest.learnable), total
    fewest = min(FEWEST_ROWS, rows)
    if not entrant.fit_law.sizes and entrant.family.order > 0:
        used_up = "the budget was used up before it could be timed on a sample"
        entrant.reason = f"it could not be timed on a sample: {entrant.trouble}" if entrant.trouble else used_up
        entrant.refused = True
        return
    while rows > fewest and too_long():
        rows = max(int(rows / 1.25), fewest)
    while rounds > FEWEST_ROUNDS and too_long():
        rounds -= 1
    if too_long() and entrant.family.order > 0:  # without the baseline nothing can be judged
        whole, least = (duration(_seconds(contest, entrant, sharing, each)) for each in (None, rows))
        leaves = duration(max(share, 0.0) / (rounds + 1))
        entrant.reason = f"would take about {whole} a round, {least} with {rows:,} rows; the budget leaves {leaves}"
        entrant.refused = True
        return
    if rows < entrant.limit(contest.learnable):
        entrant.planned_rows = rows
    entrant.rounds, entrant.refused = rounds, False


def rehearse(contest, entrants):
    """Run the first round, and where it took far less than planned, once more with the rows that there is time for.

    Estimates from samples err on the careful side. What a round really took is entered in the laws, the time left is
    shared anew, and who may have twice the rows, or was refused, gets another first round.
    """
    contest.run_round(contest.rounds[0], entrants)
    if contest.deadline.budget is None:
        return
    for _ in range(REHEARSALS):
        tried = [entrant for entrant in entrants if entrant.refused or entrant.fits]
        held = [entrant.planned_rows for entrant in tried]
        if not any(entrant.refused or entrant.planned_rows for entrant in tried):
            return
        for entrant in tried:
            if entrant.fits:
                entrant.learn_cost(entrant.last, entrant.rows, len(contest.rounds[0].held_out))
            entrant.planned_rows = None
        allot(contest, tried)
        again = []
        for entrant, before in zip(tried, held):
            rows = entrant.limit(contest.learnable)
            if entrant.running and (not entrant.fits or rows >= 2 * entrant.rows):
                entrant.forget()
                again.append(entrant)
            elif entrant.fits:
                entrant.planned_rows, entrant.reason, entrant.refused = before, "", False
        if not again:
            return
        contest.run_round(contest.rounds[0], again)
