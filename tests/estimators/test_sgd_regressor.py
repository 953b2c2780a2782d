"""SGDRegressor against scikit-learn's, its laws, and its failures."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import SGDRegressor as Reference
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import Diverged, NotCertified
from separatrix.linear_model import SGDRegressor

LOSSES = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
PENALTIES = ["l2", "l1", "elasticnet", None]

# One example at a time: a row of weight 2 is one long step, a row given twice is two steps from different places.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "sample_weight multiplies a step; it does not repeat it",
    "check_sample_weight_equivalence_on_sparse_data": "sample_weight multiplies a step; it does not repeat it",
}


@parametrize_with_checks([SGDRegressor(random_state=0)], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 7)) + 0.3
    y = X @ rng.standard_normal(7) + rng.standard_normal(120) + 1.0
    return X, y, rng.uniform(0.2, 2.0, 120)


def both(X, y, s=None, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = SGDRegressor(shuffle=False, random_state=0, **settings).fit(X, y, sample_weight=s)
        theirs = Reference(shuffle=False, random_state=0, **settings).fit(X, y, sample_weight=s)
    return ours, theirs


def assert_same(ours, theirs, rtol=1e-10):
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=rtol, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=rtol, atol=1e-10)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)


@pytest.mark.mission("GD-03")
@pytest.mark.parametrize("rate", ["constant", "invscaling", "adaptive"])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_unshuffled_passes_are_those_of_scikit_learn(data, loss, penalty, rate):
    X, y, s = data
    assert_same(*both(X, y, s, loss=loss, penalty=penalty, learning_rate=rate, alpha=0.01, max_iter=7, tol=None))


@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_stopping_rule_is_that_of_scikit_learn(data, loss, penalty):
    X, y, _ = data
    ours, theirs = both(X, y, loss=loss, penalty=penalty, alpha=0.01)
    assert ours.n_iter_ < 1000
    assert_same(ours, theirs)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", ["huber", "epsilon_insensitive"])
def test_the_optimal_rate_is_that_of_scikit_learn(data, loss, penalty):
    X, y, _ = data
    assert_same(*both(X, y, loss=loss, penalty=penalty, learning_rate="optimal", alpha=0.01, max_iter=7, tol=None))


@pytest.mark.parametrize("power_t", [0.0, 0.25, 0.5, 0.7])
def test_every_power_of_inverse_scaling_is_that_of_scikit_learn(data, power_t):
    X, y, _ = data
    assert_same(*both(X, y, power_t=power_t, max_iter=3, tol=None))


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
@pytest.mark.parametrize("penalty", [None, "l2", "l1"])
def test_passive_aggressive_steps_are_those_of_scikit_learn(data, rate, penalty):
    X, y, s = data
    X = np.vstack([X, np.zeros(7)])  # a row without length cannot be corrected along itself
    y, s = np.append(y, 1.0), np.append(s, 1.0)
    settings = {"loss": "epsilon_insensitive", "learning_rate": rate, "eta0": 0.5, "max_iter": 5, "tol": None}
    assert_same(*both(X, y, s, penalty=penalty, **settings))


@pytest.mark.parametrize("average", [True, 50, 5000])
@pytest.mark.parametrize("penalty", ["l2", None])
def test_the_average_is_that_of_scikit_learn(data, average, penalty):
    X, y, s = data
    assert_same(*both(X, y, s, average=average, penalty=penalty, alpha=0.05, max_iter=7, tol=None))


def test_the_average_under_l1_is_the_mean_of_the_iterates(data):
    X, y, _ = data
    model = SGDRegressor(penalty="l1", alpha=0.1, shuffle=False, average=True)
    plain = SGDRegressor(penalty="l1", alpha=0.1, shuffle=False)
    iterates = []
    for i in range(60):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        iterates.append(plain.partial_fit(X[i : i + 1], y[i : i + 1]).coef_)
    np.testing.assert_allclose(model.coef_, np.mean(iterates, axis=0), rtol=1e-12)
    whole = clone(model).partial_fit(X[:60], y[:60])
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-10)


def test_early_stopping_holds_out_the_rows_that_scikit_learn_holds_out(data):
    X, y, s = data
    assert_same(*both(X, y, s, penalty=None, early_stopping=True, validation_fraction=0.2))


def test_a_strong_ridge_sets_coefficients_to_zero_and_not_beyond(data):
    X, y, _ = data
    ours, theirs = both(X, y, alpha=500.0, learning_rate="constant", max_iter=3, tol=None)
    assert_same(ours, theirs)


@pytest.mark.parametrize("penalty", ["l2", None])
def test_sparse_rows_without_intercept_are_those_of_scikit_learn(penalty):
    X = sp.random_array((200, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    y = X @ np.arange(30.0)
    assert_same(*both(X, y, penalty=penalty, fit_intercept=False, max_iter=5, tol=None))


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_and_dense_agree(penalty, kind):
    X = sp.random_array((200, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    y = X @ np.arange(30.0) + 2.0
    model = SGDRegressor(penalty=penalty, alpha=0.01, max_iter=5, tol=None, random_state=0)
    dense, sparse = clone(model).fit(X.toarray(), y), clone(model).fit(kind(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-9)
    np.testing.assert_allclose(sparse.predict(X), dense.predict(X.toarray()), rtol=1e-9)


def test_float32_and_fortran_order_change_nothing_beyond_their_rounding(data):
    X, y, _ = data
    X = X.astype(np.float32)
    model = SGDRegressor(max_iter=5, tol=None, random_state=0)
    wide = clone(model).fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(clone(model).fit(X, y).coef_, wide.coef_.astype(np.float32))
    np.testing.assert_array_equal(clone(model).fit(np.asfortranarray(X, dtype=np.float64), y).coef_, wide.coef_)


@pytest.mark.mission("GD-06")
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("average", [False, 20])
def test_chunks_of_a_stream_equal_one_online_pass(data, penalty, average):
    X, y, s = data
    whole = SGDRegressor(penalty=penalty, alpha=0.05, average=average, max_iter=1, tol=None, shuffle=False)
    whole.fit(X, y, sample_weight=s)
    stream = clone(whole)
    for rows in np.split(np.arange(120), [1, 2, 40, 41, 100]):
        stream.partial_fit(X[rows], y[rows], sample_weight=s[rows])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(stream.intercept_, whole.intercept_, rtol=1e-11)
    assert stream.t_ == whole.t_ == 121.0


@pytest.mark.mission("GD-06")
def test_a_pickled_stream_goes_on(data):
    X, y, _ = data
    model = SGDRegressor(penalty="l1", shuffle=False).partial_fit(X[:50], y[:50])
    thawed = pickle.loads(pickle.dumps(model)).partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(thawed.coef_, model.partial_fit(X[50:], y[50:]).coef_)


@pytest.mark.mission("GD-03")
def test_a_seed_fixes_the_order_and_another_changes_it(data):
    X, y, _ = data
    fits = [SGDRegressor(random_state=seed, max_iter=5, tol=None).fit(X, y).coef_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])


def test_shuffled_fits_scatter_about_the_same_place_as_those_of_scikit_learn(data):
    X, y, _ = data
    settings = {"max_iter": 40, "tol": None}
    ours = np.array([SGDRegressor(random_state=i, **settings).fit(X, y).coef_ for i in range(20)])
    theirs = np.array([Reference(random_state=i, **settings).fit(X, y).coef_ for i in range(20)])
    error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / 20)
    assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 5 * error).all()
    assert (ours.std(axis=0) < 3 * theirs.std(axis=0)).all() and (theirs.std(axis=0) < 3 * ours.std(axis=0)).all()


def test_warm_start_and_given_coefficients_are_where_it_starts(data):
    X, y, _ = data
    model = SGDRegressor(shuffle=False, max_iter=2, tol=None, learning_rate="constant", warm_start=True)
    twice = clone(model).fit(X, y).fit(X, y)
    once = clone(model).set_params(max_iter=4).fit(X, y)
    np.testing.assert_allclose(twice.coef_, once.coef_, rtol=1e-12)
    half = clone(model).fit(X, y)
    given = clone(model).fit(X, y, coef_init=half.coef_, intercept_init=half.intercept_)
    np.testing.assert_array_equal(given.coef_, twice.coef_)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_the_certificate_bounds_the_distance_to_the_optimum(data, penalty):
    X, y, s = data
    model = SGDRegressor(penalty=penalty, alpha=0.1, l1_ratio=0.5, random_state=0).fit(X, y, sample_weight=s)
    better = SGDRegressor(penalty=penalty, alpha=0.1, l1_ratio=0.5, random_state=0, learning_rate="adaptive", tol=1e-9)
    better.fit(X, y, sample_weight=s)

    def objective(m):
        w, l1 = m.coef_, {"l2": 0.0, "l1": 1.0, "elasticnet": 0.5}[penalty]
        loss = s @ (m.predict(X) - y) ** 2 / 2 / s.sum()
        return loss + 0.1 * len(y) / s.sum() * (l1 * np.abs(w).sum() + (1 - l1) * w @ w / 2)

    null = s @ (y - s @ y / s.sum()) ** 2 / 2 / s.sum()
    assert model.certificate_.kind == "gap"
    assert 0 <= objective(model) - objective(better) <= model.certificate_.value * null
    assert better.certificate_.value < model.certificate_.value
    assert model.certificate_.converged == (model.certificate_.value <= 1e-3)


def test_without_a_penalty_the_certificate_is_the_gap_of_least_squares(data):
    X, y, _ = data
    model = SGDRegressor(penalty=None, random_state=0).fit(X, y)
    r, Z = model.predict(X) - y, np.c_[np.ones(len(y)), X]
    least = Z @ np.linalg.lstsq(Z, y)[0] - y
    expected = (r @ r - least @ least) / ((y - y.mean()) ** 2).sum()
    assert model.certificate_.kind == "gap"
    assert model.certificate_.value == pytest.approx(expected, rel=1e-9)
    model.partial_fit(X, y)
    assert not model.certificate_.converged and "stream" in model.certificate_.message


def test_its_own_rule_met_gives_no_warning_and_passes_used_up_do(data):
    X, y, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SGDRegressor(random_state=0, alpha=0.01).fit(X, y)
        SGDRegressor(random_state=0, max_iter=2, tol=None).fit(X, y)
    with pytest.warns(NotCertified, match="max_iter"):
        SGDRegressor(random_state=0, max_iter=2).fit(X, y)


def test_the_trace_holds_the_true_objective_after_each_pass(data):
    X, y, _ = data
    model = SGDRegressor(random_state=0, alpha=0.1, trace=True).fit(X, y)
    assert len(model.trace_) == model.n_iter_
    trace = model.trace_
    for found, w, b in zip(trace.objective, trace.coefficients, trace.intercepts, strict=True):
        expected = ((X @ w + b - y) ** 2).mean() / 2 + 0.05 * w @ w
        assert found == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(trace.coefficients[-1], model.coef_)
    assert trace.intercepts[-1] == model.intercept_[0]
    assert not hasattr(SGDRegressor(max_iter=1, tol=None).fit(X, y), "trace_")


@pytest.mark.mission("GD-04")
@pytest.mark.parametrize("size", [1e4, 1e150])
def test_a_descent_that_runs_away_is_reported_and_returns_finite_numbers(data, size):
    X, y, _ = data
    with pytest.warns(Diverged, match="eta0|learning_rate"):
        model = SGDRegressor(random_state=0, max_iter=20, tol=None).fit(size * X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    residual = y - model.predict(size * X)
    assert (residual**2).mean() <= (y**2).mean() * (1 + 1e-12)


@pytest.mark.mission("GD-04")
def test_a_stream_that_overflows_keeps_its_last_finite_state(data):
    X, y, _ = data
    model = SGDRegressor(shuffle=False).partial_fit(X, y)
    before = model.coef_
    with pytest.warns(Diverged):
        model.partial_fit(1e200 * X, y)
    np.testing.assert_array_equal(model.coef_, before)


def test_a_rate_that_decreases_may_come_back_from_afar(data):
    X, y, _ = data
    ours, theirs = both(X, y, learning_rate="optimal", alpha=0.01, max_iter=300)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"alpha": -1.0}, ValueError, "alpha"),
        ({"loss": "log_loss"}, ValueError, "loss"),
        ({"penalty": "none"}, ValueError, "penalty"),
        ({"learning_rate": "fast"}, ValueError, "learning_rate"),
        ({"eta0": 0.0}, ValueError, "eta0"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"l1_ratio": 1.5}, ValueError, "l1_ratio"),
        ({"penalty": "elasticnet", "l1_ratio": None}, TypeError, "l1_ratio"),
        ({"loss": "huber", "epsilon": 0.0}, ValueError, "epsilon"),
        ({"average": 0}, ValueError, "average"),
        ({"shuffle": "no"}, ValueError, "shuffle"),
        ({"learning_rate": "optimal", "alpha": 0.0}, ValueError, "alpha > 0"),
        ({"learning_rate": "pa1"}, ValueError, "epsilon_insensitive"),
    ],
)
def test_bad_settings_say_what_to_do(data, settings, error, message):
    with pytest.raises(error, match=message):
        SGDRegressor(**settings).fit(*data[:2])


def test_flags_from_a_numpy_array_are_flags(data):
    X, y, _ = data
    model = SGDRegressor(shuffle=np.array([False])[0], average=np.array([True])[0], max_iter=2, tol=None).fit(X, y)
    plain = SGDRegressor(shuffle=False, average=True, max_iter=2, tol=None).fit(X, y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_bad_starts_and_streams_say_what_to_do(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="7 columns"):
        SGDRegressor().fit(X, y, coef_init=np.zeros(3))
    with pytest.raises(ValueError, match="early_stopping=False"):
        SGDRegressor(early_stopping=True).partial_fit(X, y)
