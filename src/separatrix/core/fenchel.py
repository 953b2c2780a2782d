"""An upper bound on ``P(beta) - min P`` by Fenchel's inequality, for any convex loss and penalty.

With one slope u_i per row,

    P(beta) - min P  <=  P(beta) + (1/Σs) Σ s_i conjugate(loss, y_i, u_i) + Σ_j conjugate_cost(penalty, -x_j'(s∘u)/Σs)

for every u (with Σ s_i u_i = 0 if there is an intercept). We take the slopes at beta, centred, and scaled into the
penalty's domain. Where nothing is penalised that domain is {0}: a v that rounding explains then counts as 0.
"""

import operator
from typing import Any

import numpy as np

from separatrix.core.gap_rounding import Products, products, sum_error, unit, value_error
from separatrix.core.objective import (
    PenaltyParts,
    add_dual_terms,
    dual_domains,
    fill_dual_terms,
    parts_of,
    slopes_at,
    sum_of_conjugate_sizes,
    total_conjugate,
    total_value,
)
from separatrix.core.threads import parallel_map
from separatrix.core.verbs import is_joint, is_likelihood, is_of_residual

EPS = float(np.finfo(np.float64).eps)


def duality_gap(problem, beta, intercept, u=None):
    """An upper bound on ``P(beta) - min P``, rounding included.

    `u` is a dual point, one slope for each row, if the solver knows a better one than the slopes at beta. Any u gives a
    true bound; a good one gives a tight one.
    """
    target, penalty = problem.target, problem.penalty
    s, total = target.weights, target.total
    beta = np.asarray(beta, dtype=np.float64)
    parts = parts_of(penalty, problem.design.p)
    smooth = np.all(parts.ridge > 0.0) and not parts.kink.any()
    if u is None and smooth and is_likelihood(problem.loss) and not is_joint(problem.loss):
        return _gap_at_slopes(problem, parts, beta, float(intercept))
    y = target.y
    if problem.intercept and is_of_residual(problem.loss):
        # y and the intercept move together; about the mean of y nothing large cancels in the sums below
        y, intercept = y - target.mean(), intercept - target.mean()
    eta = problem.design.matvec(beta) + intercept
    slopes = slopes_at(problem.loss, y, eta)
    u = slopes if u is None else np.asarray(u, dtype=np.float64)
    u = (_transported if is_joint(problem.loss) else _balanced)(problem, y, u)
    weighted = (u.T * s).T
    sizes = problem.design.column_sizes(target)
    v = -problem.design.rmatvec(weighted) / total
    imbalance = _imbalance(s, u) if problem.intercept else 0.0
    dual_products = products(v, sizes, s @ (u * u) / total, imbalance, target.n)
    dual_products, unsettled = _settled(problem, y, dual_products)
    primal = total_value(problem.loss, y, eta, s) / total + parts.cost(beta)
    scales = dual_products.scales(penalty, parts, beta) if np.isfinite(unsettled) else [0.0]
    dual = max(_dual(problem, y, a, u, dual_products.cost(parts, a)) - (unsettled if a else 0.0) for a in scales)
    terms = abs(primal) + abs(dual) + (np.abs(weighted) * (np.abs(y) + np.abs(eta))).sum() / total
    rounding = (sum_error(target.n) + unit(problem.design.p) + np.max(imbalance)) * terms
    level = np.sqrt(np.atleast_1d(s @ (slopes * slopes) / total))
    rounding += value_error(problem.loss, sizes, beta, intercept, level, (y, eta, s))
    return float(max(primal - dual, 0.0) + rounding)


def _imbalance(s: Any, u: np.ndarray) -> Any:
    """What the slopes of one sign have to be changed by so that all sum to 0 exactly: a share of them, or 1."""
    weighted = (u.T * s).T
    rest = np.abs(weighted.sum(axis=0)) + sum_error(len(s)) * np.abs(weighted).sum(axis=0)
    side = np.minimum(np.maximum(weighted, 0.0).sum(axis=0), np.maximum(-weighted, 0.0).sum(axis=0))
    return np.where(side > rest, rest / np.maximum(side, np.finfo(np.float64).tiny), np.where(rest > 0.0, 1.0, 0.0))


def _gap_at_slopes(problem: Any, parts: PenaltyParts, beta: np.ndarray, intercept: float) -> float:
    """The gap of a likelihood at its own slopes, in one read of X.

    With an intercept the slopes of one sign are multiplied by a <= 1 so that all sum to zero, and all by a scale that
    the penalty may ask for. No loss is negative, so that its conjugate is not positive at 0, and by convexity
    ``conjugate(a u) <= a conjugate(u)``: the conjugates need not be computed again.
    """
    target, penalty, total = problem.target, problem.penalty, problem.target.total
    # measured: BLAS on dense blocks takes a sixth less than a loop over rows, cutting blocks out of sparse rows triple
    sums_of = _terms_by_blocks if problem.design.gram_is_cheap else _terms_by_rows
    terms, v_up, v_down = sums_of(problem, beta, intercept)
    fit, conjugate_up, conjugate_down, up, down, sizes_of_terms, square = terms / total
    shares = (min(1.0, down / up) if up > 0.0 else 0.0, min(1.0, up / down) if down > 0.0 else 0.0)
    shares = shares if problem.intercept else (1.0, 1.0)
    conjugates = shares[0] * conjugate_up + shares[1] * conjugate_down
    v = -(shares[0] * v_up + shares[1] * v_down) / total
    # the sums of both sides are rounded, and with them the share that makes them equal
    imbalance = 4.0 * sum_error(target.n) if problem.intercept else 0.0
    sizes = problem.design.column_sizes(target)
    dual_products = products(v, sizes, square, imbalance, target.n)
    primal = fit + parts.cost(beta)
    scales = dual_products.scales(penalty, parts, beta)
    dual = max(-a * conjugates - dual_products.cost(parts, a) for a in scales)
    terms = abs(primal) + abs(dual) + sizes_of_terms
    rounding = (sum_error(target.n) + unit(problem.design.p) + imbalance) * terms
    rounding += value_error(problem.loss, sizes, beta, intercept, np.sqrt([square]), None)
    return float(max(primal - dual, 0.0) + rounding)


def _terms_by_rows(problem, beta, intercept):
    """The :func:`dual_terms` of all rows, and the sums of rows times slopes, positive and negative ones."""
    design, target = problem.design, problem.target
    rows, s = design.rows_atom(), np.empty(0) if target.s is None else target.s

    def task(part):
        terms, v_up, v_down = np.zeros(7), np.zeros(design.p), np.zeros(design.p)
        add_dual_terms(rows, problem.loss, target.y, s, *part, beta, intercept, v_up, v_down, terms, np.empty(7))
        return terms, v_up, v_down

    return [sum(parts) for parts in zip(*parallel_map(task, design.parts()))]


def _terms_by_blocks(problem, beta, intercept):
    def task(B, y, s):
        u, terms = np.empty(len(y)), np.zeros(7)
        fill_dual_terms(problem.loss, y, np.asarray(B @ beta) + intercept, s, u, terms)
        return [terms, np.maximum(u, 0.0) @ B, np.minimum(u, 0.0) @ B]

    def merge(a, b):
        return [operator.add(*pair) for pair in zip(a, b)]

    return problem.design.reduce(task, merge, problem.target.y, problem.target.weights)


def _balanced(problem, y, u):
    """u moved into the domain of the loss's conjugate and, where there is an intercept, to Σ s u = 0.

    That domain is the range of the slopes, which ends at the slopes of infinite scores.
    """
    s = problem.target.weights
    low = slopes_at(problem.loss, y, np.full_like(u, -np.inf))
    high = slopes_at(problem.loss, y, np.full_like(u, np.inf))
    if not problem.intercept:
        return np.clip(u, low, high)
    shifted = u - (s @ u) / problem.target.total
    if np.all((low <= shifted) & (shifted <= high) | (s == 0.0)):
        return shifted
    u = np.clip(u, low, high)
    up, down = s @ np.maximum(u, 0.0), s @ np.maximum(-u, 0.0)
    if min(up, down) == 0.0:
        return np.zeros_like(u)
    # shrinking one side never leaves a domain that holds 0, as shifting may
    return np.where(u > 0.0, u * min(1.0, down / up), u * min(1.0, up / down))


def _transported(problem, y, u):
    """Rows ``y + u`` of probabilities moved so that, with an intercept, each class gets the total that it has in y.

    Classes with too much give a share of each of their probabilities, the others receive what a row has given: rows
    stay probabilities.
    """
    mu = np.maximum(y + u, 0.0)
    mu /= mu.sum(axis=1, keepdims=True)
    if problem.intercept:
        s = problem.target.weights
        have, want = s @ mu, s @ y
        give = np.clip(1.0 - np.divide(want, have, out=np.ones_like(want), where=have > 0.0), 0.0, 1.0)
        lack = np.maximum(want - have, 0.0)
        if lack.sum() > 0.0:
            given = mu * give
            mu += np.outer(given.sum(axis=1), lack / lack.sum()) - given
    return mu - y


def _settled(problem: Any, y: np.ndarray, dual_products: Products) -> tuple[Products, float]:
    """Products that are 0 where the penalty allows nothing else, and what that costs; infinity where nobody knows.

    Without a penalty the conjugate is finite only at v = 0 exactly (v <= 0 for non-negative coefficients), which no
    computed v attains. A change of u by ``c = X_U w`` does, with ``X_U'S X_U w = v_U Σs``. By Cauchy and Schwarz, and
    since no leverage exceeds 1, ``s_i c_i² <= (Σs)² v_U'(X_U'S X_U)^-1 v_U``. Divided by 1 + t, with t the largest
    |c_i| as a share of the room that 0 has in the domain of the loss's conjugate, u + c lies in that domain, and its
    conjugate is at most that of u and t times the conjugate at the end of the room.
    """
    design, target = problem.design, problem.target
    low, high = dual_domains(problem.penalty, design.p)
    held = ~((low < 0.0) & (high > 0.0))
    if not held.any():
        return dual_products, 0.0
    v, error = dual_products
    if v.ndim > 1:
        return dual_products, np.inf
    s, total = target.weights, target.total
    excess = np.where(held, v - np.clip(v, low, high), 0.0)
    length = _length(problem, excess, np.where(held, error, 0.0), held)
    counted = s > 0.0
    ends = [np.abs(slopes_at(problem.loss, y[counted], np.full(counted.sum(), end))) for end in (-np.inf, np.inf)]
    room = float(np.minimum(*ends).min())
    if not np.isfinite(length) or room == 0.0:
        return dual_products, np.inf if length > 0.0 else 0.0
    share = total * length / np.sqrt(s[counted].min()) / room
    at_ends = sum(sum_of_conjugate_sizes(problem.loss, y, np.full(len(y), end), s) for end in (-room, room))
    moved = np.sqrt(total) * length * design.column_sizes(target)
    settled = Products(np.where(held, 0.0, v), np.where(held, 0.0, error + moved))
    return settled, float(share * at_ends / total)


def _length(problem: Any, v: np.ndarray, error: np.ndarray, held: np.ndarray) -> float:
    """``sqrt(v'(X'S X)^-1 v)`` on the columns `held`, for any v within its error; infinity where columns are nearly
    dependent.

    The others get a ridge of many times their squares, which makes this a bound.
    """
    design, target = problem.design, problem.target
    squares = target.total * design.column_sizes(target) ** 2
    factor = design.factor(target, np.where(held, 0.0, 1e4 * squares), problem.intercept)
    if len(factor.aliased) + len(factor.constant):
        zero = np.zeros((design.p, 1)), np.zeros(1)
        left_out = design.remainders(target, factor, *zero, doubled=False, unit=1.0)
        if left_out is None or left_out.squares.any():
            return np.inf
    condition = factor.condition()
    moved = unit(len(factor.kept)) * condition
    moved += EPS * condition * float(np.linalg.norm(factor.scale * factor.mean) * np.sqrt(target.total))
    if moved > 0.1:
        return np.inf
    length = np.linalg.norm(factor.half_solve((factor.scale * v)[:, None]))
    rest = condition * np.linalg.norm((factor.scale * error)[factor.kept])
    return float((length + rest) / (1.0 - moved))


def _dual(problem: Any, y: np.ndarray, scale: float, u: np.ndarray, cost: float) -> float:
    fit = total_conjugate(problem.loss, y, scale * u, problem.target.weights) / problem.target.total
    return -fit - cost
