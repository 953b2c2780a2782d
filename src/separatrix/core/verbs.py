"""The alphabet of the library, and the verbs of losses, penalties and storages.

Inside the library mathematics has one fixed alphabet:
``X`` design, ``y`` target, ``s`` sample weights, ``beta`` coefficients, ``eta = X beta + intercept`` raw score,
``mu`` mean, ``r`` residual, ``g`` slope, ``H`` curvature, ``theta`` dual point, ``lam`` strength, ``n, p, k`` sizes,
``i`` row, ``j`` column, ``c`` class, ``b`` block. Everything else is a word.

One objective:  ``P(beta) = (1/Σs) Σ s_i value(loss, y_i, eta_i) + Σ_j cost(penalty_j, beta_j)``, where ``penalty_j`` is
``of_coefficient(penalty, j)``: the penalty itself, unless coefficients have strengths or bounds of their own.

Data come in as float32 or float64 and are held as given; sums are accumulated and certificates computed in float64.
"""

from math import inf
from typing import Any

from separatrix.core.dispatch import generic, with_default
from separatrix.core.jit import part, part_exactly
from separatrix.core.types import Array, Loss, Parts, Penalty, RowsAtom

# ------------------------------------------------------------------ losses: scalar functions of (y, eta)


@generic
def value(loss: Loss, y: float, eta: float) -> float:
    """The loss at (y, eta)."""


@generic
def slope(loss: Loss, y: float, eta: float) -> float:
    """d value / d eta (one subgradient where the loss has a kink)."""


@generic
def curvature(loss: Loss, y: float, eta: float) -> float:
    """d² value / d eta², the generalised second derivative."""


@generic
def conjugate(loss: Loss, y: float, u: float) -> float:
    """sup over eta of ``u eta - value(loss, y, eta)``; infinity outside the domain."""


# ------------------------------------------------------------------ facts about a loss


@with_default
def curvature_rate(loss: Loss, y: Any, eta: Any, reach: float) -> float:
    """A bound on ``|d log curvature / d eta|`` within `reach` of eta; infinity where nobody knows one.

    Of a joint loss y and eta are rows, each entry of eta moves by at most `reach` against the first, and the bound is
    on the logarithm of the curvature along any direction, for each unit of `reach`.
    """
    return inf


@with_default
def largest_curvature(loss: Loss) -> float:
    """The supremum of the curvature over y and eta; infinity where there is none, or where the slope jumps."""
    return inf


@with_default
def is_smooth(loss: Loss) -> bool:
    """Whether the slope is continuous in eta; a loss of unbounded curvature, such as Poisson's, says so itself."""
    return bool(largest_curvature(loss) < inf)


@generic
def kinks(loss: Loss, y: float) -> tuple[float, float]:
    """Where a loss that is linear but for two kinks has them, the lower one first; twice the same where it has one.

    Losses that bend elsewhere do not implement it: see :func:`~separatrix.core.dispatch.implemented`.
    """


@with_default
def is_joint(loss: Loss) -> bool:
    """Whether the loss is a function of a row of k scores."""
    return False


@with_default
def is_of_residual(loss: Loss) -> bool:
    """Whether the loss is a function of ``eta - y`` alone."""
    return False


@with_default
def is_squared_error(loss: Loss) -> bool:
    """Whether the loss is ``½ (eta - y)²``: the gap of a solution then has a closed form."""
    return False


@with_default
def is_likelihood(loss: Loss) -> bool:
    """Whether the loss is a negative log-likelihood in its canonical parameter: affine in y, its slope ``mu - y``."""
    return False


@with_default
def is_convex(loss: Loss) -> bool:
    """Whether the loss is convex and finite for every eta; of one that is not only the gradient is certified."""
    return True


@with_default
def is_deviance(loss: Loss) -> bool:
    """Whether the loss is half a deviance, or a negative log-likelihood, of a mean that is a function of eta.

    :func:`information` is then its expected curvature.
    """
    return bool(is_likelihood(loss))


@with_default
def information(loss: Loss, y: float, eta: float) -> float:
    """The expectation of the curvature over y of the mean that eta stands for; in a canonical parameter it is that."""
    return curvature(loss, y, eta)


@with_default
def target_size(loss: Loss, y: float) -> float:
    """The size of y beside that of eta in the products that a conjugate is made of: what is rounded there."""
    return abs(y)


@with_default
def link(loss: Loss, mean: Any) -> Any:
    """The constant score that fits targets of this mean; only for losses whose best constant depends on the mean."""
    return mean


@with_default
def side(loss: Loss, y: float) -> float:
    """Where the loss tends to its least: 1 as eta grows without end, 0 as it falls without end, ½ where neither.

    The default is that of a convex loss, whose slope vanishes there.
    """
    if not is_convex(loss):
        return 0.5
    return 1.0 if slope(loss, y, inf) == 0.0 else 0.0 if slope(loss, y, -inf) == 0.0 else 0.5


@with_default
def neutral_score(loss: Loss, mean: Any) -> Any:
    """The score of a model that has neither columns nor an intercept: 0, unless the loss is infinite there."""
    return 0.0 * mean


# ------------------------------------------------------------------ joint losses: functions of a row of k scores


@generic
def joint_value(loss: Loss, y: Array, eta: Array) -> float:
    """The loss at a row of targets and a row of scores."""


@generic
def slopes(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_c = d value / d eta_c; `out` may be `eta` itself."""


@generic
def curvatures(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_c = d² value / d eta_c²."""


@with_default
def slopes_and_curvatures(loss: Loss, y: Array, eta: Array, out_slopes: Array, out_curvatures: Array) -> None:
    """Both at once, for a loss that has them from the same numbers."""
    slopes(loss, y, eta, out_slopes)
    curvatures(loss, y, eta, out_curvatures)


@generic
def joint_curvature(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_cd = d² value / d eta_c d eta_d, a (k, k) matrix."""


@generic
def joint_conjugate(loss: Loss, y: Array, u: Array) -> float:
    """sup over rows eta of ``u'eta - joint_value(loss, y, eta)``, for u that sum to 0 if the loss ignores shifts."""


@with_default
def separate_curvatures(loss: Loss, y: Array, eta: Array, out: Array) -> None:
    """out_c for c > 0 such that the matrix of :func:`joint_curvature` is at least ``diag(out)``, entry 0 left out.

    Scores are those against the first, so that the loss must ignore shifts. 0 is always right, and the default.
    """
    for c in range(out.shape[0]):
        out[c] = 0.0


@with_default
def ignores_shifts(loss: Loss) -> bool:
    """Whether a number added to all scores of a row changes nothing, as with probabilities of classes."""
    return False


@with_default
def curvature_of_rows(loss: Loss, y: Array, eta: Array, u: Array) -> Any:
    """The matrices ``h_i`` of :func:`joint_curvature` of all rows; y, eta and the slopes u there are (n, k).

    An object with ``between(c, d)``, the entries cd (n,), and ``total(s)``, the sum ``Σ s_i h_i`` (k, k). The default
    (:class:`~separatrix.core.objective.CurvatureMatrices`) holds n k² numbers; a loss may know a shorter form.
    """
    from separatrix.core.objective import CurvatureMatrices  # a sum of verbs

    return CurvatureMatrices(loss, y, eta)


@with_default
def move_into_domain(loss: Loss, scores: Any, intercept: bool) -> None:
    """Move the slopes u of :class:`~separatrix.core.scores.Scores` to where every conjugate is finite.

    With an `intercept`, to ``Σ s_i u_i = 0`` as well. At the optimum the slopes are there, up to rounding; every move
    loosens the bound that is made of them.
    """
    from separatrix.core.dual_point import move_jointly, move_rows  # made of verbs

    (move_jointly if is_joint(loss) else move_rows)(loss, scores, intercept)


# ------------------------------------------------------------------ penalties: scalar functions of one coefficient


@with_default
def of_coefficient(penalty: Penalty, j: int) -> Penalty:
    """The penalty on coefficient j: the penalty itself, unless coefficients differ."""
    return penalty


@generic
def split(penalty: Penalty) -> Parts:
    """``(kink, ridge, low, high)``, where the penalty is ``kink |beta| + ½ ridge beta²`` on ``low <= beta <= high``.

    ``kink >= 0``, ``ridge >= 0`` and ``low <= 0 <= high``. A penalty implements this only: the functions below follow.
    """


@part_exactly  # no small number is squared, whatever the order that would suit a compiler
def cost(penalty: Penalty, beta: float) -> float:
    """The penalty on one coefficient; infinity outside its bounds."""
    kink, ridge, low, high = split(penalty)
    if not low <= beta <= high:
        return inf
    size = kink * abs(beta) if kink > 0.0 else 0.0
    return size + 0.5 * ridge * beta * beta if ridge > 0.0 else size


@part
def prox(penalty: Penalty, v: float, step: float) -> float:
    """argmin over u of ``(u - v)² / (2 step) + cost(penalty, u)``."""
    kink, ridge, low, high = split(penalty)
    t = kink * step
    shrunk = v - t if v > t else v + t if v < -t else 0.0
    return min(max(shrunk / (1.0 + step * ridge), low), high)


@part_exactly
def conjugate_cost(penalty: Penalty, v: float) -> float:
    """sup over beta of ``v beta - cost(penalty, beta)``; infinity outside the domain."""
    kink, ridge, low, high = split(penalty)
    excess, best = abs(v) - kink, high if v > 0.0 else -low
    if excess <= 0.0:
        return 0.0
    if ridge > 0.0:
        best = min(best, excess / ridge)  # the coefficient that attains the supremum
    return (excess - 0.5 * ridge * best) * best if 0.0 < best < inf else best


# ------------------------------------------------------------------ storages: one row at a time


@generic
def row_score(rows: RowsAtom, i: int, beta: Array) -> float:
    """``x_i' beta``."""


@generic
def row_dot(rows: RowsAtom, i: int, beta: Array) -> tuple[float, float]:
    """``x_i' beta`` and ``x_i' x_i``: the row is read once for both."""


@generic
def row_add(rows: RowsAtom, i: int, a: float, out: Array) -> None:
    """``out += a x_i``, in place."""


@generic
def row_span(rows: RowsAtom, i: int) -> tuple[int, int]:
    """Where row i starts and where it stops, for :func:`row_entry`."""


@generic
def row_entry(rows: RowsAtom, i: int, k: int) -> tuple[int, float]:
    """Column and value of entry k of row i."""


@generic
def row_ahead(rows: RowsAtom, i: int) -> None:
    """A hint that row i will be read soon."""
