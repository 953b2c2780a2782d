"""Bias, variance and noise: the identity, closed forms, and Monte Carlo within three standard errors."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.pipeline import make_pipeline

from separatrix import assess
from separatrix.linear_model import LinearRegression, Ridge
from separatrix.neighbors import KNeighborsRegressor
from separatrix.preprocessing import GaussianBasis, PolynomialFeatures

NOISE = 0.3
GRID = np.linspace(0.0, 1.0, 200)[:, None]


def sine(X):
    return np.sin(2.0 * np.pi * X[:, 0])


def generate(rng, n=25):
    X = rng.uniform(size=(n, 1))
    return X, sine(X) + NOISE * rng.standard_normal(n)


def many(rng):
    return generate(rng, 2000)


MODELS = [
    LinearRegression(),
    KNeighborsRegressor(3),
    make_pipeline(PolynomialFeatures(5), Ridge(1e-3)),
    make_pipeline(GaussianBasis(24), Ridge(0.1)),
]


class Mean(RegressorMixin, BaseEstimator):
    """The mean of y everywhere."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.mark.mission("EV-14")
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_squared_distance_from_the_truth_is_bias_squared_plus_variance(model):
    """G042: exactly, but for rounding; the sums are taken apart here by loops."""
    found = assess.bias_variance(model, generate, sine, GRID, datasets=20, noise=NOISE**2)
    rng = np.random.default_rng(0)
    h = np.array([model.fit(*generate(rng)).predict(GRID) for _ in range(20)])
    bias2 = np.mean([(h[:, i].mean() - sine(GRID)[i]) ** 2 for i in range(200)])
    variance = np.mean([[(h[l, i] - h[:, i].mean()) ** 2 for l in range(20)] for i in range(200)])
    assert found.bias2 == pytest.approx(bias2, rel=1e-10)
    assert found.variance == pytest.approx(variance, rel=1e-10)
    assert found.squared_error == pytest.approx(found.bias2 + found.variance, rel=1e-12)
    assert found.expected_loss == found.bias2 + found.variance + NOISE**2


@pytest.mark.mission("EV-14")
def test_bias_and_variance_of_a_mean_are_known():
    """h = the mean of 25 y of variance ½ + 0.09: variance (½ + 0.09)/25; bias² = ½, the mean square of a sine."""
    found = assess.bias_variance(Mean(), generate, sine, GRID, datasets=4000, noise=NOISE**2)
    variance = (0.5 + NOISE**2) / 25
    assert found.variance == pytest.approx(variance, abs=4.0 * variance * np.sqrt(2.0 / 4000))
    assert found.bias2 == pytest.approx(0.5, abs=0.01)


@pytest.mark.mission("EV-15", "EV-16")
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_error_on_new_rows_is_the_sum_of_the_three_within_three_standard_errors(model):
    """On the same data sets: what new rows cost, minus bias² + variance + noise, has mean 0."""
    rng, fresh = np.random.default_rng(7), np.random.default_rng(8)
    X = np.random.default_rng(9).uniform(size=(2000, 1))  # points from p(x), the same for both
    found = assess.bias_variance(model, generate, sine, X, datasets=30, noise=NOISE**2, seed=7)
    costs = []
    for _ in range(30):
        y = sine(X) + NOISE * fresh.standard_normal(2000)
        costs.append(np.mean((y - model.fit(*generate(rng)).predict(X)) ** 2))
    own = np.mean((found.predictions - sine(X)) ** 2, axis=1) + NOISE**2
    gaps = np.array(costs) - own
    assert abs(gaps.mean()) < 3.0 * gaps.std(ddof=1) / np.sqrt(30)
    assert own.mean() == pytest.approx(found.expected_loss, rel=1e-12)


@pytest.mark.mission("EV-16", "EV-15")
@pytest.mark.parametrize("model", MODELS[:3], ids=str)
def test_the_expected_prediction_error_is_the_sum_of_the_three_within_three_standard_errors(model):
    risk = assess.expected_prediction_error(model, generate, many, datasets=100, seed=3)
    found = assess.bias_variance(model, generate, sine, GRID, datasets=100, noise=NOISE**2, seed=4)  # other data sets
    assert abs(risk.value - found.expected_loss) < 3.0 * np.hypot(risk.error, found.error)


@pytest.mark.mission("EV-16")
def test_the_expected_prediction_error_of_least_squares_is_its_closed_form():
    """Gaussian columns: σ² (1 + 1/n)(n - 1)... = σ² (n + 1)(n - 2) / (n (n - p - 2)) with an intercept."""
    n, p = 30, 3

    def draw(rng, rows=n):
        X = rng.standard_normal((rows, p))
        return X, X.sum(axis=1) + rng.standard_normal(rows)

    risk = assess.expected_prediction_error(LinearRegression(), draw, lambda rng: draw(rng, 500), datasets=200)
    exact = (n + 1) * (n - 2) / (n * (n - p - 2))
    assert abs(risk.value - exact) < 3.0 * risk.error
    assert risk.error < 0.02


@pytest.mark.mission("EV-15")
def test_noise_may_vary_and_no_model_goes_below_it():
    """The truth itself, as a model, costs the noise and nothing else."""

    class Truth(Mean):
        def predict(self, X):
            return sine(X)

    def uneven(X):
        return (0.1 + X[:, 0]) ** 2

    found = assess.bias_variance(Truth(), generate, sine, GRID, datasets=2, noise=uneven)
    assert found.bias2 == found.variance == 0.0
    assert found.expected_loss == found.noise == pytest.approx(np.mean((0.1 + GRID[:, 0]) ** 2), rel=1e-14)


@pytest.mark.mission("EV-16")
def test_any_loss_may_be_averaged():
    from separatrix.linear_model import LogisticRegression

    def two(rng):
        y = np.arange(60) % 2
        return rng.standard_normal((60, 1)) + 2.0 * y[:, None], y

    risk = assess.expected_prediction_error(LogisticRegression(), two, loss=lambda y, g: y != g, datasets=60)
    assert risk.value == pytest.approx(0.1587, abs=0.02)  # the Bayes rate Φ(-1), and a little more
    assert risk.value + 3.0 * risk.error > 0.1587


def test_experiments_are_reproducible_and_nonsense_is_refused():
    a, b = (assess.bias_variance(Ridge(), generate, sine, GRID, datasets=3, seed=1) for _ in range(2))
    assert (a.predictions == b.predictions).all()
    with pytest.raises(ValueError, match="a variance needs two"):
        assess.bias_variance(Ridge(), generate, sine, GRID, datasets=1)
    with pytest.raises(ValueError, match="truth of shape"):
        assess.bias_variance(Ridge(), generate, lambda X: X, GRID, datasets=2)
