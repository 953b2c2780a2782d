"""Totals, means, squares and scatters of classes by passes over blocks of rows, sums in extended precision."""

import operator
from functools import reduce as fold

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.designs import ClassMoments
from separatrix.designs.factor import live_columns
from separatrix.designs.sparse import dense_pieces, stored_numbers
from separatrix.estimators.validation import validate_class_target


class ClassSums:
    """What closed forms of classes are made of.

    ``totals`` (k,), ``means`` and mean ``sizes`` (k, p), of ``cells(X)`` where X does not enter as it is. Squares and
    scatters are about the means of the classes.
    """

    def __init__(self, model, X, y, sample_weight, cells=None):
        self.design, self.target = validate_class_target(model, X, y, sample_weight, reset=False)
        self.k, self.p, self.n = len(model.classes_), self.design.p, self.design.n
        self._cells = cells
        sums = self.design.reduce(self._first_sums, operator.add, self.target)
        self.totals = sums[:, 0]
        self.sums, sizes = sums[:, 1 : 1 + self.p], sums[:, 1 + self.p :]
        weights = np.where(self.totals > 0.0, self.totals, 1.0)[:, None]
        self.means, self.sizes = self.sums / weights, sizes / weights

    def _first_sums(self, block):
        """Of a block: weights, sums and sums of sizes of the cells, by class (k, 1 + 2p)."""
        sums = np.zeros((self.k, 1 + 2 * self.p), dtype=np.longdouble)
        np.add.at(sums[:, 0], block.y, block.weights)
        stored = stored_numbers(block.X) if self._zero_stays_zero() else None
        if stored is None:
            for piece in dense_pieces(block):
                sums[:, 1:] += self._by_class(piece, np.hstack([rows := self._rows(piece), np.abs(rows)]))
            return sums
        i, j, values = stored
        values = values.astype(np.longdouble)
        values = block.weights[i] * (values if self._cells is None else self._cells(values))
        np.add.at(sums, (block.y[i], 1 + j), values)
        np.add.at(sums, (block.y[i], 1 + self.p + j), np.abs(values))
        return sums

    def _by_class(self, block, rows):
        """Weighted sums of rows (n, q) over each class (k, q)."""
        s = block.weights
        return np.array([(s[block.y == c, None] * rows[block.y == c]).sum(axis=0) for c in range(self.k)])

    def _zero_stays_zero(self):
        return self._cells is None or not self._cells(np.zeros(1, dtype=np.longdouble)).any()

    def _rows(self, block):
        rows = block.X.astype(np.longdouble)
        return rows if self._cells is None else self._cells(rows)

    def _sum(self, of_rows):
        """The sum of a function of blocks of numpy arrays over all rows."""

        def task(block):
            return fold(operator.add, map(of_rows, dense_pieces(block)))

        return self.design.reduce(task, operator.add, self.target)

    @cached_property
    def total(self):
        return self.totals.sum()

    @cached_property
    def mean(self):
        """Of all rows (p,)."""
        return self.totals @ self.means / self.total

    @cached_property
    def squares(self):
        """Of each column about the means of the classes (k, p)."""

        def task(block):
            return self._by_class(block, (self._rows(block) - self.means[block.y]) ** 2)

        return self._sum(task)

    def scatter_times(self, A, code=None):
        """The scatter within all classes, or within one, times A (p, q): no p-by-p matrix is made."""
        return self.products(lambda Z: Z, lambda Z: Z @ A, code)

    def products(self, left, right, code=None):
        """``Σ s left(z)' right(z)`` over rows less their class mean, z (1, p), of all classes or of one."""

        def task(block):
            Z = (self._rows(block) - self.means[block.y]).astype(np.float64)
            s = block.weights
            s = s if code is None else s * (block.y == code)
            return left(Z).T @ (s[:, None] * right(Z))

        return self._sum(task)

    def second_moments_times(self, A, about):
        """``Σ s (x - about) (x - about)' A`` over all rows."""

        def task(block):
            Z = (self._rows(block) - about).astype(np.float64)
            right = Z @ A
            return Z.T @ (right if block.s is None else block.s[:, None] * right)

        return self._sum(task)

    @cached_property
    def moments(self):
        """The same in double precision, with the scatter of each class: what models state their covariances by."""
        scatter = np.array([self.scatter_times(np.eye(self.p), c) for c in range(self.k)])
        return ClassMoments(self.totals.astype(np.float64), self.means.astype(np.float64), scatter, "each")

    @cached_property
    def scale(self):
        """One over the root of the squares within classes (p,); 0 for columns that are constant within all of them."""
        size = np.sqrt(self.squares.sum(axis=0)).astype(np.float64)
        live = live_columns(size, np.abs(self.means).max(axis=0).astype(np.float64), float(self.total), self.n)
        scale = np.zeros(self.p)
        scale[live] = 1.0 / size[live]
        return scale
