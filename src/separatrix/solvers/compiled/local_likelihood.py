r"""Kernel-weighted likelihoods, maximised at one query after the other.

Solves   max over beta of  Σ_i s_i K(x0, x_i) log-likelihood(y_i, beta_0 + beta'(x_i - x0)) - penalty,  at each x0.
Given    rows X (p, n), y, weights s, the kernel's values (queries, n), queries (queries, p), a strength for each.
Returns  scores and slopes at each x0, on request the covariance of the scores, and facts.
From     Loader (1999), Local Regression and Likelihood, sections 2.3 (variance), 4.1 and 12.2 (Newton's method).

Where the likelihood has no maximum (a pure window, or one that a plane separates) Newton's steps do not shrink: the
scores grow by about one a step. After `PATIENCE` of them a faint penalty is added, also to the intercept. Where columns
are dependent in the window, the same penalty on the other columns takes the shortest of all answers.
Every query starts from its own null model, so the answer at one does not depend on which others are asked.
"""

from math import inf

import numpy as np

from separatrix.core.jit import compiled, part
from separatrix.core.types import Array, Loss
from separatrix.solvers.compiled.local_basis import PIECE, fill_basis, gather
from separatrix.solvers.compiled.local_newton import (
    DEPENDENT,
    SETTLED,
    Work,
    add_products,
    descend,
    factor,
    glance_at,
    null_scores,
    solve,
)

FAINT = 1e-10  # of the total weight, on columns of deviation 1
PATIENCE, LIMIT = 30, 200
TINY, HUGE = 1e-300, 1e100
BEYOND = 1e-3  # the part of the basis at x0, relative to 1, that the rows of the window do not span

# What is known of a query: the numbers of a row of `facts`, and the states, which add up.
GRADIENT, STATE, ROWS, LEVERAGE = range(4)
UNDETERMINED, SEPARATED, BEYOND_THE_ROWS, EMPTY = 1.0, 2.0, 4.0, 8.0


@part
def _fit(
    loss: Loss,
    U: Array,
    y: Array,
    w: Array,
    pieces: int,
    total: float,
    theta: Array,
    mix: Array,
    D: Array,
    work: Work,
    g: Array,
    H: Array,
    L: Array,
    step: Array,
    old: Array,
) -> tuple[float, float]:
    """Fit one window in place; returns its state and the size of the slopes."""
    exists = null_scores(loss, y, w, pieces, theta)
    state, patience, judge = 0.0, PATIENCE if exists else 0, True
    while True:
        end, size = descend(loss, U, y, w, pieces, total, theta, mix, D, work, g, H, L, step, old, judge, patience)
        judge = False
        if end == DEPENDENT:
            state = UNDETERMINED
            D[1:] += FAINT * total
        elif end == SETTLED or state >= SEPARATED:
            return state, size
        else:
            if state == 0.0:
                D[1:] += FAINT * total
            D[0] += FAINT * total
            state, patience = state + SEPARATED, LIMIT
            theta[:] = 0.0


@part
def _is_beyond(total: float, x: Array) -> bool:
    """Whether the faint penalty holds a part of the basis at x0; x = (H + D)^-1 point, and D x is that part."""
    largest = 0.0
    for a in range(1, x.shape[0]):
        largest = max(largest, abs(x[a]))
    return largest * FAINT * total > BEYOND


@part
def _squared_weights(
    loss: Loss, U: Array, y: Array, w: Array, share: Array, pieces: int, theta: Array, work: Work, J: Array
) -> None:
    """J = Σ_i s_i K_i² v_i ⊗ u_i u_i' at theta."""
    v, row = work[2], work[3]
    J[:] = 0.0
    for b in range(pieces):
        glance_at(loss, U[b], y[b], w[b], theta, work)
        for pair in range(v.shape[0]):
            for i in range(PIECE):
                v[pair, i] *= share[b, i]
        add_products(U[b], v, J, row)


@part
def _covariance(J: Array, columns: Array, q: int, out: Array) -> None:
    """``columns' J columns``; the blocks of J above the diagonal are those below."""
    for c in range(out.shape[0]):
        for d in range(out.shape[0]):
            t = 0.0
            for a in range(J.shape[0]):
                for b in range(J.shape[0]):
                    t += columns[c, a] * (J[a, b] if b // q <= a // q else J[b, a]) * columns[d, b]
            out[c, d] = t


@part
def _publish(theta: Array, point: Array, tangent: Array, scores: Array, slopes: Array) -> None:
    """The polynomial and its gradient at x0."""
    for c in range(theta.shape[0]):
        scores[c] = 0.0
        slopes[c, :] = 0.0
        for a in range(point.shape[0]):
            scores[c] += theta[c, a] * point[a]
            for j in range(slopes.shape[1]):
                slopes[c, j] += theta[c, a] * tangent[a, j]


@compiled
def sweep(
    loss: Loss,
    X: Array,
    y: Array,
    s: Array,
    kernel: Array,
    queries: Array,
    q: int,
    unit: float,
    strengths: Array,
    mix: Array,
    floor: float,
    scores: Array,
    slopes: Array,
    facts: Array,
    covariance: Array,
) -> None:
    """Fill scores (m, k-1), slopes (m, k-1, p), facts (m, 4) and, unless it has no length, covariance (m, k-1, k-1).

    `floor` is added to the size of the residuals that the gradient is measured against. A query without rows gets NaN.
    """
    (p, n), k1 = X.shape, mix.shape[0]
    size_all = k1 * q
    most = (n + PIECE - 1) // PIECE
    U, w, share, target = (
        np.empty((most, q, PIECE)),
        np.empty((most, PIECE)),
        np.empty((most, PIECE)),
        np.empty((most, PIECE)),
    )
    work = (np.empty((k1, PIECE)), np.empty((k1, PIECE)), np.empty((k1 * (k1 + 1) // 2, PIECE)), np.empty(PIECE))
    theta, point, tangent, size, D = np.empty((k1, q)), np.empty(q), np.empty((q, p)), np.empty(q), np.empty(q)
    g, H, L, J = (
        np.empty(size_all),
        np.empty((size_all, size_all)),
        np.empty((size_all + 1, size_all)),
        np.empty((0, 0)),
    )
    step, old, columns = np.empty(size_all), np.empty(size_all), np.empty((k1, size_all))
    if covariance.shape[0] > 0:
        J = np.empty((size_all, size_all))
    for row in range(queries.shape[0]):
        m, total = gather(X, y, s, kernel[row], U, w, share, target)
        pieces = (m + PIECE - 1) // PIECE
        facts[row, ROWS] = m
        if m == 0:
            facts[row, STATE] = EMPTY
            continue
        fill_basis(U, w, total, pieces, queries[row], unit, point, tangent, size)
        D[0] = 0.0
        for a in range(1, q):
            D[a] = min(strengths[row] / max(size[a] * size[a], TINY), HUGE) if size[a] > 0.0 else 0.0
        state, spread = _fit(loss, U, target, w, pieces, total, theta, mix, D, work, g, H, L, step, old)
        _publish(theta, point, tangent, scores[row], slopes[row])
        largest = 0.0
        for a in range(size_all):
            largest = max(largest, abs(g[a]))
        facts[row, GRADIENT] = largest / max(total * (spread + floor), TINY)
        factor(H, L, q)
        columns[:] = 0.0
        for c in range(k1):
            columns[c, c * q : (c + 1) * q] = point
            solve(L, columns[c])
        facts[row, LEVERAGE] = 0.0
        for a in range(q):
            facts[row, LEVERAGE] += columns[0, a] * point[a]
        if (state == UNDETERMINED or state == UNDETERMINED + SEPARATED) and _is_beyond(total, columns[0, :q]):
            state += BEYOND_THE_ROWS
        facts[row, STATE] = state
        if covariance.shape[0] > 0:
            _squared_weights(loss, U, target, w, share, pieces, theta, work, J)
            _covariance(J, columns, q, covariance[row])
            if state >= SEPARATED:
                covariance[row] = inf
