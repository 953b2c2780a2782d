"""An upper bound on ``P(beta) - min P`` by Fenchel's inequality, for any convex loss and penalty.

With one slope u_i per row,

    P(beta) - min P  <=  P(beta) + (1/Σs) Σ s_i conjugate(loss, y_i, u_i) + Σ_j conjugate_cost(penalty, -x_j'(s∘u)/Σs)

for every u (with Σ s_i u_i = 0 if there is an intercept). We take the slopes at beta, centred, and scaled into the
penalty's domain. Where nothing is penalised that domain is {0}: a v that rounding explains then counts as 0.
"""

from functools import reduce as fold
from typing import Any

import numpy as np

from separatrix.core.dual_bound import EPS, dual_bound
from separatrix.core.objective import (
    PenaltyParts,
    add_dual_terms,
    dual_domains,
    fill_dual_terms,
    parts_of,
    slopes_at,
    sum_of_costs,
    total_conjugate,
    total_value,
)
from separatrix.core.scores import ScoredRows, Scores
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.core.verbs import is_joint, is_likelihood, is_of_residual


def duality_gap(problem: Any, beta: Any, intercept: Any, u: Any = None) -> float:
    """An upper bound on ``P(beta) - min P``, rounding included.

    `u` is a dual point, one slope for each row, if a better one is known than the slopes at beta: an array, or the
    coefficients and the intercept whose slopes it is. Any u gives a true bound; a good one gives a tight one.
    """
    design, target, loss, penalty = problem.design, problem.target, problem.loss, problem.penalty
    beta = np.asarray(beta, dtype=np.float64)
    parts = parts_of(penalty, design.p)
    smooth = np.all(parts.ridge > 0.0) and not parts.kink.any()
    if u is None and smooth and is_likelihood(loss) and not is_joint(loss):
        return _gap_at_slopes(problem, parts, beta, float(intercept))
    centred = target
    if problem.intercept and is_of_residual(loss):
        # y and the intercept move together; about the mean of y nothing large cancels in the sums below
        mean = target.mean()
        centred, intercept = target.mapped(lambda y, s: (y - mean, s)), intercept - mean
        u = (u[0], u[1] - mean) if isinstance(u, tuple) else u
    scores = Scores(design, centred, beta, intercept, u)
    if u is None:
        scores.change(lambda rows: rows._replace(u=slopes_at(loss, rows.y, rows.eta)))
    elif isinstance(u, tuple):
        scores.change(lambda rows: rows._replace(u=slopes_at(loss, rows.y, rows.u)))
    (_transport if is_joint(loss) else _balance)(problem, scores)

    def task(rows: ScoredRows) -> np.ndarray:
        size = np.abs(rows.weighted_slopes)
        fit = total_value(loss, rows.y, rows.eta, rows.s)
        return np.array([fit, (size * (np.abs(rows.y) + np.abs(rows.eta))).sum(), size.sum()])

    sums, products = scores.sums_and_products(task)
    fit, sizes, weight = sums / target.total
    reach = design.reach(beta) + np.abs(intercept).max()
    v, unsettled = _settled(problem, scores, -products / target.total, reach)
    primal = fit + sum_of_costs(penalty, beta)

    def conjugates_at(scales: list[float]) -> Array:
        def each(rows: ScoredRows) -> Array:
            return np.array([total_conjugate(loss, rows.y, a * rows.u, rows.s) for a in scales])

        return scores.sums(each) / target.total

    dual = dual_bound(penalty, parts, v, beta, conjugates_at)
    # a gap is the difference of two sums of about equal size; each carries a relative rounding error of at most a few
    # eps per doubling of its length (numpy and our vector loops both sum in lanes or pairs)
    sizes += abs(primal) + abs(dual)
    rounding = EPS * (4.0 * np.log2(target.n + design.p + 2.0) * sizes + 4.0 * reach * weight) + unsettled
    return float(max(primal - dual, 0.0) + rounding)


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
    fit, conjugate_up, conjugate_down, up, down, sums = terms / total
    shares = (min(1.0, down / up) if up > 0.0 else 0.0, min(1.0, up / down) if down > 0.0 else 0.0)
    shares = shares if problem.intercept else (1.0, 1.0)
    conjugates = shares[0] * conjugate_up + shares[1] * conjugate_down
    v = -(shares[0] * v_up + shares[1] * v_down) / total
    primal = fit + sum_of_costs(penalty, beta)
    dual = dual_bound(penalty, parts, v, beta, lambda scales: [a * conjugates for a in scales])
    products = (problem.design.reach(beta) + abs(intercept)) * (up + down)
    sums += abs(primal) + abs(dual)
    rounding = EPS * (4.0 * np.log2(target.n + problem.design.p + 2.0) * sums + 4.0 * products)
    return float(max(primal - dual, 0.0) + rounding)


def _terms_by_rows(problem: Any, beta: np.ndarray, intercept: float) -> list[np.ndarray]:
    """The :func:`dual_terms` of all rows, and the sums of rows times slopes, positive and negative ones."""
    design, target = problem.design, problem.target
    rows, s = design.rows_atom(), np.empty(0) if target.s is None else target.s

    def task(part: tuple[int, int]) -> tuple[np.ndarray, ...]:
        terms, v_up, v_down = np.zeros(6), np.zeros(design.p), np.zeros(design.p)
        add_dual_terms(rows, problem.loss, target.y, s, *part, beta, intercept, v_up, v_down, terms, np.empty(6))
        return terms, v_up, v_down

    return [fold(np.add, parts) for parts in zip(*parallel_map(task, design.parts()))]


def _terms_by_blocks(problem: Any, beta: np.ndarray, intercept: float) -> list[np.ndarray]:
    def task(block: Any) -> list[np.ndarray]:
        u, terms = np.empty(len(block.y)), np.zeros(6)
        fill_dual_terms(problem.loss, block.y, np.asarray(block.X @ beta) + intercept, block.weights, u, terms)
        return [terms, np.maximum(u, 0.0) @ block.X, np.minimum(u, 0.0) @ block.X]

    def merge(a: list[np.ndarray], b: list[np.ndarray]) -> list[np.ndarray]:
        return [one + other for one, other in zip(a, b)]

    sums: list[np.ndarray] = problem.design.reduce(task, merge, problem.target)
    return sums


def _balance(problem: Any, scores: Scores) -> None:
    """Move u into the domain of the loss's conjugate and, where there is an intercept, to Σ s u = 0.

    That domain is the range of the slopes, which ends at the slopes of infinite scores.
    """

    def domain(rows: ScoredRows) -> list[np.ndarray]:
        return [slopes_at(problem.loss, rows.y, np.full_like(rows.u, end)) for end in (-np.inf, np.inf)]

    def task(rows: ScoredRows) -> tuple[np.ndarray, float, float]:
        low, high = domain(rows)
        inner, counted = np.clip(rows.u, low, high), rows.s > 0.0
        sums = np.array([rows.s @ rows.u, rows.s @ np.maximum(inner, 0.0), rows.s @ np.maximum(-inner, 0.0)])
        below, above = rows.u - low, rows.u - high
        return sums, below.min(initial=np.inf, where=counted), above.max(initial=-np.inf, where=counted)

    def merge(a: Any, b: Any) -> tuple[np.ndarray, float, float]:
        return a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])

    factors, shift = (1.0, 1.0), 0.0
    if problem.intercept:
        (total, up, down), least, most = scores.sums(task, merge)
        mean = total / problem.target.total
        if most <= mean <= least:
            shift = mean
        else:  # shrinking one side never leaves a domain that holds 0, as shifting may
            factors = (min(1.0, down / up), min(1.0, up / down)) if min(up, down) > 0.0 else (0.0, 0.0)

    def change(rows: ScoredRows) -> ScoredRows:
        u = np.clip(rows.u - shift, *domain(rows))
        return rows._replace(u=u if factors == (1.0, 1.0) else np.where(u > 0.0, u * factors[0], u * factors[1]))

    scores.change(change)


def _transport(problem: Any, scores: Scores) -> None:
    """Move rows ``y + u`` of probabilities so that, with an intercept, each class gets the total that it has in y.

    Classes with too much give a share of each of their probabilities, the others receive what a row has given: rows
    stay probabilities.
    """

    def means(rows: ScoredRows) -> np.ndarray:
        mu = np.maximum(rows.y + rows.u, 0.0)
        return mu / mu.sum(axis=1, keepdims=True)

    scores.change(lambda rows: rows._replace(u=means(rows) - rows.y))
    if not problem.intercept:
        return
    have, want = scores.sums(lambda rows: np.array([rows.s @ (rows.y + rows.u), rows.s @ rows.y]))
    give = np.clip(1.0 - np.divide(want, have, out=np.ones_like(want), where=have > 0.0), 0.0, 1.0)
    lack = np.maximum(want - have, 0.0)

    def move(rows: ScoredRows) -> ScoredRows:
        given = (rows.y + rows.u) * give
        return rows._replace(u=rows.u + np.outer(given.sum(axis=1), lack / lack.sum()) - given)

    if lack.sum() > 0.0:
        scores.change(move)


def _settled(problem: Any, scores: Scores, v: np.ndarray, reach: float) -> tuple[np.ndarray, float]:
    """v with its rounding errors set to 0 where the penalty allows nothing else, and what that may cost.

    Without a penalty the conjugate is finite only at v = 0 exactly (v <= 0 for non-negative coefficients), which no
    computed v attains. A v that rounding explains counts as 0, at the price of ``|v_j|`` times twice ``|beta_j|``.
    """
    low, high = dual_domains(problem.penalty, problem.design.p)
    if np.all((low < 0.0) & (high > 0.0)):
        return v, 0.0
    target, beta = problem.target, scores.beta
    size = np.sqrt(problem.design.column_squares(target) / target.total)
    squares = scores.sums(lambda rows: np.asarray(rows.s @ (rows.u * rows.u)))
    limit = EPS * np.multiply.outer(size, 32.0 * np.sqrt(squares / target.total) + 4.0 * reach)
    outside = v - np.clip(v.T, low, high).T
    excess = np.where(((low < 0.0) & (high > 0.0)).reshape((-1,) + (1,) * (v.ndim - 1)), 0.0, outside)
    small = np.abs(excess) <= limit
    return np.where(small, v - excess, v), 2.0 * float(np.abs(excess[small]) @ np.abs(beta[small]))
