r"""The gradient of a smooth problem, one read of X at a time.

Gives    G (1 + p, k), intercept in row 0:  G = (1/Σs) Σ_i s_i (1, x_i)' u_i + (0, ridge beta), u_i the slopes at eta_i
For      a smooth loss of one score (k = 1) or a joint loss of k; no penalty or a ridge, which may differ by coefficient
"""

import operator
from collections.abc import Callable
from functools import reduce as fold

import numpy as np

from separatrix.core.objective import curvatures_at, slopes_at
from separatrix.core.problem import Problem
from separatrix.core.threads import parallel_map
from separatrix.core.verbs import is_joint
from separatrix.designs.base import Block
from separatrix.solvers.compiled.gradient import add_curvatures, add_gradient, add_joint_gradient
from separatrix.solvers.smooth import refuse_jumps, ridge_of

_NO_WEIGHTS = np.empty(0)


class GradientPass:
    """``gradient(W)`` of a problem: by compiled rows where X is stored by rows, else by blocks and BLAS.

    ``ridge`` (p,) is the penalty, coefficient by coefficient.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.ridge = ridge_of(problem, "follow the gradient")
        refuse_jumps(problem.loss, "follow the gradient")
        self.joint = is_joint(problem.loss)
        self.k = problem.target.y.shape[1] if self.joint else 1
        self.shape = (1 + problem.design.p, self.k)
        self.count = 0
        dense = problem.design.gram_is_cheap
        self.by_rows = problem.design.stored_by_rows and (dense or not self.joint)
        if self.by_rows:
            self._parts = problem.design.parts()
            self._order, self._rows = problem.design.walking_rows

    def __call__(self, W: np.ndarray) -> np.ndarray:
        self.count += 1
        G = (self._over_rows(W) if self.by_rows else self._over_blocks(W)) / self.problem.target.total
        G[1:] += self.ridge[:, None] * W[1:]
        if not self.problem.intercept:
            G[0] = 0.0
        return G

    def _over_rows(self, W: np.ndarray) -> np.ndarray:
        if self.joint:
            return self._jointly(W)
        g = self._sum_over_rows(add_gradient, W, len(W))
        return np.concatenate([g[-1:], g[:-1]])[:, None]

    def _sum_over_rows(self, add: Callable[..., None], W: np.ndarray, size: int) -> np.ndarray:
        """The sum that a compiled loop adds to an array of some size, part by part."""
        problem, target = self.problem, self.problem.target
        beta, intercept = np.ascontiguousarray(W[1:, 0][self._order]), float(W[0, 0])
        s = _NO_WEIGHTS if target.s is None else target.s

        def task(part: tuple[int, int]) -> np.ndarray:
            out = np.zeros(size)
            add(self._rows, problem.loss, target.y, s, *part, beta, intercept, out)
            return out

        total = fold(operator.add, parallel_map(task, self._parts))
        total[: len(beta)][self._order] = total[: len(beta)].copy()
        return total

    def _jointly(self, W: np.ndarray) -> np.ndarray:
        problem, target = self.problem, self.problem.target
        even = np.zeros((self.k + self.k % 2, problem.design.p))
        even[: self.k] = W[1:].T
        intercept, s = np.ascontiguousarray(W[0]), _NO_WEIGHTS if target.s is None else target.s
        (X,) = self._rows  # dense rows are one matrix

        def task(part: tuple[int, int]) -> np.ndarray:
            G, eta = np.zeros((len(even), problem.design.p + 1)), np.zeros((4, len(even)))
            add_joint_gradient(X, problem.loss, target.y, s, *part, even, intercept, G, eta)
            return G

        G = fold(operator.add, parallel_map(task, self._parts))[: self.k].T
        return np.vstack([G[-1:], G[:-1]])

    def _over_blocks(self, W: np.ndarray) -> np.ndarray:
        problem, beta, intercept = self.problem, W[1:], W[0]

        def task(block: Block) -> np.ndarray:
            B, y, s = block
            if not self.joint:
                u = slopes_at(problem.loss, y, np.asarray(B @ beta[:, 0]) + intercept[0])
                u = u if s is None else s * u
                return np.append(u.sum(), u @ B)[:, None]
            U = slopes_at(problem.loss, y, np.asarray(B @ beta) + intercept)
            U = U if s is None else s[:, None] * U
            return np.vstack([U.sum(axis=0), np.asarray(U.T @ B).T])

        total: np.ndarray = problem.design.reduce(task, operator.add, problem.target)
        return total

    def diagonal(self, W: np.ndarray) -> np.ndarray:
        """``(1/Σs) Σ_i s_i h_i x_ij²`` (p, k): the diagonal of the Hessian, without the penalty."""
        total = self.problem.target.total
        if self.by_rows and not self.joint:
            return self._sum_over_rows(add_curvatures, W, len(W) - 1)[:, None] / total
        weights = score_curvatures(self.problem, W) * self.problem.target.weights[:, None]
        squares: np.ndarray = self.problem.design.reduce(
            lambda block, w: np.asarray((block.X * block.X).T @ w), operator.add, None, weights
        )
        return squares / total


def score_curvatures(problem: Problem, W: np.ndarray) -> np.ndarray:
    """h (n, k) at W: the curvature of the loss along each score, the others fixed."""
    eta = problem.design.matvec(W[1:]) + W[0]
    if is_joint(problem.loss):
        return curvatures_at(problem.loss, problem.target.y, eta)
    return curvatures_at(problem.loss, problem.target.y, np.ascontiguousarray(eta[:, 0]))[:, None]
