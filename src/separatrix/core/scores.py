"""Scores of all rows, for sums over rows: held where n numbers fit in memory, else made anew in each pass."""

import operator
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from separatrix.core.target import AnyTarget

Result = TypeVar("Result")


class ScoredRows(NamedTuple):
    """Some rows: their y, weights s, scores eta and, where they are wanted, a slope u for each score."""

    y: np.ndarray
    s: np.ndarray
    eta: np.ndarray
    u: Any = None

    @property
    def weighted_slopes(self) -> np.ndarray:
        """``s u``, in the shape of u."""
        product: np.ndarray = (self.u.T * self.s).T
        return product


class Scores:
    """``eta = X beta + intercept`` of a design in memory or in a stream.

    `u` are slopes that are known beforehand, or coefficients and an intercept: u is then, at first, their scores.
    """

    def __init__(self, design: Any, target: AnyTarget, beta: np.ndarray, intercept: Any, u: Any = None) -> None:
        self.design, self.target, self.beta, self.intercept = design, target, beta, intercept
        self._other = u if isinstance(u, tuple) else None
        self._u = None if isinstance(u, tuple) else u
        self._changes = list[Callable[[ScoredRows], ScoredRows]]()
        self._held: ScoredRows | None = None
        eta = design.scores(beta, intercept)
        if eta is not None:
            u = self._u if self._other is None else design.scores(*self._other)
            self._held = ScoredRows(target.y, target.weights, eta, u)

    def change(self, function: Callable[[ScoredRows], ScoredRows]) -> None:
        """Replace rows by a function of each: at once where they are held, else as they are read."""
        if self._held is None:
            self._changes.append(function)
        else:
            self._held = function(self._held)

    def sums(
        self, task: Callable[[ScoredRows], Result], merge: Callable[[Result, Result], Result] = operator.add
    ) -> Result:
        """Merge ``task(rows)``: without a read of X where scores are held."""
        if self._held is not None:
            return task(self._held)
        result: Result = self.design.reduce(lambda b, u: task(self._rows(b, u)), merge, self.target, self._u)
        return result

    def sums_and_products(self, task: Callable[[ScoredRows], np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums of ``task(rows)``, ``X'(s u)``, and ``Σ_i s_i x_ij²`` of the columns: one read of X at the most."""
        if self._held is not None:
            return task(self._held), *self.design.products_and_squares(self.target, self._held.u)

        def each(block: Any, u: np.ndarray | None) -> list[np.ndarray]:
            rows = self._rows(block, u)
            return [task(rows), np.asarray(block.X.T @ rows.weighted_slopes), block.column_squares()]

        def merge(a: list[np.ndarray], b: list[np.ndarray]) -> list[np.ndarray]:
            return [one + other for one, other in zip(a, b)]

        sums, products, squares = self.design.reduce(each, merge, self.target, self._u)
        return sums, products, squares

    def _rows(self, block: Any, u: np.ndarray | None) -> ScoredRows:
        if self._other is not None:
            u = np.asarray(block.X @ self._other[0]) + self._other[1]
        rows = ScoredRows(block.y, block.weights, np.asarray(block.X @ self.beta) + self.intercept, u)
        for function in self._changes:
            rows = function(rows)
        return rows
