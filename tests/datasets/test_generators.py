"""What a generator says of its truth is true: of its law, its best rule and the error of that rule."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import multivariate_normal, norm

from separatrix import datasets
from separatrix.datasets.orange_blue import likelihood_ratio

MANY = 200_000


def separable(X, y):
    """By a linear program, apart from any classifier."""
    rows = np.where(y == y.max(), 1.0, -1.0)[:, None] * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0


def error_of_the_rule(data):
    """Error rate of the best rule on the rows, and the standard error of that."""
    rate = float((data.truth.rule(data.X) != data.y).mean())
    return rate, np.sqrt(max(rate * (1.0 - rate), 1e-9) / len(data))


@pytest.mark.mission("EX-04")
@pytest.mark.parametrize("which, low, high", [("X1", 3, 5), ("X2", 2, 4), ("X3", (0, 2), (2, 4)), ("X4", 1, 3)])
def test_the_four_sets_fill_the_squares_of_the_notes(which, low, high):
    """Golden case G026."""
    data = datasets.four_sets(20_000, which=which)
    for label, (a, b) in {-1: (0, 2), 1: (low, high)}.items():
        own = data.X[data.y == label]
        assert len(own) == 10_000
        np.testing.assert_allclose(own.min(axis=0), a, atol=2e-3)
        np.testing.assert_allclose(own.max(axis=0), b, atol=2e-3)
    small = datasets.four_sets(which=which)
    assert separable(small.X, small.y) == (which != "X4")


@pytest.mark.parametrize("which", ["X1", "X2", "X3", "X4"])
def test_the_line_halfway_has_the_error_that_is_said(which):
    data = datasets.four_sets(MANY, which=which)
    rate, error = error_of_the_rule(data)
    assert rate == pytest.approx(data.truth.error, abs=4.0 * error)
    assert data.truth.error == (0.125 if which == "X4" else 0.0)


def test_only_four_sets_exist():
    with pytest.raises(ValueError, match="X5"):
        datasets.four_sets(which="X5")


@pytest.mark.mission("EX-07")
def test_the_far_cluster_is_beyond_the_second_class_and_all_can_be_separated():
    data, near = datasets.far_cluster(seed=4), datasets.far_cluster(seed=4, far=False)
    assert np.bincount(data.y).tolist() == [40, 65] and np.bincount(near.y).tolist() == [40, 40]
    np.testing.assert_array_equal(data.X[:80], near.X)
    assert separable(data.X, data.y)
    assert np.linalg.norm(data.X[80:].mean(axis=0) - [9.0, -12.0]) < 0.6


def test_no_other_rule_of_the_far_cluster_beats_the_one_that_is_said():
    data = datasets.far_cluster(MANY)
    rate, _ = error_of_the_rule(data)
    assert 1e-4 < rate < 2e-3
    densities = [
        multivariate_normal(m, v * np.eye(2)) for m, v in (((-1.5, 0.5), 0.25), ((1.5, -0.5), 0.25), ((9, -12), 0.64))
    ]
    weighted = np.column_stack([f.pdf(data.X) for f in densities]) * np.array([8, 8, 5]) / 21
    bayes = (weighted[:, 1:].sum(axis=1) > weighted[:, 0]).astype(int)
    assert (bayes == data.truth.rule(data.X)).mean() > 0.9999


@pytest.mark.mission("BE-09")
def test_exclusive_or_has_the_rows_of_its_table_and_no_line():
    """Golden case G068: not separable, separable with the product as a further column."""
    data = datasets.xor(4, noise=0.0)
    np.testing.assert_array_equal(data.X, [[0, 0], [0, 1], [1, 0], [1, 1]])
    assert data.y.tolist() == [0, 1, 1, 0] and data.truth.error == 0.0
    assert not separable(data.X, data.y)
    assert separable(np.column_stack([data.X, data.X.prod(axis=1)]), data.y)


@pytest.mark.parametrize("noise", [0.15, 0.5])
def test_the_error_of_exclusive_or_is_that_of_its_formula(noise):
    data = datasets.xor(MANY, noise=noise)
    rate, error = error_of_the_rule(data)
    q = norm.cdf(-0.5 / noise)
    assert data.truth.error == pytest.approx(2 * q * (1 - q))
    assert rate == pytest.approx(data.truth.error, abs=4.0 * error)


@pytest.mark.mission("EX-10")
@pytest.mark.parametrize("spacing", ["even", "uniform"])
def test_a_sine_has_its_noise_about_it(spacing):
    data = datasets.sine(MANY, noise=0.3, spacing=spacing)
    left = data.y - data.truth.rule(data.X)
    assert left.std() == pytest.approx(data.truth.error, rel=0.01) and abs(left.mean()) < 0.005
    assert data.X.min() >= 0.0 and data.X.max() <= 1.0
    fitted = np.polynomial.Polynomial.fit(data.X[:, 0], data.y, 9)(data.X[:, 0])
    np.testing.assert_allclose(fitted, np.sin(2.0 * np.pi * data.X[:, 0]), atol=0.02)


def test_a_sine_takes_what_it_can():
    with pytest.raises(ValueError, match="spacing"):
        datasets.sine(spacing="odd")
    with pytest.raises(ValueError, match="noise >= 0"):
        datasets.sine(noise=-1.0)


def test_gaussian_classes_have_their_means_covariances_and_priors():
    means = np.array([[0.0, 0.0, 1.0], [2.0, -1.0, 0.0]])
    A = np.random.default_rng(0).standard_normal((2, 3, 3))
    covariances = A @ A.transpose(0, 2, 1) + np.eye(3)
    data = datasets.gaussian_classes(MANY, means=means, covariances=covariances, priors=[0.3, 0.7])
    assert (data.y == 1).mean() == pytest.approx(0.7, abs=0.005)
    for c in range(2):
        np.testing.assert_allclose(data.X[data.y == c].mean(axis=0), means[c], atol=0.05)
        np.testing.assert_allclose(np.cov(data.X[data.y == c].T), covariances[c], rtol=0.05, atol=0.05)
    assert data.feature_names == ["x1", "x2", "x3"] and data.truth.error is None


def test_the_bayes_rate_of_two_classes_is_that_of_the_normal_tail():
    data = datasets.gaussian_classes(MANY, means=[[0.0, 0.0], [1.0, 1.0]], covariances=np.eye(2))
    assert data.truth.error == pytest.approx(norm.cdf(-np.sqrt(2.0) / 2.0))
    rate, error = error_of_the_rule(data)
    assert rate == pytest.approx(data.truth.error, abs=4.0 * error)


def test_three_classes_know_their_bayes_risk():
    data = datasets.gaussian_classes(MANY)
    risk = data.truth.problem.bayes_risk(tol=1e-4).value
    rate, error = error_of_the_rule(data)
    assert rate == pytest.approx(risk, abs=4.0 * error + 1e-3)


def test_gaussian_classes_need_shapes_that_fit():
    with pytest.raises(ValueError, match="shape"):
        datasets.gaussian_classes(means=[[0.0, 0.0]], covariances=np.eye(2))
    with pytest.raises(ValueError, match="shape"):
        datasets.gaussian_classes(means=np.eye(2), covariances=np.eye(3))


def test_orange_and_blue_are_mixtures_of_the_bumps_they_are_given():
    means = np.repeat([[5.0, 0.0], [0.0, 5.0]], 10, axis=0)
    data = datasets.orange_blue(MANY, means=means)
    for c, centre in enumerate(([5.0, 0.0], [0.0, 5.0])):
        own = data.X[data.y == c]
        np.testing.assert_allclose(own.mean(axis=0), centre, atol=0.01)
        np.testing.assert_allclose(np.cov(own.T), 0.2 * np.eye(2), atol=0.01)
    with pytest.raises(ValueError, match="ten"):
        datasets.orange_blue(means=np.eye(2))


def test_the_means_of_orange_and_blue_are_drawn_about_two_points():
    """200 points of a thousand seeds: the mean over all is the centre of each class."""
    drawn = [datasets.orange_blue(20, seed=seed) for seed in range(1000)]
    for c, centre in enumerate(([1.0, 0.0], [0.0, 1.0])):
        np.testing.assert_allclose(np.vstack([d.X[d.y == c] for d in drawn]).mean(axis=0), centre, atol=0.06)


def test_the_likelihood_ratio_is_that_of_the_densities_also_far_away():
    means = np.random.default_rng(0).standard_normal((20, 2))
    X = np.random.default_rng(1).standard_normal((50, 2))
    density = np.array([multivariate_normal(m, 0.2 * np.eye(2)).pdf(X) for m in means])
    np.testing.assert_allclose(
        likelihood_ratio(X, means), density[10:].sum(axis=0) / density[:10].sum(axis=0), rtol=1e-9
    )
    assert not np.isnan(likelihood_ratio([[100.0, 100.0]], means)).any()
