r"""Squared error in the feature space of a kernel: the problem, and what certifies a solution of it.

.. math:: \min_{a, b}\ \frac1{\sum s} \tfrac12 \sum_i s_i \big(y_i - (Ka)_i - b\big)^2 + \tfrac{\lambda}2\,a'Ka

The norm :math:`a'Ka` of the function is no sum over coefficients, which is why it is no :class:`Problem`. Where K is
positive semidefinite, the minimum is at :math:`(K + D)\,a = y - b` with :math:`D_i = \lambda \sum s / s_i`, and,
with an intercept, :math:`1'a = 0`.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.certificate import MOST_EXPLAINED, relative_residual
from separatrix.core.solution import Certificate, Solution
from separatrix.core.target import Target
from separatrix.core.types import Array

EPS = float(np.finfo(np.float64).eps)
# Of equations that are those of no minimum, or of many: a residual is not squared, as a gap is.
RESIDUAL = 1e-10


@dataclass(frozen=True)
class KernelProblem:
    """Squared error under a ridge on the norm of a function ``f(x) = Σ a_i k(x_i, x) + b``.

    Parameters
    ----------
    matrix : KernelMatrix or KernelTiles (:mod:`separatrix.designs.kernel_matrix`).  K of the rows.
    target : Target.  y (n,) or (n, k) and weights, all positive: a row of weight 0 has no part in the function.
    strength : float, [0, inf).  λ.
    intercept : bool, default False.  Whether there is a b, which is not penalised.
    """

    matrix: Any
    target: Target
    strength: float
    intercept: bool = False

    @property
    def shift(self) -> Array:
        """What stands on the diagonal of the equations beside K: D (n,)."""
        return self.strength * self.target.total / self.target.weights

    @property
    def is_convex(self) -> bool:
        """Whether K is known to be positive semidefinite, so that the equations are those of the minimum."""
        return bool(self.matrix.is_mercer)

    def residual(self, a: Array, b: Array) -> Array:
        """``y - b - K a - D a``, (n, k), of coefficients (n, k) and intercepts (k,)."""
        y = self.target.y.reshape(self.target.n, -1)
        return y - b - self.matrix.matvec(a) - self.shift[:, None] * a


def certify_kernel(
    problem: KernelProblem, solution: Solution, tol: float, *, started: float | None = None
) -> Certificate:
    """The certificate of a kernel's coefficients, of one output or the worst of several.

    Of the kind "gap" (see :func:`kernel_gap`) where the kernel is a Mercer kernel and there is a penalty. Else the
    equations may have no minimum to be those of, or many, and how well they hold is certified: "residual".
    The rounding of this computation is part of a gap; the rounding of the kernel's values is not, for the problem is
    that of the values as they are computed.
    """
    n = problem.target.n
    a = np.asarray(solution.beta, dtype=np.float64).reshape(n, -1)
    b = np.broadcast_to(np.asarray(solution.intercept, dtype=np.float64), a.shape[1])
    message, kind = "", "gap"
    with np.errstate(all="ignore"):  # what overflows is no number, and certifies nothing
        if problem.is_convex and problem.strength > 0.0:
            gaps, explained = kernel_gap(problem, a, b)
            value, rounding = float(gaps.max(initial=0.0)), min(float(explained.max(initial=0.0)), MOST_EXPLAINED)
            if rounding > tol:
                message = f"rounding may cost {rounding:.1e}"
            tol = max(tol, rounding)
        else:
            kind, value, tol = "residual", _equations(problem, a, b), max(tol, RESIDUAL)
    seconds = 0.0 if started is None else time.perf_counter() - started
    return Certificate(kind, value, tol, solution.iterations, solution.passes, seconds, message)


def kernel_gap(problem: KernelProblem, a: Array, b: Array) -> tuple[Array, Array]:
    r"""Bounds (k,) on the gap, relative to the model that is constant, and what rounding may explain of them.

    With :math:`r = y - b - Ka - Da`, :math:`B = S^{1/2} K S^{1/2}` and :math:`\alpha = \lambda \sum s`, twice the gap
    in a is :math:`\rho'B(B + \alpha)^{-1}\rho \le \rho'\rho` for :math:`\rho = S^{1/2} r`. Twice the gap in b is
    :math:`\alpha\,(1'a + 1'M^{-1}r)^2 / 1'M^{-1}1`, with :math:`M = K + D`. By Cauchy and Schwarz
    :math:`(1'M^{-1}r)^2 \le 1'M^{-1}1\ r'M^{-1}r` and :math:`1'M^{-1}1 \ge (\sum s)^2 / s'Ms`; and
    :math:`\alpha\,r'M^{-1}r \le \rho'\rho`.
    """
    s, total = problem.target.weights[:, None], problem.target.total
    y = problem.target.y.reshape(problem.target.n, -1)
    lengths = np.sqrt(problem.matrix.diagonal.clip(min=0.0))
    # sums of n products, whose errors have random signs; no kernel value is above the product of the lengths
    terms = lengths[:, None] * (lengths @ np.abs(a)) + problem.shift[:, None] * np.abs(a) + np.abs(y) + np.abs(b)
    rounding = (np.sqrt(problem.target.n) + 8.0) * EPS * terms
    residual = np.abs(problem.residual(a, b)) + rounding
    squares, explained = (s * residual**2).sum(axis=0), (s * rounding**2).sum(axis=0)
    if problem.intercept:
        weight = float((s[:, 0] @ lengths) ** 2) + problem.strength * total * total  # no less than s'Ms
        sums = np.abs(a.sum(axis=0)) + np.sqrt(problem.target.n) * EPS * np.abs(a).sum(axis=0)
        squares = 3.0 * squares + 2.0 * problem.strength * weight / total * sums**2
        explained = 3.0 * explained
    centre = (s * y).sum(axis=0) / total if problem.intercept else 0.0
    unit = (s * (y - centre) ** 2).sum(axis=0)
    unit = np.where(unit > (8.0 * EPS) ** 2 * (s * y**2).sum(axis=0), unit, (s * y**2).sum(axis=0))
    unit = np.where(unit > 0.0, unit, 1.0)
    return squares / unit, explained / unit


def _equations(problem: KernelProblem, a: Array, b: Array) -> float:
    """How well the equations hold, relative to their size; without a penalty up to what K cannot reach."""
    shift, root = problem.shift[:, None], np.sqrt(problem.target.weights)[:, None]
    size = float(np.abs(problem.matrix.diagonal + shift[:, 0]).max(initial=0.0)) or 1.0
    y = problem.target.y.reshape(problem.target.n, -1) - b

    def apply(U: Array) -> Array:  # symmetric: with S^{1/2} on both sides
        return root * (problem.matrix.matvec(root * U) + shift * root * U)

    scale = np.full(problem.target.n, 1.0 / np.sqrt(size * float(problem.target.weights.max())))
    value = relative_residual(apply, a / root, root * y, scale, singular=True)
    if problem.intercept:
        value = max(value, float(np.max(np.abs(a.sum(axis=0)) / (np.abs(a).sum(axis=0) + 1e-300))))
    return value
