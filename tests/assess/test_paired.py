"""The corrected paired test against independent arithmetic, Holm's adjustment against statsmodels."""

import numpy as np
import pytest
from scipy.stats import studentized_range, t, ttest_1samp
from statsmodels.stats.multitest import multipletests

from separatrix.assess.compare.paired import (
    DRAWS,
    better_than,
    corrected_error,
    corrected_test,
    holm,
    leads_of_equals,
    worse_than,
)


def draws(seed, J=10):
    rng = np.random.default_rng(seed)
    return rng.normal(0.8, 0.05, J), rng.normal(0.78, 0.05, J)


@pytest.mark.parametrize("seed", range(5))
def test_without_overlap_the_test_is_students(seed):
    a, b = draws(seed)
    theirs = ttest_1samp(a - b, 0.0)
    ours = corrected_test(a, b, ratio=0.0)
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-10)
    assert corrected_test(a, b, 0.0, one_sided=True).p == pytest.approx(
        ttest_1samp(a - b, 0.0, alternative="greater").pvalue, rel=1e-10
    )


@pytest.mark.parametrize("folds", [2, 5, 10])
def test_the_correction_shrinks_t_by_the_factor_of_nadeau_and_bengio(folds):
    a, b = draws(1, J=2 * folds)
    J, ratio = 2 * folds, 1.0 / (folds - 1)
    plain, ours = ttest_1samp(a - b, 0.0).statistic, corrected_test(a, b, ratio)
    assert ours.t == pytest.approx(plain * np.sqrt((1.0 / J) / (1.0 / J + ratio)), rel=1e-12)
    assert ours.error == pytest.approx(np.sqrt((1.0 / J + ratio) * np.var(a - b, ddof=1)), rel=1e-12)


def test_the_p_value_of_an_example_worked_by_hand():
    # d = 2, 0, 1: mean 1, variance 1; (1/3 + 1/2) = 5/6; t = sqrt(6/5); P(|t_2| > t) = 1 - t / sqrt(2 + t²)
    t = np.sqrt(1.2)
    assert corrected_test([3.0, 2.0, 4.0], [1.0, 2.0, 3.0], 0.5).p == pytest.approx(1.0 - t / np.sqrt(2.0 + 1.2))


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_statsmodels(seed):
    p = np.random.default_rng(seed).uniform(0.0, 0.2, 9) ** 2
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], rel=1e-12)


def test_equal_models_are_equal():
    a = np.array([0.7, 0.8, 0.75, 0.9])
    found = corrected_test(a, a, 0.25)
    assert found.p == 1.0 and found.t == 0.0


def test_two_rounds_that_agree_by_chance_prove_nothing():
    assert corrected_test([0.8, 0.8], [0.75, 0.75], 1.0).p > 0.2
    assert corrected_test([0.8, 0.8], [0.75, 0.75], 1.0, one_sided=True).p > 0.1


def test_a_constant_difference_has_the_variance_of_its_rounding():
    # d = 0.1 in four rounds, in steps of 0.1: t = 0.1 / sqrt((1/4 + 1/4) 0.01 / 12) = sqrt(24)
    a = np.array([0.7, 0.8, 0.75, 0.9])
    for b, side in ((a - 0.1, 1.0), (a + 0.1, -1.0)):
        found = corrected_test(a, b, 0.25, one_sided=True)
        assert found.t == pytest.approx(side * np.sqrt(24.0)) and found.p == pytest.approx(t.sf(found.t, 3))
    assert corrected_test(a, a - 0.1, 0.25, resolution=0.01).t == pytest.approx(10.0 * np.sqrt(24.0))


@pytest.mark.parametrize("rows", [6, 12, 40])
def test_coarse_scores_of_two_rounds_keep_the_level(rows):
    """Two models of accuracy 0.5 on `rows` rows a round, in 2,000 comparisons: at most 5 %, by three errors."""
    draw = np.random.default_rng(rows)
    a, b = draw.binomial(rows, 0.5, (2, 2000, 2)) / rows
    claims = sum(corrected_test(x, y, 0.0, resolution=1.0 / rows).p < 0.05 for x, y in zip(a, b))
    assert claims <= 2000 * 0.05 + 3.0 * np.sqrt(2000 * 0.05 * 0.95)


def test_one_common_round_tells_nothing():
    assert corrected_test([0.9, np.nan], [0.1, 0.2], 0.25).p == 1.0


def test_rounds_that_were_not_run_do_not_count():
    a, b = draws(3)
    holes = np.concatenate([a, [np.nan, 0.3]]), np.concatenate([b, [0.5, np.nan]])
    assert corrected_test(*holes, 0.25) == corrected_test(a, b, 0.25)


def test_the_error_of_a_score_is_corrected_too():
    a, _ = draws(4)
    assert corrected_error(a, 0.25) == pytest.approx(a.std(ddof=1) * np.sqrt(0.1 + 0.25), rel=1e-12)
    assert corrected_error([0.1 + 0.2, 0.3, 0.3], 0.25) == 0.0
    assert np.isnan(corrected_error([0.5], 0.25))


def test_many_tests_are_adjusted_together():
    a, b = draws(5)
    scores = {"b": b, "c": b - 0.01, "d": b - 0.02}
    one_sided = [corrected_test(mine, a, 0.25, one_sided=True).p for mine in scores.values()]
    assert list(better_than(scores, a, 0.25).values()) == pytest.approx(multipletests(one_sided, method="holm")[1])


def level_at(leads, critical):
    """Share of the simulated comparisons above a critical value, and three of its standard errors at 5 %."""
    return np.mean(leads > critical), 3.0 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize("rounds", [2, 5, 10])
def test_of_two_equal_models_the_lead_is_students(rounds):
    level, noise = level_at(leads_of_equals(2, rounds), t.isf(0.025, rounds - 1))
    assert level == pytest.approx(0.05, abs=noise)


def test_in_many_rounds_the_lead_is_tukeys_range():
    """With 150 rounds the variances are known well, and the best against the worst is the studentized range."""
    level, noise = level_at(leads_of_equals(4, 150), studentized_range.isf(0.05, 4, 149) / np.sqrt(2.0))
    assert level == pytest.approx(0.05, abs=noise)


def test_a_leader_has_small_p_values_where_its_lead_is_large():
    a, b = draws(5)
    found = worse_than({"near": a - 0.001 * b, "far": b - 10.0, "ahead": a + 1.0}, a, 0.25, models=18)
    assert found["far"] == pytest.approx(153 * corrected_test(a, b - 10.0, 0.25).p) and found["far"] < 1e-6
    assert found["ahead"] == 1.0 and found["near"] <= 1.0
    fewer = worse_than({"b": b}, a, 0.25, models=2)["b"]
    assert fewer == pytest.approx(corrected_test(a, b, 0.25).p, abs=0.02)
    assert worse_than({"b": b}, a, 0.25, models=18)["b"] > fewer
