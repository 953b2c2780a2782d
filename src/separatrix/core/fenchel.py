"""An upper bound on ``P(beta) - min P`` by Fenchel's inequality, for any convex loss and penalty.

With one slope u_i per row,

    P(beta) - min P  <=  P(beta) + (1/Σs) Σ s_i conjugate(loss, y_i, u_i) + Σ_j conjugate_cost(penalty, -x_j'(s∘u)/Σs)

for every u (with Σ s_i u_i = 0 if there is an intercept). We take the slopes at beta, centred, and scaled into the
penalty's domain. Where nothing is penalised that domain is {0}: a v that rounding explains then counts as 0.
"""

import operator

import numpy as np

from separatrix.core.dual_bound import EPS, dual_bound
from separatrix.core.objective import (
    add_dual_terms,
    dual_domains,
    fill_dual_terms,
    parts_of,
    slopes_at,
    sum_of_costs,
    total_conjugate,
    total_value,
)
from separatrix.core.threads import parallel_map
from separatrix.core.verbs import is_joint, is_likelihood, is_of_residual


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
    if u is None:
        u = slopes_at(problem.loss, y, eta)
    u = (_transported if is_joint(problem.loss) else _balanced)(problem, y, np.asarray(u, dtype=np.float64))
    reach = _reach(problem.design, beta) + np.abs(intercept).max()
    weighted = (u.T * s).T
    v, unsettled = _settled(problem, beta, u, -problem.design.rmatvec(weighted) / total, reach)
    primal = total_value(problem.loss, y, eta, s) / total + sum_of_costs(penalty, beta)
    dual = dual_bound(penalty, parts, v, beta, lambda a: total_conjugate(problem.loss, y, a * u, s) / total)
    # a gap is the difference of two sums of about equal size; each carries a relative rounding error of at most a few
    # eps per doubling of its length (numpy and our vector loops both sum in lanes or pairs)
    sums = abs(primal) + abs(dual) + (np.abs(weighted) * (np.abs(y) + np.abs(eta))).sum() / total
    products = reach * np.abs(weighted).sum() / total
    rounding = EPS * (4.0 * np.log2(target.n + problem.design.p + 2.0) * sums + 4.0 * products) + unsettled
    return float(max(primal - dual, 0.0) + rounding)


def _gap_at_slopes(problem, parts, beta, intercept):
    """The gap of a likelihood at its own slopes, in one read of X.

    With an intercept the slopes of one sign are multiplied by a <= 1 so that all sum to zero, and all by a scale that
    the penalty may ask for. No loss is negative, so that its conjugate is not positive at 0, and by convexity
    ``conjugate(a u) <= a conjugate(u)``: the conjugates need not be computed again.
    """
    target, penalty, total = problem.target, problem.penalty, problem.target.total
    # measured: BLAS on dense blocks takes a sixth less than a loop over rows, cutting blocks out of sparse rows triple
    sums_of = _terms_by_blocks if problem.design.gram_is_cheap else _terms_by_rows
    terms, v_up, v_down = sums_of(problem, beta, intercept)
    fit, conjugate_up, conjugate_down, up, down, sums = terms / total
    shares = (min(1.0, down / up) if up > 0.0 else 0.0, min(1.0, up / down) if down > 0.0 else 0.0)
    shares = shares if problem.intercept else (1.0, 1.0)
    conjugates = shares[0] * conjugate_up + shares[1] * conjugate_down
    v = -(shares[0] * v_up + shares[1] * v_down) / total
    primal = fit + sum_of_costs(penalty, beta)
    dual = dual_bound(penalty, parts, v, beta, lambda a: a * conjugates)
    products = (_reach(problem.design, beta) + abs(intercept)) * (up + down)
    sums += abs(primal) + abs(dual)
    rounding = EPS * (4.0 * np.log2(target.n + problem.design.p + 2.0) * sums + 4.0 * products)
    return float(max(primal - dual, 0.0) + rounding)


def _terms_by_rows(problem, beta, intercept):
    """The :func:`dual_terms` of all rows, and the sums of rows times slopes, positive and negative ones."""
    design, target = problem.design, problem.target
    rows, s = design.rows_atom(), np.empty(0) if target.s is None else target.s

    def task(part):
        terms, v_up, v_down = np.zeros(6), np.zeros(design.p), np.zeros(design.p)
        add_dual_terms(rows, problem.loss, target.y, s, *part, beta, intercept, v_up, v_down, terms, np.empty(6))
        return terms, v_up, v_down

    return [sum(parts) for parts in zip(*parallel_map(task, design.parts()))]


def _terms_by_blocks(problem, beta, intercept):
    def task(B, y, s):
        u, terms = np.empty(len(y)), np.zeros(6)
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


def _reach(design, beta, sample=64):
    """How large ``Σ_j |x_ij beta_j|`` gets, on evenly spaced rows: the scale of the rounding errors of eta."""
    support = np.flatnonzero(beta if beta.ndim == 1 else beta.any(axis=1))
    rows = design.corner(slice(0, design.n, max(1, design.n // sample)), support)
    return float((abs(rows) @ np.abs(beta[support])).max(initial=0.0))


def _settled(problem, beta, u, v, reach):
    """v with its rounding errors set to 0 where the penalty allows nothing else, and what that may cost.

    Without a penalty the conjugate is finite only at v = 0 exactly (v <= 0 for non-negative coefficients), which no
    computed v attains. A v that rounding explains counts as 0, at the price of ``|v_j|`` times twice ``|beta_j|``.
    """
    low, high = dual_domains(problem.penalty, problem.design.p)
    if np.all((low < 0.0) & (high > 0.0)):
        return v, 0.0
    s, total = problem.target.weights, problem.target.total
    size = np.sqrt(problem.design.column_squares(s) / total)
    limit = EPS * np.multiply.outer(size, 32.0 * np.sqrt(s @ (u * u) / total) + 4.0 * reach)
    outside = v - np.clip(v.T, low, high).T
    excess = np.where(((low < 0.0) & (high > 0.0)).reshape((-1,) + (1,) * (v.ndim - 1)), 0.0, outside)
    small = np.abs(excess) <= limit
    return np.where(small, v - excess, v), 2.0 * float(np.abs(excess[small]) @ np.abs(beta[small]))
