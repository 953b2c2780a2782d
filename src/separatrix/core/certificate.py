"""The judge: certificates made from problem and solution alone, by nothing that a solver says about itself.

What is certified depends on the problem only:

- squared error under a penalty without kinks (least squares, ridge, bounds): the gap ``P(beta) - min P`` itself
  (:mod:`separatrix.core.quadratic`);
- any loss under a penalty on every coefficient, and losses with kinks: Fenchel's bound on that gap
  (:mod:`separatrix.core.fenchel`);
- likelihoods with coefficients that nothing penalises, and those under a penalty too weak for Fenchel's bound:
  a bound by Newton's decrement (:mod:`separatrix.core.newton_decrement`);
- what is left (losses that are not convex; losses of unknown or no curvature, several classes under a partial penalty
  and streams of very many rows, each with coefficients that nothing penalises): the gradient
  (:mod:`separatrix.core.stationarity`). A small gradient is no bound on the gap: where columns are nearly dependent,
  much may be gained along it; and without convexity another minimum may be lower. Such a fit is called stationary, not
  certified.

All are relative to the null model. The rounding errors of a gap's own computation are bounded and added to it. The
bounds assume errors of random signs. What a column may gain that is a combination of others to within rounding is part
of the gap; where its entries differ from the combination by no more than their own rounding, of the tolerance, too.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from separatrix.core.errors import NotCertified, cannot
from separatrix.core.fenchel import duality_gap as duality_gap
from separatrix.core.newton_decrement import decrement_gap, has_decrement
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.quadratic import quadratic_gap
from separatrix.core.solution import Certificate, Solution, Trace
from separatrix.core.stationarity import Rounding, relative_gradient
from separatrix.core.types import Array
from separatrix.core.verbs import is_convex, is_joint, is_smooth, is_squared_error

# Squares of smaller numbers lose digits, or are 0.
SMALLEST_Y = 1e-145
# A larger gap, or gradient, of coefficients in single precision is not called small, whatever rounding explains.
MOST_EXPLAINED = 1e-4
NO_BOUND = "a small gradient bounds no gap: along nearly dependent columns much may be gained"
SEVERAL_MAXIMA = "a small gradient bounds no gap: the likelihood has several maxima, and another may be higher"
NETWORK = "a small gradient bounds no gap: the objective of a network is not convex, and another minimum may be lower"
NOT_CONVEX = "a small gradient bounds no gap: the loss is not convex, and another minimum may be lower"


def certify(problem: Problem, solution: Solution, tol: float, *, started: float | None = None) -> Certificate:
    """The certificate of a solution, of one output or the worst of several.

    Parameters
    ----------
    problem : Problem.
    solution : Solution.  ``beta`` (p,) or (p, k) in the precision in which it is published, ``intercept``, and a dual
        point ``theta``, if one is known: a slope for each row, or the coefficients and the intercept whose slopes it
        is. Any dual point gives a true bound, a good one a tight one.
        Iterations and passes are published as they are.
    tol : float, [0, inf).  The relative gap (or gradient) asked for. Where the rounding of the coefficients to the
        precision in which they are published may cost more, the certificate is held to that, and says so.
    started : float or None.  ``time.perf_counter()`` at the start of the fit.
    """
    value, tolerance, message = _judged_once(problem, solution, tol)
    kind, seconds = certificate_kind(problem), _seconds(started)
    return Certificate(kind, value, tolerance, solution.iterations, solution.passes, seconds, message)


def record(trace: Trace | None, problem: Problem, value: float, solution: Solution, tol: float) -> None:
    """Append an iterate to a trace, if one is kept: its objective, given, and what :func:`certify` says of it."""
    if trace is not None:
        trace.append(value, certify(problem, solution, tol).value, solution.beta, solution.intercept)


def certificate_kind(problem: Problem) -> str:
    """``"gap"`` or ``"gradient"``: see the head of this file."""
    if _is_quadratic(problem) or not is_smooth(problem.loss):
        return "gap"
    if not is_convex(problem.loss):
        return "gradient"
    return "gap" if problem.parts.penalises_all or has_decrement(problem) else "gradient"


def _is_quadratic(problem: Problem) -> bool:
    return is_squared_error(problem.loss) and not problem.parts.kink.any()


def _judged_once(problem: Problem, solution: Solution, tol: float) -> tuple[float, float, str]:
    """The last judgement of this problem, if it was on the same numbers: a solver's stopping rule may have just asked.

    X is not read again for it.
    """
    beta, intercept = np.array(solution.beta), np.array(solution.intercept)
    numbers, theta, last_tol, judgement = problem.judged.get("last", ((), None, None, None))
    same = numbers and all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(numbers, (beta, intercept)))
    if same and theta is solution.theta and last_tol == tol:
        return judgement
    with np.errstate(all="ignore"):  # what overflows is no number, and certifies nothing
        judgement = _judged(problem, solution, tol)
    problem.judged["last"] = (beta, intercept), solution.theta, tol, judgement
    return judgement


def _judged(problem: Problem, solution: Solution, tol: float) -> tuple[float, float, str]:
    """Value, tolerance and message."""
    kink, ridge, low, high = problem.parts
    if not all(part.min(initial=0.0) >= 0.0 for part in (kink, ridge, -low, high)):
        raise cannot(
            f"certify a solution under {type(problem.penalty).__name__}",
            because="it is not convex, or its bounds leave 0 out",
            instead="kink >= 0, ridge >= 0 and low <= 0 <= high",
        )
    if is_squared_error(problem.loss):
        sizes = np.maximum(*np.abs(problem.target.ends)) * np.sqrt(problem.target.total / problem.target.n)
        if np.any((sizes > 0.0) & (sizes < SMALLEST_Y)):
            return np.inf, tol, "y is too small to be squared: use other units"
    if _is_quadratic(problem):
        theta = None if isinstance(solution.theta, tuple) else solution.theta
        gap = quadratic_gap(problem, np.asarray(solution.beta), solution.intercept, tol, theta)
        rounding = f"rounding of the coefficients may cost {gap.explained:.1e}" if gap.explained > tol else ""
        dependent = f"columns dependent to within rounding may gain {gap.dependent:.1e}" if gap.dependent > tol else ""
        message = ", ".join(filter(None, (gap.independent, rounding, dependent)))
        return gap.value, max(tol, gap.explained) + gap.dependent, message
    if not np.all(np.isfinite(solution.beta)) or not np.all(np.isfinite(solution.intercept)):
        return np.inf, tol, ""
    single = np.asarray(solution.beta).dtype != np.float64
    if certificate_kind(problem) == "gradient":
        size = relative_gradient(problem, solution)
        bound = NO_BOUND if is_convex(problem.loss) else NOT_CONVEX
        rounding = Rounding.of(problem, solution).relative_gradient() if single and size > tol else 0.0
        message = f"rounding of the coefficients may leave {rounding:.1e}" if rounding > tol else ""
        return size, max(tol, min(rounding, MOST_EXPLAINED)), bound if size <= tol else message
    value = np.inf
    if problem.parts.penalises_all or not is_smooth(problem.loss):
        value = max(
            duality_gap(one, part.beta, part.intercept, part.theta) / gap_unit(one)
            for one, part in _outputs(problem, solution)
        )
    if value > tol and is_smooth(problem.loss) and has_decrement(problem):
        by_decrement = _by_decrement(problem, solution, tol)
        if by_decrement[0] < value:
            return by_decrement
    if single and value > tol and not kink.any() and np.all(ridge > 0.0):
        rounding = Rounding.of(problem, solution).gap(ridge) / gap_unit(problem)
        message = f"rounding of the coefficients may cost {rounding:.1e}" if rounding > tol else ""
        return value, max(tol, min(rounding, MOST_EXPLAINED)), message
    return value, tol, ""


def _by_decrement(problem: Problem, solution: Solution, tol: float) -> tuple[float, float, str]:
    """Value, tolerance and message by Newton's decrement."""
    gaps = [decrement_gap(one, part.beta, part.intercept, tol) for one, part in _outputs(problem, solution)]
    gap = max(gaps, key=lambda each: each.value)
    rounding = f"rounding of the coefficients may cost {gap.explained:.1e}" if gap.explained > tol else ""
    dependent = f"columns dependent to within rounding may gain {gap.dependent:.1e}" if gap.dependent > tol else ""
    explained = min(gap.explained, MOST_EXPLAINED)
    return gap.value, max(tol, explained) + gap.dependent, ", ".join(filter(None, (rounding, dependent)))


def _outputs(problem: Problem, solution: Solution) -> list[tuple[Problem, Solution]]:
    """Problems of one output each; a joint loss has one problem for all."""
    target = problem.target
    if target.outputs == () or is_joint(problem.loss):
        return [(problem, solution)]
    (k,) = target.outputs
    intercepts = np.broadcast_to(np.asarray(solution.intercept, dtype=np.float64), k)
    pairs = []
    for c in range(k):
        one = Solution(np.ascontiguousarray(solution.beta[:, c]), float(intercepts[c]))
        if isinstance(solution.theta, tuple):
            one.theta = solution.theta[0][:, c], solution.theta[1][c]
        elif solution.theta is not None:
            one.theta = solution.theta[:, c]
        pairs.append((replace(problem, target=target.output(c)), one))
    return pairs


def closed_form(
    residual: float,
    tol: float,
    *,
    started: float | None = None,
    message: str = "",
    iterations: int = 0,
    passes: int = 1,
) -> Certificate:
    """The certificate of a closed form: how well its equations hold, relative to their size."""
    return Certificate("residual", residual, tol, iterations, passes, _seconds(started), message)


def local_gradient(largest: float, tol: float, queries: int, started: float | None = None) -> Certificate:
    """The certificate of likelihoods in windows: the largest relative gradient over the queries."""
    return Certificate("local gradient", largest, tol, passes=queries, seconds=_seconds(started))


def fixed_point(gradient: float, tol: float, *, iterations: int, started: float | None = None) -> Certificate:
    """The certificate of a likelihood of several maxima where an iteration stands still: its relative gradient."""
    return Certificate("gradient", gradient, tol, iterations, iterations, _seconds(started), SEVERAL_MAXIMA)


def trained_network(
    gradient: float, tol: float, *, epochs: int, by_batches: bool, started: float | None = None
) -> Certificate:
    """The certificate of a network: its relative gradient over all rows; infinite where that was not taken.

    Steps by batches end near a stationary place at best, and by a rule of their own.
    """
    message = f"stopped after {epochs} epochs by its own rule, which proves no minimum" if by_batches else NETWORK
    return Certificate("gradient", gradient, tol, epochs, epochs, _seconds(started), message)


def exponential_family_gap(gap: float, tol: float, iterations: int, started: float | None = None) -> Certificate:
    """The certificate of a likelihood over all states: the bound of :mod:`~separatrix.core.exponential_family`."""
    return Certificate("gap", gap, tol, iterations, 1, _seconds(started))


def likelihood_gap(gap: float, tol: float, steps: int) -> Certificate:
    """The certificate of a mixture's shares: how much log-likelihood a row may miss to the maximum."""
    return Certificate("likelihood gap", gap, tol, iterations=steps, passes=steps)


def modified_score(
    score: float, tol: float, *, iterations: int = 0, passes: int = 1, started: float | None = None
) -> Certificate:
    """The certificate of Firth's estimate: the mean length of the step still to go, in standard errors."""
    return Certificate("modified score", score, tol, iterations, passes, _seconds(started))


def mistakes(count: float, *, iterations: int = 0, passes: int = 0, started: float | None = None) -> Certificate:
    """The certificate of a perceptron: rows on the wrong side; none are tolerated."""
    return Certificate("mistakes", float(count), 0.0, iterations, passes, _seconds(started))


def path_gap(gaps: np.ndarray, tol: float, iterations: np.ndarray) -> Certificate:
    """The worst of the relative gaps along paths of penalties."""
    most = int(iterations.max())
    return Certificate("gap", float(gaps.max()), tol, most, most)


def passed_stream(kind: str) -> Certificate:
    """The certificate of a stream: it leaves nothing behind that an answer could be held against."""
    return Certificate(kind, np.inf, 0.0, message="a stream that has passed cannot be certified")


def no_optimum(why: str, tol: float, *, iterations: int, passes: int, started: float | None) -> Certificate:
    """The certificate of a problem that is proved to have no minimum."""
    return Certificate("gradient", np.inf, tol, iterations, passes, _seconds(started), f"no maximum exists: {why}")


def existence_unknown(why: str, tol: float, *, iterations: int, passes: int, started: float | None) -> Certificate:
    """The certificate of a problem that may have no minimum."""
    return Certificate("gradient", np.inf, tol, iterations, passes, _seconds(started), why)


def _seconds(started: float | None) -> float:
    return 0.0 if started is None else time.perf_counter() - started


def warn_if_not_certified(certificate: Certificate, instead: str, stacklevel: int) -> None:
    """Warn NotCertified, with advice, where a certificate is above its tolerance; levels as in :mod:`warnings`."""
    if not certificate.converged:
        said = NotCertified(certificate.kind, certificate.value, certificate.tolerance, certificate.passes, instead)
        warnings.warn(said, stacklevel=stacklevel + 1)


def relative_residual(
    apply: Callable[[Array], Array], A: Array, B: Array, scale: Array, singular: bool = False
) -> float:
    r"""How well A (p, k) solves ``S A = B``, S symmetric: the largest residual of a column, relative, in units of S.

    .. math:: \frac{\|C a - b\|}{\|a\| + \|b\|}, \qquad C = DSD, \quad a = D^{-1} A, \quad b = D B

    `apply` multiplies by S and `scale` is D, which makes the diagonal of C one and its norm at least that. Columns of
    scale 0 are left out. Where S is `singular` the residual is multiplied by C once more: what no A can reach does not
    count.
    """
    live = np.flatnonzero(scale)
    D = scale[live, None]

    def correlate(U: Array) -> Array:
        full = np.zeros((len(scale), U.shape[1]))
        full[live] = D * U
        return D * apply(full)[live]

    a, b = A[live] / D, D * B[live]
    residual = correlate(a) - b
    if singular:
        residual = correlate(residual)
    size = np.linalg.norm(a, axis=0) + np.linalg.norm(b, axis=0)
    return float(np.divide(np.linalg.norm(residual, axis=0), size, out=np.zeros_like(size), where=size > 0.0).max())
