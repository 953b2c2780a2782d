"""The curvature of a likelihood on the columns in play: Gram matrices with the intercept taken out.

Keeps    G = Z'HZ - Z'H1 (1'H1)^-1 1'HZ,   H the second derivatives of the loss at some scores, weighted by s / Σs.
Given    the columns Z in play and scores eta.
Cost     n (set)² for a new matrix, n (set) (new) where columns came and the scores have hardly moved.
"""

import numpy as np

from separatrix.core.objective import fill_curvatures, slopes_at

# A matrix is kept while the curvature has changed by no more than this part: steps then gain that factor, at the cost
# of a product instead of a Gram matrix.
STALE = 0.05


class ScalarCurvature:
    """For losses of one score: H is a diagonal w."""

    def __init__(self, problem, columns, share):
        self.loss, self.y, self.intercept = problem.loss, problem.target.y, problem.intercept
        self.columns, self.share = columns, share
        self._w = None
        self._products = np.empty((0, 0))

    def _weights(self, eta):
        w = np.empty(len(eta))
        fill_curvatures(self.loss, self.y, eta, w)
        w *= self.share
        return w

    def intercept_step(self, eta, imbalance):
        """Newton's step for the intercept alone."""
        return -imbalance / max(self._weights(eta).sum(), np.finfo(np.float64).tiny)

    def centred_gram(self, eta):
        """G at eta, or at scores with nearly the same curvature."""
        w, size = self._weights(eta), self.columns.size
        old = len(self._products)
        if self._w is None or np.abs(w - self._w).sum() > STALE * self._w.sum():
            self._w, self._products = w, self.columns.products(w)
        elif size > old:
            cross = self.columns.products(self._w, old)
            larger = np.empty((size, size))
            larger[:old, :old], larger[:, old:], larger[old:, :old] = self._products, cross, cross[:old].T
            self._products = larger
        if not self.intercept:
            return self._products
        self._sums, self._total = self.columns.correlate(self._w), self._w.sum()
        return self._products - np.multiply.outer(self._sums / self._total, self._sums)

    def centred(self, q, imbalance):
        """Minus the gradient, with the intercept at the model's optimum."""
        return q + self._sums * (imbalance / self._total) if self.intercept else q.copy()

    def intercept_move(self, d, imbalance):
        """How far the intercept goes when the coefficients go by d."""
        return -(imbalance + self._sums @ d) / self._total if self.intercept else 0.0


class JointCurvature:
    """For softmax: H has a block ``p_c (1{c = d} - p_d)`` for each pair of classes; class by class, not row by row."""

    def __init__(self, problem, columns, share):
        self.loss, self.y, self.intercept = problem.loss, problem.target.y, problem.intercept
        self.columns, self.share = columns, share
        self._mu = None
        self._size = 0

    def _mean(self, eta):
        return slopes_at(self.loss, self.y, eta) + self.y

    def _between(self, mu):
        """1'H1: (k, k)."""
        weighted = self.share[:, None] * mu
        return np.diag(weighted.sum(axis=0)) - weighted.T @ mu

    def intercept_step(self, eta, imbalance):
        """Newton's step for the intercepts alone; they sum to zero, for a common shift changes nothing."""
        return -np.linalg.pinv(self._between(self._mean(eta)), hermitian=True) @ imbalance

    def centred_gram(self, eta):
        """G at eta, or at scores with nearly the same curvature; classes one after the other."""
        mu = self._mean(eta)
        if self._size != self.columns.size or self.share @ np.abs(mu - self._mu).sum(axis=1) > STALE:
            self._mu, self._size = mu, self.columns.size
            self._refresh(mu)
        return self._gram

    def _refresh(self, mu):
        m, k = self._size, mu.shape[1]
        G, sums = np.empty((k * m, k * m)), np.empty((k * m, k))
        for c in range(k):
            rows = slice(c * m, (c + 1) * m)
            for d in range(c, k):
                w = self.share * mu[:, c] * (1.0 - mu[:, c] if c == d else mu[:, d])
                sign = 1.0 if c == d else -1.0
                block = slice(d * m, (d + 1) * m)
                G[rows, block] = sign * self.columns.products(w)
                G[block, rows] = G[rows, block]
                sums[rows, d] = sums[block, c] = sign * self.columns.correlate(w)
        if self.intercept:
            self._inverse, self._sums = np.linalg.pinv(self._between(mu), hermitian=True), sums
            G -= sums @ self._inverse @ sums.T
        self._gram = G

    def centred(self, q, imbalance):
        """Minus the gradient, with the intercepts at the model's optimum."""
        q = q.T.ravel()
        return q + self._sums @ (self._inverse @ imbalance) if self.intercept else q

    def intercept_move(self, d, imbalance):
        """How far the intercepts go when the coefficients go by d."""
        if not self.intercept:
            return np.zeros(d.shape[1])
        return -self._inverse @ (imbalance + self._sums.T @ d.T.ravel())
