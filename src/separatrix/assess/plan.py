"""What a comparison can afford: families are measured on growing samples, then given rows and rounds that fit the time.

Without a budget nothing hopeless is started: a family that would take longer than ten minutes learns from a sample.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.assess import deadline, trial
from separatrix.assess.contest import duration, said
from separatrix.assess.deadline import HOPELESS, PowerLaw
from separatrix.estimators.preparation.compose import obstacle

# Tables up to this size are run at once: measuring first would cost more than it saves.
SMALL_ROWS, SMALL_CELLS = 5_000, 500_000
# Numbers in a dense prepared array: a gigabyte.
MOST_CELLS = 125_000_000
FIRST_SAMPLE, GROWTH, QUERIES = 250, 4, 1_000
# A sample of fewer rows says little about a family that could have had them all.
FEWEST_ROWS, FEWEST_ROUNDS = 1_000, 2


def plan(contest, entrants):
    """Decide for each entrant: all rows, a sample of them, fewer rounds, or a reason not to run."""
    known = contest.situation(contest.y[contest.rounds[0].learn], _columns(contest))
    for entrant in entrants:  # what the table alone rules out need not be prepared
        entrant.reason = entrant.family.unfit(known) or obstacle(contest.understanding.used, entrant.family.view)
    cells = contest.learnable * _columns(contest)
    if contest.deadline.budget is None and contest.learnable <= SMALL_ROWS and cells <= SMALL_CELLS:
        return
    until = Until(contest)
    for view in dict.fromkeys(entrant.family.view for entrant in entrants if entrant.running):
        measure(contest, view, [e for e in entrants if e.running and e.family.view == view], until)
    allot(contest, [entrant for entrant in entrants if entrant.running])


def _columns(contest):
    return len(contest.understanding.used)


def measure(contest, view, entrants, until):
    """Time the preparation of a view and each of its families on samples, each four times the last.

    A family's sample grows until it takes 1/500 of the budget. The first also loads compiled loops; where that makes it
    look slow, it is timed once more.
    """
    enough = 0.5 if contest.deadline.budget is None else contest.deadline.budget / 500.0
    round_ = contest.rounds[0]
    held = contest.table.take(round_.held_out[:QUERIES])
    growing, size = list(entrants), min(FIRST_SAMPLE, contest.learnable)
    law = contest.preparing.setdefault(view, PowerLaw())
    while growing and (size <= FIRST_SAMPLE or until.allows()):
        rows = round_.learn[:size]
        started = deadline.now()
        try:
            steps, X = contest.prepared(view, rows)
            sample = Sample(X, contest.y[rows], steps.transform(held))
        except Exception as error:
            if size * GROWTH > contest.learnable:
                for entrant in growing:
                    entrant.reason = f"its columns could not be prepared: {said(error)}"
                return
            size *= GROWTH  # a sample may be too small for what the whole is large enough for
            continue
        law.add(size, deadline.now() - started)
        growing = [e for e in growing if _grows(contest, e, sample, enough, until)]
        if size == contest.learnable or (size * GROWTH > contest.learnable and size > FIRST_SAMPLE):
            return
        size = min(size * GROWTH, contest.learnable)


class Until:
    """How long measuring may go on: a seventh of the time left, and half of it for those never timed before."""

    def __init__(self, contest):
        self.deadline = contest.deadline
        self.started, self.left = contest.deadline.seconds, contest.deadline.left()

    def allows(self, seconds=0.0, first=False):
        """Whether so many more seconds would be within it."""
        return self.deadline.seconds - self.started + seconds <= self.left / (2.0 if first else 7.0)


class Sample(NamedTuple):
    """Prepared rows with their targets, and prepared rows to ask about."""

    X: Any
    y: np.ndarray
    held: Any

    def first(self, count):
        return Sample(self.X[:count], self.y[:count], self.held)


def _grows(contest, entrant, sample, enough, until):
    """Time an entrant on a sample; return whether a larger one is worth its time."""
    X = sample.X
    if isinstance(X, np.ndarray) and MOST_CELLS // X.shape[1] < contest.learnable:
        entrant.most_rows = entrant.limit(max(MOST_CELLS // X.shape[1], 1))
    first = not entrant.fit_law.sizes
    if not until.allows(first=first):
        return False
    seconds = _time(contest, entrant, sample)
    if seconds is None:  # the rounds will say whether that was the sample's fault
        return True
    if first and seconds >= enough and until.allows(seconds, first=True):
        seconds = _time(contest, entrant, sample)
        half = sample.first(len(sample.y) // 2)
        # an exponent needs a second size, and only a smaller one is cheap
        if seconds >= enough and until.allows(0.5 * seconds) and _time(contest, entrant, half) is not None:
            entrant.fit_law.swap()
            entrant.predict_law.swap()
    return seconds < enough and len(sample.y) < entrant.limit(contest.learnable)


def _time(contest, entrant, sample):
    """Seconds of a trial, entered in the laws of the entrant; None where the sample does not suit it."""
    situation = contest.situation(sample.y, sample.X.shape[1], sparse=not isinstance(sample.X, np.ndarray))
    if entrant.family.unfit(situation):
        return None
    try:
        found = trial.attempt(entrant.family.make(situation), *sample, contest.classes)
    except Exception:
        return None
    entrant.fit_law.add(len(sample.y), found.fit_seconds)
    entrant.predict_law.add(len(sample.y), found.predict_seconds / sample.held.shape[0])
    return found.seconds


def allot(contest, entrants):
    """Share the time left among the entrants, the quickest first; what one does not need is passed on."""
    total, held = len(contest.rounds), len(contest.rounds[0].held_out)
    sharing = {view: sum(e.family.view == view for e in entrants) for view in {e.family.view for e in entrants}}
    left = contest.deadline.left()

    def seconds(entrant, rows):
        view = entrant.family.view
        return entrant.expected(rows, held) + contest.preparing[view](rows) / sharing[view]

    def whole(entrant):
        return seconds(entrant, entrant.limit(contest.learnable))

    waiting = sorted(entrants, key=whole)
    for place, entrant in enumerate(waiting):
        # one more round than there are, for the refit and the test
        share = HOPELESS if np.isinf(left) else left / (len(waiting) - place)
        _afford(entrant, contest.learnable, total, share, lambda rows, entrant=entrant: seconds(entrant, rows))
        if entrant.running:
            left -= entrant.rounds * seconds(entrant, entrant.limit(contest.learnable))
    running = [entrant for entrant in entrants if entrant.running]
    if contest.deadline.budget is not None:
        refits = [1.25 * seconds(entrant, entrant.limit(contest.learnable)) for entrant in running]
        contest.reserve = min(max(refits, default=0.0), contest.deadline.left() / (total + 1))


def _afford(entrant, learnable, total, share, seconds):
    """Set the rows and rounds of an entrant to what its share of the time is enough for."""
    rows, rounds = entrant.limit(learnable), total
    fewest = min(FEWEST_ROWS, rows)
    if entrant.fit_law.sizes and (rounds + 1) * seconds(rows) <= share:
        return
    while rows > fewest and (rounds + 1) * seconds(rows) > share:
        rows = max(int(rows / 1.25), fewest)
    while rounds > FEWEST_ROUNDS and (rounds + 1) * seconds(rows) > share:
        rounds -= 1
    if entrant.family.order == 0:  # without the baseline nothing can be judged
        entrant.most_rows, entrant.rounds = rows, rounds
        return
    if not entrant.fit_law.sizes:
        entrant.reason = "the budget was used up before it could be timed on a sample"
        return
    if (rounds + 1) * seconds(rows) > share:
        entrant.reason = (
            f"would take about {duration(seconds(entrant.limit(learnable)))} a round, {duration(seconds(rows))} with "
            f"{rows:,} rows; the budget leaves {duration(max(share, 0.0) / (rounds + 1))}"
        )
        return
    entrant.most_rows, entrant.rounds = rows, rounds
