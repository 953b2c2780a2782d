"""The one objective, its slopes and its conjugates, summed over rows and over coefficients.

P(beta) = (1/Σs) Σ s_i value(loss, y_i, eta_i) + Σ_j cost(penalty, beta_j)
"""

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.verbs import (
    conjugate,
    conjugate_cost,
    cost,
    curvature,
    joint_conjugate,
    joint_value,
    row_add,
    row_score,
    slope,
    slopes,
    value,
)

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


@part
def dual_terms(loss, y, eta, s, out):
    """s times the slope of a row, and out += what a duality gap at the slopes is made of.

    In turn: s value; s conjugate (= s (slope eta - value), by Fenchel's equality at the slope) where the slope is
    positive, and where it is negative; s |slope| likewise; s |slope| (|y| + |eta|).
    """
    if s <= 0.0:
        return 0.0
    here, g = value(loss, y, eta), slope(loss, y, eta)
    side = 0 if g > 0.0 else 1
    out[0] += s * here
    out[1 + side] += s * (g * eta - here)
    out[3 + side] += s * abs(g)
    out[5] += s * abs(g) * (abs(y) + abs(eta))
    return s * g


@compiled
def fill_dual_terms(loss, y, eta, s, u, out):
    """u_i = s_i slope_i, and out += the :func:`dual_terms` of all rows."""
    for i in range(y.shape[0]):
        u[i] = dual_terms(loss, y[i], eta[i], s[i], out)


@compiled
def add_dual_terms(rows, loss, y, s, first, last, beta, intercept, v_up, v_down, out, work):
    """The same in one walk over the rows of X, first <= i < last: v_up and v_down get the rows times their u_i.

    `work` takes the terms of a piece of the rows, so that long sums lose no digits; `s` may have no length.
    """
    for start in range(first, last, PIECE):
        work[:] = 0.0
        for i in range(start, min(start + PIECE, last)):
            weight = s[i] if s.shape[0] > 0 else 1.0
            u = dual_terms(loss, y[i], row_score(rows, i, beta) + intercept, weight, work)
            row_add(rows, i, u, v_up if u > 0.0 else v_down)
        for k in range(work.shape[0]):
            out[k] += work[k]


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
def sum_of_joint_values(loss, Y, eta, s):
    """Σ s_i joint_value(loss, y_i, eta_i) over rows y_i and eta_i."""
    total = 0.0
    for i in range(Y.shape[0]):
        total += s[i] * joint_value(loss, Y[i], eta[i]) if s[i] > 0.0 else 0.0
    return total


@compiled
def sum_of_joint_conjugates(loss, Y, U, s):
    """Σ s_i joint_conjugate(loss, y_i, u_i) over rows y_i and u_i."""
    total = 0.0
    for i in range(Y.shape[0]):
        total += s[i] * joint_conjugate(loss, Y[i], U[i]) if s[i] > 0.0 else 0.0
    return total


@compiled
def fill_joint_slopes(loss, Y, eta, out):
    """Row i of out = slopes(loss, y_i, eta_i)."""
    for i in range(Y.shape[0]):
        slopes(loss, Y[i], eta[i], out[i])


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


def is_joint(loss):
    """Whether a loss looks at a row of scores at once."""
    return getattr(loss, "joint", False)


def total_value(loss, y, eta, s):
    """Σ s_i value_i, of a loss of numbers or of rows."""
    return (sum_of_joint_values if is_joint(loss) else sum_of_values)(loss, y, eta, s)


def total_conjugate(loss, y, u, s):
    """Σ s_i conjugate_i, of a loss of numbers or of rows."""
    return (sum_of_joint_conjugates if is_joint(loss) else sum_of_conjugates)(loss, y, u, s)


def slopes_at(loss, y, eta):
    """The slopes of all rows, in the shape of eta."""
    out = np.empty(eta.shape)
    (fill_joint_slopes if is_joint(loss) else fill_slopes)(loss, y, eta, out)
    return out


def objective(problem, beta, intercept):
    """P(beta) of a problem with one output, or with one joint loss of several."""
    target = problem.target
    eta = problem.design.matvec(beta) + intercept
    fit = total_value(problem.loss, target.y, eta, target.weights) / target.total
    return fit + sum_of_costs(problem.penalty, np.asarray(beta, dtype=np.float64).ravel())


def null_score(problem):
    """The score of the model that knows only a constant: the link of the mean of y, or 0 without an intercept."""
    mean = problem.target.mean()
    if not problem.intercept:
        return np.zeros_like(mean)
    link = getattr(problem.loss, "link", None)
    return mean if link is None else link(mean)


def null_objective(problem):
    """P of the model that knows only a constant: the scale on which gaps are judged."""
    return constant_objective(problem, null_score(problem))


def constant_objective(problem, score):
    """P of a model that gives every row the same score."""
    target = problem.target
    if hasattr(problem.loss, "link"):  # a likelihood is affine in y: its mean is its value at the mean of y
        verb = joint_value if is_joint(problem.loss) else value
        return float(verb(problem.loss, target.mean(), score))
    eta = np.empty(target.y.shape)
    eta[...] = score
    return total_value(problem.loss, target.y, eta, target.weights) / target.total
