"""Splits into train, validation and test rows; folds; leave-one-out.

scikit-learn's splitters are used. Added are three parts at once, stratification by default, and a test part that can
be opened once.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import LeaveOneOut, RepeatedKFold, RepeatedStratifiedKFold, train_test_split

from separatrix.assess.measures import measure as named_measure
from separatrix.core.errors import cannot
from separatrix.core.protocol import row_count
from separatrix.decision.sampling import take_rows
from separatrix.estimators.probabilities import same_length

# Whole numbers of at most this many different values are taken for classes.
MOST_CLASSES = 20


class AlreadyOpened(RuntimeError):
    """A test part that was asked for a second time."""


@dataclass(frozen=True, repr=False)
class Part:
    """Some of the rows.

    Attributes
    ----------
    X, y : the rows, of the type they were given as; y is None where none was given.
    rows : int array.  Their positions in the original.
    """

    X: object
    y: object
    rows: np.ndarray

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        return f"Part({len(self)} rows)"


class Sealed:
    """Test rows that can be opened once, so that no choice depends on them.

    >>> sealed = Sealed(Part([[1.0]], [2.0], np.array([7])))
    >>> sealed.open().y
    [2.0]
    >>> sealed.open()
    Traceback (most recent call last):
    separatrix.assess.resample.AlreadyOpened: Cannot open the test part again: ...
    """

    def __init__(self, part):
        self._part, self.rows, self._results = part, part.rows, ""

    @property
    def opened(self):
        return self._part is None

    def __len__(self):
        return len(self.rows)

    def open(self):
        """The rows, the first time; afterwards :class:`AlreadyOpened`."""
        if self._part is None:
            raise cannot(
                "open the test part again",
                because=f"it was opened before{self._results}, so that it cannot test later choices",
                instead="the numbers of the first time, or new rows",
                kind=AlreadyOpened,
            )
        part, self._part = self._part, None
        return part

    def report(self, model, *measures):
        """Open the part and measure a fitted model on it: a dict from the names of the measures to their values.

        >>> from sklearn.dummy import DummyRegressor
        >>> model = DummyRegressor(constant=1.0, strategy="constant").fit([[0.0]], [0.0])
        >>> Sealed(Part([[0.0], [0.0]], [1.0, 4.0], np.arange(2))).report(model, "mae", "mse")
        {'mae': 1.5, 'mse': 4.5}
        """
        chosen = [named_measure(which) for which in measures]
        part = self.open()
        values = {each.name: each.of(model, part.X, part.y) for each in chosen}
        self._results = " (" + ", ".join(f"{name} {value:.4g}" for name, value in values.items()) + ")"
        return values

    def __repr__(self):
        return f"Sealed({len(self)} rows, {'opened' if self.opened else 'unopened'})"


@dataclass(frozen=True, repr=False)
class Split:
    """Disjoint parts of a table: train, validation, and a test part that opens once.

    Attributes
    ----------
    train : Part.
    validation : Part or None.
    test : Sealed.  ``test.open()`` gives its rows, once.
    take : callable.  From positions in the original to a Part.
    """

    train: Part
    validation: Part | None
    test: Sealed
    take: Callable

    def together(self):
        """Train and validation rows as one part, in their original order: to fit once more after the choice."""
        parts = [self.train, *([self.validation] if self.validation else [])]
        return self.take(np.sort(np.concatenate([part.rows for part in parts])))

    def __iter__(self):
        """Train, validation if there is one, test."""
        return iter([self.train, *([self.validation] if self.validation else []), self.test])

    def __repr__(self):
        middle = f", {len(self.validation)} to validate" if self.validation else ""
        return f"Split({len(self.train)} rows to train{middle}, {len(self.test)} to test)"


def split(X, y=None, *, test=0.2, validation=None, stratify=None, seed=0):
    """Divide rows at random into train and test, or train, validation and test.

    Parameters
    ----------
    X : array, sparse array, Table or frame with n rows.
    y : array or series of shape (n,) or None, default None.
    test : float in (0, 1) or int, default 0.2.  Share or number of the rows to test on.
    validation : float in (0, 1), int or None, default None.  Share (of all rows) or number to choose by.
    stratify : bool, array of shape (n,) or None, default None.  Whether every part gets its share of each class of y,
        or of each value of the array. None does so where y holds classes: words, truth values, or whole numbers of at
        most 20 different values. A class of fewer rows than there are parts is not stratified.
    seed : int, default 0.  The same seed gives the same parts.

    Returns
    -------
    parts : Split.

    Examples
    --------
    >>> parts = split(np.arange(20.0).reshape(10, 2), ["a", "b"] * 5, test=2, validation=2)
    >>> parts, sorted(parts.validation.y.tolist())
    (Split(6 rows to train, 2 to validate, 2 to test), ['a', 'b'])
    >>> train, validation, test = parts
    """
    n = row_count(X)
    if y is not None:
        same_length(n, y)
    shares = {"test": test} if validation is None else {"test": test, "validation": validation}
    sizes = {name: _count(size, n, name) for name, size in shares.items()}
    if sum(sizes.values()) >= n:
        raise cannot(
            f"split {n} rows", because=f"{sum(sizes.values())} are asked for beside those to train", instead="less"
        )
    strata = _strata(y, stratify, n, len(sizes) + 1)
    rest, rows = np.arange(n), {}
    for name, size in sizes.items():
        rest, rows[name] = _part(rest, size, strata, seed)

    def take(chosen):
        return Part(take_rows(X, chosen), None if y is None else take_rows(y, chosen), chosen)

    middle = take(rows["validation"]) if "validation" in rows else None
    return Split(take(np.sort(rest)), middle, Sealed(take(rows["test"])), take)


def k_fold(rows, k=5, *, repeats=1, stratify=None, seed=0):
    """k disjoint folds, each held out once while the others are trained on; shuffled anew for each repeat.

    Parameters
    ----------
    rows : int, or array of shape (n,).  How many rows there are, or their y.
    k : int, [2, n], default 5.
    repeats : int, [1, inf), default 1.
    stratify : bool or None, default None.  Whether each fold gets its share of each class, to within one row; None
        does so where y holds classes, as in :func:`split`.
    seed : int, default 0.

    Returns
    -------
    folds : list of (train, held_out) pairs of int arrays, k for each repeat.  Valid as scikit-learn's ``cv=``.

    >>> [held_out.tolist() for train, held_out in k_fold(["a", "b", "a", "b"], 2)]
    [[1, 2], [0, 3]]
    """
    counted = isinstance(rows, Integral)
    n = int(rows) if counted else len(rows)
    if not isinstance(k, Integral) or not 2 <= k <= n:
        raise cannot(
            f"make k={k!r} folds of {n} rows", because="a fold holds at least one row", instead=f"k in [2, {n}]"
        )
    if not isinstance(repeats, Integral) or repeats < 1:
        raise cannot(f"repeat {repeats!r} times", because="repeats are counted", instead="repeats >= 1")
    strata = None if counted else _strata(rows, stratify, n, 1)
    if counted and stratify:
        raise cannot("keep the shares of classes", because=f"{rows} is only a number of rows", instead="y itself")
    place = np.zeros(n)
    if strata is not None and np.bincount(strata).max() >= k:
        folds = RepeatedStratifiedKFold(n_splits=k, n_repeats=repeats, random_state=seed)
        with warnings.catch_warnings():
            # a class of fewer than k rows is in as many folds as it has rows, which is what "to within one row" says
            warnings.filterwarnings("ignore", message="The least populated class")
            return list(folds.split(place, strata))
    return list(RepeatedKFold(n_splits=k, n_repeats=repeats, random_state=seed).split(place))


def leave_one_out(rows):
    """n folds of one row each.

    Parameters
    ----------
    rows : int, [2, inf), or array of shape (n,).  How many rows there are, or anything that has as many.

    Returns
    -------
    folds : list of (train, held_out) pairs of int arrays.  Valid as scikit-learn's ``cv=``.

    >>> [(train.tolist(), held_out.tolist()) for train, held_out in leave_one_out(3)]
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """
    n = int(rows) if isinstance(rows, Integral) else len(rows)
    if n < 2:
        raise cannot(f"leave one of {n} rows out", because="nothing would be left to learn from", instead="two or more")
    return list(LeaveOneOut().split(np.zeros(n)))


def are_classes(y):
    """Whether y holds classes rather than numbers: words, truth values, or few different whole numbers.

    >>> are_classes(["a", "b"]), are_classes([0, 1, 1]), are_classes([0.5, 1.5]), are_classes(range(100))
    (True, True, False, False)
    """
    y = np.asarray(y)
    if y.dtype.kind in "USOb":
        return True
    different = np.unique(y)
    return len(different) <= MOST_CLASSES and bool(np.all(different == np.floor(different)))


def _count(size, n, name):
    if isinstance(size, Integral) and not isinstance(size, bool) and 0 < size < n:
        return int(size)
    if isinstance(size, Real) and not isinstance(size, Integral) and 0.0 < size < 1.0:
        return max(1, math.floor(size * n + 0.5))
    raise cannot(
        f"use {name}={size!r} with {n} rows",
        because="it is neither a share nor a number of them",
        instead=f"{name} in (0, 1), or a whole number from 1 to {n - 1}",
    )


def _strata(y, stratify, n, fewest):
    """Codes of the strata (n,), or None; strata of fewer than `fewest` rows are joined to the largest one."""
    if stratify is None:
        stratify = y is not None and np.ndim(y) == 1 and are_classes(y)
    if stratify is False or stratify is np.False_:
        return None
    if y is None and (stratify is True or stratify is np.True_):
        raise cannot("keep the shares of classes", because="there is no y", instead="y=..., or stratify=an array")
    by = np.asarray(y if isinstance(stratify, bool | np.bool_) else stratify)
    same_length(n, by, "stratify")
    if by.dtype.kind == "O":
        by = by.astype(str)  # None and words do not sort; as text they do
    _, codes, counts = np.unique(by, return_inverse=True, return_counts=True)
    return np.where(counts[codes] < fewest, counts.argmax(), codes)


def _part(rows, size, strata, seed):
    """Draw `size` of the rows: (those left, those drawn), both sorted."""
    within = None if strata is None else strata[rows]
    if within is not None:
        different, counts = np.unique(within, return_counts=True)
        if len(different) > min(size, len(rows) - size) or counts.min() < 2:
            within = None  # fewer rows than classes: no part could hold them all
    left, drawn = train_test_split(rows, test_size=size, random_state=seed, stratify=within)
    return np.sort(left), np.sort(drawn)
