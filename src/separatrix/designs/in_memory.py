"""Designs whose rows all lie in memory: blocks are slices of rows, on threads."""

import operator
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import reduce as fold
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from separatrix.core.target import AnyTarget
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array
from separatrix.designs import base
from separatrix.designs.base import Block, Design, squares_of, thin_product

Result = TypeVar("Result")


class InMemoryDesign(Design):
    """A design that offers everything: sums over blocks on threads, rows in any order, columns, products."""

    offers = frozenset({"rows", "columns", "vectors"})

    X: Any

    def matrix(self) -> Any:
        return self.X

    @abstractmethod
    def block(self, rows: Any) -> Any:
        """The rows of a slice, as a float64 matrix that knows ``@`` and ``.T`` (a view wherever possible)."""

    def rows_into(self, rows: Array, out: Array) -> Array:
        """The rows of an index array, written into a float64 matrix, which is returned."""
        out[...] = self.block(rows)
        return out

    def gather(self, J: Any) -> Any:
        """The columns J in this design's own storage: always a copy."""
        return self.columns(J)

    def of_columns(self, J: Any) -> Design:
        """A design of some columns."""
        from separatrix.designs.make import as_design

        return as_design(self.gather(J))

    def corner(self, rows: Any, J: Any) -> Any:
        """The rows of a slice and the columns J, in whichever order of storage is cheaper."""
        return self.block(rows)[:, J]

    @abstractmethod
    def rows_atom(self) -> Any:
        """Rows for compiled loops."""

    @property
    def walking_rows(self) -> tuple[Any, Any]:
        """An order of the columns, and rows for compiled loops that have them in this order."""
        return slice(None), self.rows_atom()

    def blocks(self, gram: int = 0) -> list[slice]:
        """Slices of rows, the same whatever the number of threads; `gram` p-by-p sums are made of each."""
        least = base.BLOCK_NUMBERS
        numbers = min(max(least, 8 * gram * self.p**2), 8 * least)
        if gram > 1:  # and still enough blocks for threads
            numbers = max(least, min(numbers, self.n * self.p // 4))
        height = max(1, min(self.n, numbers // max(self.p, 1)))
        return [slice(i, min(i + height, self.n)) for i in range(0, self.n, height)]

    def parts(self, sums: int = 1) -> list[tuple[int, int]]:
        """Ranges of rows for loops that walk over them: few, where `sums` of p numbers for each would cost too much."""
        count = int(np.clip(self.stored // max(8 * sums * self.p, base.SMALLEST_PART), 1, base.GROUPS))
        return list(pairwise(np.linspace(0, self.n, count + 1).astype(int).tolist()))

    def reduce(
        self,
        task: Callable[..., Result],
        merge: Callable[[Result, Result], Result],
        target: AnyTarget | None = None,
        *aligned: Array | None,
        gram: int = 0,
    ) -> Result:
        def of_block(rows: slice) -> Result:
            block = Block(self.block(rows)) if target is None else Block(self.block(rows), *target.at(rows))
            return task(block, *(None if a is None else a[rows] for a in aligned))

        return merged(of_block, merge, self.blocks(gram))

    def sample(self, target: AnyTarget | None = None, count: int = 256) -> Block:
        """Evenly spaced rows."""
        rows = slice(0, self.n, max(1, self.n // count))
        return Block(self.block(rows)) if target is None else Block(self.block(rows), *target.at(rows))

    def stored_by_column(self) -> Array:
        """How many numbers each column stores: what work on it costs."""
        return np.full(self.p, self.n)

    def column_sums(self, s: Array | None = None) -> Array:
        """``Σ_i s_i x_ij`` for every column."""
        return self.rmatvec(np.ones(self.n) if s is None else s)

    def products(self, target: AnyTarget, u: Array) -> Array:
        """``X'(s u)``, kept for the next who asks with the same u."""
        return self._same_products(target, u, self.rmatvec)

    def column_squares(self, target: AnyTarget | None = None) -> Array:
        """``Σ_i s_i x_ij²`` for every column, kept for the next who asks under the same weights."""
        s = None if target is None else target.s
        known, moments = self._facts.get("squares"), self._facts.get("moments")
        if known is not None and known[0] is s:
            return known[1]
        if moments is not None and moments[0] is target:
            return self._keep_squares(s, moments[2].squares_about_zero)
        return self._keep_squares(s, self._column_squares(s))

    def products_and_squares(self, target: AnyTarget, u: Array) -> tuple[Array, Array]:
        """:meth:`products` and :meth:`column_squares`: one read of X for what is not known of them."""
        known = self._facts.get("squares")
        if known is not None and known[0] is target.s:
            return self.products(target, u), known[1]

        def read(r: Array) -> Array:
            products, squares = self._products_and_squares(r, target.s)
            self._keep_squares(target.s, squares)
            return products

        return self._same_products(target, u, read), self.column_squares(target)

    def _keep_squares(self, s: Array | None, squares: Array) -> Array:
        self._facts["squares"] = s, squares
        return squares

    def _same_products(self, target: AnyTarget, u: Array, read: Callable[[Array], Array]) -> Array:
        """The last products, if they were with the same numbers u, else ``read(s u)``."""
        s, last, products = self._facts.get("products", (None, None, None))
        if last is None or s is not target.s or not np.array_equal(last, u):
            products = read(u if target.s is None else (u.T * target.s).T)
            self._facts["products"] = target.s, u.copy(), products
        return products

    def _column_squares(self, s: Array | None) -> Array:
        return self.reduce(lambda block, piece: squares_of(block.X, piece), operator.add, None, s)

    def _products_and_squares(self, r: Array, s: Array | None) -> tuple[Array, Array]:
        """``X' r`` and the squares of the columns, in one read of X."""
        shape = (self.n, r.size // max(self.n, 1))

        def task(block: Block, piece: Array, weights: Array | None) -> list[Array]:
            return [thin_product(block.X, piece), squares_of(block.X, weights)]

        def merge(a: list[Array], b: list[Array]) -> list[Array]:
            return [one + other for one, other in zip(a, b)]

        products, squares = self.reduce(task, merge, None, r.reshape(shape), s)
        return products.reshape(self.p, *r.shape[1:]), squares

    def there_and_back(self, v: Array, shift: float, s: Array, r: Array | None = None) -> tuple[Array, Array]:
        """``z = X v - shift`` (n,) and ``X'(s z)`` (p,), or ``X'r`` where r is given, in one read of X."""

        def task(block: Block, weights: Array, piece: Array | None) -> tuple[list[Array], Array]:
            z = np.asarray(block.X @ v) - shift
            return [z], np.asarray((weights * z if piece is None else piece) @ block.X)

        def merge(a: tuple[list[Array], Array], b: tuple[list[Array], Array]) -> tuple[list[Array], Array]:
            return a[0] + b[0], a[1] + b[1]

        z, products = self.reduce(task, merge, None, s, r)
        return np.concatenate(z), products

    def scores(self, beta: Array, intercept: Any) -> Array | None:
        return self.matvec(beta) + intercept


def merged(task: Callable[[Any], Result], merge: Callable[[Result, Result], Result], items: Sequence[Any]) -> Result:
    """Merge tasks over items on threads, in order and in groups that do not depend on their number."""
    size = -(-len(items) // base.GROUPS)
    groups = [items[i : i + size] for i in range(0, len(items), size)]

    def fold_group(group: Sequence[Any]) -> Result:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused by name, in the end
            return fold(merge, map(task, group))

    with np.errstate(over="ignore", invalid="ignore"):
        return fold(merge, parallel_map(fold_group, groups))
