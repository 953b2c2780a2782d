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

from separatrix.penalties import Separable
from separatrix.solvers.compiled.dual_bound import scales, sum_at

EPS = np.finfo(np.float64).eps


def dual_bound(penalty: Separable, v: np.ndarray, beta: np.ndarray, conjugate_at: Callable[[float], float]) -> float:
    """The best dual value among the scales; see the head of this file. v and beta are (p,) or (p, k)."""
    v, beta = (np.ascontiguousarray(part).reshape(len(v), v.size // max(len(v), 1)) for part in (v, beta))
    tried = {a if a == 1.0 else a * (1.0 - 2.0 * EPS) for a in scales(penalty, v, beta)}
    return max(-conjugate_at(a) - sum_at(penalty, v, beta, a) for a in tried)
