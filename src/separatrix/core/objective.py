"""The one objective, its slopes and its conjugates, summed over rows and over coefficients.

P(beta) = (1/Σs) Σ s_i value(loss, y_i, eta_i) + Σ_j cost(penalty_j, beta_j)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.dispatch import implemented
from separatrix.core.jit import compiled, part
from separatrix.core.problem import Problem
from separatrix.core.scores import Scores
from separatrix.core.target import weights_of
from separatrix.core.types import Array, Loss, Penalty, RowsAtom
from separatrix.core.verbs import (
    conjugate,
    conjugate_cost,
    cost,
    curvature,
    curvatures,
    dual_domain,
    is_joint,
    is_likelihood,
    joint_conjugate,
    joint_curvature,
    joint_value,
    link,
    of_coefficient,
    row_add,
    row_score,
    slope,
    slopes,
    split,
    value,
)

# Long sums are taken in pieces of this many rows: their rounding error then grows with the root of n / 1024 at most.
PIECE = 1024


@compiled
def sum_of_values(loss: Loss, y: Array, eta: Array, s: Array) -> float:
    """Σ s_i value(loss, y_i, eta_i); a row of weight 0 adds nothing, even where its loss overflows."""
    total = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += s[i] * value(loss, y[i], eta[i]) if s[i] > 0.0 else 0.0
        total += piece
    return total


@compiled
def sum_of_conjugates(loss: Loss, y: Array, u: Array, s: Array) -> float:
    """Σ s_i conjugate(loss, y_i, u_i); a row of weight 0 adds nothing, even where u_i is outside the domain."""
    total = 0.0
    for first in range(0, y.shape[0], PIECE):
        piece = 0.0
        for i in range(first, min(first + PIECE, y.shape[0])):
            piece += s[i] * conjugate(loss, y[i], u[i]) if s[i] > 0.0 else 0.0
        total += piece
    return total


@compiled
def sum_of_conjugate_sizes(loss: Loss, y: Array, u: Array, s: Array) -> float:
    """Σ s_i |conjugate(loss, y_i, u_i)|."""
    total = 0.0
    for i in range(y.shape[0]):
        total += s[i] * abs(conjugate(loss, y[i], u[i])) if s[i] > 0.0 else 0.0
    return total


@part
def dual_terms(loss: Loss, y: float, eta: float, s: float, out: Array) -> float:
    """s times the slope of a row, and out += what a duality gap at the slopes is made of.

    In turn: s value; s conjugate (= s (slope eta - value), by Fenchel's equality at the slope) where the slope is
    positive, and where it is negative; s |slope| likewise; s |slope| (|y| + |eta|); s slope².
    """
    if s <= 0.0:
        return 0.0
    here, g = value(loss, y, eta), slope(loss, y, eta)
    side = 0 if g > 0.0 else 1
    out[0] += s * here
    out[1 + side] += s * (g * eta - here)
    out[3 + side] += s * abs(g)
    out[5] += s * abs(g) * (abs(y) + abs(eta))
    out[6] += s * g * g
    return s * g


@compiled
def fill_dual_terms(loss: Loss, y: Array, eta: Array, s: Array, u: Array, out: Array) -> None:
    """u_i = s_i slope_i, and out += the :func:`dual_terms` of all rows."""
    for i in range(y.shape[0]):
        u[i] = dual_terms(loss, y[i], eta[i], s[i], out)


@compiled
def add_dual_terms(
    rows: RowsAtom,
    loss: Loss,
    y: Array,
    s: Array,
    first: int,
    last: int,
    beta: Array,
    intercept: float,
    v_up: Array,
    v_down: Array,
    out: Array,
    work: Array,
) -> None:
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
def sum_of_joint_values(loss: Loss, Y: Array, eta: Array, s: Array) -> float:
    """Σ s_i joint_value(loss, y_i, eta_i) over rows y_i and eta_i."""
    total = 0.0
    for i in range(Y.shape[0]):
        total += s[i] * joint_value(loss, Y[i], eta[i]) if s[i] > 0.0 else 0.0
    return total


@compiled
def sum_of_joint_conjugates(loss: Loss, Y: Array, U: Array, s: Array) -> float:
    """Σ s_i joint_conjugate(loss, y_i, u_i) over rows y_i and u_i."""
    total = 0.0
    for i in range(Y.shape[0]):
        total += s[i] * joint_conjugate(loss, Y[i], U[i]) if s[i] > 0.0 else 0.0
    return total


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


@compiled
def add_costs(penalty: Penalty, beta: Array) -> float:
    """Σ_jc cost(penalty_j, beta_jc) of a matrix."""
    total = 0.0
    for j in range(beta.shape[0]):
        here = of_coefficient(penalty, j)
        for c in range(beta.shape[1]):
            total += cost(here, beta[j, c])
    return total


@compiled
def add_conjugate_costs(penalty: Penalty, v: Array) -> float:
    """Σ_jc conjugate_cost(penalty_j, v_jc) of a matrix."""
    total = 0.0
    for j in range(v.shape[0]):
        here = of_coefficient(penalty, j)
        for c in range(v.shape[1]):
            total += conjugate_cost(here, v[j, c])
    return total


@compiled
def fill_parts(penalty: Penalty, out: Array) -> None:
    """Column j of out (4, p) = split(penalty_j)."""
    for j in range(out.shape[1]):
        out[0, j], out[1, j], out[2, j], out[3, j] = split(of_coefficient(penalty, j))


class PenaltyParts(NamedTuple):
    """The :func:`~separatrix.core.verbs.split` of each coefficient's penalty: four arrays of length p."""

    kink: np.ndarray
    ridge: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def cost(self, beta: Array) -> float:
        """Σ cost(penalty_j, beta_j) for beta of shape (p,) or (p, k), in an order that squares no small number."""
        if ((self.low > beta.T) | (self.high < beta.T)).any():
            return np.inf
        return float((self.kink * np.abs(beta.T) + 0.5 * (self.ridge * beta.T) * beta.T).sum())

    def conjugate_cost(self, v: Array) -> float:
        """Σ conjugate_cost(penalty_j, v_j) for v of shape (p,) or (p, k), likewise."""
        excess = np.abs(v.T) - self.kink
        bound = np.where(v.T > 0.0, self.high, -self.low)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            best = np.minimum(excess / self.ridge, bound)  # the coefficient that attains the supremum
            gain = np.where(best > 0.0, (excess - 0.5 * self.ridge * best) * best, 0.0)
        return float(np.where(excess <= 0.0, 0.0, np.where(np.isinf(best), np.inf, gain)).sum())


def parts_of(penalty: Penalty, p: int) -> PenaltyParts:
    """``kink_j |b| + ½ ridge_j b²`` on ``low_j <= b <= high_j`` for every coefficient.

    >>> from separatrix.penalties import ElasticNet
    >>> parts_of(ElasticNet(0.5, 2.0, True), 1)
    PenaltyParts(kink=array([0.5]), ridge=array([2.]), low=array([0.]), high=array([inf]))
    """
    if not implemented(of_coefficient, penalty):
        return PenaltyParts(*(np.full(p, float(part)) for part in split(penalty)))
    parts = np.empty((4, p))
    fill_parts(penalty, parts)
    return PenaltyParts(*parts)


@compiled
def fill_domains(penalty: Penalty, out: Array) -> None:
    """Row j of out (p, 2) = dual_domain(penalty_j)."""
    for j in range(out.shape[0]):
        out[j, 0], out[j, 1] = dual_domain(of_coefficient(penalty, j))


def dual_domains(penalty: Penalty, p: int) -> tuple[np.ndarray, np.ndarray]:
    """``(low, high)``: where the conjugate of each coefficient's penalty is finite.

    >>> from separatrix.penalties import ElasticNet
    >>> dual_domains(ElasticNet(0.5, 0.0, True), 1)
    (array([-inf]), array([0.5]))
    """
    if not implemented(of_coefficient, penalty):
        low, high = dual_domain(penalty)
        return np.full(p, float(low)), np.full(p, float(high))
    domains = np.empty((p, 2))
    fill_domains(penalty, domains)
    return domains[:, 0].copy(), domains[:, 1].copy()


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


def objective(problem: Problem, beta: Array, intercept: float | Array) -> float:
    """P(beta) of a problem with one output, or with one joint loss of several."""
    scores = Scores(problem.design, problem.target, beta, intercept)
    fit = scores.sums(lambda rows: total_value(problem.loss, rows.y, rows.eta, rows.s))
    return fit / problem.target.total + sum_of_costs(problem.penalty, beta)


def null_score(problem: Problem) -> float | Array:
    """The score of the model that knows only a constant: the link of the mean of y, or 0 without an intercept."""
    mean = problem.target.mean()
    if not problem.intercept:
        return np.zeros_like(mean)
    return link(problem.loss, mean)


def null_objective(problem: Problem) -> float:
    """P of the model that knows only a constant: the scale on which gaps are judged."""
    return constant_objective(problem, null_score(problem))


def gap_unit(problem: Problem) -> float:
    """What gaps are divided by: P of the null model, the constant score ``link(mean of y)``.

    Where y is constant, that is rounding, and P of the model 0 is taken instead; 1 where both vanish. Of losses that
    may be negative the least that they can be is taken off.
    """
    null, zero = float(null_objective(problem)), float(constant_objective(problem, 0.0 * null_score(problem)))
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
    low, high = problem.target.ends
    a, b, middle = (value(problem.loss, y, float(score)) for y in (low, high, 0.5 * (low + high)))
    return bool(abs(0.5 * (a + b) - middle) <= 1e-9 * (abs(a) + abs(b)))


def never_negative(problem: Problem) -> bool:
    """Whether no loss of a row is negative. Of a likelihood the least, as a function of y, is least at an end of y."""
    return all(conjugate(problem.loss, y, 0.0) <= 0.0 for y in problem.target.ends)
