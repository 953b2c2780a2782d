"""The one door through which data enter: X, y and sample weights are checked here and trusted everywhere else."""

from numbers import Real

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from separatrix.core.errors import cannot
from separatrix.core.protocol import can, is_frame
from separatrix.core.target import Target
from separatrix.core.time_limit import stop_if_over
from separatrix.designs import StreamedDesign, as_design
from separatrix.designs.sparse import refuse_positions_outside
from separatrix.estimators.class_weights import checked_product, refuse_one_class, refuse_range, weights_by_class
from separatrix.estimators.class_weights import class_factors as class_factors
from separatrix.estimators.labels import classes_and_codes
from separatrix.estimators.labels import encode as encode
from separatrix.estimators.parameters import check_budget as check_budget
from separatrix.estimators.parameters import check_choice as check_choice
from separatrix.estimators.parameters import check_number as check_number
from separatrix.estimators.parameters import check_numbers as check_numbers
from separatrix.estimators.refused_cells import explained
from separatrix.estimators.streams import (
    name_columns_of,
    refuse_if_too_large,
    streamed_classes,
    streamed_numbers,
    streamed_target,
)

DTYPES = (np.float64, np.float32)
# A design of fewer numbers is looked through for NaN and infinity at once: that takes a millisecond.
UNREAD = 1 << 20


def enter(
    estimator, X, y, sample_weight=None, *, sparse=True, multi_output=True, reset=True, summed=False, missing=False
):
    """Check X, y and the weights of a fit; return a design and a target.

    With `summed` the solver promises to look for NaN and infinity itself, in sums over all of X that it takes anyway
    (:meth:`Design.refuse_if_not_finite`): a large X is then not read just to be looked at. `missing` lets NaN in.

    X may be a design that is read from a stream, y and the weights then names of its columns or arrays.
    """
    if isinstance(X, StreamedDesign):
        return X, streamed_numbers(streamed_target(estimator, X, y, sample_weight, reset=reset))
    options = {"multi_output": multi_output, "y_numeric": True, "sparse": sparse, "reset": reset}
    X, y = _checked(estimator, X, y, "biuf", summed=summed, missing=missing, **options)
    y = np.asarray(y, dtype=np.float64)
    assert_all_finite(y, input_name="y")
    refuse_if_too_large(y)
    return as_design(X), Target(y, _weights(sample_weight, y.shape[0]))


def _checked(estimator, X, y, kinds, *, sparse, reset, summed, missing=False, **options):
    """X and y by scikit-learn's checks.

    Of arrays that plainly are what is wanted, y of one of the `kinds` of types, only names and number of columns are
    left to check: the rest would take half of the time of a small fit.
    """
    if reset:
        stop_if_over()  # every fit comes by here, also those inside a search
    unread = summed and isinstance(X, np.ndarray) and X.size > UNREAD
    if (
        not missing
        and _is_plain(X, unread)
        and type(y) is np.ndarray
        and y.shape == X.shape[:1]
        and y.dtype.kind in kinds
    ):
        validate_data(estimator, X, y, reset=reset, skip_check_array=True)
        return X, y
    refuse_positions_outside(X)
    return _validated(
        estimator,
        X,
        y,
        accept_sparse=("csr", "csc") if sparse else False,
        dtype=DTYPES,
        reset=reset,
        ensure_all_finite="allow-nan" if missing else not unread,
        **options,
    )


def _validated(estimator, X, *target, **options):
    """The checks of scikit-learn; where they fail at words, dates or missing cells the remedy is said."""
    try:
        return validate_data(estimator, X, *target, **options)
    except (TypeError, ValueError) as failure:
        better = explained(estimator, X, failure)
        if better is None:
            raise
        raise better from failure


def _is_plain(X, unread):
    """Whether X is a matrix of numbers, and finite unless that is looked at elsewhere."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in DTYPES or not X.size:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return unread or bool(np.isfinite(X.sum()))


def validate_classes(estimator, X, y, sample_weight=None, **options):
    """The same as :func:`validate_class_target` for data in memory: a design, codes (n,), and weights (n,) or None."""
    design, target = validate_class_target(estimator, X, y, sample_weight, **options)
    design.needs("vectors", f"{'fit' if options.get('reset', True) else 'examine'} {type(estimator).__name__}")
    return design, target.y, target.s


def validate_class_target(
    estimator,
    X,
    y,
    sample_weight=None,
    *,
    class_weight=None,
    classes=None,
    sparse=True,
    reset=True,
    summed=False,
    least=2,
    weightless=False,
    missing=False,
):
    """Check X, class labels and weights; return a design and a target of codes into ``classes_``.

    A first fit (`reset`) sets ``estimator.classes_``, sorted; later data must keep to those classes. `class_weight`
    multiplies the weights of the rows of each class: a dict, or "balanced" for equal totals. `classes` announces the
    classes of a stream, whose chunks need not hold all of them; there must be `least` classes, 1 or 2. `summed`
    and `missing` are explained in :func:`enter`. Where weights leave one class of several labels, as those of a
    bootstrap sample may, that is refused, unless labels that are `weightless` make classes, too.
    """
    if isinstance(X, StreamedDesign):
        target = streamed_target(estimator, X, y, sample_weight, reset=reset)
        return X, streamed_classes(estimator, target, class_weight, reset=reset, least=least)
    X, y = _checked(estimator, X, y, "biuU", summed=summed, sparse=sparse, reset=reset, missing=missing)
    s = _weights(sample_weight, X.shape[0])
    learns = reset and classes is None
    if classes is not None:
        _announce(estimator, classes, reset, least)
    codes = encode(estimator, y, reset=learns, seen=None if s is None else s > 0.0)
    if learns and weightless and len(estimator.classes_) == 1:
        codes = encode(estimator, y, reset=True)
    if class_weight is not None:
        s = weights_by_class(class_weight, estimator.classes_, codes, s)
    if learns and least > 1:
        refuse_one_class(estimator, np.bincount(codes, None if weightless else s))
    return as_design(X), Target(codes, s)


def validate_labels(estimator, X, y, sample_weight=None, *, missing=False):
    """Check X, labels y (n,) or (n, outputs), of one class or more, and weights; return a design and a target of codes.

    Sets ``estimator.outputs_2d_``, and ``classes_``: sorted, or a list of such arrays, one for each column of y. Labels
    of rows of weight zero make no classes; the codes of such rows mean nothing.
    """
    finite = "allow-nan" if missing else True
    options = {"accept_sparse": ("csr", "csc"), "dtype": DTYPES, "multi_output": True, "ensure_all_finite": finite}
    refuse_positions_outside(X)
    X, y = _validated(estimator, X, y, **options)
    check_classification_targets(y)
    s = _weights(sample_weight, X.shape[0])
    seen = None if s is None else s > 0.0
    estimator.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
    if not estimator.outputs_2d_:
        estimator.classes_, codes = classes_and_codes(column_or_1d(y, warn=True), seen)
        return as_design(X), Target(codes, s)
    encoded = [classes_and_codes(column, seen) for column in y.T]
    estimator.classes_ = [classes for classes, _ in encoded]
    return as_design(X), Target(np.stack([codes for _, codes in encoded], axis=1), s)


def validate_soft(estimator, X, y, sample_weight=None, *, class_weight=None, reset=True):
    """Check X, class probabilities (n, k) and weights; return a design, probabilities and weights.

    ``classes_`` are the names of the columns of a frame, or 0, 1, ...
    """
    names = y.columns if is_frame(y) else None
    design, target = enter(estimator, X, y, sample_weight, reset=reset)
    Y, s = target.y, target.s
    if Y.min() < 0.0 or Y.max() > 1.0 or np.abs(Y.sum(axis=1) - 1.0).max() > 1e-6:
        outside = "lie outside [0, 1]" if Y.min() < 0.0 or Y.max() > 1.0 else "do not sum to 1 in every row"
        raise cannot(
            f"fit {type(estimator).__name__} to soft labels of shape {Y.shape}",
            because=f"they {outside}",
            instead="one probability for each class, each row summing to 1",
        )
    Y = Y / Y.sum(axis=1, keepdims=True)
    if reset:
        estimator.classes_ = np.arange(Y.shape[1]) if names is None else np.asarray(list(names))
    elif len(estimator.classes_) != Y.shape[1]:
        raise cannot(
            f"use soft labels of {Y.shape[1]} classes",
            because=f"{type(estimator).__name__} was fitted to {len(estimator.classes_)}",
            instead=f"shape (n, {len(estimator.classes_)})",
        )
    weights = np.ones(len(Y)) if s is None else s
    if class_weight is not None:
        each = class_factors(class_weight, estimator.classes_, weights @ Y)
        share = Y @ each
        s = checked_product(weights * share)
        Y = np.divide(Y * each, share[:, None], out=np.copy(Y), where=share[:, None] > 0.0)
        weights = s
    if (weights @ Y > 0.0).sum() < len(estimator.classes_):
        raise cannot(
            f"fit {type(estimator).__name__} to these soft labels",
            because="some class has probability zero in every row of positive weight",
            instead="only classes that may occur",
        )
    return design, Y, s


def _announce(estimator, classes, reset, least):
    """Set the classes of a stream; a later chunk may name them again, but no others."""
    announced = np.unique(column_or_1d(classes))
    if len(announced) < least:
        raise cannot(
            f"fit {type(estimator).__name__} to one class",
            because=f"classes={announced.tolist()} holds no second",
            instead="all the classes that the stream can bring",
        )
    if reset:
        estimator.classes_ = announced
    elif not np.array_equal(estimator.classes_, announced):
        raise cannot(
            f"go on with classes={announced.tolist()}",
            because=f"the stream began with the classes {estimator.classes_.tolist()}",
            instead="the same classes, or none",
        )


def score_rows(estimator, X, score):
    """``score(rows)`` of checked rows, whatever they score: block by block where X is read from a stream."""
    if isinstance(X, StreamedDesign):
        name_columns_of(estimator, X, reset=False)
        return np.concatenate([score(rows) for rows in X.matrices()])
    return score(validate_rows(estimator, X))


def validate_rows(estimator, X, *, sparse=True, missing=False):
    """Check X of a prediction or transformation against what the estimator was fitted on; NaN only if `missing`."""
    if isinstance(X, StreamedDesign):
        raise cannot(
            f"use {type(estimator).__name__} on all rows of {type(X).__name__} at once",
            because="they are read block by block and never held whole",
            instead="its blocks of rows one after the other: design.matrices()",
            kind=TypeError,
        )
    refuse_positions_outside(X)
    accepted, finite = ("csr", "csc") if sparse else False, "allow-nan" if missing else True
    return _validated(estimator, X, accept_sparse=accepted, dtype=DTYPES, reset=False, ensure_all_finite=finite)


def validate_first_rows(estimator, X, *, sparse=False, summed=False):
    """Check X of a transformer's fit, which has no target; `summed` (see :func:`enter`) takes a stream, too."""
    if summed and isinstance(X, StreamedDesign):
        return name_columns_of(estimator, X, reset=True)
    refuse_positions_outside(X)
    return _validated(
        estimator,
        X,
        accept_sparse=("csr", "csc") if sparse else False,
        dtype=DTYPES,
        ensure_all_finite=not (summed and isinstance(X, np.ndarray) and X.size > UNREAD),
    )


def validate_numbers(estimator, X, *, reset):
    """Check X of a transformer that looks after missing (NaN) and infinite numbers itself; return it as float64."""
    return _validated(estimator, X, dtype=np.float64, ensure_all_finite=False, reset=reset)


def validate_cells(estimator, X, *, reset):
    """Check X whose cells may be text, numbers or missing; return it as an array of whatever they are."""
    mixed = not can(X, "dtype") and not is_frame(X)  # numpy would write numbers among text as text
    return _validated(estimator, X, dtype=object if mixed else None, ensure_all_finite=False, reset=reset)


def validate_cell_classes(estimator, X, y, sample_weight=None, *, reset):
    """Check X as :func:`validate_cells` does, labels and weights; return X, codes into ``classes_``, and weights."""
    mixed = not can(X, "dtype") and not is_frame(X)
    X, y = _validated(estimator, X, y, dtype=object if mixed else None, ensure_all_finite=False, reset=reset)
    s = _weights(sample_weight, len(X))
    return X, encode(estimator, y, reset=reset, seen=None if s is None else s > 0.0), s


def validate_coordinates(estimator, Z, k):
    """Check rows of k coordinates that a transformer is asked to map back."""
    Z = check_array(Z, dtype=DTYPES, input_name="X")
    if Z.shape[1] != k:
        raise cannot(
            f"map {Z.shape[1]} coordinates back",
            because=f"{type(estimator).__name__} was fitted with {k} components",
            instead=f"an array of shape (n, {k})",
        )
    return Z


def validate_scores(estimator, d, y=None, sample_weight=None, *, reset=True):
    """Check one score for each row, (n,) or (n, 1); with labels y of two classes also return codes and weights."""
    d = check_array(d, ensure_2d=False, dtype=np.float64, input_name="d")
    if d.ndim != 1 and d.shape[1:] != (1,):
        raise cannot(f"use scores of shape {d.shape}", because="a row has one score", instead="d of shape (n,)")
    d = d.reshape(-1)
    if y is None:
        return d
    _, codes, s = validate_classes(estimator, d[:, None], y, sample_weight, reset=reset)
    if len(estimator.classes_) != 2:
        raise cannot(
            f"fit one curve to {len(estimator.classes_)} classes",
            because="one score tells two classes apart",
            instead="labels of two classes, or a curve for each class against the others",
        )
    return d, codes, s


def validate_columns(estimator, X, *, reset):
    """Check X of a composition whose parts check their own columns; a frame or array may mix numbers and words.

    Words may be missing: None or NaN."""
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)  # names and number of the columns
        return X
    words = isinstance(X, np.ndarray) and X.dtype.kind in "OU" and any(isinstance(v, str) for v in X.flat)
    finite = "allow-nan" if words else True
    return _validated(estimator, X, dtype=object if words else DTYPES, reset=reset, ensure_all_finite=finite)


def _weights(sample_weight, n):
    """Weights as float64, or None for all ones; zero-weight rows are allowed, all-zero weights are not."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        s = np.full(n, float(sample_weight))
    else:
        s = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if s.shape != (n,):
        raise cannot(
            f"use sample_weight of shape {s.shape}",
            because=f"X has {n} rows",
            instead=f"one weight for each row, shape ({n},)",
        )
    if (s < 0.0).any():
        raise cannot(
            f"use sample_weight with the value {s.min():g}",
            because="Negative weights have no meaning as repetitions of a row",
            instead="weights >= 0",
        )
    if not s.any():
        raise cannot("fit with sample_weight", because="all weights are zero", instead="at least one positive weight")
    refuse_range(s, "use sample_weight")
    return s


def validate_known_terms(name, values, n):
    """Check one number for each of n rows, an argument of some name that is neither y nor a weight."""
    values = check_array(values, ensure_2d=False, dtype=np.float64, input_name=name)
    if values.shape != (n,):
        raise cannot(f"use {name} of shape {values.shape}", because=f"X has {n} rows", instead=f"shape ({n},)")
    return values


def validate_weights(sample_weight, n):
    """Check the weights of n rows that no estimator is fitted to; return them as an array, ones for None."""
    s = _weights(sample_weight, n)
    return np.ones(n) if s is None else s
