"""Certificates recomputed from data and a fitted model alone, whoever fitted it and however.

A model declares what there is to recompute (:mod:`separatrix.core.declaration`): the gap of the problem that it states,
the sums that its closed form is made of, the rows that it stores; or nothing, and says why.
"""

import time

import numpy as np
from scipy.linalg import qr
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import EPS, certify
from separatrix.core.declaration import declaration, steps_of
from separatrix.core.errors import cannot
from separatrix.core.objective import is_joint, null_objective
from separatrix.core.solution import Certificate, Solution
from separatrix.core.stationarity import certify_gradient
from separatrix.designs import as_dense
from separatrix.losses import Quantile, Squared
from separatrix.solvers import linear_program

# Up to this many columns the gap of ridge is computed exactly; beyond it Fenchel's bound spares the p³ operations.
MOST_COLUMNS = 2000


class NothingToVerify(TypeError):
    """A model that solves no problem and keeps no sums that could be recomputed."""


def verify(model, X, y=None, sample_weight=None):
    r"""Recompute the certificate of a fitted model from the data it claims to fit.

    .. math:: \frac{P(\hat\beta, \hat b) - \min P}{P(\text{null model})} \le \text{value}

    for a model that minimises something. Of a closed form the counts, means and covariances are recomputed by a slow
    path in extended precision, and the value is the largest relative difference; of a model that keeps its rows, the
    share of cells that are not those of the data; of a model of several parts, the worst part.

    Parameters
    ----------
    model : a fitted model of this library, or a Pipeline or search of scikit-learn that ends in one.
    X : (n, p) array, sparse array or frame.  y : (n,) or (n, k) array, or None for a transformer.
    sample_weight : (n,) array or None, default None.

    Returns
    -------
    Certificate, for the worst output, held to the model's tolerance; or, where that is larger, to what the rounding of
    the published numbers explains (they are float32 if X was). :class:`NothingToVerify` is raised, with the reason,
    where a model has nothing that could be recomputed.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 4.0, 7.0])
    >>> model = LinearRegression().fit(X, y)
    >>> verify(model, X, y).converged
    True
    >>> model.coef_ += 0.001
    >>> verify(model, X, y).converged
    False
    """
    check_is_fitted(model)
    *before, last = steps_of(model)
    for step in before:
        X = step.transform(X)
    known = declaration(last)
    if isinstance(known.verification, str) and known.inside is not None:
        return of_inside(last, X, y, sample_weight)
    if isinstance(known.verification, str):
        raise cannot(
            f"verify {type(last).__name__}",
            because=known.verification,
            instead="a model that minimises something, counts, or keeps its rows",
            kind=NothingToVerify,
        )
    return known.verification(last, X, y, sample_weight)


def of_inside(model, X, y, sample_weight=None):
    """Verify the model inside a model that adds no numbers of its own: the best of a search."""
    return verify(declaration(model).inside(model), X, y, sample_weight)


def of_problems(model, X, y, sample_weight=None):
    """The certificate of the problems that a model states (``_restate``), at its published coefficients.

    Nothing that a solver found out is used, but for a dual point of the quantile program: any dual point gives a true
    bound, so that a wrong one could only hurt the model.
    """
    started = time.perf_counter()
    problems = model._restate(X, y, sample_weight)
    solutions = _solutions(model, problems)
    tolerance = model.certificate_.tolerance
    graded = [_recompute(model.certificate_.kind, p, s, tolerance) for p, s in zip(problems, solutions)]
    worst = max(graded, key=lambda certificate: certificate.value - certificate.tolerance)
    return Certificate(
        worst.kind,
        worst.value,
        worst.tolerance,
        passes=worst.passes,
        seconds=time.perf_counter() - started,
        message=f"recomputed from {problems[0].design.n} rows and the published coefficients",
    )


def _solutions(model, problems):
    """One solution for each problem, as published."""
    # a classifier may decide by differences of what it fitted
    fitted, k = vars(model), len(problems)
    coefficients = np.atleast_2d(fitted.get("target_coef_", model.coef_))
    if is_joint(problems[0].loss):
        return [Solution(coefficients.T, np.asarray(model.intercept_))]
    if len(coefficients) != k:
        raise cannot(
            f"verify {type(model).__name__} on a y of {k} outputs",
            because=f"it was fitted to {len(coefficients)}",
            instead="the y that it was fitted to",
        )
    intercepts = np.broadcast_to(np.ravel(fitted.get("target_intercept_", model.intercept_)), k)
    return [Solution(beta, float(intercept)) for beta, intercept in zip(coefficients, intercepts)]


def _recompute(kind, problem, solution, tolerance):
    if kind == "gradient":
        return certify_gradient(problem, solution, tolerance)
    if kind == "mistakes":
        eta = problem.design.matvec(solution.beta) + solution.intercept
        return Certificate(kind, float(((problem.target.y * eta <= 0.0) & (problem.target.weights > 0.0)).sum()), 0.0)
    if not np.all(np.isfinite(solution.beta)) or not np.all(np.isfinite(solution.intercept)):
        return Certificate(kind, np.inf, tolerance)
    if hasattr(problem.loss, "link"):  # likelihoods are published in double precision
        return certify(problem, solution, tolerance)
    rounding = _Rounding(problem, solution)
    solution = Solution(solution.beta.astype(np.float64), solution.intercept)
    if kind == "KKT violation":
        return Certificate(kind, _violation(problem, solution), tolerance + rounding.relative_slope())
    if isinstance(problem.loss, Quantile):
        solution.theta = linear_program.solve(problem).theta
    if not isinstance(problem.loss, Squared) or getattr(problem.penalty, "l1", 0.0) > 0.0:
        return certify(problem, solution, max(tolerance, rounding.first_order()))
    lam = getattr(problem.penalty, "l2", getattr(problem.penalty, "lam", 0.0))
    scale = null_objective(problem) or 1.0
    if lam > 0.0 and problem.design.p > MOST_COLUMNS:
        return Certificate(kind, _fenchel_gap(problem, solution, lam) / scale, tolerance)
    gap = _explained(problem, solution, lam) / scale
    return Certificate(kind, gap, max(tolerance, rounding.second_order(lam) / scale))


def _residual(problem, solution):
    return problem.target.y - problem.design.matvec(solution.beta) - solution.intercept


def _explained(problem, solution, lam):
    """``P - min P`` of least squares or ridge, exactly: half the square of what X can still explain of the residual.

    Householder's QR of ``[1, X, r]``, block by block, leaves the coordinates of r in the span of X beside the triangle
    of X. No normal equations are formed, so that the condition of X does not matter. Ridge is least squares with p
    more rows, ``sqrt(lam) I`` against 0.
    """
    design, target = problem.design, problem.target
    mean = design.column_sums(target.s) / target.total if problem.intercept else np.zeros(design.p)

    def squares(B, s):
        return (as_dense(B) - mean).T ** 2 @ s

    size = np.sqrt(design.reduce(squares, np.add, target.weights))
    size[size == 0.0] = 1.0

    def task(B, r, s):
        Z = np.column_stack([(as_dense(B) - mean) / size, r])
        if problem.intercept:
            Z = np.column_stack([np.ones(len(r)), Z])
        return np.linalg.qr(np.sqrt(s)[:, None] * Z, mode="r")

    def merge(upper, lower):
        return np.linalg.qr(np.vstack([upper, lower]), mode="r")

    r = _residual(problem, solution)
    R = design.reduce(task, merge, r, target.weights)
    if lam > 0.0:
        root = np.sqrt(lam * target.total)
        rows = np.column_stack([np.zeros((design.p, int(problem.intercept))), np.diag(root / size)])
        R = merge(R, np.column_stack([rows, -root * solution.beta]))
    Q, triangle, _ = qr(R[:, :-1], mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diag(triangle))
    tolerance = 8.0 * EPS * max(design.n, design.p) ** 0.5 * (design.p + 1)
    rank = int((diagonal > tolerance * diagonal.max(initial=0.0)).sum())
    coordinates = Q[:, :rank].T @ R[:, -1]
    rounding = (rank + 1) * (4.0 * EPS) ** 2 * float(target.weights @ (r * r))
    return 0.5 * (float(coordinates @ coordinates) + rounding) / target.total


def _fenchel_gap(problem, solution, lam):
    """The gap of ridge as a sum of squares: ``½ ū² + |v - lam beta|² / (2 lam)``, which no rounding can make negative.

    u are the slopes, ū their mean (0 where the intercept is right), v the correlations of X with ``ū - u``.
    """
    target, beta = problem.target, solution.beta
    u = -_residual(problem, solution)
    mean = float(target.weights @ u) / target.total if problem.intercept else 0.0
    v = -problem.design.rmatvec(target.weights * (u - mean)) / target.total
    slack = v - lam * beta
    return 0.5 * mean * mean + 0.5 * float(slack @ slack) / lam


def _violation(problem, solution):
    """How far non-negative least squares or ridge is from its optimality conditions, columns and y of length one."""
    design, target, beta = problem.design, problem.target, solution.beta
    if (beta < 0.0).any():
        return np.inf
    s, u = target.weights, -_residual(problem, solution)
    mean = float(s @ u) / target.total if problem.intercept else 0.0
    centre = design.column_sums(target.s) / target.total if problem.intercept else np.zeros(design.p)
    g = design.rmatvec(s * (u - mean)) / target.total + problem.penalty.l2 * beta
    spread = np.sqrt((design.column_squares(target.s) / target.total - centre * centre).clip(min=0.0))
    level = np.sqrt(2.0 * null_objective(problem)) or 1.0
    wrong = np.where(beta > 0.0, np.abs(g), np.maximum(-g, 0.0))
    relative = np.divide(wrong, spread, out=np.zeros_like(wrong), where=spread > 0.0)
    return float(max(relative.max(initial=0.0), abs(mean)) / level)


class _Rounding:
    """What publishing coefficients in a finite precision may cost: each score moves by up to delta_i.

    ``delta_i = ½ eps Σ_j |x_ij - mean_j| |beta_j|``, with eps of the type of the coefficients; besides, all scores move
    together by up to `shift`.
    """

    def __init__(self, problem, solution):
        target, design = problem.target, problem.design
        self.problem = problem
        self.half = 0.5 * float(np.finfo(solution.beta.dtype).eps)
        self.beta = np.abs(solution.beta.astype(np.float64))
        mean = design.column_sums(target.s) / target.total if problem.intercept else np.zeros(design.p)
        self.shift = 0.5 * EPS * abs(solution.intercept) + self.half * float(np.abs(mean) @ self.beta)

        def task(B, s):
            B = np.abs(as_dense(B) - mean)
            delta = self.half * (B @ self.beta)
            return np.append(s @ (B * B), s @ (delta * delta))

        *squares, square = design.reduce(task, np.add, target.weights) / target.total
        self.size, self.square = np.sqrt(squares), float(square)

    def second_order(self, lam):
        """For smooth problems, whose gap is a square."""
        return 0.5 * (self.square + self.shift**2 + lam * float(self.half * self.beta @ (self.half * self.beta)))

    def first_order(self):
        """Relative, for a dual point that has to be scaled into the domain of the lasso by as much as v moved.

        Double precision needs no allowance: such gaps are held to 1e-15 at the tightest, their rounding included.
        """
        strength = getattr(self.problem.penalty, "l1", 0.0)
        if strength == 0.0 or self.half < EPS:
            return 0.0
        return 2.0 * float(self.size.max(initial=0.0)) * np.sqrt(self.square) / strength

    def relative_slope(self):
        """Relative to the null model, for a gradient."""
        level = np.sqrt(2.0 * null_objective(self.problem)) or 1.0
        return (np.sqrt(self.square) + self.shift) / level
