"""Diagonal linear discriminants: linear discriminants without correlations, and naive Bayes with pooled variances."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core import blocks
from separatrix.core.errors import SingularWithin
from separatrix.designs import base
from separatrix.discriminant_analysis import DiagonalLinearDiscriminantAnalysis

sys.path.insert(0, str(Path(__file__).parent))
from normal_classes import bends, normal_classes


@parametrize_with_checks([DiagonalLinearDiscriminantAnalysis(), DiagonalLinearDiscriminantAnalysis(denominator="N-K")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def uncorrelated(X, y):
    """The same means and variances within classes, and no correlation within them."""
    classes, codes = np.unique(y, return_inverse=True)
    means = np.array([X[codes == c].mean(0) for c in range(len(classes))])
    Z = X - means[codes]
    values, vectors = np.linalg.eigh(Z.T @ Z)
    return Z @ vectors / np.sqrt(values) * np.sqrt((Z**2).sum(0)) + means[codes]


@pytest.mark.mission("DA-07")
@pytest.mark.parametrize("k", [2, 3])
def test_it_is_linear_discriminant_analysis_with_everything_off_the_diagonal_zero(k):
    X, y = normal_classes(k)
    new = normal_classes(k, seed=8)[0]
    model = DiagonalLinearDiscriminantAnalysis().fit(X, y)
    theirs = LinearDiscriminantAnalysis().fit(uncorrelated(X, y), y)
    assert_allclose(model.predict_log_proba(new), theirs.predict_log_proba(new), rtol=1e-9, atol=1e-9)
    assert_array_equal(model.predict(new), theirs.predict(new))
    if k == 2:
        assert_allclose(model.coef_, theirs.coef_, rtol=1e-9)
        assert_allclose(model.intercept_, theirs.intercept_, rtol=1e-9)
    assert model.certificate_.converged


@pytest.mark.mission("DA-07", "NB-04")
@pytest.mark.parametrize("unbiased", [0, 1])
def test_densities_are_products_of_normal_ones_with_pooled_variances(unbiased):
    X, y = normal_classes(3)
    model = DiagonalLinearDiscriminantAnalysis(denominator=["N", "N-K"][unbiased]).fit(X, y)
    _, codes = np.unique(y, return_inverse=True)
    means = np.array([X[codes == c].mean(0) for c in range(3)])
    deviations = np.sqrt(((X - means[codes]) ** 2).sum(0) / (len(X) - 3 * unbiased))
    densities = [norm(mean, deviations).logpdf(X).sum(axis=1) for mean in means]
    joint = np.transpose(densities) + np.log(np.bincount(codes) / len(codes))
    assert_allclose(model.variances_, deviations**2, rtol=1e-12)
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-11)
    assert_allclose(np.diff(model.decision_function(X)), np.diff(joint), rtol=1e-9, atol=1e-10)
    assert_allclose(model.score_samples(X), np.log(np.exp(joint).sum(1)), rtol=1e-10)
    far = model.score_samples(means + 100.0)
    assert far.max() < np.quantile(model.score_samples(X), 0.01)


@pytest.mark.mission("DA-08")
@pytest.mark.parametrize("k", [2, 3])
def test_boundaries_are_straight(k):
    X, y = normal_classes(k)
    model = DiagonalLinearDiscriminantAnalysis().fit(X, y)
    assert bends(model, X) < 1e-12
    plane = model.boundary("ant", "bee")
    foot = plane.project(X[:1])
    joint = model.predict_joint_log_proba(foot)[0]
    assert_allclose(joint[0], joint[1], rtol=1e-10)
    assert model.signed_distance(X).shape == ((len(X),) if k == 2 else (len(X), k))


@pytest.mark.mission("DA-09")
@pytest.mark.parametrize("k, p, parameters", [(2, 2, 7), (3, 4, 18), (11, 10, 130)])
def test_parameters_are_counted_as_in_the_notes(k, p, parameters):
    rng = np.random.default_rng(0)
    model = DiagonalLinearDiscriminantAnalysis().fit(rng.standard_normal((3 * k, p)), np.repeat(np.arange(k), 3))
    assert (model.n_parameters_, model.n_boundary_parameters_) == (parameters, (k - 1) * (p + 1))


@pytest.mark.mission("NB-02")
def test_rows_drawn_from_the_model_have_its_moments():
    X, y = normal_classes(2)
    model = DiagonalLinearDiscriminantAnalysis(priors=[0.3, 0.7]).fit(X, y)
    new, labels = model.sample(40_000, random_state=0)
    assert abs(np.mean(labels == "bee") - 0.7) < 5.0 * np.sqrt(0.21 / 40_000)
    for c, label in enumerate(model.classes_):
        mine = new[labels == label]
        assert (np.abs(mine.mean(0) - model.means_[c]) < 5.0 * np.sqrt(model.variances_ / len(mine))).all()
        assert_allclose(mine.var(0), model.variances_, rtol=5.0 * np.sqrt(2.0 / len(mine)))
        correlations = np.corrcoef(mine.T) - np.eye(4)
        assert np.abs(correlations).max() < 5.0 / np.sqrt(len(mine))


def test_more_columns_than_rows_are_no_hindrance_and_constant_ones_are_named():
    X, y = normal_classes(3, p=50, n=20)
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(50)])
    frame["gene7"] = 0.1
    with pytest.warns(SingularWithin, match="gene7 is constant within every class"):
        model = DiagonalLinearDiscriminantAnalysis().fit(frame, y)
    plain = DiagonalLinearDiscriminantAnalysis().fit(np.delete(X, 7, axis=1), y)
    assert_allclose(model.predict_log_proba(frame), plain.predict_log_proba(np.delete(X, 7, axis=1)), rtol=1e-10)
    assert not model.coef_[:, 7].any()
    assert model.n_parameters_ == plain.n_parameters_
    assert_array_equal(model.sample(9, random_state=0)[0][:, 7], 0.1)


def test_a_class_with_one_row_has_the_variances_of_the_others():
    X, y = normal_classes(3, n=60)
    y[0] = "cow"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DiagonalLinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.means_[3], X[0])
    alone = DiagonalLinearDiscriminantAnalysis().fit(X[1:], y[1:])
    assert_allclose(model.variances_, alone.variances_ * 59 / 60, rtol=1e-12)


def test_weights_are_repetitions():
    X, y = normal_classes(3, n=90)
    s = np.random.default_rng(0).integers(0, 4, 90)
    weighted = DiagonalLinearDiscriminantAnalysis(denominator="N-K").fit(X, y, s)
    repeated = DiagonalLinearDiscriminantAnalysis(denominator="N-K").fit(X.repeat(s, axis=0), y.repeat(s))
    assert_allclose(weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-10, atol=1e-10)


def test_threads_blocks_order_and_a_far_origin_do_not_show(monkeypatch):
    X, y = normal_classes(3, n=500)
    X = np.round(X * 1024.0) / 1024.0  # so that a shift by a power of two is exact
    order = np.random.default_rng(0).permutation(len(X))
    expected = DiagonalLinearDiscriminantAnalysis().fit(X, y).predict_joint_log_proba(X)
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 400)
    monkeypatch.setattr(blocks, "BLOCK_NUMBERS", 400)
    for threads in ("1", "3"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        model = DiagonalLinearDiscriminantAnalysis().fit(X[order] + 2.0**20, y[order])
        assert_allclose(model.predict_joint_log_proba(X + 2.0**20), expected, rtol=1e-8)


def test_what_makes_no_model_is_refused_by_name():
    X, y = normal_classes(3)
    with pytest.raises(ValueError, match="there are 3 classes"):
        DiagonalLinearDiscriminantAnalysis(priors=[1.0]).fit(X, y)
    with pytest.raises(ValueError, match="'N', 'N-K'"):
        DiagonalLinearDiscriminantAnalysis(denominator=None).fit(X, y)
    with pytest.raises(ValueError, match="denominator='N'"):
        DiagonalLinearDiscriminantAnalysis(denominator="N-K").fit(X, y, np.full(len(X), 1e-3))
    with pytest.raises(ValueError, match="constant within every class"):
        DiagonalLinearDiscriminantAnalysis().fit([[0.0], [1.0], [1.0]], [0, 1, 1])
    large = np.tile(X, (1600, 1))  # too large to be read just to be looked at: the sums must tell
    large[5, 2] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        DiagonalLinearDiscriminantAnalysis().fit(large, np.tile(y, 1600))
