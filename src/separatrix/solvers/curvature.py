"""Quadratic models of a loss on the columns in play, with the intercept taken out.

Keeps    G = Z'HZ - Z'H1 (1'H1)^-1 1'HZ,   H the second derivatives of the loss at some scores, weighted by s / Σs.
Given    the columns Z in play, and the curvature of every row.
Cost     n (set)² for a new matrix, n (set) (new) where columns came and the old curvature still serves.
"""

from itertools import combinations_with_replacement
from typing import Any, Literal

import numpy as np

from separatrix.core.objective import fill_joint_slopes, fill_slopes, sum_of_joint_values, sum_of_values
from separatrix.core.problem import Problem
from separatrix.core.verbs import curvature_of_rows, ignores_shifts
from separatrix.designs.working import WorkingColumns
from separatrix.solvers.column_coordinate import ColumnModel
from separatrix.solvers.compiled.curvature import look
from separatrix.solvers.gram_coordinate import LARGEST_SUPPORT, GramProblem

# Rows whose curvature has changed by less than this part, all in all, need no new matrix: it would be the same.
UNCHANGED = 1e-3
# A Gram matrix pays where it costs less than these sweeps over the stored numbers, which solve a model without it.
SWEEPS = 20.0
# Curvatures of rows are held up to this many numbers (256 MB).
MOST_CURVATURES = 1 << 25

Look = tuple[float, np.ndarray, Any]  # mean loss, slopes, and curvature
# A model by sweeps over the columns, on a Gram matrix made anew, or on the last one, which is completed.
Plan = Literal["sweep", "make", "grow"]


class ConstantCurvature:
    """For squared error: H is the weights themselves, and one Gram problem, which only grows, is the whole problem."""

    def __init__(self, problem: Problem, y: np.ndarray, columns: WorkingColumns, share: np.ndarray) -> None:
        self.loss, self.y, self.intercept = problem.loss, y, problem.intercept
        self.columns, self.share = columns, share
        # a weight that all rows share is not multiplied by row for row
        self._weight = 1.0 / len(y) if problem.target.s is None else share
        self._sums = np.empty(0)
        self.gram = GramProblem()

    def look(self, eta: np.ndarray) -> Look:
        """Mean loss and slopes u at the scores eta; the curvature is known."""
        u = np.empty(len(eta))
        fill_slopes(self.loss, self.y, eta, u)
        return sum_of_values(self.loss, self.y, eta, self.share), u, self.share

    def model(self) -> GramProblem:
        """The Gram problem of the columns in play, those that came included."""
        old = self.gram.size
        if self.columns.size > old:
            with np.errstate(over="ignore", invalid="ignore"):
                cross = self.columns.products(self._weight, old)
                c = self.columns.correlate(self.share * self.y, old)
            self.columns.design.refuse_if_not_finite(cross, c)
            if self.intercept:  # means are 0 where columns were centred, and y sums to zero
                self._sums = np.append(self._sums, self.columns.correlate(self.share, old))
                cross = cross - np.multiply.outer(self._sums, self._sums[old:])
            self.gram.grow(cross, c)
        return self.gram

    def best_intercept(self, fitted: np.ndarray) -> float:
        """The intercept that makes the residuals sum to zero."""
        return float(self.share @ (self.y - fitted)) if self.intercept else 0.0


class ScalarCurvature:
    """For losses of one score: H is a diagonal w."""

    _model: GramProblem | ColumnModel | None = None

    def __init__(self, problem: Problem, y: np.ndarray, columns: WorkingColumns, share: np.ndarray) -> None:
        self.loss, self.y, self.intercept = problem.loss, y, problem.intercept
        self.columns, self.share = columns, share
        self._w: Any = None  # the curvature of the matrix in use
        self._products = np.empty((0, 0))

    def look(self, eta: np.ndarray) -> Look:
        """Mean loss, slopes u and weighted curvatures w at the scores eta."""
        u, w = np.empty(len(eta)), np.empty(len(eta))
        return look(self.loss, self.y, eta, self.share, u, w), u, w

    def intercept_step(self, w: np.ndarray, imbalance: Any) -> Any:
        """Newton's step for the intercept alone."""
        return -imbalance / max(w.sum(), np.finfo(np.float64).tiny)

    def fresh(self, w: np.ndarray) -> bool:
        """Whether the matrix in use is as good as a new one."""
        return self._w is not None and np.abs(w - self._w).sum() <= UNCHANGED * self._w.sum()

    def plan(self, renew: bool, busy: np.ndarray, free: np.ndarray) -> Plan:
        """How to make the next model: see :func:`plan`. An earlier matrix is grown, unless it has to be new."""
        old = len(self._products)
        if old and not renew and self.columns.sweeps_to_complete(old) <= SWEEPS:
            return "grow"
        return plan(self.columns, busy, 1, self._model)

    def model(self, w: np.ndarray, how: Plan, free: np.ndarray) -> GramProblem | ColumnModel:
        """The model of the columns in play at the curvature w, or that of the matrix which is grown.

        Which columns are `free` of penalties makes no difference here.
        """
        old, size = len(self._products), self.columns.size
        if how == "sweep":
            return self._column_model(w)
        if how == "make":
            self._w, self._products = w, self.columns.products(w)
        elif size > old:
            cross = self.columns.products(self._w, old)
            larger = np.empty((size, size))
            larger[:old, :old], larger[:, old:], larger[old:, :old] = self._products, cross, cross[:old].T
            self._products = larger
        elif self._model is not None:
            return self._model
        G = self._products
        if self.intercept:
            self._sums, self._total = self.columns.correlate(self._w), self._w.sum()
            G = G - np.multiply.outer(self._sums / self._total, self._sums)
        self._model = GramProblem.whole(G, np.zeros(size))
        return self._model

    def _column_model(self, w: np.ndarray) -> ColumnModel:
        self._w, self._products, inverse = None, np.empty((0, 0)), None
        if self.intercept:
            self._sums, self._total = self.columns.correlate(w), w.sum()
            inverse = np.array([[1.0 / self._total]])
        self._model = ColumnModel(self.columns, w[None, None], inverse, sweeps_so_far(self.columns, 1, self._model))
        return self._model

    def centred(self, q: np.ndarray, imbalance: Any) -> np.ndarray:
        """Minus the gradient, with the intercept at the model's optimum."""
        return q + self._sums * (imbalance / self._total) if self.intercept else q.copy()

    def intercept_move(self, d: np.ndarray, imbalance: Any) -> Any:
        """How far the intercept goes when the coefficients go by d."""
        return -(imbalance + self._sums @ d) / self._total if self.intercept else 0.0


class JointCurvature:
    """For losses of k scores: H has a diagonal for each pair of scores; coefficients score by score."""

    _model: GramProblem | ColumnModel | None = None

    def __init__(self, problem: Problem, y: np.ndarray, columns: WorkingColumns, share: np.ndarray) -> None:
        self.loss, self.y, self.intercept = problem.loss, y, problem.intercept
        self.columns, self.share, self.k = columns, share, y.shape[1]
        self._h: Any = None
        self._size = -1

    def look(self, eta: np.ndarray) -> Look:
        """Mean loss, slopes and second derivatives at the scores eta."""
        u = np.empty(eta.shape)
        fill_joint_slopes(self.loss, self.y, eta, u)
        value = sum_of_joint_values(self.loss, self.y, eta, self.share)
        return value, u, curvature_of_rows(self.loss, self.y, eta, u)

    def intercept_step(self, h: Any, imbalance: np.ndarray) -> np.ndarray:
        """Newton's step for the intercepts alone."""
        return -pseudo_inverse(h.total(self.share)) @ imbalance

    def fresh(self, h: Any) -> bool:
        """Whether the matrix in use is as good as a new one, by its diagonal."""
        if self._h is None:
            return False
        bends, old = (np.array([each.between(c, c) for c in range(self.k)]) for each in (h, self._h))
        return bool((np.abs(bends - old) @ self.share).sum() <= UNCHANGED * (bends @ self.share).sum())

    def plan(self, renew: bool, busy: np.ndarray, free: np.ndarray) -> Plan:
        """How to make the next model: see :func:`plan`. A matrix serves again while no column comes."""
        if self._h is not None and not renew and self._size == self.columns.size:
            return "grow"
        held = len(self.y) * self.k**2 <= MOST_CURVATURES and not free.any()
        return plan(self.columns, busy, self.k, self._model) if held else "make"

    def model(self, h: Any, how: Plan, free: np.ndarray) -> GramProblem | ColumnModel:
        """The model of the columns in play at the curvature h, or the last one.

        Where the loss ignores shifts, one of the coefficients of a `free` column changes nothing; a ridge on their sum
        keeps it at zero.
        """
        if how == "sweep":
            return self._column_model(h)
        if how == "grow" and self._model is not None:
            return self._model
        self._h = h
        self._size = m = self.columns.size
        G, sums, pairs = np.empty((self.k * m, self.k * m)), np.empty((self.k * m, self.k)), []
        for c, d in combinations_with_replacement(range(self.k), 2):
            rows, block, w = slice(c * m, (c + 1) * m), slice(d * m, (d + 1) * m), self.share * self._h.between(c, d)
            G[rows, block] = self._products(w)
            sums[rows, d] = sums[block, c] = self.columns.correlate(w)
            pairs.append((rows, block))
        if self.intercept:
            self._inverse, self._sums = pseudo_inverse(self._h.total(self.share)), sums
        for rows, block in pairs:  # block by block: G itself may be large
            if self.intercept:
                G[rows, block] -= sums[rows] @ self._inverse @ sums[block].T
            if rows != block:
                G[block, rows] = G[rows, block].T
        if ignores_shifts(self.loss):
            hold_sums(G, self.k, free)
        self._model = GramProblem.whole(G, np.zeros(self.k * m))
        return self._model

    def _column_model(self, h: Any) -> ColumnModel:
        swept, k, m = sweeps_so_far(self.columns, self.k, self._model), self.k, self.columns.size
        self._h, self._size = None, -1
        H = np.empty((k, k, len(self.y)))
        for c, d in combinations_with_replacement(range(k), 2):
            H[c, d] = H[d, c] = self.share * h.between(c, d)
        if self.intercept:
            self._inverse = pseudo_inverse(h.total(self.share))
            sums = self.columns.correlate(H.reshape(k * k, -1).T)
            self._sums = sums.reshape(m, k, k).swapaxes(0, 1).reshape(k * m, k)
        self._model = ColumnModel(self.columns, H, self._inverse if self.intercept else None, swept)
        return self._model

    def _products(self, w: np.ndarray) -> np.ndarray:
        """``Z' diag(w) Z`` for w of any signs."""
        total = np.zeros((self.columns.size, self.columns.size))
        for sign in (1.0, -1.0):
            side = np.maximum(sign * w, 0.0)
            if side.any():
                total += sign * self.columns.products(side)
        return total

    def centred(self, q: np.ndarray, imbalance: Any) -> np.ndarray:
        """Minus the gradient, with the intercepts at the model's optimum."""
        q = q.T.ravel()
        return q + self._sums @ (self._inverse @ imbalance) if self.intercept else q

    def intercept_move(self, d: np.ndarray, imbalance: Any) -> Any:
        """How far the intercepts go when the coefficients go by d."""
        if not self.intercept:
            return np.zeros(d.shape[1])
        return -self._inverse @ (imbalance + self._sums.T @ d.T.ravel())


def plan(columns: WorkingColumns, busy: np.ndarray, k: int, last: GramProblem | ColumnModel | None) -> Plan:
    """Whether to solve the next model of k scores by sweeps over the columns, or on a Gram matrix of the `busy` ones.

    Nobody knows how many sweeps a set of columns will ask for. Sweeping until the sweeps have taken as long as the
    matrix would, and making it then, takes twice the time of the better choice at the most. A matrix that has to be
    renewed has paid before.
    """
    price = columns.sweeps_per_matrix(busy, k)
    if price <= SWEEPS:
        return "make"
    if k * len(busy) > 2 * LARGEST_SUPPORT:
        return "sweep"  # too large for a factor, which is what a matrix is made for
    has_paid = isinstance(last, GramProblem) and last.size == k * columns.size
    return "make" if has_paid or sweeps_so_far(columns, k, last) >= price else "sweep"


def sweeps_so_far(columns: WorkingColumns, k: int, last: GramProblem | ColumnModel | None) -> int:
    """How many sweeps over the columns in play, as they are, there have been."""
    return last.swept if isinstance(last, ColumnModel) and last.size == k * columns.size else 0


def pseudo_inverse(between: np.ndarray) -> np.ndarray:
    """The inverse among intercepts that make a difference, which a shift common to all classes does not."""
    return np.linalg.pinv(between, rcond=1e-13, hermitian=True)


def hold_sums(G: np.ndarray, k: int, free: np.ndarray) -> None:
    """Add a ridge on the sum of the k coefficients of each `free` column to G, stacked score by score."""
    for j in np.flatnonzero(free):
        scores = j + len(free) * np.arange(k)
        G[np.ix_(scores, scores)] += G[scores, scores].mean()
