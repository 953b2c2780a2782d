"""Products with rows of zeros and ones, as sums over their ones.

With k numbers for each column and a share d of ones, n rows of p columns take d n p k additions where a dense product
takes n p k multiplications; these are done faster, and break even at about d = 1/2.
"""

from separatrix.core.jit import compiled
from separatrix.core.types import Array


@compiled
def list_ones(V: Array, starts: Array, places: Array) -> bool:
    """The columns of the ones of each row, in `places` from ``starts[i]`` on; whether there is room for all.

    False also where a number is neither 0 nor 1.
    """
    count, p = 0, V.shape[1]
    for i in range(V.shape[0]):
        starts[i] = count
        others = V.dtype.type(0)
        for j in range(p):
            others += abs(V[i, j] * (V[i, j] - 1))
        if others != 0 or count + p > places.shape[0]:
            return False
        for j in range(p):  # without a branch, which nobody could foretell
            places[count] = j
            count += V[i, j] == 1
    starts[V.shape[0]] = count
    return True


@compiled
def turn_lists(starts: Array, places: Array, turned_starts: Array, turned: Array) -> None:
    """From the columns of each row to the rows of each column."""
    turned_starts[:] = 0
    for q in range(starts[starts.shape[0] - 1]):
        turned_starts[places[q] + 1] += 1
    for j in range(1, turned_starts.shape[0]):
        turned_starts[j] += turned_starts[j - 1]
    for i in range(starts.shape[0] - 1):
        for q in range(starts[i], starts[i + 1]):
            j = places[q]
            turned[turned_starts[j]] = i
            turned_starts[j] += 1
    for j in range(turned_starts.shape[0] - 1, 0, -1):
        turned_starts[j] = turned_starts[j - 1]
    turned_starts[0] = 0


@compiled
def add_listed(starts: Array, places: Array, A: Array, share: float, out: Array) -> None:
    """Add `share` of the sum of the listed rows of A to each row of `out`; both (., k), in the order of C."""
    k = A.shape[1]
    share = A.dtype.type(share)
    for r in range(out.shape[0]):
        q, stop = starts[r], starts[r + 1]
        while q + 8 <= stop:  # eight rows at a time: the row of `out` is read and written once for them
            a, b, c, d = places[q], places[q + 1], places[q + 2], places[q + 3]
            e, f, g, h = places[q + 4], places[q + 5], places[q + 6], places[q + 7]
            for t in range(k):
                left = (A[a, t] + A[b, t]) + (A[c, t] + A[d, t])
                right = (A[e, t] + A[f, t]) + (A[g, t] + A[h, t])
                out[r, t] += share * (left + right)
            q += 8
        while q < stop:
            a = places[q]
            for t in range(k):
                out[r, t] += share * A[a, t]
            q += 1
