"""Shapes and types that a script meets that was written for scikit-learn: those of its class of the same name."""

import subprocess
import sys
import warnings
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import decomposition, neighbors
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import DistanceMetric
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, cross_val_score

from separatrix import verify
from separatrix.decomposition import PCA
from separatrix.linear_model import (
    ElasticNet,
    ElasticNetCV,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RANSACRegressor,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
    enet_path,
    lasso_path,
)
from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsRegressor

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")


def rows(n=62, seed=0):
    """X (n, 4), a number, two classes and three; n is no multiple of five, so that folds differ in size."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    y = X @ [1.0, 2.0, 0.0, -1.0] + rng.standard_normal(n)
    return X, y, (y > 0.0).astype(int), np.digitize(y, [-1.0, 1.0])


X, NUMBER, TWO, THREE = rows()
REGRESSORS = ("LinearRegression", "Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV")
REGRESSORS += ("QuantileRegressor", "SGDRegressor")
CLASSIFIERS = ("RidgeClassifier", "RidgeClassifierCV", "LogisticRegression", "SGDClassifier", "Perceptron")
TARGETS = {
    "(n,)": lambda y: y,
    "(n, 1)": lambda y: y[:, None],
    "frame of one column": lambda y: pd.DataFrame({"target": y}),
}


def pair(name, **parameters):
    """Ours and scikit-learn's of a name, with the same parameters."""
    modules = import_module("separatrix.linear_model"), import_module("sklearn.linear_model")
    return [getattr(module, name)(**parameters) for module in modules]


def facts(model, X, *names):
    """Shape, and whether it is of numpy, of fitted attributes and of predictions."""
    values = [getattr(model, name) for name in names] + [model.predict(X)]
    return [(np.shape(v), isinstance(v, np.generic | np.ndarray)) for v in values]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", REGRESSORS)
def test_a_regressor_has_scikit_learns_shapes_whatever_the_shape_of_y(name, target):
    ours, theirs = (model.fit(X, TARGETS[target](NUMBER)) for model in pair(name))
    assert facts(ours, X, "coef_", "intercept_") == facts(theirs, X, "coef_", "intercept_")


@pytest.mark.parametrize("name", ("Ridge", "Lasso", "LinearRegression"))
def test_a_model_of_one_column_of_y_is_verified(name):
    model, _ = pair(name)
    assert verify(model.fit(X, NUMBER[:, None]), X, NUMBER[:, None]).converged


@pytest.mark.parametrize("y", [TWO, THREE, np.array(["no", "yes"])[TWO]], ids=["2", "3", "words"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_has_scikit_learns_shapes(name, intercept, y):
    ours, theirs = (model.fit(X, y) for model in pair(name, fit_intercept=intercept))
    assert facts(ours, X, "coef_", "intercept_") == facts(theirs, X, "coef_", "intercept_")


SINGLE = X.astype(np.float32)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["2", "3"])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegression(C=1e6),
        LogisticRegression(C=np.inf),
        LogisticRegression(C=0.1, l1_ratio=1.0),
        SGDClassifier(random_state=0),
        Perceptron(random_state=0),
        RidgeClassifier(),
    ],
    ids=repr,
)
def test_float32_stays_float32_in_classifiers(model, y):
    model.fit(SINGLE, y)
    scores = model.decision_function(SINGLE)
    assert model.coef_.dtype == np.asarray(model.intercept_).dtype == scores.dtype == np.float32


@pytest.mark.parametrize("y", [TWO, THREE], ids=["2", "3"])
@pytest.mark.parametrize("options", [{}, {"C": 1e6}, {"C": np.inf}, {"C": 0.1, "l1_ratio": 1.0}], ids=str)
def test_the_certificate_of_float32_is_that_of_the_published_numbers(options, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(**options).fit(SINGLE, y)
    again = verify(model, SINGLE, y)
    assert model.certificate_.converged and again.converged
    model.coef_ = model.coef_ * np.float32(1.001)
    assert not verify(model, SINGLE, y).converged


def test_float32_stays_float32_in_sgd_regression_naive_bayes_and_principal_components():
    assert SGDRegressor().fit(SINGLE, NUMBER).coef_.dtype == np.float32
    bayes = GaussianNB().fit(SINGLE, TWO)
    axes = PCA().fit(SINGLE)
    for model, names in ((bayes, ("theta_", "var_")), (axes, ("components_", "mean_", "explained_variance_"))):
        assert {getattr(model, name).dtype for name in names} == {np.dtype(np.float32)}
        assert model.certificate_.converged
    assert axes.singular_values_.dtype == axes.explained_variance_ratio_.dtype == np.float32
    assert verify(bayes, SINGLE, TWO).converged and verify(axes, SINGLE).converged
    assert_allclose(axes.components_, PCA().fit(SINGLE.astype(np.float64)).components_, atol=1e-6)


def test_a_row_may_have_several_labels_in_a_ridge_classifier():
    Y = np.column_stack([TWO, 1 - TWO, THREE > 0]).astype(int)
    for name in ("RidgeClassifier", "RidgeClassifierCV"):
        ours, theirs = (model.fit(X, Y) for model in pair(name))
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-12)
        assert_array_equal(ours.classes_, theirs.classes_)
        assert verify(ours, X, Y).converged
    chosen = RidgeClassifierCV(alphas=[0.1, 1e4], scoring="accuracy").fit(X, Y)
    assert chosen.alpha_ == 0.1
    assert RidgeClassifierCV(alphas=[0.1, 1e4], cv=3).fit(X, sp.csr_matrix(Y)).alpha_ == 0.1


def test_rows_of_several_labels_have_no_class_weights():
    with pytest.raises(ValueError, match="several labels"):
        RidgeClassifier(class_weight="balanced").fit(X, np.column_stack([TWO, 1 - TWO]))


@pytest.mark.parametrize("model", [GaussianNB(), BernoulliNB(), MultinomialNB(), CategoricalNB()], ids=repr)
def test_naive_bayes_is_sure_of_the_only_class(model):
    counts = np.abs(X).round()
    model.fit(counts, np.full(len(X), "only"))
    assert_array_equal(model.predict_proba(counts), np.ones((len(X), 1)))
    assert set(model.predict(counts)) == {"only"}
    again = type(model)().partial_fit(counts, np.full(len(X), "only"), classes=["only"])
    assert_array_equal(again.classes_, ["only"])


@pytest.mark.parametrize(
    "model",
    [GaussianNB(), LogisticRegression(), LogisticRegression(l1_ratio=0.5), RidgeClassifier(), Perceptron()],
    ids=repr,
)
def test_bagging_may_draw_one_class(model):
    y = np.r_[0, np.ones(19, dtype=int)]
    bagged = BaggingClassifier(model, n_estimators=20, max_samples=0.2, random_state=0).fit(X[:20], y)
    assert bagged.predict_proba(X).shape == (len(X), 2)
    assert any(set(y[drawn]) == {1} for drawn in bagged.estimators_samples_)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["2", "3"])
@pytest.mark.parametrize("only", [0, 1])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegression(C=np.inf),
        LogisticRegression(C=0.1, l1_ratio=1.0),
        LogisticRegression(warm_start=True),
        LogisticRegressionCV(Cs=3, cv=3),
        RidgeClassifier(),
        RidgeClassifierCV(),
    ],
    ids=repr,
)
def test_where_weights_leave_one_class_it_is_sure(model, only, y):
    s = (y == only).astype(float)
    theirs = getattr(sklearn.linear_model, type(model).__name__)().fit(X, y, s)
    for _ in range(1 + bool(model.get_params().get("warm_start"))):
        model.fit(X, y, s)
    assert_array_equal(model.classes_, theirs.classes_)
    assert set(model.predict(X)) == {only} and not model.coef_.any()
    assert model.coef_.shape == theirs.coef_.shape
    if isinstance(model, LogisticRegression):
        assert model.predict_proba(X)[:, only].min() == 1.0
    assert model.certificate_.converged and verify(model, X, y, s).converged
    model.coef_ = model.coef_ + 1.0
    assert not verify(model, X, y, s).converged or model.get_params().get("C") == np.inf


def test_one_label_is_refused_with_or_without_weights():
    for s in (None, np.arange(len(X)) % 2):
        with pytest.raises(ValueError, match="to one class"):
            LogisticRegression().fit(X, np.ones(len(X)), s)


@pytest.mark.parametrize("model", [LogisticRegression(C=0.1, l1_ratio=1.0), SGDClassifier(), Perceptron()], ids=repr)
def test_sparse_coefficients_predict_the_same(model):
    model.fit(X, THREE)
    dense, scores = model.coef_, model.decision_function(X)
    assert sp.issparse(model.sparsify().coef_)
    assert_array_equal(model.decision_function(X), scores)
    assert_array_equal(model.decision_function(sp.csr_matrix(X)).round(9), scores.round(9))
    assert_array_equal(model.densify().coef_, dense)
    assert_array_equal(SGDRegressor().fit(X, NUMBER).sparsify().densify().coef_.shape, (4,))


@pytest.mark.skipif("sparse_interface" not in sklearn.get_config(), reason="an option since scikit-learn 1.9")
@pytest.mark.parametrize("interface, kind", [("sparray", sp.csr_array), ("spmatrix", sp.csr_matrix)])
def test_sparse_coefficients_are_of_the_kind_that_scikit_learn_is_set_to(interface, kind):
    for model, y in ((ElasticNet(), NUMBER), (LogisticRegression(), THREE), (SGDRegressor(), NUMBER)):
        model.fit(X, y)
        dense, before = model.coef_, model.predict(X)
        with sklearn.config_context(sparse_interface=interface):
            coefficients = model.sparse_coef_ if isinstance(model, ElasticNet) else model.sparsify().coef_
        assert type(coefficients) is kind
        assert_array_equal(coefficients.toarray(), np.atleast_2d(dense))
        assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("path", [lasso_path, enet_path])
def test_the_number_of_strengths_may_be_said_as_before(path):
    with pytest.warns(FutureWarning, match="n_alphas"):
        alphas, *_ = path(X, NUMBER, n_alphas=7)
    assert_array_equal(alphas, path(X, NUMBER, alphas=7)[0])
    with pytest.warns(FutureWarning, match="alphas=None"):
        assert len(path(X, NUMBER, alphas=None)[0]) == 100
    with pytest.warns(FutureWarning):
        assert_array_equal(path(X, NUMBER, n_alphas=7, alphas=[1.0, 0.5])[0], [1.0, 0.5])


def test_making_a_model_leaves_scikit_learn_as_it_was():
    script = """
from sklearn.linear_model import LinearRegression as Theirs
from separatrix.linear_model import LinearRegression
LinearRegression()
assert not issubclass(LinearRegression, Theirs)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_ransac_takes_our_least_squares():
    assert RANSACRegressor(LinearRegression(), random_state=0).fit(X, NUMBER).inlier_mask_.shape == (len(X),)


@pytest.mark.parametrize("model", [LassoCV(cv=3), ElasticNetCV(cv=3, l1_ratio=1.0)], ids=repr)
def test_weights_of_one_change_nothing_in_a_search(model):
    """Ten rows in three folds, where folds of different size had different weights."""
    rng = np.random.RandomState(0)
    A = rng.rand(10, 5)
    y = A.sum(axis=1) + rng.rand(10)
    chosen = model.fit(A, y).alpha_
    assert model.fit(A, y, sample_weight=np.ones(10)).alpha_ == pytest.approx(chosen, rel=1e-12)
    assert model.fit(A, y, sample_weight=123.0).alpha_ == pytest.approx(chosen, rel=1e-12)


def test_a_fold_without_weight_has_no_say():
    s = np.ones(60)
    s[:12] = 0.0
    weighted = LassoCV().fit(X[:60], NUMBER[:60], s)
    folds = [(np.r_[:a, a + 12 : 60], np.arange(a, a + 12)) for a in range(12, 60, 12)]
    rest = LassoCV(cv=[(train[train >= 12] - 12, test - 12) for train, test in folds], alphas=weighted.alphas_)
    assert weighted.alpha_ == rest.fit(X[12:60], NUMBER[12:60]).alpha_


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("per_target", [False, True])
def test_ridge_is_chosen_by_any_score_as_scikit_learn_does(scoring, per_target):
    Y = np.column_stack([NUMBER, X[:, 2] + 0.1 * NUMBER])
    options = {"alphas": [0.01, 1.0, 30.0, 1e3], "scoring": scoring, "alpha_per_target": per_target}
    ours, theirs = (model.fit(X, Y) for model in pair("RidgeCV", store_cv_results=True, **options))
    assert_allclose(ours.alpha_, theirs.alpha_)
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-8)
    assert_allclose(ours.cv_results_, theirs.cv_results_, rtol=1e-6, atol=1e-9)


def test_brier_scores_take_words():
    y = np.array(["a", "b"])[np.r_[np.zeros(31, int), np.ones(31, int)]]
    model = LogisticRegressionCV(
        Cs=3, scoring="neg_brier_score", cv=LeaveOneGroupOut().split(X, y, np.arange(62) // 16)
    )
    assert np.isfinite(next(iter(model.fit(X, y).scores_.values()))).all()


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


SEARCHES = [LassoCV(), ElasticNetCV(), RidgeCV(), RidgeClassifierCV(), LogisticRegressionCV(Cs=3)]


@pytest.mark.parametrize("model", SEARCHES, ids=lambda model: type(model).__name__)
def test_groups_reach_the_splitter(model, routing):
    groups = np.arange(len(X)) % 7
    y = TWO if "Class" in type(model).__name__ or "Log" in type(model).__name__ else NUMBER
    routed = sklearn.clone(model).set_params(cv=GroupKFold(3)).fit(X, y, groups=groups)
    told = sklearn.clone(model).set_params(cv=list(GroupKFold(3).split(X, y, groups))).fit(X, y)
    assert_array_equal(routed.coef_, told.coef_)


@pytest.mark.parametrize("model", SEARCHES, ids=lambda model: type(model).__name__)
def test_groups_are_refused_where_nothing_is_routed(model):
    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        model.fit(X, TWO, groups=np.zeros(len(X)))


def test_distances_may_be_given():
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    for given, plain in (
        (KNeighborsClassifier(metric="precomputed"), KNeighborsClassifier()),
        (KNeighborsRegressor(metric="precomputed"), KNeighborsRegressor()),
        (RadiusNeighborsRegressor(1.5, metric="precomputed"), RadiusNeighborsRegressor(1.5)),
    ):
        assert_array_equal(given.fit(D, TWO).predict(D[:9]), plain.fit(X, TWO).predict(X[:9]))
        assert_array_equal(given.predict(None), plain.predict(None))
    assert_allclose(
        cross_val_score(KNeighborsClassifier(metric="precomputed"), D, TWO),
        cross_val_score(KNeighborsClassifier(), X, TWO),
    )
    graph = KNeighborsClassifier().fit(X, TWO).kneighbors_graph(X, 5, mode="distance")
    assert isinstance(graph, sp.csr_matrix)
    assert_array_equal(
        KNeighborsClassifier(metric="precomputed").fit(sp.csr_matrix(D), TWO).predict(graph),
        KNeighborsClassifier().fit(X, TWO).predict(X),
    )
    with pytest.raises(ValueError, match="5 neighbors"):
        KNeighborsClassifier(6, metric="precomputed").fit(D, TWO).predict(graph)
    with pytest.raises(ValueError, match="Negative"):
        KNeighborsClassifier(metric="precomputed").fit(-D, TWO)
    with pytest.raises(ValueError, match="square"):
        KNeighborsClassifier(metric="precomputed").fit(D[:5], TWO[:5])


@pytest.mark.parametrize("metric", ["haversine", "nan_euclidean", DistanceMetric.get_metric("euclidean")])
def test_metrics_of_scikit_learn(metric):
    places = np.ascontiguousarray(X[:, :2] / 4.0)
    if metric == "nan_euclidean":
        places[::7, 0] = np.nan
    options = {"metric": metric, "algorithm": "brute"}
    ours = KNeighborsRegressor(**options).fit(places, NUMBER).predict(places)
    theirs = neighbors.KNeighborsRegressor(**options).fit(places, NUMBER).predict(places)
    assert_allclose(ours, theirs, rtol=1e-12)


def test_missing_numbers_are_refused_by_other_metrics():
    with pytest.raises(ValueError, match="NaN"):
        KNeighborsClassifier().fit(np.where(X > 2.0, np.nan, X), TWO)


def test_priors_that_do_not_sum_to_one_are_divided_by_their_sum():
    for name, option in (("discriminant_analysis", "LinearDiscriminantAnalysis"),):
        ours = getattr(import_module(f"separatrix.{name}"), option)
        with pytest.warns(UserWarning, match="sum to 4"):
            scaled = ours(priors=[1.0, 3.0]).fit(X, TWO)
        assert_allclose(scaled.priors_, [0.25, 0.75])
    with pytest.warns(UserWarning, match="sum to 4"):
        scaled = BernoulliNB(class_prior=[1.0, 3.0]).fit(X, TWO)
    assert_allclose(scaled.predict_proba(X), BernoulliNB(class_prior=[0.25, 0.75]).fit(X, TWO).predict_proba(X))
    with pytest.raises(ValueError, match="sum"):
        GaussianNB(priors=[0.3, 0.3]).fit(X, TWO)  # as in scikit-learn


def test_a_class_of_weight_zero_is_never_predicted():
    weights = {0: 0.0, 1: 1.0, 2: 2.0}
    model = LogisticRegression(class_weight=weights).fit(X, THREE)
    assert set(model.predict(X)) == {1, 2}
    assert model.predict_proba(X)[:, 0].max() < 1e-290
    # one log-odds d has the penalty d²/2, two halves ±d/2 of it d²/4: the same problem with twice the C
    two = LogisticRegression(C=2.0, class_weight={1: 1.0, 2: 2.0}).fit(X[THREE > 0], THREE[THREE > 0])
    assert_allclose(model.coef_[2] - model.coef_[1], two.coef_[0], rtol=1e-5)
    assert model.certificate_.converged and verify(model, X, THREE).converged
    assert RidgeClassifier(class_weight=weights).fit(X, THREE).certificate_.converged


def test_no_iterations_leave_the_coefficients_where_they_start():
    model = LogisticRegression(max_iter=0).fit(X, THREE)
    assert not model.coef_.any() and model.n_iter_.tolist() == [0] and not model.certificate_.converged
    warm = LogisticRegression(warm_start=True).fit(X, TWO)
    before = warm.coef_.copy()
    assert_array_equal(warm.set_params(max_iter=0).fit(X, TWO).coef_, before)


def test_a_share_of_variance_that_is_just_reached_is_not_exceeded():
    for seed in range(40):
        A = np.random.default_rng(seed).standard_normal((30, 6))
        full = PCA().fit(A)
        share = float(full.explained_variance_ratio_[:3].sum())
        ours, theirs = PCA(share).fit(A).n_components_, decomposition.PCA(share).fit(A).n_components_
        assert ours == 4 or ours == theirs


def test_text_is_no_strength():
    for model in (
        LassoCV(alphas=(1.0, 1.0, "1")),
        RidgeCV(alphas=(1.0, 1.0, "1")),
        LogisticRegressionCV(Cs=(1.0, "1")),
    ):
        with pytest.raises(TypeError, match="must be made of numbers"):
            model.fit(X, TWO)


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree", "ball_tree"])
def test_distance_objects_go_with_every_algorithm(algorithm):
    metric = DistanceMetric.get_metric("manhattan")
    parameters = {"n_neighbors": 3, "metric": metric, "algorithm": algorithm}
    ours, theirs = KNeighborsRegressor(**parameters), neighbors.KNeighborsRegressor(**parameters)
    assert_allclose(ours.fit(X, NUMBER).predict(X), theirs.fit(X, NUMBER).predict(X), rtol=1e-12)


def test_whitening_leaves_the_covariance_that_of_the_data():
    """scikit-learn's is not: it scales the components once more than its transform does."""
    assert_allclose(PCA(whiten=True).fit(X).get_covariance(), np.cov(X.T), rtol=1e-12)
