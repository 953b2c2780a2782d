"""Quantile regression: against R's quantreg, against scikit-learn, and by its own laws."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import QuantileRegressor as Reference
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.certificate import duality_gap
from separatrix.core.errors import NotCertified
from separatrix.core.target import Target
from separatrix.designs import DenseDesign
from separatrix.estimators.linear.quantile import QuantileRegressor
from separatrix.solvers import linear_program

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "quantile_rq.json").read_text())
SOLVERS = ("highs", "highs-ds", "highs-ipm")


def data(n=101, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)
    return X, X[:, 0] - 2.0 * X[:, 1] + rng.standard_t(2, size=n) + 3.0, rng.integers(0, 4, size=n).astype(float)


def pinball(model, X, y, s=None):
    """scikit-learn's objective, written out once more."""
    r = y - X @ model.coef_ - model.intercept_
    loss = np.where(r >= 0.0, model.quantile * r, (model.quantile - 1.0) * r)
    return np.average(loss, weights=s) + model.alpha * np.abs(model.coef_).sum()


@parametrize_with_checks([QuantileRegressor(), QuantileRegressor(quantile=0.3, alpha=0.0)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_parameters_and_defaults_are_scikit_learns():
    assert QuantileRegressor().get_params() == Reference().get_params()


@pytest.mark.parametrize("entry", ORACLE["fits"], ids=lambda e: f"{e['tau']}{' weighted' if e['weighted'] else ''}")
@pytest.mark.parametrize("solver", SOLVERS)
def test_coefficients_are_those_of_quantreg(entry, solver):
    X, y = np.array(ORACLE["X"]), np.array(ORACLE["y"])
    s = np.array(ORACLE["weights"]) if entry["weighted"] else None
    model = QuantileRegressor(quantile=entry["tau"], alpha=0.0, solver=solver).fit(X, y, s)
    assert_allclose([model.intercept_, *model.coef_], entry["coefficients"], rtol=1e-11, atol=1e-12)
    total = y.size if s is None else s.sum()
    assert pinball(model, X, y, s) * total == pytest.approx(entry["rho"], rel=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.1])
@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_coefficients_are_scikit_learns(alpha, quantile, fit_intercept, weighted):
    X, y, s = data()
    s = s if weighted else None
    ours = QuantileRegressor(quantile=quantile, alpha=alpha, fit_intercept=fit_intercept).fit(X, y, s)
    theirs = Reference(quantile=quantile, alpha=alpha, fit_intercept=fit_intercept).fit(X, y, s)
    assert pinball(ours, X, y, s) <= pinball(theirs, X, y, s) + 1e-13
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-11)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-10)
    assert ours.certificate_.converged


@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
def test_sparse_and_dense_agree(storage):
    X, y, s = data()
    dense = QuantileRegressor(alpha=0.02).fit(X, y, s)
    sparse = QuantileRegressor(alpha=0.02).fit(storage(X), y, s)
    assert_allclose(sparse.coef_, dense.coef_, atol=1e-13)
    assert_allclose(sparse.predict(storage(X)), dense.predict(X), atol=1e-12)


@pytest.mark.mission("DEC-03")
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_l1_loss_gives_the_median(alpha):
    """G038: of 0, 1, 2, 10, 100 the median is 2, while the mean is 22.6."""
    y = np.array([0.0, 1.0, 2.0, 10.0, 100.0])
    model = QuantileRegressor(alpha=alpha).fit(np.zeros((5, 1)), y)
    assert model.intercept_ == pytest.approx(2.0, abs=1e-12)
    assert model.predict([[0.0]]) == pytest.approx(np.median(y))
    losses = [np.abs(y - c).sum() for c in np.linspace(0.0, 100.0, 1001)]
    assert np.abs(y - model.intercept_).sum() <= min(losses) + 1e-12


@pytest.mark.mission("DEC-03")
def test_one_wild_target_does_not_move_the_median_line():
    x = np.arange(20.0)[:, None]
    y = 1.0 + 2.0 * x[:, 0]
    y[7] = 1e9
    model = QuantileRegressor(alpha=0.0).fit(x, y)
    assert_allclose([model.intercept_, model.coef_[0]], [1.0, 2.0], rtol=1e-9)


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5, 0.8])
@pytest.mark.parametrize("n", [1, 2, 4, 7, 40])
def test_the_intercept_alone_is_the_lowest_quantile(q, n):
    y = np.random.default_rng(n).normal(size=n)
    model = QuantileRegressor(quantile=q).fit(np.zeros((n, 2)), y)
    assert model.intercept_ == np.quantile(y, q, method="inverted_cdf")
    assert_array_equal(model.coef_, 0.0)


def test_a_share_q_of_the_targets_lies_below():
    X, y, _ = data(n=400)
    for q in (0.1, 0.5, 0.9):
        below = (y <= QuantileRegressor(quantile=q, alpha=0.0).fit(X, y).predict(X) + 1e-9).mean()
        assert q <= below <= q + 6 / 400


@pytest.mark.parametrize("alpha", [0.0, 0.02, 1.0])
@pytest.mark.parametrize("quantile", [0.3, 0.5])
def test_a_weight_is_a_repetition(alpha, quantile):
    X, y, s = data()
    weighted = QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, y, s)
    repeated = QuantileRegressor(quantile=quantile, alpha=alpha).fit(
        np.repeat(X, s.astype(int), axis=0), np.repeat(y, s.astype(int))
    )
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-12)
    assert weighted.intercept_ == pytest.approx(repeated.intercept_, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.02, 1.0])
def test_order_of_rows_and_columns_does_not_matter(alpha):
    X, y, s = data(n=100)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(100), rng.permutation(4)
    first = QuantileRegressor(alpha=alpha).fit(X, y, s)
    second = QuantileRegressor(alpha=alpha).fit(X[rows][:, columns], y[rows], s[rows])
    assert_allclose(second.coef_, first.coef_[columns], atol=1e-12)
    assert second.intercept_ == pytest.approx(first.intercept_, abs=1e-12)


@pytest.mark.parametrize("factor", [1e-8, 1e8])
def test_rescaling_a_column_rescales_its_coefficient(factor):
    X, y, _ = data()
    units = np.array([1.0, factor, 1.0, 1.0])
    first = QuantileRegressor(alpha=0.0).fit(X, y)
    second = QuantileRegressor(alpha=0.0).fit(X * units, y)
    assert_allclose(second.coef_ * units, first.coef_, rtol=1e-10, atol=1e-12)


def test_quantiles_move_with_y():
    """Equivariance (Koenker 2005, theorem 2.2): scale, shift and reflection of y."""
    X, y, _ = data()
    model = QuantileRegressor(quantile=0.3, alpha=0.0).fit(X, y)
    tilt = np.array([1.0, 0.0, 2.0, 0.0])
    moved = QuantileRegressor(quantile=0.3, alpha=0.0).fit(X, 1e3 * (y + X @ tilt) - 5.0)
    mirrored = QuantileRegressor(quantile=0.7, alpha=0.0).fit(X, -y)
    assert_allclose(moved.coef_, 1e3 * (model.coef_ + tilt), rtol=1e-10)
    assert moved.intercept_ == pytest.approx(1e3 * model.intercept_ - 5.0, rel=1e-10)
    assert_allclose(mirrored.coef_, -model.coef_, rtol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_deficient_designs_are_certified(alpha):
    X, y, _ = data(n=30)
    deficient = np.column_stack([X, X[:, 0], np.ones(30), np.zeros(30)])
    wide = np.random.default_rng(3).normal(size=(10, 25))
    for A, b in ((deficient, y), (wide, y[:10]), (X[:1], y[:1]), (X, np.full(30, 1e10))):
        model = QuantileRegressor(alpha=alpha).fit(A, b)
        assert model.certificate_.converged
        assert np.isfinite(model.coef_).all()
    full = QuantileRegressor(alpha=alpha).fit(X, y)
    assert pinball(QuantileRegressor(alpha=alpha).fit(deficient, y), deficient, y) == pytest.approx(pinball(full, X, y))


@pytest.mark.parametrize("solver", SOLVERS)
def test_powers_of_one_variable_are_certified(solver):
    x = np.linspace(-1.0, 1.0, 300)
    y = np.sin(3.0 * x) + 0.1 * np.random.default_rng(0).normal(size=300)
    model = QuantileRegressor(alpha=0.0, solver=solver).fit(np.vander(x, 9)[:, :-1], y)
    assert model.certificate_.converged


def test_far_columns_are_fitted_as_well_as_near_ones():
    X, y, _ = data()
    X = X + np.random.default_rng(5).normal(size=X.shape)
    near = QuantileRegressor(alpha=0.0).fit(X, y)
    far = QuantileRegressor(alpha=0.0).fit(X + 2.0**20, y)  # adding a power of two loses 20 of 52 bits
    assert_allclose(far.coef_, near.coef_, rtol=1e-6)


def test_the_certificate_is_recomputed_from_the_coefficients():
    X, y, s = data()
    model = QuantileRegressor(alpha=0.02).fit(X, y, s)
    problem = model._problem(DenseDesign(X), Target(y, s))
    theta = linear_program.solve(problem).theta
    gap = duality_gap(problem, model.coef_, model.intercept_, theta)
    worse = duality_gap(problem, model.coef_ + 0.01, model.intercept_, theta)
    model_worse = QuantileRegressor(alpha=0.02).set_params(**model.get_params())
    model_worse.coef_, model_worse.intercept_ = model.coef_ + 0.01, model.intercept_
    assert gap < 1e-12
    assert worse == pytest.approx(pinball(model_worse, X, y, s) - pinball(model, X, y, s), rel=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
def test_an_unfinished_program_is_reported_and_gives_no_nan(alpha):
    X, y, _ = data(n=400)
    model = QuantileRegressor(alpha=alpha, solver_options={"maxiter": 1, "presolve": False})
    with pytest.warns(NotCertified, match=r"Iteration limit reached.*maxiter"):
        model.fit(X, y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_)
    assert not model.certificate_.converged


@pytest.mark.parametrize(
    "parameters, kind, words",
    [
        ({"quantile": 0.0}, ValueError, "quantile"),
        ({"quantile": 1.0}, ValueError, "quantile"),
        ({"quantile": "0.5"}, TypeError, "quantile"),
        ({"alpha": -1.0}, ValueError, "alpha"),
        ({"solver": "interior-point"}, ValueError, "interior-point"),
        ({"solver": "revised simplex"}, ValueError, "revised simplex"),
        ({"solver": "simplex"}, ValueError, "solver"),
        ({"solver_options": 3}, TypeError, "solver_options"),
        ({"fit_intercept": "yes"}, ValueError, "fit_intercept"),
    ],
)
def test_an_illegal_parameter_is_named_and_an_alternative_given(parameters, kind, words):
    X, y, _ = data()
    with pytest.raises(kind, match=rf"Cannot .*{words}.*Use "):
        QuantileRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize("s, words", [(-1.0, "Negative"), (0.0, "zero")])
def test_bad_weights_are_refused(s, words):
    X, y, _ = data()
    with pytest.raises(ValueError, match=words):
        QuantileRegressor().fit(X, y, np.full(y.size, s))


def test_a_program_that_ended_is_not_asked_for_more_iterations():
    """Columns 1e-10 apart: HiGHS ends within its tolerance, which is not enough for the certificate."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(50)
    X, y = np.column_stack([x, x + 1e-10 * rng.standard_normal(50)]), rng.standard_normal(50)
    y[3] = 1e6
    with pytest.warns(NotCertified, match=r"Optimal.*nearly dependent columns") as caught:
        QuantileRegressor(alpha=0).fit(X, y)
    assert "maxiter" not in str(caught[0].message)
