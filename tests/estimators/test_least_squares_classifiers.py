"""Classifiers in closed form: least squares on coded classes, the family of the basic linear classifier, ridge."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as reference
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core import registry
from separatrix.core.declaration import declaration
from separatrix.core.errors import RankDeficient
from separatrix.linear_model import (
    BasicLinearClassifier,
    LeastSquaresClassifier,
    LogisticRegression,
    RidgeClassifier,
    RidgeClassifierCV,
)
from separatrix.preprocessing import PolynomialFeatures

EPS = np.finfo(np.float64).eps
IRIS = load_iris(return_X_y=True)
TEN_POINTS = np.array(
    [[4, 5], [6, 5], [1, 4], [2, 7], [3, 3], [4, 6], [6, 2], [7, 4], [8, 6], [7, 5]], dtype=np.float64
)  # in tenths
SIGNS = np.array([1, 1, 1, 1, 1, -1, -1, -1, -1, -1])

CHECKED = [
    LeastSquaresClassifier(),
    LeastSquaresClassifier(coding="zero_one", class_weight="balanced"),
    LeastSquaresClassifier(coding="one_of_k"),
    BasicLinearClassifier(),
    BasicLinearClassifier(metric="diagonal", centred=True),
    BasicLinearClassifier(metric="full", prevalence="observed", centred=True, threshold="regression"),
    RidgeClassifier(),
    RidgeClassifierCV(),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def gaussians(n=60, p=3, k=2, seed=0, spread=1.5):
    """k normal classes of unequal sizes with correlated columns."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2)))
    centres = spread * rng.standard_normal((k, p)) + 1.0
    return centres[y] + rng.standard_normal((n, p)) @ rng.standard_normal((p, p)), y


# ------------------------------------------------------------------ least squares with ±1 targets


@pytest.mark.mission("LS-16")
def test_weights_are_the_inverse_of_the_gram_matrix_times_the_difference_of_class_sums():
    """The golden ten points, by exact fractions: X'y = Pos μ+ − Neg μ−, and w solves the normal equations."""
    X = [[Fraction(int(a), 10), Fraction(int(b), 10), Fraction(1)] for a, b in TEN_POINTS]
    sums = [sum(x[j] * int(t) for x, t in zip(X, SIGNS)) for j in range(3)]
    assert [float(v) for v in sums] == pytest.approx([-1.6, 0.1, 0.0], abs=1e-15)
    positive = [sum(x[j] for x, t in zip(X, SIGNS) if t > 0) / 5 for j in range(3)]
    negative = [sum(x[j] for x, t in zip(X, SIGNS) if t < 0) / 5 for j in range(3)]
    assert [5 * a - 5 * b for a, b in zip(positive, negative)] == sums
    w = solve_exactly([[sum(x[i] * x[j] for x in X) for j in range(3)] for i in range(3)], sums)
    model = LeastSquaresClassifier().fit(TEN_POINTS / 10.0, SIGNS)
    assert_allclose(np.append(model.coef_, model.intercept_), [float(v) for v in w], rtol=20 * EPS)
    assert np.flatnonzero(model.predict(TEN_POINTS / 10.0) != SIGNS).tolist() == [1, 5]


def solve_exactly(A, b):
    """Cramer's rule for three equations, in fractions."""

    def det(M):
        return sum(
            M[0][i] * (M[1][(i + 1) % 3] * M[2][(i + 2) % 3] - M[1][(i + 2) % 3] * M[2][(i + 1) % 3]) for i in range(3)
        )

    return [det([[b[i] if j == c else A[i][j] for j in range(3)] for i in range(3)]) / det(A) for c in range(3)]


@pytest.mark.mission("LS-16")
def test_the_decision_is_the_sign_of_the_score():
    X, y = gaussians()
    labels = np.array(["minus", "plus"])[y]
    model = LeastSquaresClassifier().fit(X, labels)
    w, *_ = np.linalg.lstsq(np.column_stack([X, np.ones(len(y))]), 2.0 * y - 1.0, rcond=None)
    assert_allclose(np.append(model.coef_, model.intercept_), w, rtol=1e-11)
    assert_array_equal(model.predict(X) == "plus", np.column_stack([X, np.ones(len(y))]) @ w >= 0.0)


@pytest.mark.parametrize("coding", ["auto", "plus_minus", "zero_one", "one_of_k"])
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("intercept", [True, False])
def test_every_coding_is_the_regression_of_its_targets(coding, k, intercept):
    X, y = gaussians(k=k)
    s = np.random.default_rng(3).integers(0, 4, len(y)).astype(float)
    model = LeastSquaresClassifier(coding=coding, fit_intercept=intercept).fit(X, y, s)
    T = np.eye(k)[y]
    if coding == "plus_minus" or (coding == "auto" and k == 2):
        T = 2.0 * T - 1.0
    if k == 2 and coding != "one_of_k":
        T = T[:, 1:]
    theirs = reference.LinearRegression(fit_intercept=intercept).fit(X, T, s)
    assert_allclose(model.predict_targets(X).reshape(len(y), -1), theirs.predict(X), atol=1e-12)
    assert model.certificate_.kind == "gap" and model.certificate_.converged
    assert model.coef_.shape == ((1, 3) if k == 2 else (k, 3))


def test_the_certificate_is_that_of_the_published_regression():
    """What X can still explain of the residuals, by an orthogonal basis that the solver never saw."""
    X, y = gaussians(k=3)
    model = LeastSquaresClassifier().fit(X, y)
    T = np.eye(3)[y]
    Q = np.linalg.qr(np.column_stack([np.ones(len(y)), X]))[0]
    left = Q.T @ (T - model.predict_targets(X))
    null = ((T - T.mean(axis=0)) ** 2).sum(axis=0)
    assert ((left**2).sum(axis=0) / null).max() <= 1e-28


# ------------------------------------------------------------------ 1-of-K targets


@pytest.mark.mission("LS-17", "MC-08")
def test_indicator_regression_is_the_pseudoinverse_and_k_problems_in_one():
    X, y = gaussians(k=4)
    model = LeastSquaresClassifier().fit(X, y)
    augmented = np.column_stack([np.ones(len(y)), X])
    W = np.linalg.pinv(augmented) @ np.eye(4)[y]
    assert_allclose(np.column_stack([model.intercept_, model.coef_]).T, W, atol=1e-12)
    assert_array_equal(model.predict(X), (augmented @ W).argmax(axis=1))
    for c in range(4):
        one = LeastSquaresClassifier(coding="zero_one").fit(X, y == c)
        assert_allclose(one.target_coef_[0], model.coef_[c], atol=1e-13)
        assert_allclose(one.target_intercept_[0], model.intercept_[c], atol=1e-13)
    error = 0.5 * np.trace((augmented @ W - np.eye(4)[y]).T @ (augmented @ W - np.eye(4)[y]))
    moved = model.predict_targets(X) - np.eye(4)[y]
    assert 0.5 * np.trace(moved.T @ moved) == pytest.approx(error, rel=1e-12)


@pytest.mark.mission("LS-17", "CA-10")
def test_fitted_values_keep_every_linear_constraint_of_the_targets_but_leave_the_unit_interval():
    """aᵀt + b = 0 for all targets implies the same for all predictions; 1-of-K targets sum to one."""
    X, y = gaussians(k=3)
    new = 5.0 * np.random.default_rng(1).standard_normal((50, 3))
    fitted = LeastSquaresClassifier().fit(X, y).predict_targets(new)
    assert_allclose(fitted.sum(axis=1), 1.0, atol=1e-13 * np.abs(fitted).max())
    assert fitted.min() < 0.0 and fitted.max() > 1.0
    assert not hasattr(LeastSquaresClassifier, "predict_proba"), "these are no probabilities"


@pytest.mark.mission("LS-17", "CA-10", "MC-06")
def test_a_class_in_the_middle_is_masked():
    """G044: the fit of the middle class is flat; squares of x, or a generative model, bring it back."""
    x = np.array([[-3.3], [-3.0], [-2.7], [-0.3], [0.0], [0.3], [2.7], [3.0], [3.3]])
    g = np.repeat([0, 1, 2], 3)
    model = LeastSquaresClassifier().fit(x, g)
    assert model.coef_[1, 0] == pytest.approx(0.0, abs=1e-15)
    found = model.predict(x)
    assert 1 not in found and np.sum(found != g) == 3
    assert_allclose(model.predict_targets(x).sum(axis=1), 1.0, atol=4 * EPS)
    far = model.predict_targets([[7.0]])[0]
    assert far.min() < 0.0 and far.max() > 1.0
    squares = np.column_stack([x, x**2])
    assert np.sum(LeastSquaresClassifier().fit(squares, g).predict(squares) != g) == 0
    assert np.sum(LinearDiscriminantAnalysis().fit(x, g).predict(x) != g) == 0


@pytest.mark.mission("CA-09")
def test_fitted_values_of_zero_one_targets_are_the_posterior_where_it_is_linear():
    """P(second | x) = 0.2 + 0.3 x1 + 0.4 x2 on the unit square: recovered within four standard errors."""
    rng = np.random.default_rng(0)
    X = rng.random((400_000, 2))
    y = rng.random(len(X)) < 0.2 + X @ [0.3, 0.4]
    model = LeastSquaresClassifier(coding="zero_one").fit(X, y)
    # the variance of y is at most 1/4, that of a uniform column 1/12
    error = np.sqrt(0.25 * 12.0 / len(X))
    assert_allclose(model.target_coef_[0], [0.3, 0.4], atol=4.0 * error)
    assert_allclose(model.predict_targets([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]]), [0.2, 0.55, 0.9], atol=4.0 * error)


@pytest.mark.mission("CA-09")
def test_three_linear_posteriors_are_recovered_by_one_of_k_targets():
    rng = np.random.default_rng(1)
    x = rng.random(300_000)
    P = np.column_stack([0.6 - 0.5 * x, 0.3 - 0.1 * x, 0.1 + 0.6 * x])
    y = (rng.random(len(x))[:, None] > P.cumsum(axis=1)).sum(axis=1)
    found = LeastSquaresClassifier().fit(x[:, None], y).predict_targets([[0.1], [0.9]])
    assert_allclose(found, [[0.55, 0.29, 0.16], [0.15, 0.21, 0.64]], atol=4.0 * np.sqrt(0.25 * 4.0 / len(x)))


# ------------------------------------------------------------------ ties and thresholds


@pytest.mark.mission("LIN-07", "LS-22")
def test_a_tie_goes_to_the_second_class_with_signs_and_to_the_first_with_zero_and_one():
    x, y = np.array([[-1.0], [1.0]]), ["first", "second"]
    signs = LeastSquaresClassifier(coding="plus_minus").fit(x, y)
    assert signs.decision_function([[0.0]])[0] == 0.0
    assert signs.predict([[0.0]])[0] == "second"
    for coding in ("zero_one", "one_of_k"):
        halves = LeastSquaresClassifier(coding=coding).fit(x, y)
        assert np.ravel(halves.predict_targets([[0.0]]))[-1] == 0.5
        assert halves.predict([[0.0]])[0] == "first"


@pytest.mark.mission("LIN-07")
def test_among_more_classes_the_first_of_equal_scores_wins():
    model = BasicLinearClassifier().fit([[-1.0, 0.0], [1.0, 0.0], [0.0, np.sqrt(3.0)]], ["b", "a", "c"])
    assert np.ptp(model.decision_function([[0.0, 0.0]])[0, :2]) == 0.0
    assert model.predict([[0.0, 0.0]])[0] == "a"


@pytest.mark.mission("LIN-07")
def test_the_ridge_and_basic_classifiers_give_a_tie_to_the_second_class():
    x, y = np.array([[-1.0], [1.0]]), [0, 1]
    for model in (RidgeClassifier(), BasicLinearClassifier(), LogisticRegression()):
        assert model.fit(x, y).decision_function([[0.0]])[0] == 0.0
        assert model.predict([[0.0]])[0] == 1


@pytest.mark.mission("LS-22")
@pytest.mark.parametrize("seed", range(5))
def test_both_codings_give_the_same_labels_away_from_ties(seed):
    X, y = gaussians(seed=seed)
    new = np.random.default_rng(seed).standard_normal((500, 3))
    signs = LeastSquaresClassifier(coding="plus_minus").fit(X, y)
    halves = LeastSquaresClassifier(coding="zero_one").fit(X, y)
    assert_allclose(halves.predict_targets(new), 0.5 * (signs.decision_function(new) + 1.0), atol=1e-12)
    assert_array_equal(signs.predict(new), halves.predict(new))
    assert_array_equal(halves.predict(new) == 1, halves.predict_targets(new) > 0.5)


# ------------------------------------------------------------------ what squared error gets wrong


@pytest.mark.mission("LS-20", "LS-21", "EX-07")
def test_least_squares_may_miss_a_line_that_separates():
    """G029: a far cluster on the right side drags the boundary over its own class; logistic loss does not mind."""
    x, y = np.array([[-3.0], [-2.0], [-1.0], [1.0], [2.0], [40.0]]), np.array([-1, -1, -1, 1, 1, 1])
    model = LeastSquaresClassifier().fit(x, y)
    assert_allclose([model.coef_[0, 0], model.intercept_[0]], [0.03523067705, -0.2172558418], atol=1e-8)
    assert np.sum(model.predict(x) != y) == 2
    assert np.sum(reference.Perceptron(tol=None, max_iter=1000).fit(x, y).predict(x) != y) == 0
    assert np.sum(LogisticRegression().fit(x, y).predict(x) != y) == 0


@pytest.mark.mission("LS-21")
def test_points_too_far_on_the_right_side_move_the_boundary_of_least_squares_only():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([-1.5, 0.0], 0.4, (40, 2)), rng.normal([1.5, 0.0], 0.4, (40, 2))])
    y = np.repeat([0, 1], 40)
    X_far, y_far = np.vstack([X, rng.normal([30.0, -20.0], 0.4, (20, 2))]), np.append(y, np.ones(20, dtype=int))

    def moved(model):
        before = model.fit(X, y).boundary().unit_normal.copy()
        angle = np.degrees(np.arccos(np.clip(before @ model.fit(X_far, y_far).boundary().unit_normal, -1.0, 1.0)))
        return angle, np.sum(model.predict(X) != y)

    angle, errors = moved(LeastSquaresClassifier())
    assert angle > 15.0 and errors > 0
    angle, errors = moved(LogisticRegression())
    assert angle < 8.0 and errors == 0


# ------------------------------------------------------------------ the family of the basic linear classifier


@pytest.mark.mission("LS-18")
def test_the_basic_linear_classifier_is_the_difference_of_the_means():
    """G013: μ+ = (2, 1), μ- = (0, -1): w = (2, 2), t = 2."""
    model = BasicLinearClassifier().fit([[3.0, 1.0], [1.0, 1.0], [0.0, -2.0], [0.0, 0.0]], [1, 1, -1, -1])
    assert_allclose(model.coef_, [[2.0, 2.0]], rtol=EPS)
    assert_allclose(model.intercept_, [-2.0], rtol=2 * EPS)
    assert_array_equal(model.means_, [[0.0, -1.0], [2.0, 1.0]])
    assert model.certificate_.kind == "residual" and model.certificate_.converged


@pytest.mark.mission("LS-18")
@pytest.mark.parametrize("k", [2, 3, 5])
def test_with_the_identity_it_is_the_nearest_class_mean(k):
    X, y = gaussians(k=k, n=90)
    new = np.random.default_rng(1).standard_normal((400, 3)) * 3.0
    assert_array_equal(BasicLinearClassifier().fit(X, y).predict(new), NearestCentroid().fit(X, y).predict(new))


def by_hand(X, y, s, metric, n, centred):
    """M and Σ over classes of the formula, with sums written out."""
    m = np.average(X, axis=0, weights=s) if centred else 0.0
    Z = X - m
    M = (Z * s[:, None]).T @ Z / s.sum()
    M = {"identity": np.eye(X.shape[1]), "diagonal": np.diag(np.diag(M)), "full": M}[metric]
    means = [np.average(Z[y == c], axis=0, weights=s[y == c]) for c in (0, 1)]
    return np.linalg.solve(M, n[1] * means[1] - n[0] * means[0]), means, m


@pytest.mark.mission("LS-18")
@pytest.mark.parametrize("metric", ["identity", "diagonal", "full"])
@pytest.mark.parametrize("prevalence", ["equal", "observed"])
@pytest.mark.parametrize("centred", [False, True])
def test_every_member_of_the_family_follows_its_formula(metric, prevalence, centred):
    X, y = gaussians()
    s = np.random.default_rng(2).uniform(0.5, 2.0, len(y))
    share = np.array([s[y == c].sum() for c in (0, 1)]) / s.sum()
    n = share if prevalence == "observed" else np.ones(2)
    w, means, m = by_hand(X, y, s, metric, n, centred)
    model = BasicLinearClassifier(metric=metric, prevalence=prevalence, centred=centred).fit(X, y, s)
    assert_allclose(model.coef_[0], w, rtol=1e-11)
    middle = 0.5 * (means[0] + means[1]) + m
    assert model.decision_function([middle])[0] == pytest.approx(0.0, abs=1e-12 * np.abs(w).max())
    through = BasicLinearClassifier(metric=metric, prevalence=prevalence, centred=centred, threshold="regression")
    constant = n[1] - n[0] if centred else 0.0
    at = m if centred else np.zeros(3)
    assert through.fit(X, y, s).decision_function([at])[0] == pytest.approx(constant, abs=1e-12 * np.abs(w).max())
    assert through.certificate_.converged


@pytest.mark.mission("LS-18", "LS-16")
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("centred", [False, True])
def test_with_all_of_the_gram_matrix_and_observed_shares_it_is_least_squares(k, centred):
    X, y = gaussians(k=k)
    member = BasicLinearClassifier(metric="full", prevalence="observed", centred=centred, threshold="regression")
    whole = LeastSquaresClassifier(coding="plus_minus" if k == 2 else "one_of_k", fit_intercept=centred)
    member.fit(X, y), whole.fit(X, y)
    assert_allclose(member.coef_, whole.coef_, atol=1e-12)
    assert_allclose(member.intercept_, whole.intercept_, atol=1e-12)


@pytest.mark.mission("LS-18")
def test_the_centred_full_metric_points_along_fishers_discriminant():
    X, y = gaussians()
    w = BasicLinearClassifier(metric="full", centred=True).fit(X, y).coef_[0]
    fisher = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).coef_[0]
    assert_allclose(w / np.linalg.norm(w), fisher / np.linalg.norm(fisher), atol=1e-10)


def test_more_classes_of_unequal_shares_have_no_common_halfway():
    X, y = gaussians(k=3)
    with pytest.raises(ValueError, match=r"halfway.*Use threshold='regression', or prevalence='equal'"):
        BasicLinearClassifier(prevalence="observed").fit(X, y)


def test_columns_that_do_not_vary_get_no_weight():
    X, y = gaussians()
    X[:, 1] = 1e9 + 0.1
    model = BasicLinearClassifier(metric="diagonal", centred=True).fit(X, y)
    assert model.coef_[0, 1] == 0.0 and np.all(np.isfinite(model.coef_))
    with pytest.warns(RankDeficient, match="x1"):
        full = BasicLinearClassifier(metric="full", centred=True).fit(X, y)
    assert np.all(np.isfinite(full.coef_))


@pytest.mark.parametrize(
    "model",
    [
        LeastSquaresClassifier(),
        BasicLinearClassifier(metric="full", centred=True),
        BasicLinearClassifier(metric="diagonal", centred=True),
        RidgeClassifier(),
    ],
    ids=str,
)
@pytest.mark.parametrize("k", [2, 3])
def test_dense_sparse_and_repeated_rows_agree(model, k):
    X, y = gaussians(k=k)
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    s = np.random.default_rng(1).integers(1, 4, len(y))
    plain = model.fit(X, y, s.astype(float))
    coef, intercept = plain.coef_.copy(), plain.intercept_.copy()
    for other in (sp.csr_array(X), sp.csc_array(X), np.asfortranarray(X)):
        model.fit(other, y, s.astype(float))
        assert_allclose(model.coef_, coef, atol=1e-12)
        assert_allclose(model.intercept_, intercept, atol=1e-12)
    model.fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert_allclose(model.coef_, coef, atol=1e-12)


@pytest.mark.parametrize("model", [LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier()], ids=str)
def test_float32_comes_back_as_float32_and_rows_in_any_order_give_the_same(model):
    X, y = gaussians(k=3)
    assert model.fit(X.astype(np.float32), y).coef_.dtype == np.float32
    coef = model.fit(X, y).coef_.copy()
    order = np.random.default_rng(0).permutation(len(y))
    assert_allclose(model.fit(X[order], y[order]).coef_, coef, atol=1e-12)


def test_dependent_columns_are_named_and_predictions_stay_unique():
    X, y = gaussians()
    doubled = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(RankDeficient) as caught:
        model = LeastSquaresClassifier().fit(doubled, y)
    assert caught[0].filename == __file__
    assert_allclose(model.decision_function(doubled), LeastSquaresClassifier().fit(X, y).decision_function(X))


# ------------------------------------------------------------------ ridge


@pytest.mark.parametrize("data", [load_iris, load_wine], ids=["iris", "wine"])
@pytest.mark.parametrize(
    "options", [{}, {"alpha": 30.0, "fit_intercept": False}, {"class_weight": "balanced"}], ids=str
)
@pytest.mark.parametrize("two", [False, True])
def test_ridge_classifiers_agree_with_scikit_learn(data, options, two):
    X, y = data(return_X_y=True)
    X, y = (X[y < 2], y[y < 2]) if two else (X, y)
    # "balanced" is by weights here, by rows there: without weights it is the same
    s = None if "class_weight" in options else np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    ours = RidgeClassifier(**options).fit(X, y, s)
    theirs = reference.RidgeClassifier(solver="svd", **options).fit(X, y, s)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-9)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.certificate_.converged


def test_ridge_coefficients_may_be_kept_from_being_negative():
    X, y = IRIS
    model = RidgeClassifier(positive=True).fit(X, y)
    theirs = reference.RidgeClassifier(positive=True, tol=1e-12).fit(X, y)
    assert model.coef_.min() >= 0.0
    assert_allclose(model.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"scoring": "accuracy"}, {"cv": 5}, {"cv": 4, "scoring": "f1_macro"}], ids=str)
def test_the_strength_is_chosen_as_scikit_learn_chooses_it(options):
    X, y = IRIS
    alphas = [0.01, 1.0, 30.0, 1000.0]
    ours = RidgeClassifierCV(alphas, **options).fit(X, y)
    theirs = reference.RidgeClassifierCV(alphas, **options).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)


def test_leave_one_out_errors_of_classes_are_those_of_refits():
    X, y = gaussians(n=25)
    model = RidgeClassifierCV([0.5, 5.0], store_cv_results=True).fit(X, y)
    for column, alpha in enumerate((0.5, 5.0)):
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            one = RidgeClassifier(alpha).fit(X[rest], y[rest])
            error = (2.0 * y[i] - 1.0 - one.decision_function(X[i : i + 1])[0]) ** 2
            assert model.cv_results_[i, 0, column] == pytest.approx(error, rel=1e-9)


# ------------------------------------------------------------------ linear models among others


@pytest.mark.mission("LIN-08")
def test_linear_predictions_vary_less_over_bootstrap_samples_than_those_of_a_tree():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 4))
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.standard_normal(120) > 0.0).astype(int)
    new = rng.standard_normal((300, 4))

    def variance(model):
        votes = []
        for _ in range(40):
            rows = rng.integers(0, len(y), len(y))
            votes.append(model.fit(X[rows], y[rows]).predict(new))
        return np.var(votes, axis=0).mean()

    tree = variance(DecisionTreeClassifier(random_state=0))
    assert variance(LeastSquaresClassifier()) < 0.6 * tree
    assert variance(BasicLinearClassifier()) < 0.6 * tree
    assert LeastSquaresClassifier().fit(X, y).coef_.size + 1 == 5, "five numbers, whatever n"


@pytest.mark.mission("LIN-09")
def test_level_sets_are_hyperplanes_whatever_the_activation():
    """y = f(w·x + w0) = const means w·x + w0 = f⁻¹(const): logistic, identity and step."""
    from separatrix.decision import Hyperplane

    X, y = gaussians()
    logistic = LogisticRegression().fit(X, y)
    for level in (0.1, 0.5, 0.95):
        plane = Hyperplane(logistic.coef_[0], logistic.intercept_[0] - np.log(level / (1.0 - level)))
        points = plane.points(50, spread=3.0, random_state=0)
        assert_allclose(logistic.predict_proba(points)[:, 1], level, rtol=1e-12)
        off = points + 0.3 * plane.unit_normal
        assert np.all(logistic.predict_proba(off)[:, 1] > level)
    identity = LeastSquaresClassifier(coding="zero_one").fit(X, y)
    for level in (-0.4, 0.5, 1.3):
        plane = Hyperplane(identity.target_coef_[0], identity.target_intercept_[0] - level)
        assert_allclose(identity.predict_targets(plane.points(50, random_state=1)), level, atol=1e-12)
    step = BasicLinearClassifier().fit(X, y)
    edge = step.boundary().points(50, random_state=2)
    normal = step.boundary().unit_normal
    assert np.all(step.predict(edge + 1e-9 * normal) == 1) and np.all(step.predict(edge - 1e-9 * normal) == 0)


@pytest.mark.mission("LIN-10")
def test_only_models_of_probability_give_probabilities_and_only_models_of_x_draw_samples():
    for name in ("LeastSquaresClassifier", "BasicLinearClassifier", "RidgeClassifier", "RidgeClassifierCV"):
        cls = registry.members("estimator")[name]
        assert not {"predict_proba", "predict_log_proba", "score_samples", "sample"} & set(dir(cls)), "a discriminant"
    assert hasattr(LogisticRegression, "predict_proba"), "discriminative"
    for name, cls in registry.members("estimator").items():
        generative = {"score_samples", "sample"} & set(dir(cls))
        # a machine of one class has scores of samples, and no model of them
        if hasattr(cls, "predict") and generative and declaration(cls).task != "outlier detection":
            assert generative == {"score_samples", "sample"} and hasattr(cls, "predict_proba"), name


# ------------------------------------------------------------------ expanded space


@pytest.mark.mission("BE-09")
@pytest.mark.parametrize("model", [LeastSquaresClassifier(), LogisticRegression(), BasicLinearClassifier()], ids=str)
def test_the_product_of_two_bits_makes_exclusive_or_separable(model):
    """G068."""
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    assert np.sum(model.fit(X, y).predict(X) != y) > 0
    product = PolynomialFeatures(2, interaction_only=True, include_bias=False)
    if isinstance(model, LogisticRegression):
        model = LogisticRegression(C=1e3)
    if isinstance(model, BasicLinearClassifier):
        # in the plain metric both means agree in x1 and x2, and the product alone cannot do it; the full one can
        model = BasicLinearClassifier(metric="full", centred=True)
    assert_array_equal(make_pipeline(product, model).fit(X, y).predict(X), y)


@pytest.mark.mission("BE-12")
@pytest.mark.parametrize("model", [LeastSquaresClassifier(), LogisticRegression(C=100.0)], ids=str)
def test_a_linear_boundary_in_squares_and_products_is_nearly_that_of_quadratic_discriminants(model):
    rng = np.random.default_rng(0)
    spread = np.array([[0.5, 0.3], [0.0, 1.0]])
    X = np.vstack([rng.standard_normal((600, 2)), rng.standard_normal((600, 2)) @ spread + [2.0, 0.5]])
    y = np.repeat([0, 1], 600)
    expanded = make_pipeline(PolynomialFeatures(2, include_bias=False), model).fit(X, y)
    quadratic = QuadraticDiscriminantAnalysis().fit(X, y)
    assert expanded[0].transform(X[:1]).shape == (1, 5)
    agree = np.mean(expanded.predict(X) == quadratic.predict(X))
    assert agree > 0.98
    assert abs(expanded.score(X, y) - quadratic.score(X, y)) < 0.01
    assert np.mean(model.fit(X, y).predict(X) == quadratic.predict(X)) < agree, "a line alone does worse"


# ------------------------------------------------------------------ bad input

MODELS = [LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier(), RidgeClassifierCV()]
over_models = pytest.mark.parametrize("model", MODELS, ids=str)


@over_models
def test_one_class_is_refused(model):
    with pytest.raises(ValueError, match=r"Cannot fit \w+ to one class: .*'only'.* Use data with at least two classes"):
        model.fit([[1.0], [2.0]], ["only", "only"])
    X, y, s = [[1.0], [2.0], [4.0]], ["a", "b", "a"], [1.0, 0.0, 1.0]
    if isinstance(model, RidgeClassifier | RidgeClassifierCV):  # as in scikit-learn
        assert set(model.fit(X, y, sample_weight=s).predict(X)) == {"a"}
        return
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, y, sample_weight=s)


@over_models
def test_numbers_that_are_no_labels_are_refused(model):
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit([[1.0], [2.0], [3.0]], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"Input y contains NaN|Unknown label type"):
        model.fit([[1.0], [2.0], [3.0]], [0.0, 1.0, np.nan])


@over_models
def test_classes_of_one_member_are_fitted(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["a", "b", "c"])
    assert np.all(np.isfinite(model.coef_))
    assert model.predict([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]])[1:].tolist() == ["b", "c"]


@over_models
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused(model, bad, monkeypatch):
    monkeypatch.setattr("separatrix.estimators.validation.UNREAD", 1)
    X, y = gaussians()
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.fit(X, y)


@pytest.mark.parametrize("model", [BasicLinearClassifier(), LeastSquaresClassifier()], ids=str)
def test_a_class_without_weight_is_no_class(model):
    X, y = gaussians(k=3)
    model.fit(X, y, sample_weight=(y > 0).astype(float))
    assert model.classes_.tolist() == [1, 2]


@pytest.mark.parametrize(
    "model, words",
    [
        (LeastSquaresClassifier(coding="gray"), "coding='gray'"),
        (LeastSquaresClassifier(tol=-1.0), "tol=-1.0"),
        (LeastSquaresClassifier(class_weight={"z": 2.0}), "'z' is not a class"),
        (BasicLinearClassifier(metric="cosine"), "metric='cosine'"),
        (BasicLinearClassifier(prevalence=0.3), "prevalence=0.3"),
        (BasicLinearClassifier(threshold=0.0), "threshold=0.0"),
        (BasicLinearClassifier(centred="yes"), "centred='yes'"),
        (RidgeClassifier(alpha=-1.0), "alpha=-1.0"),
        (RidgeClassifier(solver="magic"), "solver='magic'"),
        (RidgeClassifierCV(alphas=[0.0]), "alphas"),
    ],
    ids=str,
)
def test_a_wrong_parameter_is_named_with_the_value_found(model, words):
    with pytest.raises(ValueError, match=r"Cannot .*" + words.replace(".", r"\.") + r".*Use"):
        model.fit(*gaussians())


def test_what_folds_do_not_know_is_refused_as_in_scikit_learn():
    X, y = np.random.default_rng(0).standard_normal((40, 2)), np.arange(40) % 2
    for cls in (RidgeClassifierCV, reference.RidgeClassifierCV):
        with pytest.raises(ValueError, match="store_cv_results"):
            cls(cv=3, store_cv_results=True).fit(X, y)
