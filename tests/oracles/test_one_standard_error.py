"""The strengths that cross-validation chooses, the best and that of one standard error, against cv.glmnet of R."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix.estimators.linear.one_standard_error import standard_errors
from separatrix.linear_model import ElasticNetCV, LassoCV, LogisticRegressionCV, RidgeCV

HERE = Path(__file__).parent
ORACLE = json.loads((HERE / "one_standard_error.json").read_text())
LAMBDA = np.array(ORACLE["lambda"])
TRAIN = 36  # rows outside a fold: what glmnet's mean over rows, and our sum, differ by
pytestmark = pytest.mark.filterwarnings("ignore:The best")


def data():
    frame = pd.read_csv(HERE / "one_standard_error.csv")
    return frame.drop(columns="y").to_numpy(), frame["y"].to_numpy()


def test_the_lasso_chooses_the_strengths_of_glmnet():
    X, y = data()
    expected = ORACLE["lasso"]
    for model in (LassoCV(alphas=LAMBDA, cv=5), ElasticNetCV(alphas=LAMBDA, l1_ratio=1.0, cv=5)):
        model.fit(X, y)
        # folds are solved to a gap of 1e-6 of the null model: the square root of that in predictions
        assert_allclose(model.mse_path_.mean(axis=1), expected["mean"], rtol=2e-3)
        assert_allclose(standard_errors(model.mse_path_), expected["error"], rtol=5e-3)
        assert_allclose([model.alpha_, model.alpha_1se_], [expected["min"], expected["one_se"]], rtol=1e-12)
        strong = model.set_params(rule="1se").fit(X, y)
        assert strong.alpha_ == strong.alpha_1se_ > expected["min"]


@pytest.mark.parametrize("ratio", [0.5, 0.2])
def test_the_elastic_net_chooses_the_strengths_of_glmnet(ratio):
    """Unlike cv.glmnet's, its L2 part is not divided by the standard deviation of y: the script undoes that."""
    X, y = data()
    expected = ORACLE[f"net_{ratio:g}"]
    model = ElasticNetCV(alphas=LAMBDA, l1_ratio=ratio, cv=5, rule="1se").fit(X, y)
    assert_allclose(model.mse_path_.mean(axis=1), expected["mean"], rtol=2e-3)
    assert_allclose(standard_errors(model.mse_path_), expected["error"], rtol=5e-3)
    assert_allclose([model.alpha_1se_, model.alpha_], expected["one_se"], rtol=1e-12)
    assert ElasticNetCV(alphas=LAMBDA, l1_ratio=ratio, cv=5).fit(X, y).alpha_ == pytest.approx(
        expected["min"], rel=1e-12
    )


@pytest.mark.parametrize("name", ["ridge", "leave_one_out"])
def test_ridge_chooses_the_strengths_of_its_closed_form(name):
    X, y = data()
    options = {"alphas": TRAIN * LAMBDA}
    if name == "ridge":
        options |= {"cv": 5, "scoring": "neg_mean_squared_error"}
    expected = TRAIN * np.array([ORACLE[name]["min"], ORACLE[name]["one_se"]])
    strong = RidgeCV(**options, rule="1se").fit(X, y)
    assert_allclose([RidgeCV(**options).fit(X, y).alpha_, strong.alpha_1se_], expected, rtol=1e-12)
    assert strong.alpha_ == strong.alpha_1se_


@pytest.mark.parametrize(
    ("name", "ratio"), [("logistic", 0.0), ("logistic_0.2", 0.2), ("logistic_0.5", 0.5), ("logistic_l1", 1.0)]
)
def test_likelihoods_choose_the_strengths_of_glmnet(name, ratio):
    X, y = data()
    folds = [(np.flatnonzero(np.arange(45) // 9 != f), np.flatnonzero(np.arange(45) // 9 == f)) for f in range(5)]
    options = {
        "Cs": 1.0 / (TRAIN * LAMBDA),
        "l1_ratios": (ratio,),
        "cv": folds,
        "scoring": "neg_log_loss",
        "use_legacy_attributes": False,
    }
    model = LogisticRegressionCV(**options).fit(X, (y > 8.5).astype(int))
    expected = ORACLE[name]
    assert_allclose(-2.0 * model.scores_[:, 0].mean(axis=0), expected["mean"], rtol=1e-4)
    assert_allclose(1.0 / (TRAIN * np.array([model.C_, model.C_1se_])), [expected["min"], expected["one_se"]])
    assert model.C_1se_ == LogisticRegressionCV(**options, rule="1se").fit(X, (y > 8.5).astype(int)).C_
