"""Random problems with kinks, bounds and likelihoods whose true gap is bounded from below in 60 digits.

``python tests/certified/many_duality_gaps.py 20000`` (``5000 10000``: those with these seeds) solves that many and
prints those whose claim is below the truth. A better point than the published one is found by Newton's method on the
coefficients that are not held at 0 or at a bound, then by descent along coordinates; the truth is at least the
difference of the two objectives.
"""

import sys
import warnings
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from mpmath import mp, mpf

from separatrix.core.certificate import certificate_kind, certify
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.separable import as_separable
from separatrix.core.solution import Solution
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Gamma, Huber, Logistic, Poisson, Probit, Quantile, Squared, Tweedie
from separatrix.penalties import Separable
from separatrix.solvers import linear_program
from separatrix.solvers.proximal_newton import proximal_newton

mp.dps = 60
STORAGES = {"dense": np.asarray, "fortran": np.asfortranarray, "float32": np.float32, "csr": sp.csr_array}


class Exact(NamedTuple):
    """A problem in 60 digits; an intercept is the last column, which nothing penalises."""

    X: list
    y: list
    s: list
    loss: object
    kink: list
    ridge: list
    low: list
    high: list

    def value(self, w):
        """P(w)."""
        fit = sum(s * self._loss(y, self._eta(x, w))[0] for x, y, s in zip(self.X, self.y, self.s)) / sum(self.s)
        return fit + sum(k * abs(b) + r * b * b / 2 for k, r, b in zip(self.kink, self.ridge, w))

    def derivatives(self, w):
        """Gradient and Hessian of the smooth part."""
        total, q = sum(self.s), len(w)
        g, H = [r * b for r, b in zip(self.ridge, w)], mp.diag(self.ridge)
        for x, y, s in zip(self.X, self.y, self.s):
            _, slope, curvature = self._loss(y, self._eta(x, w))
            for i in range(q):
                g[i] += s * slope * x[i] / total
                for j in range(q):
                    H[i, j] += s * curvature * x[i] * x[j] / total
        return g, H

    def _eta(self, x, w):
        return sum(a * b for a, b in zip(x, w))

    def _loss(self, y, eta):
        r = eta - y
        if isinstance(self.loss, Squared):
            return r * r / 2, r, mpf(1)
        if isinstance(self.loss, Huber):
            d = mpf(self.loss.delta)
            inside = abs(r) <= d
            return (r * r / 2, r, mpf(1)) if inside else (d * (abs(r) - d / 2), d * mp.sign(r), mpf(0))
        if isinstance(self.loss, Quantile):
            q = mpf(self.loss.q)
            return (-q * r, -q, mpf(0)) if r < 0 else ((1 - q) * r, 1 - q, mpf(0))
        if not isinstance(self.loss, Logistic):
            return exact_deviance(self.loss, y, eta)
        tail = mp.exp(-min(abs(eta), 10**6))
        mu = 1 / (1 + tail) if eta > 0 else tail / (1 + tail)
        return max(eta, 0) + mp.log1p(tail) - y * eta, mu - y, mu * (1 - mu)

    def best(self, w):
        """The least value of P that a few steps from w find."""
        least = self.value(w)
        if isinstance(self.loss, Quantile):
            return min([least, *(self.value(v) for v in self._vertices(w))])
        for _ in range(4):
            for v in (self._newton(w), self._descend(w)):
                here = self.value(v)
                if here < least:
                    least, w = here, v
        return least

    def _clip(self, w):
        return [min(max(b, low), high) for b, low, high in zip(w, self.low, self.high)]

    def _newton(self, w):
        g, H = self.derivatives(w)
        free = [j for j, b in enumerate(w) if self.low[j] < b < self.high[j] and (b != 0 or abs(g[j]) > self.kink[j])]
        if not free:
            return w
        sign = {j: mp.sign(w[j]) if w[j] != 0 else -mp.sign(g[j]) for j in free}
        A, b = mp.matrix(len(free), len(free)), mp.matrix(len(free), 1)
        for a, i in enumerate(free):
            b[a] = -(g[i] + self.kink[i] * sign[i])
            for c, j in enumerate(free):
                A[a, c] = H[i, j] * (1 + (mpf(10) ** -45 if i == j else 0))
            A[a, a] += mpf(10) ** -400
        try:
            step = mp.lu_solve(A, b)
        except ZeroDivisionError:
            return w
        v = list(w)
        for a, j in enumerate(free):
            v[j] += step[a]
        return self._clip(v)

    def _descend(self, w):
        w = list(w)
        for j in range(len(w)):
            g, H = self.derivatives(w)
            if H[j, j] > 0:
                v = w[j] * H[j, j] - g[j]
                b = mp.sign(v) * max(abs(v) - self.kink[j], 0) / H[j, j]
                w[j] = min(max(b, self.low[j]), self.high[j])
        return w

    def _vertices(self, w):
        """The vertices through the rows that lie nearest to the fit."""
        free = [j for j, b in enumerate(w) if b != 0]
        rows = sorted(range(len(self.y)), key=lambda i: abs(self._eta(self.X[i], w) - self.y[i]) / (1 + abs(self.y[i])))
        for count in {len(free), len(w)}:
            columns = free if count == len(free) else list(range(len(w)))
            if not 0 < count <= len(rows):
                continue
            A = mp.matrix([[self.X[i][j] for j in columns] for i in rows[:count]])
            try:
                solved = mp.lu_solve(A, mp.matrix([self.y[i] for i in rows[:count]]))
            except ZeroDivisionError:
                continue
            v = [mpf(0)] * len(w)
            for a, j in enumerate(columns):
                v[j] = solved[a]
            yield v


def exact_deviance(loss, y, eta):
    """Value, slope and curvature of the losses with other links, in the digits of mpmath."""
    mu = mp.exp(eta)
    if isinstance(loss, Poisson):
        return mu - y + (y * (mp.log(y) - eta) if y else 0), mu - y, mu
    if isinstance(loss, Gamma):
        return y / mu - 1 - mp.log(y) + eta, 1 - y / mu, y / mu
    if isinstance(loss, Tweedie):
        a, b = 2 - mpf(loss.power), 1 - mpf(loss.power)
        value = mu**a / a - y * mu**b / b + y**a / (a * b)
        return value, mu**a - y * mu**b, a * mu**a - b * y * mu**b
    if isinstance(loss, Probit):
        up, down = mp.ncdf(eta), mp.ncdf(-eta)
        m, r = mp.npdf(eta) / up, mp.npdf(eta) / down
        value = -y * mp.log(up) - (1 - y) * mp.log(down)
        return value, (1 - y) * r - y * m, y * m * (m + eta) + (1 - y) * r * (r - eta)
    if mu > 10**6:
        raise OverflowError("exp(mu) takes mpmath minutes")
    q = mu / mp.expm1(mu)  # complementary log-log: P(0) = exp(-mu)
    return (1 - y) * mu - y * mp.log(-mp.expm1(-mu)), (1 - y) * mu - y * q, (1 - y) * mu + y * q * (q + mu - 1)


def in_digits(problem, X):
    """The problem in 60 digits."""
    parts = [[mpf(float(a)) for a in part] for part in as_separable(problem.penalty, X.shape[1])]
    rows = [[mpf(float(a)) for a in row] for row in X]
    if problem.intercept:
        rows = [[*row, mpf(1)] for row in rows]
        parts = [[*part, end] for part, end in zip(parts, (mpf(0), mpf(0), -mp.inf, mp.inf))]
    y, s = ([mpf(float(a)) for a in values] for values in (problem.target.y, problem.target.weights))
    return Exact(rows, y, s, problem.loss, *parts)


def random_problem(rng, widest=4):
    """A problem that is certified by a gap, of at most so many columns, and the dense matrix of its numbers."""
    n, p = int(rng.integers(3, 10)), int(rng.integers(1, widest + 1))
    X = rng.standard_normal((n, p))
    if rng.random() < 0.3:
        X = X * 10.0 ** rng.integers(-6, 7, p)
    if rng.random() < 0.4:
        X = X + 10.0 ** rng.integers(1, 11) * np.abs(X).mean(axis=0)
    if p > 1 and rng.random() < 0.2:
        X[:, 1] = X[:, 0] * (1.0 + rng.choice([0.0, 1e-10, 1e-15]) * rng.standard_normal(n))
    if rng.random() < 0.1:
        X[0] *= 1e6
    spread = X.std(axis=0).mean() or 1.0
    y = (X - X.mean(axis=0)) @ rng.standard_normal(p) / spread + rng.standard_normal(n) * 10.0 ** rng.integers(-6, 2)
    y = rng.choice([1.0, 1.0, 1e-3, 1e5]) * y + rng.choice([0.0, 0.0, 1e3, 1e8])
    if rng.random() < 0.07:
        size = 10.0 ** int(rng.choice([-140, 140]))
        X, y = X / np.abs(X).max() * size, y / np.abs(y).max() * 10.0 ** int(rng.choice([-70, 70]))
    loss = [Squared(), Squared(), Logistic(), Logistic(), Huber(float(np.std(y)) or 1.0), Quantile(0.3)][
        rng.integers(6)
    ]
    if isinstance(loss, Logistic):
        y = (y > np.median(y)).astype(float) if rng.random() < 0.7 else rng.random(n)
    s = None
    if rng.random() < 0.4:
        s = rng.choice([0.0, 1.0, 2.0, 1e-6, 1e6, rng.random()], n)
        s[rng.integers(n, size=2)] += 1.0
    hold = rng.choice(list(STORAGES))
    X = STORAGES["dense" if hold == "float32" and np.abs(X).max() > 1e30 else hold](X)
    dense = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    intercept = bool(rng.random() < 0.7)
    penalty = random_penalty(rng, dense, y, loss)
    return Problem(as_design(X), Target(y, s), loss, penalty, intercept), dense


def random_penalty(rng, X, y, loss):
    """Strengths in units of the columns and of y; some differ by coefficient, some have bounds."""
    p = X.shape[1]
    size, unit = np.maximum(X.std(axis=0), 1e-300), 1.0 if isinstance(loss, Logistic | Quantile) else np.std(y) or 1.0
    factors = rng.choice([0.5, 1.0, 3.0], p) if rng.random() < 0.3 else np.ones(p)
    strength = 10.0 ** rng.uniform(-6, 0.3)
    kink, ridge = factors * strength * unit * size.min(), factors * strength * size.min() ** 2
    which = rng.integers(3)
    none, ends = np.zeros(p), [np.full(p, -np.inf), np.full(p, np.inf)]
    if isinstance(loss, Quantile):
        return Separable(kink, none, *ends)
    if rng.random() < 0.3:
        ends = [
            np.zeros(p) if rng.random() < 0.5 else -unit / size,
            ends[1] if rng.random() < 0.5 else 0.5 * unit / size,
        ]
        if isinstance(loss, Squared) and rng.random() < 0.5:
            return Separable(none, none, *ends)
    return Separable(kink if which != 1 else none, ridge if which != 0 else none, *ends)


def claim_and_truth(problem, X, change=0.0):
    """(claimed gap, a lower bound of the true one), relative to the null model; None where no gap is claimed."""
    if certificate_kind(problem) != "gap":
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if isinstance(problem.loss, Quantile):
            solution = linear_program.solve(problem)
        else:
            solution = proximal_newton(problem, tol=1e-14, max_iter=200)
        if change:
            parts = as_separable(problem.penalty, X.shape[1])
            beta = np.clip(solution.beta * (1.0 + change), parts.low, parts.high)
            solution = Solution(beta, solution.intercept, theta=solution.theta)
        claimed = certify(problem, solution, 1e-14).value
    if not (np.isfinite(solution.beta).all() and np.isfinite(solution.intercept)):
        return claimed, mp.inf
    w = [mpf(float(b)) for b in solution.beta] + [mpf(float(solution.intercept))] * problem.intercept
    exact = in_digits(problem, X)
    return claimed, (exact.value(w) - exact.best(w)) / mpf(gap_unit(problem))


def main(first, last):
    ratios, wrong, failed = [], 0, 0
    for seed in range(first, last):
        rng = np.random.default_rng(seed)
        problem, X = random_problem(rng, 4 if seed % 3 else 9)
        change = float(rng.choice([0.0, 0.0, 1e-12, 1e-6, 0.1]))
        try:
            both = claim_and_truth(problem, X, change)
        except (ValueError, np.linalg.LinAlgError) as error:
            failed += 1
            print("no answer:", seed, type(problem.loss).__name__, str(error)[:90], flush=True)
            continue
        if both is None:
            continue
        claimed, true = both
        if not mpf(claimed) >= true:
            wrong += 1
            print("claim below truth:", seed, type(problem.loss).__name__, claimed, float(true), flush=True)
        if 0 < true < mp.inf:
            ratios.append(float(claimed / true))
    print(
        f"{len(ratios)} problems with a gap, {wrong} claims below the truth, {failed} without an answer; "
        f"claimed / true: least {min(ratios):.3g}, median {np.median(ratios):.3g}"
    )


if __name__ == "__main__":
    main(*(int(word) for word in (["0", *sys.argv[1:]])[-2:]))
