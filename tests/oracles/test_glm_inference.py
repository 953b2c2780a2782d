"""Summaries, profiles, tests of terms, selection, influence and predictions are those of R's lm and glm.

The numbers are made by glm_inference.R, on data sets of R and of its package MASS.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("formulaic")

from separatrix.inference import (
    add1,
    anova,
    compare_nested,
    covariance_matrix,
    drop1,
    influence,
    predict_interval,
    stepwise,
)
from separatrix.tables import Table
from separatrix.workflow.formula import fit_formula
from separatrix.workflow.summary import meaning_of_weights, summary_of

ORACLE = json.loads((Path(__file__).parent / "glm_inference.json").read_text(encoding="utf-8"))
FAMILIES = {"Gamma": "gamma", "inverse.gaussian": "inverse_gaussian"}
# glm stops at a relative change of the deviance of 1e-15; estimates are right to about its root, tests to twice that
RTOL = 2e-6
RESULTS = ("estimates", "drop1", "anova", "add1", "nested", "step")


@pytest.fixture(scope="module", params=ORACLE["cases"], ids=str)
def case(request):
    told = ORACLE["cases"][request.param]
    table = Table.of(ORACLE["sets"][told["set"]])
    family = FAMILIES.get(told["family"], told["family"])
    return told, table, fit_formula(table, told["formula"], family, link=told["link"])


def close(ours, theirs, rtol=RTOL, atol=0.0):
    pairs = [(a, float(b)) for a, b in zip(ours, theirs, strict=True) if b is not None]
    a, b = np.array(pairs, dtype=np.float64).T if pairs else np.zeros((2, 0))
    assert_allclose(a, b, rtol=rtol, atol=atol)


def inference(function, fit, **options):
    """A function of separatrix.inference on a fitted formula, with the meaning that its weights have in R."""
    data, others = fit.data
    meaning = {} if fit.weights is None else {"weights": meaning_of_weights(fit)}
    return function(fit.model, *data, **others, **meaning, **options)


def labels(told, table):
    return table[told["cluster"]] if told["cluster"] else None


def test_the_summary_is_that_of_r(case):
    told, _, fit = case
    summary = summary_of(fit)
    rows = summary.rows
    assert [row.name for row in rows][1:] == told["names"][1:]
    close([row.estimate for row in rows], told["estimate"], atol=1e-9)
    close([row.error for row in rows], told["error"])
    close([row.z if row.t is None else row.t for row in rows], told["statistic"], atol=1e-6)
    close([row.p for row in rows], told["p"], rtol=2e-4, atol=1e-12)
    statistics = summary.statistics
    assert statistics["residual_df"] == told["df"]
    if "sigma" in told:
        named = {"sigma": "sigma", "r_squared": "r2", "adjusted_r_squared": "adjusted", "f": "f"}
        close([row.low for row in rows], told["interval"]["low"], atol=1e-9)
        close([row.high for row in rows], told["interval"]["high"], atol=1e-9)
    else:
        named = {"deviance": "deviance", "null_deviance": "null_deviance"}
    for ours, theirs in {**named, "aic": "aic", "bic": "bic"}.items():
        if told[theirs] is None:
            assert statistics[ours] is None
        else:
            assert statistics[ours] == pytest.approx(told[theirs], rel=RTOL)
    if statistics.get("dispersion") is not None:
        assert statistics["dispersion"] == pytest.approx(told["dispersion"], rel=RTOL)


def test_profile_intervals_are_where_the_deviance_has_risen_by_as_much(case):
    told, _, fit = case
    if "profile" not in told:
        pytest.skip("least squares has t intervals")
    rows = summary_of(fit, profile=True).rows
    error = np.array(told["error"])
    for ours, theirs in (("low", "low"), ("high", "high")):
        ends = [getattr(row, ours) for row in rows]
        for end, true, size in zip(ends, told["profile"][theirs], error):
            assert true is None or end == pytest.approx(true, rel=1e-7, abs=1e-6 * size)


def test_robust_and_cluster_robust_errors_are_by_their_formulas(case):
    told, table, fit = case
    kinds = {"HC0": ("HC0", None), "HC1": ("HC1", None)}
    if told["cluster"]:
        kinds |= {"CL0": ("HC0", labels(told, table)), "CL1": ("HC1", labels(told, table))}
    for name, (kind, cluster) in kinds.items():
        summary = summary_of(fit, robust=kind, cluster=cluster)
        close([row.error for row in summary.rows], told["robust"][name], rtol=1e-5)
        V = inference(covariance_matrix, fit, covariance=kind, cluster=cluster)
        close(V.standard_errors, told["robust"][name], rtol=1e-5)
        if cluster is not None:
            assert f"by {told['robust']['groups']:g} clusters" in str(summary)


def compare_table(listing, theirs, first):
    """A listing against a table of R: rows by the labels of their terms."""
    names = [first if name == "<none>" else name for name in theirs["terms"] if name not in ("NULL", "Residuals")]
    rows = [listing[name] for name in names]
    keep = [i for i, name in enumerate(theirs["terms"]) if name not in ("NULL", "Residuals")]

    def column(*words):
        word = next((word for word in words if word in theirs), None)
        return None if word is None else [theirs[word][i] for i in keep]

    pairs = {
        "df": column("Df"),
        "sum_sq": column("Sum of Sq"),
        "rss": column("RSS"),
        "f": column("F", "F value"),
        "p": column("Pr(>Chi)", "Pr(>F)"),
        "deviance": column("Resid. Dev", "Deviance"),
    }
    for name, values in pairs.items():
        if values is not None and name in rows[0]:
            close([row[name] for row in rows], values, rtol=1e-3 if name == "p" else 5e-6, atol=1e-10)
    return rows, column


def test_terms_dropped_one_by_one_are_those_of_drop1(case):
    told, _, fit = case
    if "drop1" not in told:
        pytest.skip("R finds no valid start")
    rows, column = compare_table(inference(drop1, fit, terms=fit.terms), told["drop1"], "(none)")
    aic = column("AIC")
    if aic is not None and aic[0] is not None and "sigma" not in told:  # of lm, drop1 shows another constant
        close([row["aic"] for row in rows], aic, rtol=1e-6)


def test_terms_entered_one_after_the_other_are_those_of_anova(case):
    told, _, fit = case
    if "anova" not in told:
        pytest.skip("R finds no valid start")
    compare_table(inference(anova, fit, terms=fit.terms, order="sequential"), told["anova"], "(null)")


def test_terms_added_one_by_one_are_those_of_add1(case):
    told, _, fit = case
    if "add1" not in told:
        pytest.skip("R finds no valid start")
    current = [name for name in told["smaller"].split(" + ") if name]
    listing = inference(add1, fit, terms=fit.terms, current=current)
    rows, column = compare_table(listing, told["add1"], "(none)")
    aic = column("AIC")
    if aic is not None and aic[0] is not None and "sigma" not in told:
        close([row["aic"] for row in rows], aic, rtol=1e-6)


def test_nested_models_are_compared_as_by_anova(case):
    told, table, fit = case
    offsets = "".join(f" + {part}" for part in told["formula"].split(" + ") if part.startswith("offset("))
    smaller = fit_formula(
        table, told["formula"].split("~")[0] + "~ " + (told["smaller"] or "1") + offsets, fit.family, link=told["link"]
    )
    meaning = {} if fit.weights is None else {"weights": meaning_of_weights(fit)}
    row = compare_nested(smaller.model, fit.model, **meaning)["model 2"]
    theirs = told["nested"]
    test = next(theirs[word][1] for word in ("F", "Deviance") if word in theirs)
    p = next(theirs[word][1] for word in ("Pr(>Chi)", "Pr(>F)") if word in theirs)
    assert row["df"] == theirs["Df"][1]
    assert row["f" if "f" in row else "lr"] == pytest.approx(test, rel=1e-5)
    assert row["p"] == pytest.approx(p, rel=1e-3, abs=1e-14)


def test_stepwise_selection_goes_the_way_of_step(case):
    told, _, fit = case
    if "step" not in told:
        pytest.skip("a quasi family has no AIC")
    selection = inference(stepwise, fit, terms=fit.terms)
    assert list(selection.terms) == told["step"]["kept"]
    assert [step.replace(" ", "") for step in selection.path.columns["step"]][1:] == [
        step.replace(" ", "") for step in told["step"]["steps"][1:]
    ]
    if "sigma" not in told:
        close(selection.path.columns["aic"], told["step"]["aic"], rtol=1e-6)


def test_influence_is_that_of_influence_measures(case):
    told, _, fit = case
    data, others = fit.data
    measures = influence(fit.model, *data, **others)
    theirs = told["influence"]
    n = len(theirs["hat"])
    pairs = {
        "leverage": "hat",
        "standardised_deviance": "rstandard",
        "standardised_pearson": "pearson",
        "studentised": "rstudent",
        "cooks_distance": "cooks",
        "dffits": "dffits",
        "covariance_ratio": "covratio",
    }
    for ours, name in pairs.items():
        if name in theirs:
            close(getattr(measures, ours)[:n], theirs[name], rtol=1e-5, atol=1e-8)


def test_predicted_means_have_the_standard_errors_of_predict(case):
    told, _, fit = case
    if "predicted" not in told:
        pytest.skip("of least squares: see test_linear_inference.py")
    data, others = fit.data
    theirs = told["predicted"]
    offset = others.get("offset")
    known = {} if offset is None else {"offset": offset[:5]}
    meaning = {} if fit.weights is None else {"weights": meaning_of_weights(fit)}
    band = predict_interval(fit.model, data[0].iloc[:5], **known, **meaning)
    close(band.raw_score, theirs["link"], rtol=1e-6, atol=1e-8)
    close(band.raw_score_error, theirs["link_error"], rtol=1e-5)
    close(band.fit, theirs["mean"], rtol=1e-6)
    close(band.error, theirs["mean_error"], rtol=1e-5)
    assert ((band.low < band.fit) & (band.fit < band.high)).all()
