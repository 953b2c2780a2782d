"""Measures of probabilities and of numbers: by hand, in exact fractions, and against scikit-learn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics as theirs

from separatrix import assess


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1.0, 2.0, 0.5], 300)
    return rng.integers(0, 3, 300), P, rng.uniform(0.1, 2.0, 300)


# ------------------------------------------------------------------ numbers


@pytest.mark.mission("EV-03")
def test_root_mean_square_error_is_the_root_of_2e_over_n():
    """G036."""
    r = np.array([1.0, -2.0, 2.0, 0.0])
    E = 0.5 * (r**2).sum()
    assert E == 4.5
    assert assess.rmse(r, np.zeros(4)) == math.sqrt(2.0 * E / 4) == 1.5


@pytest.mark.mission("EV-21")
def test_the_mean_squared_error_divides_by_all_rows():
    """G001: three squared errors, 97 of zero: 20.66 / 100, not 20.66 / 3."""
    squares = [13.33, 3.33, 4.0]
    wrong = np.sqrt(squares)
    assert assess.mse(np.r_[wrong, np.zeros(97)], np.zeros(100)) == pytest.approx(0.2066, rel=1e-12)
    assert assess.mse(wrong, np.zeros(3)) == pytest.approx(6.886666666666667, rel=1e-12)


@pytest.mark.mission("EV-21", "EV-03")
def test_errors_of_numbers_are_exact_fractions():
    y, h, s = [3, -1, 4, 1], [2, 1, 4, 4], [1, 2, 3, 4]
    squares = sum(Fraction(w) * (a - b) ** 2 for a, b, w in zip(y, h, s)) / sum(s)
    sizes = sum(Fraction(w) * abs(a - b) for a, b, w in zip(y, h, s)) / sum(s)
    mean = Fraction(sum(a * w for a, w in zip(y, s)), sum(s))
    spread = sum(w * (a - mean) ** 2 for a, w in zip(y, s)) / sum(s)
    assert assess.mse(y, h, sample_weight=s) == pytest.approx(float(squares), rel=1e-15)
    assert assess.rmse(y, h, sample_weight=s) == pytest.approx(math.sqrt(squares), rel=1e-15)
    assert assess.mae(y, h, sample_weight=s) == pytest.approx(float(sizes), rel=1e-15)
    assert assess.r2(y, h, sample_weight=s) == pytest.approx(float(1 - squares / spread), rel=1e-14)


def test_r2_of_a_constant_is_undefined():
    with pytest.warns(assess.Undefined, match="all values of y are equal"):
        assert np.isnan(assess.r2([2.0, 2.0], [2.0, 3.0]))
    assert assess.r2([2.0, 2.0], [2.0, 3.0], undefined=0.0) == 0.0
    assert assess.r2([2.0, 2.0, 5.0], [2.0, 3.0, 1.0], undefined=0.0, sample_weight=[1.0, 1.0, 0.0]) == 0.0


# ------------------------------------------------------------------ probabilities


def test_probabilities_are_assessed_as_by_scikit_learn(three):
    y, P, s = three
    assert assess.log_loss(y, P, sample_weight=s) == pytest.approx(theirs.log_loss(y, P, sample_weight=s), rel=1e-13)
    assert assess.roc_auc(y, P) == pytest.approx(theirs.roc_auc_score(y, P, multi_class="ovr"), rel=1e-13)
    p = P[:, 1] / P[:, :2].sum(axis=1)
    z = (y == 1).astype(int)
    assert assess.brier(z, p, sample_weight=s) == pytest.approx(
        theirs.brier_score_loss(z, p, sample_weight=s), rel=1e-13
    )
    assert assess.roc_auc(z, p, sample_weight=s) == pytest.approx(
        theirs.roc_auc_score(z, p, sample_weight=s), rel=1e-13
    )
    assert assess.log_loss(z, p) == pytest.approx(theirs.log_loss(z, p), rel=1e-13)


def test_brier_of_many_classes_is_the_sum_over_them(three):
    y, P, _ = three
    byhand = np.mean([sum((P[i, c] - (y[i] == c)) ** 2 for c in range(3)) for i in range(len(y))])
    assert assess.brier(y, P) == pytest.approx(byhand, rel=1e-13)


def test_columns_may_stand_in_any_order_that_is_told(three):
    y, P, _ = three
    names = np.array(["oak", "ash", "elm"])  # not sorted
    for measure in (assess.log_loss, assess.brier, assess.roc_auc, assess.calibration_error):
        assert measure(names[y], P, classes=names) == pytest.approx(measure(y, P), rel=1e-13)


def test_a_class_that_does_not_occur_in_a_fold_is_no_obstacle(three):
    y, P, _ = three
    two = y != 2
    assert assess.log_loss(y[two], P[two], classes=[0, 1, 2]) > 0.0
    ours = assess.roc_auc(y[two], P[two], classes=[0, 1, 2])
    expected = np.mean([theirs.roc_auc_score(y[two] == c, P[two, c]) for c in (0, 1)])
    assert ours == pytest.approx(expected, rel=1e-13)


def test_log_loss_of_a_certainty_that_failed_is_large_and_finite():
    assert assess.log_loss([0, 1], [0.0, 0.0]) == pytest.approx(-0.5 * math.log(np.finfo(float).eps), rel=1e-6)


def test_area_under_the_curve_counts_pairs():
    y, f = [0, 0, 1, 1, 1], [1.0, 2.0, 2.0, 3.0, 0.0]
    pairs = [(a, b) for a, c in zip(f, y) for b, d in zip(f, y) if c == 0 and d == 1]
    wins = sum(Fraction(1) if b > a else Fraction(1, 2) if a == b else 0 for a, b in pairs)
    assert assess.roc_auc(y, f) == pytest.approx(float(wins / len(pairs)), rel=1e-15)


def test_area_under_the_curve_of_one_class_is_undefined():
    with pytest.warns(assess.Undefined, match="all rows are of one class"):
        assert np.isnan(assess.roc_auc([1, 1], [0.1, 0.2]))
    assert assess.roc_auc([1, 1], [0.1, 0.2], undefined=0.5) == 0.5


def test_calibration_error_by_hand():
    # bins [0, ½) and [½, 1]: mean claims 0.2 and 0.8, frequencies 1/2 and 1/4, two and four rows
    y, p = [0, 1, 0, 0, 1, 0], [0.1, 0.3, 0.7, 0.7, 0.9, 0.9]
    expected = Fraction(2, 6) * abs(Fraction(1, 5) - Fraction(1, 2)) + Fraction(4, 6) * (
        Fraction(4, 5) - Fraction(1, 4)
    )
    assert assess.calibration_error(y, p, bins=2) == pytest.approx(float(expected), rel=1e-14)
    assert assess.calibration_error(np.repeat(y, 3), np.repeat(p, 3), bins=2) == pytest.approx(float(expected))
    assert assess.calibration_error(y, p, bins=2, sample_weight=[3] * 6) == pytest.approx(float(expected))


@pytest.mark.parametrize("n", [30, 150, 2000])
def test_chance_gives_true_probabilities_the_calibration_error_that_they_have_on_average(n):
    """Against outcomes drawn here, row by row: two Monte Carlo means agree within four of their standard errors."""
    rng = np.random.default_rng(n)
    p = rng.beta(0.5, 0.5, n)
    errors = [assess.calibration_error((rng.random(n) < p).astype(int), p) for _ in range(300)]
    chance = assess.calibration_by_chance(p)
    assert chance == pytest.approx(np.mean(errors), abs=4.0 * np.std(errors) * np.sqrt(1.0 / 300 + 1.0 / 200))
    assert assess.calibration_by_chance(np.column_stack([1.0 - p, p])) == chance
    assert assess.calibration_by_chance(np.round(p)) == 0.0


def test_the_chance_of_one_row_in_each_bin_is_exact():
    # one row of probability p: E|p - Y| = 2 p (1 - p)
    p = np.array([0.05, 0.35, 0.95])
    exact = np.mean(2.0 * p * (1.0 - p))
    assert assess.calibration_by_chance(p, draws=100_000) == pytest.approx(exact, rel=0.02)


def test_the_median_absolute_error_is_scikit_learns():
    from sklearn.metrics import median_absolute_error

    rng = np.random.default_rng(0)
    y, guess = rng.standard_normal((2, 31))
    assert assess.medae(y, guess) == assess.MEASURES["medae"](y, guess) == median_absolute_error(y, guess)


def test_calibration_error_vanishes_for_true_probabilities():
    rng = np.random.default_rng(1)
    p = rng.uniform(size=200_000)
    y = (rng.uniform(size=200_000) < p).astype(int)
    assert assess.calibration_error(y, p) < 0.005
    assert assess.calibration_error(y, p**3) > 0.15


def test_calibration_of_many_classes_is_that_of_the_predicted_one(three):
    y, P, _ = three
    claimed, right = P.max(axis=1), P.argmax(axis=1) == y
    assert assess.calibration_error(y, P) == pytest.approx(
        assess.calibration_error(right.astype(int), claimed), rel=1e-12
    )


@pytest.mark.parametrize(
    "y, p, options, words",
    [
        ([0, 1], [0.5, 1.5], {}, "a probability lies in"),
        ([0, 1], [[0.5, 0.4], [0.5, 0.5]], {}, "sums to 0.9"),
        ([0, 1], [0.5], {}, "probabilities of 1 entries"),
        (["a", "a"], [0.5, 0.5], {}, "the second class"),
        ([0, 1], [[0.2, 0.3, 0.5]] * 2, {}, "which classes the 3 columns"),
        ([0, 7], [[0.5, 0.5]] * 2, {"classes": [0, 1]}, "the label .*7"),
        ([], [], {}, "no rows|the second class"),
    ],
)
def test_what_is_no_probability_is_refused_in_words(y, p, options, words):
    with pytest.raises(ValueError, match=words):
        assess.log_loss(y, p, **options)


def test_bins_are_counted():
    with pytest.raises(ValueError, match="bins=0"):
        assess.calibration_error([0, 1], [0.5, 0.5], bins=0)


def test_chance_has_the_bins_of_the_error_where_probabilities_are_bounds_of_bins():
    from scipy.stats import binom

    p = np.repeat([0.1, 0.15, 0.3, 0.35], 50)  # each in a bin of its own, as a bound belongs to the lower one
    k = np.arange(51)
    exact = sum((np.abs(k - 50 * q) * binom.pmf(k, 50, q)).sum() for q in (0.1, 0.15, 0.3, 0.35)) / 200
    # a mean of 20,000 draws of a spread below its own size
    assert assess.calibration_by_chance(p, draws=20_000) == pytest.approx(exact, rel=3.0 / np.sqrt(20_000))
