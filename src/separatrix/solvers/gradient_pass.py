r"""The gradient of a smooth problem, one read of X at a time.

Gives    G (1 + p, k), the intercept in row 0:  G = (1/Σs) Σ_i s_i (1, x_i)' u_i + lam (0, beta),  u_i = slopes at eta_i
For      a loss of one score (k = 1) or a joint loss of k; no penalty or L2.
"""

import operator

import numpy as np

from separatrix.core.objective import fill_curvatures, slopes_at
from separatrix.core.threads import parallel_map
from separatrix.core.verbs import is_joint
from separatrix.solvers.compiled.gradient import add_curvatures, add_gradient, add_joint_gradient

_NO_WEIGHTS = np.empty(0)
# Coefficients and gradient of more columns than these do not stay in a second-level cache.
SCATTERED = 1 << 14


class GradientPass:
    """``gradient(W)`` of a problem: by compiled rows where X is stored by rows, else by blocks and BLAS."""

    def __init__(self, problem):
        self.problem = problem
        self.k = problem.target.y.shape[1] if is_joint(problem.loss) else 1
        self.shape = (1 + problem.design.p, self.k)
        self.count = 0
        dense = "gram" in problem.design.offers
        self.by_rows = problem.design.stored_by_rows and (self.k == 1 or dense)
        if self.by_rows:
            self._order, self._parts = slice(None), problem.design.parts()
            if not dense and problem.design.p > SCATTERED:
                self._order, self._rows = problem.design.frequent_first
            else:
                self._rows = problem.design.rows_atom()

    def __call__(self, W):
        self.count += 1
        G = (self._over_rows(W) if self.by_rows else self._over_blocks(W)) / self.problem.target.total
        G[1:] += self.problem.penalty.lam * W[1:]
        if not self.problem.intercept:
            G[0] = 0.0
        return G

    def _over_rows(self, W):
        if self.k > 1:
            return self._jointly(W)
        g = self._sum_over_rows(add_gradient, W, len(W))
        return np.concatenate([g[-1:], g[:-1]])[:, None]

    def _sum_over_rows(self, add, W, size):
        """The sum that a compiled loop adds to an array of some size, part by part."""
        problem, target = self.problem, self.problem.target
        beta, intercept = np.ascontiguousarray(W[1:, 0][self._order]), float(W[0, 0])
        s = _NO_WEIGHTS if target.s is None else target.s

        def task(part):
            out = np.zeros(size)
            add(self._rows, problem.loss, target.y, s, *part, beta, intercept, out)
            return out

        total = sum(parallel_map(task, self._parts))
        total[: len(beta)][self._order] = total[: len(beta)].copy()
        return total

    def _jointly(self, W):
        problem, target = self.problem, self.problem.target
        even = np.zeros((self.k + self.k % 2, problem.design.p))
        even[: self.k] = W[1:].T
        intercept, s = np.ascontiguousarray(W[0]), _NO_WEIGHTS if target.s is None else target.s

        def task(part):
            G, eta = np.zeros((len(even), problem.design.p + 1)), np.zeros((4, len(even)))
            add_joint_gradient(self._rows.X, problem.loss, target.y, s, *part, even, intercept, G, eta)
            return G

        G = sum(parallel_map(task, self._parts))[: self.k].T
        return np.vstack([G[-1:], G[:-1]])

    def _over_blocks(self, W):
        problem, target = self.problem, self.problem.target
        beta, intercept = W[1:], W[0]

        def task(B, y, s):
            if self.k == 1:
                u = slopes_at(problem.loss, y, np.asarray(B @ beta[:, 0]) + intercept[0])
                u = u if s is None else s * u
                return np.append(u.sum(), u @ B)[:, None]
            U = slopes_at(problem.loss, y, np.asarray(B @ beta) + intercept)
            U = U if s is None else s[:, None] * U
            return np.vstack([U.sum(axis=0), np.asarray(U.T @ B).T])

        return problem.design.reduce(task, operator.add, target.y, target.s)

    def diagonal(self, W):
        """``(1/Σs) Σ_i s_i h_i x_ij²`` (p, k): the diagonal of the Hessian, without the penalty."""
        total = self.problem.target.total
        if self.by_rows and self.k == 1:
            return self._sum_over_rows(add_curvatures, W, len(W) - 1)[:, None] / total
        weights = curvatures(self.problem, W) * self.problem.target.weights[:, None]
        return self.problem.design.reduce(lambda B, w: np.asarray((B * B).T @ w), operator.add, weights) / total


def curvatures(problem, W):
    """h (n, k) at W: the curvature of the loss along each score, the others fixed."""
    eta = problem.design.matvec(W[1:]) + W[0]
    if is_joint(problem.loss):
        mu = slopes_at(problem.loss, problem.target.y, eta) + problem.target.y
        return mu * (1.0 - mu)
    bends = np.empty(problem.target.n)
    fill_curvatures(problem.loss, problem.target.y, np.ascontiguousarray(eta[:, 0]), bends)
    return bends[:, None]
