"""The lasso and elastic net on a Gram matrix: coordinate descent finds the support, Newton's method finishes on it.

Solves   min_b  ½ b'G b - c'b + l1 |b|_1 + ½ l2 |b|²      (b >= 0 if positive)
Given    G = X'X and c = X'y of the columns in play, a start.
Returns  b with a relative duality gap of at most `tol`.
From     Friedman, Hastie and Tibshirani (2010), J. Statist. Software 33(1), covariance updates. We differ in the
         finish: on a fixed support with fixed signs the problem is linear, so one Cholesky solve takes the place of
         the many sweeps that correlated columns need.
Cost     a sweep: (changed columns) x (columns); a finish: (support)³/3.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.solvers.compiled.gram_coordinate import shift, sweep

EPS = np.finfo(np.float64).eps
# A Cholesky solve costs about as much as this many sweeps over the same support.
LARGEST_SUPPORT = 4000


def relative_gap(rr, ry, null, beta, v, penalty):
    """``(P(beta) - D(theta)) / P(0)`` for the residual scaled into the dual's domain.

    The elastic net is a lasso on rows augmented with ``sqrt(l2) I``: `v` are the correlations with the augmented
    residual, ``X'r - l2 beta``. `rr`, `ry` and `null` are ``r'Sr``, ``r'Sy`` and ``y'Sy`` over Σs.
    """
    ridge = penalty.l2 * float(beta @ beta)
    primal = 0.5 * rr + penalty.l1 * float(np.abs(beta).sum()) + 0.5 * ridge
    reach = float((v if penalty.positive else np.abs(v)).max(initial=0.0))
    size = rr + ridge
    scale = ry / size if size > 0.0 else 0.0
    if reach * abs(scale) > penalty.l1:
        scale = np.sign(scale) * penalty.l1 / reach
    dual = scale * ry - 0.5 * scale * scale * size
    if null == 0.0:
        return 0.0
    return max(primal - dual, 0.0) / (0.5 * null) + 16.0 * EPS


class GramProblem:
    """G and c of a growing set of columns, with the current coefficients ``beta`` and ``q = c - G beta``."""

    def __init__(self, capacity=128):
        self.size = 0
        self.G = np.empty((capacity, capacity))
        self.c = np.empty(capacity)
        self.beta = np.zeros(capacity)
        self.q = np.empty(capacity)
        self.sweeps = 0
        self._factor = None

    @classmethod
    def whole(cls, G, c):
        """All columns at once."""
        problem = cls(0)
        problem.size, problem.G, problem.c = len(c), np.ascontiguousarray(G), np.array(c)
        problem.beta, problem.q = np.zeros(len(c)), np.array(c)
        return problem

    def grow(self, cross, c):
        """Add columns: `cross` (size + new, new) holds their products with the old columns and with themselves."""
        old, new = self.size, self.size + len(c)
        if new > len(self.c):
            self._reserve(max(new, 2 * len(self.c)))
        self.G[:new, old:new] = cross
        self.G[old:new, :old] = cross[:old].T
        self.c[old:new] = c
        self.beta[old:new] = 0.0
        self.q[old:new] = c - cross[:old].T @ self.beta[:old]
        self.size = new

    def _reserve(self, capacity):
        keep = self.size
        for name in ("c", "beta", "q"):
            longer = np.zeros(capacity)
            longer[:keep] = getattr(self, name)[:keep]
            setattr(self, name, longer)
        G = np.empty((capacity, capacity))
        G[:keep, :keep] = self.G[:keep, :keep]
        self.G = G

    def solve(self, penalty, null, tol, max_sweeps=10_000):
        """Solve to the relative gap `tol` of these columns; `null` is y'y. Returns the sweeps used."""
        before = self.sweeps
        best = np.inf
        if self._factor is not None and np.array_equal(self._factor[1], np.flatnonzero(self.beta[: self.size])):
            self._finish(penalty)  # a new strength: the last factor foretells where its solution lies
        while self.sweeps - before < max_sweeps:
            if not self._settle(penalty) or self.gap(penalty, null) <= tol:
                break
            self._finish(penalty)
            gap = self.gap(penalty, null)
            if gap <= tol or (gap < 1e-14 and gap > 0.5 * best):  # no more to be had in this precision
                break
            best = min(best, gap)
        return self.sweeps - before

    def _settle(self, penalty, most=8):
        """Sweep until a sweep leaves the support as it was: then a factorisation is worth its cost."""
        for _ in range(most):
            self.sweeps += 1
            crossed, changed = sweep(self.G, penalty, self.size, self.beta, self.q, False)
            if crossed == 0:
                break
        return changed

    def gap(self, penalty, null):
        """Relative duality gap of the problem of these columns alone."""
        beta, c, q = self.beta[: self.size], self.c[: self.size], self.q[: self.size]
        ry = null - float(beta @ c)
        rr = max(ry - float(beta @ q), 0.0)
        return relative_gap(rr, ry, null, beta, q - penalty.l2 * beta, penalty)

    def objective(self, penalty):
        """The objective, less the constant ½ y'y."""
        beta = self.beta[: self.size]
        fit = -0.5 * beta @ (self.c[: self.size] + self.q[: self.size])
        return float(fit + penalty.l1 * np.abs(beta).sum() + 0.5 * penalty.l2 * beta @ beta)

    def _finish(self, penalty):
        """Newton's step on the support; coefficients that would change sign stop at zero."""
        support = np.flatnonzero(self.beta[: self.size])
        if not 0 < len(support) <= LARGEST_SUPPORT:
            return
        factor = self._factor_of(support, penalty.l2)
        if factor is None:
            return
        beta, sign = self.beta[support], np.sign(self.beta[support])
        step = cho_solve(factor, self.q[support] - penalty.l2 * beta - penalty.l1 * sign, check_finite=False)
        crosses = (beta + step) * sign < 0.0
        if crosses.any():
            # as far as the first zero the objective falls for certain
            fraction = (beta[crosses] / -step[crosses]).min()
            before, saved = self.objective(penalty), (self.beta[support].copy(), self.q[: self.size].copy())
            self._move(support, np.where(crosses, -beta, step))
            if self.objective(penalty) <= before:
                return
            self.beta[support], self.q[: self.size] = saved
            step = fraction * step
            step[np.abs(beta + step) <= 1e-15 * np.abs(beta)] = -beta[np.abs(beta + step) <= 1e-15 * np.abs(beta)]
        self._move(support, step)

    def _move(self, support, step):
        moved = self.beta[support] + step
        moved[step == -self.beta[support]] = 0.0
        shift(self.G, self.size, support, step, self.q)
        self.beta[support] = moved

    def _factor_of(self, support, l2):
        """Cholesky factor of the support's Gram matrix, kept while the support stays the same; None if singular."""
        if self._factor is not None and self._factor[0] == l2 and np.array_equal(self._factor[1], support):
            return self._factor[2]
        block = self.G[np.ix_(support, support)]
        block[np.diag_indices(len(support))] += l2
        try:
            factor = cho_factor(block, overwrite_a=True, check_finite=False)
            if np.diag(factor[0]).min() < 1e-7 * np.diag(factor[0]).max():
                factor = None  # columns dependent to half of all digits: a Newton step would be noise
        except LinAlgError:
            factor = None
        self._factor = (l2, support, factor)
        return factor
