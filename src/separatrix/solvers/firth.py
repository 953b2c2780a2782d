r"""Firth's bias-reduced logistic regression: the likelihood times Jeffreys' prior.

Solves   max  l*(beta) = Σ s_i log p(y_i | x_i) + ½ log det I(beta),   I = Z' diag(s_i mu_i (1 - mu_i)) Z,  Z = [1, X]
by       U*(beta) = Z'(s (y - mu) + h (½ - mu)) = 0,     h the diagonal of the weighted hat matrix
Given    a design, labels in [0, 1], weights.     Returns a finite Solution, whether or not the classes are separated.
Cost     two passes over the data and O(n q²) per step; Newton steps at fixed h, halved until l* does not fall.
From     Firth (1993), Biometrika 80(1), section 3.3; Heinze and Schemper (2002), Statist. Med. 21(16).

The solution is equivariant under linear maps of the columns, so all is done in coordinates with orthonormal ones.
"""

import operator

import numpy as np
from scipy.special import expit

from separatrix.designs import as_dense
from separatrix.solvers.separation.recession import independent, powers_of_two

HALVINGS = 30
# A step of a larger score would leave the region where the information says anything.
LONGEST_STEP = 5.0


class JeffreysLikelihood:
    """The penalised likelihood of one data set, in coordinates ``(intercept, beta)[order] = T u``.

    Parameters
    ----------
    design, y, s : Design, (n,) array in [0, 1], (n,) array of weights.
    intercept : bool.
    last : int or None.  A coefficient (0 is the intercept, where there is one) that is to be ``T[-1, -1] u[-1]``
        alone, so that fixing the last coordinate fixes it.
    """

    def __init__(self, design, y, s, intercept, last=None):
        self.design, self.y, self.s, self.intercept = design, y, s, intercept
        R = design.reduce_rows(self._triangle, lambda a, b: np.linalg.qr(np.vstack([a, b]), mode="r"), s)
        design.refuse_if_not_finite(R)
        scale = powers_of_two(np.abs(R).max(axis=0, initial=0.0))
        self.kept = independent(R * scale)
        self.relations = _relations(R * scale, self.kept, scale)
        if last is not None:
            self.kept = np.append(self.kept[self.kept != last], last)
        R = np.linalg.qr(R[:, self.kept] * scale[self.kept], mode="r")
        self.T = scale[self.kept, None] * np.linalg.inv(R)
        self.width = design.p + int(intercept)
        self.passes = 1

    def _rows(self, B):
        B = np.asarray(as_dense(B))
        return np.column_stack([np.ones(len(B)), B]) if self.intercept else B

    def _triangle(self, B, s):
        return np.linalg.qr(np.sqrt(s)[:, None] * self._rows(B), mode="r")

    def _eta(self, B, u):
        M = self._rows(B)[:, self.kept] @ self.T
        return M, M @ u

    def information(self, u):
        """``l*`` and the Cholesky factor of I at u; (-inf, None) where I is singular to working precision."""

        def task(B, y, s):
            M, eta = self._eta(B, u)
            tail = np.exp(-np.abs(eta))
            value = (1.0 - y) * np.maximum(eta, 0.0) + y * np.maximum(-eta, 0.0) + np.log1p(tail)
            return Sums(-float(s @ value), (M * (s * tail / (1.0 + tail) ** 2)[:, None]).T @ M)

        self.passes += 1
        total = self.design.reduce_rows(task, operator.add, self.y, self.s)
        try:
            factor = np.linalg.cholesky(total.slope)
        except np.linalg.LinAlgError:
            return -np.inf, None
        return total.value + float(np.log(np.diag(factor)).sum()), factor

    def score(self, u, factor):
        """``U*`` at u and minus its slope at fixed h, ``M' diag((s + h) mu (1 - mu)) M``.

        With h held, U* is the score of weights s + h and labels (s y + h/2) / (s + h): steps by that slope do not
        overshoot where leverages are near one, as those by the information alone do. `factor` is its factor.
        """

        half = np.linalg.inv(factor).T

        def task(B, y, s):
            M, eta = self._eta(B, u)
            mu, tail = expit(eta), np.exp(-np.abs(eta))
            bend = tail / (1.0 + tail) ** 2
            h = s * bend * ((M @ half) ** 2).sum(axis=1)
            return Sums(M.T @ (s * (y - mu) + h * (0.5 - mu)), (M * ((s + h) * bend)[:, None]).T @ M)

        self.passes += 1
        total = self.design.reduce_rows(task, operator.add, self.y, self.s)
        return total.value, total.slope

    def maximise(self, u, *, tol, max_iter, free=None):
        """Climb from u; coordinates after the first `free` stay. Returns u, l*, factor, the relative score and steps.

        The relative score is ``sqrt(U*' I^-1 U* / q)``: the mean length of the step still to go, in standard errors.
        """
        moving = slice(0, free)
        value, factor = self.information(u)
        for step in range(max_iter + 1):
            U, slope = self.score(u, factor)
            inner = np.linalg.cholesky((factor @ factor.T)[moving, moving])
            whitened = np.linalg.solve(inner, U[moving])
            relative = float(np.sqrt(np.mean(whitened**2))) if len(whitened) else 0.0
            if relative <= tol or step == max_iter:
                break
            move = np.zeros_like(u)
            move[moving] = np.linalg.solve(slope[moving, moving], U[moving])
            move *= min(1.0, LONGEST_STEP / max(float(np.linalg.norm(whitened)), LONGEST_STEP))
            found = self._halved(u, value, move)
            if found is None:  # rounding hides any further progress
                break
            u, value, factor = found
        return u, value, factor, relative, step

    def _halved(self, u, value, move):
        rounding = 64.0 * np.finfo(np.float64).eps * (abs(value) + len(self.y))
        for _ in range(HALVINGS):
            found, factor = self.information(u + move)
            if found >= value - rounding:
                return u + move, found, factor
            move = 0.5 * move
        return None

    def coefficients(self, u):
        """Intercept first where there is one; 0 for aliased columns."""
        w = np.zeros(self.width)
        w[self.kept] = self.T @ u
        return w

    def shortest(self, w):
        """Coefficients with the scores of w and the least length, the intercept not counted."""
        aliased = np.setdiff1d(np.arange(self.width), self.kept)
        if not len(aliased):
            return w
        null = np.zeros((self.width, len(aliased)))
        null[self.kept], null[aliased, np.arange(len(aliased))] = -self.relations, 1.0
        counted = null[int(self.intercept) :]
        return w - null @ np.linalg.solve(counted.T @ counted, counted.T @ w[int(self.intercept) :])

    def covariance(self, factor):
        """``I^-1``, intercept first; NaN for aliased columns."""
        half = np.linalg.solve(factor, self.T.T)
        whole = np.full((self.width, self.width), np.nan)
        whole[np.ix_(self.kept, self.kept)] = half.T @ half
        return whole


def _relations(R, kept, scale):
    """Aliased columns as combinations of the kept ones: (kept, aliased), in the units of the unscaled columns."""
    aliased = np.setdiff1d(np.arange(R.shape[1]), kept)
    found = np.linalg.lstsq(R[:, kept], R[:, aliased], rcond=None)[0]
    # what rounding leaves of a zero would be magnified by the units
    found = np.where(np.abs(found) > 1e-12 * np.abs(found).max(axis=0, initial=0.0), found, 0.0)
    return found * scale[kept, None] / scale[aliased]


class Sums:
    """A value or vector and a matrix, summed over some rows."""

    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Sums(self.value + other.value, self.slope + other.slope)


def modified_score(design, y, s, intercept, w):
    """The relative modified score at coefficients w (intercept first), recomputed from the data alone.

    ``sqrt(U*' I^-1 U* / q)`` with an orthonormal basis of the weighted columns instead of the solver's information.
    """
    eta = design.matvec(w[int(intercept) :]) + (w[0] if intercept else 0.0)
    mu, tail = expit(eta), np.exp(-np.abs(eta))
    root = np.sqrt(s * tail) / (1.0 + tail)

    def rows(B):
        B = np.asarray(as_dense(B))
        return np.column_stack([np.ones(len(B)), B]) if intercept else B

    def merge(a, b):
        return np.linalg.qr(np.vstack([a, b]), mode="r")

    R = design.reduce_rows(lambda B, r: np.linalg.qr(r[:, None] * rows(B), mode="r"), merge, root)
    scale = powers_of_two(np.abs(R).max(axis=0, initial=0.0))
    kept = independent(R * scale)
    half = scale[kept, None] * np.linalg.inv(np.linalg.qr(R[:, kept] * scale[kept], mode="r"))

    def task(B, y, s, r, mu):
        G = rows(B)[:, kept] @ half
        h = (r * r) * (G * G).sum(axis=1)
        return G.T @ (s * (y - mu) + h * (0.5 - mu))

    whitened = design.reduce_rows(task, operator.add, y, s, root, mu)
    return float(np.sqrt(np.mean(whitened**2)))
