"""Separated classes in a summary: the verdict is proved, infinite coefficients stand apart, finite ones are R's."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression

from separatrix.inference import describe, summary
from separatrix.linear_model import LogisticRegression

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "separated_summary.json").read_text())
# the faint penalty, 1e-10, leaves probabilities of 1e-8 to the rows off the boundary
RTOL = 1e-6


def cars(extra=False):
    mpg, cyl = np.array(ORACLE["mpg"]), np.array(ORACLE["cyl"])
    X = np.column_stack([mpg, cyl == 8, *([cyl != 8] if extra else [])]).astype(float)
    return X, np.array(ORACLE["vs"], dtype=int)


def fitted(X, y, model=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (model or LogisticRegression(C=np.inf, tol=1e-12)).fit(X, y)


@pytest.mark.parametrize("with_data", [False, True])
def test_finite_coefficients_of_a_quasi_separated_fit_are_those_of_r_on_the_boundary(with_data):
    X, y = cars()
    model = fitted(X, y)
    read = model.summary(X, y) if with_data else model.summary()
    rows = [read["intercept"], read["x0"]]
    assert_allclose([row.estimate for row in rows], ORACLE["estimate"], rtol=RTOL)
    assert_allclose([row.error for row in rows], ORACLE["error"], rtol=RTOL)
    assert_allclose([row.low for row in rows], ORACLE["low"], rtol=RTOL)
    assert read.statistics["deviance"] == pytest.approx(ORACLE["deviance"], rel=RTOL)


def test_infinite_coefficients_have_neither_error_nor_test_and_stand_last():
    X, y = cars()
    model = fitted(X[:, ::-1], y)
    read = model.summary()
    row = read["x0"]
    assert row.infinite and row.estimate == -np.inf
    assert row.error is None and row.z is None and row.p is None and row.low is None and row.odds_ratio is None
    assert not read["x1"].infinite
    page = str(read)
    assert page.index("\n x1") < page.index("\n x0") and "-∞" in page
    assert "quasi-complete, by proof" in page and "Infinite: x0." in " ".join(page.split())
    assert f"estimated by the {ORACLE['boundary']} rows" in " ".join(page.split())
    assert "may be separated" not in page and "FirthLogisticRegression" in page
    assert read.to_frame()["infinite"].tolist() == [False, True, False]


def test_completely_separated_classes_leave_no_finite_estimate():
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    read = fitted(x, [0, 0, 1, 1]).summary()
    assert all(row.infinite for row in read.rows)
    assert "Separation is complete, by proof" in " ".join(str(read).split())
    assert "rows on the boundary" not in " ".join(str(read).split())


def test_summary_decides_separation_of_a_model_that_did_not():
    X, y = cars()
    their = fitted(X, y, TheirLogisticRegression(C=np.inf, max_iter=5000, tol=1e-12))
    read = summary(their, X, y)
    assert read["x1"].infinite and not read["x0"].infinite


def test_sure_rows_of_overlapping_classes_are_said_to_overlap():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 1)) * 20.0
    y = (x[:, 0] + 3.0 * rng.standard_normal(200) > 0.0).astype(int)
    model = fitted(x, y)
    assert model.evidence_.sure
    assert "the classes overlap, by proof" in " ".join(str(model.summary(x, y)).split())
    assert "decides whether the classes are separated" in " ".join(str(model.summary()).split())
    assert not any(row.infinite for row in model.summary(x, y).rows)


def test_profile_interval_of_an_infinite_coefficient_keeps_its_finite_end():
    X, y = cars()
    row = fitted(X, y).summary(X, y, intervals="profile")["x1"]
    assert row.infinite and row.low == -np.inf and np.isfinite(row.high)


def test_no_estimate_is_called_infinite_that_another_choice_of_aliased_columns_makes_finite():
    X, y = cars(extra=True)  # two indicators that sum to one: either may be left out
    model = fitted(X, y)
    read = model.summary()
    kept = [row for row in read.rows if not row.aliased]
    assert read["x0"].estimate is None or not read["x0"].infinite
    assert all(row.p is None or row.p < 0.99 for row in kept)


def test_three_separated_classes_name_what_is_infinite_by_class():
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.standard_normal(90), np.repeat([0.0, 0.0, 1.0], 30)])
    y = np.where(np.arange(90) >= 60, 2, rng.integers(0, 2, 90))
    model = fitted(x, y)
    read = model.summary()
    infinite = {(row.name, table.output[0]) for table in read.tables for row in table.rows if row.infinite}
    assert infinite == {(name, str(label)) for name, label in model.separation_.infinite}
    assert not read.tables[0]["x0"].infinite
    with pytest.raises(ValueError, match="another reference"):
        model.summary(reference=2)


def test_description_of_a_separated_fit_is_finite():
    X, y = cars()
    words = describe(fitted(X, y), ["mpg", "eight"], X, y)
    assert all(np.isfinite(v) for table in words.tables for row in table.rows for v in row if isinstance(v, float))
