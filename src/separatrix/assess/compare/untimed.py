"""Rounds of a small table, whose families are not timed on samples: slices of time tell the quick ones, which go first.

Every family gets an equal part of half of the time for its first fit. A fit that takes longer is stopped, or is the
only one for now. The families that can finish all rounds do so next, and their unused time makes longer slices for
the others, until no slice is longer than the one before. What is left goes to the rounds of the quickest.
"""

import numpy as np

# Rounds that a family runs at once: the first fit may have loaded compiled loops, and the second tells its time.
FIRST_ROUNDS = 2
# A first fit that was stopped is begun again with at least so many times the seconds that it had.
GROWTH = 1.5


def run_untimed(tournament, candidates):
    """Run all rounds of the candidates, as far as the budget allows."""
    waiting, begun, share = [each for each in candidates if each.running], [], 0.5
    while waiting:
        unfinished = [each for each in begun if not _is_finished(each)]
        tournament.first_part = share * tournament.deadline.left() / (len(waiting) + len(unfinished))
        longer = [each for each in waiting if tournament.first_part >= GROWTH * each.stopped_after]
        again = longer if begun else waiting  # without any time, too: then they have a reason
        if not again:
            break
        for candidate in again:
            candidate.resume()
        tournament.run_rounds(tournament.rounds[:FIRST_ROUNDS], again)
        begun += [each for each in again if each.fits]
        waiting = [each for each in waiting if each.stopped_after and not each.fits]
        tournament.first_part, share = np.inf, 1.0
        finish(tournament, affordable(tournament, begun))
    tournament.first_part = np.inf
    for candidate in sorted(begun, key=lambda each: each.seconds()):
        finish(tournament, [candidate])


def affordable(tournament, begun):
    """The families that can finish all of their rounds in the time left together, the quickest first."""
    chosen, needed = [], 0.0
    for candidate in sorted(begun, key=lambda each: each.seconds()):
        needed += (candidate.rounds - len(candidate.fits)) * candidate.seconds()
        if needed > tournament.left_for(candidate):
            break
        chosen.append(candidate)
    return chosen


def finish(tournament, candidates):
    """Run the rounds that candidates have not run, round by round."""
    for round_ in tournament.rounds:
        todo = [each for each in candidates if round_.number not in each.tried]
        if todo:
            tournament.run_rounds([round_], todo)


def _is_finished(candidate):
    return candidate.stopped or not candidate.running or len(candidate.tried) == candidate.rounds
