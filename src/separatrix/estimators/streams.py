"""Validation of data that are read from a stream: one pass over y and the weights, none over X."""

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from separatrix.core.errors import cannot
from separatrix.core.target import StreamedTarget
from separatrix.designs import StreamedDesign
from separatrix.estimators.class_weights import checked_product, class_factors, refuse_one_class

# Squares of larger numbers cannot be summed.
LARGEST_TARGET = 1e150


def name_columns_of(estimator, design, *, reset):
    """Set the names and the number of the columns of a first fit, or hold a later design against them."""
    if design.n == 0:
        raise cannot(f"read {design.origin}", because="it has no rows", instead="a file with at least one row")
    if reset:
        estimator.n_features_in_ = design.p
        estimator.__dict__.pop("feature_names_in_", None)
        if design.names is not None:
            estimator.feature_names_in_ = np.array(design.names, dtype=object)
        return design
    known = vars(estimator).get("feature_names_in_")
    if design.p != estimator.n_features_in_:
        got, wanted = f"{design.p} columns", estimator.n_features_in_
    elif design.names is not None and known is not None and design.names != list(known):
        got, wanted = f"the columns {design.names}", list(known)
    else:
        return design
    raise cannot(
        f"use a design of {got}",
        because=f"{type(estimator).__name__} was fitted to {wanted}",
        instead=f"columns={wanted}",
    )


def streamed_target(estimator, design, y, sample_weight, *, reset):
    """The target of a streamed design: y and weights are names of its columns, or arrays with a value for each row."""
    name_columns_of(estimator, design, reset=reset)
    y, sample_weight = (_source(design, given, word) for given, word in ((y, "y"), (sample_weight, "sample_weight")))
    if y is None:
        raise cannot(
            f"use {type(estimator).__name__} without y",
            because="y is None",
            instead="the name of a column, or an array",
        )
    target = StreamedTarget(design.chunks, y, sample_weight, _float_weights)
    if sample_weight is not None:
        counted = 0
        for _, s in target.passes():
            counted = counted + np.count_nonzero(s) if np.all((s >= 0.0) & np.isfinite(s)) else -np.inf
        if counted <= 0:
            raise cannot(
                "use sample_weight",
                because="a weight is negative, not a number, or all of them are zero",
                instead="weights >= 0, at least one of them positive",
            )
    return target


def values_of(X, *given):
    """y and weights in memory, where names of a stream's columns stand for them."""
    if not isinstance(X, StreamedDesign):
        return given
    names = tuple(name for name in given if isinstance(name, str))
    columns = [chunk.columns for chunk in X.chunks(names, only=True)] if names else []
    return [np.concatenate([each[g] for each in columns]) if isinstance(g, str) else g for g in given]


def _source(design, given, word):
    if isinstance(given, str):
        if given in (design.names or ()):
            raise cannot(
                f"use the column {given!r} as {word}", because="it is a column of X", instead=f"leave_out=[{given!r}]"
            )
        return given
    if given is None:
        return None
    given = given if isinstance(given, np.ndarray) else np.asarray(given)
    if given.shape[:1] != (design.n,):
        raise cannot(
            f"use {word} of shape {given.shape}", because=f"X has {design.n} rows", instead=f"shape ({design.n},)"
        )
    return given


def _float_weights(y, s):
    return y, None if s is None else _floats(s, "sample_weight")


def _floats(values, word):
    """Numbers of a column as float64; missing ones are NaN."""
    values = np.asarray(values)
    try:
        if values.dtype.kind in "fiubO":
            return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise cannot(
        f"use {word} of type {values.dtype}",
        because=f"{values[:1].tolist()[0]!r} is not a number",
        instead="a column of numbers",
    )


def streamed_numbers(target):
    """A target of float64 numbers, all finite and not too large to be squared."""
    target = target.mapped(lambda y, s: (_floats(y, "y"), s))
    for y, _ in target.passes():
        assert_all_finite(y, input_name="y")
        refuse_if_too_large(y)
    return target


def refuse_if_too_large(y):
    """Raise if squares of numbers of y cannot be summed."""
    largest = max(float(y.max(initial=0.0)), -float(y.min(initial=0.0)))
    if largest > LARGEST_TARGET:
        raise cannot(
            f"fit to y with numbers up to {largest:.1e}",
            because="their squares overflow",
            instead=f"other units for y, with numbers below {LARGEST_TARGET:g}",
        )


def streamed_classes(estimator, target, class_weight, *, reset, least=2):
    """A target of codes 0, 1, ... of the classes, which a first fit (`reset`) learns from the stream."""
    if reset:
        labels = [_labels(y if s is None else y[s > 0.0]) for y, s in target.passes()]
        estimator.classes_ = np.unique(np.concatenate([np.unique(part) for part in labels]))
    classes = estimator.classes_

    def encode(y, s):
        y = _labels(y)
        codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
        unknown = classes[codes] != y
        if s is not None:
            unknown &= s > 0.0
        if unknown.any():
            raise cannot(
                f"use the label {y[unknown][:1].tolist()[0]!r}",
                because=f"{type(estimator).__name__} was fitted to the classes {classes.tolist()}",
                instead="labels that were met in training, or fit again",
            )
        return codes, s

    coded = target.mapped(encode)
    counts = sum(np.bincount(c, s, minlength=len(classes)) for c, s in coded.passes())
    if class_weight is not None:
        each = class_factors(class_weight, classes, np.asarray(counts, dtype=np.float64))
        counts = counts * each
        coded = coded.mapped(lambda c, s: (c, checked_product(each[c] if s is None else s * each[c])))
    if reset and least > 1:
        refuse_one_class(estimator, counts)
    return coded


def _labels(y):
    y = np.asarray(y)
    missing = y != y
    if y.dtype == object:
        missing = missing | np.array([label is None for label in y], dtype=bool)
    if missing.any():
        raise cannot(
            "use y as labels of classes",
            because=f"y has missing values: {np.count_nonzero(missing)} of these {len(y)} rows",
            instead="data without these rows",
        )
    if y.dtype == object and all(isinstance(label, str) for label in y):
        y = y.astype(str)
    if len(y):
        check_classification_targets(y)
    return y
