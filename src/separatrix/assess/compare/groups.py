"""From scores to a ranking: groups of models without a significant difference, and the recommended model."""

import numpy as np

from separatrix.assess.compare.leaderboard import pair
from separatrix.assess.compare.paired import better_than, corrected_error, worse_than

LEVEL = 0.05


def rank(standings, *, higher_is_better, ratio, resolution=0.0, error_ratio=None):
    """Order standings by group, then by score, failures last; set score, error and group; return the tests' p-values.

    Group 1 is led by the best score and holds every model that is not significantly worse than its leader, by
    corrected paired tests whose p-values allow for the leader being chosen by the same scores. Group 2 is led by the
    best of the rest, and so on. What is claimed of a model is that it is worse than the leader of each group above its
    own; the chance of any false claim in the whole board is about 5 %, or less. Groups are judged against their leaders
    only: two other members may differ, and a member of group 2 need not be worse than every member of group 1: it may
    have a better score than one that varies more, and still stands below it, so that groups are not torn apart.

    Parameters
    ----------
    standings : list of Standing.
    higher_is_better : bool.
    ratio : float.  For the tests: :func:`~separatrix.assess.compare.paired.overlap_ratio`.
    resolution : float.  The step in which a score can change.
    error_ratio : float or None.  For the standard errors shown: n2/n1; None: `ratio`.

    Returns
    -------
    dict from (leader, other) to the adjusted p-value, for every test that was made.
    """
    sign = 1.0 if higher_is_better else -1.0
    for standing in standings:
        if not standing.failed:
            standing.score = float(np.nanmean(standing.scores))
            standing.error = corrected_error(standing.scores, ratio if error_ratio is None else error_ratio)
    standings.sort(key=lambda s: (s.failed, -sign * s.score if not s.failed else 0.0, s.complexity, s.family))
    left = [standing for standing in standings if not standing.failed]
    p_values, group, models = {}, 0, len(left)
    while left:
        group += 1
        leader, *others = left
        rivals = {s.family: sign * s.scores for s in others}
        p_worse = worse_than(rivals, sign * leader.scores, ratio, resolution, models)
        p_values |= {(leader.family, name): p for name, p in p_worse.items()}
        for standing in left:
            if standing is leader or p_worse[standing.family] >= LEVEL:
                standing.group = group
        left = [standing for standing in left if standing.group == 0]
    standings.sort(key=lambda s: (s.failed, s.group))  # within a group the order by score stays
    return p_values


def recommend(standings, *, higher_is_better, ratio, score, resolution=0.0, late=0):
    """The standing to recommend, whether it is better than the baseline, and the reason.

    The baseline is the standing of complexity 0. If no model is significantly better (one-sided corrected tests,
    Holm-adjusted for the number of models), the baseline is recommended. Otherwise it is the simplest model, by
    complexity and then by size, of those that are better than the baseline, within one standard error of the best, and
    in its group (scores of the same rounds are correlated, so that a paired test may separate models whose standard
    errors overlap). A model with a fit that was not certified, in any round, comes after all others.

    `ratio` and `resolution` are those of the tests, as in :func:`rank`; `late` is how many families the budget kept
    from running or from finishing, for the words.
    """
    sign = 1.0 if higher_is_better else -1.0
    running = [standing for standing in standings if not standing.failed]
    baselines = [standing for standing in running if standing.complexity == 0]
    best = running[0]
    if not baselines:
        better = {standing.family: 0.0 for standing in running}
    else:
        rivals = {s.family: sign * s.scores for s in running if s.complexity > 0}
        better = better_than(rivals, sign * baselines[0].scores, ratio, resolution)
    winners = [standing for standing in running if better.get(standing.family, 1.0) < LEVEL]
    if not winners:
        return baselines[0], False, _no_better_than_baseline(best, baselines[0], score, ratio, late)
    best = winners[0]
    slack = best.error if np.isfinite(best.error) else 0.0
    equals = [standing for standing in winners if standing.group == best.group]
    near = [standing for standing in equals if sign * (best.score - standing.score) <= slack]
    chosen = min(near, key=lambda s: (s.certified is False, s.complexity, s.size, -sign * s.score))
    return chosen, bool(baselines), _why_recommended(chosen, best, baselines, score, running[0])


def _no_better_than_baseline(best, baseline, score, ratio, late):
    shown = f"No model is shown to be better than guessing: the baseline has {_score_text(baseline, score)}"
    if best is baseline:
        shown += ", and nothing is better"
    else:
        shown += f", and {best.family}, the best of the others, {_score_text(best)}"
    if np.isinf(ratio):
        alike = "Two folds cannot show a difference: their two rounds compare the same halves."
        return f"{shown}. {alike} Use three folds or more."
    if late:
        families = "a family" if late == 1 else f"{late} families"
        return f"{shown}. The budget stopped {families}, so that this is no verdict: a larger one is needed."
    chance = "" if best is baseline else ", a difference that chance may explain"
    return f"{shown}{chance}. Better columns or more rows are needed."


def _why_recommended(chosen, best, baselines, score, top):
    """The recommendation in words; `best` is the best of those that beat the baseline, `top` the best of all."""
    beats = f", and it beats the baseline ({_score_text(baselines[0])})" if baselines else ""
    if baselines and baselines[0].group == chosen.group:
        beats += (
            " by tests against the baseline alone (one-sided, 5 % for all models together); those of the groups, which "
            "allow for every pair, are not enough to show it"
        )
    if best is not top:
        beats += f". {top.family}, with {_score_text(top)}, is not shown to be better than the baseline"
    of_those = "" if best is top else " of the models that are shown to be better than the baseline"
    if chosen is best:
        simpler = "no simpler model is" if best is top else "no simpler one of them is"
        shown = f"{chosen.family} has the best {score}{of_those}, {_score_text(chosen)}"
        return f"{shown}; {simpler} within one standard error{beats}."
    shown = f"{chosen.family} is the simplest model within one standard error of the best{of_those}"
    return f"{shown}: {score} {_score_text(chosen)} against {_score_text(best)} of {best.family}{beats}."


def _score_text(standing, score=""):
    return f"{score} {pair(standing.score, standing.error)}".strip()
