"""What a comparison can afford: families are measured on growing samples, then given rows and rounds that fit the time.

Without a budget nothing hopeless is started: a family that would take longer than ten minutes learns from a sample.
"""

import numpy as np

from separatrix.assess import deadline, trial
from separatrix.assess.contest import duration, said
from separatrix.assess.deadline import PowerLaw
from separatrix.estimators.preparation.compose import obstacle

# Tables up to this size are run at once: measuring first would cost more than it saves.
SMALL_ROWS, SMALL_CELLS = 5_000, 500_000
HOPELESS = 600.0
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
    for view in dict.fromkeys(entrant.family.view for entrant in entrants if entrant.running):
        measure(contest, view, [e for e in entrants if e.running and e.family.view == view])
    allot(contest, [entrant for entrant in entrants if entrant.running])


def _columns(contest):
    return len(contest.understanding.used)


def measure(contest, view, entrants):
    """Time the preparation of a view and each of its families on samples, each four times the last.

    The first sample is not timed: it loads compiled loops. A sample grows until it takes 1/500 of the budget.
    """
    enough = 0.5 if contest.deadline.budget is None else contest.deadline.budget / 500.0
    round_ = contest.rounds[0]
    held = round_.held_out[:QUERIES]
    growing, size, timed = list(entrants), min(FIRST_SAMPLE, contest.learnable), False
    law = contest.preparing.setdefault(view, PowerLaw())
    while growing and contest.deadline.left() > 0.0:
        rows = round_.learn[:size]
        try:
            started = deadline.now()
            steps, X = contest.prepared(view, rows)
            X_held = steps.transform(contest.table.take(held))
            law.add(size, deadline.now() - started)
        except Exception as error:
            if timed or size == contest.learnable:
                for entrant in growing:
                    entrant.reason = f"its columns could not be prepared: {said(error)}"
                return
            X = None  # a sample may be too small for what the whole is large enough for
        if X is not None:
            growing = [e for e in growing if _sample(contest, e, X, contest.y[rows], X_held, timed, enough)]
        if timed and size * GROWTH > contest.learnable:
            return
        # small tables are timed whole, large ones at sizes from which the whole can be foreseen
        size = min(size * GROWTH, contest.learnable)
        timed = True


def _sample(contest, entrant, X, y, X_held, timed, enough):
    """Try an entrant on a sample; return whether a larger sample is worth its time."""
    situation = contest.situation(y, X.shape[1], sparse=not isinstance(X, np.ndarray))
    reason = entrant.family.unfit(situation)
    if reason:  # it may be for want of rows, which the whole has
        return True
    if isinstance(X, np.ndarray):
        most = max(MOST_CELLS // X.shape[1], 1)
        if most < contest.learnable:
            entrant.most_rows = entrant.limit(most)
    try:
        found = trial.attempt(entrant.family.make(situation), X, y, X_held, contest.classes)
    except Exception:  # the rounds will say whether that was the sample's fault
        return len(y) < contest.learnable
    if timed:
        entrant.fit_law.add(len(y), found.fit_seconds)
        entrant.predict_law.add(len(y), found.predict_seconds / X_held.shape[0])
    spent = found.fit_seconds + found.predict_seconds
    return spent < enough and len(y) < entrant.limit(contest.learnable)


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
    if (rounds + 1) * seconds(rows) <= share:
        return
    while rows > fewest and (rounds + 1) * seconds(rows) > share:
        rows = max(int(rows / 1.25), fewest)
    while rounds > FEWEST_ROUNDS and (rounds + 1) * seconds(rows) > share:
        rounds -= 1
    if (rounds + 1) * seconds(rows) > share:
        entrant.reason = (
            f"would take about {duration(seconds(entrant.limit(learnable)))} a round, {duration(seconds(rows))} with "
            f"{rows:,} rows; the budget leaves {duration(max(share, 0.0) / (rounds + 1))}"
        )
        return
    entrant.most_rows, entrant.rounds = rows, rounds
