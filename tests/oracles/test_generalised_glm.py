"""Generalised linear models against R's glm, on sixteen data sets; numbers and script beside this file."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.linear_model import GammaRegressor, GeneralizedLinearRegressor, PoissonRegressor, TweedieRegressor

HERE = Path(__file__).parent
ORACLE = json.loads((HERE / "generalised_glm.json").read_text())
FITS = sorted(set(ORACLE) - {"version"})
FAMILIES = {"Gamma": "gamma", "inverse.gaussian": "inverse_gaussian"}


def data_of(name):
    frame = pd.read_csv(HERE / "generalised" / f"{name}.csv")
    X, y = frame.drop(columns=["y", "weight", "offset"]), frame["y"].to_numpy()
    s, offset = frame["weight"].to_numpy(), frame["offset"].to_numpy()
    return X, y, None if (s == 1.0).all() else s, None if (offset == 0.0).all() else offset


def fitted(fit):
    X, y, s, offset = data_of(fit["set"])
    family = FAMILIES.get(fit["family"], fit["family"])
    model = GeneralizedLinearRegressor(
        family, fit["link"], tol=1e-12, max_iter=500, fit_intercept=fit["set"] != "origin"
    )
    return model.fit(X, y, s, offset=offset), X, offset


@pytest.mark.parametrize("name", FITS)
def test_estimates_errors_tests_and_deviances_are_those_of_r(name):
    fit = ORACLE[name]
    model, X, offset = fitted(fit)
    summary = model.summary(weights="precision")  # what weights mean to R: degrees of freedom count rows
    assert model.certificate_.converged
    error = np.array(fit["error"])
    assert_allclose([row.error for row in summary.rows], error, rtol=1e-8)
    assert_allclose([row.estimate for row in summary.rows] / error, fit["estimate"] / error, rtol=1e-8, atol=1e-8)
    known = fit["family"] in ("poisson", "binomial")
    assert_allclose([row.z if known else row.t for row in summary.rows], fit["statistic"], rtol=1e-8, atol=1e-8)
    # a p-value far out moves by its statistic squared times the relative error of that
    moved = 1.0 + np.square(fit["statistic"])
    assert np.all(np.abs([row.p for row in summary.rows] - np.array(fit["p"])) <= 1e-8 * moved * np.array(fit["p"]))
    numbers = summary.statistics
    assert_allclose(numbers["dispersion"], fit["dispersion"], rtol=1e-8)
    assert_allclose(numbers["deviance"], fit["deviance"], rtol=1e-9)
    assert_allclose(numbers["null_deviance"], fit["null_deviance"], rtol=1e-9)
    assert numbers["residual_df"] == fit["df"]
    if fit["aic"] is None:
        assert numbers["aic"] is None
    else:
        assert_allclose(numbers["aic"], fit["aic"], rtol=1e-9)
    assert_allclose(model.predict(X, offset=offset), fit["fitted"], rtol=1e-7)


@pytest.mark.parametrize("name", [n for n in FITS if "test" in ORACLE[n]])
def test_the_test_of_all_slopes_is_that_of_rs_anova(name):
    fit = ORACLE[name]
    numbers = fitted(fit)[0].summary(weights="precision").statistics
    word = "lr" if fit["test"] == "Chisq" else "f"
    assert_allclose(numbers[word], fit["whole"], rtol=1e-8)
    assert_allclose(numbers[f"{word}_p"], fit["whole_p"], rtol=1e-8 * (1.0 + fit["whole"]), atol=1e-300)


@pytest.mark.parametrize(
    "model, name",
    [
        (PoissonRegressor(alpha=0.0), "insurance poisson log"),
        (GammaRegressor(alpha=0.0), "trees_offset Gamma log"),
        (TweedieRegressor(power=3.0, alpha=0.0), "trees_offset inverse.gaussian log"),
        (TweedieRegressor(power=0.0, alpha=0.0), "mtcars gaussian identity"),
    ],
    ids=str,
)
def test_scikit_learns_names_give_rs_numbers_too(model, name):
    fit = ORACLE[name]
    X, y, s, offset = data_of(fit["set"])
    summary = model.set_params(tol=1e-12, max_iter=500).fit(X, y, s, offset=offset).summary()
    error = np.array(fit["error"])
    assert_allclose([row.estimate for row in summary.rows] / error, fit["estimate"] / error, rtol=1e-8, atol=1e-8)
    assert_allclose([row.error for row in summary.rows], error, rtol=1e-8)
    assert_allclose(summary.statistics["aic"], fit["aic"], rtol=1e-9)


@pytest.mark.parametrize("name", [n for n in FITS if "robust" in ORACLE[n]])
def test_robust_errors_are_those_of_rs_sandwich(name):
    fit = ORACLE[name]
    model, X, _ = fitted(fit)
    summary = model.summary(X, data_of(fit["set"])[1], covariance="HC0")
    assert_allclose([row.error for row in summary.rows], fit["robust"], rtol=1e-8)
