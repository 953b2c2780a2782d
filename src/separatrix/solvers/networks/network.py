"""A feed-forward network: layers of units, each fed by earlier ones, and backpropagation through them.

Computes  o_0 = x,  a_j = Σ_i o_i W_ij + b_j over the layers i that lead to j,  o_j = f_j(a_j)  [normalised before f_j]
Given     the number of inputs and the layers in an order in which each is fed by earlier ones: any acyclic graph.
Returns   the output o_L of each row (forward), and from dE/do_L the gradient in every parameter (backward).
From      Rumelhart, Hinton and Williams (1986), Nature 323. Forward keeps the outputs. Backward adds what comes in at
          a layer, multiplies it by the stored derivative, and sends it on along the weights.
Cost      two products of matrices for each weight matrix backward, one forward.

All parameters lie in one array, the weights first, so that a step of training is one loop over it.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.activations import ACTIVATIONS
from separatrix.core.errors import cannot
from separatrix.core.types import Array
from separatrix.solvers.networks.layers import BatchNorm, WeightedSum


class Layer(NamedTuple):
    """A layer of units of one kind.

    Parameters
    ----------
    units : int, [1, inf).
    activation : str, default "identity".  A name of :data:`separatrix.core.activations.ACTIVATIONS`.
    inputs : tuple of int, default ().  The layers that lead here, counted from 1; 0 is the row x itself; () is the
        layer before.
    batch_norm : bool, default False.  Whether sums are normalised before the activation.
    """

    units: int
    activation: str = "identity"
    inputs: tuple[int, ...] = ()
    batch_norm: bool = False


def chain(units: Sequence[int], activation: str, batch_norm: bool = False) -> list[Layer]:
    """Layers one after the other; the last is the output, without activation or normalisation.

    >>> [layer.activation for layer in chain([5, 3, 1], "tanh")]
    ['tanh', 'tanh', 'identity']
    """
    return [*(Layer(m, activation, (), batch_norm) for m in units[:-1]), Layer(units[-1])]


class Network:
    """Layers with their parameters, gradients and outputs.

    ``theta`` holds every parameter and ``gradient`` every derivative, in the same order; ``weights`` are views of it,
    one list for each layer with a matrix (p_i, m) for each layer i that leads there, ``biases`` one array for each.

    >>> xor = Network(2, [Layer(2, "relu"), Layer(1)])
    >>> xor.weights[0][0][:], xor.biases[0][:], xor.weights[1][0][:] = 1.0, [0.0, -1.0], [[1.0], [-2.0]]
    >>> xor.forward(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])).ravel()
    array([0., 1., 1., 0.])
    """

    def __init__(self, p: int, layers: Sequence[Layer], dtype: Any = np.float64) -> None:
        self.layers = [layer if layer.inputs else layer._replace(inputs=(j,)) for j, layer in enumerate(layers)]
        _check(self.layers)
        self.units = [p, *(layer.units for layer in layers)]
        shapes = [(self.units[i], layer.units) for layer in self.layers for i in layer.inputs]
        self.n_weights = sum(a * b for a, b in shapes)
        vectors = [layer.units for layer in self.layers for _ in range(3 if layer.batch_norm else 1)]
        self.theta = np.zeros(self.n_weights + sum(vectors), dtype)
        self.gradient = np.zeros_like(self.theta)
        self.sums, self.norms = self._parts(shapes, vectors)
        self._buffers: tuple[list[Array], list[Array]] = ([], [])

    def _parts(self, shapes: list[tuple[int, int]], vectors: list[int]) -> tuple[list[Any], list[Any]]:
        """Layers whose parameters are views of the one array."""
        ends = np.cumsum([0, *(a * b for a, b in shapes), *vectors]).tolist()
        both = [[array[a:b] for a, b in pairwise(ends)] for array in (self.theta, self.gradient)]
        matrices = [iter([v.reshape(shape) for v, shape in zip(views, shapes)]) for views in both]
        rest = [iter(views[len(shapes) :]) for views in both]
        sums: list[WeightedSum] = []
        norms: list[BatchNorm | None] = []
        for layer in self.layers:
            W, g_W = ([next(views) for _ in layer.inputs] for views in matrices)
            b, g_b = map(next, rest)
            sums.append(WeightedSum(W, b, g_W, g_b))
            if layer.batch_norm:
                (scale, g_scale), (shift, g_shift) = (map(next, rest) for _ in range(2))
                scale[:] = 1.0
                norms.append(BatchNorm(scale, shift, g_scale, g_shift))
            else:
                norms.append(None)
        return sums, norms

    @property
    def weights(self) -> list[list[Array]]:
        return [each.W for each in self.sums]

    @property
    def biases(self) -> list[Array]:
        return [each.b for each in self.sums]

    @property
    def takes_batches_whole(self) -> bool:
        """Whether the rows of a batch have a part in each other's outputs."""
        return any(norm is not None for norm in self.norms)

    def forward(self, X: Array, s: Array | None = None, *, training: bool = False, remember: bool = False) -> Array:
        """The outputs (m, k) of rows X (m, p); those of every layer are kept until the next call.

        In `training` sums are normalised by the moments of this batch, of weights s, else by those of past ones.
        """
        self.outputs = [X, *self._room(len(X), 0)]
        for j, (layer, each, norm) in enumerate(zip(self.layers, self.sums, self.norms), 1):
            a = self.outputs[j]
            each.forward([self.outputs[i] for i in layer.inputs], a)
            if norm is not None and training:
                norm.forward(a, s, remember=remember)
            elif norm is not None:
                norm.predict(a)
            ACTIVATIONS[layer.activation].apply(a)
        return self.outputs[-1]

    def backward(self, error: Array, to_input: bool = False) -> Array | None:
        """Fill ``gradient`` from ``error = dE/do_L`` (m, k) of the rows of the last forward pass.

        Returns dE/dx (m, p) if it is asked for (`to_input`); sums over rows are then still those of the parameters.
        """
        m = len(error)
        deltas: list[Any] = [np.empty_like(self.outputs[0]) if to_input else None, *self._room(m, 1)]
        begun = [False] * len(deltas)
        deltas[-1][:] = error
        for j in range(len(self.layers), 0, -1):
            layer, norm, delta = self.layers[j - 1], self.norms[j - 1], deltas[j]
            ACTIVATIONS[layer.activation].pull_back(self.outputs[j], delta)
            if norm is not None:
                norm.backward(delta)
            self.sums[j - 1].backward([self.outputs[i] for i in layer.inputs], delta)
            for place, i in enumerate(layer.inputs):
                if deltas[i] is not None:
                    self.sums[j - 1].pull_back(place, delta, deltas[i], add=begun[i])
                    begun[i] = True
        return deltas[0]

    def layer_norms(self) -> list[float]:
        """The length of the gradient in the weights of each layer."""
        return [float(np.sqrt(sum(float(np.vdot(g, g)) for g in each.g_W))) for each in self.sums]

    def _room(self, m: int, which: int) -> list[Array]:
        """Arrays for m rows of each layer: those of earlier batches, or new ones."""
        kept = self._buffers[which]
        if not kept or len(kept[0]) < m:
            kept[:] = [np.empty((m, units), self.theta.dtype) for units in self.units[1:]]
        return [buffer[:m] for buffer in kept]


def _check(layers: Sequence[Layer]) -> None:
    """Refuse a graph in which a layer waits for a later one, or leads nowhere."""
    read = {i for layer in layers for i in layer.inputs}
    for j, layer in enumerate(layers, 1):
        wrong = [i for i in layer.inputs if not 0 <= i < j]
        if wrong or layer.units < 1 or len(set(layer.inputs)) < len(layer.inputs):
            raise cannot(
                f"build layer {j} of {layer.units} units, fed by the layers {layer.inputs}",
                because=f"layer {wrong[0]} does not come before it"
                if wrong
                else "it needs a unit, and each input once",
                instead=f"units >= 1 and different inputs from 0 to {j - 1}",
            )
        if j < len(layers) and j not in read:
            raise cannot(f"build layer {j}", because="it leads to no other layer", instead="a layer that is read")
