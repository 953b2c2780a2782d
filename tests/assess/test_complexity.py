"""Curves over rows, complexity and penalties: against scikit-learn, by hand, and against known truths."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.pipeline import Pipeline

from separatrix import assess
from separatrix.discriminant_analysis import RegularizedDiscriminantAnalysis
from separatrix.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Ridge,
    SGDClassifier,
    lasso_path,
)
from separatrix.naive_bayes import BernoulliNB
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor
from separatrix.preprocessing import PolynomialFeatures


def sine(rng, n=10):
    x = rng.uniform(size=(n, 1))
    return x, np.sin(2.0 * np.pi * x[:, 0]) + 0.3 * rng.standard_normal(n)


def spaced(rng, n):
    """As above at equidistant points: nothing is extrapolated."""
    x = np.linspace(0.0, 1.0, n)
    return x[:, None], np.sin(2.0 * np.pi * x) + 0.3 * rng.standard_normal(n)


def polynomial(degree=1, alpha=None):
    last = LinearRegression(fit_intercept=False) if alpha is None else Ridge(alpha, fit_intercept=False)
    return Pipeline([("powers", PolynomialFeatures(degree)), ("fit", last)])


# ------------------------------------------------------------------ error against complexity, and three cures


@pytest.fixture(scope="module")
def ten_points():
    """G035: ten equidistant points of a sine with noise 0.3 to fit, 200 new ones to judge by, as one split."""
    rng = np.random.default_rng(3)
    x = np.linspace(0.0, 1.0, 10)
    t = np.sin(2.0 * np.pi * x) + 0.3 * rng.standard_normal(10)
    x_new = rng.uniform(size=200)
    t_new = np.sin(2.0 * np.pi * x_new) + 0.3 * rng.standard_normal(200)
    folds = [(np.arange(10), np.arange(10, 210))] * 2
    return np.r_[x, x_new][:, None], np.r_[t, t_new], folds


@pytest.mark.mission("EV-05")
def test_training_error_falls_to_zero_with_complexity_and_test_error_turns_up(ten_points):
    """G035."""
    X, t, folds = ten_points
    curve = assess.validation_curve(polynomial(), X, t, "powers__degree", range(10), folds=folds, measure="rmse")
    assert (np.diff(curve["train"]) <= 1e-12).all()
    assert curve["train"][9] < 1e-9
    assert curve["validation"][3] < min(curve["validation"][1], curve["validation"][9])
    assert 3 <= curve.facts["best"] < 9
    byhand = np.polyval(np.polyfit(X[:10, 0], t[:10], 3), X[10:, 0])
    assert curve["validation"][3] == pytest.approx(np.sqrt(np.mean((byhand - t[10:]) ** 2)), rel=1e-8)


@pytest.mark.mission("EV-05", "EV-18")
def test_three_cures_of_overfitting_work(ten_points):
    """G035: more data, a penalty, a lower degree."""
    X, t, folds = ten_points
    options = {"folds": folds, "measure": "rmse"}
    by_degree = assess.validation_curve(polynomial(), X, t, "powers__degree", range(10), **options)
    ill = by_degree["validation"][9]
    strengths = np.exp(np.linspace(-40.0, 5.0, 46))
    by_penalty = assess.validation_curve(polynomial(9, 1.0), X, t, "fit__alpha", strengths, **options)
    best = int(np.argmin(by_penalty["validation"]))
    assert 0 < best < 45 and by_penalty["validation"][best] < 0.6 * ill  # a penalty, neither too weak nor too strong
    rng = np.random.default_rng(0)
    x, y = sine(rng, 400)
    by_rows = assess.learning_curve(polynomial(9), x, y, sizes=[15, 40, 300], measure="rmse", folds=4)
    assert (np.diff(by_rows["validation"]) < 0).all() and by_rows["validation"][2] < 0.36  # more data
    assert by_degree["validation"].min() < 0.65 * ill  # a lower degree
    largest = [np.abs(polynomial(M).fit(X[:10], t[:10])["fit"].coef_).max() for M in (3, 9)]
    assert largest[1] > 100.0 * largest[0]


@pytest.mark.mission("EV-05")
def test_the_curve_is_scikit_learns_with_the_sign_of_the_measure():
    from sklearn.model_selection import validation_curve

    X, y = load_diabetes(return_X_y=True)
    folds = assess.k_fold(len(y), 3)
    ours = assess.validation_curve(Ridge(), X, y, "alpha", [0.01, 1.0], folds=folds, measure="mae")
    train, held_out = validation_curve(
        Ridge(), X, y, param_name="alpha", param_range=[0.01, 1.0], cv=folds, scoring="neg_mean_absolute_error"
    )
    np.testing.assert_allclose(ours["train"], -train.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(ours["validation"], -held_out.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(ours["validation_error"], held_out.std(axis=1, ddof=1) / np.sqrt(3), rtol=1e-12)


def test_a_learning_curve_nears_itself():
    X, y = load_iris(return_X_y=True)
    curve = assess.learning_curve(LogisticRegression(C=1.0), X, y, sizes=[30, 120])
    gap = curve["validation"] - curve["train"]
    assert list(curve["rows"]) == [30, 120] and gap[0] > gap[1]
    assert curve.facts["measure"] == "log loss"


# ------------------------------------------------------------------ empirical and true risk


@pytest.mark.mission("EV-22")
def test_empirical_risk_falls_with_complexity_while_true_risk_turns_up():
    curve = assess.risk_curve(
        polynomial(), "powers__degree", range(9), lambda rng: spaced(rng, 12), lambda rng: sine(rng, 300), datasets=25
    )
    assert (np.diff(curve["empirical"]) < 0).all()
    best = int(np.argmin(curve["true"]))
    assert 3 <= best <= 5
    assert curve["true"][8] - 3.0 * curve["true_error"][8] > curve["true"][best]
    gap, error = curve["true"] - curve["empirical"], np.hypot(curve["true_error"], curve["empirical_error"])
    assert (gap[5:] > 3.0 * error[5:]).all()


@pytest.mark.mission("EV-22")
def test_empirical_and_true_risk_near_each_other_with_more_rows():
    gaps, errors = [], []
    for n in (12, 48, 192, 768):
        curve = assess.risk_curve(
            polynomial(), "powers__degree", [3], lambda rng, n=n: sine(rng, n), lambda rng: sine(rng, 800), datasets=25
        )
        gaps.append(abs(curve["true"][0] - curve["empirical"][0]))
        errors.append(np.hypot(curve["true_error"][0], curve["empirical_error"][0]))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[3] < 0.1 * gaps[0] and gaps[3] < 3.0 * errors[3] + 8 * 0.09 / 768  # 2 p σ² / n, the optimism


@pytest.mark.mission("EV-22")
def test_the_best_on_the_sample_is_not_the_best_in_truth():
    """ĥ ≠ h*: of 30 constants the one of least empirical risk is rarely that of least true risk, and never better."""
    rng = np.random.default_rng(0)
    constants = np.linspace(-1.0, 1.0, 30)
    true = constants**2 + 1.0
    picks = [int(np.argmin(((rng.standard_normal((10, 1)) - constants) ** 2).mean(axis=0))) for _ in range(200)]
    assert np.mean(np.array(picks) == true.argmin()) < 0.3
    assert true[picks].mean() > true.min()


# ------------------------------------------------------------------ bias and variance by strength


@pytest.mark.mission("EV-14", "EV-18")
def test_bias_rises_and_variance_falls_with_the_number_of_neighbours():
    X = np.linspace(0, 1, 100)[:, None]
    curve = assess.bias_variance_curve(
        KNeighborsRegressor(), "n_neighbors", [1, 9, 18, 30], lambda rng: spaced(rng, 40),
        lambda X: np.sin(2 * np.pi * X[:, 0]), X, noise=0.09, datasets=40,
    )  # fmt: skip
    assert (np.diff(curve["bias2"]) > 0).all() and (np.diff(curve["variance"]) < 0).all()
    np.testing.assert_allclose(curve["total"], curve["bias2"] + curve["variance"] + 0.09, rtol=1e-14)
    assert curve.facts["best"] == 9


# ------------------------------------------------------------------ paths


def test_a_path_as_a_table_is_the_lassos_own():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    alphas = [3.0, 1.0, 0.1]
    curve = assess.coefficient_path(Lasso(), X, y, "alpha", alphas)
    centred = X.to_numpy() - X.to_numpy().mean(axis=0)
    theirs = lasso_path(centred, y - y.mean(), alphas=alphas)[1]
    np.testing.assert_allclose([curve[name] for name in X.columns], theirs, atol=1e-3)
    assert list(curve)[:3] == ["alpha", "nonzero", "age"]
    assert (curve["nonzero"] == (theirs != 0).sum(axis=0)).all()
    with pytest.raises(ValueError, match="10 coefficients by 1 names"):
        assess.coefficient_path(Lasso(), X, y, "alpha", alphas, feature_names=["a"])


# ------------------------------------------------------------------ search over any estimator

SEARCHES = [
    (Ridge(), {"alpha": [1e-3, 1e-1, 10.0]}, "numbers"),  # λ
    (Lasso(), {"alpha": [0.01, 0.1, 1.0]}, "numbers"),  # α
    (polynomial(), {"powers__degree": [0, 1, 2]}, "few numbers"),  # M
    (KNeighborsRegressor(), {"n_neighbors": [1, 5, 25]}, "numbers"),  # k
    (KNeighborsClassifier(), {"n_neighbors": [1, 5, 25]}, "classes"),  # k
    (LogisticRegression(), {"C": [1e-3, 1.0, 100.0]}, "classes"),  # C
    (RegularizedDiscriminantAnalysis(), {"alpha": [0.0, 0.5, 1.0]}, "classes"),  # α
    (BernoulliNB(binarize=2.0), {"alpha": [0.1, 1.0, 100.0]}, "classes"),  # α
    (
        SGDClassifier(max_iter=30, tol=None, random_state=0),
        {"eta0": [1e-4, 1e-2], "learning_rate": ["constant"]},
        "classes",
    ),  # step
    (Perceptron(max_iter=20, random_state=0), {"eta0": [0.1, 1.0]}, "classes"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.mission("EV-25")
@pytest.mark.parametrize("how", ["folds", "hold-out"])
@pytest.mark.parametrize("estimator, grid, kind", SEARCHES, ids=lambda v: type(v).__name__)
def test_grid_search_takes_every_estimator_chooses_by_its_score_and_fits_again(estimator, grid, kind, how):
    X, y = load_iris(return_X_y=True) if kind == "classes" else load_diabetes(return_X_y=True)
    X = X[:, 2:4] if kind == "few numbers" else X
    folds = assess.k_fold(y, 3, stratify=kind == "classes")
    cv = folds if how == "folds" else PredefinedSplit(np.where(np.isin(np.arange(len(y)), folds[0][1]), 0, -1))
    by = assess.MEASURES["accuracy" if kind == "classes" else "rmse"]
    search = GridSearchCV(estimator, grid, cv=cv, scoring=by.scorer()).fit(X, y)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    byhand = []
    for values in search.cv_results_["params"]:
        rounds = folds if how == "folds" else folds[:1]
        fits = [clone(estimator).set_params(**values).fit(X[train], y[train]) for train, _ in rounds]
        byhand.append(np.mean([by.of(fit, X[held], y[held]) for fit, (_, held) in zip(fits, rounds)]))
    assert search.best_params_ == search.cv_results_["params"][by.best(byhand)]
    whole = clone(estimator).set_params(**search.best_params_).fit(X, y)
    assert (search.best_estimator_.predict(X) == whole.predict(X)).all()
