"""Columns in play: centred and weighted, with their inner products, growing as a solver asks for more."""

import numpy as np
import scipy.sparse as sp

# More pieces than these are joined: products with a few large ones are faster.
MOST_PIECES = 8


class ColumnStore:
    """Some columns of a design, less their means, with inner products weighted by ``s / Σs``.

    Dense columns are copied as they come, in pieces; sparse ones stay sparse, and their means are taken off in the
    products instead.
    """

    def __init__(self, design, target, intercept):
        self.design, self.s, self.total, self.intercept = design, target.s, target.total, intercept
        self.sparse = "gram" not in design.offers
        self.size = 0
        self.means = np.empty(0)
        self.pieces = []

    def add(self, J, y):
        """Take in the columns J; return their products with all columns (size, new), and with y (new,)."""
        Z = self.design.gather(J)
        mean = Z.sum(axis=0) if self.s is None else self.s @ Z
        mean = np.asarray(mean) / self.total if self.intercept else np.zeros(len(J))
        self.means = np.concatenate([self.means, mean])
        with np.errstate(over="ignore", invalid="ignore"):
            products = self._add_sparse(Z, y) if self.sparse else self._add_dense(Z, mean, y)
        self.design.refuse_if_not_finite(*products)
        self.size += len(J)
        return products

    def _add_dense(self, Z, mean, y):
        if self.intercept:
            Z -= mean
        if len(self.pieces) == MOST_PIECES:
            self.pieces = [np.asfortranarray(np.hstack(self.pieces))]
        self.pieces.append(Z)
        sZ = Z if self.s is None else self.s[:, None] * Z
        return np.vstack([piece.T @ sZ for piece in self.pieces]) / self.total, (y @ sZ) / self.total

    def _add_sparse(self, Z, y):
        sZ = Z if self.s is None else (sp.diags_array(self.s) @ Z).tocsc()
        self.pieces = [sp.hstack([*self.pieces, Z], format="csc")]
        cross = (self.pieces[0].T @ sZ).toarray() / self.total
        cross -= np.multiply.outer(self.means, self.means[self.size :])
        # y sums to zero wherever means are taken off
        return cross, np.asarray(y @ sZ) / self.total

    def fitted(self, beta):
        """``Σ_j beta_j (x_j - mean_j)`` for the coefficients of the stored columns."""
        fitted, start = np.zeros(self.design.n), 0
        for piece in self.pieces:
            part = beta[start : start + piece.shape[1]]
            start += piece.shape[1]
            if part.any():
                fitted += piece @ part
        return fitted - self.means @ beta if self.sparse else fitted
