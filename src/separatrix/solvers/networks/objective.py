r"""What a network is trained to lower, over all rows or over a batch of them.

.. math:: P(\theta) = \frac1{\sum_i s_i} \sum_i s_i\, \ell\big(y_i, f_\theta(x_i)\big) + \frac{\lambda}2 \sum |W|^2

Weights are penalised, biases are not. A batch has the mean of its own rows, with weights of mean 1 over all rows, so
that a batch is right on average, whichever rows weigh nothing.
"""

from typing import Any

import numpy as np
from scipy.linalg.blas import daxpy, saxpy

from separatrix.core.types import Array, Loss
from separatrix.core.verbs import is_joint
from separatrix.designs import as_dense
from separatrix.solvers.networks.compiled.output import column_losses, joint_losses
from separatrix.solvers.networks.network import Network

ROWS = 1024  # of a block: outputs of all layers stay in the cache
_NO_WEIGHTS = np.empty(0)


class Objective:
    """The objective of a network on rows of data.

    Parameters
    ----------
    network : Network.  Its output is the raw score of the loss, or whatever its last activation makes of it.
    X : (n, p) array or sparse array.     Y : (n, k) array of float64.
    s : (n,) array or None.  Weights.
    loss : a loss of one output, summed over the outputs, or a joint one.
    strength : float, [0, inf).  λ.
    """

    def __init__(self, network: Network, X: Any, Y: Array, s: Array | None, loss: Loss, strength: float) -> None:
        self.network, self.X, self.Y, self.loss, self.strength = network, X, Y, loss, strength
        self.n = len(Y)
        self.s = None if s is None else s / s.mean()
        self._losses = joint_losses if is_joint(loss) else column_losses
        self._add = saxpy if network.theta.dtype == np.float32 else daxpy

    def of_batch(self, rows: Any, *, remember: bool = True) -> float:
        """The objective of some rows, an index array or a slice; its gradient is then in the network."""
        Y = self.Y[rows]
        value = self._add_rows(rows, Y, float(len(Y)), remember)
        return value + self._add_penalty()

    def whole(self, *, remember: bool = False) -> float:
        """The objective of all rows, block by block in a fixed order; its gradient is then in the network."""
        network, value = self.network, 0.0
        if network.takes_batches_whole or self.n <= ROWS:
            return self.of_batch(slice(None), remember=remember)
        total = np.zeros(network.theta.shape)
        for first in range(0, self.n, ROWS):
            rows = slice(first, first + ROWS)
            value += self._add_rows(rows, self.Y[rows], float(self.n), remember)
            total += network.gradient
        network.gradient[:] = total
        return value + self._add_penalty()

    def _add_rows(self, rows: Any, Y: Array, unit: float, remember: bool) -> float:
        network = self.network
        s = None if self.s is None else self.s[rows]
        X = np.asarray(as_dense(self.X[rows]), dtype=network.theta.dtype)
        if s is not None and network.takes_batches_whole and not s.any():
            network.gradient[:] = 0.0
            return 0.0
        raw = network.forward(X, s, training=True, remember=remember)
        out = np.array(raw, dtype=np.float64, order="C")
        value = float(self._losses(self.loss, Y, _NO_WEIGHTS if s is None else s, unit, out))
        network.backward(out)
        return value

    def _add_penalty(self) -> float:
        """½ λ |W|², whose slopes are added to the gradient."""
        if self.strength == 0.0:
            return 0.0
        network = self.network
        W = network.theta[: network.n_weights]
        self._add(W, network.gradient[: network.n_weights], a=self.strength)
        return 0.5 * self.strength * float(np.vdot(W, W))
