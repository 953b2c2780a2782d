"""Mixtures of experts: the golden case, densities and gradients written anew here, splits, weights, files."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize
from scipy.special import logsumexp, softmax
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.errors import NotCertified
from separatrix.ensemble import MixtureOfExpertsClassifier, MixtureOfExpertsRegressor
from separatrix.linear_model import LinearRegression, LogisticRegression, Ridge

DIABETES = scale(load_diabetes().data)[:, [2, 8]], load_diabetes().target
CANCER = scale(load_breast_cancer().data)[:, :3], load_breast_cancer().target
IRIS = scale(load_iris().data), load_iris().target


@parametrize_with_checks([MixtureOfExpertsRegressor(n_init=1), MixtureOfExpertsClassifier(n_init=1)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ the formula


def by_hand(gate, expert_p):
    """A classifier of one column that it ignores, with a gate and experts of given probabilities."""
    model = MixtureOfExpertsClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0])
    K = len(gate)
    model.gate_coef_, model.gate_intercept_ = np.zeros((K, 1)), np.log(gate)
    model.expert_coef_ = np.zeros((K, 1))
    model.expert_intercept_ = np.log([p[1] / p[0] for p in expert_p])
    return model


@pytest.mark.mission("ME-01")
def test_a_mixture_at_one_point_is_that_of_the_golden_case():
    model = by_hand([0.3, 0.7], [[0.9, 0.1], [0.2, 0.8]])  # golden case G103
    assert_allclose(model.predict_proba([[5.0]]), [[0.41, 0.59]], rtol=1e-12)
    assert_allclose(model.gate_proba([[5.0]]), [[0.3, 0.7]], rtol=1e-12)
    assert_allclose(model.expert_probabilities([[5.0]]), [[[0.9, 0.1], [0.2, 0.8]]], rtol=1e-12)
    # responsibilities by Bayes' rule: 0.3 · 0.1 and 0.7 · 0.8
    assert_allclose(model.responsibilities([[5.0]], [1]), [[0.03 / 0.59, 0.56 / 0.59]], rtol=1e-12)


@pytest.mark.mission("ME-01")
def test_shares_of_the_gate_sum_to_one_and_probabilities_follow_from_them():
    X, y = IRIS
    model = MixtureOfExpertsClassifier(3).fit(X, y)
    shares, each = model.gate_proba(X), model.expert_probabilities(X)
    assert shares.shape == (150, 3) and each.shape == (150, 3, 3)
    assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert_allclose(model.predict_proba(X), np.einsum("ik,ikc->ic", shares, each), rtol=1e-9, atol=1e-15)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-9)
    assert_allclose(model.responsibilities(X, y).sum(axis=1), 1.0, rtol=1e-12)


# ------------------------------------------------------------------ the likelihood, written anew


def penalised_regression(theta, X, y, s, K, alpha, gate_alpha):
    """-L / Σs of a flat vector: gate coefficients and intercepts, expert coefficients, intercepts, log variances."""
    p = X.shape[1]
    V, c, W, b, logs = np.split(theta, np.cumsum([K * p, K, K * p, K]))
    V, W = V.reshape(K, p), W.reshape(K, p)
    logs_all = np.log(softmax(X @ V.T + c, axis=1)) + norm.logpdf(y[:, None], X @ W.T + b, np.exp(0.5 * logs))
    penalty = gate_alpha * (V**2).sum() + alpha * ((W**2).sum(axis=1) / np.exp(logs)).sum()
    return -(s @ logsumexp(logs_all, axis=1) - 0.5 * penalty) / s.sum()


def flat(model):
    parts = (model.gate_coef_, model.gate_intercept_, model.expert_coef_, model.expert_intercept_)
    logs = [np.log(model.expert_variances_)] if hasattr(model, "expert_variances_") else []
    return np.concatenate([np.ravel(part) for part in (*parts, *logs)])


@pytest.mark.mission("ME-02")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_of_numbers_is_a_maximum_of_its_penalised_likelihood(weighted):
    X, y = DIABETES
    s = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    model = MixtureOfExpertsRegressor(alpha=2.0, gate_alpha=0.5).fit(X, y, s)
    assert model.certificate_.converged and "stationary" in str(model.certificate_)
    assert "another may be higher" in model.certificate_.message
    arguments = (X, y, s, 2, 2.0, 0.5)
    theta = flat(model)
    assert -penalised_regression(theta, *arguments) == pytest.approx(model.likelihood_path_[-1], rel=1e-12)
    # in units of the standard deviation of y the gradient is as small as the certificate says
    units = np.concatenate([np.ones(6), np.full(6, y.std()), np.ones(2)])
    slope = approx_fprime(np.zeros(14), lambda z: penalised_regression(theta + units * z, *arguments), 1e-7)
    assert np.abs(slope).max() < 1e-5
    rng = np.random.default_rng(1)
    for _ in range(20):
        near = theta + 0.05 * units * rng.standard_normal(14)
        assert penalised_regression(near, *arguments) > penalised_regression(theta, *arguments)
    plain = s @ logsumexp(
        np.log(model.gate_proba(X))
        + norm.logpdf(y[:, None], model.expert_predictions(X), np.sqrt(model.expert_variances_)),
        axis=1,
    )
    assert model.log_likelihood_ == pytest.approx(plain, rel=1e-12)


@pytest.mark.mission("ME-02")
def test_the_fit_of_classes_is_a_maximum_of_its_penalised_likelihood():
    X, y = CANCER

    def penalised(theta):
        V, c, W, b = np.split(theta, [6, 8, 14])
        V, W = V.reshape(2, 3), W.reshape(2, 3)
        each = 1.0 / (1.0 + np.exp(-(2 * y[:, None] - 1) * (X @ W.T + b)))
        chance = (softmax(X @ V.T + c, axis=1) * each).sum(axis=1)
        return -(np.log(chance).sum() - 0.5 * 0.7 * (V**2).sum() - 0.5 * 0.3 * (W**2).sum()) / len(y)

    model = MixtureOfExpertsClassifier(alpha=0.3, gate_alpha=0.7).fit(X, y)
    assert -penalised(flat(model)) == pytest.approx(model.likelihood_path_[-1], rel=1e-12)
    assert np.abs(approx_fprime(flat(model), penalised, 1e-7)).max() < 1e-5
    again = minimize(penalised, flat(model), method="BFGS", options={"gtol": 1e-9})
    assert penalised(flat(model)) - again.fun < 1e-9


@pytest.mark.mission("ME-02")
@pytest.mark.parametrize(
    ("model", "data"),
    [
        (MixtureOfExpertsRegressor(), DIABETES),
        (MixtureOfExpertsRegressor(3, alpha=0.01, gate_alpha=0.01), DIABETES),
        (MixtureOfExpertsClassifier(), CANCER),
        (MixtureOfExpertsClassifier(3), IRIS),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::separatrix.core.errors.NotCertified")
def test_the_penalised_likelihood_never_falls(model, data):
    path = model.fit(*data).likelihood_path_
    assert len(path) > 5 and path[-1] > path[0]
    assert (np.diff(path) >= 0.0).all()


# ------------------------------------------------------------------ what it learns


@pytest.mark.mission("ME-02")
def test_a_bent_line_is_learnt_better_than_by_one_expert():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3.0, 3.0, (600, 1))
    y = np.where(x[:, 0] < 0.5, 1.0 - 2.0 * x[:, 0], 3.0 * x[:, 0] - 1.5) + 0.2 * rng.standard_normal(600)
    model = MixtureOfExpertsRegressor(alpha=0.1, gate_alpha=0.01).fit(x[:400], y[:400])
    one = Ridge(0.1).fit(x[:400], y[:400])
    assert model.score(x[400:], y[400:]) > 0.98 > one.score(x[400:], y[400:]) + 0.3
    assert_allclose(np.sort(model.expert_coef_[:, 0]), [-2.0, 3.0], atol=0.1)
    assert_allclose(np.sqrt(model.expert_variances_), 0.2, atol=0.04)


@pytest.mark.mission("ME-02")
def test_classes_that_no_plane_separates_are_learnt():
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (800, 2))
    y = (X[:, 0] * X[:, 1] > 0.0).astype(int)
    model = MixtureOfExpertsClassifier(alpha=0.01, gate_alpha=0.01, n_init=8).fit(X[:500], y[:500])
    assert model.score(X[500:], y[500:]) > 0.95
    assert LogisticRegression().fit(X[:500], y[:500]).score(X[500:], y[500:]) < 0.65


@pytest.mark.mission("ME-03")
def test_a_steep_gate_is_a_stump_with_a_model_in_each_leaf():
    rng = np.random.default_rng(2)
    X = rng.uniform(-2.0, 2.0, (300, 2))
    y = np.where(X[:, 0] <= 0.4, X @ [1.0, 2.0], 5.0 - X @ [0.5, 1.0]) + 0.1 * rng.standard_normal(300)
    split = DecisionTreeRegressor(max_depth=1).fit(X, y)
    j, threshold = split.tree_.feature[0], split.tree_.threshold[0]
    leaves = [X[:, j] <= threshold, X[:, j] > threshold]
    machines = [LinearRegression().fit(X[rows], y[rows]) for rows in leaves]
    stump = np.where(leaves[0], machines[0].predict(X), machines[1].predict(X))
    model = MixtureOfExpertsRegressor(n_init=1, max_iter=1, tol=1.0).fit(X, y)
    model.expert_coef_ = np.stack([machine.coef_ for machine in machines])
    model.expert_intercept_ = np.array([machine.intercept_ for machine in machines])
    differences = []
    for steepness in (1.0, 10.0, 1e3, 1e6):
        model.gate_coef_ = np.zeros((2, 2))
        model.gate_coef_[:, j] = -0.5 * steepness, 0.5 * steepness
        model.gate_intercept_ = -threshold * model.gate_coef_[:, j]
        differences.append(np.abs(model.predict(X) - stump).mean())
    assert (np.diff(differences) < 0.0).all()
    assert_allclose(model.predict(X), stump, rtol=1e-12, atol=1e-12)  # tree: every share is 0 or 1
    assert_array_equal(model.gate_proba(X).round(12) == 1.0, np.column_stack(leaves))


@pytest.mark.mission("ME-03")
def test_a_hard_split_is_learnt_as_a_steep_gate():
    x = np.linspace(-1.0, 1.0, 200)[:, None]
    y = np.where(x[:, 0] <= 0.3, x[:, 0], 4.0 - 2.0 * x[:, 0]) + 0.05 * np.sin(40.0 * x[:, 0])
    model = MixtureOfExpertsRegressor(alpha=1e-3, gate_alpha=1e-6).fit(x, y)
    shares = model.gate_proba([[0.25], [0.35]])
    assert np.abs(shares[0] - shares[1]).min() > 0.95
    assert_allclose(np.sort(model.expert_coef_[:, 0]), [-2.0, 1.0], atol=0.1)


# ------------------------------------------------------------------ rows, files, refusals


@pytest.mark.parametrize(("cls", "data"), [(MixtureOfExpertsRegressor, DIABETES), (MixtureOfExpertsClassifier, CANCER)])
def test_a_weight_is_a_repetition(cls, data):
    X, y = data
    s = np.random.default_rng(3).integers(0, 3, len(y))
    rows = np.random.default_rng(4).permutation(np.repeat(np.arange(len(y)), s))
    one, other = cls(tol=1e-9).fit(X, y, s), cls(tol=1e-9).fit(X[rows], y[rows])
    assert_allclose(one.expert_coef_, other.expert_coef_, rtol=1e-5, atol=1e-6)
    assert_allclose(one.gate_coef_, other.gate_coef_, rtol=1e-5, atol=1e-6)
    assert one.log_likelihood_ == pytest.approx(other.log_likelihood_, rel=1e-9)


def test_units_of_y_show_in_coefficients_only():
    X, y = DIABETES
    one, other = (MixtureOfExpertsRegressor(tol=1e-9).fit(X, factor * y) for factor in (1.0, 1024.0))
    assert_allclose(other.expert_coef_, 1024.0 * one.expert_coef_, rtol=1e-5)
    assert_allclose(other.gate_proba(X), one.gate_proba(X), atol=1e-6)


def test_sparse_rows_are_the_same_rows():
    X, y = CANCER
    dense, sparse = (MixtureOfExpertsClassifier().fit(rows, y) for rows in (X, sp.csr_array(X)))
    assert_allclose(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), atol=1e-6)


def test_a_seed_gives_the_same_model_and_starts_differ():
    X, y = DIABETES
    one, same, other = (MixtureOfExpertsRegressor(n_init=1, random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert_array_equal(one.gate_coef_, same.gate_coef_)
    assert not np.array_equal(one.likelihood_path_[:3], other.likelihood_path_[:3])


@pytest.mark.parametrize("name", ["gate_coef_", "gate_intercept_", "expert_coef_", "expert_variances_"])
def test_a_changed_number_is_found_out_after_a_file(name, tmp_path):
    X, y = DIABETES
    MixtureOfExpertsRegressor().fit(X, y).save(tmp_path / "model.sepx")
    loaded = separatrix.load(tmp_path / "model.sepx")
    certificate = separatrix.verify(loaded, X, y)
    assert certificate.converged and str(certificate).startswith("stationary")
    setattr(loaded, name, getattr(loaded, name) * 1.001)
    assert not separatrix.verify(loaded, X, y).converged


def test_a_flat_maximum_is_reached_in_few_iterations():
    rng = np.random.RandomState(42)
    X = rng.uniform(size=(40, 3)) * (rng.uniform(size=(40, 3)) > 0.6)
    y = (4 * rng.uniform(size=40)).astype(int)
    model = MixtureOfExpertsClassifier(n_init=1).fit(X, y)
    assert model.certificate_.converged and model.n_iter_ < 60  # EM alone takes hundreds


def test_too_few_iterations_are_said():
    with pytest.warns(NotCertified, match="relative gradient"):
        model = MixtureOfExpertsRegressor(n_init=1, max_iter=1).fit(*DIABETES)
    assert not model.certificate_.converged


@pytest.mark.parametrize(("name", "value"), [("n_experts", 1), ("alpha", 0.0), ("gate_alpha", -1.0), ("n_init", 0)])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}"):
        MixtureOfExpertsRegressor(**{name: value}).fit(*DIABETES)


def test_constant_targets_and_constant_columns_are_no_trouble():
    X = np.column_stack([np.ones(30), np.arange(30.0)])
    model = MixtureOfExpertsRegressor().fit(X, np.full(30, 2.5))
    assert_allclose(model.predict(X), 2.5, rtol=1e-9)
