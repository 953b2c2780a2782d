"""The door of probabilities: posteriors, priors and their labels are checked here and trusted afterwards."""

import warnings

import numpy as np

from separatrix.core.errors import cannot

# Rows may miss 1 by this much: posteriors computed in float32 and rounded tables come close, mistakes do not.
SUM_TOLERANCE = 1e-5


def validate_posteriors(posteriors, *, name="posteriors"):
    """Check probabilities of k classes, one row for each observation; return them as float64 of shape (n, k)."""
    P = _numbers(posteriors, name)
    if P.ndim != 2 or not P.shape[1]:
        raise cannot(
            f"use {name} of shape {P.shape}",
            because="there must be one column for each class",
            instead=f"{name} of shape (n, k); from p = P(second class) make np.column_stack([1 - p, p])",
        )
    outside = ~((P >= -SUM_TOLERANCE) & (P <= 1.0 + SUM_TOLERANCE))  # written so that a NaN is outside, too
    if outside.any():
        i, c = np.argwhere(outside)[0]
        raise cannot(
            f"use {name} with the value {P[i, c]:g} in row {i}, column {c}",
            because="a probability lies in [0, 1]",
            instead="numbers in [0, 1], such as those of predict_proba",
        )
    totals = P.sum(axis=1)
    off = np.abs(totals - 1.0) > SUM_TOLERANCE
    if off.any():
        i = int(np.argmax(off))
        raise cannot(
            f"use {name} whose row {i} sums to {totals[i]:g}",
            because="the probabilities of all classes sum to 1",
            instead=f"{name} / {name}.sum(axis=1, keepdims=True)",
        )
    return np.clip(P, 0.0, 1.0)


def validate_priors(priors, k, *, name="priors", renormalise=False):
    """Check one probability for each of k classes; return them as float64 of shape (k,), summing to 1.

    With `renormalise` numbers that sum to another total are divided by it, with a warning, and otherwise refused.
    """
    shares = _numbers(priors, name)
    if shares.shape != (k,):
        raise cannot(
            f"use {name} of shape {shares.shape}",
            because=f"there are {k} classes",
            instead=f"one probability for each class, shape ({k},)",
        )
    if renormalise and (shares >= 0.0).all() and np.isfinite(shares).all() and shares.any():
        if abs(shares.sum() - 1.0) > SUM_TOLERANCE:
            warnings.warn(f"The {name} sum to {shares.sum():g} and are divided by that.", UserWarning, stacklevel=5)
        return shares / shares.sum()
    if not ((shares >= 0.0) & (shares <= 1.0 + SUM_TOLERANCE)).all():
        raise cannot(
            f"use {name}={shares.tolist()!r}", because="a probability lies in [0, 1]", instead="numbers in [0, 1]"
        )
    total = shares.sum()
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise cannot(
            f"use {name}={shares.tolist()!r}",
            because=f"they sum to {total:g}, not to 1",
            instead=f"{name} divided by their sum",
        )
    return shares / total


def validate_labels(labels, k, *, name="classes"):
    """Check k different labels, one for each column; None stands for 0, 1, ..., k - 1."""
    if labels is None:
        return np.arange(k)
    array = np.asarray(labels)
    if array.shape != (k,) or len(set(array.tolist())) != k:
        raise cannot(
            f"use {name}={array.tolist()!r}",
            because=f"{k} columns need {k} different labels",
            instead=f"one label for each column, in the order of the columns, shape ({k},)",
        )
    return array


def class_codes(y, classes):
    """The position of each label of y among the classes, which need not be sorted."""
    y = np.asarray(y)
    if y.ndim != 1:
        raise cannot(
            f"use y of shape {y.shape}", because="each row has one class", instead="one label for each row, shape (n,)"
        )
    order = np.argsort(classes, kind="stable")
    codes = order[np.searchsorted(classes, y, sorter=order).clip(max=len(classes) - 1)]
    unknown = classes[codes] != y
    if np.any(unknown):
        raise cannot(
            f"use the label {y.tolist()[np.argmax(unknown)]!r}",
            because=f"the classes are {classes.tolist()}",
            instead="labels among them, or classes=... in the order of the columns",
        )
    return codes


def same_length(n, y, name="y"):
    """Refuse a y that has not one entry for each of n rows."""
    if len(y) != n:
        raise cannot(f"use {name} of {len(y)} entries", because=f"there are {n} rows", instead="one entry for each row")


def _numbers(values, name):
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise cannot(
            f"use {name}", because="they are not all numbers", instead="an array or frame of numbers", kind=TypeError
        ) from None
