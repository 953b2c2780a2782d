"""What a least-squares fit knows of its own uncertainty: small numbers kept with the model, never the data."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Evidence:
    """Kept by LinearRegression and Ridge as ``evidence_``; the summary is made of it.

    With q = p + 1 coefficients where there is an intercept (which then comes first), else q = p; k outputs.

    Attributes
    ----------
    n : int.  Rows with positive weight.
    total : float.  Σs, the number of rows counted with their weights.
    p, rank : int.  Columns, and how many of them are linearly independent (of each other and of the intercept).
    intercept : bool.
    rss, tss : (k,) arrays.  Residual and total sums of squares (about the mean if there is an intercept).
    coefficients : (q, k) array.  Intercept first. Aliased ones 0 and the others those of the model without them: the
        solution that `unscaled` belongs to, not the shortest one.
    unscaled : (q, q) array or None.  Var(coefficients) / σ²: ``(X'SX)^-1`` for least squares, rows and columns of
        aliased coefficients NaN; for ridge ``W X'SX W`` with ``W = (X'SX + lam I)^-1``. None where it was not formed.
    edf : float.  Effective degrees of freedom used by the model, intercept included: trace of the hat matrix.
    condition : float.  2-norm condition number of the centred columns, each scaled to unit length.
    digits : (q, k) array.  Decimal digits of each coefficient that rounding of the data cannot change.
    aliased : tuple of int.  Columns that are linear combinations of the others.
    penalised : bool.
    """

    n: int
    total: float
    p: int
    rank: int
    intercept: bool
    rss: np.ndarray
    tss: np.ndarray
    coefficients: np.ndarray
    unscaled: np.ndarray | None
    edf: float
    condition: float
    digits: np.ndarray
    aliased: tuple = ()
    penalised: bool = False
