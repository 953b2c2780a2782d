"""What every design can do, whatever holds its numbers, and the one place where needs and offers are compared.

A design always gives sums over blocks of rows (:meth:`Design.reduce`). What more it can do it ``offers``:

``"rows"``     rows at any place, in any order: walks over examples, samples, parts of the rows for cross-validation
``"columns"``  whole columns
``"vectors"``  products with vectors that have a number for each row, ``X beta`` and ``X'r``: n numbers fit in memory
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from separatrix.core.blocks import BLOCK_NUMBERS as BLOCK_NUMBERS
from separatrix.core.cached import cached_property
from separatrix.core.jit import loops_pay
from separatrix.core.refusal import TooLarge, cannot
from separatrix.core.target import AnyTarget
from separatrix.core.types import Array
from separatrix.designs.compiled.products import dense_row_sums

Result = TypeVar("Result")

# Blocks are handed to threads in this many groups, whatever the number of threads, so that it does not show in sums.
GROUPS = 16
# A p-by-p triangle of a sparse design is dense; up to this many columns it is still small and fast.
SMALL_TRIANGLE = 2000
SMALLEST_PART = 1 << 16  # numbers; less is not worth a thread

_MEANING = {"rows": "rows in any order", "columns": "whole columns", "vectors": "a number for each row in memory"}


class Block(NamedTuple):
    """Some rows of X, float64, dense or sparse (they know ``@`` and ``.T``), with their y and s (None: all 1)."""

    X: Any
    y: Any = None
    s: Array | None = None

    @property
    def weights(self) -> Array:
        """s as an array."""
        return np.ones(self.X.shape[0]) if self.s is None else self.s

    def column_squares(self) -> Array:
        """``Σ_i s_i x_ij²`` for every column."""
        return squares_of(self.X, self.s)

    def sums_and_squares(self, r: Array) -> Array:
        """Of the columns (3, p): ``Σ_i r_i x_ij`` for both rows of r (2, n), and ``Σ_i s_i x_ij²``."""
        return row_sums(self.X, r, self.s)


def thin_product(B: Any, right: Array) -> Array:
    """``B' right`` for a block and a matrix of few columns, one column at a time.

    BLAS's matrix-vector product reads the block twice as fast as its matrix product with two columns does.
    """
    if not 0 < right.shape[1] <= 4:
        return np.asarray(B.T @ right)
    return np.stack([np.ascontiguousarray(right[:, c]) @ B for c in range(right.shape[1])], axis=1)


def row_sums(B: Any, r: Array, s: Array | None) -> Array:
    """``r B`` for r (2, n), and the diagonal of ``B'S B``: (3, p)."""
    sums = np.empty((3, B.shape[1]))
    if isinstance(B, np.ndarray) and B.flags.c_contiguous and loops_pay(B.size):
        dense_row_sums(B, r, np.ones(len(B)) if s is None else s, sums)
    else:
        sums[:2], sums[2] = thin_product(B, r.T).T, squares_of(B, s)
    return sums


def squares_of(B: Any, s: Array | None) -> Array:
    """The diagonal of ``B'S B``."""
    if s is None and isinstance(B, np.ndarray):
        return np.einsum("ij,ij->j", B, B)
    return np.asarray((B * B).T @ (np.ones(B.shape[0]) if s is None else s))


class Design(ABC):
    """An n-by-p matrix X that is asked for sums and products, never for its storage.

    Attributes
    ----------
    n, p : int.  Rows and columns.
    dtype : the type of its numbers, float64 or float32.
    offers : frozenset of str.  What it can do beyond sums over blocks: ``"rows"``, ``"columns"``, ``"vectors"``.
    """

    n: int
    p: int
    offers: frozenset[str] = frozenset()
    gram_is_cheap = True  # whether X'X is made by BLAS from dense blocks, and is no denser than X
    whole_is_faster = False  # whether X'X is better made of X as a whole, by BLAS alone
    sample_is_typical = True  # whether the rows of `sample` come from all over X, or from its beginning only
    is_streamed = False  # whether rows are read front to back, one block at a time, and nothing else is offered
    stored_by_rows = False  # whether walking over rows reads memory in order

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """What was computed of X last, by name, each with what it was computed for."""
        return {}

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers of X: results are published in it."""

    @property
    def stored(self) -> int:
        """How many numbers are stored."""
        return self.n * self.p

    @abstractmethod
    def reduce(
        self,
        task: Callable[..., Result],
        merge: Callable[[Result, Result], Result],
        target: AnyTarget | None = None,
        *aligned: Array | None,
        gram: int = 0,
    ) -> Result:
        """Merge ``task(Block(X, y, s), *pieces)`` over all blocks of rows, in a fixed order and grouping.

        A sum over rows, whatever the storage: it needs neither their number nor a second look at any of them. The
        answer does not depend on the number of threads. `aligned` are arrays in memory with one row for each row of X
        (or None), of which a task gets the piece that belongs to its block. `gram` is how many p-by-p sums
        a task makes: blocks are then taller.
        """

    @abstractmethod
    def sample(self, target: AnyTarget | None = None, count: int = 256) -> Block:
        """Some rows, about `count`, for provisional means and scales: never a random sample."""

    def column_squares(self, target: AnyTarget | None = None) -> Array:
        """``Σ_i s_i x_ij²`` for every column."""
        return self.reduce(Block.column_squares, operator.add, target)

    def scores(self, beta: Array, intercept: Any) -> Array | None:
        """``X beta + intercept`` of all rows, or None where numbers for all rows are not held."""
        return None

    def all_scores(self, beta: Array, intercept: Any) -> Array:
        """The same of any design, where n numbers fit in memory."""
        held = self.scores(beta, intercept)
        if held is not None:
            return held
        return self.reduce(lambda block: np.asarray(block.X @ beta) + intercept, lambda a, b: np.concatenate([a, b]))

    @property
    def forms_gram(self) -> bool:
        """Whether the p-by-p matrix X'X is worth its price: tall, and small or dense."""
        return self.p <= self.n and (self.p <= SMALL_TRIANGLE or self.gram_is_cheap)

    def moments(self, target: AnyTarget, *, about_mean: bool = True, gram: bool = True) -> Any:
        """:func:`separatrix.designs.moments.moments`, kept for the next who asks the same."""
        from separatrix.designs.moments import moments

        key = (about_mean, gram)
        return self._kept(target, "moments", key, lambda: moments(self, target, about_mean=about_mean, gram=gram))

    @cached_property
    def provisional_means(self) -> Array | None:
        """:func:`separatrix.designs.moments.provisional_means`, made once."""
        from separatrix.designs.moments import provisional_means

        return provisional_means(self)

    def factor(self, target: AnyTarget, lam: Array, intercept: bool) -> Any:
        """:func:`separatrix.designs.factor.factor_of`, kept for the next who asks the same."""
        from separatrix.designs.factor import factor_of

        key = (lam.tobytes(), intercept)
        return self._kept(target, "factor", key, lambda: factor_of(self, target, lam, intercept))

    def residual_sums(self, target: AnyTarget, beta: Any, intercept: Any, *, doubled: bool, unit: float = 1.0) -> Any:
        """:func:`separatrix.designs.residual_sums.residual_sums`, where possible from the last ones, without a read."""
        from separatrix.designs.residual_sums import moved_sums, residual_sums

        if doubled:
            return residual_sums(self, target, beta, intercept, doubled=True, unit=unit)
        facts = self._facts
        last, known = facts.get("residual_sums"), facts.get("moments")
        if last is not None and known is not None and last[0] is target and known[0] is target:
            _, old_beta, old_intercept, old_unit, old_sums = last
            sums = moved_sums(known[2], old_beta, old_intercept, old_unit, old_sums, beta, intercept, unit)
            if sums is not None:
                return sums
        sums = residual_sums(self, target, beta, intercept, doubled=False, unit=unit)
        facts["residual_sums"] = target, beta, intercept, unit, sums
        return sums

    def doubled_scores(self, beta: Array, intercept: Any) -> Array:
        """:func:`separatrix.designs.residual_sums.doubled_scores`."""
        from separatrix.designs.residual_sums import doubled_scores

        return doubled_scores(self, beta, intercept)

    def row_lengths(self, factor: Any) -> Array:
        """:func:`separatrix.designs.factor.row_lengths`."""
        from separatrix.designs.factor import row_lengths

        return row_lengths(self, factor)

    def dual_sums(self, target: AnyTarget, beta: Array, intercept: Array, theta: Array, *, unit: float) -> Any:
        """:func:`separatrix.designs.residual_sums.dual_sums`."""
        from separatrix.designs.residual_sums import dual_sums

        return dual_sums(self, target, beta, intercept, theta, unit)

    def remainders(
        self, target: AnyTarget, factor: Any, beta: Any, intercept: Any, *, doubled: bool, unit: float
    ) -> Any:
        """:func:`separatrix.designs.remainders.remainders`."""
        from separatrix.designs.remainders import remainders

        return remainders(self, target, factor, beta, intercept, doubled=doubled, unit=unit)

    def _kept(self, target: AnyTarget, name: str, key: Any, make: Callable[[], Result]) -> Result:
        """What was made last under this name, if it was for the same target and key."""
        known = self._facts.get(name)
        if known is None or known[0] is not target or known[1] != key:
            known = self._facts[name] = target, key, make()
        return known[2]

    def needs(self, needed: str, to: str, instead: str = "data in memory (numpy or scipy.sparse)") -> None:
        """Raise unless this design offers all that is needed to do something: one word, or several with commas."""
        lacking = [_MEANING[need] for need in needed.split(", ") if need not in self.offers]
        if lacking:
            raise cannot(
                to,
                because=f"it needs {' and '.join(lacking)}, which {type(self).__name__} does not offer",
                instead=instead,
                kind=TypeError,
            )

    def _lacks(self, need: str, verb: str) -> NoReturn:
        self.needs(need, to=verb)
        raise NotImplementedError(f"{type(self).__name__}.{verb}")  # offered, and not written: a mistake of ours

    def block(self, rows: Any) -> Any:
        """The rows of a slice, as a float64 matrix that knows ``@`` and ``.T`` (a view wherever possible)."""
        self._lacks("rows", "take a block")

    def take(self, rows: Any) -> "Design":
        """A design of some of the rows, for cross-validation."""
        self._lacks("rows", "take rows")

    def matrix(self) -> Any:
        """X as it was given, numpy or scipy.sparse, for other estimators."""
        self._lacks("rows", "hand out X as a whole")

    def columns(self, J: Any) -> Array:
        """The columns J as a dense float64 matrix in Fortran order: always a copy."""
        self._lacks("columns", "take columns")

    def matvec(self, beta: Array) -> Array:
        """``X beta``, for beta of shape (p,) or (p, k)."""
        self._lacks("vectors", "multiply X by coefficients")

    def rmatvec(self, r: Array) -> Array:
        """``X' r``, for r of shape (n,) or (n, k)."""
        self._lacks("vectors", "multiply X' by residuals")

    def outer_gram(self) -> Array:
        """``X X'`` (n, n), for designs with few rows."""
        self._lacks("rows", "multiply rows by each other")

    def scaled(self, factors: Array) -> "Design":
        """A design whose columns are these times the factors: always a copy."""
        self._lacks("columns", "scale columns")

    def refuse_if_not_finite(self, *sums: Any) -> None:
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
            kind=TooLarge,
        )

    @abstractmethod
    def refuse_nan(self) -> None:
        """Raise if X holds a NaN or an infinity: a read of X."""
