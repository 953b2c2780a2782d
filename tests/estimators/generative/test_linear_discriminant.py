"""Linear discriminant analysis: golden numbers, scikit-learn's answers, laws, and what it does with bad columns."""

import csv
import pickle
import warnings
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS, LedoitWolf
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Reference
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import SingularWithin
from separatrix.designs import base
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.linear_model import LeastSquaresClassifier, LogisticRegression
from separatrix.preprocessing import PolynomialFeatures

SETS = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer}


@parametrize_with_checks(
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
        LinearDiscriminantAnalysis(shrinkage=0.3, denominator="N-K", store_covariance=True),
        LinearDiscriminantAnalysis(reduced_rank=True),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def rows_with(means, covariance, shares=None):
    """Rows of classes whose means are these exactly, and whose pooled covariance (over N) is this."""
    p = len(covariance)
    star = np.vstack([np.linalg.cholesky(covariance).T, -np.linalg.cholesky(covariance).T]) * np.sqrt(p)
    X = np.vstack([m + star for m in np.asarray(means, dtype=float)])
    y = np.repeat(np.arange(len(means)), 2 * p)
    return X, y, None if shares is None else np.asarray(shares)[y]


def unequal(seed=0, n=240, p=4, k=3):
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    y[:k] = np.arange(k)
    A = rng.standard_normal((p, p))
    return rng.standard_normal((n, p)) @ A + 1.5 * rng.standard_normal((k, p))[y], y


# ------------------------------------------------------------------ golden numbers


@pytest.mark.mission("DA-01")
def test_two_classes_have_the_golden_weights_and_posterior():
    """G047: the posterior of the first class is that of our second, sigma(w.x + w0)."""
    X, y, s = rows_with([[-1, 1], [1, 0]], np.array([[2, 0.5], [0.5, 1]]), [0.7, 0.3])
    model = LinearDiscriminantAnalysis().fit(X, y, sample_weight=s)
    assert_allclose(model.coef_, [[1.428571429, -1.714285714]], atol=1e-9)
    assert_allclose(model.intercept_, [0.009844996756], atol=1e-9)
    assert_allclose(model.decision_function([[0.5, 0.5]]), [-0.1330121461], atol=1e-9)
    assert_allclose(model.predict_proba([[0.5, 0.5]])[0, 1], 0.4667959036, atol=1e-9)


@pytest.mark.mission("DA-02", "DA-10")
def test_discriminants_sphering_and_determinant_are_golden():
    """G084."""
    sigma, x = np.array([[2, 0.5], [0.5, 1]]), np.array([[1.0, 1.0]])
    X, y, s = rows_with([[0, 0], [2, 1], [-1, 2]], sigma, [0.5, 0.3, 0.2])
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y, sample_weight=s)
    assert_allclose(model.covariance_, sigma, atol=1e-14)
    delta = model.discriminants(x)
    assert_allclose(delta, [[-0.6931471806, -0.9182585186, -3.323723627]], atol=1e-9)
    assert model.predict(x) == 0
    assert_allclose(model.log_determinant_, 0.5596157879, atol=1e-9)
    nearest = -0.5 * ((model.sphere(x) - model.sphere(model.means_)) ** 2).sum(axis=1) + np.log(model.priors_)
    assert np.ptp(nearest - delta) < 1e-12
    assert np.ptp(model.decision_function(x) - delta) < 1e-12


@pytest.mark.mission("DA-03")
def test_estimates_are_golden_with_either_denominator():
    """G048; the notes print N1/N twice and leave out (1 - t)."""
    X, t = [[0, 0], [2, 0], [1, 3], [5, 5], [7, 6]], [1, 1, 1, 0, 0]
    likely = LinearDiscriminantAnalysis(store_covariance=True).fit(X, t)
    assert_allclose(likely.priors_, [0.4, 0.6])
    assert_allclose(likely.means_, [[6.0, 5.5], [1.0, 1.0]])
    assert_allclose(likely.covariance_, [[0.8, 0.2], [0.2, 1.3]], atol=1e-14)
    unbiased = LinearDiscriminantAnalysis(store_covariance=True, denominator="N-K").fit(X, t)
    assert_allclose(unbiased.covariance_, [[1.333333333, 0.3333333333], [0.3333333333, 2.166666667]], rtol=1e-9)


@pytest.mark.mission("DA-09")
@pytest.mark.parametrize("k, p, joint", [(2, 2, 8), (3, 4, 24), (11, 10, 175)])
def test_parameters_of_the_model_are_counted_as_golden(k, p, joint):
    """G051."""
    X, y = unequal(n=400, p=p, k=k)
    assert LinearDiscriminantAnalysis().fit(X, y).n_parameters_ == joint


@pytest.mark.mission("DA-09")
@pytest.mark.parametrize("k, p, boundary", [(2, 1, 2), (3, 4, 10), (11, 10, 110)])
def test_parameters_of_the_boundary_are_counted_as_golden(k, p, boundary):
    """G052."""
    X, y = unequal(n=400, p=p, k=k)
    assert LinearDiscriminantAnalysis().fit(X, y).n_boundary_parameters_ == boundary


@pytest.mark.mission("DA-09", "DA-11")
def test_reduced_rank_counts_the_places_of_centroids_in_a_plane():
    X, y = unequal(n=400, p=6, k=5)
    one = LinearDiscriminantAnalysis(n_components=1, reduced_rank=True).fit(X, y)
    assert one.n_boundary_parameters_ == 4 + (6 + 4 - 1)  # four offsets, a direction, and four places relative to it
    assert one.n_parameters_ == 6 + 9 + 21 + 4
    full = LinearDiscriminantAnalysis(n_components=4, reduced_rank=True).fit(X, y)
    assert (full.n_parameters_, full.n_boundary_parameters_) == (5 * 6 + 21 + 4, 4 * 7)


@pytest.mark.mission("DA-11")
def test_eigenvalues_of_reduced_rank_are_golden():
    """G105; its covariance of three unweighted centroids divides by two, ours weights each by 1/3."""
    W = np.array([[2, 0.3, 0], [0.3, 1, 0.2], [0, 0.2, 1.5]])
    M = np.array([[0, 0, 0], [2, 1, 0], [1, -1, 3.0]])
    X, y, _ = rows_with(M, W)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.eigenvalues_ * 3 / 2, [3.358953204, 0.569233511], atol=1e-8)
    assert model.scalings_.shape == (3, 2)
    v, centred = model.scalings_[:, 0], M - M.mean(axis=0)
    assert_allclose(v @ (centred.T @ centred / 2) @ v / (v @ W @ v), 3.358953204, atol=1e-8)
    assert_allclose(model.explained_variance_ratio_, [3.358953204 / 3.928186715, 0.569233511 / 3.928186715], rtol=1e-8)


@pytest.mark.mission("DA-16", "MC-06")
def test_the_middle_class_is_masked_by_least_squares_and_found_by_discriminants():
    """G044."""
    x = np.array([[-3.3], [-3], [-2.7], [-0.3], [0], [0.3], [2.7], [3], [3.3]])
    g = np.repeat([0, 1, 2], 3)
    assert (LinearDiscriminantAnalysis().fit(x, g).predict(x) != g).sum() == 0
    masked = LeastSquaresClassifier().fit(x, g).predict(x)
    assert (masked != g).sum() == 3


# ------------------------------------------------------------------ the vowels


def vowels(name):
    places = [f / "shared" / "data" / "esl" / f"vowel.{name}.csv" for f in Path(__file__).resolve().parents]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        pytest.skip("the vowel data are not here")
    with open(found) as file:
        table = np.array([[float(v) for v in row] for row in list(csv.reader(file))[1:]])
    return table[:, 1:], table[:, 0].astype(int)


def errors(model):
    model.fit(*vowels("train"))
    return [float(np.mean(model.predict(X) != y)) for X, y in (vowels("train"), vowels("test"))]


@pytest.mark.mission("DA-05", "EX-13")
@pytest.mark.parametrize(
    "model, golden, printed",
    [
        (LeastSquaresClassifier(), [0.4772727273, 0.6666666667], [0.48, 0.67]),
        (LinearDiscriminantAnalysis(), [0.3162878788, 0.5562770563], [0.32, 0.56]),
        (LogisticRegression(C=np.inf), [0.2234848485, 0.512987013], [0.22, 0.51]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_vowels_are_missed_as_often_as_the_table_says(model, golden, printed):
    """G082."""
    found = errors(model)
    assert_allclose(found, golden, atol=1e-6)
    assert_allclose(found, printed, atol=0.005)


@pytest.mark.mission("DA-11", "EX-13")
def test_two_variates_tell_unseen_vowels_apart_best_and_ten_are_all():
    by_rank = [errors(LinearDiscriminantAnalysis(n_components=q, reduced_rank=True)) for q in range(1, 11)]
    assert np.argmin([unseen for _, unseen in by_rank]) == 1
    assert by_rank[1][1] == pytest.approx(0.491, abs=5e-4)
    assert by_rank[9] == errors(LinearDiscriminantAnalysis())


# ------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("name", [*SETS, "digits"])
def test_scores_are_scikit_learns(name):
    X, y = ({**SETS, "digits": load_digits}[name])(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWithin)  # three pixels of the digits are always black
        ours = LinearDiscriminantAnalysis().fit(X, y)
    theirs = Reference(tol=1e-12).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-8, atol=1e-8)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-8 * np.abs(theirs.coef_).max())
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    signs = np.sign((ours.scalings_ * theirs.scalings_).sum(axis=0))
    assert_allclose(ours.transform(X), theirs.transform(X) * signs, atol=1e-8)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9)
    assert_allclose(ours.xbar_, theirs.xbar_, rtol=1e-12)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
@pytest.mark.parametrize("shrinkage", [None, 0.0, 0.2, 1.0, "auto"])
@pytest.mark.parametrize("name", SETS)
def test_shrunken_covariances_and_posteriors_are_scikit_learns(name, shrinkage, solver):
    X, y = SETS[name](return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = LinearDiscriminantAnalysis(solver=solver, shrinkage=shrinkage).fit(X, y)
    theirs = Reference(solver=solver, shrinkage=shrinkage).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-12)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    assert ours.certificate_.converged


def test_automatic_shrinkage_is_ledoit_and_wolfs_where_a_class_has_a_constant_column_or_one_member():
    X, y = unequal(n=60)
    X[y == 0, 2] = 5.0
    X, y = np.vstack([X, X[:1] + 1.0]), np.append(y, 7)
    ours = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    theirs = Reference(solver="lsqr", shrinkage="auto").fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-10)


@pytest.mark.parametrize("estimator", [OAS(), LedoitWolf()])
def test_a_covariance_estimator_is_fitted_to_each_class(estimator):
    X, y = load_iris(return_X_y=True)
    ours = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=estimator).fit(X, y)
    assert not hasattr(estimator, "covariance_")  # a parameter is left as it was
    theirs = Reference(solver="lsqr", covariance_estimator=estimator).fit(X, y)
    assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-10)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


def test_a_covariance_estimator_of_low_rank_is_inverted_where_it_can_be():
    class Flat:
        def fit(self, X):
            v = np.array([1.0, 2.0, 0.0, 1.0])
            self.covariance_ = np.outer(v, v) + np.diag([0.0, 0.0, 1.0, 1.0])

    X, y = unequal()
    with pytest.warns(SingularWithin, match="rank 3 of 4"):
        model = LinearDiscriminantAnalysis(covariance_estimator=Flat()).fit(X, y)
    Z = model.scalings_.T @ model._sphere.covariance() @ model.scalings_
    assert_allclose(Z, np.eye(len(Z)), atol=1e-10)


def test_a_covariance_estimator_and_shrinkage_or_weights_exclude_each_other():
    X, y = unequal()
    with pytest.raises(ValueError, match="only one of the two"):
        LinearDiscriminantAnalysis(covariance_estimator=OAS(), shrinkage=0.5).fit(X, y)
    with pytest.raises(ValueError, match="takes no weights"):
        LinearDiscriminantAnalysis(covariance_estimator=OAS()).fit(X, y, sample_weight=np.arange(len(y)) + 1.0)
    with pytest.raises(ValueError, match="covariance_ attribute"):
        LinearDiscriminantAnalysis(covariance_estimator=StandardScaler()).fit(X, y)
    with pytest.raises(ValueError, match="negative eigenvalue"):
        LinearDiscriminantAnalysis(covariance_estimator=Indefinite()).fit(X, y)


class Indefinite:
    def fit(self, X):
        self.covariance_ = np.eye(4) - 0.9 * np.ones((4, 4))


@pytest.mark.parametrize("p", [60, 300])
def test_more_columns_than_rows_give_scikit_learns_pseudo_inverse(p):
    X, y = unequal(n=40, p=p)
    with pytest.warns(SingularWithin):
        ours = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    theirs = Reference(store_covariance=True).fit(X, y)
    assert ours.rank_ == 37
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)
    assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-10 * np.abs(theirs.covariance_).max())
    assert ours.certificate_.converged


# ------------------------------------------------------------------ what the model is


@pytest.mark.mission("DA-10", "PR-06")
@pytest.mark.parametrize("denominator", ["N", "N-K"])
@pytest.mark.parametrize("shape", [{}, {"n": 30, "p": 50}], ids=["tall", "wide"])
@pytest.mark.filterwarnings("ignore::separatrix.core.errors.SingularWithin")
def test_sphered_rows_and_canonical_variates_have_the_identity_within_classes(denominator, shape):
    X, y = unequal(**shape)
    model = LinearDiscriminantAnalysis(denominator=denominator).fit(X, y)
    for Z in (model.sphere(X), model.transform(X)):
        centred = Z - np.array([Z[y == c].mean(axis=0) for c in range(3)])[y]
        N = len(X) - (3 if denominator == "N-K" else 0)
        assert_allclose(centred.T @ centred / N, np.eye(Z.shape[1]), atol=1e-9)
        assert_allclose(model.priors_ @ np.array([Z[y == c].mean(axis=0) for c in range(3)]), 0.0, atol=1e-10)


@pytest.mark.mission("DA-10")
def test_the_class_of_the_nearest_sphered_mean_is_the_most_probable_at_equal_priors():
    X, y = unequal()
    model = LinearDiscriminantAnalysis(priors=[1 / 3] * 3).fit(X, y)
    gaps = model.sphere(X)[:, None] - model.sphere(model.means_)
    assert_array_equal((gaps**2).sum(axis=2).argmin(axis=1), model.predict(X))


@pytest.mark.mission("DA-11", "PR-06")
def test_variates_solve_the_generalised_eigenproblem_and_are_signed():
    X, y = unequal(p=5, k=4)
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    D = model.means_ - model.xbar_
    B, V = (D.T * model.priors_) @ D, model.scalings_
    assert_allclose(B @ V, model.covariance_ @ V * model.eigenvalues_, atol=1e-10)
    assert (np.diff(model.eigenvalues_) < 0.0).all()
    assert (V[np.abs(V).argmax(axis=0), np.arange(3)] > 0.0).all()


@pytest.mark.mission("DA-15")
def test_priors_move_the_boundary_and_nothing_else():
    X, y = unequal(k=2)
    for options in ({}, {"shrinkage": 0.4}, {"shrinkage": "auto"}):
        first = LinearDiscriminantAnalysis(priors=[0.5, 0.5], **options).fit(X, y)
        second = LinearDiscriminantAnalysis(priors=[0.1, 0.9], **options).fit(X, y)
        assert_allclose(second.coef_, first.coef_, rtol=1e-10)
        assert_allclose(second.intercept_ - first.intercept_, np.log(9.0), rtol=1e-9)


def test_a_class_of_prior_zero_is_never_predicted():
    X, y = unequal()
    model = LinearDiscriminantAnalysis(priors=[0.5, 0.0, 0.5]).fit(X, y)
    assert set(model.predict(X)) == {0, 2}
    assert (model.predict_proba(X)[:, 1] == 0.0).all()


@pytest.mark.parametrize(
    "priors, words", [([0.5, 0.5], "3 classes"), ([0.0, 0.0, 0.0], "sum"), ([1.5, 0, -0.5], "0, 1")]
)
def test_priors_that_are_none_are_refused(priors, words):
    with pytest.raises(ValueError, match=words):
        LinearDiscriminantAnalysis(priors=priors).fit(*unequal())


@pytest.mark.mission("DA-17")
def test_discriminants_of_squares_have_a_quadratic_boundary():
    """A class inside a ring of another: no line tells them apart, LDA on (x1, x2, x1², x1x2, x2²) does (BE-12)."""
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 400), np.repeat([0.5, 2.0], 200) + 0.1 * rng.standard_normal(400)
    X, y = np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None], np.repeat([0, 1], 200)
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) < 0.7
    squares = PolynomialFeatures(2, include_bias=False)
    model = LinearDiscriminantAnalysis().fit(squares.fit_transform(X), y)
    assert model.score(squares.transform(X), y) == 1.0
    circle = X / radius[:, None]
    assert (model.predict(squares.transform(0.8 * circle)) == 0).all()
    assert (model.predict(squares.transform(1.8 * circle)) == 1).all()


@pytest.mark.mission("DA-17")
def test_the_two_ways_to_a_quadratic_boundary_differ_little():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 3000)
    spread = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.3, 0.0], [0.6, 0.7]], [[0.7, 0.0], [-0.4, 1.2]]])
    X = np.einsum("ij,ijk->ik", rng.standard_normal((3000, 2)), spread[y]) + np.array([[0, 0], [2.5, 1], [-1, 2.5]])[y]
    squares = PolynomialFeatures(2, include_bias=False)
    ours = LinearDiscriminantAnalysis().fit(squares.fit_transform(X), y).predict(squares.transform(X))
    theirs = QuadraticDiscriminantAnalysis().fit(X, y).predict(X)
    straight = LinearDiscriminantAnalysis().fit(X, y).predict(X)
    squared, quadratic, linear = ((found != y).mean() for found in (ours, theirs, straight))
    assert abs(squared - quadratic) < 0.5 * (linear - quadratic)


@pytest.mark.mission("DA-18")
def test_separable_classes_need_not_be_separated():
    x = np.array([[0.0], [0.1], [0.2], [20.0], [20.5], [30.0], [90.0], [99.0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    assert (LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit(x, y).predict(x) != y).sum() > 0
    assert (LogisticRegression(C=1e6).fit(x, y).predict(x) == y).all()


@pytest.mark.mission("DA-16")
def test_two_normal_classes_are_told_apart_much_as_by_logistic_regression():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    X = rng.standard_normal((4000, 2)) + np.outer(y, [1.0, -0.5])
    ours, theirs = LinearDiscriminantAnalysis().fit(X, y), LogisticRegression(C=np.inf).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=0.1)
    assert (ours.predict(X) != theirs.predict(X)).mean() < 0.01


# ------------------------------------------------------------------ densities and draws


@pytest.mark.parametrize("k", [2, 3])
def test_densities_are_those_of_scipy(k):
    X, y = unequal(k=k)
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    wanted = np.column_stack(
        [multivariate_normal(m, model.covariance_).logpdf(X) + np.log(p) for m, p in zip(model.means_, model.priors_)]
    )
    joint = model.predict_joint_log_proba(X)
    assert_allclose(joint, wanted, rtol=1e-10, atol=1e-10)
    assert_allclose(model.score_samples(X), np.log(np.exp(wanted).sum(axis=1)), rtol=1e-10)
    assert_allclose(joint - model.score_samples(X)[:, None], model.predict_log_proba(X), atol=1e-9)


def test_draws_have_the_means_and_covariance_of_the_model():
    X, y = unequal()
    model = LinearDiscriminantAnalysis(store_covariance=True).fit(X, y)
    drawn, labels = model.sample(60_000, random_state=0)
    again = LinearDiscriminantAnalysis(store_covariance=True).fit(drawn, labels)
    assert_allclose(again.priors_, model.priors_, atol=0.01)
    spread = np.sqrt(np.diag(model.covariance_))
    assert_allclose((again.means_ - model.means_) / spread, 0.0, atol=0.05)
    assert_allclose((again.covariance_ - model.covariance_) / np.outer(spread, spread), 0.0, atol=0.05)
    assert_array_equal(drawn, model.sample(60_000, random_state=0)[0])


@pytest.mark.mission("DA-11")
def test_reduced_rank_is_the_rule_of_the_nearest_mean_among_the_first_variates():
    X, y = unequal(p=6, k=5, n=600)
    model = LinearDiscriminantAnalysis(n_components=2, reduced_rank=True).fit(X, y)
    Z, M = model.transform(X), model.transform(model.means_)
    scores = -0.5 * ((Z[:, None] - M) ** 2).sum(axis=2) + np.log(model.priors_)
    assert_array_equal(scores.argmax(axis=1), model.predict(X))
    posterior = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(X), posterior, rtol=1e-9, atol=1e-15)
    joint = model.predict_joint_log_proba(X)
    assert_allclose(joint - model.score_samples(X)[:, None], np.log(posterior), atol=1e-8)
    assert np.ptp(model.discriminants(X) - model.decision_function(X), axis=1).max() < 1e-9
    drawn, labels = model.sample(20_000, random_state=0)
    means = model.transform(np.array([drawn[labels == c].mean(axis=0) for c in range(5)]))
    assert_allclose(means, M, atol=0.15)
    whole = LinearDiscriminantAnalysis().fit(X, y)
    assert (whole.predict(X) != model.predict(X)).any()
    # what n_components alone changes is the transformation
    assert_array_equal(LinearDiscriminantAnalysis(n_components=2).fit(X, y).predict(X), whole.predict(X))


# ------------------------------------------------------------------ columns that do not vary


def test_a_duplicated_column_changes_nothing_and_is_named():
    X, y = unequal()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    frame = pd.DataFrame(np.column_stack([X, 3.0 * X[:, 1] - 2.0]), columns=["a", "b", "c", "d", "copy"])
    with pytest.warns(SingularWithin, match="rank 4 of 5 columns; (b|copy) is determined by") as said:
        model = LinearDiscriminantAnalysis().fit(frame, y)
    assert said[0].message.telling == [] and said[0].filename == __file__
    assert_allclose(model.decision_function(frame), plain.decision_function(X), atol=1e-10)
    assert_allclose(model.transform(frame), plain.transform(X), atol=1e-10)
    assert_allclose(np.abs(model.coef_[:, 1]), 3.0 * np.abs(model.coef_[:, 4]), rtol=1e-9)  # the effect is shared
    drawn, _ = model.sample(10, random_state=0)
    assert_allclose(drawn[:, 4], 3.0 * drawn[:, 1] - 2.0, atol=1e-10)
    assert_allclose(Reference(tol=1e-10).fit(frame, y).coef_, model.coef_, atol=1e-9)


def test_a_constant_column_has_no_weight_and_is_named():
    X, y = unequal()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    wide = np.insert(X, 2, 7.7, axis=1)
    with pytest.warns(SingularWithin, match="x2 is constant within every class") as said:
        model = LinearDiscriminantAnalysis().fit(wide, y)
    assert said[0].message.telling == []
    assert_allclose(model.decision_function(wide), plain.decision_function(X), atol=1e-11)
    assert_allclose(model.score_samples(wide), plain.score_samples(X), atol=1e-10)
    assert (model.coef_[:, 2] == 0.0).all()


def test_a_column_that_gives_the_class_away_is_said_to():
    X, y = unequal()
    with pytest.warns(SingularWithin, match="But x4 differs between classes.*it has no density") as said:
        LinearDiscriminantAnalysis().fit(np.column_stack([X, 10.0 * y]), y)
    assert said[0].message.telling == ["x4"] and said[0].message.constant == ["x4"]
    with pytest.warns(SingularWithin) as said:
        LinearDiscriminantAnalysis().fit(np.column_stack([X, 100.0 + 1e-6 * y]), y)
    assert said[0].message.telling == ["x4"]
    shifted = np.column_stack([X, X[:, 0] + y])  # neither column gives the class away, their difference does
    with pytest.warns(SingularWithin, match="would tell classes apart") as said:
        model = LinearDiscriminantAnalysis().fit(shifted, y)
    assert said[0].message.constant == [] and len(said[0].message.telling) == 1
    assert_allclose(model.decision_function(shifted), Reference(tol=1e-10).fit(shifted, y).decision_function(shifted))


@pytest.mark.filterwarnings("ignore::separatrix.core.errors.SingularWithin")
def test_the_order_and_units_of_dependent_columns_do_not_show():
    X, y = unequal()
    X = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 2] + y])
    model = LinearDiscriminantAnalysis().fit(X, y)
    order, units = np.array([5, 2, 0, 4, 1, 3]), np.array([1e3, 1, 1e-3, 7, 1, 1e2])
    other = LinearDiscriminantAnalysis().fit(X[:, order] * units, y)
    assert_allclose(other.decision_function(X[:, order] * units), model.decision_function(X), atol=1e-9)
    assert_allclose(other.coef_ * units, model.coef_[:, order], rtol=1e-8, atol=1e-10)


def test_shrinkage_needs_no_rank():
    X, y = unequal(n=20, p=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearDiscriminantAnalysis(shrinkage=1e-6).fit(X, y)
    assert model.rank_ == 40 and model.certificate_.converged


def test_a_class_of_one_member_lives_on_the_scatter_of_the_others():
    X, y = unequal()
    X, y = np.vstack([X, 9.0 + X[:1]]), np.append(y, 5)
    model = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.decision_function(X), Reference().fit(X, y).decision_function(X), atol=1e-8)
    assert model.predict(X[-1:]) == 5


def test_only_classes_of_one_member_are_refused():
    with pytest.raises(ValueError, match="every class has one member only"):
        LinearDiscriminantAnalysis().fit(np.random.default_rng(0).standard_normal((4, 2)), [0, 1, 2, 3])
    with pytest.raises(ValueError, match="no column varies within any class"):
        LinearDiscriminantAnalysis().fit(np.repeat(np.eye(3), 2, axis=0), [0, 0, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="no degrees of freedom"):
        X, y = unequal(n=5)
        LinearDiscriminantAnalysis(denominator="N-K").fit(X, y, sample_weight=np.full(5, 0.1))


@pytest.mark.parametrize(
    "options, words",
    [
        ({"n_components": 3}, r"min\(n_features, n_classes - 1\)"),
        ({"n_components": 0}, r"\[1, inf\)"),
        ({"shrinkage": 1.5}, r"\[0, 1\]"),
        ({"shrinkage": "some"}, "'auto'"),
        ({"solver": "qr"}, "'svd'"),
        ({"denominator": "n"}, "'N-K'"),
        ({"tol": -1.0}, "tol"),
        ({"reduced_rank": 2}, "reduced_rank"),
    ],
)
def test_parameters_out_of_range_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        LinearDiscriminantAnalysis(**options).fit(*unequal())


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("options", [{}, {"shrinkage": "auto"}, {"shrinkage": 0.5}, {"covariance_estimator": OAS()}])
def test_a_number_that_is_none_is_found_in_the_sums(bad, options, monkeypatch):
    monkeypatch.setattr("separatrix.estimators.validation.UNREAD", 1)
    X, y = unequal()
    X[77, 2] = bad
    with pytest.raises(ValueError, match="Input X contains"):
        LinearDiscriminantAnalysis(**options).fit(X, y)


# ------------------------------------------------------------------ numbers


def test_nearly_dependent_columns_keep_the_digits_that_the_data_have():
    """Correlation 1 - 1e-12, exact rational moments by mpmath; scikit-learn drops the direction."""
    rng = np.random.default_rng(0)
    u, v, y = rng.standard_normal(40), rng.standard_normal(40), np.arange(40) % 2
    X = np.column_stack([u + 100.0, u + 1e-6 * (v + y) + 50.0])
    with mpmath.workdps(60):
        rows = mpmath.matrix(X.tolist())
        means = [[mpmath.fsum(rows[i, j] for i in range(40) if y[i] == c) / 20 for j in (0, 1)] for c in (0, 1)]
        dev = [[rows[i, j] - means[y[i]][j] for j in (0, 1)] for i in range(40)]
        S = mpmath.matrix([[mpmath.fsum(d[a] * d[b] for d in dev) / 40 for b in (0, 1)] for a in (0, 1)])
        w = mpmath.lu_solve(S, mpmath.matrix([means[1][j] - means[0][j] for j in (0, 1)]))
        exact = [float(w[0]), float(w[1])]
        middle = [(means[0][j] + means[1][j]) / 2 for j in (0, 1)]
        score = [float(mpmath.fsum(w[j] * (rows[i, j] - middle[j]) for j in (0, 1))) for i in range(40)]
    model = LinearDiscriminantAnalysis().fit(X, y)
    # the condition of the columns is 1e6 and they lie 50 deviations from zero: ten digits are lost at most
    assert_allclose(model.coef_[0], exact, rtol=1e-7)
    assert_allclose(model.decision_function(X), score, atol=2e-7)
    assert model.certificate_.converged


def test_float32_rows_give_float32_numbers_of_double_sums():
    X, y = unequal()
    single = LinearDiscriminantAnalysis(store_covariance=True).fit(X.astype(np.float32), y)
    double = LinearDiscriminantAnalysis().fit(X.astype(np.float32).astype(np.float64), y)
    for name in ("coef_", "intercept_", "means_", "scalings_", "xbar_", "covariance_"):
        assert getattr(single, name).dtype == np.float32, name
    assert_allclose(single.coef_, double.coef_, rtol=1e-6)
    assert single.transform(X.astype(np.float32)).dtype == np.float32


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), block=st.integers(40, 4000), k=st.integers(2, 5), p=st.integers(1, 6))
def test_rows_in_any_order_and_blocks_of_any_size_give_the_same_answer(seed, block, k, p):
    X, y = unequal(seed, n=120, p=p, k=k)
    model = LinearDiscriminantAnalysis().fit(X, y)
    order = np.random.default_rng(seed).permutation(len(X))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BLOCK_NUMBERS", block)
        patch.setenv("SEPARATRIX_THREADS", "3")
        other = LinearDiscriminantAnalysis().fit(np.asfortranarray(X[order]), y[order])
    assert_allclose(other.decision_function(X), model.decision_function(X), rtol=1e-8, atol=1e-8)
    assert_allclose(np.abs(other.transform(X)), np.abs(model.transform(X)), atol=1e-6)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), option=st.sampled_from([{}, {"shrinkage": "auto"}, {"denominator": "N-K"}]))
def test_a_weight_is_a_repetition(seed, option):
    X, y = unequal(seed, n=60)
    s = np.random.default_rng(seed).integers(0, 4, 60)
    s[:3] = 2
    weighted = LinearDiscriminantAnalysis(**option).fit(X, y, sample_weight=s)
    repeated = LinearDiscriminantAnalysis(**option).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-8, atol=1e-8)
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-8)


def test_posteriors_do_not_mind_where_the_origin_lies():
    X, y = unequal()
    model, far = LinearDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis().fit(X + 2.0**20, y)
    assert_allclose(far.predict_proba(X + 2.0**20), model.predict_proba(X), atol=1e-7)


def test_the_certificate_is_of_the_system_and_would_see_a_wrong_answer(monkeypatch):
    X, y = unequal()
    good = LinearDiscriminantAnalysis().fit(X, y).certificate_
    assert good.kind == "residual" and good.converged and "rank 4 of 4" in good.message
    from separatrix.solvers.linalg.sphering import Sphere

    honest = Sphere.loadings
    monkeypatch.setattr(Sphere, "loadings", lambda self, V: 1.001 * honest(self, V))
    with pytest.warns(match="Not certified"):
        assert not LinearDiscriminantAnalysis().fit(X, y).certificate_.converged


def test_a_fitted_model_survives_pickling_frames_and_a_second_fit():
    X, y = unequal()
    model = LinearDiscriminantAnalysis(store_covariance=True).set_output(transform="pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    model.fit(frame, y)
    shown = model.transform(frame)
    assert list(shown.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict_proba(frame), model.predict_proba(frame))
    model.set_params(store_covariance=False).fit(frame, y)
    assert not hasattr(model, "covariance_")


def test_boundaries_between_pairs_are_hyperplanes_and_the_summary_shows_the_coefficients():
    X, y = unequal()
    model = LinearDiscriminantAnalysis().fit(X, y)
    between = model.boundary(0, 2)
    feet = between.project(X)
    log_odds = model.predict_log_proba(feet)
    assert_allclose(log_odds[:, 0], log_odds[:, 2], atol=1e-9)
    assert "relative residual" in str(model.summary())
    with pytest.raises(ValueError, match="summary\\(\\) without data"):
        model.summary(X, y)
