"""The lasso solved exactly, down a list of λ: the reference that no contestant had a hand in.

Solves   min  ||y - X beta - b||²/(2n) + lam ||beta||_1    for each λ, warm-started from the one before.
Given    X dense or CSC.    Returns coefficients as CSC (p, number of λ) and intercepts.
From     feature-sign search, Lee et al. (NIPS 2006), algorithm 1; we differ in letting several columns in at once.
         With signs fixed the problem is linear, so it ends at the solution up to rounding, not within a tolerance.
         Columns that enter with the wrong sign are sent back; one of the right sign always remains.
"""

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from threadpoolctl import threadpool_limits  # comes with scikit-learn

SLACK = 1e-11  # a score above λ by less than this part is rounding
LIMIT = 1_000  # of rounds per λ, tens being usual; if it were met, the printed gap of the reference would show it


def exact_lasso(X, y, lams, intercept=True):
    p = X.shape[1]
    means = np.asarray(X.mean(axis=0)).ravel() if intercept else np.zeros(p)
    centre = y.mean() if intercept else 0.0
    columns = _Columns(X, y - centre, means)
    active, beta = np.zeros(0, dtype=np.int64), np.zeros(0)
    path = []
    with threadpool_limits(1, "blas"):  # hundreds of small systems: waking threads costs more than they give
        for lam in lams:
            active, beta = _solve(columns, lam, active, beta)
            path.append(sparse.csc_matrix((beta, (active, np.zeros_like(active))), shape=(p, 1)))
    coefs = sparse.hstack(path, format="csc")
    return coefs, centre - coefs.T @ means


class _Columns:
    """Scores of all centred columns, and the Gram matrix of those that were ever active, in units of 1/n."""

    def __init__(self, X, yc, means):
        self.X, self.yc, self.means, self.n = X, yc, means, X.shape[0]
        self.place = np.full(X.shape[1], -1)
        self.known = np.zeros(0, dtype=np.int64)
        self.gram = np.zeros((0, 0))
        self.c = self.scores(yc)

    def scores(self, r):
        return (self.X.T @ r - self.means * r.sum()) / self.n

    def residual(self, active, beta):
        return self.yc - self.X[:, active] @ beta + self.means[active] @ beta

    def gram_of(self, active):
        new = active[self.place[active] < 0]
        if len(new):
            self._learn(new)
        at = self.place[active]
        return self.gram[np.ix_(at, at)]

    def _learn(self, new):
        old = len(self.known)
        self.place[new] = old + np.arange(len(new))
        self.known = np.concatenate([self.known, new])
        side = self.X[:, self.known].T @ self.X[:, new]
        side = side.toarray() if sparse.issparse(side) else side
        side = side / self.n - np.outer(self.means[self.known], self.means[new])
        gram = np.empty((len(self.known), len(self.known)))
        gram[:old, :old] = self.gram
        gram[:, old:] = side
        gram[old:, :old] = side[:old].T
        self.gram = gram


def _solve(columns, lam, active, beta):
    signs = np.sign(beta)
    for _ in range(LIMIT):
        active, beta = _settle(columns, lam, active, beta, signs)
        score = columns.scores(columns.residual(active, beta))
        excess = np.abs(score) - lam * (1.0 + SLACK)
        excess[active] = 0.0
        room = min(max(10, len(active) // 4), columns.n - 1 - len(active))
        entering = np.argsort(-excess, kind="stable")[: max(room, 1)]
        entering = entering[excess[entering] > 0.0]
        if not len(entering):
            break
        active = np.concatenate([active, entering])
        signs = np.concatenate([np.sign(beta), np.sign(score[entering])])
        beta = np.concatenate([beta, np.zeros(len(entering))])
    return active, beta


def _settle(columns, lam, active, beta, signs):
    """The solution on the active columns, of which those at zero enter with `signs`, less those that it sends back."""
    for _ in range(LIMIT):
        if not len(active):
            break
        G, c = columns.gram_of(active), columns.c[active]
        step = _newton_step(G, c - lam * signs - G @ beta)
        wrong = (beta == 0.0) & (step * signs <= 0.0)
        if not wrong.any():
            beta, settled = _search(G, c, lam, beta, step)
            if settled:
                return active, beta
            wrong = beta == 0.0
            signs = np.sign(beta)
        active, beta, signs = active[~wrong], beta[~wrong], signs[~wrong]
    return active, beta


def _newton_step(G, downhill):
    """G step = downhill.  Two rare words of one text are two equal columns: a little ridge then makes the matrix
    definite, and its effect is refined away; where the equations disagree, the step is long and `_search` cuts it.
    """
    try:
        return cho_solve(cho_factor(G), downhill)
    except np.linalg.LinAlgError:
        factor = cho_factor(G + 1e-9 * np.mean(np.diag(G)) * np.eye(len(G)))
    step = np.zeros(len(G))
    for _ in range(4):
        step += cho_solve(factor, downhill - G @ step)
    return step


def _search(G, c, lam, beta, step):
    """The best point on the way, among its end and the places where a coefficient passes zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = np.where(beta * step < 0.0, -beta / step, np.inf)
    t = np.append(np.sort(crossing[crossing < 1.0]), 1.0)
    if len(t) == 1:
        return beta + step, True
    Gs = G @ step
    smooth = t * (step @ (G @ beta - c)) + 0.5 * t * t * (step @ Gs)
    best = t[np.argmin(smooth + lam * np.abs(beta + t[:, None] * step).sum(axis=1))]
    moved = beta + best * step
    moved[crossing == best] = 0.0
    return moved, False
