r"""Parts of a network, forward beside backward: weighted sums, and batch normalisation.

Forward goes from inputs o to sums a; backward from ``delta = dE/da`` to the gradients of the part's own parameters, and
to ``dE/do``. Rows are examples, so that the matrix form :math:`\delta_1 = D_1 W_2 \delta_2` reads ``delta2 @ W2.T``.
"""

from collections.abc import Sequence

import numpy as np

from separatrix.core.types import Array

EPSILON = 1e-5  # beside the variance of a batch
KEPT = 0.9  # of the moments for prediction, at each batch


class WeightedSum:
    """``a = Σ_i o_i W_i + b``, over the layers i that lead here.

    Parameters
    ----------
    W, g_W : list of (p_i, m) arrays.  Weights and their gradients, one for each incoming layer.
    b, g_b : (m,) arrays.
    """

    def __init__(self, W: list[Array], b: Array, g_W: list[Array], g_b: Array) -> None:
        self.W, self.b, self.g_W, self.g_b = W, b, g_W, g_b

    def forward(self, inputs: Sequence[Array], out: Array) -> None:
        np.matmul(inputs[0], self.W[0], out=out)
        for o, W in zip(inputs[1:], self.W[1:]):
            out += o @ W
        out += self.b

    def backward(self, inputs: Sequence[Array], delta: Array) -> None:
        for o, g in zip(inputs, self.g_W):
            np.matmul(o.T, delta, out=g)
        np.sum(delta, axis=0, out=self.g_b)

    def pull_back(self, i: int, delta: Array, out: Array, add: bool) -> None:
        """dE/do of incoming layer i; added to `out` where other layers have written there before."""
        if add:
            out += delta @ self.W[i].T
        else:
            np.matmul(delta, self.W[i].T, out=out)


class BatchNorm:
    r"""Sums of a batch B, shifted and scaled to mean 0 and variance 1, then by what is learnt.

    .. math:: \mu = \frac1{S}\sum_{i \in B} s_i a_i, \quad \sigma^2 = \frac1{S}\sum_{i \in B} s_i (a_i - \mu)^2, \quad
              \hat a_i = \frac{a_i - \mu}{\sqrt{\sigma^2 + \epsilon}}, \quad y_i = \gamma \hat a_i + \beta

    where S is the sum of the weights. In prediction the mean and the variance are those of past batches, of which the
    later ones count for more; after training, of one large batch.

    Parameters
    ----------
    scale, shift : (m,) arrays.  :math:`\gamma, \beta`.     g_scale, g_shift : (m,) arrays.  Their gradients.

    References: Ioffe and Szegedy (2015), ICML, algorithm 1.
    """

    def __init__(self, scale: Array, shift: Array, g_scale: Array, g_shift: Array) -> None:
        self.scale, self.shift, self.g_scale, self.g_shift = scale, shift, g_scale, g_shift
        self.mean, self.variance = np.zeros_like(scale), np.ones_like(scale)
        self.batches = 0
        self.normal: Array | None = None

    def forward(self, a: Array, s: Array | None, *, remember: bool) -> None:
        """`a` becomes y; moments are kept for prediction where this batch is one to `remember`."""
        self.shares = np.full(len(a), 1.0 / len(a), a.dtype) if s is None else (s / s.sum()).astype(a.dtype)
        mean = self.shares @ a
        a -= mean
        variance = self.shares @ (a * a)
        self.factor = 1.0 / np.sqrt(variance + a.dtype.type(EPSILON))
        a *= self.factor
        self.normal = a.copy()
        a *= self.scale
        a += self.shift
        if remember:
            kept = min(KEPT, self.batches / (self.batches + 1.0))  # at first the plain mean of the batches
            self.mean += (1.0 - kept) * (mean - self.mean)
            self.variance += (1.0 - kept) * (variance - self.variance)
            self.batches += 1

    def predict(self, a: Array) -> None:
        """`a` becomes y by the moments that were kept."""
        self.normal = None
        self.factor = 1.0 / np.sqrt(self.variance + self.variance.dtype.type(EPSILON))
        a -= self.mean
        a *= self.scale * self.factor
        a += self.shift

    def backward(self, delta: Array) -> None:
        """`delta` becomes dE/da: every row of the batch has a part in the mean and in the variance.

        After a prediction, by moments that no row has a part in, there are no gradients of parameters.
        """
        if self.normal is not None:
            np.sum(delta, axis=0, out=self.g_shift)
            np.sum(delta * self.normal, axis=0, out=self.g_scale)
            delta -= self.shares[:, None] * (self.g_shift + self.normal * self.g_scale)
        delta *= self.scale * self.factor
