"""What every design can do, whatever holds its numbers."""

import operator
from abc import ABC, abstractmethod
from functools import reduce as fold
from itertools import pairwise

import numpy as np
from sklearn.utils import assert_all_finite

from separatrix.core.errors import cannot
from separatrix.core.threads import parallel_map

# Rows are handed out in blocks of about this many numbers: four megabytes, which stay in cache while several sums are
# taken over them (measured: half or twice as many make no difference beyond noise). Where p-by-p sums are made of them,
# blocks are up to eight times as tall, so that merging the sums costs little beside making them.
BLOCK_NUMBERS = 1 << 19
# Blocks are handed to threads in this many groups, whatever the number of threads, so that it does not show in sums.
GROUPS = 16
# A p-by-p triangle of a sparse design is dense; up to this many columns it is still small and fast.
SMALL_TRIANGLE = 2000
SMALLEST_PART = 1 << 16  # numbers; less is not worth a thread


def thin_product(B, right):
    """``B' right`` for a block and a matrix of few columns, one column at a time.

    BLAS's matrix-vector product reads the block twice as fast as its matrix product with two columns does.
    """
    if not 0 < right.shape[1] <= 4:
        return np.asarray(B.T @ right)
    return np.stack([np.ascontiguousarray(right[:, c]) @ B for c in range(right.shape[1])], axis=1)


class Design(ABC):
    """An n-by-p matrix X that is asked for sums and products, never for its storage.

    Attributes
    ----------
    n, p : int.  Rows and columns.
    offers : frozenset of str.  Verbs beyond the common ones: ``"rows"``, ``"columns"``, ``"gram"``.
    """

    n: int
    p: int
    offers: frozenset = frozenset()
    whole_is_faster = False  # whether X'X is better made of X as a whole, by BLAS alone
    stored_by_rows = False  # whether walking over rows reads memory in order

    @property
    def stored(self):
        """How many numbers are stored."""
        return self.n * self.p

    @abstractmethod
    def block(self, rows):
        """The rows of a slice, as a float64 matrix that knows ``@`` and ``.T`` (a view wherever possible)."""

    def rows_into(self, rows, out):
        """The rows of an index array, written into a float64 matrix, which is returned."""
        out[...] = self.block(rows)
        return out

    @abstractmethod
    def matvec(self, beta):
        """``X beta``, for beta of shape (p,) or (p, k)."""

    @abstractmethod
    def rmatvec(self, r):
        """``X' r``, for r of shape (n,) or (n, k)."""

    @abstractmethod
    def columns(self, J):
        """The columns J as a dense float64 matrix in Fortran order: always a copy."""

    def gather(self, J):
        """The columns J in this design's own storage: always a copy."""
        return self.columns(J)

    def corner(self, rows, J):
        """The rows of a slice and the columns J, in whichever order of storage is cheaper."""
        return self.block(rows)[:, J]

    @abstractmethod
    def outer_gram(self):
        """``X X'`` (n, n), for designs with few rows."""

    @abstractmethod
    def take(self, rows):
        """A design of some of the rows, for cross-validation."""

    @abstractmethod
    def scaled(self, factors):
        """A design whose columns are these times the factors: always a copy."""

    def blocks(self, gram=False):
        """Slices of rows, the same whatever the number of threads; `gram` says that p-by-p sums are made of them."""
        numbers = min(max(BLOCK_NUMBERS, 8 * self.p**2), 8 * BLOCK_NUMBERS) if gram else BLOCK_NUMBERS
        height = max(1, min(self.n, numbers // max(self.p, 1)))
        return [slice(i, min(i + height, self.n)) for i in range(0, self.n, height)]

    def parts(self, sums=1):
        """Ranges of rows for loops that walk over them: few, where `sums` of p numbers for each would cost too much."""
        count = int(np.clip(self.stored // max(8 * sums * self.p, SMALLEST_PART), 1, GROUPS))
        return list(pairwise(np.linspace(0, self.n, count + 1).astype(int).tolist()))

    def reduce(self, task, merge, *aligned, gram=False):
        """Merge ``task(block, *pieces)`` over all blocks, in a fixed order.

        `aligned` are arrays with one row per row of X (or None); each task gets the piece that belongs to its block.
        """

        def fold_group(group):
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by name, in the end
                return fold(
                    merge,
                    (task(self.block(rows), *(None if a is None else a[rows] for a in aligned)) for rows in group),
                )

        blocks = self.blocks(gram)
        size = -(-len(blocks) // GROUPS)
        groups = [blocks[i : i + size] for i in range(0, len(blocks), size)]
        with np.errstate(over="ignore", invalid="ignore"):
            return fold(merge, parallel_map(fold_group, groups))

    @property
    def forms_gram(self):
        """Whether the p-by-p matrix X'X is worth its price: tall, and small or dense."""
        return self.p <= self.n and (self.p <= SMALL_TRIANGLE or "gram" in self.offers)

    def moments(self, target, *, about_mean=True, gram=True):
        """:func:`separatrix.designs.moments.moments`, kept for the next who asks the same."""
        from separatrix.designs.moments import moments

        key = (about_mean, gram)
        return self._kept(target, "moments", key, lambda: moments(self, target, about_mean=about_mean, gram=gram))

    def factor(self, target, lam, intercept):
        """:func:`separatrix.designs.factor.factor_of`, kept for the next who asks the same."""
        from separatrix.designs.factor import factor_of

        key = (lam.tobytes(), intercept)
        return self._kept(target, "factor", key, lambda: factor_of(self, target, lam, intercept))

    def residual_sums(self, target, beta, intercept, *, doubled, unit=1.0):
        """:func:`separatrix.designs.residual_sums.residual_sums`."""
        from separatrix.designs.residual_sums import residual_sums

        return residual_sums(self, target, beta, intercept, doubled=doubled, unit=unit)

    def _kept(self, target, name, key, make):
        """What was made last under this name, if it was for the same target and key."""
        kept = self.__dict__.setdefault("_facts", {})
        y, s, known, fact = kept.get(name, (None, None, None, None))
        if y is not target.y or s is not target.s or known != key:
            fact = make()
            kept[name] = target.y, target.s, key, fact
        return fact

    def needs(self, verb, what):
        """Raise unless this design offers `verb`."""
        if verb not in self.offers:
            raise cannot(
                what,
                because=f"it walks {verb}, which {type(self).__name__} does not offer",
                instead="a design in memory (numpy or scipy.sparse)",
                kind=TypeError,
            )

    def refuse_if_not_finite(self, *sums):
        """Raise if sums over all rows show that X holds a NaN or an infinity, or numbers too large to be squared.

        Every NaN and infinity of X shows in such sums, so that no separate read of X is needed to look for them.
        """
        if all(np.isfinite(a).all() for a in sums):
            return
        self.refuse_nan()
        raise cannot(
            "sum squares of X",
            because="they overflow: the largest number in X is beyond 1e150",
            instead="other units for the largest columns",
        )

    def refuse_nan(self):
        """Raise if X holds a NaN or an infinity: a read of X."""
        assert_all_finite(self.X, input_name="X")

    def stored_by_column(self):
        """How many numbers each column stores: what work on it costs."""
        return np.full(self.p, self.n)

    def column_sums(self, s=None):
        """``Σ_i s_i x_ij`` for every column."""
        return self.rmatvec(np.ones(self.n) if s is None else s)

    def column_squares(self, s=None):
        """``Σ_i s_i x_ij²`` for every column."""
        weights = np.ones(self.n) if s is None else s
        return self.reduce(lambda B, w: (B * B).T @ w, operator.add, weights)
