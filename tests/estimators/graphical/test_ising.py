"""Ising models: sums over states, certified likelihoods, graphs that are found again, draws, and what is refused."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.errors import NotCertified
from separatrix.core.exponential_family import decrement_bound
from separatrix.estimators.graphical import binary_nodes
from separatrix.graphical import BoltzmannMachine, IsingModel
from separatrix.solvers.ising_likelihood import IsingLikelihood

GOLDEN = Path(__file__).resolve().parents[4] / "shared/golden/golden.json"


@parametrize_with_checks([IsingModel(binarize=0.0), IsingModel(binarize=0.0, method="pseudolikelihood", penalty="l1")])
@pytest.mark.filterwarnings("ignore:.*columns are constant")
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def states(d):
    return np.array(list(itertools.product([0.0, 1.0], repeat=d)))


def table(a, C):
    """All states, and their probabilities by the definition."""
    X = states(len(a))
    weights = np.array(
        [np.exp(sum(a[x == 1]) + sum(C[np.ix_(x == 1, x == 1)][np.triu_indices(int(x.sum()), 1)])) for x in X]
    )
    return X, weights / weights.sum(), np.log(weights.sum())


def model_of(a, C, **parameters):
    """A fitted model of given parameters."""
    rng = np.random.default_rng(0)
    model = IsingModel(**parameters).fit((rng.random((40, len(a))) < 0.5).astype(float))
    model.intercept_, model.coupling_ = np.asarray(a, dtype=float), np.asarray(C, dtype=float)
    model.log_partition_ = model.log_partition().value if len(a) <= 20 else None
    return model


@pytest.fixture(scope="module")
def random_model():
    rng = np.random.default_rng(1)
    C = np.triu(rng.normal(0.0, 1.0, (6, 6)), 1)
    return rng.normal(0.0, 1.0, 6), C + C.T


def chain(d, strength):
    """Couplings of a chain, with marginals of 1/2."""
    C = np.diag(np.full(d - 1, strength), 1)
    C += C.T
    return -0.5 * C.sum(axis=1), C


@pytest.mark.mission("GM-07", "GM-08")
def test_the_golden_model():
    found = next(each for each in json.loads(GOLDEN.read_text())["entries"] if each["id"] == "G090")
    theta, right = np.array(found["inputs"]["theta"]), found["correct"]
    model = model_of(theta[0, 1:], theta[1:, 1:])
    assert_allclose(model.log_partition().value, right["log_partition"], atol=found["tol"])
    assert_allclose(np.exp(model.score_samples(states(3))).sum(), right["total"], atol=found["tol"])
    conditionals = model.conditional_probabilities([[j, *found["inputs"]["others"]] for j in (0, 1)])[:, 0]
    assert_allclose(conditionals, right["conditional"], atol=found["tol"])


@pytest.mark.mission("GM-07")
def test_the_log_partition_is_that_of_an_enumeration_in_many_digits(random_model):
    a, C = random_model
    mpmath.mp.dps = 40
    total = mpmath.mpf(0)
    for x in itertools.product([0, 1], repeat=6):
        energy = sum((mpmath.mpf(a[j]) * x[j] for j in range(6)), mpmath.mpf(0))
        energy += sum(mpmath.mpf(C[j, k]) * x[j] * x[k] for j in range(6) for k in range(j))
        total += mpmath.exp(energy)
    assert_allclose(model_of(a, C).log_partition().value, float(mpmath.log(total)), rtol=1e-14)


@pytest.mark.mission("GM-08")
def test_conditionals_are_ratios_of_joint_probabilities(random_model):
    X, p, _ = table(*random_model)
    place = {tuple(x): each for x, each in zip(X, p)}
    got = model_of(*random_model).conditional_probabilities(X)
    for i, x in enumerate(X):
        for j in range(6):
            one, zero = x.copy(), x.copy()
            one[j], zero[j] = 1.0, 0.0
            right = place[tuple(one)] / (place[tuple(one)] + place[tuple(zero)])
            assert_allclose(got[i, j], right, rtol=1e-12)
    sums = np.log(np.where(X == 1.0, got, 1.0 - got)).sum(axis=1)
    assert_allclose(model_of(*random_model).pseudo_log_likelihood(X), sums, rtol=1e-12)


@pytest.mark.mission("GM-07")
def test_two_nodes_have_the_log_odds_ratio_of_their_table():
    counts = {(0, 0): 7, (0, 1): 2, (1, 0): 3, (1, 1): 5}
    X = np.repeat(list(counts), list(counts.values()), axis=0).astype(float)
    model = IsingModel(alpha=0.0).fit(X)
    ratio = Fraction(7 * 5, 2 * 3)
    assert_allclose(model.coupling_, np.log(float(ratio)) * (1.0 - np.eye(2)), rtol=1e-9)
    assert_allclose(model.intercept_, np.log([3 / 7, 2 / 7]), rtol=1e-9)
    assert_allclose(model.log_partition_, np.log(17 / 7), rtol=1e-9)
    assert model.certificate_.kind == "gap" and model.certificate_.converged


def test_the_likelihood_matches_means_and_products_of_the_graph(random_model):
    X, p, _ = table(*random_model)
    edges = [(0, 1), (1, 2), (2, 3), (4, 5)]
    model = IsingModel(edges, alpha=0.0).fit(X, sample_weight=p)
    _, q, _ = table(model.intercept_, model.coupling_)
    assert_allclose(q @ X, p @ X, atol=1e-8)
    for j, k in edges:
        assert_allclose(q @ (X[:, j] * X[:, k]), p @ (X[:, j] * X[:, k]), atol=1e-8)
    assert_array_equal(model.edges_, edges)
    complete = IsingModel(alpha=0.0).fit(X, sample_weight=p)
    assert_allclose(complete.coupling_, random_model[1], atol=1e-6)


def objective(theta, m, d, pairs, alpha):
    C = np.zeros((d, d))
    C[pairs] = theta[d:]
    return table(theta[:d], C + C.T)[2] - theta @ m + 0.5 * alpha * theta[d:] @ theta[d:]


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_the_claimed_gap_is_above_the_true_one_and_near_it(alpha):
    rng, d = np.random.default_rng(2), 4
    X = (rng.random((60, d)) < 0.4).astype(float)
    pairs = np.triu_indices(d, 1)
    m = np.concatenate([X.mean(axis=0), (X[:, pairs[0]] * X[:, pairs[1]]).mean(axis=0)])
    problem = IsingLikelihood(np.column_stack(pairs), m, alpha)
    best = IsingModel(alpha=alpha, tol=1e-14).fit(X)
    theta = problem.join(best.intercept_, best.coupling_)
    for size in (1e-6, 1e-4, 1e-3, 1e-2):
        for _ in range(5):
            moved = theta + size * rng.standard_normal(len(theta))
            true = objective(moved, m, d, pairs, alpha) - objective(theta, m, d, pairs, alpha)
            claimed = problem.gap(moved) * problem.null
            assert claimed >= true - 1e-14
            if size < 1e-2:
                assert claimed <= 1.3 * true + 1e-14


def test_the_bound_is_infinite_where_it_does_not_hold():
    statistics = [np.array([[-0.5], [0.5]])]
    assert decrement_bound(np.array([0.3]), np.array([[0.25]]), statistics) == np.inf  # reach 2, length 0.6
    assert decrement_bound(np.array([0.1]), np.array([[0.0]]), statistics) == np.inf
    mean = 0.6  # of one node against 1/2: the gap is the divergence of the two
    slope, curvature, T = np.array([mean - 0.5]), np.array([[mean * (1 - mean)]]), [np.array([[-mean], [1 - mean]])]
    true = 0.5 * np.log(0.5 / mean) + 0.5 * np.log(0.5 / (1 - mean))
    assert true <= decrement_bound(slope, curvature, T) <= 2 * true


@pytest.mark.mission("GM-12")
@pytest.mark.parametrize("rule", ["and", "or"])
def test_neighbourhoods_under_l1_are_those_of_a_chain(rule):
    X, p, _ = table(*chain(8, 2.0))
    X = X[np.random.default_rng(0).choice(len(X), 3000, p=p)]
    model = IsingModel(penalty="l1", alpha=0.03, rule=rule).fit(X)
    assert_array_equal(model.edges_, [(j, j + 1) for j in range(7)])
    assert model.certificate_.kind == "gap" and model.certificate_.converged
    free = IsingModel(model.edges_, alpha=0.0).fit(X)  # the graph that was chosen, fitted without a penalty
    off = np.abs(np.diag(free.coupling_, 1) - 2.0)
    assert off.max() < 5 * np.sqrt(1 / (3000 * 0.1))


@pytest.mark.mission("GM-12")
def test_regressions_of_the_nodes_are_scikit_learns():
    X = (np.random.default_rng(4).random((200, 5)) < 0.4).astype(float)
    alpha = 0.02
    for penalty, ratio in (("l2", 0.0), ("l1", 1.0)):
        model = IsingModel(method="pseudolikelihood", penalty=penalty, alpha=alpha, tol=1e-12).fit(X)
        for j in range(5):
            rest = [k for k in range(5) if k != j]
            theirs = LogisticRegression(
                C=1 / (len(X) * alpha), l1_ratio=ratio, solver="saga" if ratio else "lbfgs", tol=1e-10, max_iter=100_000
            ).fit(X[:, rest], X[:, j])
            assert_allclose(model.node_coef_[j, rest], theirs.coef_[0], atol=1e-5)
            if penalty == "l2":  # saga stops by its coefficients, long before its intercept is right
                assert_allclose(model.intercept_[j], theirs.intercept_[0], atol=1e-5)
        both = (model.node_coef_ != 0) & (model.node_coef_.T != 0)
        mean = (model.node_coef_ + model.node_coef_.T) / 2
        assert_array_equal(model.coupling_, np.where(both, mean, 0.0) if penalty == "l1" else mean)


@pytest.mark.mission("GM-12")
def test_an_edge_is_kept_where_both_of_its_nodes_choose_it_or_one():
    rng = np.random.default_rng(6)
    common = rng.random((200, 1))
    X = (rng.random((200, 7)) < 0.15 + 0.7 * common ** np.arange(1, 8)).astype(float)
    both, one = (IsingModel(penalty="l1", alpha=0.03, rule=rule).fit(X) for rule in ("and", "or"))
    assert_allclose(both.node_coef_, one.node_coef_)
    chosen = both.node_coef_ != 0.0
    assert (chosen != chosen.T).any()
    assert_array_equal(both.coupling_ != 0.0, chosen & chosen.T)
    assert_array_equal(one.coupling_ != 0.0, chosen | chosen.T)


def test_pseudo_likelihood_finds_the_parameters_that_made_all_states(random_model):
    X, p, _ = table(*random_model)
    model = IsingModel(method="pseudolikelihood", alpha=0.0, tol=1e-12).fit(X, sample_weight=p)
    assert_allclose(model.coupling_, random_model[1], atol=1e-5)
    assert_allclose(model.intercept_, random_model[0], atol=1e-5)


@pytest.mark.parametrize("method", ["likelihood", "pseudolikelihood"])
def test_a_weight_is_a_repetition(method):
    rng = np.random.default_rng(5)
    X, s = (rng.random((50, 4)) < 0.5).astype(float), rng.integers(0, 4, 50)
    weighted = IsingModel(method=method).fit(X, sample_weight=s)
    repeated = IsingModel(method=method).fit(np.repeat(X, s, axis=0))
    assert_allclose(weighted.coupling_, repeated.coupling_, atol=1e-6)


@pytest.mark.parametrize("method", ["exact", "gibbs"])
def test_draws_have_the_probabilities_of_the_states(random_model, method):
    X, p, _ = table(*random_model)
    n = 20_000
    rows = model_of(*random_model).sample(n, method=method, n_sweeps=60, random_state=3)
    place = {tuple(x): i for i, x in enumerate(X)}
    counts = np.bincount([place[tuple(x)] for x in rows], minlength=len(p))
    chi = ((counts - n * p) ** 2 / (n * p)).sum()
    assert chi < 63 + 5 * np.sqrt(2 * 63)  # mean and deviation of chi-square with 63 degrees of freedom


def test_annealed_importance_is_within_a_hundredth_of_the_sum_and_its_error_is_right(random_model):
    model = model_of(*random_model)
    exact = model.log_partition(method="exact")
    assert exact.standard_error == 0.0
    answers = [
        model.log_partition(method="annealed", n_chains=50, n_temperatures=200, random_state=i) for i in range(40)
    ]
    values, errors = np.array(answers).T
    assert np.abs(values - exact.value).max() < 0.01 * exact.value
    assert 0.6 < values.std() / errors.mean() < 1.6  # a deviation of 40 draws is off by a ninth


def test_a_large_graph_is_refused_with_its_size_and_a_way_out():
    X = (np.random.default_rng(0).random((60, 25)) < 0.5).astype(float)
    with pytest.raises(ValueError, match=r"25 nodes, and 2\^25 states; 20 can.*pseudolikelihood"):
        IsingModel(method="likelihood").fit(X)
    model = IsingModel(alpha=0.1).fit(X)
    assert model.log_partition_ is None and model.node_coef_.shape == (25, 25)
    with pytest.raises(ValueError, match=r"pseudo_log_likelihood.*annealed"):
        model.score_samples(X)
    assert_allclose(model.score(X), model.pseudo_log_likelihood(X).mean())
    assert model.sample(3, n_sweeps=5, random_state=0).shape == (3, 25)
    estimate = model.log_partition(n_chains=20, n_temperatures=50)
    assert estimate.standard_error > 0.0
    free = IsingModel([], method="pseudolikelihood").fit(X)  # no edges: the sum is a product
    assert_allclose(free.log_partition().value, np.logaddexp(0.0, free.intercept_).sum(), rtol=1e-12)


def test_nodes_without_edges_are_independent():
    X = (np.random.default_rng(0).random((60, 3)) < 0.3).astype(float)
    for method in ("likelihood", "pseudolikelihood"):
        model = IsingModel([], method=method).fit(X)
        assert_allclose(model.intercept_, logit(X.mean(axis=0)), rtol=1e-6)
        assert model.edges_.shape == (0, 2) and not model.coupling_.any()


@pytest.mark.parametrize("method", ["likelihood", "pseudolikelihood"])
def test_a_constant_column_gets_half_a_row_and_no_edges(method):
    X = (np.random.default_rng(0).random((60, 3)) < 0.4).astype(float)
    X[:, 1] = 0.0
    with pytest.warns(UserWarning, match="1 of 3 columns are constant, the first is 1"):
        model = IsingModel(method=method).fit(X)
    assert_allclose(expit(model.intercept_[1]), 0.5 / 61, rtol=1e-5)
    assert_allclose(model.coupling_[1], 0.0, atol=1e-6)
    assert separatrix.verify(model, X).converged


@pytest.mark.parametrize(
    "edges, words",
    [
        ([(0, 7)], "node 7.*0 to 2"),
        ([(0, -1)], "node -1"),
        ([(1, 1)], "from node 1 to itself"),
        ([(0.5, 1)], "pair of numbers"),
        ([(0, 1, 2)], "shape"),
    ],
)
def test_an_edge_that_cannot_be_is_named(edges, words):
    with pytest.raises(ValueError, match=words):
        IsingModel(edges).fit(states(3))


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"alpha": -1.0}, "alpha"),
        ({"tol": 0.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"rule": "xor"}, "rule"),
        ({"method": "map"}, "method"),
        ({"penalty": "l3"}, "penalty"),
        ({"binarize": "a"}, "binarize"),
        ({"method": "likelihood", "penalty": "l1"}, "penalty='l2'"),
    ],
)
def test_a_parameter_out_of_range_is_named(parameters, words):
    with pytest.raises((ValueError, TypeError), match=words):
        IsingModel(**parameters).fit(states(3))


def test_values_that_are_not_binary_are_refused_with_their_place():
    X = states(3)
    X[4, 2] = 0.5
    with pytest.raises(ValueError, match=r"value 0.5 in row 4, column 2.*binarize"):
        IsingModel().fit(X)
    X[4, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        IsingModel().fit(X)
    model = IsingModel(binarize=0.0).fit(states(3) * 2 - 1)
    assert_allclose(model.coupling_, 0.0, atol=1e-8)
    with pytest.raises(ValueError, match="method='best'"):
        model.log_partition(method="best")


@pytest.mark.parametrize("name", ["n_samples", "n_sweeps", "n_chains", "n_temperatures"])
@pytest.mark.parametrize("count", [0, -1, 2.5, True])
def test_a_count_that_is_none_is_refused(random_model, name, count):
    model = model_of(*random_model)
    with pytest.raises(ValueError, match=f"{name}={count}.*integer >= 1"):
        if name in ("n_samples", "n_sweeps"):
            model.sample(method="gibbs", **{name: count})
        else:
            model.log_partition(method="annealed", **{name: count})


def test_a_likelihood_without_a_maximum_is_not_certified():
    X = np.array([[0, 0], [0, 1], [1, 0]] * 5, dtype=float)  # never both
    with pytest.warns(NotCertified, match="alpha"):
        model = IsingModel(alpha=0.0, max_iter=8).fit(X)
    assert np.isfinite(model.coupling_).all() and not model.certificate_.converged


@pytest.mark.parametrize("parameters", [{}, {"method": "pseudolikelihood"}, {"penalty": "l1", "alpha": 0.05}], ids=str)
def test_a_changed_model_is_not_verified(parameters, tmp_path):
    X = (np.random.default_rng(0).random((80, 4)) < 0.4).astype(float)
    model = IsingModel(**parameters).fit(X)
    assert separatrix.verify(model, X).converged
    model.save(tmp_path / "ising.sepx")
    again = separatrix.load(tmp_path / "ising.sepx")
    assert_array_equal(again.score_samples(X), model.score_samples(X))
    for name in ("intercept_", "coupling_", "log_partition_", "node_coef_"):
        again = separatrix.load(tmp_path / "ising.sepx")
        setattr(again, name, getattr(again, name) + 0.1)
        assert not separatrix.verify(again, X).converged, name


@pytest.mark.parametrize("Model", [IsingModel, BoltzmannMachine])
def test_edges_that_can_be_read_once_are_refused(Model):
    X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])
    with pytest.raises(ValueError, match="iterator"):
        Model(edges=zip([0, 1], [1, 2])).fit(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("Model", [IsingModel, BoltzmannMachine])
def test_a_constant_column_of_very_heavy_rows_has_a_finite_intercept(Model):
    model = Model().fit([[1, 0], [1, 1], [1, 0]], sample_weight=np.full(3, 1e17))
    assert np.isfinite(model.intercept_).all()


def test_draws_by_chains_hear_an_interrupt_between_sweeps(monkeypatch):
    counts = []
    model = IsingModel().fit([[0, 0], [0, 1], [1, 0], [1, 1]])
    monkeypatch.setattr(binary_nodes, "sweep", lambda key, first, count, *rest: counts.append((first, count)))
    model.sample(3, method="gibbs", n_sweeps=4)
    assert counts == [(0, 1), (1, 1), (2, 1), (3, 1)]
