"""Least squares and ridge by a factorisation, refined until the last digit stands still.

Solves   min  ½ Σ s_i (y_i - x_i'beta - intercept)² + ½ lam |beta|²        (lam = 0: least squares, minimum norm)
Given    a design, a target with one or k outputs, lam.
Returns  beta, intercept, a certificate, and the fit from which evidence for standard errors is made.
From     Björck (1996), Numerical Methods for Least Squares Problems, sections 2.9 and 6.6: corrected seminormal
         equations. We differ in carrying residuals in doubled precision where that is cheap or needed.
Cost     n p² for the triangle, 4 n p for each refinement (usually one).

The triangle belongs to columns centred and scaled to unit length. It is only ever a preconditioner: the answer is
defined by residuals of the data as given, so that neither centring nor scaling costs a digit.
"""

import time
from dataclasses import dataclass

import numpy as np

from separatrix.core.registry import register
from separatrix.core.solution import Certificate, Solution
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.designs import moments
from separatrix.designs.factor import EPS, Factor, gram_factor, triangle_factor
from separatrix.solvers.linalg.refine import Refined, refine

# Problems up to this many numbers always get every digit: doubled precision costs them a few milliseconds.
SMALL = 1 << 16
# Beyond this condition number working precision loses too much of a large problem, too.
ILL_CONDITIONED = 1e4


def least_squares(design, target, lam=0.0, *, intercept=True, tol=1e-14, found=None, trace=None):
    """Solve least squares (lam = 0) or ridge; see the head of this file. `found` are the moments, if already known."""
    started = time.perf_counter()
    if found is None:
        found = moments(design, target, about_mean=intercept, gram=design.p <= design.n)
    small = design.n * design.p <= SMALL
    factor = None if small or found.xx.ndim == 1 else gram_factor(found, lam, intercept)
    if factor is None:
        factor = triangle_factor(design, target, found, lam, intercept)
    condition = factor.condition()

    beta, _ = factor.solve(found.xy, np.zeros(found.xy.shape[1]))
    start = found.y_mean - found.x_mean @ beta
    fit = refine(design, target, factor, lam, beta, start, extended=small or condition > ILL_CONDITIONED, trace=trace)
    beta = factor.minimum_norm(fit.beta)
    offset = found.y_mean - found.x_mean @ beta if len(factor.aliased) else fit.intercept
    certificate = Certificate(
        kind="gap",
        value=_relative_gap(fit, factor, found),
        tolerance=tol,
        iterations=fit.passes,
        passes=fit.passes + 1,
        seconds=time.perf_counter() - started,
        message=f"{len(factor.kept)} of {design.p} columns independent, condition {condition:.1e}",
    )
    lengths = np.sqrt(found.squares + found.total * found.x_mean**2)
    sizes = np.sqrt(found.yy.clip(min=0.0) + found.total * found.y_mean**2)
    rows = target.rows_of_positive_weight
    direct = DirectFit(factor, fit, lam, condition, rows, found.yy, lengths, sizes)
    one = not target.outputs
    return Solution(
        beta[:, 0] if one else beta,
        float(offset[0]) if one else offset,
        certificate,
        trace=trace,
        details={"fit": direct},
    )


def _relative_gap(fit, factor, found):
    """``P(beta) - min P = ½ g'(X'SX + lam I)^-1 g`` exactly, against the null model; the largest over outputs.

    The rounding of g itself, eps |x_j| |r| in each entry, is added: what is certified includes it.
    """
    step, step0 = factor.solve(fit.g, fit.g0)
    gap = np.abs((fit.g * step).sum(axis=0) + fit.g0 * step0)
    rounding = (len(factor.kept) + 1) * (4.0 * EPS) ** 2 * fit.rss
    scale = np.where(found.yy > 0.0, found.yy, 1.0)
    return float(((gap + rounding) / scale).max())


@register("record")
@dataclass
class DirectFit:
    """What is kept of a fit: enough to make its evidence when somebody asks for a summary."""

    factor: Factor
    fit: Refined
    lam: float
    condition: float
    rows: int
    tss: np.ndarray
    lengths: np.ndarray  # of the columns, about zero
    sizes: np.ndarray  # of the outputs, about zero

    def evidence(self):
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
            penalised=self.lam > 0.0,
        )

    def _digits(self, inverse, coefficients):
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
