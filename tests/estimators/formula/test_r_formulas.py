"""Formulas as R's lm and glm read them; data, numbers and script in tests/oracles/formulas.*."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.errors import RankDeficient
from separatrix.estimators.formula.algebra import parse
from separatrix.tables import Table
from separatrix.workflow.formula import EMPTY, fit_formula
from separatrix.workflow.summary import summary_of

EPS = np.finfo(np.float64).eps
ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "formulas.json").read_text())
# Contrasts that C() makes are numbered by R; here columns of single levels carry the name of their level.
RENAMED = ("contr.treatment, base = 2", "contr.SAS")
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.core.errors.RankDeficient")


def table(columns):
    def column(values):
        if any(isinstance(value, str) for value in values):
            return np.array(values, dtype=object)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    return Table(tuple(columns), tuple(map(column, columns.values())), "the table")


def numbers(values):
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def called(case):
    return f"{case['set']}: {case['formula']}" + (f" weighted by {case['weights']}" if case.get("weights") else "")


@pytest.fixture(scope="module", params=ORACLE["fits"], ids=called)
def both(request):
    case = request.param
    return case, fit_formula(table(ORACLE["sets"][case["set"]]), case["formula"], case["family"], case["weights"])


def test_at_least_sixty_formulas_are_compared():
    assert len({case["formula"] for case in ORACLE["fits"]}) >= 60


def test_names_order_and_terms_of_columns_are_those_of_r(both):
    case, fit = both
    intercept = ["(Intercept)"] if fit.model.fit_intercept else []
    if not any(words in case["formula"] for words in RENAMED):
        assert intercept + fit.design.names == case["names"]
    assert list(fit.terms) == case["labels"]
    sizes = [len(names) for names in fit.terms.values()]
    assert len(intercept) * [0] + np.repeat(np.arange(len(sizes)) + 1, sizes).tolist() == case["assign"]


def test_estimates_errors_and_aliased_columns_are_those_of_r(both):
    case, fit = both
    rows = [row for row in summary_of(fit).rows if row.name != EMPTY]
    estimates, errors = numbers(case["estimates"]), numbers(case["errors"])
    assert [row.aliased for row in rows] == np.isnan(estimates).tolist()
    kept = ~np.isnan(estimates)
    found_estimates, found_errors = (
        np.array([getattr(r, n) for r in rows])[kept].astype(float) for n in ("estimate", "error")
    )
    rounding = 100.0 * EPS * condition(fit, kept)  # R works on the columns as they stand
    size = np.abs(estimates[kept]).max() + errors[kept] * np.sqrt(case["n"])
    if case["family"] == "gaussian":
        assert (np.abs(found_estimates - estimates[kept]) <= rounding * size).all()
        assert_allclose(found_errors, errors[kept], rtol=rounding)
    else:
        # glm stops where the deviance changes by less than 1e-14 of itself: a step of that square root in standard
        # errors, which the information it states lags behind, and whose square the estimates do
        step = np.sqrt(1e-14 * (case["deviance"] + 0.1))
        assert (np.abs(found_estimates - estimates[kept]) <= (step**2 + rounding) * size).all()
        assert_allclose(found_errors, errors[kept], rtol=step + rounding)


def condition(fit, kept):
    """Of the kept columns, the constant among them, scaled to unit length."""
    X = np.column_stack([np.ones(len(fit.X)), fit.X]) if fit.model.fit_intercept else np.asarray(fit.X)
    X = X[:, : len(kept)][:, kept]
    return np.linalg.cond(X / np.linalg.norm(X, axis=0))


def test_residual_sums_and_degrees_of_freedom_are_those_of_r(both):
    case, fit = both
    assert len(fit.design.frame.rows) == case["n"]
    statistics = summary_of(fit).statistics
    if len(fit.y) > case["n"]:
        return  # counts: glm has other groups
    if case["family"] == "gaussian":
        assert statistics["residual_df"] == case["df"]
        rss, y = statistics["sigma"] ** 2 * case["df"], fit.y * (1.0 if fit.weights is None else np.sqrt(fit.weights))
        assert (
            abs(rss - case["deviance"])
            <= 1e3 * EPS * (y @ y) ** 0.5 * case["deviance"] ** 0.5 + 1e3 * EPS * case["deviance"]
        )
    else:
        assert statistics["residual_df"] == case["df"]
        assert_allclose(statistics["deviance"], case["deviance"], rtol=1e-12)


def test_rows_of_the_fit_are_predicted_as_they_were_fitted(both):
    case, fit = both
    first = table(ORACLE["sets"][case["set"]]).take(fit.design.frame.rows[:3])
    expected = np.array(case["fitted"])
    far = 1e4 * EPS * np.abs(expected).max() * condition(fit, ~np.isnan(numbers(case["estimates"])))
    assert (np.abs(fit.predict(first) - expected) <= far + 1e-12).all()


@pytest.mark.parametrize("case", ORACLE["predictions"], ids=called)
def test_new_rows_are_predicted_as_by_r(case):
    """Polynomials, splines, scales and intervals are those of the data of the fit, also beyond their range."""
    fit = fit_formula(table(ORACLE["sets"][case["set"]]), case["formula"], case["family"])
    assert_allclose(fit.predict(table(case["new"])), case["predicted"], rtol=1e-9)


@pytest.mark.parametrize("case", ORACLE["algebra"], ids=lambda case: case["formula"])
def test_terms_are_those_of_terms_in_r(case):
    formula = parse("y" + case["formula"], ["y", "a", "b", "c"])
    assert formula.labels == case["labels"]
    assert formula.intercept == bool(case["intercept"])


def test_the_column_that_r_leaves_out_of_npk_is_named():
    with pytest.warns(RankDeficient, match=": N1:P1:K1 is determined"):
        fit_formula(table(ORACLE["sets"]["npk"]), "yield ~ block + N*P*K", "gaussian")
