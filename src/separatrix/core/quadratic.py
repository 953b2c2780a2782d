"""The gap of squared error under a penalty without kinks, which is a quadratic form:

    P(beta) - min P  =  ½ g'H^-1 g,      H = X'SX / Σs + diag(ridge),      g = the gradient at beta

(the intercept is one more column). Where coefficients have bounds it is at most that, g without the entries that point
out of the bounds. In the norm ``|g| = sqrt(g'H^-1 g)`` an error of the residuals is no longer than itself,
``|X'S e / Σs| <= rms(e)``, so that

    sqrt(2 gap)  <=  |g computed| + rms(error of the residuals) + |errors of the sums|.

Each error is bounded by the sizes of what was added up. Where the bound fails the tolerance and errors make a part of
it, g is computed again in doubled precision.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.extended import Pair
from separatrix.core.objective import PenaltyParts, parts_of
from separatrix.core.refusal import TooLarge

EPS = float(np.finfo(np.float64).eps)
# A sum of m products of numbers of any signs is wrong by less than this many units times sqrt(m), in practice
# (Higham and Mary 2019, SIAM J. Sci. Comput. 41(5): with probability 1 - 2 exp(-8²/2) under random roundings).
SURE = 8.0
# Operations that a factor may cost where no solver has made one.
AFFORDABLE = 1 << 31
# Errors below this share of the bound are not worth a second computation.
SMALL_SHARE = 0.1


@dataclass(frozen=True)
class QuadraticGap:
    """The relative gap of the worst output, and what of it the rounding of published coefficients explains."""

    value: float
    explained: float
    independent: str  # how many columns are independent and their condition, where a factor was made


@dataclass(frozen=True)
class _Scales:
    """Sizes, all in units in which y is about 1: what rounding errors are proportional to."""

    unit: np.ndarray  # (k,) twice the objective that gaps are relative to
    y: np.ndarray  # (k,) root mean squares of y
    columns: np.ndarray  # (p,) root mean squares of the columns
    spread: np.ndarray  # (p,) the same about the means
    mean: np.ndarray  # (p,) means, 0 without an intercept
    sigma: float  # a power of two near the size of y


def quadratic_gap(problem: Any, beta: np.ndarray, intercept: Any, tolerance: float) -> QuadraticGap:
    """``(P(beta) - min P) / P(null model)``, an upper bound, for the worst of the outputs.

    `beta` is of shape (p,) or (p, k), in the precision in which it was published.
    """
    p, k = problem.design.p, int(np.prod(problem.target.outputs))
    half = 0.5 * float(np.finfo(beta.dtype).eps)
    parts = parts_of(problem.penalty, p)
    beta = np.asarray(beta, dtype=np.float64).reshape(p, k)
    intercept = np.asarray(intercept)
    half_0 = 0.5 * float(np.finfo(np.result_type(intercept, np.float32)).eps)
    intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64).reshape(-1), k)
    if not (np.isfinite(beta).all() and np.isfinite(intercept).all()):
        return QuadraticGap(np.inf, 0.0, "")
    if ((parts.low > beta.T) | (parts.high < beta.T)).any():
        return QuadraticGap(np.inf, 0.0, "")
    try:
        scales = _scales(problem)
    except TooLarge:  # nothing can be said of data whose squares overflow
        return QuadraticGap(np.inf, 0.0, "")
    judge = _Judge(problem, parts, scales, beta / scales.sigma, intercept / scales.sigma)
    explained = float((judge.published(half, half_0) / scales.unit).max())
    limit = max(tolerance, explained)
    value = judge.gap(limit)
    return QuadraticGap(value, explained, judge.independent)


def _scales(problem: Any) -> _Scales:
    design, target = problem.design, problem.target
    m = design.moments(target, about_mean=problem.intercept, gram=design.forms_gram)
    y_square = m.yy.clip(min=0.0) / m.total + m.y_mean**2
    sigma = float(np.exp2(np.round(np.log2(np.sqrt(y_square.max()))))) if y_square.max() > 0.0 else 1.0
    square, null = y_square / sigma**2, m.yy.clip(min=0.0) / m.total / sigma**2
    unit = np.where(null > (8.0 * EPS) ** 2 * square, null, np.where(square > 0.0, square, 1.0))
    spread = np.sqrt(m.squares / m.total)
    return _Scales(unit, np.sqrt(square), np.hypot(spread, m.x_mean), spread, m.x_mean, sigma)


class _Judge:
    """One solution, in units of y: coefficients `beta` (p, k) and `intercept` (k,)."""

    def __init__(
        self, problem: Any, parts: PenaltyParts, scales: _Scales, beta: np.ndarray, intercept: np.ndarray
    ) -> None:
        self.problem, self.parts, self.scales, self.beta, self.intercept = problem, parts, scales, beta, intercept
        self.bounded = bool(np.isfinite(parts.low).any() or np.isfinite(parts.high).any())
        self.independent = ""

    def published(self, half: float, half_0: float) -> np.ndarray:
        """Twice the gap that rounding each coefficient by the share `half`, the intercept by `half_0`, may cost."""
        size, scales = np.abs(self.beta), self.scales
        moved = half * (scales.spread @ size)
        shift = half * (np.abs(scales.mean) @ size) + half_0 * np.abs(self.intercept)
        return moved**2 + shift**2 + self.parts.ridge @ (half * size) ** 2

    def gap(self, limit: float) -> float:
        """The relative gap, in working precision or, where that is too coarse for `limit`, in doubled precision."""
        value, share = self._bound(limit, doubled=False)
        if value > limit and share > SMALL_SHARE:
            value, _ = self._bound(limit, doubled=True)
        return value

    def _bound(self, limit: float, *, doubled: bool) -> tuple[float, float]:
        """The relative gap of the worst output, and the share of errors in its root."""
        design, target, scales, ridge = self.problem.design, self.problem.target, self.scales, self.parts.ridge
        beta, intercept = (Pair(part, np.zeros_like(part)) for part in (self.beta, self.intercept))
        sums = design.residual_sums(target, beta, intercept, doubled=doubled, unit=scales.sigma)
        g, g0, square = (part / target.total for part in sums)
        g0 = g0 if self.problem.intercept else np.zeros_like(g0)
        unit_r = SURE * np.sqrt(design.p + 3.0) * 0.5 * EPS
        unit_g = SURE * np.sqrt(design.n + 3.0) * 0.5 * EPS
        if doubled:
            unit_r, unit_g = unit_r**2, unit_g**2
        error_r = unit_r * (scales.columns @ np.abs(self.beta) + np.abs(self.intercept) + scales.y)
        size = np.sqrt(square) * (1.0 + unit_g) + error_r
        pull = (ridge * self.beta.T).T
        step = g - np.multiply.outer(scales.mean, g0) - pull
        far = np.multiply.outer(np.abs(scales.mean), np.abs(g0))
        error_g = 2.0 * unit_g * np.multiply.outer(scales.columns, size) + EPS * (
            np.abs(g) + 2.0 * np.abs(pull) + 2.0 * far
        )
        if self.bounded:  # a clipped entry does not know that errors of the residuals are common to all
            error_g += np.multiply.outer(scales.columns, error_r)
            low, high = self.parts.low / scales.sigma, self.parts.high / scales.sigma
            at_low, at_high = low >= self.beta.T, high <= self.beta.T
            step = np.where((at_low & (step.T < 0.0)) | (at_high & (step.T > 0.0)), 0.0, step.T).T
        length, error = self._lengths(step, error_g, limit)
        errors = error + error_r + unit_g * size + EPS * np.abs(g0)
        least = size + np.sqrt((pull * self.beta).sum(axis=0))  # min P is not negative: P itself is a bound
        root = np.minimum(np.hypot(length, g0) + errors, least)
        relative = root * root / scales.unit * (1.0 + 64.0 * EPS)
        worst = int(relative.argmax())
        return float(relative[worst]), float(min(errors[worst] / root[worst], 1.0)) if root[worst] > 0.0 else 0.0

    def _lengths(self, step: np.ndarray, error: np.ndarray, limit: float) -> tuple[np.ndarray, np.ndarray]:
        """``sqrt(g'H^-1 g)`` for each column of `step`, and a bound on it for entries of size `error`."""
        design, ridge = self.problem.design, self.parts.ridge
        n, p = design.n, design.p
        if ridge.all() and not design.forms_gram:  # H >= diag(ridge)
            lengths = [np.linalg.norm(part / np.sqrt(ridge)[:, None], axis=0) for part in (step, error)]
            sure = ((lengths[0] + lengths[1]) ** 2 <= limit * self.scales.unit).all()
            if sure or (n + p) * p * p > AFFORDABLE:
                return lengths[0], lengths[1]
        elif not design.forms_gram and n * n * p > AFFORDABLE:
            return np.full(step.shape[1], np.inf), np.zeros(step.shape[1])
        return self._factored(step, error)

    def _factored(self, step: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same by a triangular factor of H, larger by what its own rounding errors may hide."""
        target, scales = self.problem.target, self.scales
        factor = self.problem.design.factor(target, self.parts.ridge * target.total, self.problem.intercept)
        root = np.sqrt(target.total) * factor.scale[:, None]
        condition = factor.condition()
        self.independent = (
            f"{len(factor.kept)} of {self.problem.design.p} columns independent, condition {condition:.1e}"
        )
        # the triangle is that of data moved by their own rounding, about means that are rounded, too
        moved = SURE * np.sqrt(len(factor.kept) + 1.0) * EPS * condition
        moved += EPS * condition * float(np.linalg.norm(root[:, 0] * scales.mean))
        larger = 1.0 / (1.0 - min(moved, 0.9))
        length = larger * np.linalg.norm(factor.half_solve(root * step), axis=0)
        errors = larger * condition * np.linalg.norm((root * error)[factor.kept], axis=0)
        if self.bounded and len(factor.aliased):
            kept, aliased = (root * step)[factor.kept], (root * step)[factor.aliased]
            excess = np.abs(aliased - factor.combination.T @ kept).sum(axis=0)
            unit = np.divide(1.0, root[:, 0], out=np.zeros(len(root)), where=root[:, 0] > 0.0)
            errors = errors + np.sqrt(2.0 * excess * (unit @ np.abs(self.beta)))
        return length, errors
