"""The one objective, its slopes and its conjugates, summed over rows and over coefficients.

P(beta) = (1/Σs) Σ s_i value(loss, y_i, eta_i) + Σ_j cost(penalty_j, beta_j)
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.long_sums import PIECE, two_sums
from separatrix.core.problem import Problem
from separatrix.core.scores import Scores
from separatrix.core.target import weights_of
from separatrix.core.types import Array, Loss, Penalty
from separatrix.core.verbs import (
    conjugate,
    conjugate_cost,
    cost,
    curvature,
    curvatures,
    information,
    is_deviance,
    is_joint,
    is_likelihood,
    joint_conjugate,
    joint_curvature,
    joint_value,
    largest_curvature,
    link,
    neutral_score,
    of_coefficient,
    side,
    slope,
    slopes,
    target_size,
    value,
)


@compiled
def sum_of_values(loss: Loss, y: Array, eta: Array, s: Array) -> float:
    """Σ s_i value(loss, y_i, eta_i); a row of weight 0 adds nothing, even where its loss overflows."""
    total = low = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += s[i] * value(loss, y[i], eta[i]) if s[i] > 0.0 else 0.0
        total, low = two_sums(total, low, piece)
    return total + low


@compiled
def sum_of_conjugates(loss: Loss, y: Array, u: Array, s: Array) -> float:
    """Σ s_i conjugate(loss, y_i, u_i); a row of weight 0 adds nothing, even where u_i is outside the domain."""
    total = low = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += s[i] * conjugate(loss, y[i], u[i]) if s[i] > 0.0 else 0.0
        total, low = two_sums(total, low, piece)
    return total + low


@compiled
def sum_of_conjugate_sizes(loss: Loss, y: Array, u: Array, s: Array) -> float:
    """Σ s_i |conjugate(loss, y_i, u_i)|."""
    total = 0.0
    for i in range(y.shape[0]):
        total += s[i] * abs(conjugate(loss, y[i], u[i])) if s[i] > 0.0 else 0.0
    return total


@compiled
def fill_values(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_i = value(loss, y_i, eta_i)."""
    for i in range(y.shape[0]):
        out[i] = value(loss, y[i], eta[i])


@compiled
def fill_conjugates(loss: Loss, y: Array, u: Array, out: Array) -> None:
    """out_i = conjugate(loss, y_i, u_i)."""
    for i in range(y.shape[0]):
        out[i] = conjugate(loss, y[i], u[i])


@compiled
def fill_slopes(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_i = slope(loss, y_i, eta_i)."""
    for i in range(y.shape[0]):
        out[i] = slope(loss, y[i], eta[i])


@compiled
def fill_curvatures(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_i = curvature(loss, y_i, eta_i)."""
    for i in range(y.shape[0]):
        out[i] = curvature(loss, y[i], eta[i])


@compiled
def fill_informations(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_i = information(loss, y_i, eta_i)."""
    for i in range(y.shape[0]):
        out[i] = information(loss, y[i], eta[i])


@compiled
def fill_sides(loss: Loss, y: Array, out: Array) -> None:
    """out_i = side(loss, y_i)."""
    for i in range(y.shape[0]):
        out[i] = side(loss, y[i])


@compiled
def fill_target_sizes(loss: Loss, y: Array, out: Array) -> None:
    """out_i = target_size(loss, y_i)."""
    for i in range(y.shape[0]):
        out[i] = target_size(loss, y[i])


@compiled
def sum_of_joint_values(loss: Loss, Y: Array, eta: Array, s: Array) -> float:
    """Σ s_i joint_value(loss, y_i, eta_i) over rows y_i and eta_i."""
    total = low = 0.0
    for first in range(0, Y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, Y.shape[0])):
            piece += s[i] * joint_value(loss, Y[i], eta[i]) if s[i] > 0.0 else 0.0
        total, low = two_sums(total, low, piece)
    return total + low


@compiled
def sum_of_joint_conjugates(loss: Loss, Y: Array, U: Array, s: Array) -> float:
    """Σ s_i joint_conjugate(loss, y_i, u_i) over rows y_i and u_i."""
    total = low = 0.0
    for first in range(0, Y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, Y.shape[0])):
            piece += s[i] * joint_conjugate(loss, Y[i], U[i]) if s[i] > 0.0 else 0.0
        total, low = two_sums(total, low, piece)
    return total + low


@compiled
def fill_joint_slopes(loss: Loss, Y: Array, eta: Array, out: Array) -> None:
    """Row i of out = slopes(loss, y_i, eta_i)."""
    for i in range(Y.shape[0]):
        slopes(loss, Y[i], eta[i], out[i])


@compiled
def fill_joint_curvatures(loss: Loss, Y: Array, eta: Array, out: Array) -> None:
    """Row i of out = curvatures(loss, y_i, eta_i)."""
    for i in range(Y.shape[0]):
        curvatures(loss, Y[i], eta[i], out[i])


@compiled
def fill_curvature_matrices(loss: Loss, Y: Array, eta: Array, out: Array) -> None:
    """Matrix i of out (n, k, k) = joint_curvature(loss, y_i, eta_i)."""
    for i in range(Y.shape[0]):
        joint_curvature(loss, Y[i], eta[i], out[i])


def curvature_matrices(loss: Loss, Y: Array, eta: Array) -> Array:
    """The matrices of second derivatives of all rows, (n, k, k)."""
    out = np.empty((*eta.shape, eta.shape[1]))
    fill_curvature_matrices(loss, Y, eta, out)
    return out


class CurvatureMatrices:
    """The same, made when they are first asked for; see the verb :func:`~separatrix.core.verbs.curvature_of_rows`."""

    def __init__(self, loss: Loss, Y: Array, eta: Array) -> None:
        self._matrices = cache(lambda: curvature_matrices(loss, Y, eta))

    def between(self, c: int, d: int) -> Array:
        """The entries cd, (n,)."""
        return self._matrices()[:, c, d]

    def total(self, s: Array) -> Array:
        """``Σ s_i h_i``, (k, k)."""
        return np.tensordot(s, self._matrices(), 1)


@compiled
def add_costs(penalty: Penalty, beta: Array) -> float:
    """Σ_jc cost(penalty_j, beta_jc) of a matrix."""
    total = 0.0
    for first in range(0, beta.shape[0], PIECE):
        piece = 0.0
        for j in range(first, min(first + PIECE, beta.shape[0])):
            here = of_coefficient(penalty, j)
            for c in range(beta.shape[1]):
                piece += cost(here, beta[j, c])
        total += piece
    return total


@compiled
def add_conjugate_costs(penalty: Penalty, v: Array) -> float:
    """Σ_jc conjugate_cost(penalty_j, v_jc) of a matrix."""
    total = 0.0
    for first in range(0, v.shape[0], PIECE):
        piece = 0.0
        for j in range(first, min(first + PIECE, v.shape[0])):
            here = of_coefficient(penalty, j)
            for c in range(v.shape[1]):
                piece += conjugate_cost(here, v[j, c])
        total += piece
    return total


def _as_matrix(values: Any) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    return np.ascontiguousarray(values if values.ndim == 2 else values[:, None])


def sum_of_costs(penalty: Penalty, beta: np.ndarray) -> float:
    """Σ cost(penalty_j, beta_j) for beta of shape (p,) or (p, k)."""
    return add_costs(penalty, _as_matrix(beta))


def sum_of_conjugate_costs(penalty: Penalty, v: np.ndarray) -> float:
    """Σ conjugate_cost(penalty_j, v_j) for v of shape (p,) or (p, k)."""
    return add_conjugate_costs(penalty, _as_matrix(v))


def total_value(loss: Loss, y: np.ndarray, eta: np.ndarray, s: np.ndarray) -> float:
    """Σ s_i value_i, of a loss of numbers or of rows."""
    return float((sum_of_joint_values if is_joint(loss) else sum_of_values)(loss, y, eta, s))


def total_conjugate(loss: Loss, y: np.ndarray, u: np.ndarray, s: np.ndarray) -> float:
    """Σ s_i conjugate_i, of a loss of numbers or of rows."""
    return float((sum_of_joint_conjugates if is_joint(loss) else sum_of_conjugates)(loss, y, u, s))


def deviances_at(loss: Loss, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """Twice what the loss of each row exceeds its least by: the deviance of a row of weight 1."""
    values, conjugates = np.empty(eta.shape), np.empty(eta.shape)
    fill_values(loss, y, eta, values)
    fill_conjugates(loss, y, np.zeros(eta.shape), conjugates)
    return 2.0 * np.maximum(values + conjugates, 0.0)


def slopes_at(loss: Loss, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """The slopes of all rows, in the shape of eta: of a loss of rows, or of one of numbers, output by output."""
    out = np.empty(eta.shape)
    if is_joint(loss):
        fill_joint_slopes(loss, y, eta, out)
    else:
        fill_slopes(loss, y.reshape(-1), eta.reshape(-1), out.reshape(-1))
    return out


def curvatures_at(loss: Loss, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """The curvatures of all rows along each of their scores, in the shape of eta."""
    out = np.empty(eta.shape)
    (fill_joint_curvatures if is_joint(loss) else fill_curvatures)(loss, y, eta, out)
    return out


def target_sizes(loss: Loss, y: np.ndarray) -> np.ndarray:
    """The sizes of targets in the products of conjugates, in the shape of y."""
    if is_joint(loss):
        return np.abs(y)
    out = np.empty(y.shape)
    fill_target_sizes(loss, y.reshape(-1), out.reshape(-1))
    return out


def sides_at(loss: Loss, y: np.ndarray) -> np.ndarray:
    """To which side each row lets its score run away: see the verb ``side``."""
    out = np.empty(y.shape)
    fill_sides(loss, y, out)
    return out


def informations_at(loss: Loss, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """The expected curvatures of all rows of a loss of one score, in the shape of eta."""
    out = np.empty(eta.shape)
    fill_informations(loss, y, eta, out)
    return out


def objective(problem: Problem, beta: Array, intercept: float | Array) -> float:
    """P(beta) of a problem with one output, or with one joint loss of several."""
    scores = Scores(problem.design, problem.target, beta, intercept)
    fit = scores.sums(lambda rows: total_value(problem.loss, rows.y, rows.eta, rows.s))
    return fit / problem.target.total + sum_of_costs(problem.penalty, beta)


def null_score(problem: Problem) -> float | Array:
    """The score of the model that knows only a constant: the link of the mean of y, or 0 without an intercept."""
    mean = problem.target.mean()
    return (link if problem.intercept else neutral_score)(problem.loss, mean)


def null_objective(problem: Problem) -> float:
    """P of the model that knows only a constant: the scale on which gaps are judged."""
    return constant_objective(problem, null_score(problem))


def gap_unit(problem: Problem) -> float:
    """What gaps are divided by: P of the null model, the constant score ``link(mean of y)``.

    Where y is constant, that is rounding, and P of the model 0 is taken instead; 1 where both vanish. The model 0 may
    be absurdly bad under a deviance whose curvature has no bound: there the curvature at the null model is taken. Of
    losses that may be negative the least that they can be is taken off.
    """
    null = float(null_objective(problem))
    if is_deviance(problem.loss) and largest_curvature(problem.loss) == np.inf:
        mean = float(problem.target.mean())
        zero = float(information(problem.loss, mean, link(problem.loss, mean)))
    else:
        zero = float(constant_objective(problem, 0.0 * null_score(problem)))
    if null < 0.0:
        null += sum(_conjugates_at_zero(problem.loss, y, s) for y, s in problem.target.passes()) / problem.target.total
    if null > (8.0 * np.finfo(np.float64).eps) ** 2 * zero:
        return null
    return zero if zero > 0.0 else 1.0


def constant_objective(problem: Problem, score: float | Array) -> float:
    """P of a model that gives every row the same score."""
    target = problem.target
    if is_likelihood(problem.loss) and _is_affine_in_y(problem, score):  # then the mean of y tells the mean of values
        verb: Callable[..., float] = joint_value if is_joint(problem.loss) else value
        return float(verb(problem.loss, target.mean(), score))
    fit = 0.0
    for y, s in target.passes():
        eta = np.empty(y.shape)
        eta[...] = score
        fit += total_value(problem.loss, y, eta, weights_of(y, s))
    return fit / target.total


def _conjugates_at_zero(loss: Loss, y: np.ndarray, s: np.ndarray | None) -> float:
    """Minus the least that the losses of some rows can be, summed."""
    return total_conjugate(loss, y, np.zeros(y.shape), weights_of(y, s))


def _is_affine_in_y(problem: Problem, score: float | Array) -> bool:
    """Whether a likelihood, at this score, is affine in y: not so with a constant of its own, such as log y!."""
    if is_joint(problem.loss):
        return True
    low, high = (float(end) for end in problem.target.ends)
    a, b, middle = (value(problem.loss, y, float(score)) for y in (low, high, 0.5 * (low + high)))
    return bool(abs(0.5 * (a + b) - middle) <= 1e-9 * (abs(a) + abs(b)))


def never_negative(problem: Problem) -> bool:
    """Whether no loss of a row is negative. Of a likelihood the least, as a function of y, is least at an end of y."""
    return all(conjugate(problem.loss, y, 0.0) <= 0.0 for y in map(float, problem.target.ends))
