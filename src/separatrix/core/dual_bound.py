"""A lower bound on the optimum by Fenchel's inequality, from a dual point scaled into the penalty's domain.

Given    slopes u of the loss with ``v = -X'(s u) / Σs``, a penalty, and the conjugates of the loss at a u.
Returns  max over a few scales 0 <= a <= 1 of ``-Σ s_i conjugate(a u_i) / Σs - Σ_j conjugate_cost(penalty_j, a v_j)``.
From     Rockafellar (1970), Convex Analysis, section 31; El Ghaoui, Viallon and Rabbani (2012) for the scaling.
Cost     a few reads of v, and of u where the loss is no square.

Every scale gives a bound. Certificates are made of it, and the L1 solvers stop by it.
"""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import numpy as np

from separatrix.core.jit import compiled
from separatrix.core.objective import sum_of_conjugate_costs
from separatrix.core.separable import Separable
from separatrix.core.types import Array

EPS = np.finfo(np.float64).eps


def dual_bound(
    penalty: Separable,
    v: Array,
    beta: Array,
    conjugates_at: Callable[[list[float]], Iterable[float]],
    error: Array | None = None,
) -> float:
    """The best dual value among the scales; see the head of this file.

    v and beta are (p,) or (p, k). ``conjugates_at(scales)`` gives ``Σ s_i conjugate(a u_i) / Σs`` for each a, in one
    pass over the rows. With `error`, of the shape of v, the bound holds wherever v is within it.
    """
    if error is None:
        ends = _ends(penalty, v, beta)
    else:
        ends = [min(pair) for pair in zip(_ends(penalty, v - error, beta), _ends(penalty, v + error, beta))]
    tried = list({a if a == 1.0 else a * (1.0 - 2.0 * EPS) for a in ends})

    def cost(a: float) -> float:
        if error is None:
            return sum_of_conjugate_costs(penalty, a * v)
        return _worst_cost(penalty, a * (v - error), a * (v + error))

    best = max(-fit - cost(a) for a, fit in zip(tried, conjugates_at(tried)))
    if best >= 0.0:
        return float(best)
    return float(max(best, *(-fit for fit in conjugates_at([0.0]))))  # the least that the losses can be


def rounding_along_path(problem: Any, coefficients: Array, intercepts: Array, null: float) -> Array:
    """What rounding may hide of the gaps of a lasso along a path, for coefficients (L, p) no worse than the null model.

    Core's allowance (:mod:`separatrix.core.fenchel`) with its sums replaced by bounds, so that X is read once for all:
    the root mean square of a residual is at most that of y, and of ``Σ_j |x_ij beta_j|`` at most
    ``Σ_j rms(x_j) |beta_j|``.
    """
    design, target = problem.design, problem.target
    sizes = np.sqrt(design.column_squares(target) / target.total)
    used = np.flatnonzero(coefficients.any(axis=0))
    scores = np.sqrt(2.0 * null) * (np.abs(coefficients[:, used]) @ sizes[used] + np.abs(intercepts))
    return EPS * (32.0 * np.log2(design.n + design.p + 2.0) * null + 4.0 * scores)


def _ends(penalty: Separable, v: Array, beta: Array) -> tuple[float, float]:
    shape = (len(v), v.size // max(len(v), 1))
    return scales(*penalty, np.ascontiguousarray(v).reshape(shape), np.ascontiguousarray(beta).reshape(shape))


def _worst_cost(penalty: Separable, low: Array, high: Array) -> float:
    """The largest that the conjugate of the penalty may be between the ends: at one of them, as it is convex."""
    across = (low < 0.0) & (high > 0.0)
    cost = sum_of_conjugate_costs(penalty, np.where(low >= 0.0, high, low))
    return cost + sum_of_conjugate_costs(penalty, np.where(across, high, 0.0)) if across.any() else cost


@compiled
def scales(kink: Array, ridge: Array, low: Array, high: Array, v: Array, beta: Array) -> tuple[float, float]:
    """The largest ``a <= 1`` at which the conjugates at a v are finite, and at which they are 0 but at bounds.

    The elastic net is a lasso on rows augmented with ``sqrt(ridge) I``: its slopes there are ``v - ridge beta``.
    """
    finite = 1.0
    tight = 1.0
    for j in range(v.shape[0]):
        for c in range(v.shape[1]):
            size = abs(v[j, c])
            bound, b = (high[j], beta[j, c]) if v[j, c] > 0.0 else (-low[j], -beta[j, c])
            if ridge[j] == 0.0 and bound == inf:
                if size * finite > kink[j]:
                    finite = kink[j] / size
            elif kink[j] > 0.0 and b < bound:
                size -= ridge[j] * abs(b)
                if size * tight > kink[j]:
                    tight = kink[j] / size
    return finite, min(finite, tight)
