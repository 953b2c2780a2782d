"""The one objective, its slopes and its conjugates, summed over rows and over coefficients.

P(beta) = (1/Σs) Σ s_i value(loss, y_i, eta_i) + Σ_j cost(penalty, beta_j)
"""

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.verbs import conjugate, conjugate_cost, cost, curvature, slope, value

# Long sums are taken in pieces of this many rows: their rounding error then grows with the root of n / 1024 at most.
PIECE = 1024


@compiled
def sum_of_values(loss, y, eta, s):
    """Σ s_i value(loss, y_i, eta_i); a row of weight 0 adds nothing, even where its loss overflows."""
    total = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += s[i] * value(loss, y[i], eta[i]) if s[i] > 0.0 else 0.0
        total += piece
    return total


@compiled
def sum_of_conjugates(loss, y, u, s):
    """Σ s_i conjugate(loss, y_i, u_i); a row of weight 0 adds nothing, even where u_i is outside the domain."""
    total = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += s[i] * conjugate(loss, y[i], u[i]) if s[i] > 0.0 else 0.0
        total += piece
    return total


@compiled
def fill_slopes(loss, y, eta, out):
    """out_i = slope(loss, y_i, eta_i)."""
    for i in range(y.shape[0]):
        out[i] = slope(loss, y[i], eta[i])


@compiled
def fill_curvatures(loss, y, eta, out):
    """out_i = curvature(loss, y_i, eta_i)."""
    for i in range(y.shape[0]):
        out[i] = curvature(loss, y[i], eta[i])


@compiled
def sum_of_costs(penalty, beta):
    """Σ_j cost(penalty, beta_j)."""
    total = 0.0
    for j in range(beta.shape[0]):
        total += cost(penalty, beta[j])
    return total


@compiled
def sum_of_conjugate_costs(penalty, v):
    """Σ_j conjugate_cost(penalty, v_j)."""
    total = 0.0
    for j in range(v.shape[0]):
        total += conjugate_cost(penalty, v[j])
    return total


def objective(problem, beta, intercept):
    """P(beta) of a problem with one output."""
    target = problem.target
    eta = problem.design.matvec(beta) + intercept
    fit = sum_of_values(problem.loss, target.y, eta, target.weights) / target.total
    return fit + sum_of_costs(problem.penalty, np.asarray(beta, dtype=np.float64))


def null_objective(problem):
    """P of the model that knows only a constant: the scale on which gaps are judged.

    With an intercept the constant is the mean of y, without one it is 0.
    """
    target = problem.target
    eta = np.full(target.n, float(target.mean()) if problem.intercept else 0.0)
    return sum_of_values(problem.loss, target.y, eta, target.weights) / target.total
