"""Splits and folds: disjoint, reproducible, in proportion; a test part that opens once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import cross_val_score

from separatrix import assess
from separatrix.linear_model import LinearRegression, Ridge
from separatrix.tables.table import Table


def rows_of(parts):
    return [part.rows for part in parts]


# ------------------------------------------------------------------ two and three parts


@pytest.mark.mission("EV-01", "EV-02")
@pytest.mark.parametrize("validation", [None, 0.25])
@pytest.mark.parametrize("stratify", [True, False])
def test_parts_are_disjoint_and_hold_every_row(validation, stratify):
    y = np.arange(103) % 4
    parts = assess.split(np.arange(103.0)[:, None], y, test=0.2, validation=validation, stratify=stratify)
    together = np.concatenate(rows_of(parts))
    assert sorted(together.tolist()) == list(range(103))
    assert [len(part) for part in parts] == ([82, 21] if validation is None else [56, 26, 21])


@pytest.mark.mission("EV-01")
def test_the_same_seed_gives_the_same_parts_and_another_seed_others():
    X = np.zeros((60, 1))
    first, again, other = (assess.split(X, validation=0.2, seed=seed) for seed in (5, 5, 6))
    for a, b, c in zip(rows_of(first), rows_of(again), rows_of(other)):
        assert (a == b).all() and (a != c).any()


@pytest.mark.mission("EV-01")
def test_a_model_is_fitted_on_train_and_assessed_on_test():
    X, y = load_diabetes(return_X_y=True)
    train, test = assess.split(X, y, test=0.3, seed=1)
    model = LinearRegression().fit(train.X, train.y)
    rows = test.rows
    assert not set(train.rows) & set(rows)
    assert test.report(model, "mse")["mse"] == pytest.approx(mean_squared_error(y[rows], model.predict(X[rows])))


def test_rows_keep_the_type_they_came_in():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    from scipy.sparse import csr_array

    values = np.arange(20.0).reshape(10, 2)
    y = np.arange(10.0) / 7
    for X in (
        values,
        csr_array(values),
        pandas.DataFrame(values, columns=["a", "b"], index=list("abcdefghij")),
        polars.DataFrame(values, schema=["a", "b"]),
        Table(("a", "b"), (values[:, 0], values[:, 1])),
    ):
        parts = assess.split(X, y, test=3)
        held = parts.test.open()
        assert type(held.X) is type(X)
        first = held.X["a"] if hasattr(held.X, "columns") else np.asarray(held.X[:, [0]].sum(axis=1)).ravel()
        assert (np.asarray(first) == values[held.rows, 0]).all()
        assert (held.y == y[held.rows]).all()


@pytest.mark.mission("EV-12")
def test_classes_keep_their_shares_in_every_part():
    y = np.array(["rare"] * 10 + ["usual"] * 90)
    for seed in range(20):
        parts = assess.split(np.zeros((100, 1)), y, test=0.2, validation=0.3, seed=seed)
        assert [int((y[rows] == "rare").sum()) for rows in rows_of(parts)] == [5, 3, 2]
    plain = [assess.split(np.zeros((100, 1)), y, test=0.2, stratify=False, seed=seed) for seed in range(200)]
    assert min(int((y[parts.test.rows] == "rare").sum()) for parts in plain) == 0  # what stratification prevents


def test_numbers_are_not_taken_for_classes_and_a_class_of_one_row_is_no_obstacle():
    y = np.linspace(0.0, 1.0, 50)
    assert len(assess.split(np.zeros((50, 1)), y).test) == 10
    labels = np.array(["only one"] + ["a"] * 20 + ["b"] * 20)
    for seed in range(30):
        parts = assess.split(np.zeros((41, 1)), labels, validation=0.2, seed=seed)
        assert sum(map(len, parts)) == 41
        assert all(int((labels[part.rows] == "b").sum()) == 4 for part in (parts.validation, parts.test))
    many = assess.split(np.zeros((12, 1)), np.repeat(np.arange(6), 2), test=2)
    assert len(many.test) == 2


def test_parts_may_be_stratified_by_another_column():
    sex = np.array(["f", "m"] * 20)
    parts = assess.split(np.zeros((40, 1)), np.linspace(0, 1, 40), test=10, stratify=sex)
    assert (sex[parts.test.rows] == "f").sum() == 5


@pytest.mark.parametrize(
    "options, words",
    [
        ({"test": 0.0}, "test=0.0"),
        ({"test": 1.5}, "test=1.5"),
        ({"test": 10}, "test=10"),
        ({"test": True}, "test=True"),
        ({"test": 0.6, "validation": 0.5}, "11 are asked for"),
        ({"stratify": True}, "there is no y"),
        ({"y": [1, 2]}, "y of 2 entries"),
    ],
)
def test_a_split_that_makes_no_sense_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        assess.split(np.zeros((10, 1)), **options)


# ------------------------------------------------------------------ sealed


@pytest.mark.mission("EV-02")
def test_a_test_part_opens_once_and_says_what_it_found():
    X, y = load_diabetes(return_X_y=True)
    parts = assess.split(X, y)
    model = LinearRegression().fit(parts.train.X, parts.train.y)
    assert not parts.test.opened and "unopened" in repr(parts.test)
    value = parts.test.report(model, "rmse")["rmse"]
    assert parts.test.opened
    for again in (parts.test.open, lambda: parts.test.report(model, "r2")):
        with pytest.raises(assess.AlreadyOpened, match=f"opened before \\(rmse {value:.4g}\\)"):
            again()


def test_a_measure_that_does_not_exist_does_not_cost_the_test_part():
    parts = assess.split(np.zeros((10, 1)), np.zeros(10))
    with pytest.raises(ValueError, match="no such measure"):
        parts.test.report(None, "r3")
    assert not parts.test.opened


# ------------------------------------------------------------------ folds


@pytest.mark.mission("EV-11")
@pytest.mark.parametrize("rows", [23, np.arange(23) % 3])
def test_each_row_is_held_out_once_in_each_repeat(rows):
    folds = assess.k_fold(rows, 5, repeats=3, seed=2)
    assert len(folds) == 15
    for r in range(3):
        held = np.concatenate([held_out for _, held_out in folds[5 * r : 5 * r + 5]])
        assert sorted(held.tolist()) == list(range(23))
    for train, held_out in folds:
        assert sorted(np.concatenate([train, held_out]).tolist()) == list(range(23))


@pytest.mark.mission("EV-11")
def test_the_average_over_folds_is_that_of_the_fits_one_by_one():
    X, y = load_diabetes(return_X_y=True)
    folds = assess.k_fold(len(y), 4, seed=3)
    byhand = []
    for train, held_out in folds:
        beta = np.linalg.lstsq(np.c_[np.ones(len(train)), X[train]], y[train], rcond=None)[0]
        byhand.append(np.mean((y[held_out] - beta[0] - X[held_out] @ beta[1:]) ** 2))
    scores = cross_val_score(LinearRegression(), X, y, cv=folds, scoring=assess.MEASURES["mse"].scorer())
    assert -scores.mean() == pytest.approx(np.mean(byhand), rel=1e-10)


@pytest.mark.mission("EV-12")
@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=5), st.integers(2, 6), st.integers(0, 5))
def test_stratified_folds_keep_class_counts_within_one(counts, k, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    if max(counts) < k or len(y) < k:
        return
    for c in range(len(counts)):
        each = [int((y[held_out] == c).sum()) for _, held_out in assess.k_fold(y, k, seed=seed)]
        assert max(each) - min(each) <= 1


@pytest.mark.mission("EV-12")
def test_without_stratification_a_class_may_end_up_all_in_validation():
    y = np.array([1] * 4 + [0] * 16)
    plain = [held for seed in range(300) for _, held in assess.k_fold(y, 4, stratify=False, seed=seed)]
    assert max(int(y[held].sum()) for held in plain) == 4
    kept = [held for seed in range(300) for _, held in assess.k_fold(y, 4, seed=seed)]
    assert {int(y[held].sum()) for held in kept} == {1}


def test_folds_are_reproducible_and_refused_where_there_are_too_many():
    a, b = assess.k_fold(10, 3, seed=4), assess.k_fold(10, 3, seed=4)
    assert all((x[1] == z[1]).all() for x, z in zip(a, b))
    for call, words in [
        (lambda: assess.k_fold(3, 4), "k=4 folds of 3 rows"),
        (lambda: assess.k_fold(3, 1), "k=1"),
        (lambda: assess.k_fold(9, 3, repeats=0), "repeat 0"),
        (lambda: assess.k_fold(9, 3, stratify=True), "only a number of rows"),
        (lambda: assess.leave_one_out(1), "leave one of 1"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.mission("EV-13")
def test_leaving_one_out_gives_the_golden_residuals():
    """G110: as by brute force, so by residual / (1 - leverage); and worse than on the training rows."""
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 2.0, 4.0])
    folds = assess.leave_one_out(y)
    assert [held_out.tolist() for _, held_out in folds] == [[0], [1], [2], [3]]
    left_out = np.array([y[h][0] - LinearRegression().fit(X[t], y[t]).predict(X[h])[0] for t, h in folds])
    np.testing.assert_allclose(left_out, [1 / 3, 2 / 7, -1.0, 4 / 3], rtol=1e-12)
    np.testing.assert_allclose(left_out, [0.3333333333, 0.2857142857, -1.0, 1.333333333], atol=1e-9)
    assert np.mean(left_out**2) == pytest.approx(0.7426303855, abs=1e-9)
    fit = LinearRegression().fit(X, y)
    Z = np.c_[np.ones(4), X]
    leverage = np.diag(Z @ np.linalg.inv(Z.T @ Z) @ Z.T)
    np.testing.assert_allclose(left_out, (y - fit.predict(X)) / (1.0 - leverage), rtol=1e-12)
    assert assess.mse(y, fit.predict(X)) == pytest.approx(0.175, abs=1e-12)


# ------------------------------------------------------------------ selection


@pytest.fixture
def diabetes():
    return assess.split(*load_diabetes(return_X_y=True), test=0.25, validation=0.25, seed=1)


GRID = {"alpha": [1e-3, 1e-2, 1e-1, 1.0, 10.0]}


@pytest.mark.mission("EV-02", "EV-25")
def test_each_value_is_fitted_on_train_picked_on_validation_and_tested_once(diabetes):
    train, validation, _ = diabetes
    found = assess.select(Ridge(), GRID, diabetes, measure="mse", refit=False)
    byhand = [
        mean_squared_error(validation.y, Ridge(alpha=a).fit(train.X, train.y).predict(validation.X))
        for a in GRID["alpha"]
    ]
    np.testing.assert_allclose(found.validation, byhand, rtol=1e-10)
    assert found.chosen == {"alpha": GRID["alpha"][int(np.argmin(byhand))]}
    assert 0 < found.best < 4
    assert (np.diff(found.train) > 0).all()  # the train part would always choose the least penalty
    assert not found.sealed.opened and "unopened" in repr(found)
    X, y = load_diabetes(return_X_y=True)
    expected = mean_squared_error(y[diabetes.test.rows], found.model.predict(X[diabetes.test.rows]))
    assert found.test("mae")["mse"] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(assess.AlreadyOpened):
        found.test()


@pytest.mark.mission("EV-02")
def test_the_test_part_has_no_say_in_the_choice():
    X, y = load_diabetes(return_X_y=True)
    parts = assess.split(X, y, test=0.25, validation=0.25, seed=1)
    wild = y.copy()
    wild[parts.test.rows] = np.random.default_rng(0).normal(1e6, 1e6, len(parts.test))
    X_wild = X.copy()
    X_wild[parts.test.rows] = np.nan
    first = assess.select(Ridge(), GRID, parts)
    second = assess.select(Ridge(), GRID, assess.split(X_wild, wild, test=0.25, validation=0.25, seed=1))
    assert first.chosen == second.chosen
    assert (first.validation == second.validation).all()
    assert (first.model.coef_ == second.model.coef_).all()


@pytest.mark.mission("EV-02")
def test_the_chosen_one_is_fitted_again_to_train_and_validation_together(diabetes):
    X, y = load_diabetes(return_X_y=True)
    rows = np.sort(np.r_[diabetes.train.rows, diabetes.validation.rows])
    found = assess.select(Ridge(), GRID, diabetes)
    np.testing.assert_allclose(found.model.coef_, Ridge(**found.chosen).fit(X[rows], y[rows]).coef_, rtol=1e-12)


def test_selection_needs_a_validation_part():
    with pytest.raises(ValueError, match="validation part"):
        assess.select(Ridge(), GRID, assess.split(*load_iris(return_X_y=True)))
