"""Kinds of values that an attribute of a stored object may have, with shapes in named sizes.

``floats("k", "p")`` is a check of k rows and p columns. A size is bound where it is first met, and must be the same
everywhere else in the object and in the records that it holds: ``p`` of ``coef_`` is ``p`` of ``n_features_in_``. Names
that begin with an underscore are sizes of one object alone. A check is a function of a value and the sizes known so
far; it binds those that are new, and says whether the value is what it should be.

>>> sizes = {}
>>> size("p")(3, sizes), floats("k", "p")(np.zeros((2, 3)), sizes), floats("p")(np.zeros(2), sizes), sizes
(True, True, False, {'p': 3, 'k': 2})
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Sizes = dict[str, int]
Kind = Callable[[Any, Sizes], bool]
FLAGS = (bool, np.bool_)


def size(name: str, low: int = 0) -> Kind:
    """A whole number that is itself the size of that name."""
    return lambda value, sizes: _is_whole(value) and value >= low and _bound([value], (name,), sizes)


def whole(low: float = -np.inf, high: float = np.inf) -> Kind:
    """A whole number between two ends, both included."""
    return lambda value, sizes: _is_whole(value) and low <= value <= high


def number(low: float = -np.inf, high: float = np.inf, *, finite: bool = True) -> Kind:
    """A number between two ends; NaN and infinities only where it need not be `finite`."""

    def check(value: Any, sizes: Sizes) -> bool:
        if type(value) is float or isinstance(value, np.floating):
            return bool(low <= value <= high and np.isfinite(value)) or (not finite and not bool(value < low))
        return _is_whole(value) and low <= value <= high

    return check


def flag(value: Any, sizes: Sizes) -> bool:
    """True or False; 0 and 1 count as such."""
    return type(value) in FLAGS or (_is_whole(value) and value in (0, 1))


def nothing(value: Any, sizes: Sizes) -> bool:
    """None."""
    return value is None


def text(value: Any, sizes: Sizes) -> bool:
    """A string."""
    return isinstance(value, str)


def anything(value: Any, sizes: Sizes) -> bool:
    """Any value: nothing but Python code reads it, which checks for itself."""
    return True


def word(*words: str) -> Kind:
    """One of some strings."""
    return lambda value, sizes: isinstance(value, str) and value in words


def floats(*shape: str | int, finite: bool = True, low: float = -np.inf) -> Kind:
    """An array of float64 or float32."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not (type(value) is np.ndarray and value.dtype in (np.float64, np.float32)):
            return False
        fits = not finite or bool(np.isfinite(value).all())
        return fits and bool((value >= low).all() or low == -np.inf) and _bound(value.shape, shape, sizes)

    return check


def integers(*shape: str | int, low: float = -np.inf, below: str = "") -> Kind:
    """An array of whole numbers, not less than `low`; less than the size named `below`, which is known by then."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not (type(value) is np.ndarray and value.dtype.kind in "iu" and _bound(value.shape, shape, sizes)):
            return False
        if not value.size:
            return True
        return bool(value.min() >= low) and (not below or (below in sizes and bool(value.max() < sizes[below])))

    return check


def unsigned(dtype: str, *shape: int) -> Kind:
    """An array of exactly that type and shape."""
    return lambda value, sizes: type(value) is np.ndarray and value.dtype == np.dtype(dtype) and value.shape == shape


def flags(*shape: str | int) -> Kind:
    """An array of truth values."""
    return lambda value, sizes: type(value) is np.ndarray and value.dtype == bool and _bound(value.shape, shape, sizes)


def objects(*shape: str | int) -> Kind:
    """An array of words or of anything."""
    return lambda value, sizes: (
        type(value) is np.ndarray and value.dtype.kind in "UO" and _bound(value.shape, shape, sizes)
    )


def labels(*shape: str | int) -> Kind:
    """Labels of classes: an array of numbers or words, no two alike, in ascending order where they have one."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not (type(value) is np.ndarray and value.ndim == 1 and value.dtype.kind in "biufUO"):
            return False
        try:
            distinct = len(np.unique(value)) == len(value) and bool((value[:-1] < value[1:]).all())
        except TypeError:  # labels of several types have no order
            distinct = len(set(map(repr, value.tolist()))) == len(value)
        return distinct and _bound(value.shape, shape, sizes)

    return check


def sparse(*shape: str | int) -> Kind:
    """A sparse array of floats; the reader has compared its indices with its shape."""

    def check(value: Any, sizes: Sizes) -> bool:
        from separatrix.designs.pairs import stores_zeros  # scipy, which a light reader does without

        return not stores_zeros(value) and value.dtype in (np.float64, np.float32) and _bound(value.shape, shape, sizes)

    return check


def either(*kinds: Kind) -> Kind:
    """The first of some kinds that the value has."""

    def check(value: Any, sizes: Sizes) -> bool:
        for kind in kinds:
            tried = dict(sizes)
            if kind(value, tried):
                sizes.update(tried)
                return True
        return False

    return check


def listed(kind: Kind, length: str | int = "", *, of: tuple[type, ...] = (list, tuple)) -> Kind:
    """A list of values of one kind; sizes that begin with an underscore may differ from one to the next."""

    def check(value: Any, sizes: Sizes) -> bool:
        if type(value) not in of or (length and not _bound([len(value)], (length,), sizes)):
            return False
        return all(inside(kind, item, sizes) for item in value)

    return check


def by_key(kind: Kind) -> Kind:
    """A dict whose values are of one kind."""
    return lambda value, sizes: type(value) is dict and all(inside(kind, item, sizes) for item in value.values())


def entries(**kinds: Kind) -> Kind:
    """A dict with exactly these keys."""
    return lambda value, sizes: type(value) is dict and set(value) == set(kinds) and holds(value, kinds, sizes)


def holds(state: Mapping[str, Any], kinds: Mapping[str, Kind], sizes: Sizes) -> bool:
    """Whether each of the values that has a kind has it, in the order of the kinds."""
    return unfit(state, kinds, sizes) is None


def unfit(state: Mapping[str, Any], kinds: Mapping[str, Kind], sizes: Sizes) -> str | None:
    """The name of the first value that is not of its kind; None where all are."""
    return next((name for name, kind in kinds.items() if name in state and not kind(state[name], sizes)), None)


def inside(kind: Kind, value: Any, sizes: Sizes) -> bool:
    """A check of a part of an object: its own sizes do not leave it."""
    own = {name: length for name, length in sizes.items() if not name.startswith("_")}
    fits = kind(value, own)
    sizes.update({name: length for name, length in own.items() if not name.startswith("_")})
    return fits


def _is_whole(value: Any) -> bool:
    return type(value) is int or isinstance(value, np.integer)


def _bound(lengths: Any, names: tuple[str | int, ...], sizes: Sizes) -> bool:
    """Whether lengths are those of the named sizes; a size that is new is bound."""
    if len(lengths) != len(names):
        return False
    for length, name in zip(lengths, names):
        if length != (name if isinstance(name, int) else sizes.setdefault(name, int(length))):
            return False
    return True
