"""What inference says of fits with a strength or bounds for each coefficient: it asks the model for its problem."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from separatrix.core.errors import Separated
from separatrix.core.separable import as_separable
from separatrix.inference import anova, influence, summary
from separatrix.inference.bootstrap import spread_over_resamples
from separatrix.inference.fitted_likelihood import likelihood_of
from separatrix.linear_model import Lasso, LogisticRegression, LogisticRegressionCV

sm = pytest.importorskip("statsmodels.api")

rng = np.random.default_rng(0)
X = rng.normal([0.0, 5.0, -1.0], 1.0, (200, 3))
y = (X @ [1.0, -0.7, 0.3] + 3.5 + rng.logistic(size=200) > 0.0).astype(int)


@pytest.mark.parametrize("bounds", [(0.0, np.inf), (-0.3, 0.5), ([-9.0, -0.25, -9.0], 9.0)])
def test_a_coefficient_at_its_bound_has_no_standard_error_and_is_fixed_for_the_others(bounds):
    model = LogisticRegression(C=np.inf, bounds=bounds, tol=1e-12).fit(X, y)
    beta = model.coef_[0]
    held = (beta <= bounds[0]) | (beta >= bounds[1])
    assert held.any() and not held.all()
    free = sm.add_constant(X[:, ~held])
    other = sm.GLM(y, free, family=sm.families.Binomial(), offset=X[:, held] @ beta[held]).fit(tol=1e-14)
    read = summary(model, X, y)
    rows = [read["intercept"], *(read[f"x{j}"] for j in np.flatnonzero(~held))]
    assert_allclose([row.estimate for row in rows], other.params, rtol=1e-6)
    assert_allclose([row.error for row in rows], other.bse, rtol=1e-6)
    assert_allclose([row.p for row in rows], other.pvalues, rtol=1e-4)
    for j in np.flatnonzero(held):
        row = read[f"x{j}"]
        assert (row.estimate, row.error, row.p, row.low, row.aliased) == (beta[j], None, None, None, False)
    statistics = read.tables[0].statistics
    assert_allclose(statistics["deviance"], other.deviance, rtol=1e-10)
    assert statistics["aic"] is statistics["lr_p"] is None
    assert any(note.startswith("At its bound: ") and "not normal" in note for note in read.notes)


@pytest.mark.parametrize(
    "settings", [{"penalty_factor": [0.0, 1.0, 4.0]}, {"penalty_factor": [1.0, 3.0, 0.5], "bounds": (0.0, np.inf)}]
)
def test_a_ridge_of_each_coefficient_is_in_the_standard_errors(settings):
    """Var = W I W with W = (I + diag(factor) / C)^-1 on the coefficients that no bound holds, the intercept's 0."""
    model = LogisticRegression(C=0.1, tol=1e-12, **settings).fit(X, y)
    free = np.append(True, (model.coef_[0] > 0.0) | ("bounds" not in settings))
    Z = np.column_stack([np.ones(len(X)), X])
    mu = expit(Z @ np.append(model.intercept_, model.coef_[0]))
    information = ((Z * (mu * (1.0 - mu))[:, None]).T @ Z)[np.ix_(free, free)]
    penalty = np.diag(np.append(0.0, settings["penalty_factor"]) / 0.1)[np.ix_(free, free)]
    W = np.linalg.inv(information + penalty)
    read = summary(model, X, y)
    errors = np.array([np.nan if row.error is None else row.error for row in read.tables[0].rows])
    assert_allclose(errors[free], np.sqrt(np.diag(W @ information @ W)), rtol=1e-9)
    assert np.isnan(errors[~free]).all()
    assert_allclose(read.tables[0].statistics["edf"], np.trace(W @ information), rtol=1e-9)


def test_a_ridge_of_each_coefficient_is_in_the_standard_errors_of_three_classes():
    """In differences from the first class: the ridge r Σ_c b_c² of b that sum to 0 is r d'(I - 11'/3) d."""
    labels = np.digitize(X[:, 0] + rng.logistic(size=200), [-0.5, 0.7])
    factor = np.array([0.0, 2.0, 0.5])
    model = LogisticRegression(penalty_factor=factor, tol=1e-12).fit(X, labels)
    Z = np.column_stack([np.ones(len(X)), X])
    P = model.predict_proba(X)[:, 1:]
    information = sum(np.kron(np.diag(p) - np.outer(p, p), np.outer(z, z)) for p, z in zip(P, Z))
    penalty = np.kron(np.eye(2) - 1.0 / 3.0, np.diag(np.append(0.0, factor)))
    W = np.linalg.inv(information + penalty)
    errors = [row.error for table in summary(model, X, labels).tables for row in table.rows]
    assert_allclose(errors, np.sqrt(np.diag(W @ information @ W)), rtol=1e-8)


def test_no_covariance_is_given_of_three_classes_with_a_coefficient_at_its_bound():
    labels = np.digitize(X[:, 0] + rng.logistic(size=200), [-0.5, 0.7])
    read = summary(LogisticRegression(bounds=(0.0, np.inf)).fit(X, labels), X, labels)
    assert all(row.error is None for table in read.tables for row in table.rows)
    assert "more than two classes with a coefficient at its bound" in " ".join(read.notes)


def test_bounds_that_hold_nothing_change_nothing():
    plain = summary(LogisticRegression(C=np.inf, tol=1e-12).fit(X, y), X, y).tables[0]
    loose = summary(LogisticRegression(C=np.inf, tol=1e-10, bounds=(-50.0, 50.0)).fit(X, y), X, y).tables[0]
    for name in ("estimate", "error", "p"):
        values = ([vars(row)[name] for row in table.rows] for table in (plain, loose))
        assert_allclose(*values, rtol=1e-6)
    assert_allclose(plain.statistics["aic"], loose.statistics["aic"], rtol=1e-12)


def test_what_a_bound_invalidates_is_refused_with_the_reason():
    model = LogisticRegression(C=np.inf, bounds=(0.0, np.inf)).fit(X, y)
    with pytest.raises(ValueError, match="as if they had none"):
        summary(model, X, y, intervals="profile")
    with pytest.raises(ValueError, match="at their bounds"):
        influence(model, X, y)
    with pytest.raises(ValueError, match="without bounds"):
        anova(model, X, y)


def test_factors_of_no_penalty_change_nothing():
    """0 times any factor is 0: deviances of submodels are those without factors, though their columns are fewer."""
    tables = [
        anova(LogisticRegression(C=np.inf, penalty_factor=factor).fit(X, y), X, y) for factor in (None, [1.0, 2.0, 3.0])
    ]
    assert str(tables[0]) == str(tables[1])


def test_resampled_intervals_keep_to_the_bounds_and_factors_of_the_model():
    model = LogisticRegression(C=0.5, bounds=(0.0, np.inf)).fit(X, y)
    low, high, _ = spread_over_resamples(model, X, y, refits=50, seconds=60.0)
    assert low.min() >= 0.0 and high[0, 1] == 0.0  # the slope of x1 is -0.7 without bounds
    lasso = Lasso(10.0, penalty_factor=[1.0, 0.0, 1.0]).fit(X, X[:, 1])
    low, high, _ = spread_over_resamples(lasso, X, X[:, 1], refits=50, seconds=60.0)
    assert_allclose([low[0], high[0]], [[0.0, 1.0, 0.0]] * 2, atol=1e-7)


@pytest.mark.parametrize("module", ["ours", "scikit-learn"])
@pytest.mark.parametrize(
    "settings", [{"C": 0.3}, {"penalty": None}, {"C": np.inf}, {"C": 0.3, "l1_ratio": 0.4}, {"C": 0.3, "penalty": "l1"}]
)
def test_the_problem_read_is_the_problem_solved(module, settings):
    """At the optimum of C Σ loss + Ω the sum of the scores is the slope of Ω / C, by the settings' own meaning."""
    cls = LogisticRegression if module == "ours" else sklearn.linear_model.LogisticRegression
    model = cls(solver="saga" if module == "scikit-learn" else "lbfgs", tol=1e-10, max_iter=100_000, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that `penalty` is deprecated
        model.fit(X, y)
    fit = likelihood_of(model, X, y)
    C = np.inf if settings.get("penalty", 0) is None else settings.get("C", 1.0)
    share = 1.0 if settings.get("penalty") == "l1" else settings.get("l1_ratio", 0.0)
    beta, parts = model.coef_[0], as_separable(fit.problem.penalty, 3)
    score = X.T @ (y - expit(X @ beta + model.intercept_[0]))
    assert_allclose(score, (share * np.sign(beta) + (1.0 - share) * beta) / C, atol=1e-3)
    assert_allclose(len(y) * (parts.kink * np.sign(beta) + parts.ridge * beta), score, atol=1e-3)


def test_a_search_reads_its_own_choice():
    model = LogisticRegressionCV(Cs=[0.01, 0.1], l1_ratios=(0.5,), use_legacy_attributes=False).fit(X, y)
    plain = LogisticRegression(C=model.C_, l1_ratio=0.5).fit(X, y)
    assert likelihood_of(model, X, y).problem.penalty == likelihood_of(plain, X, y).problem.penalty
    assert_array_equal(model.coef_, plain.coef_)


def test_factors_of_no_penalty_do_not_hide_that_classes_are_separated():
    """Classes told apart by the sign of a column have no maximum of the likelihood, whatever 0 is multiplied by."""
    x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    with pytest.warns(Separated):
        model = LogisticRegression(C=np.inf, penalty_factor=[2.0]).fit(x, [0, 0, 1, 1])
    assert model.separation_.exists is False
