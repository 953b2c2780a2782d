"""Certificates, recomputed from problem and solution alone: no solver grades itself.

For any convex loss and penalty, Fenchel's inequality bounds the distance to the optimum. With one slope u_i per row,

    P(beta) - min P  <=  P(beta) + (1/Σs) Σ s_i conjugate(loss, y_i, u_i) + Σ_j conjugate_cost(penalty, -x_j'(s∘u)/Σs)

for every u (with Σ s_i u_i = 0 if there is an intercept). We take the slopes at beta, centred, and scaled into the
penalty's domain. Where nothing is penalised that domain is {0}; for least squares the gap is then known exactly, as
the part of the residual that X can still explain.
"""

import time

import numpy as np

from separatrix.core.errors import NotCertified
from separatrix.core.objective import (
    fill_slopes,
    null_objective,
    objective,
    sum_of_conjugate_costs,
    sum_of_conjugates,
)
from separatrix.core.solution import Certificate

# A computed gap is the difference of two sums of about equal size; each carries a relative rounding error of at most
# a few eps per doubling of its length (numpy and our vector loops both sum in lanes or pairs).
EPS = np.finfo(np.float64).eps


def duality_gap(problem, beta, intercept, u=None):
    """An upper bound on ``P(beta) - min P``, rounding included; `u` is a dual point, if the solver knows a good one."""
    target, penalty = problem.target, problem.penalty
    s, total = target.weights, target.total
    beta = np.asarray(beta, dtype=np.float64)
    if u is None:
        u = np.empty(target.n)
        fill_slopes(problem.loss, target.y, problem.design.matvec(beta) + intercept, u)
    if problem.intercept:
        u = u - (s @ u) / total
    v = -problem.design.rmatvec(s * u) / total
    primal = objective(problem, beta, intercept)
    duals = [_dual(problem, scale * u, scale * v, s, total) for scale in _scales(penalty, beta, v)]
    dual = max(duals)
    if not np.isfinite(dual):  # centring pushed u out of the domain of the loss's conjugate; u = 0 never is
        dual = _dual(problem, 0.0 * u, 0.0 * v, s, total)
    rounding = 4.0 * EPS * np.log2(target.n + problem.design.p + 2.0) * (abs(primal) + abs(dual))
    return max(primal - dual, 0.0) + rounding


def _dual(problem, u, v, s, total):
    return -sum_of_conjugates(problem.loss, problem.target.y, u, s) / total - sum_of_conjugate_costs(problem.penalty, v)


def _scales(penalty, beta, v):
    """Factors that bring v into the domain of the penalty's conjugate, best guesses first."""
    scales = [1.0]
    strength = getattr(penalty, "lam", getattr(penalty, "l1", 0.0))
    reach = v if getattr(penalty, "positive", False) else np.abs(v)
    largest = float(reach.max(initial=0.0))
    if largest > strength > 0.0:
        scales.append(strength / largest * (1.0 - 2.0 * EPS))
        ridge = getattr(penalty, "l2", 0.0)
        if ridge > 0.0:  # the elastic net is a lasso on rows augmented with sqrt(l2) I
            scales.append(min(1.0, strength / max(float((reach - ridge * np.abs(beta)).max()), EPS)))
    elif strength == 0.0:
        scales.append(0.0)
    return scales


def certify(problem, solution, tolerance, started=None, iterations=0, passes=0):
    """Certificate of a solution by its duality gap, relative to the null model."""
    gap = duality_gap(problem, solution.beta, solution.intercept, solution.theta)
    scale = null_objective(problem)
    return Certificate(
        kind="gap",
        value=gap / scale if scale > 0.0 else gap,
        tolerance=tolerance,
        iterations=iterations,
        passes=passes,
        seconds=0.0 if started is None else time.perf_counter() - started,
    )


def not_certified(certificate, instead):
    """The warning for a certificate above its tolerance."""
    return NotCertified(certificate.kind, certificate.value, certificate.tolerance, certificate.passes, instead)
