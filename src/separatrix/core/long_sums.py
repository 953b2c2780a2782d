"""Sums over many rows in compiled loops: in pieces, which are added with what each addition loses."""

from separatrix.core.jit import part
from separatrix.core.types import Array

# Long sums are taken in pieces of this many rows, and those are added with what each addition loses: equal rows, whose
# rounding errors have one sign, then cost no more digits than others do.
PIECE = 256


@part
def two_sums(total: float, low: float, piece: float) -> tuple[float, float]:
    """``total + piece``, rounded, and `low` plus what the rounding has lost (Knuth's two-sum)."""
    new = total + piece
    if new - new != 0.0:  # infinity, or NaN
        return new, 0.0
    other = new - total
    return new, low + ((total - (new - other)) + (piece - other))


@part
def add_sums(out: Array, low: Array, piece: Array) -> None:
    """Add the sums of a piece to `out`, and what is lost to `low`; the piece becomes 0."""
    for k in range(out.shape[0]):
        out[k], low[k] = two_sums(out[k], low[k], piece[k])
        piece[k] = 0.0
