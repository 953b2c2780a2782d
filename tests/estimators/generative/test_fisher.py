"""Fisher's direction and threshold, and the line through the means."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Reference
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import SingularWithin
from separatrix.discriminant_analysis import FisherDiscriminant, MeanDifference
from separatrix.estimators.generative.fisher import fewest_errors

X1 = np.array([[0, 0], [1, 1], [2, 2.5], [3, 3]])
X2 = np.array([[1, -1], [2, 0.2], [3, 1], [4, 2]])
GOLDEN = np.vstack([X1, X2]), np.repeat([1, 2], 4)


@parametrize_with_checks([FisherDiscriminant(), FisherDiscriminant(threshold="midpoint"), MeanDifference()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def overlapping(seed=0, n=80, p=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + np.outer(y, rng.standard_normal(p)), y


@pytest.mark.mission("DA-12", "DA-13")
def test_directions_and_their_ratios_are_golden():
    """G046; the direction points to the second class, and scores above the threshold belong to it (E002-27)."""
    fisher, line = FisherDiscriminant().fit(*GOLDEN), MeanDifference().fit(*GOLDEN)
    assert_allclose(fisher.coef_, [[0.7158837623, -0.6982194776]], atol=1e-9)
    assert pytest.approx(20.3931475, abs=1e-7) == fisher.J_
    assert pytest.approx(14.00517206, abs=1e-7) == line.J_
    difference = X2.mean(axis=0) - X1.mean(axis=0)
    assert_allclose(line.coef_[0], difference / np.linalg.norm(difference), rtol=1e-14)
    within = np.array([[10.0, 10.15], [10.15, 10.5175]])
    w = np.linalg.solve(within, difference)
    assert_allclose(w @ difference, 20.3931475, atol=1e-7)
    assert_array_equal(fisher.predict(GOLDEN[0]), GOLDEN[1])
    assert (fisher.transform(X2).mean() - fisher.transform(X1).mean()) > 0.0


@pytest.mark.mission("DA-13")
def test_the_direction_is_that_of_linear_discriminant_analysis():
    X, y = load_breast_cancer(return_X_y=True)
    model, theirs = FisherDiscriminant().fit(X, y), Reference().fit(X, y).coef_[0]
    assert_allclose(model.coef_[0], theirs / np.linalg.norm(theirs), atol=1e-8)
    assert model.certificate_.converged and model.rank_ == 30


@pytest.mark.mission("DA-12", "DA-13")
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_no_direction_has_a_larger_ratio_than_fishers_nor_parts_means_more_than_their_line(seed):
    X, y = overlapping(seed)
    fisher, line = FisherDiscriminant().fit(X, y), MeanDifference().fit(X, y)
    D = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    Z = X - np.array([X[y == c].mean(axis=0) for c in (0, 1)])[y]
    other = np.random.default_rng(seed).standard_normal((50, X.shape[1]))
    other /= np.linalg.norm(other, axis=1, keepdims=True)

    def ratio(W):
        return (W @ D) ** 2 / ((Z @ W.T) ** 2).sum(axis=0)

    assert_allclose(ratio(fisher.coef_), fisher.J_, rtol=1e-8)
    assert_allclose(ratio(line.coef_), line.J_, rtol=1e-8)
    assert (ratio(other) <= fisher.J_ * (1 + 1e-9)).all() and line.J_ <= fisher.J_ * (1 + 1e-9)
    assert (other @ D <= line.coef_ @ D + 1e-12).all()


@pytest.mark.mission("DA-14")
@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(0, 8), min_size=2, max_size=14),
    seed=st.integers(0, 1000),
    weighted=st.booleans(),
)
def test_no_cut_point_makes_fewer_errors_than_the_threshold(values, seed, weighted):
    rng = np.random.default_rng(seed)
    d, codes = np.array(values, dtype=float), rng.integers(0, 2, len(values))
    s = rng.integers(0, 3, len(values)).astype(float) if weighted else None
    if s is not None and not s.any():
        s[0] = 1.0

    def errors(threshold):
        weights = [Fraction(1)] * len(d) if s is None else [Fraction(int(v)) for v in s]
        return sum(w for v, c, w in zip(d, codes, weights) if (v >= threshold) != (c == 1))

    best = min(errors(t) for t in np.arange(-0.5, 9.5, 0.5))
    assert errors(fewest_errors(d, codes, s)) == best


@pytest.mark.mission("DA-14")
def test_the_threshold_of_a_fit_attains_the_least_training_error():
    X, y = overlapping(3, n=300)
    s = np.random.default_rng(0).uniform(0.1, 3.0, 300)
    for weights in (None, s):
        model = FisherDiscriminant().fit(X, y, sample_weight=weights)
        d = np.sort(model.transform(X)[:, 0])
        cuts = np.concatenate([[d[0] - 1.0], (d[1:] + d[:-1]) / 2, [d[-1] + 1.0]])
        every = [np.average((model.transform(X)[:, 0] >= t) != (y == 1), weights=weights) for t in cuts]
        assert model.training_error_ == pytest.approx(min(every), abs=1e-12)
        assert 1.0 - model.score(X, y, sample_weight=weights) == pytest.approx(min(every), abs=1e-12)


def test_of_equal_minima_the_widest_gap_wins_then_the_lowest():
    assert fewest_errors(np.array([0.0, 1.0, 2.0, 7.0]), np.array([0, 1, 0, 1])) == 4.5
    assert fewest_errors(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 1, 0, 1])) == 0.5
    # equal numbers cannot be cut apart: between the last two here one error would be left, but they are one point
    assert fewest_errors(np.array([0.0, 1.0, 1.0, 1.0]), np.array([1, 0, 0, 1])) == -0.5
    # neighbours without a number between them
    d = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert fewest_errors(d, np.array([0, 1])) == d[1]
    # everything on one side is best: half the range beyond the end
    assert fewest_errors(np.array([0.0, 1.0, 2.0]), np.array([1, 1, 0])) == -1.0
    assert fewest_errors(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1, 0, 0, 0])) == 4.5


def test_other_thresholds_are_the_midpoint_and_a_given_number():
    X, y = overlapping()
    middle = FisherDiscriminant("midpoint").fit(X, y)
    assert middle.threshold_ == pytest.approx(middle.transform(middle.means_).mean())
    given_one = FisherDiscriminant(0.25).fit(X, y)
    assert given_one.threshold_ == 0.25
    assert_allclose(given_one.decision_function(X), given_one.transform(X)[:, 0] - 0.25)
    assert_allclose(given_one.signed_distance(X), given_one.decision_function(X))
    for wrong in ("best", None, np.nan, True):
        with pytest.raises(ValueError, match="threshold='min_error'"):
            FisherDiscriminant(wrong).fit(X, y)


@pytest.mark.mission("PR-04")
def test_principal_components_may_collapse_classes_that_fisher_keeps_apart():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    X = np.column_stack([10.0 * rng.standard_normal(400), 0.3 * rng.standard_normal(400) + 2.0 * y])
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    X = X @ turn.T
    unsupervised = make_pipeline(PCA(1), FisherDiscriminant()).fit(X, y)
    assert 1.0 - unsupervised.score(X, y) > 0.4
    assert FisherDiscriminant().fit(X, y).training_error_ < 0.01


@pytest.mark.mission("PR-06")
def test_projections_are_transformers_with_names():
    X, y = overlapping()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for model in (FisherDiscriminant(), MeanDifference()):
        shown = model.set_output(transform="pandas").fit_transform(frame, y)
        assert list(shown.columns) == [f"{type(model).__name__.lower()}0"]
        assert_allclose(shown.to_numpy()[:, 0], X @ model.coef_[0])
        assert np.linalg.norm(model.coef_) == pytest.approx(1.0)


def test_dependent_columns_are_named_and_share_the_direction():
    X, y = overlapping()
    with pytest.warns(SingularWithin, match="rank 3 of 4") as said:
        model = FisherDiscriminant().fit(np.column_stack([X, X[:, 0]]), y)
    assert said[0].filename == __file__
    assert model.coef_[0, 0] == pytest.approx(model.coef_[0, 3])
    assert pytest.approx(FisherDiscriminant().fit(X, y).J_) == model.J_


@pytest.mark.parametrize("model", [FisherDiscriminant(), MeanDifference()], ids=str)
def test_what_has_no_direction_is_refused(model):
    X, _ = overlapping()
    with pytest.raises(ValueError, match=r"LinearDiscriminantAnalysis\(\).fit_transform"):
        model.fit(X, np.arange(80) % 3)
    with pytest.raises(ValueError, match="means of the two classes are equal"):
        model.fit(np.array([[0.0], [2.0], [0.0], [2.0]]), [0, 0, 1, 1])


def test_no_width_along_the_line_makes_the_ratio_infinite():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0]])
    assert np.inf == MeanDifference().fit(X, [0, 0, 1, 1]).J_


@pytest.mark.parametrize("model", [FisherDiscriminant(), MeanDifference()], ids=str)
def test_a_weight_is_a_repetition_and_float32_stays(model):
    X, y = overlapping()
    s = np.random.default_rng(1).integers(0, 4, len(y))
    s[:2] = 1
    weighted = model.fit(X, y, sample_weight=s).coef_, model.J_
    repeated = model.fit(np.repeat(X, s, axis=0), np.repeat(y, s)).coef_, model.J_
    assert_allclose(weighted[0], repeated[0], atol=1e-12)
    assert weighted[1] == pytest.approx(repeated[1])
    single = model.fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.transform(X.astype(np.float32)).dtype == np.float32
