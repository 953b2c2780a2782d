"""Quadratic discriminants against scikit-learn, scipy's densities, exact arithmetic, and their own definition."""

import inspect
import sys
import warnings
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.discriminant_analysis
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core import blocks
from separatrix.core.errors import SingularClasses, SingularWithin
from separatrix.designs import base
from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis

sys.path.insert(0, str(Path(__file__).parent))
from normal_classes import bends, normal_classes, vowels, with_moments, with_vowels

Theirs = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis
MODELS = [
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.1, denominator="N-K"),
    QuadraticDiscriminantAnalysis(shrinkage="auto", store_covariance=True),
]


@parametrize_with_checks(MODELS)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_parameters_and_defaults_are_scikit_learns():
    theirs = inspect.signature(Theirs.__init__).parameters
    ours = inspect.signature(QuadraticDiscriminantAnalysis.__init__).parameters
    assert set(ours) - set(theirs) == {"denominator"}
    for name in theirs:
        assert ours[name].default == theirs[name].default and ours[name].kind == theirs[name].kind, name


@pytest.mark.mission("DA-04")
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reg_param": 0.2},
        {"reg_param": 1.0},
        {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "covariance_estimator": OAS()},
        {"priors": "given"},
    ],
    ids=str,
)
def test_scores_and_covariances_are_scikit_learns(options, k):
    X, y = normal_classes(k)
    if "priors" in options:
        options = {"priors": np.arange(1, k + 1) / np.arange(1, k + 1).sum()}
    ours = QuadraticDiscriminantAnalysis(store_covariance=True, **options).fit(X, y)
    theirs = Theirs(store_covariance=True, **options).fit(X, y)
    new = normal_classes(k, seed=5)[0]
    assert_allclose(ours.decision_function(new), theirs.decision_function(new), rtol=1e-10, atol=1e-10)
    assert_allclose(ours.predict_log_proba(new), theirs.predict_log_proba(new), rtol=1e-10, atol=1e-10)
    assert_array_equal(ours.predict(new), theirs.predict(new))
    assert_allclose(ours.priors_, theirs.priors_)
    assert_allclose(ours.means_, theirs.means_, rtol=1e-13)
    for c in range(k):
        assert_allclose(ours.covariance_[c], theirs.covariance_[c], atol=1e-12 * np.abs(theirs.covariance_[c]).max())
        assert_allclose(ours.scalings_[c], theirs.scalings_[c], rtol=1e-11)
        alike = np.abs(np.einsum("ij,ij->j", ours.rotations_[c], theirs.rotations_[c]))
        if options != {"reg_param": 1.0}:  # of the identity every axis is principal
            assert_allclose(alike, 1.0, rtol=1e-10)
    assert ours.certificate_.converged and ours.certificate_.kind == "residual"


@pytest.mark.mission("DA-04", "NB-04")
def test_posteriors_and_marginals_are_those_of_the_densities():
    X, y = normal_classes(3)
    model = QuadraticDiscriminantAnalysis(denominator="N-K").fit(X, y)
    joint = np.column_stack(
        [
            np.log(np.mean(y == c)) + multivariate_normal(X[y == c].mean(0), np.cov(X[y == c].T)).logpdf(X)
            for c in model.classes_
        ]
    )
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10, atol=1e-10)
    P = np.exp(joint)
    assert_allclose(model.predict_proba(X), P / P.sum(axis=1, keepdims=True), rtol=1e-9, atol=1e-14)
    assert_allclose(model.score_samples(X), np.log(P.sum(axis=1)), rtol=1e-10)


@with_vowels
@pytest.mark.mission("DA-05", "EX-13")
@pytest.mark.parametrize("denominator", ["N", "N-K"])
def test_the_quadratic_row_of_the_vowel_table(denominator):
    X, y, new, truth = vowels()
    model = QuadraticDiscriminantAnalysis(denominator=denominator).fit(X, y)
    errors = [1.0 - model.score(X, y), 1.0 - model.score(new, truth)]
    assert_allclose(errors, [0.01136363636, 0.5281385281], atol=1e-6)
    assert model.n_parameters_ == 725


@pytest.mark.mission("DA-08")
def test_boundaries_of_separate_covariances_bend():
    X, y = normal_classes(3)
    assert bends(QuadraticDiscriminantAnalysis().fit(X, y), X) > 1e-2


@pytest.mark.mission("DA-09")
@pytest.mark.parametrize(
    "k, p, parameters, boundary", [(2, 2, 11, 6), (3, 4, 44, 30), (2, 1, 5, 3), (11, 10, 725, 660)]
)
def test_parameters_are_counted_as_in_the_notes(k, p, parameters, boundary):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((k * (p + 5), p)), np.repeat(np.arange(k), p + 5)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert (model.n_parameters_, model.n_boundary_parameters_) == (parameters, boundary)


@pytest.mark.mission("EX-22")
def test_in_one_dimension_the_boundaries_are_the_roots_of_the_quadratic():
    # N(0, 1) and N(1, 2²), three to one: the second class wins outside of two points
    X = np.vstack([with_moments(300, [0.0], [[1.0]]), with_moments(100, [1.0], [[4.0]], seed=1)])
    model = QuadraticDiscriminantAnalysis().fit(X, np.repeat([0, 1], [300, 100]))
    # log(1/3) - log 2 - (x - 1)²/8 + x²/2 = 0
    roots = np.sort(np.roots([3.0 / 8.0, 1.0 / 4.0, -1.0 / 8.0 - np.log(6.0)]))
    assert_allclose(model.decision_function(roots[:, None]), 0.0, atol=1e-12)
    inside = np.array([[roots[0] + 1e-6], [roots[1] - 1e-6]])
    outside = np.array([[roots[0] - 1e-6], [roots[1] + 1e-6]])
    assert_array_equal(np.r_[model.predict(inside), model.predict(outside)], [0, 0, 1, 1])


@pytest.mark.mission("EX-22")
def test_of_three_normal_classes_the_rule_of_bayes_is_recovered():
    means = np.array([[0.0, 0.0], [3.0, 1.0], [-1.0, 3.0]])
    shapes = np.array([[[1.0, 0.5], [0.5, 1.0]], [[2.0, -0.8], [-0.8, 1.0]], [[0.3, 0.0], [0.0, 3.0]]])
    X = np.vstack([with_moments(n, m, S, seed=n) for n, m, S in zip((50, 70, 80), means, shapes)])
    model = QuadraticDiscriminantAnalysis().fit(X, np.repeat([0, 1, 2], [50, 70, 80]))
    new = np.random.default_rng(0).uniform(-6.0, 6.0, (500, 2))
    bayes = [np.log(n / 200) + multivariate_normal(m, S).logpdf(new) for n, m, S in zip((50, 70, 80), means, shapes)]
    assert_allclose(model.predict_joint_log_proba(new), np.transpose(bayes), rtol=1e-11)
    assert_array_equal(model.predict(new), np.argmax(bayes, axis=0))


@pytest.mark.mission("NB-02")
def test_rows_drawn_from_the_model_have_its_moments():
    X, y = normal_classes(3)
    model = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    new, labels = model.sample(60_000, random_state=0)
    for c, label in enumerate(model.classes_):
        mine = new[labels == label]
        n, C = len(mine), model.covariance_[c]
        assert abs(n / 60_000 - model.priors_[c]) < 5.0 * np.sqrt(0.25 / 60_000)
        assert (np.abs(mine.mean(0) - model.means_[c]) < 5.0 * np.sqrt(np.diag(C) / n)).all()
        error = np.sqrt((np.multiply.outer(np.diag(C), np.diag(C)) + C**2) / n)
        assert (np.abs(np.cov(mine.T) - C) < 5.0 * error).all()
    assert_array_equal(new, model.sample(60_000, random_state=0)[0])


@pytest.mark.mission("NB-04")
def test_a_far_point_has_less_density_than_one_in_a_hundred_training_rows():
    X, y = normal_classes(3)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    threshold = np.quantile(model.score_samples(X), 0.01)
    assert model.score_samples([[60.0, -60.0, 60.0, 60.0]])[0] < threshold < model.score_samples(model.means_).min()


def test_weights_are_repetitions_and_their_unit_does_not_matter():
    X, y = normal_classes(3, n=90)
    s = np.random.default_rng(0).integers(0, 4, 90)
    for options in ({"denominator": "N-K"}, {"shrinkage": "auto"}, {"reg_param": 0.3}):
        weighted = QuadraticDiscriminantAnalysis(**options).fit(X, y, s)
        repeated = QuadraticDiscriminantAnalysis(**options).fit(X.repeat(s, axis=0), y.repeat(s))
        assert_allclose(weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    small = QuadraticDiscriminantAnalysis().fit(X, y, s * 1e-3)
    whole = QuadraticDiscriminantAnalysis().fit(X, y, s)
    assert_allclose(small.predict_log_proba(X), whole.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="denominator='N'"):
        QuadraticDiscriminantAnalysis(denominator="N-K").fit(X, y, s * 1e-3)
    light = np.where(y == "ant", 1e-3 * s, s)
    with pytest.raises(ValueError, match="denominator='N'"):
        QuadraticDiscriminantAnalysis(denominator="N-K").fit(X, y, light)


@pytest.mark.parametrize("options", [{"shrinkage": "auto"}, {"denominator": "N-K"}, {"shrinkage": 0.2}])
def test_a_class_of_one_row_that_is_repeated_has_no_covariance_of_its_own(options):
    X, y = normal_classes(3, n=90)
    X, y = np.vstack([X, [0.1, 0.7, 1.0 / 3.0, 0.3]]), np.append(y, "yak")
    counts = np.r_[np.ones(90, dtype=int), 3]  # three times 0.1 divided by three is not 0.1
    with pytest.warns(SingularClasses, match="'yak' \\(rank 0\\)"):
        weighted = QuadraticDiscriminantAnalysis(**options).fit(X, y, counts)
    with pytest.warns(SingularClasses, match="'yak' \\(rank 0\\)"):
        repeated = QuadraticDiscriminantAnalysis(**options).fit(X.repeat(counts, axis=0), y.repeat(counts))
    assert_allclose(weighted.predict_log_proba(X), repeated.predict_log_proba(X), rtol=1e-8, atol=1e-8)


def test_threads_blocks_storage_and_order_do_not_show(monkeypatch):
    X, y = normal_classes(3, n=700)
    expected = QuadraticDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    order = np.random.default_rng(0).permutation(len(X))
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 300)
    monkeypatch.setattr(blocks, "BLOCK_NUMBERS", 1000)
    for threads in ("1", "3"):
        monkeypatch.setenv("SEPARATRIX_THREADS", threads)
        for rows in (X, np.asfortranarray(X), pd.DataFrame(X)):
            model = QuadraticDiscriminantAnalysis().fit(rows, y)
            assert_allclose(model.predict_log_proba(rows), expected, rtol=1e-10, atol=1e-10)
        shuffled = QuadraticDiscriminantAnalysis().fit(X[order], y[order])
        assert_allclose(shuffled.predict_log_proba(X), expected, rtol=1e-10, atol=1e-10)


def test_single_precision_is_held_as_given_and_summed_in_double():
    X, y = normal_classes(3)
    X = X.astype(np.float32)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    exact = QuadraticDiscriminantAnalysis().fit(X.astype(np.float64), y)
    assert model.means_.dtype == np.float32
    assert_allclose(model.predict_log_proba(X), exact.predict_log_proba(X.astype(np.float64)), rtol=1e-10, atol=1e-10)


def exact_log_odds(X, y, new):
    """Log-odds of class 1 with 60 digits."""
    mpmath.mp.dps = 60
    joint = []
    for c in (0, 1):
        rows = mpmath.matrix(X[y == c].tolist())
        n, p = rows.rows, rows.cols
        mean = [mpmath.fsum(rows[:, j]) / n for j in range(p)]
        Z = mpmath.matrix(n, p)
        for i in range(n):
            for j in range(p):
                Z[i, j] = rows[i, j] - mean[j]
        C = Z.T * Z / n
        inverse, size = C**-1, mpmath.log(mpmath.det(C))
        D = [mpmath.matrix([row[j] - mean[j] for j in range(p)]) for row in new.tolist()]
        joint.append([mpmath.log(mpmath.mpf(n) / len(y)) - (size + (d.T * inverse * d)[0]) / 2 for d in D])
    return np.array([float(b - a) for a, b in zip(*joint)])


def test_columns_that_are_nearly_dependent_and_far_from_zero_cost_few_digits():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 3)) * (1.0 + y[:, None]) + y[:, None]
    X[:, 2] = X[:, 0] - X[:, 1] + 1e-6 * rng.standard_normal(60)  # a condition of 1e12 for the covariance
    X = X * [1.0, 1e5, 1e-4] + [1e4, 0.0, 3.0]
    X[:, 2] = X[:, 0] + X[:, 1] * 1e-5 + 1e-6 * rng.standard_normal(60)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert model.certificate_.converged
    wanted = exact_log_odds(X, y, X[:20])
    # 1e4 in double precision is known to 2e-12, which is 2e-6 of the smallest spread
    assert_allclose(model.decision_function(X[:20]), wanted, rtol=1e-4, atol=1e-4)


def completed(X, y, denominator=0):
    """Log joint by the rule of docs/decisions/0015, with dense eigendecompositions of covariances."""
    classes = np.unique(y)
    means = [X[y == c].mean(0) for c in classes]
    scatters = [(X[y == c] - m).T @ (X[y == c] - m) for c, m in zip(classes, means)]
    values, vectors = np.linalg.eigh(sum(scatters) / (len(X) - denominator * len(classes)))
    W = vectors / np.sqrt(values)
    joint = []
    for c, m, S in zip(classes, means, scatters):
        n = np.sum(y == c)
        d, U = np.linalg.eigh(W.T @ S @ W / max(n - denominator, 1))
        d = np.where(d > 1e-10, d, 1.0)
        Z = (X - m) @ W @ U
        size = np.log(d).sum() + np.log(values).sum() + X.shape[1] * np.log(2.0 * np.pi)
        joint.append(np.log(n / len(X)) - 0.5 * (size + (Z**2 / d).sum(axis=1)))
    return np.transpose(joint)


@pytest.mark.parametrize("denominator", ["N", "N-K"])
@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_class_with_few_rows_takes_the_pooled_covariance_where_it_says_nothing(rows, denominator):
    X, y = normal_classes(3, p=4)
    few = np.r_[np.flatnonzero(y == "ant")[:rows], np.flatnonzero(y != "ant")]
    X, y = X[few], y[few]
    with pytest.warns(SingularClasses, match="RegularizedDiscriminantAnalysis") as caught:
        model = QuadraticDiscriminantAnalysis(denominator=denominator, store_covariance=True).fit(X, y)
    (warning,) = [w.message for w in caught if isinstance(w.message, SingularClasses)]
    assert (warning.classes, warning.ranks, warning.dimension) == (["ant"], [rows - 1], 4)
    wanted = completed(X, y, denominator=int(denominator == "N-K"))
    assert_allclose(model.predict_joint_log_proba(X), wanted, rtol=1e-9, atol=1e-9)
    assert model.certificate_.converged
    own = multivariate_normal(model.means_[0], model.covariance_[0]).logpdf(X) + np.log(model.priors_[0])
    assert_allclose(model.predict_joint_log_proba(X)[:, 0], own, rtol=1e-8, atol=1e-8)


def test_a_column_that_is_constant_in_one_class_takes_its_pooled_variance_there():
    X, y = normal_classes(2, p=3)
    X[y == "bee", 1] = 0.1  # not a sum of powers of two: its scatter is rounding
    with pytest.warns(SingularClasses, match="'bee' \\(rank 2\\)"):
        model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.predict_joint_log_proba(X), completed(X, y), rtol=1e-9, atol=1e-9)


def test_constant_and_duplicated_columns_are_named_and_change_nothing():
    X, y = normal_classes(3)
    names = ["a", "b", "c", "d", "one", "sum"]
    frame = pd.DataFrame(np.column_stack([X, np.full(len(X), 0.7), X[:, 0] + X[:, 2]]), columns=names)
    with pytest.warns(
        SingularWithin, match="determined by the other columns; one is constant within every class"
    ) as caught:
        model = QuadraticDiscriminantAnalysis(store_covariance=True).fit(frame, y)
    assert not [w for w in caught if isinstance(w.message, SingularClasses)]
    (warning,) = [w.message for w in caught if isinstance(w.message, SingularWithin)]
    assert warning.rank == 4 and warning.constant == ["one"] and warning.aliased[0] in {"a", "c", "sum"}
    plain = QuadraticDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.predict_log_proba(frame), plain.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    assert model.n_parameters_ == plain.n_parameters_ and model.certificate_.converged
    assert_allclose(model.covariance_[0], np.cov(frame[y == "ant"].T, ddof=0), atol=1e-12)
    new, _ = model.sample(50, random_state=0)
    assert_allclose(new[:, 5], new[:, 0] + new[:, 2], atol=1e-12)
    assert_allclose(new[:, 4], 0.7, rtol=1e-12)


def test_with_fewer_rows_than_columns_order_and_units_do_not_show():
    X, y = normal_classes(3, p=12, n=10, seed=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = QuadraticDiscriminantAnalysis().fit(X, y).predict_joint_log_proba(X)
        rng = np.random.default_rng(0)
        rows, columns = rng.permutation(10), rng.permutation(12)
        model = QuadraticDiscriminantAnalysis().fit(X[rows][:, columns], y[rows])
        assert_allclose(model.predict_joint_log_proba(X[:, columns]), expected, rtol=1e-8)
        units = np.logspace(-3, 3, 12)
        model = QuadraticDiscriminantAnalysis().fit(X * units, y)
    shift = model.predict_joint_log_proba(X * units) - expected  # a density has a unit, posteriors have none
    assert_allclose(shift, shift[0, 0], rtol=1e-7)


def test_with_a_regularised_covariance_nothing_is_singular():
    X, y = normal_classes(3, p=4)
    few = np.r_[np.flatnonzero(y == "ant")[:2], np.flatnonzero(y != "ant")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        QuadraticDiscriminantAnalysis(reg_param=0.1).fit(X[few], y[few])
        QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X[few], y[few])


@pytest.mark.parametrize(
    "options, words",
    [
        ({"priors": [0.5, 0.5]}, "there are 3 classes"),
        ({"priors": [1.5, -0.5, 0.0]}, r"\[0, 1\]"),
        ({"reg_param": 1.5}, r"reg_param must be a number in \[0, 1\]"),
        ({"shrinkage": -0.5}, "shrinkage must be a number"),
        ({"solver": "lsqr"}, "'svd', 'eigen'"),
        ({"denominator": "N-1"}, "'N', 'N-K'"),
        ({"covariance_estimator": OAS(), "shrinkage": 0.5}, "each of them makes the covariances"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        QuadraticDiscriminantAnalysis(**options).fit(*normal_classes(3))


def test_data_that_make_no_model_are_refused_by_name():
    X, y = normal_classes(3)
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        QuadraticDiscriminantAnalysis().fit(bad, y)
    large = np.tile(X, (1600, 1))  # too large to be read just to be looked at: the sums must tell
    large[-1, -1] = np.inf
    with pytest.raises(ValueError, match="Input X contains infinity"):
        QuadraticDiscriminantAnalysis().fit(large, np.tile(y, 1600))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        QuadraticDiscriminantAnalysis().fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match="constant within every class"):
        QuadraticDiscriminantAnalysis().fit(X[:3], ["ant", "bee", "cat"])
    with pytest.raises(ValueError, match="takes no weights"):
        QuadraticDiscriminantAnalysis(covariance_estimator=OAS()).fit(X, y, np.full(len(X), 2.0))
    with pytest.raises(ValueError, match="positive whole number"):
        QuadraticDiscriminantAnalysis().fit(X, y).sample(0)
