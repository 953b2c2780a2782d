r"""What a network is trained to lower, over all rows or over a batch of them.

.. math:: P(\theta) = \frac1{\sum_i s_i} \sum_i s_i\, \ell\big(y_i, f_\theta(x_i)\big) + \frac{\lambda}2 \sum |W|^2

Weights are penalised, biases are not. A batch of m rows has the mean of its own losses, with weights of mean 1 over
all rows, and the penalty :math:`\frac{\alpha}{2m} \sum |W|^2`, as in scikit-learn. On average over an epoch of B
batches that is P with :math:`\lambda = \alpha B / n`.
"""

from math import ceil
from typing import Any

import numpy as np
from scipy.linalg.blas import daxpy, saxpy

from separatrix.core.types import Array, Loss
from separatrix.core.verbs import is_joint
from separatrix.designs import as_dense
from separatrix.solvers.networks.compiled.output import column_losses, joint_losses
from separatrix.solvers.networks.network import Network

MOST_ROWS = 1 << 15  # of a batch of which moments are taken
ROWS = 1024  # of a block: outputs of all layers stay in the cache
_NO_WEIGHTS = np.empty(0)


class Objective:
    r"""The objective of a network on rows of data.

    Parameters
    ----------
    network : Network.  Its output is the raw score of the loss, or whatever its last activation makes of it.
    X : (n, p) array or sparse array.     Y : (n, k) array of float64.
    s : (n,) array or None.  Weights.
    loss : a loss of one output, summed over the outputs, or a joint one.
    alpha : float, [0, inf).     batch_size : int or None.  None where all rows are taken at once, whose penalty is
        :math:`\lambda = \alpha / \sum s`.
    """

    def __init__(
        self,
        network: Network,
        X: Any,
        Y: Array,
        s: Array | None,
        loss: Loss,
        alpha: float = 0.0,
        batch_size: int | None = None,
    ) -> None:
        self.network, self.X, self.Y, self.loss, self.alpha = network, X, Y, loss, alpha
        self.n, self.batch_size = len(Y), batch_size
        self.strength = alpha / (self.n if s is None else float(s.sum()))
        if batch_size is not None:
            self.strength = alpha * ceil(self.n / batch_size) / self.n
        self.s = None if s is None else s / s.mean()
        self._losses = joint_losses if is_joint(loss) else column_losses
        self._add = saxpy if network.theta.dtype == np.float32 else daxpy

    def of_batch(self, rows: Any) -> float:
        """The objective of some rows, an index array or a slice; its gradient is then in the network."""
        Y = self.Y[rows]
        value = self._add_rows(rows, Y, float(len(Y)), remember=True)
        return value + self._add_penalty(self.alpha / len(Y))

    def whole(self) -> float:
        """The objective of all rows, block by block in a fixed order; its gradient is then in the network."""
        network, value = self.network, 0.0
        height = self.n if network.takes_batches_whole else ROWS
        total = np.zeros(network.theta.shape)
        for first in range(0, self.n, height):
            rows = slice(first, first + height)
            value += self._add_rows(rows, self.Y[rows], float(self.n), remember=False)
            total += network.gradient
        network.gradient[:] = total
        return value + self._add_penalty(self.strength)

    def settle_moments(self, random: np.random.RandomState) -> None:
        """Of normalised sums, take the moments for prediction anew, of one large batch and the weights as they are."""
        if self.network.takes_batches_whole:
            for norm in self.network.norms:
                if norm is not None:
                    norm.batches = 0
            few = self.n <= MOST_ROWS
            self.of_batch(slice(None) if few else np.sort(random.choice(self.n, MOST_ROWS, replace=False)))

    def _add_rows(self, rows: Any, Y: Array, unit: float, *, remember: bool) -> float:
        network = self.network
        s = None if self.s is None else self.s[rows]
        X = np.asarray(as_dense(self.X[rows]), dtype=network.theta.dtype)
        raw = network.forward(X, s, training=True, remember=remember)
        out = np.array(raw, dtype=np.float64, order="C")
        value = float(self._losses(self.loss, Y, _NO_WEIGHTS if s is None else s, unit, out))
        network.backward(out)
        return value

    def _add_penalty(self, strength: float) -> float:
        """½ λ |W|², whose slopes are added to the gradient."""
        network = self.network
        W = network.theta[: network.n_weights]
        self._add(W, network.gradient[: network.n_weights], a=strength)
        return 0.5 * strength * float(np.vdot(W, W))
