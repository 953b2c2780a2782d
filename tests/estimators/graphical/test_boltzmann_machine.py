"""Boltzmann machines with hidden nodes, held against enumeration and finite differences."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.graphical import BoltzmannMachine, IsingModel
from separatrix.solvers.boltzmann_ascent import BoltzmannLikelihood

TOO_MANY = "the check fits 30 columns, whose states are too many to be summed"
LARGE = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), TOO_MANY
)
PARITY = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=float)


@parametrize_with_checks([BoltzmannMachine(binarize=0.0, n_init=1)], expected_failed_checks=lambda _: LARGE)
@pytest.mark.filterwarnings("ignore:.*columns are constant")
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def enumerated(a, C, p):
    """``P(v)`` and ``P(h = 1 | v)`` of all visible states v, by the definition."""
    d = len(a)
    V = np.array(list(itertools.product([0.0, 1.0], repeat=p)))
    H = np.array(list(itertools.product([0.0, 1.0], repeat=d - p)))
    weights = np.empty((len(V), len(H)))
    for i, v in enumerate(V):
        for m, h in enumerate(H):
            x = np.concatenate([v, h])
            weights[i, m] = np.exp(a @ x + sum(C[j, k] * x[j] * x[k] for j in range(d) for k in range(j)))
    weights /= weights.sum()
    return V, weights.sum(axis=1), weights @ H / weights.sum(axis=1, keepdims=True)


@pytest.mark.mission("GM-09")
@pytest.mark.parametrize("n_hidden", [1, 2])
def test_four_nodes_are_marginalised_as_by_enumeration(n_hidden):
    p = 4 - n_hidden
    X = (np.random.default_rng(0).random((40, p)) < 0.5).astype(float)
    model = BoltzmannMachine(n_hidden, random_state=0).fit(X)
    V, marginal, hidden = enumerated(model.intercept_, model.coupling_, p)
    assert_allclose(np.exp(model.score_samples(V)), marginal, rtol=1e-12)
    assert_allclose(model.transform(V), hidden, rtol=1e-12)
    assert_allclose(model.log_likelihood_, model.score(X), rtol=1e-12)
    assert_allclose(model.log_partition().value, model.log_partition_, rtol=1e-12)


@pytest.mark.mission("GM-09")
def test_the_gradient_is_that_of_finite_differences():
    rng, p, d = np.random.default_rng(1), 3, 5
    mask = np.triu(rng.random((d, d)) < 0.7, 1)
    mask = mask | mask.T
    shares = rng.dirichlet(np.ones(1 << p))
    problem = BoltzmannLikelihood(shares, mask, 0.1)
    theta = rng.normal(size=d + mask.sum() // 2)

    def value(theta):
        a, C = problem.split(theta)
        V, marginal, _ = enumerated(a, C, p)
        q = shares[(V @ [1, 2, 4]).astype(int)]
        return q @ np.log(marginal) - 0.05 * np.square(theta[d:]).sum()

    got, gradient = problem.value_and_gradient(theta)
    assert_allclose(got, value(theta), rtol=1e-12)
    steps = 1e-5 * np.eye(len(theta))
    assert_allclose(gradient, [(value(theta + s) - value(theta - s)) / 2e-5 for s in steps], atol=1e-8)


@pytest.mark.mission("GM-09")
def test_a_hidden_node_makes_what_pairs_cannot():
    alone = BoltzmannMachine(0, alpha=0.0).fit(PARITY)
    hidden = BoltzmannMachine(1, alpha=1e-4, random_state=0).fit(PARITY)
    assert_allclose(alone.log_likelihood_, -3 * np.log(2), rtol=1e-9)
    assert -np.log(4) - 0.05 < hidden.log_likelihood_ < -np.log(4)
    assert hidden.certificate_.kind == "gradient" and hidden.certificate_.verdict == "stationary"
    assert "several maxima" in hidden.certificate_.message


def test_without_hidden_nodes_it_is_the_ising_model():
    X = (np.random.default_rng(2).random((70, 5)) < 0.4).astype(float)
    ours, theirs = BoltzmannMachine(0, tol=1e-8).fit(X), IsingModel(tol=1e-14).fit(X)
    assert_allclose(ours.coupling_, theirs.coupling_, atol=1e-5)
    assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-5)


def test_edges_that_are_not_in_the_graph_are_zero():
    layers = [(j, k) for j in range(3) for k in (3, 4)]  # a restricted machine
    model = BoltzmannMachine(2, edges=layers, random_state=0).fit(PARITY)
    assert not model.coupling_[:3, :3].any() and not model.coupling_[3:, 3:].any()
    assert model.coupling_[:3, 3:].all()
    V, _, hidden = enumerated(model.intercept_, model.coupling_, 3)
    scores = model.intercept_[3:] + V @ model.coupling_[:3, 3:]
    assert_allclose(hidden, 1 / (1 + np.exp(-scores)), rtol=1e-12)  # independent, and logistic


@pytest.mark.parametrize("method", ["exact", "gibbs"])
def test_draws_have_the_probabilities_of_visible_states(method):
    model = BoltzmannMachine(1, alpha=0.02, random_state=0).fit(PARITY)
    _, p, _ = enumerated(model.intercept_, model.coupling_, 3)
    n = 20_000
    rows = model.sample(n, method=method, n_sweeps=100, random_state=1)
    counts = np.bincount((rows @ [4, 2, 1]).astype(int), minlength=8)
    assert rows.shape == (n, 3)
    assert ((counts - n * p) ** 2 / (n * p)).sum() < 7 + 5 * np.sqrt(14)


def test_a_weight_is_a_repetition_and_a_constant_column_has_no_edges():
    X, s = np.vstack([PARITY, PARITY[:1]]), np.array([2, 1, 0, 3, 1])
    weighted = BoltzmannMachine(1, random_state=0).fit(X, sample_weight=s)
    repeated = BoltzmannMachine(1, random_state=0).fit(np.repeat(X, s, axis=0))
    assert_allclose(weighted.coupling_, repeated.coupling_, atol=1e-3)
    with pytest.warns(UserWarning, match="constant"):
        model = BoltzmannMachine(1, random_state=0).fit(np.column_stack([PARITY, np.ones(4)]))
    P = np.exp(model.score_samples(np.array(list(itertools.product([0.0, 1.0], repeat=4)))))
    assert_allclose(P[1::2].sum(), 4.5 / 5, atol=1e-4)


def test_too_many_nodes_and_unknown_ones_are_refused():
    X = (np.random.default_rng(0).random((30, 15)) < 0.5).astype(float)
    with pytest.raises(ValueError, match=r"21 nodes, and 2\^21 states; 20 can.*BernoulliRBM"):
        BoltzmannMachine(6).fit(X)
    with pytest.raises(ValueError, match=r"node 4.*0 to 3"):
        BoltzmannMachine(1, edges=[(0, 4)]).fit(PARITY)
    with pytest.raises(ValueError, match="n_hidden"):
        BoltzmannMachine(-1).fit(PARITY)
    with pytest.raises(ValueError, match="value 2 in row 0"):
        BoltzmannMachine().fit(2.0 + PARITY)


def test_a_changed_machine_is_not_verified(tmp_path):
    model = BoltzmannMachine(1, random_state=0).fit(PARITY)
    assert separatrix.verify(model, PARITY).verdict == "stationary"
    model.save(tmp_path / "machine.sepx")
    again = separatrix.load(tmp_path / "machine.sepx")
    assert_array_equal(again.transform(PARITY), model.transform(PARITY))
    for name in ("intercept_", "coupling_", "log_partition_", "log_likelihood_"):
        again = separatrix.load(tmp_path / "machine.sepx")
        setattr(again, name, getattr(again, name) + 0.1)
        assert not separatrix.verify(again, PARITY).converged, name
