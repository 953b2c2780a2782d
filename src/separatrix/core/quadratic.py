"""The gap of squared error under a penalty without kinks, which is a quadratic form:

    P(beta) - min P  =  ½ g'H^-1 g,      H = X'SX / Σs + diag(ridge),      g = the gradient at beta

(the intercept is one more column). Where coefficients have bounds it is at most that, g without the entries that point
out of the bounds. In the norm ``|g| = sqrt(g'H^-1 g)`` an error of the residuals is no longer than itself,
``|X'S e / Σs| <= rms(e)``, so that

    sqrt(2 gap)  <=  |g computed| + rms(error of the residuals) + |errors of the sums|.

Each error is bounded by the sizes of what was added up. Where the bound fails the tolerance and errors make a part of
it, g is computed again in doubled precision.

Where no factor of H is affordable and every coefficient has a ridge, a dual point theta bounds the gap, as in
Fenchel's inequality. It stands for the residuals r, and g falls into the part of ``r - theta`` and the rest:

    |g|²  <=  rms(r - theta)²  +  Σ_j (x_j'S theta / Σs - ridge_j beta_j)² / ridge_j.
"""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from separatrix.core.extended import Pair
from separatrix.core.gap_rounding import EPS, SURE, unit
from separatrix.core.problem import Problem
from separatrix.core.refusal import TooLarge
from separatrix.core.separable import Separable
from separatrix.core.threads import one_blas_thread

# Operations that a factor may cost where no solver has made one.
AFFORDABLE = 1 << 31
# Errors below this share of the bound are not worth a second computation.
SMALL_SHARE = 0.1
# A triangle that rounding may move by more than this share says nothing: fewer columns are then kept in it.
LARGEST_MOVE = 0.1
# Conjugate gradients for a dual point, where a solver gave none: each step reads X twice.
MOST_STEPS = 60


@dataclass(frozen=True)
class QuadraticGap:
    """The relative gap of the worst output, and what of it the rounding of published coefficients explains."""

    value: float
    explained: float
    dependent: float  # what columns may gain that are combinations of others to within the rounding of their entries
    independent: str  # how many columns are independent and their condition, where a factor was made


class _Errors(NamedTuple):
    """Bounds on the rounding errors of residuals (k,), root mean square, and of g (p, k); the size of the residuals."""

    r: np.ndarray
    g: np.ndarray
    size: np.ndarray


class _Lengths(NamedTuple):
    """``sqrt(g'H^-1 g)`` of each output: from columns a factor kept, from those it left out, and from errors (k,)."""

    kept: np.ndarray
    left_out: np.ndarray
    error: np.ndarray


@dataclass(frozen=True)
class _Scales:
    """Sizes, all in units in which y is about 1: what rounding errors are proportional to."""

    unit: np.ndarray  # (k,) twice the objective that gaps are relative to
    y: np.ndarray  # (k,) root mean squares of y
    columns: np.ndarray  # (p,) root mean squares of the columns
    spread: np.ndarray  # (p,) the same about the means
    mean: np.ndarray  # (p,) means, 0 without an intercept
    sigma: float  # a power of two near the size of y


def quadratic_gap(
    problem: Problem,
    beta: np.ndarray,
    intercept: Any,
    tolerance: float,
    theta: np.ndarray | None = None,
    *,
    relative: bool = True,
) -> QuadraticGap:
    """``(P(beta) - min P) / P(null model)``, an upper bound, for the worst of the outputs.

    `beta` is of shape (p,) or (p, k), in the precision in which it was published; `theta` a dual point, if one is
    known: minus residuals, of the shape of y. Where it is not to be `relative`, nothing is divided by P of the null
    model. The loss is taken for squared error, whatever it is.
    """
    p, k = problem.design.p, int(np.prod(problem.target.outputs))
    half = 0.5 * float(np.finfo(beta.dtype).eps)
    parts = problem.parts
    beta = np.asarray(beta, dtype=np.float64).reshape(p, k)
    intercept = np.asarray(intercept)
    half_0 = 0.5 * float(np.finfo(np.result_type(intercept, np.float32)).eps)
    intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64).reshape(-1), k)
    if not (np.isfinite(beta).all() and np.isfinite(intercept).all()):
        return QuadraticGap(np.inf, 0.0, 0.0, "")
    if ((parts.low > beta.T) | (parts.high < beta.T)).any():
        return QuadraticGap(np.inf, 0.0, 0.0, "")
    try:
        scales = _scales(problem)
    except TooLarge:  # nothing can be said of data whose squares overflow
        return QuadraticGap(np.inf, 0.0, 0.0, "")
    if not relative:
        scales = replace(scales, unit=np.full(k, 2.0 / scales.sigma**2))
    # where X is read on our threads and nothing large is factored, idle threads of BLAS would spin beside them
    with nullcontext() if problem.design.forms_gram else one_blas_thread():
        judge = _Judge(problem, parts, scales, beta / scales.sigma, intercept / scales.sigma)
        explained = float((judge.published(half, half_0) / scales.unit).max())
        limit = max(tolerance, explained)
        value = judge.gap(limit, None if theta is None else theta.reshape(-1, k) / -scales.sigma)
    return QuadraticGap(value, explained, judge.dependent, judge.independent)


def _scales(problem: Problem) -> _Scales:
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
        self, problem: Problem, parts: Separable, scales: _Scales, beta: np.ndarray, intercept: np.ndarray
    ) -> None:
        self.problem, self.parts, self.scales, self.beta, self.intercept = problem, parts, scales, beta, intercept
        self.bounded = bool(np.isfinite(parts.low).any() or np.isfinite(parts.high).any())
        self.independent, self.dependent = "", 0.0
        self.all_rounding = False  # whether columns left out differ from combinations of others by rounding alone

    def published(self, half: float, half_0: float) -> np.ndarray:
        """Twice the gap that rounding each coefficient by the share `half`, the intercept by `half_0`, may cost."""
        size, scales = np.abs(self.beta), self.scales
        moved = half * (scales.spread @ size)
        shift = half * (np.abs(scales.mean) @ size) + half_0 * np.abs(self.intercept)
        return moved**2 + shift**2 + self.parts.ridge @ (half * size) ** 2

    def gap(self, limit: float, theta: np.ndarray | None) -> float:
        """The relative gap, in working precision or, where that is too coarse for `limit`, in doubled precision.

        A dual point is tried first, if one is given, and last, if a factor of H is not affordable.
        """
        at_theta = np.inf if theta is None or not self.has_dual else self._gap_at(theta)
        if at_theta <= limit:
            return at_theta
        value, share = self._bound(limit, doubled=False)
        if value - self.dependent > limit and share > SMALL_SHARE:
            value, _ = self._bound(limit, doubled=True)
        if value > limit and theta is None and self.has_dual and not self.independent:
            at_theta = self._gap_at(self._dual_point(limit))
        return min(value, at_theta)

    @property
    def has_dual(self) -> bool:
        """Whether a dual point bounds the gap: every coefficient has a ridge and none has bounds, in memory."""
        return bool(self.parts.ridge.all()) and not self.bounded and not self.problem.design.is_streamed

    def _gap_at(self, theta: np.ndarray) -> float:
        """The relative gap of the worst output by a dual point (n, k), in units of y; see the head of this file."""
        design, target, scales, ridge = self.problem.design, self.problem.target, self.scales, self.parts.ridge
        if self.problem.intercept:
            theta = theta - target.weights @ theta / target.total
        sums = design.dual_sums(target, self.beta, self.intercept, theta, unit=scales.sigma)
        v, v0, square = (part / target.total for part in sums)
        v0 = v0 if self.problem.intercept else np.zeros_like(v0)
        unit_r, unit_g = unit(design.p), unit(design.n)
        error_r = self._residual_error(unit_r)
        size = np.sqrt(target.weights @ theta**2 / target.total)
        pull, far = (ridge * self.beta.T).T, np.multiply.outer(scales.mean, v0)
        error_v = 2.0 * unit_g * np.multiply.outer(scales.columns, size) + EPS * (
            np.abs(v) + 2.0 * np.abs(pull) + 2.0 * np.abs(far)
        )
        rest, error = (np.linalg.norm((part.T / np.sqrt(ridge)).T, axis=0) for part in (v - far - pull, error_v))
        apart = np.sqrt(square) * (1.0 + unit_g) + error_r + np.abs(v0) + unit_g * size
        return float((np.hypot(apart, rest + error) ** 2 / scales.unit * (1.0 + 64.0 * EPS)).max())

    def _dual_point(self, limit: float) -> np.ndarray:
        """``r - X_c z`` (n, k) with z near ``H^-1 g``, by conjugate gradients preconditioned by the diagonal of H.

        ``|g - A'A z|² / ridge + |A z|²``, with ``H = A'A + ridge``, is the bound that this dual point gives.
        """
        design, target, scales = self.problem.design, self.problem.target, self.scales
        ridge, share = self.parts.ridge[:, None], target.weights[:, None] / target.total
        r = target.y.reshape(design.n, -1) / scales.sigma - design.matvec(self.beta) - self.intercept
        rest = design.rmatvec(share * r) - np.multiply.outer(scales.mean, (share * r).sum(axis=0)) - ridge * self.beta
        diagonal = ridge + scales.spread[:, None] ** 2
        z, images, direction = np.zeros_like(rest), np.zeros_like(r), rest / diagonal
        square = (rest * direction).sum(axis=0)
        for _ in range(MOST_STEPS):
            image = design.matvec(direction) - scales.mean @ direction
            normal = design.rmatvec(share * image) - np.multiply.outer(scales.mean, (share * image).sum(axis=0))
            curvature = (direction * (normal + ridge * direction)).sum(axis=0)
            step = np.divide(square, curvature, out=np.zeros_like(square), where=curvature > 0.0)
            z, images, rest = z + step * direction, images + step * image, rest - step * (normal + ridge * direction)
            bound = (share * images**2).sum(axis=0) + ((rest + ridge * z) ** 2 / ridge).sum(axis=0)
            before, square = square, (rest * rest / diagonal).sum(axis=0)
            if not step.any() or (bound <= 0.5 * limit * scales.unit).all():
                break
            again = np.divide(square, before, out=np.zeros_like(square), where=before > 0.0)
            direction = rest / diagonal + again * direction
        return r - images

    def _residual_error(self, unit_r: float) -> np.ndarray:
        return unit_r * (self.scales.columns @ np.abs(self.beta) + np.abs(self.intercept) + self.scales.y)

    def _bound(self, limit: float, *, doubled: bool) -> tuple[float, float]:
        """The relative gap of the worst output, and the share of errors in its root (without what was left out)."""
        design, target, scales, ridge = self.problem.design, self.problem.target, self.scales, self.parts.ridge
        beta, intercept = (Pair(part, np.zeros_like(part)) for part in (self.beta, self.intercept))
        sums = design.residual_sums(target, beta, intercept, doubled=doubled, unit=scales.sigma)
        g, g0, square = (part / target.total for part in sums)
        g0 = g0 if self.problem.intercept else np.zeros_like(g0)
        unit_r, unit_g = unit(design.p), unit(design.n)
        if doubled:
            unit_r, unit_g = unit_r**2, unit_g**2
        error_r = self._residual_error(unit_r)
        size = np.sqrt(square) * (1.0 + unit_g) + error_r
        pull = (ridge * self.beta.T).T
        step = g - np.multiply.outer(scales.mean, g0) - pull
        far = np.multiply.outer(np.abs(scales.mean), np.abs(g0))
        error_g = 2.0 * unit_g * np.multiply.outer(scales.columns, size) + EPS * (
            np.abs(g) + 2.0 * np.abs(pull) + 2.0 * far
        )
        clipped = self._kink_slopes(step)
        error_g += EPS * np.abs(clipped)
        if self.bounded:  # a clipped entry does not know that errors of the residuals are common to all
            error_g += np.multiply.outer(scales.columns, error_r)
            low, high = self.parts.low / scales.sigma, self.parts.high / scales.sigma
            at_low, at_high = low >= self.beta.T, high <= self.beta.T
            rest = (step + clipped).T
            clipped = clipped - np.where((at_low & (rest < 0.0)) | (at_high & (rest > 0.0)), rest, 0.0).T
        length, gain, error = self._lengths(step, clipped, _Errors(error_r, error_g, size), limit, doubled)
        errors = error + error_r + unit_g * size + EPS * np.abs(g0)
        # min P is not negative: P itself is a bound
        costs = pull * self.beta + 2.0 * np.abs((self.parts.kink / scales.sigma * self.beta.T).T)
        least = size + np.sqrt(costs.sum(axis=0))
        roots = [np.minimum(np.hypot(part, g0) + errors, least) for part in (np.hypot(length, gain), length)]
        relative, without = (root * root / scales.unit * (1.0 + 64.0 * EPS) for root in roots)
        self.dependent = float((relative - without).max()) if self.all_rounding else 0.0
        worst = int(relative.argmax())
        share = errors[worst] / roots[1][worst] if roots[1][worst] > 0.0 else 0.0
        return float(relative[worst]), float(min(share, 1.0))

    def _kink_slopes(self, step: np.ndarray) -> np.ndarray:
        """What the kinks of the penalty add to the step: minus their slopes, at 0 the one that leaves least of it."""
        kink = (self.parts.kink / self.scales.sigma)[:, None]
        return np.where(self.beta == 0.0, -np.clip(step, -kink, kink), -kink * np.sign(self.beta))

    def _lengths(self, step: np.ndarray, clipped: np.ndarray, errors: _Errors, limit: float, doubled: bool) -> _Lengths:
        """``sqrt(g'H^-1 g)`` for each column g of ``step + clipped``, and a bound on it for the errors."""
        design, ridge = self.problem.design, self.parts.ridge
        n, p = design.n, design.p
        if ridge.all() and not design.forms_gram:  # H >= diag(ridge)
            lengths = [np.linalg.norm(part / np.sqrt(ridge)[:, None], axis=0) for part in (step + clipped, errors.g)]
            sure = ((lengths[0] + lengths[1]) ** 2 <= limit * self.scales.unit).all()
            if sure or (n + p) * p * p > AFFORDABLE:
                return _Lengths(lengths[0], np.zeros(step.shape[1]), lengths[1])
        elif not design.forms_gram and n * n * p > AFFORDABLE:
            return _Lengths(*(np.full(step.shape[1], part) for part in (np.inf, 0.0, 0.0)))
        return self._factored(step, clipped, errors, doubled)

    def _factored(self, step: np.ndarray, clipped: np.ndarray, errors: _Errors, doubled: bool) -> _Lengths:
        """The same by a triangular factor of H, larger by what its own rounding errors may hide."""
        design, target = self.problem.design, self.problem.target
        factor = design.factor(target, self.parts.ridge * target.total, self.problem.intercept)
        self.independent = f"{len(factor.kept)} of {design.p} columns independent, condition {factor.condition():.1e}"
        factor, condition, moved = self._trusted(factor)
        left_out = None
        if self._may_gain(factor):
            if self.parts.kink.any():  # the slopes of kinks of dependent columns would have to agree
                return _Lengths(*(np.full(step.shape[1], part) for part in (np.inf, 0.0, 0.0)))
            residual = self.beta, self.intercept
            left_out = design.remainders(target, factor, *residual, doubled=doubled, unit=self.scales.sigma)
            if left_out is None:
                return _Lengths(*(np.full(step.shape[1], part) for part in (np.inf, 0.0, 0.0)))
            clipped = _consistent(clipped, factor.kept, left_out)
        root = np.sqrt(target.total) * factor.scale[:, None]
        solved = factor.half_solve(root * (step + clipped))
        larger = 1.0 / (1.0 - moved)
        length = larger * np.linalg.norm(solved, axis=0)
        error = larger * condition * np.linalg.norm((root * errors.g)[factor.kept], axis=0)
        if left_out is None:
            return _Lengths(length, np.zeros_like(length), error)
        gain, its_error = self._gain(factor, moved, left_out, solved, clipped, errors)
        self.all_rounding = bool(left_out.rounding.all()) and not self.bounded
        return _Lengths(length, gain, error + its_error)

    def _may_gain(self, factor: Any) -> bool:
        """Whether columns were left out of the factor that may reach what the others do not.

        Where the kept ones span all rows no other does, unless kinks and bounds have slopes: g is then no sum of rows.
        """
        rows = self.problem.target.rows_of_positive_weight - self.problem.intercept
        free = not (self.parts.ridge.any() or self.parts.kink.any() or self.bounded)
        spanned = len(factor.kept) >= rows and free
        return bool(len(factor.aliased) + len(factor.constant)) and not spanned

    def _trusted(self, factor: Any) -> tuple[Any, float, float]:
        """The factor of as many columns as rounding leaves well apart, its condition, and how far rounding may move it.

        The triangle is that of data moved by their own rounding, about means that are rounded, too.
        """
        far = np.abs(self.scales.mean) * np.sqrt(self.problem.target.total)
        diagonal, cut = np.abs(np.diag(factor.R)), 1e-10
        while True:
            condition = factor.condition()
            kept = factor.kept
            moved = EPS * condition * (SURE * np.sqrt(len(kept) + 1.0) + np.linalg.norm(factor.scale[kept] * far[kept]))
            if moved <= LARGEST_MOVE or not len(kept):
                return factor, condition, float(moved)
            factor = factor.leading(int((diagonal[: len(kept)] > cut * diagonal[0]).sum()))
            cut *= 10.0

    def _gain(
        self,
        factor: Any,
        moved: float,
        left_out: Any,
        solved: np.ndarray,
        clipped: np.ndarray,
        errors: _Errors,
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the columns that the factor left out add to the length of g, and the error of that.

        With E, what the kept columns leave of them, orthogonal to these, it is ``sqrt(e'(E'SE)^-1 e)``, ``e = E'S r``.
        """
        total, kept, left = self.problem.target.total, factor.kept, left_out.columns
        # a ridge is rows below X that hold its root
        ridge, T = self.parts.ridge * total, left_out.T * left_out.scale
        own, pull = left_out.scale * ridge[left], ridge[kept, None] * T
        e = left_out.residuals - own[:, None] * self.beta[left] + pull.T @ self.beta[kept]
        e = e + total * (left_out.scale[:, None] * clipped[left] - T.T @ clipped[kept])
        e_size = own[:, None] * np.abs(self.beta[left]) + np.abs(pull).T @ np.abs(self.beta[kept])
        e_size += total * (left_out.scale[:, None] * np.abs(clipped[left]) + np.abs(T).T @ np.abs(clipped[kept]))
        squares = left_out.squares + np.diag(own * left_out.scale) + T.T @ pull
        live = np.flatnonzero(np.diag(squares) > 0.0)
        dead = np.diag(squares) == 0.0
        impossible = np.where((np.abs(e[dead]) > 8.0 * EPS * e_size[dead]).any(axis=0), np.inf, 0.0)
        if not len(live):
            return impossible, np.zeros_like(impossible)
        norm = 1.0 / np.sqrt(np.diag(squares)[live])
        products = np.zeros((len(factor.scale), len(live)))
        products[kept] = (left_out.kept - factor.scale[kept, None] * pull)[:, live] * norm
        W = factor.half_solve(products)
        values, vectors = np.linalg.eigh(squares[np.ix_(live, live)] * np.multiply.outer(norm, norm) - W.T @ W)
        rounding = 2.0 * unit(self.problem.design.n + len(kept))
        wrong = 2.0 * moved * float((W * W).sum()) + len(live) * rounding
        if not values[0] > 4.0 * wrong:
            return np.full_like(impossible, np.inf), np.zeros_like(impossible)
        weight = norm[:, None] / np.sqrt(total)
        length = np.linalg.norm((vectors.T @ (weight * e[live] - W.T @ solved)) / np.sqrt(values)[:, None], axis=0)
        noise = float(np.linalg.norm(left_out.noise[live] * norm)) + rounding * np.sqrt(len(live))
        error = noise * errors.size + moved * np.linalg.norm(W) * np.linalg.norm(solved, axis=0)
        error += 4.0 * EPS * np.linalg.norm(weight * e_size[live], axis=0) + self.bounded * errors.r
        share = np.sqrt(values[0] - wrong)
        return impossible + length * np.sqrt(values[0]) / share, error / share


def _consistent(clipped: np.ndarray, kept: np.ndarray, left_out: Any) -> np.ndarray:
    """What was added to the entries of g that point out of the bounds, changed so that dependent columns agree.

    Anything of the same sign may be added to such an entry. For ``x_a = X_K t`` the sum for a has to be that for K
    times t: where nothing may be added for a, nothing is for K.
    """
    clipped = clipped.copy()
    free = clipped[left_out.columns] == 0.0
    involved = (left_out.T != 0.0).astype(float) @ free > 0.0
    clipped[kept] = np.where(involved, 0.0, clipped[kept])
    wanted, own = left_out.T.T @ clipped[kept], clipped[left_out.columns]
    clipped[left_out.columns] = np.where(
        own > 0.0, np.maximum(wanted, 0.0), np.where(own < 0.0, np.minimum(wanted, 0.0), 0.0)
    )
    return clipped
