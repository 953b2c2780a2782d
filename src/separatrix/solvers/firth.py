r"""Firth's bias-reduced logistic regression: the likelihood times Jeffreys' prior.

Solves   max  l*(beta) = Σ s_i log p(y_i | x_i) + ½ log det I(beta),   I = Z' diag(s_i mu_i (1 - mu_i)) Z,  Z = [1, X]
by       U*(beta) = Z'(s (y - mu) + h (½ - mu)) = 0,     h the diagonal of the weighted hat matrix
Given    a Problem of logistic loss without a penalty.    Returns a Solution, finite for separated classes too.
Cost     two passes over the data and O(n q²) per step; Newton steps at fixed h, halved until l* does not fall.
From     Firth (1993), Biometrika 80(1), section 3.3; Heinze and Schemper (2002), Statist. Med. 21(16).

The solution is equivariant under linear maps of the columns, so all is done in coordinates with orthonormal ones.
"""

import operator
from typing import Any

import numpy as np
from scipy.special import expit

from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.designs import as_dense
from separatrix.designs.base import Block
from separatrix.designs.factor import merged_triangles, triangle_of
from separatrix.solvers.separation.recession import independent, powers_of_two

HALVINGS = 30
# Squares of longer columns overflow, and so do inverses of squares of shorter ones than its inverse.
LARGEST = 1e150
# A step of a larger score would leave the region where the information says anything.
LONGEST_STEP = 5.0
# The largest condition number of the root of the information that coordinates are kept with. It is larger where rows
# that rule the columns have fitted probabilities of 0 or 1 and tell nothing: rounding then stops the climb early.
WELL_CONDITIONED, TURNS = 30.0, 3


def firth(
    problem: Problem,
    *,
    tol: float = 1e-8,
    max_iter: int = 200,
    start: np.ndarray | None = None,
    trace: Trace | None = None,
) -> Solution:
    """Maximise the penalised likelihood; see the head of this file.

    Parameters
    ----------
    problem : Problem.  Logistic loss, y in [0, 1]; its penalty is not used: Jeffreys' prior takes its place.
    tol : float, [0, inf).  The relative modified score to reach (:meth:`JeffreysLikelihood.maximise`).
    max_iter : int, [0, inf).  Steps at the most.
    start : (r,) array or None.  Where to begin, in the coordinates of :class:`JeffreysLikelihood`; None is zero.
    trace : without effect.

    Returns
    -------
    Solution.  Of least length, where columns are combinations of others. ``details`` holds "log_likelihood", the
    "covariance" of intercept and coefficients (intercept first, where there is one; NaN for such columns), and the
    numbers of these columns, "aliased".
    """
    likelihood = JeffreysLikelihood(problem)
    start = np.zeros(len(likelihood.kept)) if start is None else start
    u, value, factor, _, steps = likelihood.maximise(start, tol=tol, max_iter=max_iter)
    for _ in range(TURNS):
        if np.linalg.cond(factor) <= WELL_CONDITIONED:
            break
        u = likelihood.turn(u)
        u, value, factor, _, more = likelihood.maximise(u, tol=tol, max_iter=max_iter)
        steps += more
    first = int(problem.intercept)
    details = {
        # the prior depends on the units of X by a constant only; this is its value in those of X
        "log_likelihood": value - float(np.linalg.slogdet(likelihood.T)[1]),
        "covariance": likelihood.covariance(factor),
        "aliased": np.setdiff1d(np.arange(first, likelihood.width), likelihood.kept) - first,
    }
    w = likelihood.shortest(likelihood.coefficients(u))
    intercept = float(w[0]) if first else 0.0
    return Solution(w[first:], intercept, details=details, iterations=steps, passes=likelihood.passes)


class JeffreysLikelihood:
    """The penalised likelihood of one data set, in coordinates ``(intercept, beta)[order] = T u``.

    Parameters
    ----------
    problem : Problem.  Logistic loss, y in [0, 1].
    last : int or None.  A coefficient (0 is the intercept, where there is one) that is to be ``T[-1, -1] u[-1]``
        alone, so that fixing the last coordinate fixes it.
    """

    def __init__(self, problem: Problem, last: int | None = None) -> None:
        self.design, self.target, self.intercept = problem.design, problem.target, problem.intercept
        design, intercept = self.design, self.intercept
        R = design.reduce(self._triangle, merged_triangles, self.target)
        design.refuse_if_not_finite(R)
        sizes = np.abs(R).max(axis=0, initial=0.0)
        if ((sizes > LARGEST) | ((sizes > 0.0) & (sizes < 1.0 / LARGEST))).any():
            raise cannot(
                "estimate the variances of coefficients",
                because=f"columns of X are as long as {sizes.max():.3g} or as short as {sizes[sizes > 0.0].min():.3g}, "
                "and squares of such numbers are beyond float64",
                instead="columns in other units (StandardScaler, say)",
            )
        scale = powers_of_two(sizes)
        self.kept = independent(R * scale)
        self.relations = _relations(R * scale, self.kept, scale)
        if last is not None:
            self.kept = np.append(self.kept[self.kept != last], last)
        R = triangle_of(R[:, self.kept] * scale[self.kept])
        self.T = scale[self.kept, None] * np.linalg.inv(R)
        self.width = design.p + int(intercept)
        self.passes = 1

    def turn(self, u: np.ndarray) -> np.ndarray:
        """Take coordinates in which the information at u is the identity; return u in them."""
        w = self.T @ u

        def task(block: Block) -> np.ndarray:
            tail = np.exp(-np.abs(self._eta(block.X, u)[1]))
            root = np.sqrt(block.weights * tail) / (1.0 + tail)
            return triangle_of(root[:, None] * self._rows(block.X)[:, self.kept])

        R = self.design.reduce(task, merged_triangles, self.target)
        scale = powers_of_two(np.abs(R).max(axis=0, initial=0.0))
        R = triangle_of(R * scale)
        self.T = scale[:, None] * np.linalg.inv(R)
        self.passes += 1
        return R @ (w / scale)

    def _rows(self, B: Any) -> np.ndarray:
        B = np.asarray(as_dense(B))
        return np.column_stack([np.ones(len(B)), B]) if self.intercept else B

    def _triangle(self, block: Block) -> np.ndarray:
        return triangle_of(np.sqrt(block.weights)[:, None] * self._rows(block.X))

    def _eta(self, B: Any, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        M = self._rows(B)[:, self.kept] @ self.T
        return M, M @ u

    def information(self, u: np.ndarray) -> tuple[float, Any]:
        """``l*`` and the Cholesky factor of I at u; (-inf, None) where I is singular to working precision."""

        def task(block: Block) -> Sums:
            y, s, (M, eta) = block.y, block.weights, self._eta(block.X, u)
            tail = np.exp(-np.abs(eta))
            value = (1.0 - y) * np.maximum(eta, 0.0) + y * np.maximum(-eta, 0.0) + np.log1p(tail)
            return Sums(-float(s @ value), (M * (s * tail / (1.0 + tail) ** 2)[:, None]).T @ M)

        self.passes += 1
        total = self.design.reduce(task, operator.add, self.target)
        try:
            factor = np.linalg.cholesky(total.slope)
        except np.linalg.LinAlgError:
            return -np.inf, None
        return total.value + float(np.log(np.diag(factor)).sum()), factor

    def score(self, u: np.ndarray, factor: np.ndarray) -> tuple[Any, np.ndarray]:
        """``U*`` at u and minus its slope at fixed h, ``M' diag((s + h) mu (1 - mu)) M``.

        With h held, U* is the score of weights s + h and labels (s y + h/2) / (s + h): steps by that slope do not
        overshoot where leverages are near one, as those by the information alone do. `factor` is its factor.
        """

        half = np.linalg.inv(factor).T

        def task(block: Block) -> Sums:
            y, s, (M, eta) = block.y, block.weights, self._eta(block.X, u)
            mu, tail = expit(eta), np.exp(-np.abs(eta))
            bend = tail / (1.0 + tail) ** 2
            h = s * bend * ((M @ half) ** 2).sum(axis=1)
            return Sums(M.T @ (s * (y - mu) + h * (0.5 - mu)), (M * ((s + h) * bend)[:, None]).T @ M)

        self.passes += 1
        total = self.design.reduce(task, operator.add, self.target)
        return total.value, total.slope

    def maximise(
        self, u: np.ndarray, *, tol: float, max_iter: int, free: int | None = None
    ) -> tuple[np.ndarray, float, Any, float, int]:
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
            moved = self._halved(u, value, move)
            if moved is None:  # rounding hides any further progress
                break
            u, value, factor = moved
        return u, value, factor, relative, step

    def _halved(self, u: np.ndarray, value: float, move: np.ndarray) -> tuple[np.ndarray, float, Any] | None:
        rounding = 64.0 * np.finfo(np.float64).eps * (abs(value) + self.target.n)
        for _ in range(HALVINGS):
            here, factor = self.information(u + move)
            if here >= value - rounding:
                return u + move, here, factor
            move = 0.5 * move
        return None

    def coefficients(self, u: np.ndarray) -> np.ndarray:
        """Intercept first where there is one; 0 for aliased columns."""
        w = np.zeros(self.width)
        w[self.kept] = self.T @ u
        return w

    def shortest(self, w: np.ndarray) -> np.ndarray:
        """Coefficients with the scores of w and the least length, the intercept not counted."""
        aliased = np.setdiff1d(np.arange(self.width), self.kept)
        if not len(aliased):
            return w
        null = np.zeros((self.width, len(aliased)))
        null[self.kept], null[aliased, np.arange(len(aliased))] = -self.relations, 1.0
        counted = null[int(self.intercept) :]
        return w - null @ np.linalg.solve(counted.T @ counted, counted.T @ w[int(self.intercept) :])

    def covariance(self, factor: np.ndarray) -> np.ndarray:
        """``I^-1``, intercept first; NaN for aliased columns."""
        half = np.linalg.solve(factor, self.T.T)
        whole = np.full((self.width, self.width), np.nan)
        with np.errstate(over="ignore"):  # of columns below 1e-154 variances are beyond all numbers
            whole[np.ix_(self.kept, self.kept)] = half.T @ half
        return whole


def _relations(R: np.ndarray, kept: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Aliased columns as combinations of the kept ones: (kept, aliased), in the units of the unscaled columns."""
    aliased = np.setdiff1d(np.arange(R.shape[1]), kept)
    shares = np.linalg.lstsq(R[:, kept], R[:, aliased], rcond=None)[0]
    # what rounding leaves of a zero would be magnified by the units
    shares = np.where(np.abs(shares) > 1e-12 * np.abs(shares).max(axis=0, initial=0.0), shares, 0.0)
    return shares * scale[kept, None] / scale[aliased]


class Sums:
    """A value or vector and a matrix, summed over some rows."""

    def __init__(self, value: Any, slope: np.ndarray) -> None:
        self.value, self.slope = value, slope

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.value + other.value, self.slope + other.slope)


def modified_score(problem: Problem, beta: np.ndarray, intercept: float) -> float:
    """The relative modified score at some coefficients, recomputed from the data alone.

    ``sqrt(U*' I^-1 U* / q)`` with an orthonormal basis of the weighted columns instead of the solver's information.
    """
    design = problem.design
    eta = design.matvec(beta) + intercept
    mu, tail = expit(eta), np.exp(-np.abs(eta))
    root = np.sqrt(problem.target.weights * tail) / (1.0 + tail)

    def rows(B: Any) -> np.ndarray:
        B = np.asarray(as_dense(B))
        return np.column_stack([np.ones(len(B)), B]) if problem.intercept else B

    R = design.reduce(lambda block, r: triangle_of(r[:, None] * rows(block.X)), merged_triangles, None, root)
    scale = powers_of_two(np.abs(R).max(axis=0, initial=0.0))
    kept = independent(R * scale)
    half = scale[kept, None] * np.linalg.inv(triangle_of(R[:, kept] * scale[kept]))

    def task(block: Block, r: np.ndarray, mu: np.ndarray) -> np.ndarray:
        G = rows(block.X)[:, kept] @ half
        h = (r * r) * (G * G).sum(axis=1)
        return G.T @ (block.weights * (block.y - mu) + h * (0.5 - mu))

    whitened = design.reduce(task, operator.add, problem.target, root, mu)
    return float(np.sqrt(np.mean(whitened**2)))
