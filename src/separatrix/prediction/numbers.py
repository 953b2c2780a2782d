"""The arithmetic of number columns: missing cells filled, centred, scaled, and flagged."""

import numpy as np

from separatrix.core.refusal import cannot

GREATEST = np.finfo(np.float64).max


def standardise(state, X):
    """What Numbers makes of X (n, p): the columns, then a flag for each column that had missing cells in training.

    >>> import numpy as np
    >>> state = {"median_": np.array([2.0]), "mean_": np.array([2.0]), "scale_": np.array([0.5]),
    ...          "exponent_": np.array([2]), "flagged_": np.array([0]), "standardise": True}
    >>> standardise(state, np.array([[3.0], [np.nan]]))
    array([[2., 0.],
           [0., 1.]])
    """
    X = np.asarray(X, dtype=np.float64)
    missing = np.isnan(X)
    flagged = state["flagged_"]
    n, p = X.shape
    out = np.empty((n, p + len(flagged)))
    Z = out[:, :p]
    if state.get("keep_missing"):  # files that are older have no such parameter
        np.copyto(Z, X)
    else:
        fill(X, missing, state["median_"], Z)
    if state["standardise"]:
        scale(Z, state["mean_"], state["scale_"], state["exponent_"])
    out[:, p:] = missing[:, flagged]
    return out


def fill(X, missing, median, out):
    """X with the median of its column in place of what is missing, into `out`."""
    np.copyto(out, X)
    np.copyto(out, median, where=missing)


def scale(Z, mean, deviation, exponent):
    """``(Z - mean) / deviation`` in place; a column whose deviation is 0 becomes 0.

    Powers of two are taken out first, which rounds nothing: so a difference of two huge numbers does not overflow, nor
    a tiny one vanish.
    """
    varies = deviation > 0.0
    with np.errstate(over="ignore"):
        np.ldexp(Z, -exponent, out=Z)
        Z -= np.ldexp(mean, -exponent)
        np.divide(Z, np.ldexp(deviation, -exponent), out=Z, where=varies)
    Z[:, ~varies] = 0.0
    np.clip(Z, -GREATEST, GREATEST, out=Z)


def above(state, X):
    """What Thresholds makes of X (n, p): 1 above the threshold of the column, else 0; then the flags."""
    X = np.asarray(X, dtype=np.float64)
    missing = np.isnan(X)
    return np.hstack([state["threshold_"] < X, missing[:, state["flagged_"]]]).astype(np.float64)


def counts(state, X):
    """What Counts makes of X (n, p): the numbers themselves, 0 where missing; a negative one is refused."""
    X = np.asarray(X, dtype=np.float64)
    refuse_if(X < 0.0, X, state, "Negative values in data cannot be counts")
    return np.where(np.isnan(X), 0.0, X)


def refuse_if(wrong, X, state, because):
    """Refuse the first number that is marked as wrong, by its row and column."""
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        name = repr(str(state["feature_names_in_"][j])) if "feature_names_in_" in state else f"{j + 1}"
        raise cannot(
            f"take {X[i, j]:g} in row {i + 1} of column {name} for a count",
            because=because,
            instead="counts 0, 1, 2, ...",
        )
