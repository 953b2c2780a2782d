"""Strengths and bounds of single coefficients, as estimators take them: ``penalty_factor`` and ``bounds``."""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.separable import as_separable
from separatrix.penalties import Separable


def with_factors(estimator: Any, penalty: Any, p: int) -> Any:
    """The penalty of p coefficients, each multiplied by its ``penalty_factor`` and kept within its ``bounds``."""
    if estimator.penalty_factor is None and estimator.bounds is None:
        return penalty
    factor = _factors(estimator, p)
    low, high = _bounds(estimator, p)
    parts = as_separable(penalty, p)
    return Separable(
        factor * parts.kink, factor * parts.ridge, np.maximum(low, parts.low), np.minimum(high, parts.high)
    )


def within_bounds(beta: np.ndarray, penalty: Separable, dtype: Any) -> np.ndarray:
    """beta (p,) or (p, k) in the precision in which it is published: what rounding moved beyond a bound stays within.

    >>> import numpy as np
    >>> free = np.zeros(1)
    >>> float(within_bounds(np.array([0.1]), Separable(free, free, free, np.array([0.1])), np.float32)[0]) <= 0.1
    True
    """
    rounded = np.asarray(beta).astype(dtype)
    beyond = (penalty.high < rounded.T) | (penalty.low > rounded.T)
    return np.where(beyond.T, np.nextafter(rounded, rounded.dtype.type(0.0)), rounded) if beyond.any() else rounded


def _factors(estimator: Any, p: int) -> np.ndarray:
    if estimator.penalty_factor is None:
        return np.ones(p)
    factor = _numbers(estimator.penalty_factor)
    if factor is None or factor.shape != (p,) or not np.all(np.isfinite(factor) & (factor >= 0.0)):
        raise cannot(
            f"fit {type(estimator).__name__} with penalty_factor={estimator.penalty_factor!r}",
            because=f"it must hold a finite number >= 0 for each of the {p} columns",
            instead="penalty_factor=None (default), which is 1 for every column",
        )
    return factor


def _bounds(estimator: Any, p: int) -> tuple[np.ndarray, np.ndarray]:
    pair = (-np.inf, np.inf) if estimator.bounds is None else estimator.bounds
    sides: list[Any] = [_numbers(side) for side in pair] if isinstance(pair, tuple | list | np.ndarray) else []
    right = len(sides) == 2 and all(side is not None and side.shape in {(), (p,)} for side in sides)
    if not right or not (np.all(sides[0] <= 0.0) and np.all(sides[1] >= 0.0)):
        raise cannot(
            f"fit {type(estimator).__name__} with bounds={estimator.bounds!r}",
            because=f"bounds must be a pair (low, high) of numbers, or of arrays of {p}, with low <= 0 <= high",
            instead="bounds=None (default), (0, numpy.inf) or (-1, 1), say",
        )
    return np.broadcast_to(sides[0], p), np.broadcast_to(sides[1], p)


def _numbers(values: Any) -> np.ndarray | None:
    """An array of floats, or None where there is none to be made."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
