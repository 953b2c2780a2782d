"""Totals, means, squares and scatters of classes by passes over blocks of rows, sums in extended precision."""

import operator

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.designs import ClassMoments, as_dense
from separatrix.designs.factor import live_columns
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
        sums = self._by_class(lambda B: np.hstack([np.ones((len(B), 1)), B, np.abs(B)]))
        self.totals = sums[:, 0]
        self.sums, sizes = sums[:, 1 : 1 + self.p], sums[:, 1 + self.p :]
        weights = np.where(self.totals > 0.0, self.totals, 1.0)[:, None]
        self.means, self.sizes = self.sums / weights, sizes / weights

    def _by_class(self, columns):
        """Weighted sums over the rows of each class (k, ...) of what `columns` makes of rows in extended precision."""

        def task(block):
            rows = columns(self._rows(block))
            s = np.ones(len(rows)) if block.s is None else block.s
            return np.array([(s[block.y == c, None] * rows[block.y == c]).sum(axis=0) for c in range(self.k)])

        return self.design.reduce(task, operator.add, self.target)

    def _rows(self, block):
        rows = as_dense(block.X).astype(np.longdouble)
        return rows if self._cells is None else self._cells(rows)

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
            Z = (self._rows(block) - self.means[block.y]) ** 2
            s = np.ones(len(Z)) if block.s is None else block.s
            return np.array([(s[block.y == c, None] * Z[block.y == c]).sum(axis=0) for c in range(self.k)])

        return self.design.reduce(task, operator.add, self.target)

    def scatter_times(self, A, code=None):
        """The scatter within all classes, or within one, times A (p, q): no p-by-p matrix is made."""
        return self.products(lambda Z: Z, lambda Z: Z @ A, code)

    def products(self, left, right, code=None):
        """``Σ s left(z)' right(z)`` over rows less their class mean, z (1, p), of all classes or of one."""

        def task(block):
            Z = (self._rows(block) - self.means[block.y]).astype(np.float64)
            s = np.ones(len(Z)) if block.s is None else block.s
            s = s if code is None else s * (block.y == code)
            return left(Z).T @ (s[:, None] * right(Z))

        return self.design.reduce(task, operator.add, self.target)

    def second_moments_times(self, A, about):
        """``Σ s (x - about) (x - about)' A`` over all rows."""

        def task(block):
            Z = (self._rows(block) - about).astype(np.float64)
            right = Z @ A
            return Z.T @ (right if block.s is None else block.s[:, None] * right)

        return self.design.reduce(task, operator.add, self.target)

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
