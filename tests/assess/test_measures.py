"""The registry of measures: direction, needs, and use as scikit-learn's scorers."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from separatrix.assess import MEASURES, measure, usual_measure

BY_SCIKIT_LEARN = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "roc_auc": "roc_auc",
    "rmse": "neg_root_mean_squared_error",
    "mse": "neg_mean_squared_error",
    "mae": "neg_mean_absolute_error",
    "r2": "r2",
}


@pytest.mark.parametrize("name", BY_SCIKIT_LEARN)
def test_as_a_scorer_a_measure_is_scikit_learns(name):
    numbers = MEASURES[name].task == "regression"
    X, y = load_diabetes(return_X_y=True) if numbers else load_breast_cancer(return_X_y=True)
    model = LinearRegression() if numbers else GaussianNB()
    X = X[:, :5]
    ours = cross_val_score(model, X, y, scoring=MEASURES[name].scorer(), cv=3)
    np.testing.assert_allclose(ours, cross_val_score(model, X, y, scoring=BY_SCIKIT_LEARN[name], cv=3), rtol=1e-10)


@pytest.mark.parametrize("name", MEASURES)
def test_a_perfect_prediction_is_best_in_the_stated_direction(name):
    each = MEASURES[name]
    y = np.array([0, 1, 1, 0, 1])
    perfect = {"probabilities": y * 1.0, "scores": y * 1.0}.get(each.needs, y)
    bad = {"probabilities": 1.0 - y, "scores": 1.0 - y}.get(each.needs, 1 - y)
    assert each.better(each(y, perfect), each(y, bad))
    assert each.name == name and each.label and each.best_for
    assert each.needs in ("labels", "probabilities", "scores", "numbers")


@pytest.mark.parametrize("name", [n for n, m in MEASURES.items() if m.task == "classification"])
def test_measures_of_classes_take_more_than_two(name):
    X, y = load_iris(return_X_y=True)
    names = np.array(["oak", "ash", "elm"])[y]
    value = MEASURES[name].of(LogisticRegression(max_iter=1000).fit(X, names), X, names)
    assert value > 0.95 if MEASURES[name].higher_is_better else value < 0.2


def test_scores_may_come_from_a_decision_function_and_probabilities_may_not():
    X, y = load_breast_cancer(return_X_y=True)
    model = RidgeClassifier().fit(X, y)
    assert MEASURES["roc_auc"].of(model, X, y) > 0.98
    with pytest.raises(ValueError, match=r"log loss of RidgeClassifier.*no predict_proba"):
        MEASURES["log_loss"].of(model, X, y)


def test_the_best_of_values_is_never_nan_and_the_first_of_equals():
    assert MEASURES["rmse"].best([np.nan, 2.0, 1.0, 1.0]) == 2
    assert MEASURES["accuracy"].best([np.nan, 0.5, 0.75, 0.75]) == 2
    assert not MEASURES["rmse"].better(np.nan, 1.0) and MEASURES["rmse"].better(1.0, np.nan)


def test_an_undefined_measure_ranks_as_zero():
    assert MEASURES["f1"]([0, 1], [0, 0]) == 0.0
    assert MEASURES["precision"](["a", "a"], ["a", "a"], classes=["a", "b"]) == 0.0


def test_measures_are_found_by_name_and_models_have_a_usual_one():
    assert measure("r2") is MEASURES["r2"] and measure(MEASURES["r2"]) is MEASURES["r2"]
    with pytest.raises(ValueError, match="no such measure"):
        measure("r3")
    assert usual_measure(LogisticRegression()).name == "log_loss"
    assert usual_measure(LinearSVC()).name == "accuracy"
    assert usual_measure(LinearRegression()).name == "rmse"
