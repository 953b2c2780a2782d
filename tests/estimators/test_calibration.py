"""Probabilities from scores: the golden curves, maximum likelihood computed elsewhere, and any linear scorer."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as reference
import statsmodels.api as sm
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.calibration import (
    CalibratedLinearClassifier,
    LogisticCalibrator,
    ReversedScores,
    logistic_posterior,
    posterior_from_likelihood_ratio,
)
from separatrix.linear_model import BasicLinearClassifier, LeastSquaresClassifier, Perceptron, RidgeClassifier

D = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
STANDARD = [0.11920292202211755, 0.2689414213699951, 0.5, 0.7310585786300049, 0.8807970779778823]


@parametrize_with_checks(
    [
        CalibratedLinearClassifier(LeastSquaresClassifier()),
        CalibratedLinearClassifier(BasicLinearClassifier(), method="moments"),
        CalibratedLinearClassifier(RidgeClassifier(), cv=3),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def scores(n=200, ratio=0.5, gap=2.0, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < ratio).astype(int)
    return rng.standard_normal(n) + gap * (y - 0.5), y


def clouds(n=300, p=3, gap=1.2, seed=0, share=0.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.standard_normal((n, p)) + gap * (y[:, None] - 0.5), y


# ------------------------------------------------------------------ golden numbers


@pytest.mark.mission("CA-03", "CA-04")
def test_the_standard_logistic_map_has_the_golden_values():
    """G011: means at ±1/2 and variance 1 give LR = e^d and p = e^d / (e^d + 1)."""
    assert_allclose(logistic_posterior(D), STANDARD, rtol=1e-14)
    assert_allclose(posterior_from_likelihood_ratio(np.exp(D), 1.0), STANDARD, rtol=1e-14)
    # two scores of variance 1 about each mean
    fitted = LogisticCalibrator(class_ratio=1.0).fit([-1.5, 0.5, -0.5, 1.5], [0, 0, 1, 1])
    assert (fitted.gamma_, fitted.d0_) == (1.0, 0.0)
    assert_allclose(fitted.predict_proba(D)[:, 1], STANDARD, rtol=1e-14)
    assert_allclose(fitted.likelihood_ratio(D), np.exp(D), rtol=1e-14)


@pytest.mark.mission("CA-03")
def test_the_posterior_follows_from_the_likelihood_ratio_and_the_class_ratio():
    """G014, and the formula LR / (LR + 1/clr) in its ends."""
    assert posterior_from_likelihood_ratio(2.0, 3.0) == pytest.approx(0.8571428571428571, abs=1e-15)
    LR, clr = np.array([1e-300, 0.1, 1.0, 7.0, 1e300]), 0.4
    assert_allclose(posterior_from_likelihood_ratio(LR, clr), LR / (LR + 1.0 / clr), rtol=1e-12)
    assert_array_equal(posterior_from_likelihood_ratio([0.0, np.inf], 2.0), [0.0, 1.0])


@pytest.mark.mission("CA-05", "CA-06")
def test_slope_and_centre_come_from_means_and_variance():
    """G012: means 2 and -1, variance 1.5: gamma = 2, d0 = 1/2."""
    half = np.sqrt(1.5)
    d, y = [2.0 + half, 2.0 - half, -1.0 + half, -1.0 - half], [1, 1, 0, 0]
    fitted = LogisticCalibrator().fit(d, y)
    assert fitted.gamma_ == pytest.approx(2.0, rel=1e-14)
    assert fitted.d0_ == pytest.approx(0.5, rel=1e-14)
    golden = [0.04742587317756678, 0.5, 0.7310585786300049, 0.9525741268224334]
    assert_allclose(fitted.predict_proba([-1.0, 0.5, 1.0, 2.0])[:, 1], golden, rtol=1e-13)
    centred = LogisticCalibrator().fit(np.array(d) - 0.5, y)
    assert centred.d0_ == pytest.approx(0.0, abs=1e-15)
    assert_allclose(centred.likelihood_ratio(D), np.exp(2.0 * D), rtol=1e-13), "LR = exp(gamma d) for symmetric means"


@pytest.mark.mission("CA-06")
@pytest.mark.parametrize(
    "gamma, d0, golden",
    [
        (1.0, 0.0, STANDARD),
        (1.0, 1.0, [0.04742587317756678, *STANDARD[:4]]),
        (2.0, 0.0, [0.01798620996209156, 0.11920292202211755, 0.5, 0.8807970779778823, 0.9820137900379085]),
        (2.0, 1.0, [0.0024726231566347743, 0.01798620996209156, 0.11920292202211755, 0.5, 0.8807970779778823]),
        (0.5, 0.0, [0.2689414213699951, 0.3775406687981454, 0.5, 0.6224593312018546, 0.7310585786300049]),
        (0.5, 1.0, [0.18242552380635635, 0.2689414213699951, 0.3775406687981454, 0.5, 0.6224593312018546]),
    ],
)
def test_curves_are_steeper_flatter_or_shifted_as_in_the_golden_figure(gamma, d0, golden):
    """G101."""
    assert_allclose(logistic_posterior(D, gamma, d0), golden, rtol=1e-13)
    assert logistic_posterior(d0, gamma, d0) == 0.5


@pytest.mark.mission("CA-07")
def test_calibrating_the_basic_linear_classifier_does_not_move_its_boundary():
    """G013: μ+ = (2, 1), μ- = (0, -1), variance 2 along each axis: gamma = ‖μ+ − μ-‖ / 2 = √2, d0 = 0."""
    cross = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    X, y = np.vstack([np.add(cross, [2.0, 1.0]), np.add(cross, [0.0, -1.0])]), np.repeat([1, -1], 4)
    model = CalibratedLinearClassifier(BasicLinearClassifier(), method="moments").fit(X, y)
    assert_allclose(model.estimator_.coef_, [[2.0, 2.0]])
    assert_allclose(model.estimator_.intercept_, [-2.0])
    (curve,) = model.calibrators_
    d = model.signed_distance(X)
    assert d[y == 1].mean() - d[y == -1].mean() == pytest.approx(2.8284271247461903, abs=1e-9)
    assert curve.gamma_ == pytest.approx(1.4142135623730951, abs=1e-9)
    assert curve.d0_ == pytest.approx(0.0, abs=1e-12)
    assert_array_equal(model.predict(X), model.estimator_.predict(X))
    edge = model.estimator_.boundary().points(20, random_state=0)
    assert_allclose(model.predict_proba(edge), 0.5, atol=1e-12)


# ------------------------------------------------------------------ moments and likelihood against others


@pytest.mark.mission("CA-06")
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_are_those_of_one_dimensional_discriminant_analysis(weighted):
    """Equal variances and normal scores are its assumptions; its covariance is the pooled one, too."""
    d, y = scores(ratio=0.3)
    s = np.random.default_rng(1).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), s) if weighted else np.arange(len(y))
    fitted = LogisticCalibrator().fit(d, y, s.astype(float) if weighted else None)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(d[rows, None], y[rows])
    assert fitted.gamma_ == pytest.approx(theirs.coef_[0, 0], rel=1e-10)
    assert_allclose(fitted.predict_proba(D), theirs.predict_proba(D[:, None]), rtol=1e-9)
    assert fitted.class_ratio_ == pytest.approx(np.sum(y[rows]) / np.sum(1 - y[rows]))
    assert fitted.predict_proba([fitted.threshold_])[0, 1] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("scale, shift", [(1.0, 0.0), (1e-6, 0.0), (1e5, -3e5)])
def test_maximum_likelihood_is_that_of_statsmodels(scale, shift):
    d, y = scores(ratio=0.3)
    fitted = LogisticCalibrator("likelihood").fit(scale * d + shift, y)
    theirs = sm.Logit(y, sm.add_constant(d)).fit(disp=0, tol=1e-14)
    assert fitted.gamma_ == pytest.approx(theirs.params[1] / scale, rel=1e-8)
    assert_allclose(fitted.predict_proba(scale * D + shift)[:, 1], theirs.predict(sm.add_constant(D)), rtol=1e-8)
    assert fitted.predict_proba(scale * d + shift)[:, 1].mean() == pytest.approx(y.mean(), rel=1e-9)


@pytest.mark.parametrize("separated", [False, True])
def test_platts_targets_give_the_minimum_that_a_general_minimiser_finds(separated):
    d, y = scores(gap=20.0 if separated else 2.0, n=60)
    fitted = LogisticCalibrator("platt").fit(d, y)
    n1, n0 = y.sum(), len(y) - y.sum()
    t = np.where(y == 1, (n1 + 1.0) / (n1 + 2.0), 1.0 / (n0 + 2.0))

    def loss(w):
        return np.sum(np.logaddexp(0.0, w[0] * d + w[1]) - t * (w[0] * d + w[1]))

    best = minimize(loss, [0.1, 0.0], options={"gtol": 1e-9}).x
    assert_allclose(fitted.log_odds(D), best[0] * D + best[1], rtol=1e-4, atol=1e-4)
    assert loss([fitted.gamma_, float(fitted.log_odds([0.0])[0])]) <= loss(best) + 1e-10


@pytest.mark.parametrize("method", ["moments", "likelihood", "platt"])
def test_another_class_ratio_shifts_the_log_odds_and_nothing_else(method):
    d, y = scores(ratio=0.25)
    observed, equal = LogisticCalibrator(method).fit(d, y), LogisticCalibrator(method, class_ratio=1.0).fit(d, y)
    assert (observed.gamma_, observed.d0_) == (equal.gamma_, equal.d0_)
    assert_allclose(observed.log_odds(D) - equal.log_odds(D), np.log(y.sum() / (len(y) - y.sum())), rtol=1e-12)
    assert_allclose(observed.likelihood_ratio(D), equal.likelihood_ratio(D))
    P = posterior_from_likelihood_ratio(observed.likelihood_ratio(D), observed.class_ratio_)
    assert_allclose(observed.predict_proba(D)[:, 1], P, rtol=1e-12)
    assert equal.threshold_ == pytest.approx(equal.d0_)


@pytest.mark.parametrize("method", ["moments", "likelihood", "platt"])
def test_a_weight_is_a_repetition_and_the_unit_of_the_scores_does_not_matter(method):
    d, y = scores(n=80)
    s = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), s)
    once = LogisticCalibrator(method).fit(d, y, s.astype(float)).predict_proba(D)
    assert_allclose(LogisticCalibrator(method).fit(d[rows], y[rows]).predict_proba(D), once, rtol=1e-8)
    scaled = LogisticCalibrator(method).fit(100.0 * d, y, s.astype(float))
    assert_allclose(scaled.predict_proba(100.0 * D), once, rtol=1e-7)


def test_far_scores_keep_their_digits():
    d, y = scores()
    near, far = LogisticCalibrator().fit(d, y), LogisticCalibrator().fit(d + 1e6, y)
    assert far.gamma_ == pytest.approx(near.gamma_, rel=1e-8)
    assert far.d0_ - 1e6 == pytest.approx(near.d0_, abs=1e-8)


# ------------------------------------------------------------------ any linear scorer

SCORERS = [
    Perceptron(random_state=0),
    LinearSVC(random_state=0),
    LeastSquaresClassifier(),
    BasicLinearClassifier(),
    RidgeClassifier(),
    reference.RidgeClassifier(),
    reference.SGDClassifier(random_state=0),
    SVC(kernel="linear"),
    SVC(),
    make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
]
over_scorers = pytest.mark.parametrize("scorer", SCORERS, ids=lambda s: f"{type(s).__module__[:8]}.{str(s)[:14]}")


@over_scorers
@pytest.mark.mission("CA-08")
@pytest.mark.parametrize("method", ["moments", "likelihood", "platt"])
def test_probabilities_of_any_scorer_rise_with_its_score_and_average_the_prevalence(scorer, method):
    X, y = clouds(n=1500, share=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CalibratedLinearClassifier(scorer, method=method).fit(X, y)
    P = model.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1.0, rtol=1e-14)
    order = np.argsort(model.estimator_.decision_function(X))
    assert np.all(np.diff(P[order, 1]) >= 0.0)
    assert P[:, 1].mean() == pytest.approx(y.mean(), abs=0.05 if isinstance(scorer, SVC) else 0.02)


@pytest.mark.mission("CA-08")
def test_on_normal_scores_the_probabilities_are_the_true_ones():
    X, y = clouds(n=40_000, share=0.3)
    model = CalibratedLinearClassifier(LeastSquaresClassifier(), method="moments").fit(X, y)
    true = 1.0 / (1.0 + np.exp(-1.2 * X.sum(axis=1)) * 0.7 / 0.3)  # LR = exp(Δμ·x) for unit variances about ±Δμ/2
    assert np.abs(model.predict_proba(X)[:, 1] - true).max() < 0.03


def test_distances_of_a_scaled_scorer_give_the_same_probabilities():
    X, y = clouds()
    fitted = LinearSVC(random_state=0).fit(X, y)
    expected = CalibratedLinearClassifier(FrozenEstimator(fitted), method="moments").fit(X, y).predict_proba(X)
    fitted.coef_ *= 1000.0
    fitted.intercept_ *= 1000.0
    again = CalibratedLinearClassifier(FrozenEstimator(fitted), method="moments").fit(X, y)
    assert_allclose(again.predict_proba(X), expected, rtol=1e-9)


def test_a_frozen_estimator_is_calibrated_on_other_rows_and_stays_as_it_is():
    X, y = clouds()
    fitted = BasicLinearClassifier().fit(X[:150], y[:150])
    coef = fitted.coef_.copy()
    model = CalibratedLinearClassifier(FrozenEstimator(fitted), method="moments").fit(X[150:], y[150:])
    assert_array_equal(model.estimator_.coef_, coef)
    d = (X[150:] @ coef[0] + fitted.intercept_[0]) / np.linalg.norm(coef)
    by_hand = LogisticCalibrator().fit(d, y[150:])
    assert_allclose(model.predict_proba(X[150:]), by_hand.predict_proba(d), rtol=1e-12)


def test_cross_fitting_uses_the_distance_of_each_row_from_a_fit_without_it():
    X, y = clouds(n=90)
    folds = KFold(3, shuffle=True, random_state=0)
    d = np.empty(len(y))
    for train, test in folds.split(X):
        part = reference.LinearRegression().fit(X[train], 2.0 * y[train] - 1.0)
        d[test] = part.predict(X[test]) / np.linalg.norm(part.coef_)
    model = CalibratedLinearClassifier(LeastSquaresClassifier(), method="moments", cv=folds).fit(X, y)
    by_hand = LogisticCalibrator().fit(d, y)
    assert model.calibrators_[0].gamma_ == pytest.approx(by_hand.gamma_, rel=1e-9)
    assert model.calibrators_[0].d0_ == pytest.approx(by_hand.d0_, abs=1e-9)
    assert_allclose(model.estimator_.coef_, LeastSquaresClassifier().fit(X, y).coef_)
    seen = CalibratedLinearClassifier(LeastSquaresClassifier(), method="moments").fit(X, y)
    assert model.calibrators_[0].gamma_ < seen.calibrators_[0].gamma_, "rows that were fitted to look too sure"


def test_many_classes_get_a_curve_each_and_probabilities_that_sum_to_one():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    for scorer in (LeastSquaresClassifier(), BasicLinearClassifier(), reference.RidgeClassifier()):
        model = CalibratedLinearClassifier(scorer).fit(X, names)
        P = model.predict_proba(X)
        assert len(model.calibrators_) == 3 and P.shape == (150, 3)
        assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
        assert_array_equal(model.predict(X), model.classes_[P.argmax(axis=1)])
        assert model.score(X, names) >= model.estimator_.score(X, names) - 0.02
    sparse = CalibratedLinearClassifier(LeastSquaresClassifier()).fit(sp.csr_array(X), names)
    dense = CalibratedLinearClassifier(LeastSquaresClassifier()).fit(X, names)
    assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-8)


@pytest.mark.parametrize("model", [LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier()], ids=str)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_scikit_learns_own_calibration_works_with_ours(model, method):
    X, y = clouds()
    names = np.array(["no", "yes"])[y]
    theirs = CalibratedClassifierCV(model, method=method, cv=3).fit(X, names)
    assert theirs.score(X, names) > 0.75
    assert_allclose(theirs.predict_proba(X).sum(axis=1), 1.0)


def test_platts_method_agrees_with_scikit_learns_sigmoid():
    X, y = clouds()
    fitted = FrozenEstimator(LeastSquaresClassifier().fit(X, y))
    theirs = CalibratedClassifierCV(fitted, method="sigmoid", ensemble=False, cv=2).fit(X, y)
    ours = CalibratedLinearClassifier(fitted, method="platt").fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


# ------------------------------------------------------------------ bad input


def test_scores_without_spread_are_refused():
    with pytest.raises(ValueError, match=r"Cannot calibrate scores without spread.*Use .*platt"):
        LogisticCalibrator().fit([1.0, 1.0, 3.0, 3.0], [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"Cannot calibrate scores: all of them are 2"):
        LogisticCalibrator("platt").fit([2.0, 2.0, 2.0, 2.0], [0, 0, 1, 1])
    flat = LogisticCalibrator("platt").fit([1.0, 1.0, 3.0, 3.0], [0, 0, 1, 1])
    assert_allclose(flat.predict_proba([1.0, 3.0])[:, 1], [0.25, 0.75], rtol=1e-6)


def test_separated_scores_have_no_most_likely_curve():
    for d in ([-2.0, -1.0, 1.0, 2.0], [2.0, 1.0, -1.0, -2.0], [-2.0, 1.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match=r"separate the classes.*Use method='platt' or method='moments'"):
            LogisticCalibrator("likelihood").fit(d, [0, 0, 1, 1])


@pytest.mark.parametrize("method", ["moments", "likelihood", "platt"])
def test_reversed_scores_bring_a_warning_and_falling_probabilities(method):
    d, y = scores()
    with pytest.warns(ReversedScores, match=r"scores of 1 are lower than those of 0 \(gamma = -"):
        fitted = LogisticCalibrator(method).fit(-d, y)
    assert np.all(np.diff(fitted.predict_proba(D)[:, 1]) < 0.0)


@pytest.mark.parametrize(
    "names, told",
    [(["no", "sure"], "sure are lower than those of no "), (["a", "b", "c"], "b .* of the other classes ")],
)
@pytest.mark.filterwarnings("ignore::separatrix.estimators.calibration.ReversedScores")
def test_a_warning_of_reversed_scores_names_the_classes(names, told):
    class Reversed(RidgeClassifier):
        def decision_function(self, X):
            return -super().decision_function(X)

    rng = np.random.default_rng(0)
    codes = rng.integers(0, len(names), 90)
    X = np.eye(3)[codes] + 0.1 * rng.normal(size=(90, 3))
    with pytest.warns(ReversedScores, match=rf"The scores of {told}\(gamma = -"):
        CalibratedLinearClassifier(Reversed(), cv=None).fit(X, np.array(names)[codes])


def test_scores_that_say_nothing_give_the_prevalence():
    fitted = LogisticCalibrator().fit([0.0, 1.0, 0.0, 1.0, 0.0, 1.0], [0, 0, 1, 1, 1, 1])
    assert fitted.gamma_ == 0.0 and np.isnan(fitted.threshold_)
    assert_allclose(fitted.predict_proba(D)[:, 1], 2.0 / 3.0)
    assert_allclose(LogisticCalibrator("likelihood").fit([0.0, 1.0] * 2, [0, 0, 1, 1]).predict_proba(D), 0.5)


@pytest.mark.parametrize(
    "d, y, words",
    [
        ([1.0, 2.0, 3.0], [0, 1, 2], "3 classes"),
        ([1.0, 2.0], ["a", "a"], "one class"),
        ([[1.0, 2.0], [3.0, 4.0]], [0, 1], "one score"),
        ([np.nan, 1.0], [0, 1], "NaN"),
        ([1.0, 2.0, 3.0], [0, 1], "inconsistent"),
        ([1.0, 2.0], [0.3, 0.7], "Unknown label type"),
    ],
)
def test_scores_and_labels_that_do_not_fit_are_refused(d, y, words):
    with pytest.raises(ValueError, match=words):
        LogisticCalibrator().fit(d, y)


@pytest.mark.parametrize("ratio", [0.0, -1.0, np.inf, np.nan])
def test_an_impossible_class_ratio_is_refused(ratio):
    d, y = scores()
    with pytest.raises(ValueError, match=r"class_ratio=.*Use"):
        LogisticCalibrator(class_ratio=ratio).fit(d, y)
    with pytest.raises(ValueError, match=r"class_ratio"):
        posterior_from_likelihood_ratio(1.0, ratio)
    with pytest.raises(ValueError, match=r"class_ratio"):
        logistic_posterior(1.0, class_ratio=ratio)


def test_wrong_parameters_are_named():
    d, y = scores()
    with pytest.raises(ValueError, match="likelihood_ratio=-1"):
        posterior_from_likelihood_ratio(-1.0)
    with pytest.raises(ValueError, match="method='isotonic'"):
        LogisticCalibrator("isotonic").fit(d, y)
    with pytest.raises(ValueError, match="class_ratio='even'"):
        LogisticCalibrator(class_ratio="even").fit(d, y)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"class_ratio=1.0 with 3 classes"):
        CalibratedLinearClassifier(LeastSquaresClassifier(), class_ratio=1.0).fit(X, y)
    frozen = FrozenEstimator(LeastSquaresClassifier().fit(X, y))
    with pytest.raises(ValueError, match=r"knows the classes \[0, 1, 2\], y has \[0, 1\]"):
        CalibratedLinearClassifier(frozen).fit(X[:100], y[:100])


def test_a_scorer_without_a_boundary_is_refused():
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), [0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"Cannot give distances.*all its coefficients are zero"):
        CalibratedLinearClassifier(BasicLinearClassifier()).fit(X, y)
