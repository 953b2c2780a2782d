"""Covariances, hypotheses, intervals, inflation and influence against stats, car, sandwich and multcomp of R."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.inference import contrasts, covariance_matrix, influence, linear_hypothesis, predict_interval, vif
from separatrix.linear_model import LinearRegression, LogisticRegression

HERE = Path(__file__).parent
ORACLE = json.loads((HERE / "linear_inference.json").read_text())
SETS = sorted(ORACLE)
LEAST_SQUARES = [name for name in SETS if ORACLE[name]["least_squares"]]
# R solves by QR, whose coefficients have errors of eps times the condition: that of Longley's columns is 5e9 with the
# intercept among them, and what is squared of it (information, U) loses again
RTOL = {"longley": 1e-5}


def fitted(name):
    frame = pd.read_csv(HERE / "linear_inference" / f"{name}.csv")
    X, y, s = frame.drop(columns=["y", "weight", "cluster"]), frame["y"].to_numpy(), frame["weight"].to_numpy()
    model = LinearRegression() if ORACLE[name]["least_squares"] else LogisticRegression(C=np.inf, tol=1e-13)
    options = {"sample_weight": s, "weights": "precision"} if (s != 1.0).any() else {}
    model.fit(X, y, options.get("sample_weight"))
    return model, X, y, options, frame["cluster"].to_numpy()


def matrix(name, key):
    q = len(ORACLE[name]["names"])
    return np.array(ORACLE[name][key], dtype=float).reshape(-1, q, order="F")


def assert_covariance(ours, name, key):
    size = np.sqrt(np.diag(matrix(name, "vcov")))
    scale = np.multiply.outer(size, size)
    rtol = RTOL.get(name, 1e-8)
    assert_allclose(np.asarray(ours) / scale, matrix(name, key) / scale, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", SETS)
def test_the_covariance_matrix_is_that_of_vcov(name):
    model, _, _, options, _ = fitted(name)
    V = covariance_matrix(model, weights=options.get("weights", "frequency"))
    assert V.names == tuple(n.replace("(Intercept)", "intercept") for n in ORACLE[name]["names"])
    assert_covariance(V, name, "vcov")


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
@pytest.mark.parametrize("name", SETS)
def test_robust_covariances_are_those_of_sandwich(name, kind):
    if kind in ORACLE[name]:
        model, X, y, options, _ = fitted(name)
        assert_covariance(covariance_matrix(model, X, y, covariance=kind, **options), name, kind)


@pytest.mark.parametrize("kind", ["HC0", "HC1"])
@pytest.mark.parametrize("name", SETS)
def test_covariances_by_clusters_are_those_of_vcov_cl(name, kind):
    model, X, y, options, cluster = fitted(name)
    V = covariance_matrix(model, X, y, covariance=kind, cluster=cluster, **options)
    assert_covariance(V, name, f"CL_{kind}")
    default = covariance_matrix(model, X, y, cluster=cluster, **options)
    if kind == ("HC1" if ORACLE[name]["least_squares"] else "HC0"):
        assert_allclose(np.asarray(default), np.asarray(V))


@pytest.mark.parametrize("name", SETS)
def test_joint_hypotheses_are_those_of_car(name):
    model, X, y, options, _ = fitted(name)
    statistic = "f" if ORACLE[name]["least_squares"] else "chi2"
    weights = {"weights": options["weights"]} if options else {}
    classical = linear_hypothesis(model, ORACLE[name]["hypotheses"], **weights)
    robust = linear_hypothesis(model, ORACLE[name]["hypotheses"], X, y, covariance="HC0", **options)
    for table, key in ((classical, "joint"), (robust, "joint_HC0")):
        rtol = RTOL.get(name, 1e-7)
        assert_allclose(table.columns[statistic][0], ORACLE[name][key]["value"], rtol=rtol)
        assert_allclose(table.columns["p"][0], ORACLE[name][key]["p"], rtol=10 * rtol)


@pytest.mark.parametrize("name", SETS)
def test_contrasts_are_those_of_glht(name):
    model, _, _, options, _ = fitted(name)
    weights, rtol = options.get("weights", "frequency"), RTOL.get(name, 1e-7)
    table, expected = contrasts(model, ORACLE[name]["hypotheses"], weights=weights).columns, ORACLE[name]["each"]
    t = "t" if ORACLE[name]["least_squares"] else "z"
    for ours, theirs in (("estimate", "estimate"), ("std_error", "error"), (t, "t"), ("p", "p")):
        assert_allclose(table[ours], expected[theirs], rtol=10 * rtol)
    assert_allclose(table["ci_low"], expected["low"], rtol=rtol, atol=rtol * max(expected["error"]))
    assert_allclose(table["ci_high"], expected["high"], rtol=rtol, atol=rtol * max(expected["error"]))
    for ours, theirs in (("bonferroni",) * 2, ("holm",) * 2, ("hochberg",) * 2, ("bh", "BH"), ("by", "BY")):
        adjusted = contrasts(model, weights=weights, adjust=ours).columns["adjusted_p"]
        # glht takes p-values as 1 - P, which has errors of 1e-16, times the number of tests
        assert_allclose(adjusted, ORACLE[name]["adjusted"][theirs], rtol=1e-4 if name in RTOL else 1e-6, atol=1e-14)


def test_all_pairs_are_adjusted_by_the_joint_distribution_as_in_glht():
    model = fitted("oats")[0]
    expected = ORACLE["oats"]["tukey"]
    table = contrasts(model, np.array(expected["matrix"], dtype=float), adjust="single-step").columns
    # both integrate numerically: ours to about 1e-4 of a probability, theirs to 1e-5 in absolute terms
    assert_allclose(table["adjusted_p"], expected["p"], rtol=3e-4, atol=3e-5)
    assert_allclose(table["adjusted_p"], expected["exact"], rtol=3e-4)
    assert_allclose(table["ci_low"], expected["low"], rtol=3e-4)
    assert_allclose(table["ci_high"], expected["high"], rtol=3e-4)
    model = fitted("mroz")[0]
    table = contrasts(model, ["k618", "wcyes", "hcyes", "lwg"], adjust="single-step").columns
    assert_allclose(table["adjusted_p"], ORACLE["mroz"]["single_step"], rtol=3e-4, atol=3e-5)


@pytest.mark.parametrize("name", SETS)
def test_inflation_is_that_of_car(name):
    model = fitted(name)[0]
    table, expected = vif(model, terms=ORACLE[name]["terms"]).columns, ORACLE[name]["vif"]
    for ours, theirs in (("vif", "vif"), ("gvif", "gvif"), ("df", "df"), ("scaled_gvif", "scaled")):
        if theirs in expected:
            assert_allclose(table[ours], expected[theirs], rtol=RTOL.get(name, 1e-8))


@pytest.mark.parametrize("name", LEAST_SQUARES)
def test_influence_is_that_of_r(name):
    model, X, y, options, _ = fitted(name)
    measures, expected, rtol = influence(model, X, y, options.get("sample_weight")), ORACLE[name], RTOL.get(name, 1e-8)
    for ours, theirs in (
        ("leverage", "hat"),
        ("standardised_pearson", "rstandard"),
        ("studentised", "rstudent"),
        ("cooks_distance", "cooks"),
        ("dffits", "dffits"),
        ("covariance_ratio", "covratio"),
    ):
        assert_allclose(getattr(measures, ours), expected[theirs], rtol=10 * rtol, atol=rtol, err_msg=ours)
    for ours, theirs in (("dfbeta", "dfbeta"), ("dfbetas", "dfbetas")):
        wanted = matrix(name, theirs)
        size = np.abs(wanted).max(axis=0)
        assert_allclose(getattr(measures, ours) / size, wanted / size, rtol=rtol, atol=rtol, err_msg=ours)


def test_studentised_residuals_of_a_likelihood_are_those_of_r():
    model, X, y, _, _ = fitted("mroz")
    assert_allclose(influence(model, X, y).studentised, ORACLE["mroz"]["rstudent"], rtol=1e-8)


@pytest.mark.parametrize("kind", ["confidence", "prediction"])
@pytest.mark.parametrize("name", LEAST_SQUARES)
def test_intervals_of_predictions_are_those_of_predict(name, kind):
    model, X, _, options, _ = fitted(name)
    weights, rtol = options.get("weights", "frequency"), RTOL.get(name, 1e-10)
    s = options.get("sample_weight") if kind == "prediction" else None
    band = predict_interval(model, X, interval=kind, level=0.9, weights=weights, sample_weight=s)
    wanted = np.array(ORACLE[name][kind]).reshape(-1, 3, order="F")
    assert_allclose(np.column_stack([band.fit, band.low, band.high]), wanted, rtol=rtol, atol=rtol * band.sigma)
    assert_allclose(band.error, ORACLE[name]["se"], rtol=10 * rtol)


@pytest.mark.parametrize("kind", ["confidence", "prediction"])
def test_intervals_hold_beyond_the_data(kind):
    model, X = fitted("duncan")[:2]
    new = pd.DataFrame([[0.0, 0, 0, 20], [1, 0, 50, 50], [0, 1, 200, -30]], columns=X.columns)
    band = predict_interval(model, new, interval=kind)
    wanted = np.array(ORACLE["duncan"][f"new_{kind}"]).reshape(-1, 3, order="F")
    assert_allclose(np.column_stack([band.fit, band.low, band.high]), wanted, rtol=1e-10)
