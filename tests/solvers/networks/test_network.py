"""The core of networks: forward by hand, backward against differences, for every layer, activation and loss."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.activations import ACTIVATIONS
from separatrix.losses import Logistic, Poisson, Softmax, Squared
from separatrix.solvers.networks.layers import BatchNorm
from separatrix.solvers.networks.network import Layer, Network, chain
from separatrix.solvers.networks.objective import ROWS, Objective
from separatrix.solvers.networks.start import draw_weights

STEP = 1e-6  # of central differences: their error is about STEP² and eps/STEP, 1e-10


def golden(name):
    path = Path(__file__).resolve().parents[4] / "shared" / "golden" / "golden.json"
    if not path.exists():
        pytest.skip("the golden numbers are not in the repository")
    entries = json.loads(path.read_text())
    entries = entries if isinstance(entries, list) else next(v for v in entries.values() if isinstance(v, list))
    (entry,) = [entry for entry in entries if entry["id"] == name]
    return entry["inputs"], entry["correct"], entry["tol"]


def with_random_parameters(layers, p=3, seed=0):
    random = np.random.RandomState(seed)
    network = Network(p, layers)
    draw_weights(network, "glorot", random)
    network.theta += 0.1 * random.standard_normal(network.theta.size)
    return network


def numeric_gradient(objective):
    theta = objective.network.theta
    start, slopes = theta.copy(), np.empty_like(theta)
    for i in range(len(theta)):
        theta[i] = start[i] + STEP
        above = objective.whole()
        theta[i] = start[i] - STEP
        slopes[i] = (above - objective.whole()) / (2.0 * STEP)
        theta[:] = start
    return slopes


def shares(n, k, seed=0):
    Y = np.random.default_rng(seed).random((n, k))
    return Y / Y.sum(axis=1, keepdims=True)


@pytest.mark.mission("NET-03", "NET-14", "NET-15")
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_what_is_pulled_back_is_the_derivative_of_what_is_applied(name):
    a = np.array([-30.0, -2.0, -0.5, 0.5, 3.0, 40.0])

    def applied(a):
        out = a.copy()
        ACTIVATIONS[name].apply(out)
        return out

    slope = np.full(6, 2.0)
    ACTIVATIONS[name].pull_back(applied(a), slope)
    numeric = (applied(a + STEP) - applied(a - STEP)) / STEP
    assert_allclose(slope, numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.mission("NET-03")
def test_the_logistic_activation_is_right_in_both_tails():
    a = np.array([-800.0, -40.0, 0.0, 40.0, 800.0])
    with np.errstate(all="raise", under="ignore"):
        ACTIVATIONS["logistic"].apply(a)
    assert_allclose(a, [0.0, 4.248354255291589e-18, 0.5, 1.0, 1.0], rtol=1e-15)  # mpmath: 1/(1 + e^40)


@pytest.mark.mission("NET-14", "NET-15")
def test_rectified_units_are_those_of_the_golden_numbers():
    inputs, correct, tol = golden("G071")
    for name, short in (("relu", "relu"), ("leaky_relu", "leaky")):
        a = np.array(inputs["x"], dtype=float)
        ACTIVATIONS[name].apply(a)
        slope = np.ones(len(a))
        ACTIVATIONS[name].pull_back(a, slope)
        assert_allclose(a, correct[short], atol=tol)
        assert_allclose(slope, correct[f"{short}_grad"], atol=tol)


@pytest.mark.mission("NET-10")
def test_the_slope_of_a_sigmoid_is_a_quarter_at_most_and_that_of_tanh_one():
    _, correct, tol = golden("G070")
    a = np.linspace(-6.0, 6.0, 1201)
    for name, key in (("logistic", "max_sigmoid_derivative"), ("tanh", "max_tanh_derivative")):
        o, slope = a.copy(), np.ones(len(a))
        ACTIVATIONS[name].apply(o)
        ACTIVATIONS[name].pull_back(o, slope)
        assert_allclose(slope.max(), correct[key], atol=tol)


@pytest.mark.mission("NET-10")
def test_a_chain_of_sigmoids_passes_back_no_more_than_a_quarter_at_each_layer():
    inputs, correct, tol = golden("G070")
    for depth, bound in zip(inputs["L"], correct["bound_after_L_layers"]):
        network = Network(1, [Layer(1, "logistic")] * depth)
        for (W,), b in zip(network.weights, network.biases):
            W[:], b[:] = 1.0, -0.5  # a sum of 0 wherever the layer before gives one half
        network.biases[0][:] = 0.0
        network.forward(np.zeros((1, 1)))
        assert_allclose(network.backward(np.ones((1, 1)), to_input=True), [[bound]], atol=tol)


@pytest.mark.mission("NET-01", "EX-19", "NET-02")
def test_two_rectified_units_compute_exclusive_or():
    inputs, correct, _ = golden("G068")
    network = Network(2, [Layer(2, "relu"), Layer(1)])
    network.weights[0][0][:], network.biases[0][:] = inputs["W1"], inputs["b1"]
    network.weights[1][0][:, 0], network.biases[1][:] = inputs["W2"], inputs["b2"]
    assert network.forward(np.array(inputs["X"], dtype=float)).ravel().tolist() == correct["relu_net_output"]


@pytest.mark.mission("NET-02", "NET-06", "NET-07", "NET-08")
def test_backpropagation_in_matrix_form_gives_the_golden_numbers():
    inputs, correct, tol = golden("G069")
    network = Network(2, [Layer(3, "logistic"), Layer(2, "logistic")])
    for j, (W, b) in enumerate((("W1", "b1"), ("W2", "b2"))):
        network.weights[j][0][:], network.biases[j][:] = inputs[W], inputs[b]
    objective = Objective(network, np.array([inputs["x"]], dtype=float), np.array([inputs["t"]]), None, Squared())
    assert_allclose(objective.whole(), correct["E"], atol=tol)
    assert_allclose(network.outputs[1][0], correct["o1"], atol=tol)
    assert_allclose(network.outputs[2][0], correct["o2"], atol=tol)
    assert_allclose(network.sums[0].g_W[0], correct["grad_W1"], atol=tol)
    assert_allclose(network.sums[1].g_W[0], correct["grad_W2"], atol=tol)
    assert_allclose(network.sums[0].g_b, correct["delta1"], atol=tol)  # of one row the gradient of a bias is delta
    assert_allclose(network.sums[1].g_b, correct["delta2"], atol=tol)


@pytest.mark.mission("NET-16")
def test_batch_normalisation_gives_the_golden_numbers_and_predicts_by_other_moments():
    inputs, correct, tol = golden("G072")
    norm = BatchNorm(np.array([inputs["gamma"]]), np.array([inputs["beta"]]), np.empty(1), np.empty(1))
    x = np.array(inputs["x"], dtype=float)[:, None]
    y = x.copy()
    norm.forward(y, None, remember=True)
    assert_allclose(y.ravel(), correct["y"], atol=tol)
    assert_allclose(norm.normal.ravel(), correct["xhat"], atol=tol)
    assert (norm.mean[0], norm.variance[0]) == (correct["mu_B"], correct["var_B"])
    alone = x[:1].copy()
    norm.predict(alone)  # a row of its own, by the moments of the batch
    assert_allclose(alone[0], correct["y"][0], atol=tol)
    norm.forward(x + 10.0, None, remember=True)  # the next batch moves them half way
    assert_allclose([norm.mean[0], norm.variance[0]], [8.0, 3.5], rtol=1e-14)


@pytest.mark.mission("NET-05", "NET-06", "NET-07", "NET-16")
@pytest.mark.parametrize("batch_norm", [False, True], ids=["", "normalised"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("output", "loss"),
    [
        ("identity", Squared()),
        ("logistic", Squared()),
        ("identity", Logistic()),
        ("identity", Softmax()),
        ("identity", Poisson()),
    ],
    ids=["squared", "squared of a sigmoid", "logistic", "softmax", "poisson"],
)
def test_the_gradient_is_that_of_differences(output, loss, activation, batch_norm):
    layers = [Layer(4, activation, (), batch_norm) for _ in range(3)]
    network = with_random_parameters([*layers, Layer(3, output)])
    rng = np.random.default_rng(1)
    objective = Objective(
        network, rng.standard_normal((7, 3)), shares(7, 3), rng.integers(1, 4, 7).astype(float), loss, 0.3
    )
    numeric = numeric_gradient(objective)
    objective.whole()
    assert_allclose(network.gradient, numeric, rtol=1e-6, atol=1e-6 * np.abs(numeric).max())


@pytest.mark.mission("NET-18")
@pytest.mark.parametrize("batch_norm", [False, True], ids=["", "normalised"])
def test_the_gradient_of_any_acyclic_graph_is_that_of_differences(batch_norm):
    graph = [
        Layer(4, "tanh", (0,), batch_norm),
        Layer(3, "leaky_relu", (0, 1)),
        Layer(2, "logistic", (1,), batch_norm),
        Layer(2, "identity", (3, 0, 2)),  # the row itself jumps over three layers
    ]
    network = with_random_parameters(graph)
    rng = np.random.default_rng(2)
    X = rng.standard_normal((6, 3))
    objective = Objective(network, X, rng.standard_normal((6, 2)), None, Squared(), 0.1)
    numeric = numeric_gradient(objective)
    objective.whole()
    assert_allclose(network.gradient, numeric, rtol=1e-6, atol=1e-6 * np.abs(numeric).max())
    if not batch_norm:
        o1 = np.tanh(X @ network.weights[0][0] + network.biases[0])
        a = X @ network.weights[1][0] + o1 @ network.weights[1][1] + network.biases[1]
        assert_allclose(network.outputs[2], np.where(a > 0.0, a, 0.01 * a), rtol=1e-13)


@pytest.mark.mission("NET-09")
def test_a_one_at_the_output_runs_backwards_to_the_derivative_in_the_input():
    network = with_random_parameters([Layer(4, "tanh"), Layer(3, "logistic", (0, 1)), Layer(1, "identity", (2, 0))])
    X = np.random.default_rng(3).standard_normal((5, 3))
    network.forward(X)
    slopes = network.backward(np.ones((5, 1)), to_input=True)
    for j in range(3):
        shift = STEP * np.eye(3)[j]
        above, below = (network.forward(X + sign * shift)[:, 0].copy() for sign in (1.0, -1.0))
        assert_allclose(slopes[:, j], (above - below) / (2.0 * STEP), rtol=1e-6, atol=1e-9)


def test_blocks_of_rows_add_up_to_the_gradient_of_all():
    network = with_random_parameters([Layer(4, "tanh"), Layer(2)])
    rng = np.random.default_rng(4)
    n = 2 * ROWS + 17
    X, Y, s = rng.standard_normal((n, 3)), rng.standard_normal((n, 2)), rng.integers(1, 4, n).astype(float)
    value = Objective(network, X, Y, s, Squared(), 0.5).whole()
    gradient = network.gradient.copy()
    expected = s @ (0.5 * (network.forward(X) - Y) ** 2).sum(axis=1) / s.sum()
    W = network.theta[: network.n_weights]
    assert_allclose(value, expected + 0.25 * W @ W / s.sum(), rtol=1e-13)
    once = Objective(network, X, Y, s, Squared(), 0.5 * n / s.sum())
    once.of_batch(slice(None))
    assert_allclose(gradient, network.gradient, rtol=1e-11, atol=1e-14)


@pytest.mark.mission("NET-17")
def test_the_sum_of_the_gradients_of_single_rows_is_that_of_all():
    network = with_random_parameters(chain([4, 2], "tanh"))
    rng = np.random.default_rng(5)
    objective = Objective(network, rng.standard_normal((9, 3)), rng.standard_normal((9, 2)), None, Squared())
    objective.of_batch(slice(None))
    whole, total = network.gradient.copy(), 0.0
    for i in range(9):
        objective.of_batch(slice(i, i + 1))
        total = total + network.gradient
    assert_allclose(total / 9.0, whole, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "layers",
    [
        [Layer(2, inputs=(1,))],
        [Layer(2), Layer(2, inputs=(2,))],
        [Layer(0)],
        [Layer(2, inputs=(0, 0))],
        [Layer(2), Layer(2, inputs=(0,))],
    ],
    ids=["fed by itself", "fed by itself later", "no units", "fed twice", "leads nowhere"],
)
def test_a_graph_that_is_no_feed_forward_network_is_refused(layers):
    with pytest.raises(ValueError, match="Cannot build layer"):
        Network(3, layers)


@pytest.mark.mission("NET-22")
def test_normal_weights_have_mean_zero_and_variance_one():
    network = Network(300, [Layer(100)])
    draw_weights(network, "normal", np.random.RandomState(0))
    W = network.weights[0][0]
    # five standard deviations of the mean and of the variance of 30,000 draws
    assert abs(W.mean()) < 5.0 / np.sqrt(W.size) and abs(W.var() - 1.0) < 5.0 * np.sqrt(2.0 / W.size)
    draw_weights(network, "he", np.random.RandomState(0))
    assert abs(network.weights[0][0].var() - 2.0 / 300) < 5.0 * np.sqrt(2.0 / W.size) * 2.0 / 300
