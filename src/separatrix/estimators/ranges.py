"""Numbers that a floating-point type cannot hold, or whose squares it cannot: refused in words before they do harm."""

from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.types import Array

# Squares of larger numbers, or sums of them, overflow; of smaller ones they are 0.
LARGEST, SMALLEST = 1e150, 1e-150
INSTEAD = "columns in other units (StandardScaler, say)"


def as_type(values: Any, dtype: Any, name: str) -> Array:
    """Numbers in the type in which they are published; refused where one is too large for it, or all are too small."""
    values = np.asarray(values)
    with np.errstate(over="ignore", under="ignore"):
        rounded = values.astype(dtype)
    lost = np.isfinite(values) & ~np.isfinite(rounded)
    vanished = bool(values.any()) and not rounded.any()
    if lost.any() or vanished:
        example = float(np.abs(values)[lost].max()) if lost.any() else float(np.abs(values).max())
        raise cannot(
            f"publish {name} in {np.dtype(dtype).name}",
            because=f"it cannot hold {example:.3g}",
            instead=f"X in float64, or {INSTEAD}",
        )
    return rounded


def size_of(design: Any) -> float:
    """The length of the longest column, infinite where its squares overflow."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.max(design.column_squares(), initial=0.0)))


def refuse_large(size: float, to: str, largest: float = LARGEST) -> None:
    """Refuse numbers whose squares overflow; `size` is that of the largest."""
    if size > largest:
        raise cannot(to, because=f"X holds numbers as large as {size:.3g}, whose squares overflow", instead=INSTEAD)


def refuse_small(size: float, to: str) -> None:
    """Refuse numbers whose squares are 0 though they are not; `size` is that of the largest."""
    if 0.0 < size < SMALLEST:
        raise cannot(to, because=f"X holds no number larger than {size:.3g}, whose square is 0", instead=INSTEAD)
