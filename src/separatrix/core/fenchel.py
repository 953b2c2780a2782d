"""An upper bound on ``P(beta) - min P`` by Fenchel's inequality, for any convex loss and penalty.

With one slope u_i per row,

    P(beta) - min P  <=  P(beta) + (1/Σs) Σ s_i conjugate(loss, y_i, u_i) + Σ_j conjugate_cost(penalty, -x_j'(s∘u)/Σs)

for every u (with Σ s_i u_i = 0 if there is an intercept). We take the slopes at beta, centred, and scaled into the
penalty's domain. Where nothing is penalised that domain is {0}: the price of a u that has v = 0 is part of the bound.
"""

from functools import reduce as fold
from typing import Any

import numpy as np

from separatrix.core.dual_bound import dual_bound
from separatrix.core.dual_terms import add_dual_terms, fill_dual_terms
from separatrix.core.gap_rounding import (
    EPS,
    Products,
    RowSums,
    product_error,
    products,
    sum_error,
    unit,
    value_error,
)
from separatrix.core.jit import compiled
from separatrix.core.objective import (
    never_negative,
    slopes_at,
    sum_of_conjugate_sizes,
    sum_of_costs,
    total_conjugate,
)
from separatrix.core.scores import ScoredRows, Scores
from separatrix.core.separable import Separable
from separatrix.core.threads import parallel_map
from separatrix.core.verbs import is_joint, is_likelihood, is_of_residual, largest_curvature, move_into_domain


def duality_gap(problem: Any, beta: Any, intercept: Any, u: Any = None) -> float:
    """An upper bound on ``P(beta) - min P``, rounding included.

    `u` is a dual point, one slope for each row, if a better one is known than the slopes at beta: an array, or the
    coefficients and the intercept whose slopes it is. Any u gives a true bound; a good one gives a tight one.
    """
    design, target, loss, parts = problem.design, problem.target, problem.loss, problem.parts
    beta = np.asarray(beta, dtype=np.float64)
    smooth = parts.ridge.min(initial=np.inf) > 0.0 and not parts.kink.any() and largest_curvature(loss) < np.inf
    if u is None and smooth and is_likelihood(loss) and not is_joint(loss) and never_negative(problem):
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
    move_into_domain(loss, scores, problem.intercept)

    sums, summed, squares = scores.sums_and_products(lambda rows: RowSums.of(loss, rows.y, rows.eta, rows.u, rows.s))
    means = RowSums.means(sums, target.total)
    imbalance = means.imbalance() if problem.intercept else np.zeros(len(means.fit))
    v, error = -summed / target.total, product_error(means.squares, imbalance, target.n)
    J = _columns_that_count(parts, v, squares, error / np.sqrt(target.total), beta)
    parts, beta, sizes = parts.take(J), beta[J], np.sqrt(squares[J] / target.total)
    v, share, price = _settled(problem, scores, products(v[J], sizes, error), sizes, float(means.squares.max()))
    primal = float(means.fit.sum()) + sum_of_costs(parts, beta)

    def conjugates_at(scales: list[float]) -> np.ndarray:
        def each(rows: ScoredRows) -> np.ndarray:
            return np.array([total_conjugate(loss, rows.y, a * rows.u, rows.s) for a in scales])

        return scores.sums(each) / target.total

    dual = -float(conjugates_at([0.0])[0]) if share > 0.0 else -np.inf
    if np.isfinite(share):
        bound = dual_bound(parts, v.v, beta, conjugates_at, v.error)
        dual = max(dual, (bound - share * price) / (1.0 + share))
    moved = value_error(loss, sizes, beta, intercept, means.slopes, float(means.bend.max()))
    return _with_rounding(primal, dual, means.terms.sum(), sum_error(target.n) + imbalance.max(), moved)


def _columns_that_count(
    parts: Separable, v: np.ndarray, squares: np.ndarray, error: np.ndarray, beta: np.ndarray
) -> np.ndarray:
    """The columns with a coefficient, or whose v may, with its error, cost something in the penalty's conjugate.

    The others add nothing to a gap. Where some coefficients have no penalty, all columns count. `error` is that of a
    column whose squares sum to 1.
    """
    if not parts.penalises_all:
        return np.arange(len(v))
    counts = np.zeros(len(v), dtype=np.bool_)
    k = (len(v), -1)
    mark_columns(parts.kink, v.reshape(k), squares, error, np.ascontiguousarray(beta).reshape(k), counts)
    return np.flatnonzero(counts)


@compiled
def mark_columns(
    kink: np.ndarray, v: np.ndarray, squares: np.ndarray, error: np.ndarray, beta: np.ndarray, out: np.ndarray
) -> None:
    """out_j: whether beta_jc is not 0 or ``|v_jc| + error_c sqrt(squares_j)`` is not within the kink, for some c."""
    for j in range(v.shape[0]):
        size = np.sqrt(squares[j])
        for c in range(v.shape[1]):
            if beta[j, c] != 0.0 or not abs(v[j, c]) + error[c] * size <= kink[j]:
                out[j] = True


def _with_rounding(primal: float, dual: float, terms: float, share: float, moved: float) -> float:
    """The gap, and what rounding may hide of it: a `share` of the sums, and what the scores' errors `moved`."""
    return float(max(primal - dual, 0.0) + share * (primal + abs(dual) + terms) + moved)


def _gap_at_slopes(problem: Any, parts: Separable, beta: np.ndarray, intercept: float) -> float:
    """The gap of a likelihood at its own slopes, in one read of X.

    With an intercept the slopes of one sign are multiplied by a <= 1 so that all sum to zero, and all by a scale that
    the penalty may ask for. Where no loss is negative its conjugate is not positive at 0, and by convexity
    ``conjugate(a u) <= a conjugate(u)``: the conjugates need not be computed again.
    """
    target, total = problem.target, problem.target.total
    # measured: BLAS on dense blocks takes a sixth less than a loop over rows, cutting blocks out of sparse rows triple
    sums_of = _terms_by_blocks if problem.design.gram_is_cheap else _terms_by_rows
    terms, v_up, v_down, squares = sums_of(problem, beta, intercept)
    fit, conjugate_up, conjugate_down, up, down, terms_size, square = terms / total
    shares = (min(1.0, down / up) if up > 0.0 else 0.0, min(1.0, up / down) if down > 0.0 else 0.0)
    shares = shares if problem.intercept else (1.0, 1.0)
    conjugates = shares[0] * conjugate_up + shares[1] * conjugate_down
    v = -(shares[0] * v_up + shares[1] * v_down) / total
    # the sums of both sides are rounded, and with them the share that makes them equal
    imbalance = np.array([4.0 * sum_error(target.n) if problem.intercept else 0.0])
    sizes = np.sqrt(squares / total)
    primal = fit + sum_of_costs(parts, beta)
    error = products(v, sizes, product_error(np.array([square]), imbalance, target.n)).error
    dual = dual_bound(parts, v, beta, lambda scales: [a * conjugates for a in scales], error)
    moved = value_error(problem.loss, sizes, beta, intercept, np.array([square]), 0.0)
    return _with_rounding(primal, dual, terms_size, sum_error(target.n) + imbalance[0], moved)


def _terms_by_rows(problem: Any, beta: np.ndarray, intercept: float) -> list[np.ndarray]:
    """The :func:`dual_terms` of all rows, the sums of rows times slopes, positive and negative ones, and of squares."""
    design, target = problem.design, problem.target
    s = np.empty(0) if target.s is None else target.s
    order, rows = design.walking_rows
    beta = np.ascontiguousarray(beta[order])

    def task(part: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        terms, work, by_column = np.zeros(7), np.empty((2, 7)), np.zeros((3, design.p))
        up, down, squares = by_column
        add_dual_terms(rows, problem.loss, target.y, s, *part, beta, intercept, up, down, squares, terms, work)
        return terms, by_column

    terms, in_order = (fold(np.add, parts) for parts in zip(*parallel_map(task, design.parts(sums=3))))
    by_column = np.empty_like(in_order)
    by_column[:, order] = in_order
    return [terms, *by_column]


def _terms_by_blocks(problem: Any, beta: np.ndarray, intercept: float) -> list[np.ndarray]:
    def task(block: Any) -> list[np.ndarray]:
        u, terms = np.empty(len(block.y)), np.zeros(7)
        eta = np.asarray(block.X @ beta) + intercept
        fill_dual_terms(problem.loss, block.y, eta, block.weights, u, terms, np.empty((2, 7)))
        return [terms, block.sums_and_squares(np.array([np.maximum(u, 0.0), np.minimum(u, 0.0)]))]

    def merge(a: list[np.ndarray], b: list[np.ndarray]) -> list[np.ndarray]:
        return [one + other for one, other in zip(a, b)]

    terms, by_column = problem.design.reduce(task, merge, problem.target)
    return [terms, *by_column]


def _settled(
    problem: Any, scores: Scores, given: Products, sizes: np.ndarray, square: float
) -> tuple[Products, float, float]:
    """Products within the domain of the penalty's conjugate, and t and K, which say what that costs; see below.

    Without a penalty the conjugate is finite only at v = 0 exactly (v <= 0 for a coefficient with a lower bound), which
    no computed v attains. A change of u by ``c = X_U w`` does, with ``X_U'S X_U w = d Σs`` for the distance d of v_U
    from its domain. By Cauchy and Schwarz, and since no leverage exceeds 1, ``s_i c_i² <= (Σs)² d'(X_U'S X_U)^-1 d``.
    Let t be the largest |c_i| as a share of the room that 0 has in the domain of the loss's conjugate, of which at most
    the root of `square`, the mean square of u, is used, and K the sizes of the conjugates at the ends of the room. Then
    ``(u + c) / (1 + t)`` lies in that domain. Conjugates are convex, that of the penalty is 0 at 0: from the dual value
    D at u and the new products comes the value ``(D - t K) / (1 + t)`` at least. t is infinite where nobody knows it.
    """
    if problem.parts.penalises_all:
        return given, 0.0, 0.0
    if given.v.ndim > 1:
        return given, np.inf, 0.0
    target, loss, held = problem.target, problem.loss, problem.parts.held
    low, high = problem.parts.dual_domain

    def least(rows: ScoredRows) -> np.ndarray:
        y, s = rows.y[rows.s > 0.0], rows.s[rows.s > 0.0]
        ends = [np.abs(slopes_at(loss, y, np.full(len(y), end))) for end in (-np.inf, np.inf)]
        return np.array([np.minimum(*ends).min(initial=np.inf), s.min(initial=np.inf)])

    room, lightest = np.minimum(scores.sums(least, np.minimum), [np.sqrt(square) or 1.0, np.inf])
    inside = np.clip(given.v, low, high)
    length = (
        _length(problem, np.where(held, given.v - inside, 0.0), np.where(held, given.error, 0.0), sizes, held)
        if room > 0.0
        else np.inf
    )
    if not np.isfinite(length):
        return given, np.inf, 0.0

    def at_ends(rows: ScoredRows) -> float:
        return sum(sum_of_conjugate_sizes(loss, rows.y, np.full(len(rows.s), end), rows.s) for end in (-room, room))

    share = float(target.total * length / np.sqrt(lightest) / room)
    moved = np.sqrt(target.total) * length * sizes
    settled = Products(np.where(held, inside, given.v), np.where(held, 0.0, given.error + moved))
    return settled, share, float(scores.sums(at_ends) / target.total)


def _length(problem: Any, v: np.ndarray, error: np.ndarray, sizes: np.ndarray, held: np.ndarray) -> float:
    """A bound on ``sqrt(v'(X'S X)^-1 v)`` over the columns `held`, for any v within its error.

    The other columns get a ridge of many times their squares, which leaves it a bound. It is infinite where columns are
    nearly dependent, and not exactly so.
    """
    design, target = problem.design, problem.target
    squares = target.total * sizes**2
    factor = design.factor(target, np.where(held, 0.0, 1e4 * squares), problem.intercept)
    if len(factor.aliased) + len(factor.constant):
        zero = np.zeros((design.p, 1)), np.zeros(1)
        left_out = design.remainders(target, factor, *zero, doubled=False, unit=1.0)
        if left_out is None or left_out.squares.any():
            return np.inf
    condition, kept = factor.condition(), factor.kept
    far = np.linalg.norm((factor.scale * factor.mean)[kept]) * np.sqrt(target.total)
    moved = condition * (unit(len(kept)) + EPS * far)
    if moved > 0.1:
        return np.inf
    length = np.linalg.norm(factor.half_solve((factor.scale * v)[:, None]))
    return float((length + condition * np.linalg.norm((factor.scale * error)[kept])) / (1.0 - moved))
