r"""Maximum likelihood of a Boltzmann machine with hidden nodes, by its exact gradient over all states.

Climbs   Σ_v q(v) log P(v) - ½ α Σ_{j<k} C_jk²,     P(v) = Σ_h e^{w(v, h) - Φ},   w(x) = a'x + Σ_{j<k} C_jk x_j x_k
Given    the shares q of the visible states in the data, which pairs of nodes have an edge, α >= 0, and a start.
Returns  a, C where the gradient is small. There are several maxima: hidden nodes may change places, at the least.
Cost     2^d d² multiplications for a gradient of d nodes.
From     Ackley, Hinton and Sejnowski (1985), Cognitive Science 9(1): the gradient is a difference of second moments,
         with the visible nodes held at the data and with all nodes free. The ascent is L-BFGS (Liu and Nocedal 1989).
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from separatrix.core.types import Array
from separatrix.solvers.binary_states import log_sum, log_weights, second_moments


class BoltzmannLikelihood(NamedTuple):
    """The problem: shares of the visible states (2^p,), a symmetric mask of edges (d, d), and α.

    Nodes are numbered visible ones first, so that the states of the hidden nodes are the rows of ``w`` as a matrix.
    """

    shares: Array
    mask: Array
    alpha: float

    @property
    def d(self) -> int:
        return len(self.mask)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """θ, numbers of the nodes and of the edges above the diagonal, as a (d,) and a symmetric C (d, d)."""
        C = np.zeros((self.d, self.d))
        C[np.triu(self.mask, 1)] = theta[self.d :]
        return theta[: self.d], C + C.T

    def join(self, a: Array, C: Array) -> Array:
        """The inverse of :meth:`split`."""
        return np.concatenate([a, C[np.triu(self.mask, 1)]])

    def value_and_gradient(self, theta: Array) -> tuple[float, Array]:
        """The penalised mean log-likelihood of a row, and its gradient."""
        a, C = self.split(theta)
        logs = log_weights(a, C)
        phi = log_sum(logs)
        table = logs.reshape(-1, len(self.shares))  # (hidden states, visible states)
        top = table.max(axis=0)
        given = np.exp(table - top)
        total = given.sum(axis=0)
        edges = theta[self.d :]
        value = float(self.shares @ (top + np.log(total)) - phi) - 0.5 * self.alpha * float(edges @ edges)
        held = given * (self.shares / total)  # the data's visible states, and hidden ones given them
        M = second_moments(held.reshape(-1) - np.exp(logs - phi), self.d)
        gradient = self.join(np.diag(M).copy(), M)
        gradient[self.d :] -= self.alpha * edges
        return value, gradient

    def stationarity(self, theta: Array) -> float:
        """The largest entry of the gradient, in nats for a move of a parameter by 1."""
        return float(np.abs(self.value_and_gradient(theta)[1]).max())


def climb(problem: BoltzmannLikelihood, start: Array, *, tol: float, max_iter: int) -> tuple[Array, int]:
    """θ near the maximum that the start leads to, and the iterations."""

    def descend(theta: Array) -> tuple[float, Array]:
        value, gradient = problem.value_and_gradient(theta)
        return -value, -gradient

    options = {"maxiter": max_iter, "maxfun": 4 * max_iter, "ftol": 0.0, "gtol": tol, "maxcor": 20}
    answer = minimize(descend, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(answer.x), int(answer.nit)
