"""Weights of classes, and the refusal of data that hold one class only."""

import numpy as np

from separatrix.core.errors import cannot

LARGEST_WEIGHT = 1e30  # sums of weighted squares stay within the range of numbers


def class_factors(class_weight, classes, counts):
    """The weight of each class: as a dict says, or those that make the weighted `counts` equal ("balanced")."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.divide(counts.sum(), len(classes) * counts, out=np.zeros(len(classes)), where=counts > 0.0)
    if isinstance(class_weight, dict):
        strangers = [label for label in class_weight if label not in classes.tolist()]
        each = np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
        if strangers or not np.all((each >= 0.0) & np.isfinite(each)):
            raise cannot(
                f"use class_weight={class_weight!r}",
                because=f"{strangers[0]!r} is not a class of y" if strangers else "a weight must be finite and >= 0",
                instead=f"one weight >= 0 for each of {classes.tolist()}",
            )
        return each
    raise cannot(
        f"use class_weight={class_weight!r}",
        because="it is neither a dict, nor 'balanced', nor None",
        instead="class_weight={label: weight, ...}, 'balanced' or None",
    )


def weights_by_class(class_weight, classes, codes, s):
    """Weights of the rows times the weights of their classes."""
    s = np.ones(len(codes)) if s is None else s
    each = class_factors(class_weight, classes, np.bincount(codes, weights=s, minlength=len(classes)))
    with np.errstate(over="ignore"):  # which is refused
        return checked_product(s * each[codes])


def checked_product(weights):
    """Weights of rows times those of their classes, in the range of :func:`refuse_range`."""
    refuse_range(weights, "multiply the weights of rows by class_weight", "class weights")
    return weights


def refuse_range(weights, what, which="weights"):
    """Refuse weights, not all of them 0, whose largest is so large or so small that sums of squares lose meaning."""
    largest = float(np.max(weights))
    if largest != 0.0 and not 1.0 / LARGEST_WEIGHT <= largest <= LARGEST_WEIGHT:
        raise cannot(
            what,
            because=f"the largest weight is {largest:g}: sums of weighted squares would leave the range of numbers",
            instead=f"{which} whose largest is between 1e-30 and 1e30 (and a strength that is divided likewise)",
        )


def refuse_one_class(estimator, counts):
    """Raise unless rows of two classes at least have a weight."""
    present = np.flatnonzero(counts)
    if len(present) < 2:
        raise cannot(
            f"fit {type(estimator).__name__} to one class",
            because=f"every row of positive weight is of the class {estimator.classes_.tolist()[present[0]]!r}",
            instead="data with at least two classes",
        )
