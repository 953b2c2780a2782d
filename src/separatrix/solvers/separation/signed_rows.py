r"""Rows signed by their classes, for two classes and for more, hard labels and soft; and proofs for very many of them.

A row z = (1, x) of class c asks of scores ``z'W`` that ``z'(w_c - w_d) >= 0`` for every other class d. With the first
class as reference (``w_0 = 0``) each demand is a row of a matrix A with q (k - 1) columns, class after class. With two
classes these are the rows ``±z``. A soft label makes demands for each class it gives weight to.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsqr

from separatrix.core.cached import cached_property
from separatrix.core.time_limit import stop_if_over
from separatrix.core.types import Array, Matrix
from separatrix.designs import as_dense
from separatrix.designs.base import Design
from separatrix.designs.factor import merged_triangles, triangle_of
from separatrix.solvers.separation.exact_signs import EPS, Direction, as_floats, signs
from separatrix.solvers.separation.recession import NEGLIGIBLE, Face, powers_of_two, program, recession

# Fewer demands than this are looked at all together.
FEW = 3000
# Dense algebra beyond this many columns (and rows) takes minutes.
DENSE_COLUMNS = 1500
ROUNDS = 60


class SignedRows:
    """The demands of labelled rows: ``row``, ``own`` and ``rival`` of each."""

    def __init__(self, design: Design, labels: Array, weights: Array, intercept: bool) -> None:
        """`labels` is an (n, k) array of the weight each row gives each class; rows of no weight are left out."""
        self.design: Any = design  # in memory
        self.intercept, self.n_classes = intercept, labels.shape[1]
        self.q = design.p + int(intercept)
        row, own = np.nonzero((labels > 0.0) & (weights > 0.0)[:, None])
        others = np.arange(self.n_classes - 1)
        self.row = np.repeat(row, len(others))
        self.own = np.repeat(own, len(others))
        rival = np.tile(others, len(row))
        self.rival = rival + (rival >= self.own)
        self.width = self.q * (self.n_classes - 1)
        self.narrow = self.width <= DENSE_COLUMNS

    def __len__(self) -> int:
        return len(self.row)

    def matrix(self, demands: Array, dense: bool | None = None) -> Matrix:
        """Some rows of A: dense where dense algebra can be done with it (or as told), else sparse."""
        row, own, rival = self.row[demands], self.own[demands], self.rival[demands]
        Z = self.design.take(row).block(slice(0, len(row)))
        if self.dense(len(row)) if dense is None else dense:
            Z = np.asarray(as_dense(Z))
            Z = np.column_stack([np.ones(len(row)), Z]) if self.intercept else Z
            return np.hstack([Z * self._sign(own, rival, c)[:, None] for c in range(1, self.n_classes)])
        Z = sp.hstack([np.ones((len(row), 1)), Z], format="csr") if self.intercept else sp.csr_array(Z)
        parts = [sp.diags_array(self._sign(own, rival, c)) @ Z for c in range(1, self.n_classes)]
        return sp.csr_array(sp.hstack(parts, format="csr"))

    def dense(self, m: int) -> bool:
        """Whether m rows are few enough, or narrow enough, for dense algebra."""
        return min(m, self.width) <= DENSE_COLUMNS and m * self.width <= 1 << 25

    @staticmethod
    def _sign(own: Array, rival: Array, c: int) -> Array:
        return (own == c).astype(np.float64) - (rival == c)

    def pieces(self, demands: Array) -> list[Array]:
        """Demands in pieces whose matrices are small."""
        height = max(1, (1 << 20) // self.width) if self.narrow else 4 * DENSE_COLUMNS
        return [demands[i : i + height] for i in range(0, len(demands), height)]

    def factor(self, demands: Array) -> Array:
        """R with ``R'R = A'A`` of some demands, piece by piece."""
        R, height = np.zeros((0, self.width)), max(self.width, (1 << 20) // self.width)
        for start in range(0, len(demands), height):
            R = merged_triangles(R, self.matrix(demands[start : start + height], dense=True))
        return R

    def signs(self, w: Direction) -> Array:
        """Exact signs of ``A w`` for all demands; most are told by a float product and one bound for all rows."""
        W = self.as_scores(w)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.scores(W)
            reach = (self.lengths @ np.abs(W)).max() if len(W) else 0.0
        row_signs = np.sign(np.nan_to_num(scores)).astype(int)
        unsure = ~(np.abs(scores) > (4 * self.q + 16) * EPS * reach)
        # classes that move alike have no demand on each other: of many classes a direction often moves a few
        alike = self._alike(w)
        same = alike[self.own] == alike[self.rival]
        row_signs[same] = 0
        for piece in self.pieces(np.flatnonzero(unsure & ~same)):
            stop_if_over()
            row_signs[piece] = signs(self.matrix(piece), w)
        return row_signs

    def _alike(self, w: Direction) -> Array:
        """A number for each class, the same for classes that w moves by exactly the same."""
        exact = w.tolist() if isinstance(w, np.ndarray) else list(w)
        moves = [(0,) * self.q, *(tuple(exact[c * self.q : (c + 1) * self.q]) for c in range(self.n_classes - 1))]
        return np.array([moves.index(move) for move in moves])

    @cached_property
    def lengths(self) -> Array:
        """Of the columns: no entry of a column is larger."""
        with np.errstate(over="ignore"):
            columns = np.sqrt(self.design.column_squares())
        return np.concatenate([[1.0], columns]) if self.intercept else columns

    def as_scores(self, w: Direction) -> Array:
        """A direction, one number for each column of A, as floats of shape (q, k); the reference class has zeros."""
        return np.column_stack([np.zeros(self.q), as_floats(list(w))[0].reshape(-1, self.q).T])

    def scores(self, W: Array) -> Array:
        """``A w`` in floats, for W of shape (q, k), intercept first."""
        eta = self.design.matvec(W[int(self.intercept) :]) + (W[0] if self.intercept else 0.0)
        return eta[self.row, self.own] - eta[self.row, self.rival]

    def sample(self, size: int, scores: Array | None = None) -> Array:
        """Demands to begin with: at random from each class, and half of them those with the lowest `scores`."""
        if scores is not None:
            worst = np.argpartition(scores, size // 2)[: size // 2]
            return np.union1d(worst, self.sample(size - size // 2))
        rng = np.random.default_rng(0)
        share = -(-size // self.n_classes)
        members = [np.flatnonzero(self.own == c) for c in range(self.n_classes)]
        return np.sort(np.concatenate([rng.permutation(m)[:share] for m in members]))


def prove(rows: SignedRows, W: Array | None = None) -> Face:
    """The Face of all demands; few of them are worked on, and the others checked.

    Multipliers of some rows that span the columns prove overlap for all. A direction found on some is tried on all, and
    the rows that refute it join. `W` (q, k) is a hint: where to begin, or the answer.
    """
    scores = rows.scores(W) if W is not None and np.isfinite(W).all() else None
    if W is not None and scores is not None and (scores > 0.0).all():
        w = (W[:, 1:] - W[:, :1]).T.ravel()
        if (rows.signs(w) > 0).all():
            return Face(w, np.zeros(len(rows)), np.ones(len(rows), dtype=bool), True)
    if len(rows) <= FEW or not rows.narrow:
        return _face(rows, np.arange(len(rows)))
    working = rows.sample(max(FEW // 2, 6 * rows.width), scores) if max(FEW, 6 * rows.width) < len(rows) else None
    for _ in range(ROUNDS):
        if working is None or 2 * len(working) > len(rows):
            break
        stop_if_over()
        A = rows.matrix(working)
        face = recession(A)
        if not face.proven:
            working = np.union1d(working, rows.sample(2 * len(working)))
            continue
        row_signs, strays = _strays(rows, working, A, face)
        if not len(strays):
            whole = Face(face.w, np.zeros(len(rows)), row_signs > 0, True, face.kept)
            whole.a[working] = face.a
            return whole
        working = np.union1d(working, strays[: len(working)])
    return _face(rows, np.arange(len(rows)))


def _face(rows: SignedRows, demands: Array) -> Face:
    A = rows.matrix(demands)
    return recession(A) if rows.dense(len(demands)) else _sparse_face(A)


def _strays(rows: SignedRows, working: Array, A: Matrix, face: Face) -> tuple[Array, Array]:
    """Signs of all demands, and those outside that refute the direction or add to what the held rows span."""
    outside = np.ones(len(rows), dtype=bool)
    outside[working] = False
    row_signs = np.zeros(len(rows), dtype=int)
    if face.above.any():
        scores = rows.scores(rows.as_scores(face.w))
        wrong = np.flatnonzero(outside & (scores < -NEGLIGIBLE * np.abs(scores).max()))
        if len(wrong):
            return row_signs, wrong[np.argsort(scores[wrong])]
        row_signs = rows.signs(face.w)
    scale = powers_of_two(np.abs(A).max(axis=0))
    wrong = row_signs < 0
    for basis, where in ((_span(A * scale), outside), (_span(A[~face.above] * scale), outside & (row_signs == 0))):
        if basis.shape[1] < rows.width:
            for piece in rows.pieces(np.flatnonzero(where)):
                B = rows.matrix(piece) * scale
                wrong[piece] |= np.abs(B - (B @ basis) @ basis.T).max(axis=1, initial=0.0) > NEGLIGIBLE
    return row_signs, np.random.default_rng(0).permutation(np.flatnonzero(wrong & outside))


def _span(A: Array) -> Array:
    """An orthonormal basis of the span of the rows of A, (q, r)."""
    if not len(A):
        return np.zeros((A.shape[1], 0))
    _, values, V = np.linalg.svd(triangle_of(A), full_matrices=False)  # its rows span the same
    return V[values > 64.0 * EPS * np.sqrt(max(A.shape)) * values[0]].T


def _sparse_face(A: Matrix) -> Face:
    """Too many columns for dense algebra: directions by least squares and by the program, no proof of multipliers."""
    m, q = A.shape
    scale = powers_of_two(np.sqrt(np.asarray(A.multiply(A).sum(axis=0)).ravel()))
    scaled = sp.csr_array(A @ sp.diags_array(scale))
    kept, above = np.flatnonzero(np.asarray(abs(A).sum(axis=0)).ravel()), np.ones(m, dtype=bool)
    w = lsqr(scaled, np.ones(m), atol=1e-10, btol=1e-10, iter_lim=2000)[0]
    if (signs(scaled, w) > 0).all():
        return Face(w * scale, np.zeros(m), above, True, kept)
    solved = program(scaled)
    if solved is None:
        return Face(np.zeros(q), np.zeros(m), ~above, False, kept)
    w, a, above = solved
    if above.all():
        return Face(w * scale, np.zeros(m), above, bool((signs(scaled, w) > 0).all()), kept)
    return Face(w * scale, a, above, False, kept)
