"""Sums over rows in one read of X: each row is met once, for its score and for its share of the sum."""

from separatrix.core.jit import compiled
from separatrix.core.verbs import curvature, row_add, row_entry, row_score, row_span, slope


@compiled
def add_gradient(rows, loss, y, s, first, last, beta, intercept, g):
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
def add_curvatures(rows, loss, y, s, first, last, beta, intercept, h):
    """``h_j += Σ_i s_i curvature(loss, y_i, x_i'beta + intercept) x_ij²``, the diagonal of the Hessian."""
    for i in range(first, last):
        bend = curvature(loss, y[i], row_score(rows, i, beta) + intercept)
        if s.shape[0] > 0:
            bend *= s[i]
        start, stop = row_span(rows, i)
        for k in range(start, stop):
            j, x = row_entry(rows, i, k)
            h[j] += bend * x * x
