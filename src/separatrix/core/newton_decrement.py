r"""The gap of a smooth convex loss near its optimum, by Newton's decrement: for coefficients that nothing penalises.

With the gradient g of P, and the Hessian H at the published point,

    P(w) - min P  <=  ½ e^tau λ²,      λ² = g'H^-1 g,      if  rate_i T_i <= tau  for all rows,  T_i = 2 e^tau λ l_i,

where ``l_i² = x_i'H^-1 x_i`` and ``rate_i`` bounds the derivative of the logarithm of a row's curvature within T_i of
its score (:func:`~separatrix.core.verbs.curvature_rate`; 1 for Logistic and Poisson).

Proof. Where every score moves by no more than T_i, the curvature of P is at least ``e^-tau H``, and so
``P(w + v) >= P(w) + g'v + ½ e^-tau v'H v >= P(w) - ½ e^tau λ²``. Where one moves by T_i exactly, the norm of v under H
is at least ``T_i / l_i = 2 e^tau λ``, and the middle is at least P(w). By convexity nothing beyond is below P(w).

λ does not depend on the units of the columns, nor on how nearly they are dependent: in this norm much gained along a
long and flat direction is long. It is the length of the residuals of a weighted least-squares problem, that of
iteratively reweighted least squares, and computed as such, with bounds on its rounding (:mod:`~.quadratic`).
Kinks and bounds of a penalty add to g the entry of their subdifferential that makes it smallest. A column at 0 whose
slope falls short of its kink by more than ``λ |x_j|`` gains nothing, whatever the others do: their λ is enough.

For k classes ``H >= diag(H_1 .. H_k-1)`` with the curvatures of
:func:`~separatrix.core.verbs.separate_curvatures`, and λ² is at most the sum of k - 1 such squares.

From     Bach (2010), Electron. J. Statist. 4, section 2, for tau and l_i in place of norms of rows.
Cost     a factor of the weighted columns, n p² for each score but the first; where that does not settle it, rows times
         its inverse, for l_i.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.dispatch import implemented
from separatrix.core.gap_rounding import EPS, unit
from separatrix.core.jit import compiled
from separatrix.core.objective import (
    curvatures_at,
    gap_unit,
    slopes_at,
    sum_of_costs,
    target_sizes,
    total_conjugate,
    total_value,
)
from separatrix.core.problem import Problem
from separatrix.core.quadratic import quadratic_gap
from separatrix.core.scores import Scores
from separatrix.core.separable import Separable
from separatrix.core.target import Target
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import curvature_rate, is_convex, is_joint, separate_curvatures

# Values of tau, the first of which is taken that is large enough. e^tau is what the bound may be too large by.
TAUS = (1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3, 1.0)
# Curvatures below this have lost digits.
LEAST_CURVATURE = 1e-280
# Attempts to find the columns that count, where coefficients have kinks.
MOST_ROUNDS = 4
# Rounding below this share of λ is not worth a second computation.
SMALL_SHARE = 0.1
# Numbers of X times scores that are computed again in doubled precision.
AFFORDABLE = 1 << 26
# Rows of a stream, times scores, of which a number each is held for this, as many times as :class:`_Rows` has fields.
MOST_HELD = 1 << 22
# Operations of a factor, where Fenchel's inequality bounds the gap as well.
AFFORDABLE_FACTOR = 1 << 31


class DecrementGap(NamedTuple):
    """Relative to the null model: a bound on the gap, and two parts of what explains it (as of least squares)."""

    value: float
    explained: float
    dependent: float
    length: float = np.inf  # λ
    rounding: float = 1.0  # the share of it that may be rounding of scores and slopes


def has_decrement(problem: Problem) -> bool:
    """Whether the curvature of the loss is known to change slowly, and the problem is one that this file knows."""
    loss = problem.loss
    if not is_convex(loss) or not implemented(curvature_rate, loss):
        return False
    n, p = problem.design.n, problem.design.p
    if problem.design.is_streamed and n * int(np.prod(problem.target.outputs)) > MOST_HELD:
        return False
    if problem.parts.penalises_all and not problem.parts.kink.any() and n * p * min(n, p) > AFFORDABLE_FACTOR:
        return False
    return not is_joint(loss) or (implemented(separate_curvatures, loss) and bool(problem.parts.free.all()))


def decrement_gap(problem: Problem, beta: Any, intercept: Any, tol: float) -> DecrementGap:
    """A bound on ``(P(beta) - min P) / P(null model)``, rounding included; in one attempt more where that is coarse.

    It is no larger than P itself, less the least that its losses can be.
    """
    beta = np.asarray(beta)
    problem = replace(problem, target=problem.target.held())
    with np.errstate(all="ignore"):  # what overflows makes no bound
        scale = gap_unit(problem)
        most = _at_most(problem, beta, intercept) / scale
        if problem.parts.kink.any():
            return _on_active_columns(problem, beta, intercept, tol, scale, most)
        return _decrement(problem, beta, intercept, tol, scale, most)


def _decrement(
    problem: Problem, beta: Array, intercept: Any, tol: float, scale: float, most: float, alone: bool = True
) -> DecrementGap:
    """`alone`: whether no columns beside these of the problem may move the scores."""
    gap = _attempt(problem, beta, intercept, tol, scale, most, alone, doubled=False)
    affordable = problem.design.n * problem.design.p * beta[:1].size <= AFFORDABLE
    if gap.value - gap.dependent > max(tol, gap.explained) and gap.rounding > SMALL_SHARE and affordable:
        gap = min(gap, _attempt(problem, beta, intercept, tol, scale, most, alone, doubled=True))
    return gap


def _on_active_columns(
    problem: Problem, beta: Array, intercept: Any, tol: float, scale: float, most: float
) -> DecrementGap:
    """The same where some coefficients are 0 and their slopes within a kink, with room for what the others may do.

    For w at 0 and a step v, with the Hessian's norm of ``X v`` and q such that ``X_A'q`` are the slopes that are left
    of the columns A, |q| = λ_A: ``g'v >= -λ_A |X v| - Σ_j λ_A |x_j| |v_j|`` over j outside of A, where the kink adds
    ``(kink_j - |g_j|) |v_j|``.
    """
    design, target, kink = problem.design, problem.target, problem.parts.kink
    eta = design.all_scores(beta.astype(np.float64), intercept)
    u, bends = slopes_at(problem.loss, target.y, eta), curvatures_at(problem.loss, target.y, eta)
    rows = Scores(design, target, beta.astype(np.float64), intercept, u)
    _, products, squares = rows.sums_and_products(lambda _: np.zeros(1))
    level = np.sqrt(target.weights @ u**2 / target.total)
    room = kink - np.abs(products) / target.total - 2.0 * unit(target.n) * level * np.sqrt(squares / target.total)
    sizes = 1.001 * np.sqrt(design.column_squares(Target(target.y, target.weights * bends)) / target.total)
    active = (beta != 0.0) | (kink == 0.0) | ~(room > 0.0)
    active[np.argmin(room)] = True  # a design has a column
    for _ in range(MOST_ROUNDS):
        J = np.flatnonzero(active)
        part = replace(problem, design=design.of_columns(J), penalty=problem.parts.take(J))
        gap = _decrement(part, beta[J], intercept, tol, scale, most, alone=bool(active.all()))
        short = ~active & ~(room > 2.0 * gap.length * sizes)  # twice, as slopes are wrong by less than the length
        if not short.any():
            return gap
        active |= short
    return DecrementGap(most, 0.0, 0.0)


def _at_most(problem: Problem, beta: Any, intercept: Any) -> float:
    """``P(beta)`` less the least that the losses can be, with what rounding may hide of it.

    A fit that goes through all rows has a P that is rounding: that of a score moves its loss by slope and curvature.
    """
    target, loss, beta = problem.target, problem.loss, np.asarray(beta, dtype=np.float64)
    s, n = target.weights, target.n
    eta, moved = _scores(problem, beta, intercept, doubled=False)
    value = total_value(loss, target.y, eta, s)
    least = -total_conjugate(loss, target.y, np.zeros(target.y.shape), s)
    each = np.abs(eta).reshape(n, -1).max(axis=1) + target_sizes(loss, target.y).reshape(n, -1).max(axis=1)
    moved = moved + 16.0 * EPS * (1.0 + each) ** 2
    u, h = (np.abs(f(loss, target.y, eta)).reshape(n, -1).sum(axis=1) for f in (slopes_at, curvatures_at))
    rounding = s @ np.where(s > 0.0, moved * (u + 2.0 * moved * h), 0.0) + 1e-9 * (abs(value) + abs(least))
    bound = float((value - least + rounding) / target.total + sum_of_costs(problem.parts, beta))
    return bound if np.isfinite(bound) else np.inf


def _attempt(
    problem: Problem, beta: Array, intercept: Any, tol: float, scale: float, most: float, alone: bool, *, doubled: bool
) -> DecrementGap:
    rows = _Rows.of(problem, np.asarray(beta, dtype=np.float64), intercept, doubled)
    if rows is None or not rows.u.shape[1]:  # a joint loss of one score is constant
        return DecrementGap(most, 0.0, 0.0)
    parts = [_length(problem, rows, c, beta, intercept, tol * scale) for c in range(rows.u.shape[1])]
    lengths = np.sqrt(np.sum([[part.all**2, part.independent**2] for part in parts], axis=0))
    targets = [part.target for part in parts] if alone else []
    full, independent = (min(_bound(problem, rows, float(length), targets) / scale, most) for length in lengths)
    explained = 0.5 * np.e * sum(part.explained for part in parts) / scale
    error = float(np.sqrt(sum(part.error**2 for part in parts)))
    rounding = error / float(lengths[1]) if lengths[1] > 0.0 else 1.0
    return DecrementGap(full, explained, full - independent, float(lengths[0]), rounding)


class _Rows(NamedTuple):
    """Scores of the rows, (n,) or (n, k); and for each score but the first of a joint loss, (n, m):"""

    eta: Array
    u: Array  # slopes
    h: Array  # curvatures
    error: Array  # of -u / h, from rounding of scores and slopes
    moved: Array  # (n,) how far rounding may have moved the scores
    rounded: Array  # (n,) relative errors of the curvatures

    @classmethod
    def of(cls, problem: Problem, beta: Array, intercept: Any, doubled: bool) -> "_Rows | None":
        """None where a curvature has lost its digits, and where something overflows."""
        loss, target = problem.loss, problem.target
        eta, moved = _scores(problem, beta, intercept, doubled)
        order = _order(loss, target.y, eta, target.weights)
        y = target.y if order is None else np.ascontiguousarray(target.y[:, order])
        eta = eta if order is None else np.ascontiguousarray(eta[:, order])
        u = slopes_at(loss, y, eta)
        n = len(u)
        if order is None:
            h, steep = curvatures_at(loss, y, eta).reshape(n, 1), np.ones((n, 1))
            size = target_sizes(loss, y) + np.abs(eta)
        else:
            h = np.empty(eta.shape)
            fill_separate_curvatures(loss, y, eta, h)
            # a slope moves by at most twice its probability times a move of the scores
            u, steep, h = u[:, 1:], 2.0 * curvatures_at(loss, y, eta)[:, 1:] / h[:, 1:], h[:, 1:]
            size = np.abs(eta).max(axis=1)
        u, rounded = u.reshape(n, -1), 16.0 * EPS * (1.0 + size) ** 2
        counted = target.weights > 0.0
        if not (np.isfinite(u[counted]).all() and h[counted].min(initial=1.0) > LEAST_CURVATURE):
            return None
        # scores enter twice: in the slope, whose curvature may be e times larger there, and in the working response
        error = (1.0 + np.e * steep) * moved[:, None] + rounded[:, None] * (1.0 + steep) + 16.0 * EPS * np.abs(u) / h
        return cls(eta, u, h, np.where(counted[:, None], error, 0.0), moved, rounded)


def _order(loss: Loss, y: Array, eta: Array, s: Array) -> Array | None:
    """An order of the scores of a joint loss: first the one that is most likely everywhere."""
    if not is_joint(loss):
        return None
    likely = s @ (eta - np.logaddexp.reduce(eta, axis=1)[:, None])
    first = int(np.argmax(likely))
    return np.concatenate([[first], np.delete(np.arange(eta.shape[1]), first)])


@compiled
def fill_separate_curvatures(loss: Loss, Y: Array, eta: Array, out: Array) -> None:
    """Row i of out = separate_curvatures(loss, y_i, eta_i)."""
    for i in range(Y.shape[0]):
        separate_curvatures(loss, Y[i], eta[i], out[i])


@compiled
def fill_curvature_rates(loss: Loss, y: Array, eta: Array, reach: Array, out: Array) -> None:
    """out_i = curvature_rate(loss, y_i, eta_i, reach_i)."""
    for i in range(y.shape[0]):
        out[i] = curvature_rate(loss, y[i], eta[i], reach[i])


def _scores(problem: Problem, beta: Array, intercept: Any, doubled: bool) -> tuple[Array, Array]:
    """Scores and how far their own rounding may have moved each row's."""
    design, target = problem.design, problem.target
    sizes = np.sqrt(design.column_squares(target) / target.total)
    reach = np.max(np.abs(beta).T @ sizes + np.abs(intercept))
    # what is a root mean square over the rows is, for one row, at most so much
    share = np.sqrt(target.total / np.maximum(target.weights, np.finfo(np.float64).tiny))
    if not doubled:
        return design.all_scores(beta, intercept), unit(design.p) * reach * share
    eta = design.doubled_scores(beta.reshape(design.p, -1), intercept)
    moved = 2.0 * EPS * np.abs(eta).max(axis=1) + unit(design.p) ** 2 * reach * share
    return eta.reshape(design.n, *beta.shape[1:]), moved


class _Length(NamedTuple):
    """``sqrt(g'H^-1 g)`` of one score, over all columns and over those that are independent beyond rounding."""

    all: float
    independent: float
    error: float  # what of both may be rounding of scores and slopes
    explained: float  # its square, as far as the rounding of published coefficients explains it
    target: Target  # of the weighted least-squares problem


def _length(problem: Problem, rows: _Rows, c: int, beta: Any, intercept: Any, tol: float) -> _Length:
    """By the gap of iteratively reweighted least squares: weights ``s h``, residuals ``-u / h``."""
    s, joint = problem.target.weights, rows.u.shape[1] > 1 or is_joint(problem.loss)
    counted = s > 0.0
    weights = np.where(counted, s * rows.h[:, c], 0.0)
    residuals = np.where(counted, -rows.u[:, c] / rows.h[:, c], 0.0)
    total, share = problem.target.total, float(weights.sum() / problem.target.total)
    # without a penalty every point will do: at 0 the residuals are not rounded again
    point, shift = (np.zeros(problem.design.p), 0.0) if joint else (np.asarray(beta), intercept)
    response = residuals if joint else np.where(counted, rows.eta + residuals, 0.0)
    kink, ridge, low, high = problem.parts
    penalty = Separable(kink / share, ridge / share, low, high)
    target = Target(response, weights)
    work = replace(problem, target=target, penalty=penalty)
    gap = quadratic_gap(work, point, shift, 0.5 * tol / share, relative=False)
    error = float(np.sqrt(weights @ rows.error[:, c] ** 2 / total))
    both, independent = (
        float(np.sqrt(2.0 * share * max(part, 0.0))) + error for part in (gap.value, gap.value - gap.dependent)
    )
    return _Length(both, independent, error, 2.0 * share * gap.explained, target)


def _bound(problem: Problem, rows: _Rows, length: float, targets: list[Target]) -> float:
    """``½ e^tau λ²`` for the first tau that is large enough; infinite where none is.

    `targets` are those of the least-squares problems, for the lengths of the rows; none where others are to be counted.
    """
    if not np.isfinite(length):
        return np.inf
    counted = problem.target.weights > 0.0
    weights = (problem.target.weights[:, None] * rows.h).min(axis=1)[counted]
    reaches = np.sqrt(problem.target.total / weights)  # as no leverage is more than 1
    tau = _tau(problem, rows, length, reaches)
    if tau is None and targets:
        exact = [each for each in (_row_lengths(problem, target) for target in targets) if each is not None]
        if len(exact) < len(targets):
            return np.inf
        tau = _tau(problem, rows, length, np.max(exact, axis=0)[counted])
    return np.inf if tau is None else float(0.5 * np.exp(tau) * length * length * (1.0 + 64.0 * EPS))


def _tau(problem: Problem, rows: _Rows, length: float, reaches: Array) -> float | None:
    counted = problem.target.weights > 0.0
    y, eta = problem.target.y[counted], rows.eta[counted]
    moved, rounded, rates = rows.moved[counted], rows.rounded[counted], np.empty(len(eta))
    for tau in TAUS:
        reach = 2.0 * np.exp(tau) * length * reaches + moved
        fill_curvature_rates(problem.loss, y, eta, reach, rates)
        if bool(np.all(rates * reach + rounded <= tau)):
            return tau
    return None


def _row_lengths(problem: Problem, target: Target) -> Array | None:
    """``sqrt(x_i'H^-1 x_i)`` of all rows under the weights of a least-squares problem; None where H is not trusted."""
    design = problem.design
    if not design.forms_gram:
        return None
    factor = design.factor(target, problem.parts.ridge * problem.target.total, problem.intercept)
    if len(factor.aliased) + len(factor.constant):
        return None
    far = np.linalg.norm(factor.scale * factor.mean) * np.sqrt(target.total)
    moved = factor.condition() * (unit(len(factor.kept)) + EPS * far)
    if not moved < 0.1:
        return None
    return 1.25 * np.sqrt(problem.target.total) * design.row_lengths(factor)
