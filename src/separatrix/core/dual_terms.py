"""Sums over rows that the duality gap of a loss at its own slopes is made of, with their products with X."""

from separatrix.core.jit import compiled, part
from separatrix.core.long_sums import PIECE, add_sums
from separatrix.core.types import Array, Loss, RowsAtom
from separatrix.core.verbs import row_entry, row_score, row_span, slope, target_size, value


@part
def dual_terms(loss: Loss, y: float, eta: float, s: float, out: Array) -> float:
    """s times the slope of a row, and out += what a duality gap at the slopes is made of.

    In turn: s value; s conjugate (= s (slope eta - value), by Fenchel's equality at the slope) where the slope is
    positive, and where it is negative; s |slope| likewise; s |slope| (target_size(y) + |eta|); s slope².
    """
    if s <= 0.0:
        return 0.0
    here, g = value(loss, y, eta), slope(loss, y, eta)
    at_slope, size = s * (g * eta - here), s * abs(g)
    out[0] += s * here
    out[1] += at_slope if g > 0.0 else 0.0  # a selection, where a branch would be guessed wrong for half of the rows
    out[2] += at_slope if g <= 0.0 else 0.0
    out[3] += size if g > 0.0 else 0.0
    out[4] += size if g <= 0.0 else 0.0
    out[5] += size * (target_size(loss, y) + abs(eta))
    out[6] += s * g * g
    return s * g


@compiled
def fill_dual_terms(loss: Loss, y: Array, eta: Array, s: Array, u: Array, out: Array, work: Array) -> None:
    """u_i = s_i slope_i, and out = the :func:`dual_terms` of all rows; `work` (2, 7) takes those of a piece of them."""
    out[:] = 0.0
    work[:] = 0.0
    for first in range(0, y.shape[0], PIECE):
        for i in range(first, min(first + PIECE, y.shape[0])):
            u[i] = dual_terms(loss, y[i], eta[i], s[i], work[0])
        add_sums(out, work[1], work[0])
    for k in range(out.shape[0]):
        out[k] += work[1, k]


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
    squares: Array,
    out: Array,
    work: Array,
) -> None:
    """The same in one walk over the rows of X, first <= i < last: v_up and v_down get the rows times their u_i.

    `squares` gets the squares of the columns, ``Σ_i s_i x_ij²``. `s` may have no length.
    """
    out[:] = 0.0
    work[:] = 0.0
    for start in range(first, last, PIECE):
        for i in range(start, min(start + PIECE, last)):
            weight = s[i] if s.shape[0] > 0 else 1.0
            u = dual_terms(loss, y[i], row_score(rows, i, beta) + intercept, weight, work[0])
            v = v_up if u > 0.0 else v_down
            begin, end = row_span(rows, i)
            for k in range(begin, end):
                j, x = row_entry(rows, i, k)
                v[j] += u * x
                squares[j] += weight * x * x
        add_sums(out, work[1], work[0])
    for k in range(out.shape[0]):
        out[k] += work[1, k]
