"""Class labels and their codes 0, 1, ...: which labels make classes, and which later labels are among them."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from separatrix.core.errors import cannot

# Of more labels than this, whole numbers are told apart by counting them: sorting a million takes a tenth of a second,
# longer than a closed form of their classes.
MANY_LABELS = 1 << 14


def encode(estimator, y, *, reset, seen=None):
    """Codes 0, 1, ... of class labels; a first fit (`reset`) learns the classes, later labels must be among them.

    Rows that are not `seen`, of weight zero, are as if they were not there: their labels make no classes.
    """
    learn_all = reset and (seen is None or seen.all())
    if learn_all and _are_many_small_numbers(y):
        estimator.classes_, codes = _tell_apart(y)
        return codes
    if not (isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biuU"):  # these can be nothing but classes
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
    if not reset:
        return codes_among(estimator, estimator.classes_, y, seen)
    estimator.classes_, codes = classes_and_codes(y, seen)
    if learn_all and len(estimator.classes_) > len(y) // 2:
        check_classification_targets(y)  # warns that so many classes are rather numbers
    return codes


def classes_and_codes(y, seen=None):
    """The distinct labels of the rows that are `seen`, sorted, and the codes of all rows (n,).

    >>> classes_and_codes(np.array(["b", "a", "b"]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    if seen is None or seen.all():
        return np.unique(y, return_inverse=True)
    classes = np.unique(y[seen])
    return classes, _places(classes, y)


def codes_among(estimator, classes, y, seen=None):
    """Codes of labels y (n,) among the classes of an estimator; a label that is none of them is refused if `seen`."""
    codes = _places(classes, y)
    unknown = (classes[codes] != y) & (True if seen is None else seen)
    if unknown.any():
        raise cannot(
            f"use the label {y[unknown][:1].tolist()[0]!r}",
            because=f"{type(estimator).__name__} was fitted to the classes {classes.tolist()}",
            instead="labels that were met in training, or fit again",
        )
    return codes


def _places(classes, y):
    return np.searchsorted(classes, y).clip(max=len(classes) - 1)


def _are_many_small_numbers(y):
    """Whether y holds far more whole numbers than there are between the smallest and the largest."""
    whole = isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iu" and y.size > MANY_LABELS
    return whole and int(y.max()) - int(y.min()) < MANY_LABELS // 4


def _tell_apart(y):
    """``np.unique(y, return_inverse=True)`` of whole numbers that lie close together: counted, not sorted."""
    low = y.min()
    place = np.subtract(y, low, dtype=np.int64, casting="unsafe")
    met = np.bincount(place) > 0
    # what overflows in a small type on the way there overflows back
    classes = np.flatnonzero(met).astype(y.dtype) + low
    return classes, place if met.all() else (np.cumsum(met) - 1)[place]
