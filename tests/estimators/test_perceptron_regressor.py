"""Perceptron regression: the golden line, least squares in the limit, and the printed rule that diverges."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor as Reference
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import Diverged
from separatrix.linear_model import PerceptronRegressor

# One example at a time: a row of weight 2 is one long step, a row given twice is two steps from different places.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "sample_weight multiplies a step; it does not repeat it",
    "check_sample_weight_equivalence_on_sparse_data": "sample_weight multiplies a step; it does not repeat it",
}


@parametrize_with_checks([PerceptronRegressor()], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    return X, X @ [1.0, -2.0] + 0.5 + rng.standard_normal(60)


@pytest.mark.mission("PC-08")
def test_the_golden_line_is_found_and_the_printed_rule_runs_away():
    # golden case G010; the first column of the notes is the intercept
    X, y = np.array([[0.0], [1.0]]), np.array([-1.0, -2.0])
    model = PerceptronRegressor(eta0=0.5, max_iter=200, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose([model.intercept_[0], model.coef_[0]], [-1.0, -1.0], atol=1e-6)
    w, path = np.zeros(2), []
    for x, target in 2 * [((1.0, 0.0), -1.0), ((1.0, 1.0), -2.0)]:
        w = w + (target - w @ x) ** 2 * np.array(x)  # as printed: the square loses the sign of the error
        path.append(w.tolist())
    assert path == [[1, 0], [10, 9], [131, 9], [20295, 20173]]


@pytest.mark.mission("PC-08")
def test_a_pass_is_the_delta_rule(data):
    X, y = data
    w, b = np.zeros(2), 0.0
    for _ in range(3):
        for x, target in zip(X, y):
            error = target - (w @ x + b)
            w, b = w + 0.05 * error * x, b + 0.05 * error
    model = PerceptronRegressor(eta0=0.05, max_iter=3, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), np.append(w, b), rtol=1e-12)
    theirs = Reference(penalty=None, learning_rate="constant", eta0=0.05, max_iter=3, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-11)


@pytest.mark.mission("PC-08")
def test_it_approaches_least_squares_as_the_step_shrinks(data):
    X, y = data
    exact = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]

    def distance(eta):
        model = PerceptronRegressor(eta0=eta, max_iter=int(20 / eta), tol=None, shuffle=False).fit(X, y)
        return np.linalg.norm(np.append(model.coef_, model.intercept_) - exact)

    far, near, nearer = distance(0.1), distance(0.01), distance(0.001)
    assert far > 5 * near > 25 * nearer > 0
    assert nearer < 0.01


def test_too_long_a_step_is_reported(data):
    X, y = data
    with pytest.warns(Diverged, match=r"eta0=0\.3"):
        model = PerceptronRegressor(eta0=3.0, max_iter=20, tol=None).fit(X, y)
    assert np.isfinite(model.coef_).all()


def test_a_stream_of_single_examples_is_one_pass(data):
    X, y = data
    whole = PerceptronRegressor(max_iter=1, tol=None, shuffle=False).fit(X, y)
    stream = PerceptronRegressor(shuffle=False)
    for i in range(60):
        stream.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-12)


def test_the_trace_shows_the_objective_and_its_own_rule_is_silent(data):
    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PerceptronRegressor(trace=True).fit(X, y)
    w, b = model.trace_.coefficients[-1], model.trace_.intercepts[-1]
    assert model.trace_.objective[-1] == pytest.approx(np.mean((X @ w + b - y) ** 2) / 2, rel=1e-12)
    assert model.certificate_.kind == "gap"


@pytest.mark.parametrize(
    ("name", "bad"), [("eta0", 0.0), ("eta0", -1.0), ("max_iter", 0), ("shuffle", "no"), ("tol", -1.0)]
)
def test_bad_settings_say_what_to_do(data, name, bad):
    with pytest.raises(ValueError, match=name):
        PerceptronRegressor(**{name: bad}).fit(*data)


def test_bad_data_say_what_to_do(data):
    X, y = data
    with pytest.raises(ValueError, match="NaN"):
        PerceptronRegressor().fit(X, np.where(y > 1, np.nan, y))
    with pytest.raises(ValueError, match="2 columns"):
        PerceptronRegressor().fit(X, y, coef_init=np.zeros(3))
