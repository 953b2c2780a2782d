"""Rows and rounds of each family within a time budget: families are timed on growing samples of rows.

Without a budget a family that would take longer than two minutes learns from a sample.
"""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from separatrix.assess.compare import deadline, fit_once
from separatrix.assess.compare.candidate import FEWEST_ROUNDS, QUERIES
from separatrix.assess.compare.deadline import MOST_SECONDS, PowerLaw
from separatrix.assess.compare.tournament import error_text, format_seconds, one_thread_if_small
from separatrix.core.time_limit import OutOfTime, limited_by
from separatrix.estimators.preparation.compose import why_unpreparable

# Tables up to this size are run without timing: samples of them would take as long as rounds.
SMALL_ROWS, SMALL_CELLS = 5_000, 500_000
# Most numbers in a dense prepared array (1 GB).
MOST_CELLS = 125_000_000
FIRST_SAMPLE, GROWTH = 250, 4
MOST_REPLANS = 3
LARGEST_PART = 0.25  # of the time for samples, that one fit may take
# Fewest rows to which a family is cut.
FEWEST_ROWS = 1_000


def plan(tournament, candidates):
    """Decide for each candidate: all rows, a sample of them, fewer rounds, or a reason not to run.

    Return whether families were timed. Of a small table they are not.
    """
    known = tournament.facts(tournament.y[tournament.rounds[0].learn], _columns(tournament))
    for candidate in candidates:  # excluded by the table alone: not prepared
        candidate.reason = candidate.family.why_excluded(known) or why_unpreparable(
            tournament.understanding.used, candidate.family.preparation
        )
    cells = tournament.train_size * _columns(tournament)
    if tournament.train_size <= SMALL_ROWS and cells <= SMALL_CELLS:
        return False
    preparations = dict.fromkeys(candidate.family.preparation for candidate in candidates if candidate.running)
    for step, share in ((warm_up, 0.5), (time_on_samples, 1.0 / 7.0)):
        time_share = TimeShare(tournament, share)
        for preparation in preparations:
            sharing = [e for e in candidates if e.running and e.family.preparation == preparation]
            step(tournament, preparation, sharing, time_share)
    share_time(tournament, [candidate for candidate in candidates if candidate.running])
    return True


def _columns(tournament):
    return len(tournament.understanding.used)


class TimeShare:
    """A share of the time left when it is created."""

    def __init__(self, tournament, share):
        self.deadline = tournament.deadline
        self.started, self.most = tournament.deadline.seconds, share * tournament.deadline.left()

    def allows(self, seconds=0.0):
        """Whether `seconds` more are within the share."""
        return self.deadline.seconds - self.started + seconds <= self.most

    def is_over_for_one(self):
        """A function that says when a fit that starts now has used up a quarter of the share, or what is left of it."""
        started = self.deadline.seconds
        return lambda: self.deadline.seconds - started > LARGEST_PART * self.most or not self.allows()


class Sample(NamedTuple):
    """Prepared rows with their targets, and prepared rows to predict."""

    X: Any
    y: np.ndarray
    held: Any

    def first(self, count):
        return Sample(self.X[:count], self.y[:count], self.held)


def warm_up(tournament, preparation, candidates, time_share):
    """Fit each family to a small sample, so that compiled loops are loaded before anything is timed.

    The times are recorded too: of several at one size the least counts.
    """
    sample = _sample(tournament, preparation, min(FIRST_SAMPLE, tournament.train_size), candidates)
    for candidate in candidates if sample is not None else ():
        if time_share.allows():
            _time(tournament, candidate, sample, time_share)


def time_on_samples(tournament, preparation, candidates, time_share):
    """Time a preparation and the families that share it on samples, each four times as large as the last.

    A family's sample grows until a fit takes 1/250 of the budget in two runs; the second guards against other load.
    """
    enough = 0.5 if tournament.deadline.budget is None else tournament.deadline.budget / 250.0
    growing, size = list(candidates), min(FIRST_SAMPLE, tournament.train_size)
    while growing and time_share.allows():
        sample = _sample(tournament, preparation, size, growing)
        if sample is not None:
            growing = [e for e in growing if e.running and _grows(tournament, e, sample, enough, time_share)]
        if size == tournament.train_size:
            return
        if size * GROWTH > tournament.train_size and size > FIRST_SAMPLE:
            # samples have few rows a column: whoever excluded each of them may take all rows
            growing = [candidate for candidate in growing if not candidate.fit_law.sizes]
        size = min(size * GROWTH, tournament.train_size)


def _sample(tournament, preparation, size, candidates):
    """The first `size` rows of the first round, prepared; None if preparing them failed."""
    round_, started = tournament.rounds[0], deadline.now()
    rows = round_.learn[:size]
    try:
        steps, X = tournament.prepared(preparation, rows)
        sample = Sample(X, tournament.y[rows], steps.transform(tournament.table.take(round_.held_out[:QUERIES])))
    except Exception as error:  # the sample may be too small
        for candidate in candidates:
            candidate.sample_error = error_text(error)
        return None
    tournament.preparing.setdefault(preparation, PowerLaw()).add(size, deadline.now() - started)
    return sample


def _grows(tournament, candidate, sample, enough, time_share):
    """Time a candidate on a sample; return whether to time it on a larger one."""
    X = sample.X
    if isinstance(X, np.ndarray) and MOST_CELLS // X.shape[1] < tournament.train_size:
        candidate.most_rows = candidate.limit(max(MOST_CELLS // X.shape[1], 1))
    if not time_share.allows():
        return False
    seconds = _time(tournament, candidate, sample, time_share)
    if seconds is None:
        return True
    if seconds >= enough and time_share.allows(seconds):
        seconds = min(seconds, _time(tournament, candidate, sample, time_share) or seconds)
    if seconds >= enough and len(candidate.fit_law.sizes) == 1 and time_share.allows(0.5 * seconds):
        # an exponent needs a second size; a smaller one is cheap
        _time(tournament, candidate, sample.first(len(sample.y) // 2), time_share)
    return seconds < enough and len(sample.y) < candidate.limit(tournament.train_size)


def _time(tournament, candidate, sample, time_share):
    """Seconds of a fit, added to the timings of the candidate; None if there was none.

    If the family excludes all rows, for the columns of the sample, that is the reason why it does not run.
    """
    facts = tournament.facts(sample.y, sample.X.shape[1], sparse=not isinstance(sample.X, np.ndarray))
    if candidate.family.why_excluded(facts):
        whole = tournament.facts(tournament.y[tournament.rounds[0].learn], facts.columns, sparse=facts.sparse)
        candidate.reason = candidate.family.why_excluded(whole)
        candidate.excluded = bool(candidate.reason)
        return None
    started = deadline.now()
    try:
        with one_thread_if_small(sample.X), limited_by(time_share.is_over_for_one()):
            fit = fit_once.fit_once(candidate.family.make(facts), *sample, tournament.classes)
    except OutOfTime:
        spent = format_seconds(deadline.now() - started)
        candidate.sample_error = f"a fit to {len(sample.y):,} rows was stopped after {spent}"
        return None
    except Exception as error:  # the sample may be too small for it
        candidate.sample_error = error_text(error)
        return None
    candidate.add_timing(fit, len(sample.y), sample.held.shape[0])
    return fit.seconds


def share_time(tournament, candidates):
    """Share the time left among the candidates, the quickest first; unused time passes to the next."""
    total = len(tournament.rounds)
    sharing = Counter(candidate.family.preparation for candidate in candidates)
    for candidate in candidates:
        candidate.reason = ""
    left = tournament.deadline.left()
    waiting = sorted(candidates, key=lambda candidate: _seconds(tournament, candidate, sharing))
    for place, candidate in enumerate(waiting):
        share = MOST_SECONDS if np.isinf(left) else left / (len(waiting) - place)
        _fit_to_share(tournament, candidate, total, share, sharing)
        if candidate.running:
            left -= candidate.rounds * _seconds(tournament, candidate, sharing)
    if tournament.deadline.budget is not None:
        refits = [1.25 * _seconds(tournament, candidate, sharing) for candidate in candidates if candidate.running]
        tournament.reserve = min(max(refits, default=0.0), tournament.deadline.left() / (total + 1))


def _seconds(tournament, candidate, sharing, rows=None):
    """Expected seconds of a round with `rows` rows, with its part of the preparation."""
    rows = candidate.limit(tournament.train_size) if rows is None else rows
    prepared = (
        tournament.preparing.get(candidate.family.preparation, PowerLaw())(rows) / sharing[candidate.family.preparation]
    )
    return candidate.expected(rows, len(tournament.rounds[0].held_out)) + prepared


def _fit_to_share(tournament, candidate, total, share, sharing):
    """Set the rows and rounds of a candidate to what its share of the time allows.

    One more round is counted, for the refit and the test.
    """

    def too_long():
        return (rounds + 1) * _seconds(tournament, candidate, sharing, rows) > share

    rows, rounds = candidate.limit(tournament.train_size), total
    fewest = min(FEWEST_ROWS, rows)
    if not candidate.fit_law.sizes and candidate.family.complexity > 0:
        used_up = "the budget was used up before it could be timed on a sample"
        candidate.reason = (
            f"it could not be timed on a sample: {candidate.sample_error}" if candidate.sample_error else used_up
        )
        candidate.over_budget = True
        return
    while rows > fewest and too_long():
        rows = max(int(rows / 1.25), fewest)
    while rounds > FEWEST_ROUNDS and too_long():
        rounds -= 1
    if too_long() and candidate.family.complexity > 0:  # the baseline always runs: all others are judged against it
        whole, least = (format_seconds(_seconds(tournament, candidate, sharing, each)) for each in (None, rows))
        fewer = f", {least} with {rows:,} rows" if rows < candidate.limit(tournament.train_size) else ""
        leaves = f"leaves {format_seconds(share / (rounds + 1))}" if share > 0.0 else "is used up"
        candidate.reason = f"would take about {whole} a round{fewer}; the budget {leaves}"
        candidate.over_budget = True
        return
    if rows < candidate.limit(tournament.train_size):
        candidate.planned_rows = rows
    candidate.rounds, candidate.over_budget = rounds, False


def run_first_round(tournament, candidates):
    """Run the first round; repeat it with more rows for families that took much less time than planned.

    Estimates from samples tend to be too long. The measured times are added to the timings, the time left is shared
    anew, and a family that may now have all rows or twice as many, or was over budget, runs the first round again.
    """
    tournament.run_rounds(tournament.rounds[:1], candidates)
    if tournament.deadline.budget is None:
        return
    for _ in range(MOST_REPLANS):
        tried = [candidate for candidate in candidates if candidate.over_budget or candidate.fits]
        held = [candidate.planned_rows for candidate in tried]
        if not any(candidate.over_budget or candidate.planned_rows for candidate in tried):
            return
        for candidate in tried:
            if candidate.fits:
                candidate.add_timing(candidate.last, candidate.rows, len(tournament.rounds[0].held_out))
            candidate.planned_rows = None
        share_time(tournament, tried)
        again = []
        for candidate, before in zip(tried, held):
            rows = candidate.limit(tournament.train_size)
            more = rows >= 2 * candidate.rows or (candidate.planned_rows is None and rows > candidate.rows)
            if candidate.running and (not candidate.fits or more):
                candidate.reset()
                again.append(candidate)
            elif candidate.fits:
                candidate.planned_rows, candidate.reason, candidate.over_budget = before, "", False
        if not again:
            return
        tournament.run_rounds(tournament.rounds[:1], again)


def run_cut_families(tournament, candidates):
    """After the last round: run families that learnt from fewer rows once more, with all, if there is time for them.

    The time is that of their rounds, which are the best estimate of all. The quickest come first.
    """
    if tournament.deadline.budget is None:
        return
    cut = [each for each in candidates if each.running and each.fits and each.planned_rows and not each.stopped]
    for candidate in cut:
        candidate.add_timing(candidate.last, candidate.rows, len(tournament.rounds[0].held_out))
    sharing = Counter(candidate.family.preparation for candidate in cut)

    def of_all_rows(candidate):
        whole = min(each for each in (tournament.train_size, candidate.most_rows) if each is not None)
        return _seconds(tournament, candidate, sharing, whole)

    for candidate in sorted(cut, key=of_all_rows):
        if (len(tournament.rounds) + 2) * of_all_rows(candidate) > tournament.deadline.left():  # the refit among them
            return
        candidate.reset()
        candidate.planned_rows, candidate.rounds = None, len(tournament.rounds)
        for round_ in tournament.rounds:
            tournament.run_rounds([round_], [candidate])
