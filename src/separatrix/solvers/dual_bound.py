"""A lower bound on the optimum, from a dual point scaled into the penalty's domain: it stops solvers of L1 problems.

Given    slopes u of the loss with ``v = -X'(s u) / Σs``, a separable penalty, and the conjugates of the loss at a u.
Returns  max over a few scales 0 <= a <= 1 of ``-Σ s_i conjugate(a u_i) / Σs - Σ_j conjugate_cost(a v_j)``.
From     Fenchel's inequality, as in core/certificate.py; El Ghaoui, Viallon and Rabbani (2012) for the scaling.
Cost     a few reads of v, and of u where the loss is no square.

It is an estimate in one respect, and therefore never published: the conjugate of an unpenalised coefficient is finite
at ``v_j = 0`` only, which no computed v attains. Here such a coefficient is bounded by twice its size.
"""

from collections.abc import Callable

import numpy as np

from separatrix.core.objective import sum_of_conjugate_costs
from separatrix.penalties import Separable

EPS = np.finfo(np.float64).eps


def dual_bound(penalty: Separable, v: np.ndarray, beta: np.ndarray, conjugate_at: Callable[[float], float]) -> float:
    """The best dual value among the scales; see the head of this file. v and beta are (p,) or (p, k)."""
    penalty = _bounded_where_free(penalty, beta)
    return max(-conjugate_at(a) - sum_of_conjugate_costs(penalty, a * v) for a in _scales(penalty, v, beta))


def _bounded_where_free(penalty: Separable, beta: np.ndarray) -> Separable:
    size = 2.0 * np.abs(beta if beta.ndim == 1 else beta.T).reshape(-1, len(beta)).max(axis=0, initial=0.0)
    free = penalty.free & (size > 0.0)
    if not free.any():
        return penalty
    return penalty._replace(low=np.where(free, -size, penalty.low), high=np.where(free, size, penalty.high))


def _scales(penalty: Separable, v: np.ndarray, beta: np.ndarray) -> set[float]:
    """The largest scale at which the conjugate is finite, and one at which it is 0 but for coefficients at bounds.

    The elastic net is a lasso on rows augmented with ``sqrt(ridge) I``: its slopes there are ``v - ridge beta``.
    """
    size, b = np.abs(v).T, beta.T
    edge = np.where(v.T > 0.0, penalty.high, -penalty.low)
    finite = (penalty.ridge > 0.0) | (edge < np.inf)
    largest = _shrinking(size, penalty.kink, ~finite)
    inside = finite & (penalty.kink > 0.0) & (np.where(v.T > 0.0, b, -b) < edge)
    if not inside.any():
        return {largest}
    return {largest, min(largest, _shrinking(size - penalty.ridge * np.abs(b), penalty.kink, inside))}


def _shrinking(size: np.ndarray, limit: np.ndarray, where: np.ndarray) -> float:
    """The largest ``a <= 1`` with ``a size <= limit`` at the places given."""
    over = where & (size > limit)
    if not over.any():
        return 1.0
    return float((np.broadcast_to(limit, size.shape)[over] / size[over]).min()) * (1.0 - 2.0 * EPS)
