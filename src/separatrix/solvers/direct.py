"""Least squares and ridge by a factorisation, refined until the last digit stands still.

Solves   min  (1/2Σs) Σ s_i (y_i - x_i'beta - intercept)² + ½ Σ_j ridge_j beta_j²     (ridge = 0: minimum norm)
Given    a problem of squared error with one or k outputs, whose penalty has neither kinks nor bounds.
Returns  beta, intercept, and the fit from which evidence for standard errors is made.
From     Björck (1996), Numerical Methods for Least Squares Problems, sections 2.9 and 6.6: corrected seminormal
         equations. We differ in carrying residuals in doubled precision where that is cheap or needed.
Cost     n p² for the triangle, 4 n p for each refinement (usually one).

The triangle belongs to columns centred and scaled to unit length. It is only ever a preconditioner: the answer is
defined by residuals of the data as given, so that neither centring nor scaling costs a digit.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.core.problem import Problem
from separatrix.core.registry import register
from separatrix.core.solution import Solution, Trace
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.core.types import Array
from separatrix.designs.factor import EPS, SMALL, Factor
from separatrix.solvers.linalg.refine import Refined, fitted_intercept, refine

# Beyond this condition number working precision loses too much of a large problem, too.
ILL_CONDITIONED = 1e4


def least_squares(
    problem: Problem, *, tol: float = 1e-14, max_iter: int = 30, start: None = None, trace: Trace | None = None
) -> Solution:
    """Solve; see the head of this file. `tol` and `start` have no effect: every digit is computed, from the data."""
    design, target, intercept = problem.design, problem.target, problem.intercept
    lam = problem.parts.ridge * target.total
    sums = design.moments(target, about_mean=intercept, gram=design.forms_gram)
    factor = design.factor(target, lam, intercept)
    condition = factor.condition()
    beta, _ = factor.solve(sums.xy, np.zeros(sums.xy.shape[1]))
    first = sums.y_mean - sums.x_mean @ beta
    extended = design.n * design.p <= SMALL or condition > ILL_CONDITIONED or sums.far
    fit = refine(problem, factor, lam, beta, first, extended=extended, max_steps=max_iter, trace=trace)
    beta = factor.minimum_norm(fit.beta)
    aliased = len(factor.aliased) > 0
    offset = fitted_intercept(problem, beta, sums.x_mean, sums.y_mean) if aliased else fit.intercept
    lengths = np.sqrt(sums.squares + sums.total * sums.x_mean**2)
    sizes = np.sqrt(sums.yy.clip(min=0.0) + sums.total * sums.y_mean**2)
    rows = target.rows_of_positive_weight
    direct = DirectFit(factor, fit, lam, condition, rows, sums.yy, lengths, sizes)
    passes = fit.passes + 1
    return Solution.of(beta, offset, target, trace=trace, details={"fit": direct}, iterations=fit.passes, passes=passes)


@register("record")
@dataclass
class DirectFit:
    """What is kept of a fit: enough to make its evidence when somebody asks for a summary."""

    factor: Factor
    fit: Refined
    lam: np.ndarray  # (p,); files of version 0.1 hold a number
    condition: float
    rows: int
    tss: np.ndarray
    lengths: np.ndarray  # of the columns, about zero
    sizes: np.ndarray  # of the outputs, about zero

    def evidence(self) -> LeastSquaresStatistics:
        """The small numbers that a summary is made of."""
        factor, fit = self.factor, self.fit
        coefficients = np.vstack([fit.intercept, fit.beta]) if factor.intercept else fit.beta
        inverse = factor.inverse()
        unscaled, edf = factor.variance(inverse, self.lam)
        return LeastSquaresStatistics(
            n=self.rows,
            total=factor.total,
            p=len(factor.scale),
            rank=len(factor.kept),
            intercept=factor.intercept,
            rss=fit.rss,
            tss=self.tss,
            coefficients=coefficients,
            unscaled=unscaled,
            edf=edf,
            condition=self.condition,
            digits=self._digits(inverse, coefficients),
            aliased=tuple(sorted(int(j) for j in (*factor.aliased, *factor.constant))),
            penalised=bool(np.any(self.lam)),
        )

    def _digits(self, inverse: Array, coefficients: Array) -> Array:
        """Decimal digits that survive a relative change of eps/2 in every number of X and y, to first order.

        ``|Δb_j| <= u ( |X⁺|_j (|X||b| + |y|) + |W|_j |X|'|r| )``, bounded by norms: ``|X⁺|_j`` has length
        ``sqrt(W_jj)`` (Higham 2002, Accuracy and Stability of Numerical Algorithms, section 20.1).
        """
        lengths = self.lengths
        if self.factor.intercept:
            lengths = np.concatenate([[np.sqrt(self.factor.total)], lengths])
        W = np.nan_to_num(inverse)
        moved = np.sqrt(np.diag(W).clip(min=0.0))[:, None] * (lengths @ np.abs(coefficients) + self.sizes)
        moved += (np.abs(W) @ lengths)[:, None] * np.sqrt(self.fit.rss.clip(min=0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            digits = np.log10(np.abs(coefficients) / (0.5 * EPS * moved))
        return np.clip(np.nan_to_num(digits, nan=0.0, posinf=16.0), 0.0, 16.0)
