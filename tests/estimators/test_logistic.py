"""Logistic regression against closed forms, scikit-learn and mpmath; its solvers against each other; bad input."""

import warnings
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.errors import RankDeficient, Separated
from separatrix.core.verbs import joint_value, slopes, value
from separatrix.linear_model import LinearRegression, LogisticRegression
from separatrix.losses import Logistic, Softmax

MODELS = [
    LogisticRegression(),
    LogisticRegression(C=np.inf),
    LogisticRegression(l1_ratio=0.5),
    LogisticRegression(solver="newton"),
]


@parametrize_with_checks(MODELS)
def test_scikit_learn_accepts_it(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Separated)
        warnings.simplefilter("ignore", RankDeficient)
        check(estimator)


def two_classes(n=200, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) * np.logspace(-2, 2, p) + np.arange(p)
    eta = (X - X.mean(axis=0)) / X.std(axis=0) @ rng.standard_normal(p)
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-eta))).astype(int)


def three_classes(n=300, p=3, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, size=n)
    return rng.standard_normal((n, p)) + rng.standard_normal((3, p))[y], np.array(["ant", "bee", "cow"])[y]


# ------------------------------------------------------------------ the loss, in both codings


@pytest.mark.mission("LG-05", "LG-06")
def test_the_loss_of_labels_zero_and_one_is_that_of_plus_and_minus_one():
    f, y = np.array([2.0, -1.0, 0.5]), np.array([1.0, 0.0, 0.0])
    sigma = 1.0 / (1.0 + np.exp(-f))
    zero_one = -(y * np.log(sigma) + (1.0 - y) * np.log(1.0 - sigma)).sum()
    plus_minus = np.log1p(np.exp(-(2.0 * y - 1.0) * f)).sum()
    ours = sum(value(Logistic(), a, b) for a, b in zip(y, f))
    assert_allclose([ours, zero_one, plus_minus], 1.414266683, rtol=1e-9)
    joint = sum(joint_value(Softmax(), np.array([1.0 - a, a]), np.array([0.0, b])) for a, b in zip(y, f))
    assert joint == pytest.approx(ours, rel=1e-14)


@pytest.mark.mission("LG-19", "MC-05")
@pytest.mark.parametrize("size", [1.0, 30.0, 1e3])
def test_slopes_of_softmax_are_derivatives_and_stay_finite(size):
    rng = np.random.default_rng(3)
    for _ in range(20):
        y, eta, g = rng.dirichlet(np.ones(4)), size * rng.standard_normal(4), np.empty(4)
        slopes(Softmax(), y, eta, g)
        with mp.workdps(60):
            top = [mp.exp(mp.mpf(float(e))) for e in eta]
            exact = [float(t / mp.fsum(top) - mp.mpf(float(a))) for t, a in zip(top, y)]
            loss = mp.log(mp.fsum(top)) - mp.fsum(mp.mpf(float(a)) * mp.mpf(float(e)) for a, e in zip(y, eta))
        assert_allclose(g, exact, rtol=1e-11, atol=1e-15)
        assert g.sum() == pytest.approx(0.0, abs=1e-14)
        assert joint_value(Softmax(), y, eta) == pytest.approx(float(loss), rel=1e-13)


# ------------------------------------------------------------------ the model

FIVE = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
LABELS = np.array([0, 1, 0, 1, 1])


@pytest.mark.mission("LG-10", "LG-12")
@pytest.mark.parametrize("solver", ["lbfgs", "newton", "gradient"])
def test_five_points_have_the_maximum_that_the_score_equations_ask_for(solver):
    model = LogisticRegression(C=np.inf, solver=solver, max_iter=20_000, tol=1e-10).fit(FIVE, LABELS)
    assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-1.558161055, 1.09042556], rtol=1e-8)
    p = model.predict_proba(FIVE)[:, 1]
    assert p.sum() == pytest.approx(LABELS.sum(), abs=1e-8)  # expected = observed
    assert FIVE[:, 0] @ p == pytest.approx(FIVE[:, 0] @ LABELS, abs=1e-7)


@pytest.mark.mission("LG-11", "LG-12")
def test_a_newton_step_is_weighted_least_squares_on_the_adjusted_response():
    w = np.array([-0.5, 0.4])
    X = np.column_stack([np.ones(5), FIVE])
    p = 1.0 / (1.0 + np.exp(-X @ w))
    r = p * (1.0 - p)
    z = X @ w + (LABELS - p) / r
    weighted = LinearRegression().fit(FIVE, z, sample_weight=r)
    golden = [-1.314079118, 0.9020671074]
    assert_allclose([weighted.intercept_, weighted.coef_[0]], golden, rtol=1e-9)
    from separatrix.core.problem import Problem
    from separatrix.core.target import Target
    from separatrix.designs import as_design
    from separatrix.penalties import NoPenalty
    from separatrix.solvers import newton
    from separatrix.solvers.gradient_pass import GradientPass

    problem = Problem(as_design(FIVE), Target(LABELS.astype(float)), Logistic(), NoPenalty())
    step = newton(problem, start=(w[1:], w[0]), max_iter=1)
    assert_allclose([step.intercept, step.beta[0]], golden, rtol=1e-9)
    assert_allclose(5.0 * GradientPass(problem)(w[:, None])[:, 0], [-0.1545481241, -1.370490415], rtol=1e-9)


@pytest.mark.mission("LG-07", "LG-08", "MC-05")
def test_log_odds_of_the_probabilities_are_the_scores():
    X, y = two_classes()
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)
    assert_allclose(np.log(p[:, 1] / p[:, 0]), model.decision_function(X), rtol=1e-9, atol=1e-12)
    X, y = three_classes()
    model = LogisticRegression(C=10.0).fit(X, y)
    p = model.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-14)
    for reference in model.classes_:
        view = model.log_odds(reference)
        r = list(model.classes_).index(reference)
        others = [list(model.classes_).index(c) for c in view.classes]
        assert_allclose(X @ view.coef.T + view.intercept, np.log(p[:, others] / p[:, [r]]), rtol=1e-9, atol=1e-12)
        back = np.exp(np.column_stack([X @ view.coef.T + view.intercept, np.zeros(len(X))]))
        assert_allclose(back[:, -1] / back.sum(axis=1), p[:, r], rtol=1e-11)
    assert_allclose(np.exp(model.predict_log_proba(X)), p, rtol=1e-13)


@pytest.mark.mission("LG-08", "MC-05")
def test_a_reference_class_gives_the_probabilities_worked_by_hand():
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = np.array([0, 1, 2]), 1
    model.coef_, model.intercept_ = np.zeros((3, 1)), np.array([1.0, -0.5, 0.0])
    assert_allclose(model.predict_proba([[7.0]])[0], [0.6285317192, 0.1402443832, 0.2312238976], rtol=1e-9)
    assert_allclose(model.log_odds(2).intercept, [1.0, -0.5], rtol=1e-15)


@pytest.mark.mission("LG-09")
@pytest.mark.parametrize(("k", "p", "count"), [(2, 1, 2), (3, 4, 10), (11, 10, 110)])
def test_the_number_of_parameters(k, p, count):
    rng = np.random.default_rng(0)
    model = LogisticRegression().fit(rng.standard_normal((20 * k, p)), np.arange(20 * k) % k)
    assert model.n_parameters_ == count


@pytest.mark.mission("LG-18")
def test_the_hessian_is_positive_definite_and_a_lost_rank_is_named():
    X, y = two_classes()
    evidence = LogisticRegression(C=np.inf).fit(X, y).evidence_
    assert np.linalg.eigvalsh(np.linalg.inv(evidence.covariance)).min() > 0.0
    doubled = np.column_stack([X, X[:, 0] - 2.0 * X[:, 2], np.full(len(X), 3.0)])
    with pytest.warns(RankDeficient) as caught:
        model = LogisticRegression(C=np.inf).fit(doubled, y)
    assert caught[0].message.rank == 4
    plain = LogisticRegression(C=np.inf).fit(X, y)
    assert_allclose(model.decision_function(doubled), plain.decision_function(X), rtol=1e-7, atol=1e-8)
    # of all such coefficients the shortest: orthogonal to what changes no score
    assert model.coef_[0] @ [1.0, 0.0, -2.0, 0.0, -1.0, 0.0] == pytest.approx(0.0, abs=1e-9)
    assert model.coef_[0, 5] == 0.0


# ------------------------------------------------------------------ solvers agree


def data_sets():
    for load in (load_breast_cancer, load_wine, load_iris):
        X, y = load(return_X_y=True)
        yield load.__name__, (X - X.mean(axis=0)) / X.std(axis=0), y
    yield ("two classes", *two_classes(1000, 8))
    yield ("three classes", *three_classes(500, 5))


DATA = {name: (X, y) for name, X, y in data_sets()}


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("name", DATA)
def test_every_solver_finds_the_optimum_that_scikit_learn_finds(name, C):
    X, y = DATA[name]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = sklearn.linear_model.LogisticRegression(C=C, solver="newton-cg", tol=1e-13, max_iter=10_000).fit(X, y)
    # fixed steps take for ever along correlated columns
    solvers = ["lbfgs", "newton"] + ["gradient"] * (name == "two classes")
    found = [LogisticRegression(C=C, solver=solver, max_iter=50_000, tol=1e-10).fit(X, y) for solver in solvers]
    for ours in found:
        assert_allclose(ours.coef_, found[0].coef_, rtol=1e-8, atol=1e-8)
        assert_allclose(ours.intercept_, found[0].intercept_, rtol=1e-8, atol=1e-8)
    assert_allclose(found[0].coef_, theirs.coef_, rtol=1e-6, atol=1e-6)  # as far as theirs goes


@pytest.mark.parametrize("options", [{}, {"C": np.inf}, {"l1_ratio": 1.0, "C": 0.5}, {"l1_ratio": 0.5}], ids=str)
@pytest.mark.parametrize("name", ["two classes", "three classes"])
def test_neither_row_order_nor_storage_shows_in_the_coefficients(name, options):
    X, y = DATA[name]
    first = LogisticRegression(**options).fit(X, y)
    order = np.random.default_rng(5).permutation(len(y))
    scale = np.abs(first.coef_).max(axis=0) + np.finfo(float).tiny
    for other in (X[order], sp.csr_array(X[order]), np.asfortranarray(X[order]), sp.csc_array(X[order])):
        again = LogisticRegression(**options).fit(other, y[order])
        assert np.abs((again.coef_ - first.coef_) / scale).max() < 1e-9
        assert_allclose(again.intercept_, first.intercept_, rtol=1e-9, atol=1e-9)


def test_many_rows_are_solved_from_a_sample_to_the_same_optimum():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60_000, 12)) * 10.0 ** rng.integers(-3, 4, size=12) + 5.0
    y = (X / X.std(axis=0)).sum(axis=1) / 3.0 + rng.logistic(size=len(X)) > (X / X.std(axis=0)).sum(axis=1).mean() / 3.0
    ours = LogisticRegression(C=np.inf).fit(X, y)
    assert ours.certificate_.converged
    Z = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)])
    w = np.zeros(13)
    for _ in range(30):  # Newton by hand, on standardised columns
        p = 1.0 / (1.0 + np.exp(-Z @ w))
        w += np.linalg.solve((Z * (p * (1.0 - p))[:, None]).T @ Z, Z.T @ (y - p))
    assert_allclose(ours.coef_[0] * X.std(axis=0), w[1:], rtol=1e-9)
    shuffled = rng.permutation(len(X))
    again = LogisticRegression(C=np.inf).fit(X[shuffled], y[shuffled])
    assert_allclose(again.coef_, ours.coef_, rtol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_more_columns_than_rows_are_solved_in_the_space_of_the_rows(k, hold, fit_intercept):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 1500)) + 0.3
    X[1] = X[0]  # a row twice: the rows are dependent
    y, s = np.arange(60) % k, rng.integers(1, 4, size=60).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours = LogisticRegression(C=0.01, fit_intercept=fit_intercept).fit(hold(X), y, sample_weight=s)
    assert ours.certificate_.converged and separatrix.verify(ours, hold(X), y, s).converged
    theirs = sklearn.linear_model.LogisticRegression(
        C=0.01, fit_intercept=fit_intercept, solver="newton-cg", tol=1e-10, max_iter=1000
    ).fit(X, y, sample_weight=s)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


@pytest.mark.mission("LG-14")
def test_gradient_descent_reaches_the_optimum_of_newton():
    X, y = three_classes()
    X, y = X[y != "cow"], y[y != "cow"]
    newton = LogisticRegression(C=np.inf, solver="newton").fit(X, y)
    walk = LogisticRegression(C=np.inf, solver="gradient", max_iter=10_000, trace=True).fit(X, y)
    assert_allclose(walk.coef_, newton.coef_, rtol=1e-4)
    assert np.all(np.diff(walk.trace_.objective) <= 1e-15)


@pytest.mark.parametrize("options", [{}, {"C": np.inf}, {"l1_ratio": 0.7}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("name", DATA)
def test_the_certificate_is_confirmed_from_the_data_and_falls_with_the_model(name, options):
    X, y = DATA[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Separated)
        model = LogisticRegression(**options).fit(X, y)
    if hasattr(model, "separation_"):
        assert not model.certificate_.converged
        return
    assert model.certificate_.converged
    assert separatrix.verify(model, X, y).converged
    model.coef_ = model.coef_ * 1.01
    assert not separatrix.verify(model, X, y).converged


def test_the_intercept_is_never_penalised():
    X, y = two_classes()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(C=1e-9).fit(X, y)
    assert_allclose(model.intercept_[0], np.log(y.mean() / (1.0 - y.mean())), rtol=1e-6)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=1e-9)
    X, y = three_classes()
    model = LogisticRegression(C=1e-9).fit(X, y)
    assert_allclose(model.predict_proba(X).mean(axis=0), [(y == c).mean() for c in model.classes_], atol=1e-9)


# ------------------------------------------------------------------ weights and soft labels


@pytest.mark.mission("LG-17")
@pytest.mark.parametrize("options", [{}, {"C": np.inf}, {"l1_ratio": 1.0}], ids=str)
def test_soft_labels_equal_weighted_copies_with_hard_ones(options):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((120, 3))
    for k in (2, 3):
        Y = rng.dirichlet(np.ones(k), size=120)
        s = rng.integers(1, 4, size=120).astype(float)
        soft = LogisticRegression(**options).fit(X, Y, sample_weight=s)
        rows, labels = np.repeat(np.arange(120), k), np.tile(np.arange(k), 120)
        hard = LogisticRegression(**options).fit(X[rows], labels, sample_weight=(s[:, None] * Y).ravel())
        assert_allclose(soft.coef_, hard.coef_, rtol=1e-8, atol=1e-9)
        assert_allclose(soft.intercept_, hard.intercept_, rtol=1e-8, atol=1e-9)
        assert soft.classes_.tolist() == list(range(k))
        assert separatrix.verify(soft, X, Y, s).converged


def test_class_weights_are_weights_of_the_rows():
    X, y = three_classes()
    weights = {"ant": 2.0, "bee": 0.5, "cow": 1.0}
    by_class = LogisticRegression(class_weight=weights).fit(X, y)
    by_row = LogisticRegression().fit(X, y, sample_weight=[weights[c] for c in y])
    assert_allclose(by_class.coef_, by_row.coef_, rtol=1e-9)
    theirs = sklearn.linear_model.LogisticRegression(class_weight="balanced", tol=1e-12, max_iter=1000).fit(X, y)
    ours = LogisticRegression(class_weight="balanced").fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_a_label_that_only_rows_of_weight_zero_carry_is_no_class():
    X, y = three_classes()
    model = LogisticRegression().fit(X, y, sample_weight=(y != "cow").astype(float))
    assert model.classes_.tolist() == ["ant", "bee"]
    assert_allclose(model.coef_, LogisticRegression().fit(X[y != "cow"], y[y != "cow"]).coef_, rtol=1e-9)


def test_a_warm_start_ends_where_a_cold_one_does_and_sooner():
    X, y = two_classes(2000, 6)
    model = LogisticRegression(warm_start=True).fit(X, y)
    first = model.n_iter_[0]
    assert model.fit(X, y).n_iter_[0] < first
    assert_allclose(model.coef_, LogisticRegression().fit(X, y).coef_, rtol=1e-9)


# ------------------------------------------------------------------ separation


@pytest.mark.mission("LG-15", "LG-21")
@pytest.mark.parametrize("solver", ["lbfgs", "newton", "gradient"])
def test_separable_classes_warn_with_a_proof_in_every_solver(solver):
    x, t = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    with pytest.warns(Separated) as caught:
        model = LogisticRegression(C=np.inf, solver=solver).fit(x, t)
    proof = caught[0].message.proof
    assert proof.verdict == "complete" and proof.verify(x, t)
    assert model.score(x, t) == 1.0
    assert np.abs(model.coef_).max() < 100.0
    assert not model.certificate_.converged
    # a penalty makes the optimum finite; its derivative is zero there
    ridge = LogisticRegression(solver=solver, max_iter=10_000).fit(x, t)
    w = ridge.coef_[0, 0]
    assert w - 2.0 * (2.0 / (1.0 + np.exp(2.0 * w)) + 1.0 / (1.0 + np.exp(w))) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.mission("LG-15")
def test_separable_classes_among_three_warn_too_and_the_answer_does_not_depend_on_row_order():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(Separated) as caught:
        model = LogisticRegression(C=np.inf).fit(X, y)
    assert caught[0].message.verdict == "quasi-complete"
    assert caught[0].message.proof.verify(X, y)
    order = np.random.default_rng(0).permutation(150)
    with pytest.warns(Separated):
        again = LogisticRegression(C=np.inf).fit(X[order], y[order])
    assert_allclose(again.coef_, model.coef_, rtol=1e-6)


@pytest.mark.mission("LG-21")
def test_a_separating_hyperplane_is_found_if_there_is_one():
    rng = np.random.default_rng(0)
    for seed in range(20):
        X = np.random.default_rng(seed).standard_normal((40, 3))
        w = rng.standard_normal(3)
        y = X @ w > 0.1
        if 0 < y.sum() < 40:
            with pytest.warns(Separated):
                assert LogisticRegression(C=np.inf).fit(X, y).score(X, y) == 1.0


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"C": 0.0}, "C must be a number in"),
        ({"C": -1.0}, "C must be a number in"),
        ({"C": "1"}, "C must be a number"),
        ({"l1_ratio": 1.5}, "l1_ratio must be"),
        ({"solver": "magic"}, "solver is not one of"),
        ({"solver": "newton", "l1_ratio": 0.5}, "L1 has no slope at 0"),
        ({"penalty": "l3"}, "penalty is not one of"),
        ({"max_iter": -1}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"class_weight": {7: 1.0}}, "is not a class of y"),
        ({"class_weight": {0: -1.0}}, "finite and >= 0"),
        ({"class_weight": "equal"}, "neither a dict"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_named(options, said):
    X, y = two_classes(20)
    with pytest.raises((ValueError, TypeError), match=said):
        LogisticRegression(**options).fit(X, y)


@pytest.mark.parametrize(
    ("Y", "said"),
    [
        ([[0.5, 0.6]] * 4, "do not sum to 1"),
        ([[1.5, -0.5]] * 4, "outside"),
        ([[1.0, 0.0]] * 4, "probability zero in every row"),
        ([[np.nan, 1.0]] * 4, "NaN"),
    ],
    ids=["sum", "range", "absent", "nan"],
)
def test_bad_soft_labels_are_refused(Y, said):
    with pytest.raises(ValueError, match=said):
        LogisticRegression().fit(np.arange(8.0).reshape(4, 2), np.array(Y))


def test_one_class_and_unknown_labels_are_refused():
    X, y = two_classes(30)
    with pytest.raises(ValueError, match="to one class"):
        LogisticRegression().fit(X, np.zeros(30))
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="was fitted to the classes"):
        separatrix.verify(model, X, y + 1)
    with pytest.raises(ValueError, match="was fitted to the classes"):
        model.log_odds("cow")


def test_too_few_iterations_warn_with_numbers():
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match="Not certified: the relative gap is"):
        LogisticRegression(max_iter=1, C=100.0).fit(X, y)


def test_a_class_of_one_member_is_fitted():
    X, y = two_classes(50)
    y = np.where(np.arange(50) == 7, 2, y)
    model = LogisticRegression().fit(X, y)
    assert model.certificate_.converged and model.coef_.shape == (3, 4)


VOWELS = Path(__file__).resolve().parents[3] / "shared" / "data" / "esl"


@pytest.mark.skipif(not (VOWELS / "vowel.train.csv").exists(), reason="the vowel data are not in the repository")
@pytest.mark.mission("MC-05", "LG-08")
def test_the_logistic_row_of_the_vowel_table():
    train, test = (np.loadtxt(VOWELS / f"vowel.{part}.csv", delimiter=",", skiprows=1) for part in ("train", "test"))
    model = LogisticRegression(C=np.inf).fit(train[:, 1:], train[:, 0])
    assert model.certificate_.converged
    errors = [np.mean(model.predict(part[:, 1:]) != part[:, 0]) for part in (train, test)]
    assert_allclose(errors, [0.2234848485, 0.512987013], atol=1e-6)
