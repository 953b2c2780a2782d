"""Where training starts: random weights, and weights that a stack of autoencoders has learnt."""

import numpy as np

from separatrix.core.types import Array
from separatrix.solvers.networks.network import Network

STARTS = ("glorot", "he", "normal")


def draw_weights(network: Network, kind: str, random: np.random.RandomState) -> None:
    r"""Draw all weights anew.

    "glorot": weights and biases uniform within :math:`\pm\sqrt{6 / (p + m)}`, and :math:`\sqrt{2 / (p + m)}` in a
    network with logistic units; p inputs, m units. "he": normal of variance :math:`2 / p`, biases 0. "normal": N(0, 1),
    biases 0.

    References: Glorot and Bengio (2010), AISTATS; He et al. (2015), ICCV.
    """
    size = 2.0 if any(layer.activation == "logistic" for layer in network.layers[:-1]) else 6.0
    for W, b in zip(network.weights, network.biases):
        for matrix in W:
            p, m = matrix.shape
            bound = np.sqrt(size / (p + m))
            matrix[:] = _drawn(kind, matrix.shape, bound, random)
        b[:] = random.uniform(-bound, bound, m) if kind == "glorot" else 0.0


def _drawn(kind: str, shape: tuple[int, ...], bound: float, random: np.random.RandomState) -> Array:
    if kind == "glorot":
        return random.uniform(-bound, bound, shape)
    return random.standard_normal(shape) * (np.sqrt(2.0 / shape[0]) if kind == "he" else 1.0)
