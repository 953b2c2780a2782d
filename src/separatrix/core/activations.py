r"""What a unit of a network makes of its sum: the activations by name, each beside its derivative.

Both work in place, and a derivative is a function of the output ``o = f(a)``: the sum itself need not be kept.

.. math:: \sigma' = o\,(1 - o) \le \tfrac14, \qquad \tanh' = 1 - o^2 \le 1, \qquad \text{ReLU}' = [o > 0]

>>> a = np.array([-2.0, 0.0, 3.0])
>>> ACTIVATIONS["leaky_relu"].apply(a)
>>> a
array([-0.02,  0.  ,  3.  ])
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from separatrix.core.types import Array

LEAK = 0.01  # the slope of a leaky ReLU below 0


class Activation(NamedTuple):
    """A function of each number of an array.

    Parameters
    ----------
    apply : callable.  ``apply(a)``: a becomes f(a), in place.
    pull_back : callable.  ``pull_back(o, delta)``: delta becomes f'(a) delta, in place, where o = f(a).
    """

    apply: Callable[[Array], None]
    pull_back: Callable[[Array, Array], None]


def _nothing(*arrays: Array) -> None:
    """The identity, whose derivative is 1."""


def _logistic(a: Array) -> None:
    # 1 / (1 + e^-a), right to the last digits in both tails; e^-a may overflow, to the limit 0
    with np.errstate(over="ignore"):
        np.negative(a, out=a)
        np.exp(a, out=a)
        a += 1.0
        np.reciprocal(a, out=a)


def _logistic_back(o: Array, delta: Array) -> None:
    delta *= o
    delta *= 1.0 - o


def _tanh(a: Array) -> None:
    np.tanh(a, out=a)


def _tanh_back(o: Array, delta: Array) -> None:
    delta *= 1.0 - o * o


def _relu(a: Array) -> None:
    np.maximum(a, 0.0, out=a)


def _relu_back(o: Array, delta: Array) -> None:
    np.copyto(delta, 0.0, where=o <= 0.0)  # the slope at 0 is set-valued; 0 is taken


def _leaky_relu(a: Array) -> None:
    np.maximum(a, LEAK * a, out=a)


def _leaky_relu_back(o: Array, delta: Array) -> None:
    np.multiply(delta, LEAK, out=delta, where=o <= 0.0)


ACTIVATIONS = {
    "identity": Activation(_nothing, _nothing),
    "logistic": Activation(_logistic, _logistic_back),
    "tanh": Activation(_tanh, _tanh_back),
    "relu": Activation(_relu, _relu_back),
    "leaky_relu": Activation(_leaky_relu, _leaky_relu_back),
}
