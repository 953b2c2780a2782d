"""Linear support vector machines: worked numbers, LIBSVM and LIBLINEAR through scikit-learn, and laws of the margin."""

import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_svmlight_file
from sklearn.svm import SVC as Libsvm
from sklearn.svm import LinearSVC as Liblinear
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.calibration import CalibratedLinearClassifier
from separatrix.core.errors import NotCertified
from separatrix.svm import LinearSVC

LIBSVM_SETS = Path(__file__).parents[4] / "shared" / "data" / "libsvm"
THREE, SIGNS = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1, -1, 1])


@parametrize_with_checks([LinearSVC(), LinearSVC(loss="hinge"), LinearSVC(penalize_intercept=True)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def two_classes(n=150, p=3, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, np.where(X.sum(axis=1) + noise * rng.standard_normal(n) > 0.3, "up", "down")


def formula(model, X, y, C=1.0, s=None):
    """The objective, written out once more."""
    t = np.where(y == model.classes_[1], 1.0, -1.0)
    xi = np.maximum(1.0 - t * model.decision_function(X), 0.0)
    xi = xi if model.loss == "hinge" else xi**2
    return 0.5 * model.coef_[0] @ model.coef_[0] + C * (xi if s is None else s * xi).sum()


@pytest.mark.mission("MM-01")
@pytest.mark.mission("MM-02")
def test_the_widest_margin_of_three_points_is_exact():
    """The optimality conditions hold in exact fractions: w = Σ a y x, Σ a y = 0, and every margin is at least 1."""
    model = LinearSVC(loss="hinge", C=np.inf).fit(THREE, SIGNS)
    assert_allclose(model.coef_, [[0.0, -0.5]], atol=1e-15)
    assert_allclose(model.intercept_, [0.0], atol=1e-15)
    assert_allclose(model.dual_coef_, [[0.0, -0.125, 0.125]], atol=1e-15)
    assert_allclose([model.margin_, model.margin_width_], [2.0, 4.0], rtol=1e-15)
    assert_array_equal(model.support_, [1, 2])  # row 0 is on the margin, and holds nothing
    assert model.margin_errors_.size == 0 and model.certificate_.converged
    alpha = [Fraction(0), Fraction(1, 8), Fraction(1, 8)]
    pulled = [sum(a * int(y) * Fraction(x[j]) for a, y, x in zip(alpha, SIGNS, THREE.tolist())) for j in range(2)]
    assert pulled == [0, Fraction(-1, 2)]
    assert [int(y) * pulled[1] * Fraction(x[1]) for y, x in zip(SIGNS, THREE.tolist())] == [1, 1, 1]


@pytest.mark.mission("MM-01")
def test_a_fourth_point_turns_the_widest_margin():
    model = LinearSVC(loss="hinge", C=np.inf).fit(np.vstack([THREE, [3.0, 1.0]]), [*SIGNS, 1])
    assert_allclose(model.coef_, [[0.6, -0.8]], atol=1e-14)
    assert_allclose(model.intercept_, [0.0], atol=1e-14)
    assert_allclose(model.dual_coef_, [[-0.5, 0.0, 0.1, 0.4]], atol=1e-14)


@pytest.mark.mission("MM-16")
def test_the_hard_margin_depends_on_no_weight_and_no_loss():
    X, y = two_classes(noise=0.0)
    model = LinearSVC(loss="hinge", C=np.inf).fit(X, y)
    s = np.random.default_rng(0).random(len(y)) + 0.1
    for other in (LinearSVC(C=np.inf).fit(X, y), LinearSVC(loss="hinge", C=np.inf).fit(X, y, s)):
        assert_allclose(other.coef_, model.coef_, rtol=1e-9)
    assert (model.margins(X, y) >= model.margin_ * (1.0 - 1e-9)).all() and model.slack_.max() < 1e-9
    assert_allclose(LinearSVC(loss="hinge", C=1e6).fit(X, y).coef_, model.coef_, rtol=1e-8)
    libsvm = Libsvm(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
    assert_allclose(model.coef_, libsvm.coef_, rtol=1e-4)  # whose kernel is in single precision


def test_a_hard_margin_that_does_not_exist_is_refused_with_a_proof():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="no hyperplane separates the classes") as caught:
        LinearSVC(C=np.inf).fit(X, y)
    assert caught.value.proof.verify(X, np.array(y, dtype=float))
    with pytest.raises(ValueError, match="rows of both classes lie on"):
        LinearSVC(C=np.inf).fit([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1])


@pytest.mark.mission("MM-12")
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_hinge_machine_is_that_of_libsvm(C):
    """LIBSVM does not penalise its intercept either; its kernel is in single precision, whose rounding C multiplies."""
    rough = 1e-5 * max(C, 1.0)
    X, y = two_classes()
    ours, theirs = LinearSVC(loss="hinge", C=C).fit(X, y), Libsvm(kernel="linear", C=C, tol=1e-12).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=rough)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=rough)
    assert_array_equal(ours.support_, np.sort(theirs.support_))
    full = np.zeros(len(y))
    full[theirs.support_] = theirs.dual_coef_[0]
    assert_allclose(ours.dual_coef_[0], full, atol=rough * C)
    assert_allclose(ours.primal_objective_, formula(ours, X, y, C), rtol=1e-13)
    assert ours.primal_objective_ - ours.dual_objective_ <= 1e-9 * C * len(y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_with_its_intercept_penalised_it_is_that_of_liblinear(loss, scaling):
    X, y = two_classes()
    ours = LinearSVC(loss=loss, C=0.5, penalize_intercept=True, intercept_scaling=scaling).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its iterations
        theirs = Liblinear(loss=loss, C=0.5, tol=1e-12, max_iter=200_000, intercept_scaling=scaling, random_state=0)
        theirs.fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6)


@pytest.mark.skipif(not LIBSVM_SETS.exists(), reason="needs ../shared/data")
@pytest.mark.parametrize("name", ["heart_scale", "german.numer_scale", "splice"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_objective_is_at_or_below_that_of_liblinear(name, loss):
    X, y = load_svmlight_file(str(LIBSVM_SETS / name))
    X = sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    ours = LinearSVC(loss=loss, penalize_intercept=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Liblinear(loss=loss, random_state=0).fit(X, y)
    assert ours.primal_objective_ <= formula(theirs, X, y) + 0.5 * theirs.intercept_[0] ** 2
    assert LinearSVC(loss=loss).fit(X, y).primal_objective_ <= ours.primal_objective_  # a free intercept can only gain


@pytest.mark.slow
@pytest.mark.skipif(not LIBSVM_SETS.exists(), reason="needs ../shared/data")
@pytest.mark.parametrize("name", ["heart_scale", "german.numer_scale", "splice", "mushrooms", "a9a", "news20"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_without_an_intercept_liblinear_predicts_the_same_beyond_its_tolerance(name, loss):
    """The hinge of LIBLINEAR's w exceeds ours by its gap g; ``|w - w*|² <= 2 g``, so that scores differ by no more than
    ``sqrt(2 g) |x|``. Beyond that, for both gaps, predictions are equal."""
    X, y = load_svmlight_file(str(LIBSVM_SETS / name))
    X = sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    y = np.where(y == y.max(), 1, -1)
    ours = LinearSVC(loss=loss, fit_intercept=False).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Liblinear(loss=loss, fit_intercept=False, random_state=0).fit(X, y)
    objective = formula(theirs, X, y)
    assert ours.certificate_.converged and ours.primal_objective_ <= objective
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    gaps = [value - ours.dual_objective_ for value in (ours.primal_objective_, objective)]
    sure = np.abs(ours.decision_function(X)) > sum(np.sqrt(2.0 * gap) for gap in gaps) * lengths
    assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])


@pytest.mark.mission("MM-17")
def test_a_budget_of_slack_gives_the_same_hyperplane():
    """Of all (w, b) of the same norm, the fitted has the least slack: no direction of the same budget is wider."""
    X, y = two_classes()
    model = LinearSVC(loss="hinge").fit(X, y)
    t, rng = np.where(y == "up", 1.0, -1.0), np.random.default_rng(1)
    w, K = model.coef_[0], model.slack_.sum()
    for _ in range(200):
        v = w + 0.1 * rng.standard_normal(3)
        v *= np.linalg.norm(w) / np.linalg.norm(v)
        b = min((model.intercept_[0] + step for step in np.linspace(-0.3, 0.3, 61)), key=lambda b: _slack(t, X @ v + b))
        assert _slack(t, X @ v + b) >= K - 1e-9


def _slack(t, eta):
    return np.maximum(1.0 - t * eta, 0.0).sum()


@pytest.mark.mission("MM-21")
@pytest.mark.mission("MM-15")
def test_slack_counts_margin_errors_and_mistakes():
    X, y = two_classes()
    for loss in ("hinge", "squared_hinge"):
        model = LinearSVC(loss=loss).fit(X, y)
        t = np.where(y == "up", 1.0, -1.0)
        assert_allclose(model.slack_, np.maximum(0.0, 1.0 - t * model.decision_function(X)), atol=1e-14)
        assert (model.slack_ > 1.0).sum() == (model.predict(X) != y).sum()
        assert_array_equal(np.sort(np.append(model.on_margin_, model.margin_errors_)), model.support_)
        assert_array_equal(model.margin_errors_, np.flatnonzero(model.slack_ > 1e-9))
        if loss == "hinge":
            assert_allclose(t[model.on_margin_] * model.decision_function(X[model.on_margin_]), 1.0, atol=1e-9)
        exact = 1e-9 if loss == "hinge" else 1e-6  # slopes at coefficients whose gap is 1e-8 at the most
        assert_allclose(model.dual_coef_ @ X, model.coef_, atol=exact)
        assert abs(model.dual_coef_.sum()) < exact


@pytest.mark.mission("MM-14")
@pytest.mark.mission("EX-09")
def test_a_larger_price_makes_the_margin_narrower_and_its_errors_fewer():
    X, y = two_classes()
    prices = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0]
    models = [LinearSVC(loss="hinge", C=C).fit(X, y) for C in prices]
    widths, slacks = [model.margin_width_ for model in models], [model.slack_.sum() for model in models]
    assert np.all(np.diff(widths) <= 1e-12) and widths[0] > 2.0 * widths[-1]
    assert np.all(np.diff(slacks) <= 1e-9)
    assert len(models[-1].support_) < len(models[0].support_)


@pytest.mark.mission("MM-23")
def test_the_slack_of_an_outlier_grows_by_its_distance():
    X, y = two_classes()
    far = X.copy()
    row = int(np.argmax(LinearSVC(loss="hinge", C=0.1).fit(X, y).slack_))
    model = LinearSVC(loss="hinge", C=0.1).fit(X, y)
    step = -model.coef_[0] / np.linalg.norm(model.coef_[0]) * (1.0 if y[row] == "up" else -1.0)
    scores = []
    for distance in (0.0, 1.0, 2.0):  # against its class, under one and the same machine
        far[row] = X[row] + distance * step
        scores.append(max(0.0, 1.0 - (1.0 if y[row] == "up" else -1.0) * model.decision_function(far[[row]])[0]))
    assert_allclose(np.diff(scores), np.linalg.norm(model.coef_[0]), rtol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weights_of_rows_and_classes_are_repetitions(loss):
    X, y = two_classes(90)
    s = np.random.default_rng(2).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), s)
    weighted, repeated = LinearSVC(loss=loss).fit(X, y, s), LinearSVC(loss=loss).fit(X[again], y[again])
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    twice = np.where(y == "up", 2.0, 1.0)
    by_class = LinearSVC(loss=loss, class_weight={"up": 2.0}).fit(X, y)
    assert_allclose(by_class.coef_, LinearSVC(loss=loss).fit(X, y, twice).coef_, rtol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_the_order_of_rows_does_not_show(loss, C):
    X, y = two_classes()
    order = np.random.default_rng(3).permutation(len(y))
    one, other = LinearSVC(loss=loss, C=C).fit(X, y), LinearSVC(loss=loss, C=C).fit(X[order], y[order])
    scores = one.decision_function(X)
    assert_allclose(other.decision_function(X), scores, atol=1e-6 * np.abs(scores).max())


def test_three_classes_are_learnt_each_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = LinearSVC(loss="hinge", C=0.5).fit(X, y)
    assert model.coef_.shape == (3, 4) and model.dual_coef_.shape == (3, 150) and model.slack_.shape == (3, 150)
    for c in range(3):
        alone = LinearSVC(loss="hinge", C=0.5).fit(X, y == c)
        assert_allclose(model.coef_[c], alone.coef_[0], rtol=1e-9)
        assert_allclose(model.primal_objective_[c], alone.primal_objective_, rtol=1e-12)
    assert separatrix.verify(model, X, y).converged


def test_l1_makes_zeros_as_liblinear_does():
    X, y = two_classes(200, 12)
    ours = LinearSVC(penalty="l1", C=0.05, penalize_intercept=True).fit(X, y)
    theirs = Liblinear(penalty="l1", dual=False, C=0.05, tol=1e-10, max_iter=100_000, random_state=0).fit(X, y)
    assert_array_equal(ours.coef_ == 0.0, theirs.coef_ == 0.0)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    free = LinearSVC(penalty="l1", C=0.05).fit(X, y)
    assert free.certificate_.converged and not hasattr(free, "dual_coef_")


def test_sparse_and_dense_give_the_same_machine():
    X, y = two_classes(120, 6)
    X = X * (np.abs(X) > 0.7)
    for loss in ("hinge", "squared_hinge"):
        dense, sparse = (LinearSVC(loss=loss).fit(rows, y) for rows in (X, sp.csr_array(X)))
        assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9)


def test_a_budget_that_is_used_up_stops_with_a_warning_and_a_true_gap():
    X, y = two_classes()
    with pytest.warns(NotCertified):
        model = LinearSVC(loss="hinge", budget=1e-9).fit(X, y)
    best = LinearSVC(loss="hinge", budget="10s").fit(X, y)
    assert best.certificate_.converged
    assert model.dual_objective_ <= best.primal_objective_ <= model.primal_objective_
    with pytest.raises(ValueError, match="budget='soon'"):
        LinearSVC(budget="soon").fit(X, y)


@pytest.mark.parametrize(
    "wrong",
    [
        {"C": 0.0},
        {"C": np.nan},
        {"penalty": "l1", "loss": "hinge"},
        {"multi_class": "crammer_singer"},
        {"penalty": "l1", "C": np.inf},
        {"intercept_scaling": 0.0, "penalize_intercept": True},
        {"loss": "log"},
    ],
)
def test_what_has_no_meaning_is_refused_in_words(wrong):
    with pytest.raises(ValueError, match="Cannot fit LinearSVC with"):
        LinearSVC(**wrong).fit(THREE, SIGNS)


def test_verify_sees_changed_numbers():
    X, y = two_classes()
    for options in ({}, {"loss": "hinge"}, {"loss": "hinge", "penalize_intercept": True}, {"penalty": "l1"}):
        model = LinearSVC(**options).fit(X, y)
        assert separatrix.verify(model, X, y).converged
        model.slack_ = model.slack_ + 1e-6
        assert not separatrix.verify(model, X, y).converged
        model = LinearSVC(**options).fit(X, y)
        model.coef_ = model.coef_ * 1.001
        assert not separatrix.verify(model, X, y).converged


@pytest.mark.mission("CA-08")
def test_a_machine_is_calibrated_to_monotone_probabilities():
    """Scores of two normal classes of equal variance: the mean probability is the share of the class."""
    rng = np.random.default_rng(4)
    y = (rng.random(4000) < 0.4).astype(int)
    X = rng.standard_normal((4000, 2)) + 1.5 * y[:, None]
    model = CalibratedLinearClassifier(LinearSVC(loss="hinge", C=0.1), cv=3).fit(X, y)
    p, scores = model.predict_proba(X)[:, 1], LinearSVC(loss="hinge", C=0.1).fit(X, y).decision_function(X)
    assert abs(p.mean() - y.mean()) < 0.02  # the binomial error of 4000 rows is 0.008
    order = np.argsort(p)
    assert np.corrcoef(np.argsort(np.argsort(scores)), np.argsort(order))[0, 1] > 0.99
