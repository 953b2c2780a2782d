"""Groups and the recommendation, on scores that were made for it."""

import numpy as np
import pytest

from separatrix.assess.compare.comparison import Standing
from separatrix.assess.compare.groups import LEVEL, rank, recommend

TOLD = {"higher_is_better": True, "ratio": 0.25}
WAVE = 0.01 * np.array([1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, -1.5, 1.0, -1.0])


def standing(name, level, complexity=20, size=10, wave=WAVE, certified=None):
    return Standing(name, complexity=complexity, size=size, scores=level + np.asarray(wave), certified=certified)


def board():
    return [
        standing("baseline", 0.5, complexity=0, wave=np.zeros(10)),
        standing("good", 0.900, complexity=30, wave=WAVE),
        standing("as good", 0.899, complexity=20, wave=-WAVE),
        standing("poor", 0.700, complexity=10, wave=WAVE[::-1]),
        Standing("broken", complexity=10, reason="ValueError: no"),
    ]


def test_the_best_leads_a_group_of_those_that_cannot_be_told_from_it():
    found = board()
    p = rank(found, **TOLD)
    assert [(s.family, s.group) for s in found] == [
        ("good", 1), ("as good", 1), ("poor", 2), ("baseline", 3), ("broken", 0)
    ]  # fmt: skip
    assert p["good", "as good"] > 0.05 > p["good", "poor"]
    assert ("poor", "baseline") in p and ("as good", "poor") not in p


def test_groups_are_not_torn_apart_by_a_member_whose_score_varies_much():
    """The wild one has a lower mean than the second, yet only the second is shown to be worse than the best."""
    standings = [
        standing("second", 0.895, wave=WAVE + 0.0002 * np.arange(10)),
        standing("best", 0.900),
        standing("wild", 0.885, wave=30.0 * WAVE[::-1]),
    ]
    p = rank(standings, **TOLD)
    assert p["best", "wild"] > LEVEL > p["best", "second"]
    assert [(s.family, s.group) for s in standings] == [("best", 1), ("wild", 1), ("second", 2)]


def test_the_simplest_within_one_standard_error_is_recommended():
    found = board()
    rank(found, **TOLD)
    chosen, better, why = recommend(found, score="accuracy", **TOLD)
    assert chosen.family == "as good" and better
    assert "simplest" in why and "good" in why


def test_a_model_that_is_always_a_little_worse_is_not_recommended_though_errors_are_wide():
    wide = 10.0 * WAVE
    found = [
        standing("baseline", 0.0, complexity=0, wave=np.zeros(10)),
        standing("good", 0.9, complexity=40, wave=wide),
        standing("simple", 0.88, complexity=10, wave=wide + 0.1 * WAVE[::-1]),
    ]
    rank(found, **TOLD)
    assert found[0].error > 0.03 and [s.group for s in found] == [1, 2, 3]
    assert recommend(found, score="accuracy", **TOLD)[0].family == "good"


def test_of_equally_simple_models_the_smaller_is_recommended():
    found = [*board(), standing("small", 0.8985, complexity=20, size=3, wave=-WAVE)]
    rank(found, **TOLD)
    assert recommend(found, score="accuracy", **TOLD)[0].family == "small"


def test_a_fit_that_is_not_certified_is_recommended_last():
    found = [*board(), standing("no maximum", 0.8985, complexity=10, certified=False, wave=-WAVE)]
    rank(found, **TOLD)
    assert recommend(found, score="accuracy", **TOLD)[0].family == "as good"


def test_where_nothing_beats_the_baseline_the_baseline_is_recommended():
    found = [standing("baseline", 0.5, complexity=0, wave=np.zeros(10)), standing("lucky", 0.505, complexity=10)]
    rank(found, **TOLD)
    chosen, better, why = recommend(found, score="accuracy", **TOLD)
    assert chosen.family == "baseline" and not better
    assert "No model is shown to be better than guessing" in why and "lucky" in why


def test_a_better_score_that_does_not_beat_the_baseline_is_named_and_not_called_the_best():
    """The wild one leads the board, but is not shown to beat the baseline; the other must not be called best."""
    wild = 0.5 * np.array([1.0, -1.0, 0.9, -0.8, 0.7, -0.6, 0.5, -0.7, 0.9, -0.9])
    standings = [
        standing("baseline", 0.5, complexity=0, wave=np.zeros(10)),
        standing("wild", 0.87, complexity=10, wave=wild),
        standing("steady", 0.85, complexity=30),
    ]
    rank(standings, **TOLD)
    assert standings[0].family == "wild"
    chosen, better, why = recommend(standings, score="area", **TOLD)
    assert chosen.family == "steady" and better
    assert "steady has the best area of the models that are shown to be better than the baseline" in why
    assert "wild, with 0.87" in why and "is not shown to be better than the baseline" in why


def test_errors_are_better_when_they_are_lower():
    found = [standing("baseline", 3.0, complexity=0), standing("close", 1.0, complexity=10, wave=-WAVE)]
    rank(found, higher_is_better=False, ratio=0.25)
    assert [s.family for s in found] == ["close", "baseline"]
    chosen, better, _ = recommend(found, score="error", higher_is_better=False, ratio=0.25)
    assert chosen.family == "close" and better


def test_equal_models_share_a_group_and_ten_constant_differences_do_not():
    zero = np.zeros(10)
    found = [standing("a", 0.9, wave=zero), standing("b", 0.9, wave=zero), standing("c", 0.8, wave=zero)]
    rank(found, **TOLD)
    assert [s.group for s in found] == [1, 1, 2]
    assert found[0].error == pytest.approx(0.0)


def overlapping(draw, rounds, folds, models):
    """Scores of equal models as Nadeau and Bengio's correction supposes: rounds are correlated by 1/folds."""
    common, own = draw.standard_normal(models), draw.standard_normal((rounds, models))
    return np.sqrt(1.0 / folds) * common + np.sqrt(1.0 - 1.0 / folds) * own


def most_false_claims(runs):
    """Of so many boards at a level of 5 %, by three standard errors."""
    return runs * 0.05 + 3.0 * np.sqrt(runs * 0.05 * 0.95)


@pytest.mark.parametrize("rounds, folds, top", [(10, 5, 0.0), (5, 5, 0.0), (3, 3, 0.0), (2, 2, 0.0), (10, 5, 9.0)])
def test_of_18_equal_models_one_is_called_worse_in_at_most_one_board_of_twenty(rounds, folds, top):
    """All equal, or half of them better by `top`: no model may be called worse than a leader that is not better."""
    draw, runs, models, claims = np.random.default_rng([rounds, folds]), 200, 18, 0
    level = np.repeat([0.0, top], models // 2)
    for _ in range(runs):
        scores = level + overlapping(draw, rounds, folds, models)
        found = [Standing(str(i), complexity=10, scores=scores[:, i]) for i in range(models)]
        p_values = rank(found, higher_is_better=True, ratio=1.0 / (folds - 1))
        claims += any(p < LEVEL and level[int(j)] >= level[int(i)] for (i, j), p in p_values.items())
    assert claims <= most_false_claims(runs)


def test_a_board_of_coarse_scores_in_two_rounds_names_no_winner_on_noise():
    """Six models and a baseline of accuracy 0.5 on 12 rows a round: a winner in at most one board of twenty."""
    draw, runs, claims = np.random.default_rng(1), 300, 0
    told = {"higher_is_better": True, "ratio": 1.0, "resolution": 1.0 / 12.0}
    for _ in range(runs):
        scores = draw.binomial(12, 0.5, (7, 2)) / 12.0
        found = [Standing(str(i), complexity=10 * (i > 0), scores=mine) for i, mine in enumerate(scores)]
        rank(found, **told)
        claims += recommend(found, score="accuracy", **told)[1]
    assert claims <= most_false_claims(runs)


def test_a_baseline_in_the_group_of_the_recommended_model_is_explained():
    noise = 0.07 * np.array([1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 1.5, -1.5, 1.0, -1.0])
    found = [standing("baseline", 0.5, complexity=0, wave=np.zeros(10))]
    found += [standing(f"model {i}", 0.74 - 0.01 * i, wave=np.roll(noise, i)) for i in range(15)]
    rank(found, **TOLD)
    chosen, better, why = recommend(found, score="area", **TOLD)
    baseline = next(each for each in found if each.family == "baseline")
    assert better and baseline.group == chosen.group == 1
    assert "by tests against the baseline alone" in why and "those of the groups" in why
    found = board()
    rank(found, **TOLD)
    assert "those of the groups" not in recommend(found, score="area", **TOLD)[2]
