"""Tests of terms against R's drop1, add1, anova, step and car::Anova on seven data sets; numbers and script beside."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.inference import add1, anova, compare_nested, drop1, stepwise
from separatrix.linear_model import LinearRegression, LogisticRegression

HERE = Path(__file__).parent
ORACLE = json.loads((HERE / "terms.json").read_text())
SETS = sorted(ORACLE)
pytestmark = pytest.mark.filterwarnings("ignore:The design has rank")
# R's names of what we call otherwise, and the tolerance: p-values carry the relative error of F times the exponent
LEAST_SQUARES = {"df": "Df", "sum_sq": "Sum of Sq", "rss": "RSS", "f": "F value", "p": "Pr(>F)"}
LIKELIHOOD = {"df": "Df", "deviance": "Deviance", "lr": "LRT", "p": "Pr(>Chi)"}


def fitted(name, columns=None):
    frame = pd.read_csv(HERE / "terms" / f"{name}.csv")
    X, y, s = frame.drop(columns=["y", "weight"]), frame["y"].to_numpy(), frame["weight"].to_numpy()
    model = LinearRegression() if ORACLE[name]["least_squares"] else LogisticRegression(C=np.inf, tol=1e-13)
    X = X if columns is None else X[columns]
    options = {"sample_weight": s, "weights": "precision"} if (s != 1.0).any() else {}
    return model.fit(X, y, options.get("sample_weight")), X, y, {"terms": ORACLE[name]["terms"], **options}


def assert_table(table, expected, columns):
    for place, term in enumerate(expected["term"]):
        for ours, theirs in columns.items():
            wanted = expected[theirs][place]
            if wanted is None:
                assert table[term][ours] is None or table[term]["df"] == 0
            else:
                rtol = 1e-6 if ours == "p" else 1e-8
                assert_allclose(table[term][ours], wanted, rtol=rtol, atol=1e-8, err_msg=f"{term} {ours}")


@pytest.mark.mission("SI-08")
@pytest.mark.parametrize("name", SETS)
def test_terms_are_dropped_as_drop1_does(name):
    model, X, y, options = fitted(name)
    table, expected = drop1(model, X, y, **options), ORACLE[name]["drop1"]
    assert list(table.columns["term"]) == expected["term"]
    assert_table(table, expected, LEAST_SQUARES if ORACLE[name]["least_squares"] else LIKELIHOOD)
    assert_allclose(table.columns["aic"], np.array(expected["AIC"]) + ORACLE[name]["shift"], rtol=1e-9)
    assert anova(model, X, y, **options).to_dict() == table.to_dict()


@pytest.mark.parametrize("name", SETS)
def test_terms_are_added_as_add1_does(name):
    model, X, y, options = fitted(name)
    table, expected = add1(model, X, y, current=ORACLE[name]["start"], **options), ORACLE[name]["add1"]
    assert list(table.columns["term"]) == expected["term"]
    assert_table(table, expected, LEAST_SQUARES if ORACLE[name]["least_squares"] else LIKELIHOOD)


@pytest.mark.parametrize("name", SETS)
def test_terms_enter_one_after_the_other_as_in_anova(name):
    model, X, y, options = fitted(name)
    table, expected = anova(model, X, y, order="sequential", **options), ORACLE[name]["anova"]
    named = {"Residuals": "(residuals)", "NULL": "(null)"}
    expected = {**expected, "term": [named.get(term, term) for term in expected["term"]]}
    left_out = set(table.columns["term"]) - set(expected["term"])  # by R: terms without degrees of freedom
    assert all(table[term]["df"] == 0 for term in left_out)
    columns = {"df": "Df", "lr": "Deviance", "residual_df": "Resid. Df", "deviance": "Resid. Dev", "p": "Pr(>Chi)"}
    if ORACLE[name]["least_squares"]:
        columns = {"df": "Df", "sum_sq": "Sum Sq", "f": "F value", "p": "Pr(>F)"}
    assert_table(table, expected, columns)


@pytest.mark.parametrize("name", SETS)
def test_type_two_is_that_of_car(name):
    model, X, y, options = fitted(name)
    table, expected = anova(model, X, y, order="type II", **options), ORACLE[name]["type2"]
    expected = {**expected, "term": [term.replace("Residuals", "(residuals)") for term in expected["term"]]}
    columns = {"df": "Df", "lr": "LR Chisq", "p": "Pr(>Chisq)"}
    if ORACLE[name]["least_squares"]:
        columns = {"df": "Df", "sum_sq": "Sum Sq", "f": "F value", "p": "Pr(>F)"}
    assert_table(table, expected, columns)


@pytest.mark.parametrize("name", SETS)
def test_nested_models_are_compared_as_by_anova_of_several_fits(name):
    least_squares, terms = ORACLE[name]["least_squares"], ORACLE[name]["terms"]
    chosen = [[c for term in ORACLE[name][part] for c in terms[term]] for part in ("start", "main")]
    if not chosen[0]:
        chosen = chosen[1:]  # a model without columns is none of ours
    models = [fitted(name, columns)[0] for columns in chosen] + [fitted(name)[0]]
    weights = "precision" if name.endswith("weighted") else "frequency"
    table, expected = compare_nested(*models, weights=weights), ORACLE[name]["nested"]
    last, count = len(expected["term"]), len(models)
    columns = {"residual_df": "Resid. Df", "deviance": "Resid. Dev", "df": "Df", "lr": "Deviance", "p": "Pr(>Chi)"}
    if least_squares:
        columns = {"residual_df": "Res.Df", "rss": "RSS", "df": "Df", "sum_sq": "Sum of Sq", "f": "F", "p": "Pr(>F)"}
    for place in range(1, count):
        for ours, theirs in columns.items():
            wanted = expected[theirs][last - count + place]
            assert_allclose(table.columns[ours][place], wanted, rtol=1e-6 if ours == "p" else 1e-8, atol=1e-8)


def parts(term):
    """R calls a:b b:a where b entered first."""
    return frozenset(term.lstrip("+- ").split(":")), term[:1] == "+"


@pytest.mark.mission("SI-03")
@pytest.mark.parametrize("kind", ["backward", "both", "forward", "bic"])
@pytest.mark.parametrize("name", SETS)
def test_selection_keeps_the_model_of_step(name, kind):
    model, X, y, options = fitted(name)
    if kind == "bic":
        options["criterion"] = "bic"
    if kind in ("both", "forward"):
        options |= {"direction": "both", "start": ORACLE[name]["main"] if kind == "both" else []}
    selection, expected = stepwise(model, X, y, **options), ORACLE[name][kind]
    assert set(map(parts, selection.terms)) == set(map(parts, expected["kept"]))
    assert list(map(parts, selection.path.columns["step"][1:])) == list(map(parts, expected["path"][1:]))
    assert_allclose(selection.path.columns["bic" if kind == "bic" else "aic"], expected["aic"], rtol=1e-9)
    if kind == "backward":
        assert set(selection.terms) == set(ORACLE[name]["stepAIC"])
