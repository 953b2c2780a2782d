"""Other class frequencies than in training: DEC-09."""

import csv
import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import chi2, norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB

from separatrix import linear_model
from separatrix.core.errors import NotCertified
from separatrix.decision import estimate_priors, shift_intercept, shift_priors

HEART = Path(__file__).resolve().parents[3] / "shared" / "data" / "esl" / "SAheart.csv"


# ------------------------------------------------------------------ known priors


@pytest.mark.mission("DEC-09")
def test_one_in_a_thousand_is_the_golden_example():
    """G060: divide by the sampled fraction, multiply by the true one, renormalise."""
    found = shift_priors([[0.9, 0.1]], [0.5, 0.5], [0.001, 0.999])
    assert_allclose(found, [[0.008928571428571428, 0.9910714285714286]], atol=1e-9)
    assert_allclose(found, [[0.0018 / 0.2016, 0.1998 / 0.2016]], rtol=1e-14)


@st.composite
def joint_tables(draw):
    """P(x | k) for three values of x, and two sets of priors, as whole numbers."""
    k = draw(st.integers(2, 4))
    positive = st.lists(st.integers(1, 9), min_size=k, max_size=k)
    return draw(st.lists(positive, min_size=3, max_size=3)), draw(positive), draw(positive)


@pytest.mark.mission("DEC-09")
@settings(deadline=None)
@given(joint_tables())
def test_shifted_posteriors_are_those_of_bayes_rule_with_the_new_priors(drawn):
    """In exact fractions, from the class-conditional probabilities themselves."""
    table, old, new = drawn

    def posteriors(priors):
        rows = []
        for x in table:
            joint = [Fraction(p) * f for p, f in zip(priors, x)]
            rows.append([float(j / sum(joint)) for j in joint])
        return np.array(rows)

    shifted = shift_priors(posteriors(old), np.array(old) / sum(old), np.array(new) / sum(new))
    assert_allclose(shifted, posteriors(new), rtol=1e-13)


@pytest.mark.mission("DEC-09")
def test_shifting_back_and_not_shifting_change_nothing():
    P = np.random.default_rng(0).dirichlet(np.ones(3), 20)
    old, new = [0.2, 0.3, 0.5], [0.7, 0.2, 0.1]
    assert_allclose(shift_priors(shift_priors(P, old, new), new, old), P, rtol=1e-13)
    assert_allclose(shift_priors(P, old, old), P, rtol=1e-14)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ([0.5, 0.6], [0.5, 0.5], r"sample_priors=\[0.5, 0.6\]: they sum to 1.1"),
        ([0.5, 0.5], [0.2, 0.2], "they sum to 0.4"),
        ([0.5, 0.25, 0.25], [0.5, 0.5], r"sample_priors of shape \(3,\): there are 2 classes"),
        ([1.2, -0.2], [0.5, 0.5], r"lies in \[0, 1\]"),
        ([0.5, 0.5], [np.nan, 0.5], r"lies in \[0, 1\]"),
        ([0.0, 1.0], [0.5, 0.5], "class number 0 by its sample prior: that prior is 0, yet row 0"),
        ([0.5, 0.5], [0.0, 1.0], "row 1: all of its posterior"),
    ],
)
def test_wrong_priors_are_refused(old, new, said):
    with pytest.raises(ValueError, match=said):
        shift_priors([[0.9, 0.1], [1.0, 0.0]], old, new)


# ------------------------------------------------------------------ unknown priors


def two_normals(n, prior, seed=0):
    """Posteriors, for equal priors, of rows whose true priors are (1 - prior, prior)."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n) + 1.5 * (rng.random(n) < prior)
    f0, f1 = norm.pdf(x), norm.pdf(x, 1.5)
    return np.column_stack([f0, f1]) / (f0 + f1)[:, None]


@pytest.mark.mission("DEC-09")
def test_em_finds_the_maximum_that_a_general_optimiser_finds():
    P = two_normals(500, 0.15)

    def loss(theta):
        return -np.log(P[:, 0] / 0.5 * (1 - theta[0]) + P[:, 1] / 0.5 * theta[0]).sum()

    outside = minimize(loss, [0.5], bounds=[(1e-6, 1 - 1e-6)], options={"ftol": 1e-15, "gtol": 1e-10})
    found = estimate_priors(P, [0.5, 0.5])
    assert found.priors[1] == pytest.approx(outside.x[0], abs=1e-5)
    assert found.log_likelihood == pytest.approx(-outside.fun, abs=1e-7)
    assert found.priors[1] == pytest.approx(0.15, abs=0.06)
    assert found.p_value == pytest.approx(chi2.sf(2 * found.log_likelihood, 1), rel=1e-9)
    assert found.p_value < 1e-6
    assert_allclose(found.posteriors, shift_priors(P, [0.5, 0.5], found.priors), rtol=1e-14)


@pytest.mark.mission("DEC-09")
def test_the_estimate_is_a_fixed_point_of_plain_em():
    rng = np.random.default_rng(2)
    P, old = rng.dirichlet([1.0, 2.0, 3.0, 0.5], 300), np.array([0.1, 0.2, 0.3, 0.4])
    found = estimate_priors(P, old, tol=1e-13)
    assert_allclose(found.posteriors.mean(axis=0), found.priors, atol=1e-6)
    plain = old
    for _ in range(20_000):
        weighted = P / old * plain
        plain = (weighted / weighted.sum(axis=1, keepdims=True)).mean(axis=0)
    assert_allclose(found.priors, plain, atol=1e-5)


@pytest.mark.mission("DEC-09")
@settings(deadline=None, max_examples=50)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_the_certificate_bounds_what_any_other_priors_could_gain_and_the_likelihood_never_falls(seed, k):
    rng = np.random.default_rng(seed)
    P, old = rng.dirichlet(np.full(k, 0.7), 40), rng.dirichlet(np.full(k, 5.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertified)
        early = estimate_priors(P, old, max_iter=3)
    late = estimate_priors(P, old)
    assert late.certificate.converged
    assert early.log_likelihood <= late.log_likelihood + 1e-9
    assert late.log_likelihood - early.log_likelihood <= 40 * early.certificate.value + 1e-9
    assert (np.diff(late.trace) >= -1e-13).all()
    for other in rng.dirichlet(np.ones(k), 50):
        gain = np.log((P / old) @ other).sum()
        assert gain <= late.log_likelihood + 40 * late.certificate.value + 1e-9


def test_stopping_early_is_said_with_numbers():
    with pytest.warns(NotCertified, match="likelihood gap in nats per row is .* Raise max_iter"):
        found = estimate_priors(two_normals(200, 0.1), [0.5, 0.5], max_iter=1)
    assert not found.certificate.converged
    assert "NOT certified" in repr(found)


def test_weights_of_rows_are_repetitions():
    P, s = two_normals(60, 0.3), np.arange(60) % 4
    weighted, repeated = (
        estimate_priors(P, [0.5, 0.5], sample_weight=s),
        estimate_priors(P.repeat(s, axis=0), [0.5, 0.5]),
    )
    assert_allclose(weighted.priors, repeated.priors, atol=1e-5)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood, abs=1e-7)


def test_classes_that_never_occur_get_no_prior():
    sure = estimate_priors([[1.0, 0.0, 0.0]] * 3 + [[0.0, 1.0, 0.0]], [0.4, 0.4, 0.2])
    assert_allclose(sure.priors, [0.75, 0.25, 0.0], atol=1e-9)
    absent = estimate_priors([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]], [0.5, 0.5, 0.0])
    assert absent.priors[2] == 0.0 and absent.certificate.converged


@pytest.mark.parametrize("options, said", [({"tol": -1.0}, "tol >= 0"), ({"max_iter": 0}, "max_iter >= 1")])
def test_wrong_options_of_em_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        estimate_priors([[0.5, 0.5]], [0.5, 0.5], **options)
    with pytest.raises(ValueError, match="no rows"):
        estimate_priors(np.empty((0, 2)), [0.5, 0.5])


# ------------------------------------------------------------------ the intercept of a logistic model


def fitted(cls, k, **parameters):
    rng = np.random.default_rng(4)
    y = np.arange(150) % k
    X = rng.standard_normal((150, 3)) + y[:, None] * [0.8, -0.4, 0.1]
    return cls(**parameters).fit(X, y), X


@pytest.mark.mission("DEC-09")
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("cls", [LogisticRegression, LinearDiscriminantAnalysis])
def test_a_shifted_intercept_gives_the_reweighted_posteriors(cls, k):
    model, X = fitted(cls, k)
    old, new = np.full(k, 1.0 / k), np.arange(1.0, k + 1.0) / np.arange(1.0, k + 1.0).sum()
    before = model.intercept_.copy()
    shifted = shift_intercept(model, old, new)
    assert_allclose(shifted.predict_proba(X), shift_priors(model.predict_proba(X), old, new), rtol=1e-10)
    assert_array_equal(model.intercept_, before)
    assert_array_equal(shifted.coef_, model.coef_)
    if k > 2:
        assert shifted.intercept_.sum() == pytest.approx(before.sum(), abs=1e-12)


@pytest.mark.mission("DEC-09")
def test_our_logistic_model_shifts_and_its_certificate_does_not_come_along():
    model, X = fitted(linear_model.LogisticRegression, 2)
    shifted = shift_intercept(model, [0.5, 0.5], [0.9, 0.1])
    assert_allclose(shifted.predict_proba(X), shift_priors(model.predict_proba(X), [0.5, 0.5], [0.9, 0.1]), rtol=1e-10)
    assert shifted.intercept_[0] - model.intercept_[0] == pytest.approx(math.log(1 / 9), rel=1e-13)
    assert hasattr(model, "certificate_") and not hasattr(shifted, "certificate_")


@pytest.mark.mission("DEC-09", "SI-09")
def test_the_heart_study_is_corrected_to_the_prevalence_in_the_population():
    """G081: 160 cases and 302 controls, 5.1 % in the population; the published coefficients."""
    model = LogisticRegression()
    model.classes_ = np.array([0, 1])
    model.coef_, model.intercept_ = np.array([[0.081, 0.168, 0.924, 0.044]]), np.array([-4.204])
    model.n_features_in_ = 4
    sample, population = [302 / 462, 160 / 462], [0.949, 0.051]
    shifted = shift_intercept(model, sample, population)
    assert shifted.intercept_[0] - model.intercept_[0] == pytest.approx(-2.288329964, abs=1e-8)
    assert shifted.intercept_[0] == pytest.approx(-6.492329964, abs=1e-8)
    x = [[5.0, 5.0, 1.0, 50.0]]
    assert model.predict_proba(x)[0, 1] == pytest.approx(0.5411566682, abs=1e-8)
    assert shifted.predict_proba(x)[0, 1] == pytest.approx(0.1068498659, abs=1e-8)
    assert shift_priors(model.predict_proba(x), sample, population)[0, 1] == pytest.approx(0.1068498659, abs=1e-8)


@pytest.mark.mission("DEC-09", "SI-09")
@pytest.mark.skipif(not HEART.exists(), reason="the heart data are not here")
def test_the_fitted_heart_model_predicts_the_prevalence_among_re_weighted_men():
    """At the maximum of the likelihood the mean posterior is the fraction of cases; re-weighted, the prevalence."""
    with HEART.open() as file:
        rows = list(csv.DictReader(file))
    X = np.array([[float(r["tobacco"]), float(r["ldl"]), r["famhist"] == "Present", float(r["age"])] for r in rows])
    y = np.array([int(r["chd"]) for r in rows])
    model = linear_model.LogisticRegression(C=np.inf).fit(X, y)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(160 / 462, abs=1e-8)
    sample, population = np.array([302, 160]) / 462, np.array([0.949, 0.051])
    shifted = shift_intercept(model, sample, population)
    assert_allclose(shifted.predict_proba(X), shift_priors(model.predict_proba(X), sample, population), rtol=1e-9)
    weights = (population / sample)[y]
    assert np.average(shifted.predict_proba(X)[:, 1], weights=weights) == pytest.approx(0.051, abs=0.005)
    by_hand = expit(X @ model.coef_[0] + model.intercept_[0] - 2.2883299638)
    assert_allclose(shifted.predict_proba(X)[:, 1], by_hand, rtol=1e-8)


def test_models_whose_posteriors_are_not_logistic_are_refused():
    model, _ = fitted(GaussianNB, 2)
    with pytest.raises(TypeError, match="not a linear model of posteriors"):
        shift_intercept(model, [0.5, 0.5], [0.9, 0.1])
    one_against_rest, _ = fitted(SGDClassifier, 3, loss="log_loss", random_state=0)
    with pytest.raises(ValueError, match="not the logistic or softmax function"):
        shift_intercept(one_against_rest, np.full(3, 1 / 3), [0.2, 0.3, 0.5])


def test_an_infinite_shift_is_refused():
    model, _ = fitted(LogisticRegression, 2)
    for old, new in (([0.0, 1.0], [0.5, 0.5]), ([0.5, 0.5], [1.0, 0.0])):
        with pytest.raises(ValueError, match="infinite for a prior of 0"):
            shift_intercept(model, old, new)


def test_a_model_of_a_frame_shifts_without_a_warning_about_names():
    import pandas as pd

    _, X = fitted(LogisticRegression, 2)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = LogisticRegression().fit(frame, np.arange(150) % 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shifted = shift_intercept(model, [0.5, 0.5], [0.9, 0.1])
        assert shifted.predict_proba(frame).shape == (150, 2)
