r"""An approximate inverse Hessian of a likelihood, from a sample of its rows.

    H = (1/Σs) Σ_i s_i h_i (x_i, 1)(x_i, 1)' + diag(ridge),     h_i = curvature of the loss along each of its scores

The columns with most curvature are taken together, by a Cholesky factor of their part of H; the others one by one.
Means weighted by h are taken off first, which parts the intercept from the columns. Classes are taken one by one, or
all together (:class:`JointHessian`) where they and the columns are few.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from separatrix.core.objective import curvature_matrices
from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.core.types import Loss
from separatrix.core.verbs import ignores_shifts
from separatrix.designs import as_design
from separatrix.designs.base import Design
from separatrix.designs.factor import Factor
from separatrix.designs.moments import moments
from separatrix.solvers.gradient_pass import GradientPass, score_curvatures

# Columns taken together: all of them up to the first number, else the heaviest. Columns of a sparse design overlap
# little beyond the heaviest few (measured on text: 64 or 1024 of 100,000 took the same number of iterations).
ALL, HEAVIEST, HEAVIEST_SPARSE = 1024, 1024, 128
# Coefficients of all classes for which the whole Hessian of a joint loss is made.
FEW = 256
# Curvature matrices are held for so many rows at a time that they take at most this many numbers.
MATRICES = 1 << 20
# Jitters of the unit diagonal, tried in order until Cholesky succeeds; 1e-3 always does.
JITTERS = (1e-13, 1e-11, 1e-9, 1e-6, 1e-3)


def taken_together(design: Design) -> int:
    """How many columns of a design the factor holds."""
    if design.p <= ALL:
        return int(design.p)
    return HEAVIEST if design.gram_is_cheap else HEAVIEST_SPARSE


class Preconditioner:
    """``solve(G)`` is about ``H^-1 G`` for gradients G (1 + p, k), the intercept in row 0.

    Parameters
    ----------
    gradient : GradientPass.  Of the whole problem.
    sample : Problem.  The rows that the factor is made of; the others count by their diagonal alone.
    W : (1 + p, k) array.  Where the Hessian is taken.
    """

    def __init__(self, gradient: GradientPass, sample: Problem, W: np.ndarray) -> None:
        design, target, ridge = sample.design, sample.target, gradient.ridge
        self.shifts = ignores_shifts(sample.loss)
        self.heavy: slice | np.ndarray = slice(None)
        self.light: np.ndarray | None = None
        count = taken_together(design)
        if count < design.p:
            diagonal = gradient.diagonal(W)
            self.light = np.maximum(diagonal + ridge[:, None], np.finfo(np.float64).tiny)
            self.heavy = np.sort(np.argpartition(-diagonal.max(axis=1), count)[:count])
            design = as_design(design.columns(self.heavy))
        elif not design.gram_is_cheap:
            design = as_design(design.columns(np.arange(design.p)))
        bends = score_curvatures(sample, W) * (target.weights / target.total)[:, None]
        self.factors = [_factor(design, h, ridge[self.heavy], sample.intercept) for h in np.ascontiguousarray(bends.T)]

    def solve(self, G: np.ndarray) -> np.ndarray:
        """About ``H^-1 G``."""
        step = np.zeros_like(G)
        if self.light is not None:
            step[1:] = G[1:] / self.light
        for c, factor in enumerate(self.factors):
            beta, intercept = factor.solve(G[1:, c : c + 1][self.heavy], G[0, c : c + 1])
            step[1:, c : c + 1][self.heavy] = beta
            step[0, c] = intercept[0]
        return _without_shift(step) if self.shifts else step


def _without_shift(step: np.ndarray) -> np.ndarray:
    """A step of coefficients that sum to zero over the classes."""
    return np.asarray(step - step.mean(axis=1, keepdims=True))


class JointHessian:
    r"""The whole Hessian of a joint loss, for few classes and columns.

    .. math:: H = \frac{1}{\sum s} \sum_i s_i\,\nabla^2 \ell_i \otimes z_i z_i' + \mathrm{diag}(\lambda) \otimes I

    Where the loss ignores shifts, H is zero along scores common to all classes, and the gradient too: there the mean of
    the class blocks is added, which changes nothing in the other directions. Columns are centred and scaled.
    """

    def __init__(self, problem: Problem, ridge: np.ndarray, W: np.ndarray) -> None:
        design, target = problem.design, problem.target
        X = design.columns(np.arange(design.p))
        s = target.weights / target.total
        self.mean = s @ X if problem.intercept else np.zeros(design.p)
        X -= self.mean
        size = np.sqrt(s @ (X * X))
        self.scale = 1.0 / np.where(size > 0.0, size, 1.0)
        Z = np.column_stack([np.full(target.n, float(problem.intercept)), X * self.scale])
        k, q = W.shape[1], Z.shape[1]
        H = joint_hessian(problem.loss, target.y, design.matvec(W[1:]) + W[0], s, Z)
        self.shifts = ignores_shifts(problem.loss)
        if self.shifts:
            common = np.trace(H, axis1=0, axis2=2) / k  # the mean block of a class with itself
            H += common[None, :, None, :] / k
        for c in range(k):
            H[c, np.arange(1, q), c, np.arange(1, q)] += ridge * self.scale**2
        H = H.reshape(k * q, k * q)
        diagonal = np.diag(H).copy()
        self.size = 1.0 / np.sqrt(np.maximum(diagonal, 1e-30 * diagonal.max() + np.finfo(np.float64).tiny))
        self.R = _root(H * np.multiply.outer(self.size, self.size))

    def solve(self, G: np.ndarray) -> np.ndarray:
        """``H^-1 G``."""
        centred = np.vstack([G[0], self.scale[:, None] * (G[1:] - np.multiply.outer(self.mean, G[0]))])
        solved = self.size * cho_solve((self.R, False), self.size * centred.T.ravel(), check_finite=False)
        step = solved.reshape(G.shape[1], -1).T.copy()
        step[1:] *= self.scale[:, None]
        step[0] -= self.mean @ step[1:]
        return _without_shift(step) if self.shifts else step


def joint_hessian(
    loss: Loss, Y: np.ndarray, eta: np.ndarray, s: np.ndarray, Z: np.ndarray, first_class: int = 0
) -> np.ndarray:
    """``Σ_i s_i h_icd z_i z_i'``, of shape (k, q, k, q), with h_i the curvature of row i, from some class on."""
    n, classes, q = len(Z), eta.shape[1], Z.shape[1]
    k = classes - first_class
    H = np.zeros((k, q, k, q))
    height = max(1, MATRICES // classes**2)
    for rows in (slice(i, min(i + height, n)) for i in range(0, n, height)):
        bends = curvature_matrices(loss, Y[rows], eta[rows])
        bends *= s[rows, None, None]
        for c in range(k):
            for d in range(c + 1):
                block = (Z[rows] * bends[:, first_class + c, first_class + d, None]).T @ Z[rows]
                H[c, :, d] += block
                if c > d:
                    H[d, :, c] += block.T
    return H


def _factor(design: Design, h: np.ndarray, ridge: np.ndarray, intercept: bool) -> Factor:
    """Cholesky factor of ``X_c'H X_c + diag(ridge)``, columns scaled to length 1, or of something a little larger."""
    if not h.any():  # all curvature has underflowed, as on the way to infinity: any rows do
        h = np.full_like(h, np.finfo(np.float64).tiny)
    sums = moments(design, Target(np.zeros(design.n), h), about_mean=intercept)
    squares = sums.squares + ridge
    scale = 1.0 / np.sqrt(np.where(squares > 0.0, squares, 1.0))
    C = sums.xx * np.multiply.outer(scale, scale)
    R = _root(C)
    total = max(sums.total, np.finfo(np.float64).tiny)
    return Factor(R, scale, np.arange(design.p), sums.x_mean, total, intercept)


def _root(C: np.ndarray) -> np.ndarray:
    """Cholesky factor of a matrix with unit diagonal, or of one a little larger."""
    R = np.eye(len(C))  # where all curvature has underflowed, as on the way to infinity
    for jitter in JITTERS:
        np.fill_diagonal(C, 1.0 + jitter)
        try:
            R = cholesky(C, check_finite=False)
        except LinAlgError:
            continue
        if np.diag(R).min(initial=1.0) ** 2 > 10.0 * jitter:
            break
    return R
