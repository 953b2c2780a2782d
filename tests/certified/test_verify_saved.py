"""verify() after a model went through a file, and of several outputs: what is certified is what is published."""

import sys
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import separatrix
from separatrix.core.objective import gap_unit
from separatrix.core.solution import Certificate
from separatrix.core.target import Target
from separatrix.estimators.published import worst
from separatrix.linear_model import ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge, RidgeCV

sys.path.insert(0, str(Path(__file__).parent))
from many_gaps import exact_gap

N, P, K = 12, 3, 4


def data(seed=0, hold=np.asarray):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, P)) + 3.0
    Y = X @ rng.standard_normal((P, K)) + rng.standard_normal((N, K)) * 10.0 ** np.arange(-3, 1)
    return hold(X), Y, rng.integers(1, 4, N).astype(float)


def saved(model, folder):
    model.save(folder / "model.sepx")
    return separatrix.load(folder / "model.sepx")


def worst_gap(model, X, Y, s):
    """The largest of the true relative gaps of the outputs, in fractions."""
    dense = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    gaps = []
    problems = model._restate(X, Y, s)
    coefficients, intercepts = np.atleast_2d(model.coef_), np.broadcast_to(model.intercept_, K)
    for c in range(K):
        problem = problems[c] if len(problems) == K else problems[0]
        one = replace(problem, target=Target(np.ascontiguousarray(Y[:, c]), s))
        gaps.append(exact_gap(one, dense, coefficients[c], intercepts[c]) / Fraction(gap_unit(one)))
    return max(gaps)


@pytest.mark.parametrize("hold", [np.asarray, np.float32, sp.csr_array])
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(1e-3), Ridge([1e-3, 0.1, 1.0, 10.0]), RidgeCV()], ids=str)
@pytest.mark.parametrize("change", [0.0, 1e-9, 1e-4])
def test_the_claim_for_several_outputs_is_that_of_the_worst(model, hold, change, tmp_path):
    X, Y, s = data(hold=hold)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, Y, sample_weight=s)
    claims = [] if change else [model.certificate_]
    for c in range(K) if change else [0]:
        model.coef_[c, c % P] += model.coef_.dtype.type(change)
        again = saved(model, tmp_path)
        assert np.array_equal(again.coef_, model.coef_) and again.coef_.dtype == model.coef_.dtype
        claims += [separatrix.verify(one, X, Y, s) for one in (model, again)]
        assert claims[-1].value == claims[-2].value and claims[-1].tolerance == claims[-2].tolerance
        assert all(Fraction(claim.value) >= worst_gap(model, X, Y, s) for claim in claims)
        assert all(claim.converged for claim in claims) or change
        model.coef_[c, c % P] -= model.coef_.dtype.type(change)
        claims = []


@pytest.mark.parametrize("order", [1, -1])
def test_a_part_that_fails_is_not_hidden_by_a_larger_value_within_its_own_tolerance(order):
    parts = [Certificate("gap", 1e-6, tolerance=1e-5), Certificate("gap", 2e-8, tolerance=1e-8)][::order]
    assert parts[0].converged != parts[1].converged
    whole = worst(parts)
    assert not whole.converged and whole.value == 1e-6


@pytest.mark.parametrize("output", range(K))
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(1.0), Lasso(0.01), ElasticNet(0.01)], ids=str)
def test_one_wrong_output_among_many_is_found_out_after_a_file(model, output, tmp_path):
    X, Y, _ = data()
    model.fit(X, Y)
    assert separatrix.verify(saved(model, tmp_path), X, Y).converged
    for name in ("coef_", "intercept_"):
        forged = saved(model, tmp_path)
        number = np.array(getattr(forged, name))
        number[output] += 0.05
        setattr(forged, name, number)
        forged.certificate_ = replace(forged.certificate_, value=0.0, tolerance=1e300)
        forged.set_params(tol=1e300)
        assert not separatrix.verify(saved(forged, tmp_path), X, Y).converged


def test_outputs_in_another_order_are_not_those_of_the_fit(tmp_path):
    X, Y, _ = data()
    model = saved(LinearRegression().fit(X, Y), tmp_path)
    assert not separatrix.verify(model, X, Y[:, ::-1]).converged
    with pytest.raises(ValueError, match="outputs"):
        separatrix.verify(model, X, Y[:, :2])


@pytest.mark.parametrize("kind", ["one-hot", "labels"])
def test_several_classes_are_found_out_after_a_file(kind, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((90, 3))
    y = np.digitize(X[:, 0] + rng.standard_normal(90), [-0.5, 0.5])
    target = np.eye(3)[y] if kind == "one-hot" else y
    for C in (np.inf, 1.0):
        model = saved(LogisticRegression(C=C).fit(X, target), tmp_path)
        assert separatrix.verify(model, X, target).converged
        model.coef_ = model.coef_ + np.array([[0.0], [0.0], [0.01]])
        assert not separatrix.verify(saved(model, tmp_path), X, target).converged


def test_the_tolerance_is_the_verifiers():
    X, Y, _ = data()
    model = Lasso(0.01).fit(X, Y)
    certificate = separatrix.verify(model, X, Y)
    assert certificate.converged and certificate.tolerance == 1e-8
    assert separatrix.verify(model, X, Y, tol=1.0).tolerance == 1e-8
    assert not separatrix.verify(model, X, Y, tol=0.0).converged
    with pytest.raises(ValueError, match="tol=-1"):
        separatrix.verify(model, X, Y, tol=-1)
