r"""Squared error of a sum of kernels about a few centres (Nystroem's form): the problem, and what certifies it.

.. math:: \min_{c, b}\ \frac1{\sum s} \tfrac12 \sum_i s_i \big(y_i - (\Phi c)_i - b\big)^2 + \tfrac{\lambda}2\,|c|^2

where :math:`\Phi` are the whitened kernels of the centres (:mod:`separatrix.designs.kernel_centres`).
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.solution import Certificate, Solution
from separatrix.core.target import Target
from separatrix.core.types import Array


@dataclass(frozen=True)
class CentresProblem:
    """Squared error under a ridge on the norm of a function ``f(x) = Σ_j a_j k(z_j, x) + b``.

    Parameters
    ----------
    centres : KernelCentres.  The rows as kernels of the centres.
    target : Target.  y (n,) or (n, k) and weights.
    strength : float, (0, inf).  λ.
    intercept : bool, default False.  Whether there is a b, which is not penalised.
    """

    centres: Any
    target: Target
    strength: float
    intercept: bool = False

    @property
    def unit(self) -> Array:
        """What gaps are divided by, for each output: the squared error of the model that is constant (or 0)."""
        s, y = self.target.weights[:, None], self.target.y.reshape(self.target.n, -1)
        whole = (s * y**2).sum(axis=0)
        centre = (s * y).sum(axis=0) / self.target.total if self.intercept else 0.0
        unit = (s * (y - centre) ** 2).sum(axis=0)
        unit = np.where(unit > (8.0 * np.finfo(np.float64).eps) ** 2 * whole, unit, whole)
        return np.where(unit > 0.0, unit, 1.0)


def certify_centres(
    problem: CentresProblem, solution: Solution, tol: float, *, started: float | None = None
) -> Certificate:
    r"""The certificate of coefficients a (``solution.beta``), of one output or the worst of several.

    Twice the gap, in units of ``1/Σs``, is at most :math:`|g|^2 / \alpha + \sum s\,(b - b^*)^2`, with
    :math:`\alpha = \lambda \sum s`, :math:`b^*` the best intercept for c, and :math:`g = \alpha c - \Phi'Sr` there: the
    curvature in every direction is at least :math:`\alpha`. Rounding of the sums is added to g.
    """
    centres, total = problem.centres, problem.target.total
    alpha = problem.strength * total
    c = centres.whitened(np.asarray(solution.beta, dtype=np.float64).reshape(centres.m, -1))
    b = np.broadcast_to(np.asarray(solution.intercept, dtype=np.float64), c.shape[1])
    sums = centres.residual_sums(problem.target, c, b)
    products, shift = sums.products, np.zeros_like(b)
    if problem.intercept:
        shift = sums.total / total
        ones = centres.residual_sums(problem.target, np.zeros((centres.m, 1)), -1.0, of_targets=False)
        products = products - ones.products * shift
    gradient = np.abs(alpha * c - products) + sums.rounding + 4.0 * np.finfo(np.float64).eps * np.abs(alpha * c)
    gaps = ((gradient**2).sum(axis=0) / alpha + total * shift**2) / problem.unit
    seconds = 0.0 if started is None else time.perf_counter() - started
    return Certificate("gap", float(gaps.max(initial=0.0)), tol, solution.iterations, solution.passes, seconds)
