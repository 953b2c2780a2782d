r"""An approximate inverse Hessian of a likelihood, from a sample of its rows.

    H = (1/Σs) Σ_i s_i h_i (x_i, 1)(x_i, 1)' + lam I,     h_i = curvature of the loss (mu (1 - mu) of each class)

The columns with most curvature are taken together, by a Cholesky factor of their part of H; the others one by one.
Means weighted by h are taken off first, which parts the intercept from the columns. Classes are taken one by one.
"""

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.designs.moments import moments
from separatrix.solvers.factor import Factor
from separatrix.solvers.gradient_pass import curvatures

# Columns taken together: all of them up to the first number, else the heaviest. Columns of a sparse design overlap
# little beyond the heaviest few (measured on text: 64 or 1024 of 100,000 took the same number of iterations).
ALL, HEAVIEST, HEAVIEST_SPARSE = 1024, 1024, 128
# Added to the unit diagonal, the first that gives a factor: the last always does.
JITTERS = (1e-13, 1e-11, 1e-9, 1e-6, 1e-3)


def taken_together(design):
    """How many columns of a design the factor holds."""
    if design.p <= ALL:
        return design.p
    return HEAVIEST if "gram" in design.offers else HEAVIEST_SPARSE


class Preconditioner:
    """``solve(G)`` is about ``H^-1 G`` for gradients G (1 + p, k), the intercept in row 0.

    Parameters
    ----------
    gradient : GradientPass.  Of the whole problem.
    sample : Problem.  The rows that the factor is made of; the others count by their diagonal alone.
    W : (1 + p, k) array.  Where the Hessian is taken.
    """

    def __init__(self, gradient, sample, W):
        design, target, lam = sample.design, sample.target, sample.penalty.lam
        self.joint = W.shape[1] > 1
        self.heavy, self.light = slice(None), None
        count = taken_together(design)
        if count < design.p:
            diagonal = gradient.diagonal(W)
            self.light = np.maximum(diagonal + lam, np.finfo(np.float64).tiny)
            self.heavy = np.sort(np.argpartition(-diagonal.max(axis=1), count)[:count])
            design = as_design(design.columns(self.heavy))
        elif "gram" not in design.offers:
            design = as_design(design.columns(np.arange(design.p)))
        bends = curvatures(sample, W) * (target.weights / target.total)[:, None]
        self.factors = [_factor(design, h, lam, sample.intercept) for h in np.ascontiguousarray(bends.T)]

    def solve(self, G):
        """About ``H^-1 G``."""
        step = np.zeros_like(G)
        if self.light is not None:
            step[1:] = G[1:] / self.light
        for c, factor in enumerate(self.factors):
            beta, intercept = factor.solve(G[1:, c : c + 1][self.heavy], G[0, c : c + 1])
            step[1:, c : c + 1][self.heavy] = beta
            step[0, c] = intercept[0]
            if self.light is not None and factor.intercept:
                step[0, c] = G[0, c] / factor.total - factor.mean @ beta[:, 0]
        # the scores of a joint loss matter up to a common shift: stay where they sum to zero
        return step - step.mean(axis=1, keepdims=True) if self.joint else step


def _factor(design, h, lam, intercept):
    """Cholesky factor of ``X_c'H X_c + lam I``, columns scaled to length 1, or of something a little larger."""
    found = moments(design, Target(np.zeros(design.n), h), about_mean=intercept)
    squares = found.squares + lam
    scale = 1.0 / np.sqrt(np.where(squares > 0.0, squares, 1.0))
    C = found.xx * np.multiply.outer(scale, scale)
    for jitter in JITTERS:
        np.fill_diagonal(C, 1.0 + jitter)
        try:
            R = cholesky(C, check_finite=False)
        except LinAlgError:
            continue
        if np.diag(R).min(initial=1.0) ** 2 > 10.0 * jitter:
            break
    total = max(found.total, np.finfo(np.float64).tiny)
    return Factor(R, scale, np.arange(design.p), found.x_mean, total, intercept)
