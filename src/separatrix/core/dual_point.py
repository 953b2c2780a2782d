"""Dual points: slopes moved to where the conjugate of a loss is finite and, where there is an intercept, to a sum of 0.

These are the defaults of the verb :func:`~separatrix.core.verbs.move_into_domain`, for losses of one score and of k.
"""

import numpy as np

from separatrix.core.objective import slopes_at, total_conjugate
from separatrix.core.scores import ScoredRows, Scores
from separatrix.core.types import Array, Loss
from separatrix.core.verbs import link

# Slopes that sum to no more than this share of their sizes are left as they are: rounding would move others as far.
BALANCED = 16.0 * np.finfo(np.float64).eps
# How far joint slopes are moved towards a point inside the domain: the first of these shares that is enough.
SHARES = (0.0, *(10.0 ** np.arange(-15.0, 0.5, 1.0)))


def move_rows(loss: Loss, scores: Scores, intercept: bool) -> None:
    """Of a loss of one score: its domain is the range of the slopes, which ends at the slopes of infinite scores."""

    def domain(rows: ScoredRows) -> list[Array]:
        return [slopes_at(loss, rows.y, np.full_like(rows.u, end)) for end in (-np.inf, np.inf)]

    def task(rows: ScoredRows) -> tuple[Array, float, float]:
        low, high = domain(rows)
        inner, counted = np.clip(rows.u, low, high), rows.s > 0.0
        sums = np.array([rows.s @ rows.u, rows.s @ np.maximum(inner, 0.0), rows.s @ np.maximum(-inner, 0.0)])
        below, above = rows.u - low, rows.u - high
        return sums, below.min(initial=np.inf, where=counted), above.max(initial=-np.inf, where=counted)

    def merge(a: tuple[Array, float, float], b: tuple[Array, float, float]) -> tuple[Array, float, float]:
        return a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])

    factors, shift = (1.0, 1.0), 0.0
    if intercept:
        (total, up, down), least, most = scores.sums(task, merge)
        mean = total / scores.target.total
        if abs(total) <= BALANCED * (up + down) and most <= 0.0 <= least:
            pass
        elif most <= mean <= least:
            shift = mean
        else:  # shrinking one side never leaves a domain that holds 0, as shifting may
            factors = (min(1.0, down / up), min(1.0, up / down)) if min(up, down) > 0.0 else (0.0, 0.0)

    def change(rows: ScoredRows) -> ScoredRows:
        u = np.clip(rows.u - shift, *domain(rows))
        return rows._replace(u=u if factors == (1.0, 1.0) else np.where(u > 0.0, u * factors[0], u * factors[1]))

    scores.change(change)


def move_jointly(loss: Loss, scores: Scores, intercept: bool) -> None:
    """Of a loss of k scores: shift u by its mean, and move it towards a point inside the domain as far as needed.

    The domain is convex. It holds 0, where the conjugate is minus the least loss, and the slopes of the null model;
    half of these are taken for a point inside of it. Where no share is enough, u becomes 0.
    """
    total, mean = scores.target.total, scores.target.mean()
    null = np.asarray(link(loss, mean) if intercept else np.zeros_like(mean))

    def ends(rows: ScoredRows) -> Array:
        """u and the point inside, (2, n, k)."""
        return np.array([rows.u, 0.5 * slopes_at(loss, rows.y, np.tile(null, (len(rows.s), 1)))])

    means = scores.sums(lambda rows: rows.s @ ends(rows)) / total if intercept else np.zeros((2, len(null)))

    def moved(rows: ScoredRows, share: float) -> Array:
        u, inside = ends(rows) - means[:, None]
        return (1.0 - share) * u + share * inside

    def is_enough(share: float) -> bool:
        return bool(np.isfinite(scores.sums(lambda rows: total_conjugate(loss, rows.y, moved(rows, share), rows.s))))

    share = next(filter(is_enough, SHARES), None)
    scores.change(lambda rows: rows._replace(u=np.zeros_like(rows.u) if share is None else moved(rows, share)))
