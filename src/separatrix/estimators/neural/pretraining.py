r"""Greedy layer-wise pretraining: each hidden layer first learns to encode what the layer before gives it.

1. An autoencoder of the rows x: an encoder to :math:`h_1` with weights :math:`W^{(1)}`, and a decoder back to x.
2. The decoder is thrown away; :math:`h_1` is the input of the next one, and so on for every hidden layer.
3. The output layer is put on top, and all weights are trained for the prediction (supervised fine-tuning).

In the place of an autoencoder a restricted Boltzmann machine may learn each layer.

References: Hinton, Osindero and Teh (2006), Neural Computation 18(7). Bengio, Lamblin, Popovici and Larochelle (2007),
NIPS 19.
"""

import numpy as np

from separatrix.core.activations import ACTIVATIONS
from separatrix.core.errors import cannot
from separatrix.core.solution import Trace
from separatrix.designs import as_dense
from separatrix.estimators.neural.rbm import BernoulliRBM
from separatrix.losses import Squared
from separatrix.solvers.networks.network import Layer, Network
from separatrix.solvers.networks.objective import Objective
from separatrix.solvers.networks.start import draw_weights
from separatrix.solvers.networks.training import Progress, train


def _by_autoencoder(model, W, b, H, s, random):
    """Learn W and b of one layer so that a decoder, linear in its outputs, gives the inputs H back."""
    p, m = W.shape
    coder = Network(p, [Layer(m, model.activation), Layer(p)], W.dtype)
    draw_weights(coder, model.weight_init, random)
    rule = model._step_rule()
    batch = model._batch_size(len(H))
    objective = Objective(coder, H, H.astype(np.float64), s, Squared(), float(model.alpha), batch)
    train(
        objective,
        rule,
        Progress(Trace()),
        batch_size=batch,
        max_iter=model.pretrain_iter,
        tol=0.0,
        n_iter_no_change=np.inf,
        random=random,
    )
    W[:], b[:] = coder.weights[0][0], coder.biases[0]


def _by_boltzmann_machine(model, W, b, H, s, random):
    """Learn W and b of one layer as the edges and hidden terms of a restricted Boltzmann machine of its inputs."""
    if model.activation != "logistic" or s is not None or H.min() < 0.0 or H.max() > 1.0:
        raise cannot(
            f"pretrain {type(model).__name__} as restricted Boltzmann machines with activation={model.activation!r}",
            because="their units are binary, and rows probabilities of equal weight"
            if model.activation == "logistic"
            else "their hidden units are logistic",
            instead="activation='logistic', columns within [0, 1] and no weights, or pretrain='autoencoder'",
        )
    batch = model._batch_size(len(H))
    machine = BernoulliRBM(W.shape[1], batch_size=batch, n_iter=model.pretrain_iter, random_state=random).fit(H)
    W[:], b[:] = machine.components_.T, machine.intercept_hidden_


PRETRAINING = {"autoencoder": _by_autoencoder, "rbm": _by_boltzmann_machine}


def pretrain(model, network, rows, s, random):
    """Give every hidden layer of a network the weights of an encoder, one layer after the other."""
    H = np.asarray(as_dense(rows), dtype=network.theta.dtype)
    learn = PRETRAINING[model.pretrain]
    for layer, (W,), b in zip(network.layers[:-1], network.weights, network.biases):
        learn(model, W, b, H, s, random)
        H = H @ W + b
        ACTIVATIONS[layer.activation].apply(H)
