"""Newton-Raphson: jump to the minimum of the local parabola.

Solves   min P(beta, intercept)                by   w <- w - H^-1 grad P(w),   halved until P does not rise
Given    a Problem with a smooth loss, no penalty or a ridge, one output.     Returns a Solution.
Cost     one pass over the data and O(n p^2 + p^3) per iteration: for p up to a few thousand.
From     Raphson (1690); step halving as in McCullagh and Nelder (1989), Generalized Linear Models, section 2.5.
"""

from typing import Any

import numpy as np
import scipy.linalg

from separatrix.core.certificate import certify
from separatrix.core.errors import cannot
from separatrix.core.objective import curvatures_at, informations_at, objective, slopes_at
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.core.time_limit import should_end
from separatrix.core.verbs import is_convex
from separatrix.designs.moments import moments
from separatrix.solvers.smooth import refuse_jumps, ridge_of

HALVINGS = 40
DAMPING = 0.1  # curvature added to every row where the Hessian is singular


def newton(
    problem: Problem, *, tol: float = 1e-10, max_iter: int = 50, start: Any = None, trace: Trace | None = None
) -> Solution:
    r"""Newton's method with step halving.

    .. math:: w \leftarrow w - t\,H^{-1} \nabla P(w), \qquad H = \tfrac{1}{\sum s} Z' \mathrm{diag}(s_i \ell''_i) Z +
              \mathrm{diag}(0, \lambda_1, \dots, \lambda_p), \quad Z = [1, X]

    Near the optimum the error is squared by each step; for least squares the parabola is the problem itself and one
    step is exact.

    Parameters
    ----------
    problem : Problem.  Any smooth loss of one score; no penalty or a ridge, which may differ by coefficient; y of shape
        (n,).
    tol : float, [0, inf).  Stop when the certificate is no larger: the relative duality gap with a penalty on every
        coefficient, the relative gradient otherwise.
    max_iter : int, [0, inf).  Steps at the most.
    start : (beta, intercept) or None.  Where to begin; None is zero.
    trace : Trace or None.  Filled with objective and certificate at the start and after every step, and with the
        coefficients where ``trace.coefficients`` is a list.

    >>> from separatrix.core.problem import Problem
    >>> from separatrix.designs import as_design
    >>> from separatrix.losses import Squared
    >>> from separatrix.penalties import NoPenalty
    >>> X, t = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0, 4.0])
    >>> problem = Problem(as_design(X), Target(t), Squared(), NoPenalty(), intercept=False)
    >>> newton(problem, start=([10.0, -7.0], 0.0), max_iter=1).beta.round(12)
    array([0.83333333, 1.5       ])
    """
    ridge = _checked_ridge(problem)
    beta, intercept = np.zeros(problem.design.p), 0.0
    if start is not None:
        beta, intercept = np.array(start[0], dtype=np.float64), float(start[1])
    value, was_settled = objective(problem, beta, intercept), False
    for iteration in range(max_iter + 1):
        rule = certify(problem, Solution(beta, intercept), tol)
        if trace is not None:
            trace.append(value, rule.value, beta, intercept)
        # one step more than the tolerance asks for squares what is left, so that the coefficients are right as well
        if (rule.converged and was_settled) or iteration == max_iter or should_end():
            break
        was_settled = rule.converged
        direction = _direction(problem, ridge, beta, intercept)
        moved = _halve(problem, beta, intercept, value, direction)
        if moved is None:  # rounding hides any further progress
            break
        beta, intercept, value = moved
    return Solution(beta, intercept, trace=trace, iterations=iteration, passes=3 * iteration)


def _checked_ridge(problem: Problem) -> np.ndarray:
    ridge = ridge_of(problem, "solve by Newton's method")
    refuse_jumps(problem.loss, "solve by Newton's method")
    if problem.target.y.ndim != 1:
        raise cannot(
            "solve by Newton's method",
            because=f"y has {problem.target.y.shape[1]} columns",
            instead="one output at a time, or quasi_newton for a joint loss",
        )
    return ridge


def _direction(problem: Problem, ridge: np.ndarray, beta: np.ndarray, intercept: float) -> np.ndarray:
    """``H^-1 grad P`` at a point, intercept first (0 where there is none)."""
    target, q = problem.target, problem.design.p + 1
    eta = problem.design.matvec(beta) + intercept
    # where a loss is not convex its expected curvature is positive all the same: Fisher's scoring
    bends_at = curvatures_at if is_convex(problem.loss) else informations_at
    slopes, bends = slopes_at(problem.loss, target.y, eta), bends_at(problem.loss, target.y, eta)
    s = target.weights / target.total
    g, direction = np.empty(q), np.zeros(q)
    g[0], g[1:] = s @ slopes, problem.design.rmatvec(s * slopes) + ridge * beta
    inner = slice(None) if problem.intercept else slice(1, None)
    step = _solve(_hessian(problem, ridge, s * bends)[inner, inner], g[inner], least=bends.min() > 0.0)
    if step is None:  # rows without curvature (the tails of Huber's loss) leave flat directions
        step = _solve(_hessian(problem, ridge, s * (bends + DAMPING))[inner, inner], g[inner], least=True)
    direction[inner] = step
    return direction


def _hessian(problem: Problem, ridge: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``Z' diag(weights) Z + diag(0, ridge)``, the intercept first."""
    q = problem.design.p + 1
    H = np.empty((q, q))
    H[1:, 1:] = moments(problem.design, Target(problem.target.y, weights), about_mean=False).xx
    H[0, 0], H[0, 1:] = weights.sum(), problem.design.rmatvec(weights)
    H[1:, 0] = H[0, 1:]
    H[np.arange(1, q), np.arange(1, q)] += ridge
    return H


def _solve(H: np.ndarray, g: np.ndarray, *, least: bool) -> np.ndarray | None:
    """``H^-1 g`` with the columns scaled to unit diagonal; where H is singular the `least` such vector, or None."""
    d = np.sqrt(np.diag(H))
    d = np.where(d > 0.0, d, 1.0)
    scaled, smallest = H / np.multiply.outer(d, d), 10.0 * d.shape[0] * np.finfo(np.float64).eps
    try:
        factor = scipy.linalg.cho_factor(scaled)
        if (np.diag(factor[0]) ** 2 > smallest).all():
            return np.asarray(scipy.linalg.cho_solve(factor, g / d) / d)
    except np.linalg.LinAlgError:
        pass
    return np.linalg.lstsq(scaled, g / d, rcond=smallest)[0] / d if least else None


def _halve(
    problem: Problem, beta: np.ndarray, intercept: float, value: float, direction: np.ndarray
) -> tuple[np.ndarray, float, float] | None:
    """The first of the steps 1, 1/2, 1/4, ... that does not raise the objective, or None."""
    step, rounding = 1.0, 8.0 * np.finfo(np.float64).eps * abs(value)
    for _ in range(HALVINGS):
        moved, moved_intercept = beta - step * direction[1:], intercept - step * direction[0]
        value_moved = objective(problem, moved, moved_intercept)
        if value_moved <= value + rounding:
            return moved, moved_intercept, value_moved
        step *= 0.5
    return None
