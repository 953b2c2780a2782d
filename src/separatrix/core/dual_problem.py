r"""The dual of a maximum-margin problem, its duality gap and its KKT conditions.

.. math:: \min_b\ \tfrac12 f'b - p'b, \qquad f = K b, \qquad l \le b \le h, \qquad \sum_{v \in g} b_v = d_g

The variables b are coefficients with their signs: the model is ``f(x) = Σ_v b_v k(x_v, x)`` plus an offset, which is
the multiplier of the equality of its group. A support vector classifier has p = ±1 and b between 0 and ±C; regression
has two variables for each row, with p = y ∓ epsilon.

**The gap.** K is positive semidefinite, so that for any offsets t

.. math:: D(b) - \min D \le \sum_v \max_{l_v \le z \le h_v} (f_v + t_g - p_v)(b_v - z)

and the sum is the duality gap of b and the scores ``f + t``. With t that make it smallest it is 0 at the optimum. Where
boxes have no end (a hard margin) the sum may be infinite by rounding alone: then the scores are divided by their least
margin m, which makes them feasible, and the gap is ``½ b'Kb / m² - (p'b - ½ b'Kb)``.

Gaps are divided by the objective of the model f = 0 with its best offset, and in a hard margin, which no constant
keeps, by that of the model itself. A machine with nu may have w = 0 as its optimum, and every objective 0: its gap is
divided by no less than a millionth of the largest :math:`|w|^2/2` that its sums allow. The rounding of the scores is
bounded (errors of random signs) and is part of the gap. Where K is not known to be positive semidefinite there is no
bound: the worst violation of the KKT conditions is reported, relative to the spread of p, and the model is called
stationary.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from separatrix.core.certificate import _seconds
from separatrix.core.solution import Certificate, Solution
from separatrix.core.types import Array

EPS = float(np.finfo(np.float64).eps)
# A matrix of more rows that is not known to be positive semidefinite is not factored to find out.
MOST_FACTORED = 2000
# A machine whose |w|² is a smaller share of what its sums allow has no direction: its gap is relative to this share.
NO_DIRECTION = 1e-6
INDEFINITE = "the kernel is not known to be positive semidefinite: no gap bounds what is still to be gained"


@dataclass(frozen=True)
class DualProblem:
    """``min ½ b'Kb - p'b`` over ``low <= b <= high`` with a fixed sum in each group.

    Parameters
    ----------
    gram : rows of K (n, n): ``n``, ``diagonal``, ``block(rows, columns, dtype)``, ``times(coefficients)``,
        ``is_mercer``, ``entry_error``.
    linear : (m,) array p.
    low, high : (m,) arrays, ``low <= 0 <= high``, not both infinite.
    row : (m,) array of int.  The row of K of each variable.
    group : (m,) array of int, and totals : (k,) array.  The sum over the variables of group g is ``totals[g]``.
    """

    gram: Any
    linear: Array
    low: Array
    high: Array
    row: Array
    group: Array
    totals: Array
    judged: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def is_hard(self) -> bool:
        """Whether some box has no end."""
        return bool(np.isinf(self.low).any() or np.isinf(self.high).any())

    @property
    def is_convex(self) -> bool:
        """Whether K is positive semidefinite: by its kernel, or where it is small by a factor, up to rounding."""
        if self.gram.is_mercer:
            return True
        if "convex" not in self.judged:
            self.judged["convex"] = self.gram.kernel is None and _has_factor(self.gram)
        return bool(self.judged["convex"])

    def regrouped(self, linear: Array, group: Array, totals: Array) -> "DualProblem":
        """The same variables with other p and other sums; what is known of K is known there, too."""
        other = replace(self, linear=linear, group=group, totals=totals)
        other.judged.update(self.judged)
        return other

    def row_coefficients(self, b: Array) -> Array:
        """The sum of the coefficients of each row, (n,)."""
        return np.bincount(self.row, weights=b, minlength=self.gram.n)

    def scores(self, b: Array) -> Array:
        """``K b`` for each row (n,), in double precision; those of the last b are remembered."""
        coefficients = self.row_coefficients(b)
        last, known = self.judged.get("scores", (None, None))
        if last is not None and np.array_equal(last, coefficients):
            return np.array(known)
        f = self.gram.times(coefficients)
        self.judged["scores"] = coefficients, f
        return np.array(f)


@dataclass(frozen=True)
class DualValues:
    """What is known of coefficients: the two objectives, the gap between them and the KKT conditions.

    Attributes
    ----------
    dual : float.  ``p'b - ½ b'Kb``, which is maximal at the optimum.
    primal : float.  The objective of the scores ``f + t``, minimal there (hard margin: of scores made feasible).
    gap : float.  A bound on the distance of either from the optimum, rounding included.
    violation : float.  The worst violation of a KKT condition, in units of the scores.
    unit : float.  What the gap is divided by.
    """

    dual: float
    primal: float
    gap: float
    violation: float
    unit: float


def _has_factor(gram: Any) -> bool:
    if gram.n > MOST_FACTORED:
        return False
    K = gram.block(np.arange(gram.n))
    K[np.diag_indices(gram.n)] += gram.n * EPS * max(float(np.abs(K).max(initial=0.0)), 1e-300)
    try:
        np.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        return False
    return True


def best_offsets(problem: DualProblem, b: Array, need: Array) -> Array:
    r"""The t of each group that make :math:`\sum_v \max_z (t - need_v)(b_v - z)` smallest, ``need = p - f``: (k,).

    The sum is convex and piecewise linear in t: its slope is ``b - low`` above need and ``b - high`` below.
    """
    offsets = np.zeros(len(problem.totals))
    for g in range(len(offsets)):
        mine = np.flatnonzero(problem.group == g)
        if not len(mine):
            continue
        order = mine[np.argsort(need[mine], kind="stable")]
        gain = problem.high[order] - problem.low[order]
        if np.isinf(gain).any():
            offsets[g] = _middle(problem, b, need, mine)
            continue
        slope = np.cumsum(gain) + float((b[order] - problem.high[order]).sum())
        rounding = EPS * len(order) * float(gain.sum())
        first = np.argmax(slope >= -rounding)
        # where all are at the lower bound the sum stays what it is above the largest need
        last = np.argmax(slope > rounding) if slope[-1] > rounding else first
        offsets[g] = 0.5 * (need[order[first]] + need[order[last]])
    return offsets


def _middle(problem: DualProblem, b: Array, need: Array, mine: Array) -> float:
    """Halfway between the largest need of what may grow and the smallest of what may fall."""
    above, below = need[mine][b[mine] < problem.high[mine]], need[mine][b[mine] > problem.low[mine]]
    ends = [part for part in (above.max(initial=-np.inf), below.min(initial=np.inf)) if np.isfinite(part)]
    return float(np.mean(ends)) if ends else 0.0


def dual_values(problem: DualProblem, b: Array, offsets: Array) -> DualValues:
    """Both objectives, the gap and the violation of coefficients b (m,) and offsets (k,), from the data."""
    b = np.asarray(b, dtype=np.float64)
    t = np.asarray(offsets, dtype=np.float64)[problem.group]
    f = problem.scores(b)[problem.row]
    half = 0.5 * float(f @ b)
    dual = float(problem.linear @ b) - half
    slack = f + t - problem.linear
    coefficients = problem.row_coefficients(b)
    entries = problem.gram.entry_error * float(np.linalg.norm(coefficients))
    rounding = EPS * (entries + np.abs(f) + np.abs(t) + np.abs(problem.linear))
    grow, fall = b < problem.high, b > problem.low
    violation = max(
        0.0, -float(slack[grow].min(initial=0.0)), float(slack[fall].max(initial=0.0)), _infeasibility(problem, b)
    )
    if problem.is_hard:
        primal = _feasible_primal(problem, half, f + t, rounding)
        return DualValues(dual, primal, primal - dual, violation, primal if 0.0 < primal < np.inf else 1.0)
    down, up = b - problem.low, problem.high - b
    # a box that is left by more than rounding has no bound
    inside = bool(np.all((down >= 0.0) & (up >= 0.0)))
    terms = np.maximum(np.maximum((slack + rounding) * down, (rounding - slack) * up), 0.0)
    shift = float(np.abs(problem.totals @ offsets)) if problem.totals.any() else 0.0
    off = _sums(problem, b) - problem.totals
    unbalanced = float(np.abs(np.asarray(offsets) * off).sum())
    gap = float(terms.sum()) + unbalanced if inside else np.inf
    # the objective itself is without rounding's part, and the same for any sums
    costs = float(np.maximum(slack * down, -slack * up).sum()) - float(np.asarray(offsets) @ off)
    primal = max(dual + costs, dual) if inside else np.inf
    return DualValues(dual, primal, gap, violation, _unit(problem, half, shift))


def _sums(problem: DualProblem, b: Array) -> Array:
    """The sum of each group, rounded once: times an offset of a thousand the rounding of a plain sum would show."""
    return np.array([math.fsum(b[problem.group == g]) for g in range(len(problem.totals))])


def _infeasibility(problem: DualProblem, b: Array) -> float:
    """How far the sums of the groups are from their totals."""
    off = np.abs(_sums(problem, b) - problem.totals)
    rounding = EPS * np.bincount(problem.group, weights=np.abs(b), minlength=len(problem.totals))
    return float(np.maximum(off - 8.0 * rounding, 0.0).max(initial=0.0))


def _feasible_primal(problem: DualProblem, half: float, scores: Array, rounding: Array) -> float:
    """``½ b'Kb`` over the square of the least margin; infinite where a row is on the wrong side."""
    grows = np.isinf(problem.high)
    p = problem.linear
    margins = np.where(grows, scores - rounding, -scores - rounding) / np.abs(p)
    least = float(margins.min(initial=np.inf))
    right = bool(np.all(np.where(grows, p, -p) > 0.0))
    return half / least**2 if right and least > 0.0 else np.inf


def _unit(problem: DualProblem, half: float, shift: float) -> float:
    """The primal objective of the model f = 0 with its best offsets; that of the model itself where it is 0."""
    sizes = np.bincount(problem.group, minlength=len(problem.totals))
    balanced = (problem.totals / np.maximum(sizes, 1))[problem.group]
    t = best_offsets(problem, balanced, problem.linear)
    slack = t[problem.group] - problem.linear
    null = float(np.maximum(slack * -problem.low, -slack * problem.high).sum() + t @ problem.totals)
    # of w = 0 rounding may leave a square below 0; it is relative to the largest square of such sums
    reach = 0.5 * float(np.abs(problem.totals).sum()) ** 2 * float(np.abs(problem.gram.diagonal).max(initial=0.0))
    size = max(max(half, 0.0) + shift, NO_DIRECTION * reach)
    return null if null > 1e-12 * size else size or 1.0


def kkt_violation(problem: DualProblem, solution: Solution) -> float:
    """The worst violation of a KKT condition of the margin, in units of the scores; 0 at an exact optimum."""
    return dual_values(problem, solution.beta, np.atleast_1d(solution.intercept)).violation


def certify_dual(problem: DualProblem, solution: Solution, tol: float, *, started: float | None = None) -> Certificate:
    """The certificate of coefficients and offsets: the relative duality gap, or without convexity a KKT violation."""
    values = dual_values(problem, np.asarray(solution.beta), np.atleast_1d(solution.intercept))
    counts = solution.iterations, solution.passes, _seconds(started)
    if not problem.is_convex:
        spread = float(np.ptp(problem.linear)) or 1.0
        return Certificate("gradient", values.violation / spread, tol, *counts, INDEFINITE)
    return Certificate("gap", max(values.gap, 0.0) / values.unit, tol, *counts)
