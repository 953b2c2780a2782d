"""Sums over rows in one read of X: each row is met once, for its score and for its share of the sum."""

from separatrix.core.jit import compiled
from separatrix.core.types import Array, Loss, RowsAtom
from separatrix.core.verbs import curvature, row_add, row_entry, row_score, row_span, slope, slopes


@compiled
def add_gradient(
    rows: RowsAtom, loss: Loss, y: Array, s: Array, first: int, last: int, beta: Array, intercept: float, g: Array
) -> None:
    """``g += Σ_i s_i slope(loss, y_i, x_i'beta + intercept) (x_i, 1)`` over rows first <= i < last.

    The last entry of g belongs to the intercept; `s` has no length where all weights are 1.
    """
    p = beta.shape[0]
    g_beta, g_intercept = g[:p], 0.0
    for i in range(first, last):
        u = slope(loss, y[i], row_score(rows, i, beta) + intercept)
        if s.shape[0] > 0:
            u *= s[i]
        row_add(rows, i, u, g_beta)
        g_intercept += u
    g[p] += g_intercept


@compiled
def add_curvatures(
    rows: RowsAtom, loss: Loss, y: Array, s: Array, first: int, last: int, beta: Array, intercept: float, h: Array
) -> None:
    """``h_j += Σ_i s_i curvature(loss, y_i, x_i'beta + intercept) x_ij²``, the diagonal of the Hessian."""
    for i in range(first, last):
        bend = curvature(loss, y[i], row_score(rows, i, beta) + intercept)
        if s.shape[0] > 0:
            bend *= s[i]
        start, stop = row_span(rows, i)
        for k in range(start, stop):
            j, x = row_entry(rows, i, k)
            h[j] += bend * x * x


@compiled
def add_joint_gradient(
    X: Array,
    loss: Loss,
    Y: Array,
    s: Array,
    first: int,
    last: int,
    W: Array,
    intercept: Array,
    G: Array,
    work_eta: Array,
) -> None:
    """``G_c += Σ_i s_i u_ic (x_i, 1)`` over rows first <= i < last, u_i the slopes of a joint loss at eta_i.

    X is dense, by rows. W (m, p), G (m, p + 1) and work_eta (4, m) have an even number m of rows or columns, at most
    one more than there are classes. Four rows and two classes at a time keep eight sums in registers: BLAS, which is
    made for wider matrices, takes half as long again.
    """
    p, k, m = X.shape[1], Y.shape[1], W.shape[0]
    i = first
    while i < last:
        height = min(4, last - i)
        x0, x1 = X[i], X[min(i + 1, last - 1)]
        x2, x3 = X[min(i + 2, last - 1)], X[min(i + 3, last - 1)]
        for c in range(0, m, 2):
            w, v = W[c], W[c + 1]
            w0, w1, w2, w3 = 0.0, 0.0, 0.0, 0.0
            v0, v1, v2, v3 = 0.0, 0.0, 0.0, 0.0
            for j in range(p):
                w0 += x0[j] * w[j]
                w1 += x1[j] * w[j]
                w2 += x2[j] * w[j]
                w3 += x3[j] * w[j]
                v0 += x0[j] * v[j]
                v1 += x1[j] * v[j]
                v2 += x2[j] * v[j]
                v3 += x3[j] * v[j]
            work_eta[0, c], work_eta[1, c], work_eta[2, c], work_eta[3, c] = w0, w1, w2, w3
            work_eta[0, c + 1], work_eta[1, c + 1], work_eta[2, c + 1], work_eta[3, c + 1] = v0, v1, v2, v3
        for r in range(4):
            eta = work_eta[r]
            if r >= height:
                eta[:] = 0.0  # a row beyond the last adds nothing
                continue
            for c in range(k):
                eta[c] += intercept[c]
            slopes(loss, Y[i + r], eta[:k], eta)
            for c in range(m):
                eta[c] *= (s[i + r] if s.shape[0] > 0 else 1.0) if c < k else 0.0
                G[c, p] += eta[c]
        for c in range(0, m, 2):
            g, h = G[c], G[c + 1]
            w0, w1, w2, w3 = work_eta[0, c], work_eta[1, c], work_eta[2, c], work_eta[3, c]
            v0, v1, v2, v3 = work_eta[0, c + 1], work_eta[1, c + 1], work_eta[2, c + 1], work_eta[3, c + 1]
            for j in range(p):
                g[j] += w0 * x0[j] + w1 * x1[j] + w2 * x2[j] + w3 * x3[j]
                h[j] += v0 * x0[j] + v1 * x1[j] + v2 * x2[j] + v3 * x3[j]
        i += 4
