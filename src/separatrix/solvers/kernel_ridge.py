r"""Kernel ridge regression by one triangular factor.

Solves   (K + D) a = y - b, and 1'a = 0 where there is an intercept b;   D_i = strength Σs / s_i.
Given    a KernelProblem whose matrix is held whole (KernelMatrix).
Returns  a (n,) or (n, k), and b.
Cost     n³/3 for Cholesky's factor, in the half of the matrix that K leaves free; 2 n² for each refinement.
From     Saunders, Gammerman and Vovk (1998), Ridge Regression Learning Algorithm in Dual Variables.

Where K + D is not positive definite (a kernel that is no Mercer kernel; equal rows without a penalty), the solution is
the shortest one of least squares, by eigenvectors.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import eigh

from separatrix.core.errors import SingularKernel
from separatrix.core.kernel_problem import KernelProblem
from separatrix.core.memory import refuse_kernel_matrix
from separatrix.core.solution import Solution
from separatrix.core.types import Array

EPS = float(np.finfo(np.float64).eps)


def solve(
    problem: KernelProblem, *, tol: float = 0.0, max_iter: int | None = None, start: Any = None, trace: Any = None
) -> Solution:
    """Solve a kernel ridge problem, all outputs together.

    Parameters
    ----------
    problem : KernelProblem.  Its matrix is held whole.
    tol : float.  Refinements go on to rounding, whatever it is.
    max_iter : int or None.  Refinements at the most; None is 3.
    start, trace : unused: nothing is iterated from a start.
    """
    target, ones = problem.target, np.ones(problem.target.n)
    solve_system = problem.matrix.solve if problem.matrix.cholesky(problem.shift) else _by_eigenvectors(problem)

    def answer(Y: Array, sums: Array | float) -> tuple[Array, Array]:
        """a and b of ``(K + D) a = Y - b``, ``1'a = sums``; without an intercept, b is 0."""
        if not problem.intercept:
            return solve_system(Y), np.zeros(Y.shape[1])
        solved = solve_system(np.column_stack([ones, Y]))
        along, a = solved[:, 0], solved[:, 1:]
        b = (ones @ a - sums) / (ones @ along)
        return a - np.multiply.outer(along, b), b

    a, b = answer(target.y.reshape(target.n, -1), 0.0)
    a, b, done = _refined(problem, answer, a, b, 3 if max_iter is None else max_iter)
    return Solution.of(a, b, target, iterations=done, passes=1 + done)


def _refined(problem: KernelProblem, answer: Any, a: Array, b: Array, most: int) -> tuple[Array, Array, int]:
    """Take off what is left of the equations, for as long as that shrinks."""
    s = problem.target.weights[:, None]
    residual = problem.residual(a, b)
    for done in range(most):
        step, shift = answer(residual, -a.sum(axis=0))
        further = problem.residual(a + step, b + shift)
        if not (s * further**2).sum() < 0.25 * (s * residual**2).sum():
            return a, b, done
        a, b, residual = a + step, b + shift, further
    return a, b, most


def _by_eigenvectors(problem: KernelProblem) -> Callable[[Array], Array]:
    """What solves ``S^{1/2} (K + D) S^{1/2} c = S^{1/2} y``, by the shortest c of least squares; a is ``S^{1/2} c``."""
    n, root = problem.target.n, np.sqrt(problem.target.weights)[:, None]
    refuse_kernel_matrix(n, "decompose the kernel", copies=3)
    B = root * problem.matrix.dense() * root.T
    B.flat[:: n + 1] += problem.strength * problem.target.total
    values, V = eigh(B, overwrite_a=True)
    size = np.abs(values)
    kept = size > n * EPS * size.max(initial=0.0)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)[:, None]
    if not kept.all():
        warnings.warn(SingularKernel(int(kept.sum()), n), stacklevel=5)
    return lambda Y: root * (V @ (inverse * (V.T @ (root * Y))))
