"""Columns of numbers, against scikit-learn's transformers and exact arithmetic."""

from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix.preprocessing import Counts, Curves, Dates, NaturalSpline, Numbers, Thresholds

EPS = np.finfo(np.float64).eps


def with_gaps(n=200, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(3.0, 2.0, (n, p))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, -1] = rng.normal(size=n)  # this one is complete
    return X


def test_filling_and_scaling_are_those_of_scikit_learn():
    X, new = with_gaps(), with_gaps(50, seed=1)
    theirs = make_pipeline(SimpleImputer(strategy="median"), StandardScaler()).fit(X)
    ours = Numbers().fit(X)
    assert_allclose(ours.transform(new)[:, :4], theirs.transform(new), rtol=0, atol=50 * EPS)


def test_flags_are_those_of_scikit_learn():
    X = with_gaps()
    ours = Numbers().fit(X)
    assert_array_equal(ours.flagged_, [0, 1, 2])
    theirs = MissingIndicator(error_on_new=False).fit(X)
    new = with_gaps(50, seed=1)
    new[3, 3] = np.nan
    assert_array_equal(ours.transform(new)[:, 4:], theirs.transform(new))
    assert list(ours.get_feature_names_out(["a", "b", "c", "d"])[4:]) == [
        "a is missing",
        "b is missing",
        "c is missing",
    ]


def test_numbers_are_only_filled_where_that_is_asked_for():
    X = with_gaps()
    ours = Numbers(standardise=False, flag_missing=False).fit_transform(X)
    assert_array_equal(ours, SimpleImputer(strategy="median").fit_transform(X))


@pytest.mark.parametrize("shift, unit", [(0.0, 1.0), (1e9, 1.0), (0.0, 1e300), (0.0, 1e-300), (-1e160, 1e150)])
def test_moments_are_right_to_the_last_digits(shift, unit):
    x = shift + unit * np.random.default_rng(0).normal(size=101)
    exact = [Fraction(v) for v in x.tolist()]
    mean = sum(exact) / len(exact)
    variance = sum((v - mean) ** 2 for v in exact) / len(exact)
    ours = Numbers().fit(x[:, None])
    assert abs(Fraction(ours.mean_[0]) - mean) <= 2 * EPS * abs(Fraction(shift) + Fraction(unit))
    assert abs(Fraction(ours.scale_[0]) ** 2 / variance - 1) < 1e-13
    z = ours.transform(x[:, None]).ravel()
    assert_allclose(z.mean(), 0.0, atol=EPS * (50.0 + 2.0 * abs(shift) / unit))  # the mean itself is rounded
    assert_allclose(z.std(), 1.0, rtol=1e-12)


def test_the_greatest_numbers_do_not_overflow():
    greatest = np.finfo(np.float64).max
    X = np.array([[-greatest], [greatest], [greatest], [-greatest]])
    with np.errstate(all="raise"):
        ours = Numbers().fit(X)
    assert_array_equal(ours.transform(X).ravel(), [-1.0, 1.0, 1.0, -1.0])
    assert np.isfinite(Numbers().fit([[1e-300], [2e-300]]).transform([[greatest]])).all()


def test_a_constant_column_tells_nothing_then_or_later():
    ours = Numbers().fit([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]])
    assert ours.scale_[0] == 0.0
    assert_array_equal(ours.transform([[0.1, 2.0], [7.0, 2.0]]), np.zeros((2, 2)))


def test_a_column_without_any_value_is_zero_and_needs_no_flag():
    X = np.column_stack([np.arange(4.0), np.full(4, np.nan)])
    ours = Numbers().fit(X)
    assert ours.flagged_.size == 0
    assert_array_equal(ours.transform(X)[:, 1], np.zeros(4))


def test_the_mean_of_many_numbers_far_from_zero_is_the_nearest_number():
    x = 1e9 + np.random.default_rng(0).random((20_001, 3))
    mean = [sum(map(Fraction, column.tolist())) / len(x) for column in x.T]
    assert_array_equal(Numbers().fit(x).mean_, [float(exact) for exact in mean])


@pytest.mark.parametrize("estimator", [Numbers(), Dates(), Thresholds(), Curves(), Counts()], ids=repr)
def test_an_infinite_cell_is_refused_with_its_row_and_column(estimator):
    import pandas as pd

    frame = pd.DataFrame({"height": [1.0, 2.0, 3.0], "weight": [1.0, np.inf, 2.0]})
    with pytest.raises(ValueError, match=r"inf in row 2 of column 'weight'"):
        estimator.fit(frame)


def test_dates_go_round_in_circles():
    epoch = date(1970, 1, 1)
    days = [(date(2024, 12, 31) - epoch).days, (date(2025, 1, 1) - epoch).days, (date(2025, 7, 2) - epoch).days]
    ours = Dates().fit(np.array(days, dtype=float)[:, None])
    Z = ours.transform(np.array(days, dtype=float)[:, None])
    assert np.linalg.norm(Z[0, 1:3] - Z[1, 1:3]) < 0.02 < 1.99 < np.linalg.norm(Z[0, 1:3] - Z[2, 1:3])
    week = [(epoch.toordinal() + day - date(2024, 1, 1).toordinal()) % 7 for day in days]  # that was a Monday
    assert_allclose(Z[:, 3], np.sin(2 * np.pi * np.array(week) / 7), atol=1e-12)
    assert_allclose(Z[:, 4], np.cos(2 * np.pi * np.array(week) / 7), atol=1e-12)
    assert_allclose(Z[:, 0], StandardScaler().fit_transform(np.array(days, dtype=float)[:, None]).ravel(), atol=1e-12)


def test_the_time_of_day_is_a_circle_where_it_varies():
    days = np.array(
        [[19000.0, 19000.0], [19001.25, 19001.0], [19002.5, np.nan], [19003.75, 19003.0], [np.nan, 19004.0]]
    )
    ours = Dates().fit(days)
    assert_array_equal(ours.get_feature_names_out(["at", "on"])[10:12], ["at: hour sine", "at: hour cosine"])
    Z = ours.transform(days)
    assert_allclose(Z[:, 10], [0.0, 1.0, 0.0, -1.0, 0.0], atol=1e-9)
    assert_allclose(Z[:, 11], [1.0, 0.0, -1.0, 0.0, 0.0], atol=1e-9)
    assert_array_equal(Z[:, 12:], np.isnan(days))
    assert ours.flag_places() == {0: 12, 1: 13}


@pytest.mark.parametrize("hours, part", [((6, 18), "sine"), ((0, 12), "cosine"), ((23, 1), "sine"), ((5, 7), "cosine")])
def test_two_times_of_day_make_one_column_of_full_rank(hours, part):
    days = 19000.0 + np.arange(40) + np.array(hours)[np.arange(40) % 3 % 2] / 24.0
    ours = Dates().fit(days[:, None])
    assert list(ours.get_feature_names_out(["at"])[5:]) == [f"at: hour {part}"]
    Z = ours.transform(days[:, None])
    assert len(np.unique(Z[:, 5].round(9))) == 2
    assert np.linalg.matrix_rank(np.column_stack([np.ones(40), Z])) == 7


def test_one_time_of_day_makes_no_column_whatever_the_rounding_of_the_days():
    days = np.array([day + 12.5 / 24 for day in (3.0, 1023.0, 19000.0, 54321.0)])
    assert len(np.unique(days - np.floor(days))) > 1  # rounded
    assert Dates().fit(days[:, None]).transform(days[:, None]).shape == (4, 5)


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "Asia/Kolkata"])
def test_what_the_hour_drives_is_learnt_in_every_zone(zone):
    import pandas as pd

    from separatrix.estimators.preparation.compose import pipeline
    from separatrix.linear_model import LinearRegression
    from separatrix.tables import as_table, understand

    at = pd.date_range("2024-11-01", periods=24 * 30, freq="h", tz=zone)
    y = 5.0 * np.cos(2.0 * np.pi * (at.hour.to_numpy() - 15) / 24.0) + np.random.default_rng(0).normal(size=len(at))
    table = as_table(pd.DataFrame({"at": at, "y": y}))
    model = pipeline(understand(table, "y"), "standard", LinearRegression()).fit(table, y)
    assert model.score(table, y) > 0.9  # 12.5 of 13.5


def test_a_date_before_1970_and_a_missing_one_have_their_places():
    ours = Dates().fit([[-1000.0], [np.nan], [1000.0]])
    Z = ours.transform([[-7.0], [np.nan]])
    assert_allclose(Z[0, 3:5], Dates().fit([[0.0]]).transform([[0.0]])[0, 3:5])
    assert_array_equal(Z[1], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def test_a_switch_is_on_above_the_median_and_never_useless():
    X = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 0.0], [np.nan, 1.0]])
    ours = Thresholds().fit(X)
    assert_array_equal(ours.transform(X), [[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 1]])
    assert list(ours.get_feature_names_out(["age", "paid"])) == ["age > 2", "paid > 0", "age is missing"]


def test_counts_are_refused_when_they_count_nothing():
    assert_array_equal(Counts(whole=True).fit_transform([[2.0], [np.nan]]), [[2.0], [0.0]])
    with pytest.raises(ValueError, match=r"take 0\.5 in row 2 of column 1 for a count"):
        Counts(whole=True).fit([[1.0], [0.5]])
    with pytest.raises(ValueError, match=r"take -1 in row 1 of column 1"):
        Counts().fit([[1.0]]).transform([[-1.0]])


def test_curves_are_natural_splines_brought_to_one_scale():
    X = with_gaps()
    filled = SimpleImputer(strategy="median").fit_transform(X)
    theirs = StandardScaler().fit_transform(NaturalSpline(df=3).fit_transform(filled))
    ours = Curves(df=3).fit(X)
    assert_allclose(ours.transform(X)[:, :12], theirs, atol=1e-12)
    far = np.array([[-50.0, 3.0, 99.0, 0.5], [60.0, -7.0, 0.0, 9.0]])
    scaler, spline = StandardScaler(), NaturalSpline(df=3)
    scaler.fit(spline.fit_transform(filled))
    assert_allclose(ours.transform(far)[:, :12], scaler.transform(spline.transform(far)), rtol=1e-11, atol=1e-11)
    names = list(ours.get_feature_names_out(["a", "b", "c", "d"]))
    assert names[:3] + names[-1:] == ["a: curve 1", "a: curve 2", "a: curve 3", "c is missing"]


@pytest.mark.parametrize("unit", [1e307, 1e-300])
def test_curves_do_not_depend_on_the_unit(unit):
    x = np.random.default_rng(0).normal(size=(60, 1))
    assert_allclose(Curves().fit_transform(unit * x), Curves().fit_transform(x), atol=1e-9)


def test_curves_of_two_values_or_one_are_what_numbers_make_of_them():
    X = np.column_stack([[0.0, 1.0, 1.0, 0.0, 1.0], np.full(5, 7.0)])
    assert_allclose(Curves().fit_transform(X), Numbers().fit_transform(X), atol=1e-14)
    assert_array_equal(Curves().fit(X).transform([[0.5, 9.0]])[:, 1], [0.0])


def test_columns_that_are_missing_in_the_same_rows_have_one_flag():
    X = np.array([[1.0, 5.0, 2.0], [np.nan, np.nan, 3.0], [2.0, 7.0, np.nan], [4.0, 6.0, 1.0]])
    numbers = Numbers().fit(X)
    assert numbers.get_feature_names_out(["a", "b", "c"]).tolist() == ["a", "b", "c", "a is missing", "c is missing"]
    Z = numbers.transform(X)
    assert np.linalg.matrix_rank(Z[:, 3:]) == 2
