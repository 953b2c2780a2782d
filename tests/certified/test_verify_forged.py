"""Forged models that agree with themselves, but not with the data: verify refutes each, or says what it did not see."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import PCA as TheirPCA
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.metrics.pairwise import linear_kernel

from separatrix import verify
from separatrix.calibration import LogisticCalibrator
from separatrix.core.certificate import likelihood_gap, mistakes, modified_score
from separatrix.decomposition import PCA
from separatrix.discriminant_analysis import (
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from separatrix.linear_model import (
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    QuantileRegressor,
    Ridge,
    RidgeCV,
)
from separatrix.solvers.principal_axes import signs
from separatrix.svm import SVC


def quietly(fit, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*args)


def test_a_small_gradient_is_never_called_a_gap():
    # the columns differ by 1e-8 of a second variable: along their difference the likelihood gains 31 % (Newton on
    # the two variables themselves), and the gradient of the fit without it is below 1e-8
    rng = np.random.default_rng(0)
    x, z = rng.standard_normal((2, 500))
    y = (2.0 * z + x + rng.logistic(size=500) > 0.0).astype(int)
    X = np.column_stack([x, x + 1e-8 * z])
    model = quietly(LogisticRegression(C=np.inf).fit, X, y)
    alone = LogisticRegression(C=np.inf).fit(X[:, :1], y)
    model.coef_, model.intercept_ = np.array([[alone.coef_[0, 0], 0.0]]), alone.intercept_
    certificate = verify(model, X, y)
    assert certificate.kind == "gap" and not certificate.converged and certificate.value > 0.31
    assert "recomputed from 500 rows" in certificate.message


def two_classes(n=100):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.standard_normal((n, 3)) + y[:, None] * [1.0, 0.5, 0.0], y


def test_a_direction_from_the_second_class_to_the_first_is_refuted():
    X, y = two_classes()
    model = FisherDiscriminant().fit(X, y)
    assert verify(model, X, y).converged
    model.coef_ = -model.coef_
    d = X @ model.coef_[0]
    model.threshold_ = model._place(d, y, None)
    model.intercept_ = np.array([-model.threshold_])
    model.training_error_ = np.mean((d + model.intercept_[0] >= 0.0) != (y == 1))
    assert not verify(model, X, y).converged


def few_rows():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [3, 30, 27])
    return rng.standard_normal((60, 4)) + y[:, None], y


def dependent():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 3)) + y[:, None]
    return np.column_stack([X, X[:, 0] + X[:, 1]]), y


@pytest.mark.parametrize("data", [few_rows, dependent])
def test_directions_that_take_the_pooled_covariance_are_held_to_it(data):
    X, y = data()
    model = quietly(QuadraticDiscriminantAnalysis(store_covariance=True).fit, X, y)
    assert verify(model, X, y).converged
    rank = model._spheres.ranks[0]
    for columns in (slice(None, rank), slice(rank, None)):
        forged = copy.deepcopy(model)
        spheres = forged._spheres
        if not spheres.maps[0][:, columns].size:
            continue
        spheres.maps[0][:, columns] *= 0.3
        spheres.log_determinants[0] -= 2.0 * spheres.maps[0][:, columns].shape[1] * np.log(0.3)
        assert not verify(forged, X, y).converged
    if rank < model._spheres.dimension:  # a direction of the class leans into those that its rows do not determine
        forged = copy.deepcopy(model)
        forged._spheres.maps[0][:, 0] += forged._spheres.maps[0][:, rank]
        assert not verify(forged, X, y).converged
    forged = copy.deepcopy(model)
    forged.covariance_[0] = 1.01 * forged.covariance_[0]
    assert not verify(forged, X, y).converged


@pytest.mark.parametrize("cls", [QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis])
def test_determinants_and_the_frame_of_dependent_columns_are_looked_at(cls):
    X, y = dependent()
    model = quietly(cls().fit, X, y)
    assert verify(model, X, y).converged and model._spheres.frame is not None
    forged = copy.deepcopy(model)
    forged._spheres.log_determinants[0] += 3.0
    assert not verify(forged, X, y).converged
    forged = copy.deepcopy(model)
    forged._spheres.frame *= 1.01  # of which covariances, axes and draws are made
    forged._spheres.log_determinants += 2.0 * 3 * np.log(1.01)
    assert not verify(forged, X, y).converged
    # nobody varies along (1, 1, 0, -1) within classes, but new rows may
    forged = copy.deepcopy(model)
    forged._spheres.maps[0][:, 0] += [1.0, 1.0, 0.0, -1.0]
    assert not verify(forged, X, y).converged


def nearly_dependent(closeness):
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    x, z2, z3 = rng.standard_normal((3, 400))
    return np.column_stack([x, x + closeness * (z2 + 2.0 * y), x + closeness * z3]), y


@pytest.mark.parametrize("closeness", [1e-2, 1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("share", [0.01, 0.3])
def test_coefficients_along_nearly_dependent_columns_are_determined(closeness, share):
    X, y = nearly_dependent(closeness)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert verify(model, X, y).converged
    difference = model.means_[1] - model.means_[0]
    axes = np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]) / closeness
    along = axes @ difference
    change = axes[0] * along[1] - axes[1] * along[0]  # at right angles to the difference of the means
    before = model.predict_proba(X)
    model.coef_ = model.coef_ + share * np.abs(model.coef_).max() * change / np.abs(change).max()
    model.intercept_ = -(model.means_.mean(axis=0) @ model.coef_.T)
    assert np.abs(model.predict_proba(X) - before).max() > 0.005
    assert not verify(model, X, y).converged


def test_intercepts_are_held_to_distances_not_to_the_size_of_coefficients():
    X, y = nearly_dependent(1e-7)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert verify(model, X, y).converged
    model.intercept_ = model.intercept_ + 1e-3
    assert not verify(model, X, y).converged


def three_classes():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    return rng.standard_normal((90, 3)) + y[:, None] * [1.0, -2.0, 0.5] + (y == 1)[:, None], y


@pytest.mark.parametrize("settings", [{}, {"n_components": 1, "reduced_rank": True}, {"shrinkage": "auto"}], ids=str)
@pytest.mark.parametrize("name", ["_center", "_sphered", "_means", "_sphere", "log_determinant_", "scalings_"])
def test_what_densities_of_linear_discriminants_are_made_of_is_looked_at(settings, name):
    X, y = three_classes()
    model = LinearDiscriminantAnalysis(**settings).fit(X, y)
    assert verify(model, X, y).converged
    value = getattr(model, name)
    if name == "_sphere":
        model._sphere = replace(value, T=1.01 * value.T)
    else:
        setattr(model, name, -value if name == "scalings_" else 1.01 * value)
    assert not verify(model, X, y).converged


def test_variates_of_dependent_columns_have_no_part_that_nobody_varies_along():
    X, y = dependent()
    for name in ("coef_", "scalings_"):
        model = quietly(LinearDiscriminantAnalysis().fit, X, y)
        assert verify(model, X, y).converged
        part = np.array([1.0, 1.0, 0.0, -1.0])
        if name == "coef_":
            model.coef_ = model.coef_ + part
            middle = 0.5 * (model.means_ + model.xbar_)
            model.intercept_ = np.log(model.priors_) - (middle * model.coef_).sum(axis=1)
        else:
            model.scalings_ = model.scalings_ + part[:, None]
        assert not verify(model, X, y).converged


@pytest.mark.parametrize("tamper", ["covariance", "log_likelihood", "edf", "total"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_evidence_of_a_likelihood_is_looked_at(k, tamper):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = np.digitize(X[:, 0] + rng.standard_normal(80), [0.0] if k == 2 else [-0.6, 0.6])
    model = LogisticRegression(C=np.inf, tol=1e-12).fit(X, y)
    theirs = Theirs(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
    likelihood = np.log(np.take_along_axis(theirs.predict_proba(X), y[:, None], axis=1)).sum()
    assert model.evidence_.log_likelihood == pytest.approx(likelihood, rel=1e-8)
    certificate = verify(model, X, y)
    assert certificate.converged and "evidence_" not in certificate.message.partition("not looked at")[2]
    honest = model.evidence_
    for factor in (1.01, np.nan):
        model.evidence_ = replace(honest, **{tamper: getattr(honest, tamper) * factor})
        assert not verify(model, X, y).converged


@pytest.mark.parametrize("tamper", ["unscaled", "rss", "edf", "total"])
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(3.0)], ids=str)
def test_the_evidence_of_least_squares_is_looked_at(model, tamper):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3)) + 5.0
    y = X @ [1.0, 2.0, 0.0] + rng.standard_normal(80)
    model.fit(X, y)
    assert verify(model, X, y).converged
    model.evidence_ = replace(model.evidence_, **{tamper: getattr(model.evidence_, tamper) * 1.01})
    certificate = verify(model, X, y)
    assert not certificate.converged


def test_what_a_search_chose_is_said_to_be_taken_on_trust():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 10))
    y = X[:, 0] + 2.0 * rng.standard_normal(60)
    model = RidgeCV(alphas=[0.1, 1.0, 10.0, 100.0]).fit(X, y)
    other = Ridge(alpha=0.1).fit(X, y)
    assert model.alpha_ != 0.1
    model.alpha_, model.coef_, model.intercept_ = 0.1, other.coef_, other.intercept_
    model._direct_fit = other._direct_fit
    certificate = verify(model, X, y)
    assert certificate.converged and "taken on trust: alpha_" in certificate.message


def other_axes(model, X, whole, kept):
    """The numbers of a PCA that keeps these axes of the whole decomposition, made by formulas of the variances."""
    n, p = X.shape
    variances = whole.explained_variance_[kept]
    rest, total = whole.explained_variance_.sum() - variances.sum(), whole.explained_variance_.sum()
    model.components_ = whole.components_[kept] * signs(whole.components_[kept].T)[:, None]
    model.explained_variance_, model.explained_variance_ratio_ = variances, variances / total
    model.singular_values_ = np.sqrt((n - 1) * variances)
    model.reconstruction_error_, model.noise_variance_ = rest * (n - 1) / n, rest / (min(n, p) - len(kept))
    return model


def test_an_axis_of_barely_less_variance_than_the_next_is_refuted(monkeypatch):
    X = np.random.default_rng(0).standard_normal((300, 150))
    model, whole = PCA(n_components=5).fit(X), TheirPCA().fit(X)
    certificate = verify(other_axes(model, X, whole, [0, 1, 2, 3, 4]), X)
    assert certificate.converged and "not proved" not in certificate.message
    for others in ([0, 1, 2, 3, 5], [0, 1, 2, 3, 6], [1, 0, 2, 3, 4]):
        assert not verify(other_axes(model, X, whole, others), X).converged
    monkeypatch.setattr("separatrix.estimators.recompute.axes.PROVED", 100)
    certificate = verify(other_axes(model, X, whole, [0, 1, 2, 3, 4]), X)
    assert certificate.converged and "searched for and not proved absent" in certificate.message


def test_signs_of_axes_are_those_promised():
    X = np.random.default_rng(0).standard_normal((50, 2))
    X[:, 1] += X[:, 0]
    for data in (X, (X - X.mean(axis=0)) / X.std(axis=0)):  # of the latter, loadings are of equal size
        model = PCA().fit(data)
        assert verify(model, data).converged
        model.components_ = model.components_ * np.array([[1.0], [-1.0]])
        assert not verify(model, data).converged


def test_a_certificate_prints_its_own_units():
    assert str(modified_score(1e-11, 1e-8)) == "certified: modified score in standard errors 1.0e-11 (tol 1e-08)"
    assert str(likelihood_gap(1e-11, 1e-10, 3)) == "certified: likelihood gap in nats per row 1.0e-11 (tol 1e-10)"
    assert str(mistakes(2, passes=5)) == "NOT certified: 2 mistakes in the last pass"


def test_verify_counts_rows_on_the_wrong_side_and_says_so():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] + 0.5 * rng.standard_normal(60) > 0.0).astype(int)
    model = quietly(Perceptron(max_iter=5, tol=None, random_state=0).fit, X, y)
    wrong = np.sum(model.predict(X) != y)
    assert str(verify(model, X, y)) == f"NOT certified: {wrong} rows on the wrong side"


def test_a_calibration_curve_is_held_to_its_gradient():
    X, y = two_classes()
    curve = LogisticCalibrator(method="likelihood").fit(X[:, 0], y)
    certificate = verify(curve, X[:, 0], y)
    assert certificate.converged and "relative gradient of the likelihood" in certificate.message
    curve.gamma_ *= 1.0001
    assert not verify(curve, X[:, 0], y).converged


@pytest.mark.parametrize("model", [Lasso(0.1), LogisticRegression(), QuantileRegressor(alpha=0.1)], ids=str)
def test_a_model_cannot_bring_a_looser_tolerance_than_the_default(model):
    X, y = two_classes()
    model.fit(X, y)
    assert verify(model, X, y).converged
    model.coef_ = 1.001 * model.coef_
    model.certificate_ = replace(model.certificate_, tolerance=1e300)
    again = verify(model, X, y)
    assert 1e-8 < again.value < 1e-3  # which a tolerance of 1e-3 would have passed
    assert again.tolerance == 1e-8 and not again.converged


def test_support_vectors_counted_under_another_class_are_refuted():
    # prediction cuts the coefficients into classes by these counts
    X, _ = two_classes(120)
    y = np.random.default_rng(1).choice(3, 120, p=[0.5, 0.3, 0.2])
    model = SVC().fit(X, y)
    assert verify(model, X, y).converged
    before = model.predict(X)
    model.n_support_ = model.n_support_[::-1].copy()
    assert (model.predict(X) != before).any()
    assert not verify(model, X, y).converged


@pytest.mark.parametrize("forged", [lambda rows: -rows, lambda rows: rows[::-1], lambda rows: np.nan * rows])
def test_rows_that_a_function_of_the_users_predicts_from_are_refuted_where_they_are_not_those_of_the_data(forged):
    X, y = two_classes()
    model = SVC(kernel=linear_kernel).fit(X, y)
    assert verify(model, X, y).converged
    model._fit_rows = forged(model._fit_rows)
    assert not verify(model, X, y).converged
