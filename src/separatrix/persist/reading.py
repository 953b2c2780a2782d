"""From a tree of JSON values and a list of arrays back to values; every value is checked before it is used.

What an object of a class becomes is the caller's choice: an instance (:func:`separatrix.load`) or its bare state
(:func:`separatrix.persist.light`, which has no classes at hand).
"""

import re

import numpy as np

from separatrix.persist.archive import broken
from separatrix.persist.random_states import is_random_state
from separatrix.persist.tensors import KEPT, NAMED, restored

DEEPEST = 72  # a little more than what is written
LARGEST_WORDS = 1 << 26  # bytes of all arrays of words together
GREATEST = 1 << 48  # length of an axis, and of all axes together, empty ones aside
LONGEST_UNSTORED = 1 << 24  # length of an axis of an array without numbers: columns are counted by it
MOST_ALIKE = 16  # different values of one hash in a list, an array or the keys of a dict
SMALL = 1 << 60  # whole numbers below have hashes of their own
WORDS = re.compile(r"[<>]U(\d{1,7})")
PLAIN_TYPES = {"float": float, "int": int, "bool": bool, "str": str, "object": object}
DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
DTYPES |= {"float16", "float32", "float64", "complex64", "complex128"}
SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
MOST_PARTS = 1 << 20  # objects that a walk through one meets, shared ones each time
# Bytes of arrays that the checks of all objects may look at, and how often each array may be among them: an array or an
# object is stored once, and looked at in every object that holds it.
MOST_BYTES, MOST_TIMES = 1 << 28, 16


class Reader:
    """Makes values of nodes. `build(name, state)` makes what an object of a class becomes."""

    def __init__(self, arrays, build):
        self._arrays = arrays
        self._build = build
        self._objects = []
        self._heights = []  # how deep each object is nested in itself
        self._sizes = []  # how many objects a walk through each meets
        self._bytes = []  # of the arrays that a walk through each meets
        self._height = self._size = self._seen = 0
        self._left = MOST_BYTES + MOST_TIMES * sum(array.nbytes for array in arrays)
        self._made = {}
        self._room = LARGEST_WORDS

    def add(self, node):
        """Make the next object of the list; those before it are there to be referred to."""
        name, state = _parts(node, name=str, state=dict, named="class")
        self._height, self._size, self._seen = 0, 1, 0
        attributes = {key: self.value(part) for key, part in state.items()}
        self._left -= self._seen
        if self._height > DEEPEST or self._size > MOST_PARTS or self._left < 0:
            raise broken("it is nested too deep, or its parts are shared too often")
        self._objects.append(self._build(name, attributes))
        self._heights.append(self._height)
        self._sizes.append(self._size)
        self._bytes.append(self._seen)

    def value(self, node, depth=0):
        """The value that a node stands for."""
        if depth > DEEPEST:
            raise broken("it is nested too deep")
        kind = type(node)
        if node is None or kind in (bool, int, float, str):
            return node
        if kind is list:
            return _dispersed([self.value(item, depth + 1) for item in node])
        what = node.get("is")
        if type(what) is not str or what not in _KINDS:
            raise broken(f"it holds a value of the unknown kind {str(what)[:40]!r}")
        return _KINDS[what](self, node, depth + 1)

    def _int(self, node, depth):
        (text,) = _parts(node, hex=str)
        if not re.fullmatch(r"-?0x[0-9a-f]{1,4096}", text):
            raise broken("a whole number is not one")
        return int(text, 16)

    def _float(self, node, depth):
        (text,) = _parts(node, value=str)
        if text not in SPECIAL:
            raise broken("a number is not one")
        return SPECIAL[text]

    def _tuple(self, node, depth):
        (items,) = _parts(node, items=list)
        return tuple(self.value(item, depth) for item in items)

    def _dict(self, node, depth):
        (items,) = _parts(node, items=list)
        if not all(type(pair) is list and len(pair) == 2 for pair in items):
            raise broken("an entry of a dict is not a pair")
        keys = _dispersed([self.value(key, depth) for key, _ in items])
        try:
            entries = dict(zip(keys, [self.value(item, depth) for _, item in items]))
        except TypeError:
            raise broken("a key of a dict is not a plain value") from None
        if len(entries) != len(items):
            raise broken("a key of a dict occurs twice")
        return entries

    def _bunch(self, node, depth):
        from sklearn.utils import Bunch  # by name what the members of its committees are

        entries = self._dict(node, depth)
        if not all(type(key) is str for key in entries):
            raise broken("a name is not a word")
        return Bunch(**entries)

    def _slice(self, node, depth):
        (ends,) = _parts(node, ends=list)
        if len(ends) != 3 or not all(end is None or type(end) is int for end in ends):
            raise broken("a slice is not one")
        return slice(*ends)

    def _array(self, node, depth):
        at, dtype, shape, axes = _parts(node, at=int, dtype=str, shape=list, axes=(list, type(None)))
        if not 0 <= at < len(self._arrays):
            raise broken("it refers to an array that it does not hold")
        _check_shape(shape)
        if axes is not None and sorted(map(repr, axes)) != sorted(map(repr, range(len(shape)))):
            raise broken("the order of an array is not one")
        if dtype not in NAMED and not KEPT.fullmatch(dtype):
            raise broken(f"it holds an array of the unknown kind {dtype[:40]!r}")
        if at not in self._made:
            try:
                self._made[at] = node, restored(self._arrays[at], dtype, shape, axes)
            except (ValueError, TypeError, MemoryError, OverflowError):
                raise broken("an array has another kind or shape than its description") from None
        told, array = self._made[at]
        if told != node:  # ours never are: each way would be a copy
            raise broken("an array is described in two ways")
        self._seen += array.nbytes
        return array

    def _words(self, node, depth):
        dtype, shape, items = _parts(node, dtype=str, shape=list, items=list)
        width = WORDS.fullmatch(dtype)
        _check_shape(shape, len(items))
        self._room -= (int(width[1]) * len(items)) << 2 if width else self._room + 1
        if self._room < 0:
            raise broken("an array of words is not one, or too large")
        if not all(type(item) is str and len(item) <= int(width[1]) for item in items):
            raise broken("a word does not fit into its array")
        return np.array(items, dtype=dtype).reshape(shape)

    def _objects_array(self, node, depth):
        shape, items = _parts(node, shape=list, items=list)
        _check_shape(shape, len(items))
        cells = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            cells[i] = self.value(item, depth)
        _dispersed(cells)
        return cells.reshape(shape)

    def _word(self, node, depth):
        return np.str_(*_parts(node, value=str))

    def _scalar(self, node, depth):
        dtype, text = _parts(node, dtype=str, hex=str)
        if dtype not in NAMED and not KEPT.fullmatch(dtype):
            raise broken(f"it holds a number of the unknown kind {dtype[:40]!r}")
        kind = np.dtype(dtype)
        if not re.fullmatch(r"[0-9a-f]*", text) or len(text) != 2 * kind.itemsize:
            raise broken("a number is not one")
        return np.frombuffer(bytes.fromhex(text), dtype=kind)[0]

    def _sparse(self, node, depth):
        from scipy import sparse

        kind, shape, parts = _parts(node, kind=str, shape=list, parts=list)
        if kind not in ("csr_array", "csc_array", "csr_matrix", "csc_matrix") or len(parts) != 3:
            raise broken("a sparse array is not one")
        _check_shape(shape)
        arrays = [self.value(part, depth) for part in parts]
        if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in arrays):
            raise broken("a sparse array is not one")
        try:
            made = getattr(sparse, kind)(tuple(arrays), shape=tuple(shape))
            made.check_format(full_check=True)
        except (ValueError, TypeError, IndexError, OverflowError):
            raise broken("the parts of a sparse array do not fit together") from None
        return made

    def _dtype(self, node, depth):
        (name,) = _parts(node, name=str)
        if name not in DTYPES:
            raise broken(f"it names the unknown kind of number {name[:40]!r}")
        return np.dtype(name)

    def _type(self, node, depth):
        (name,) = _parts(node, name=str)
        library, _, number = name.rpartition(" ")
        if library == "numpy" and number in DTYPES:
            return np.dtype(number).type
        if name not in PLAIN_TYPES:
            raise broken(f"it names the unknown type {name[:40]!r}")
        return PLAIN_TYPES[name]

    def _spline(self, node, depth):
        from scipy.interpolate import BSpline

        (parts,) = _parts(node, parts=list)
        arguments = [self.value(part, depth) for part in parts]
        if len(arguments) != 3 or not all(
            isinstance(part, np.ndarray) and part.dtype == "<f8" for part in arguments[:2]
        ):
            raise broken("a spline is not one")
        if type(arguments[2]) is not int or not 0 <= arguments[2] <= 9:
            raise broken("a spline is not one")
        try:
            return BSpline(*arguments)
        except (ValueError, TypeError):
            raise broken("the parts of a spline do not fit together") from None

    def _random(self, node, depth):
        kind, state = _parts(node, kind=str, state=dict)
        state = self.value(state, depth)
        name = state.get("bit_generator") if type(state) is dict else None
        if kind not in ("RandomState", "Generator") or not is_random_state(kind, name, state):
            raise broken("a source of random numbers is not one")
        if kind == "RandomState":
            made = np.random.RandomState()
            made.set_state(state)
        else:
            made = np.random.Generator(getattr(np.random, name)())
            made.bit_generator.state = state
        return made

    def _object(self, node, depth):
        (at,) = _parts(node, at=int)
        if not 0 <= at < len(self._objects):
            raise broken("it refers to an object that does not come before")
        self._height = max(self._height, self._heights[at] + 1)
        self._size += self._sizes[at]
        self._seen += self._bytes[at]
        return self._objects[at]


_KINDS = {
    "int": Reader._int,
    "float": Reader._float,
    "tuple": Reader._tuple,
    "dict": Reader._dict,
    "bunch": Reader._bunch,
    "slice": Reader._slice,
    "array": Reader._array,
    "words": Reader._words,
    "objects": Reader._objects_array,
    "word": Reader._word,
    "scalar": Reader._scalar,
    "sparse": Reader._sparse,
    "dtype": Reader._dtype,
    "type": Reader._type,
    "spline": Reader._spline,
    "random": Reader._random,
    "object": Reader._object,
}


def _parts(node, named=None, **kinds):
    """The entries of a node, checked for their types; no other may be there. A type of None makes one optional."""
    if type(node) is not dict:
        raise broken("an entry is not what it should be")
    wanted = {named if named and name == "name" else name: kind for name, kind in kinds.items()}
    if not set(node) - {"is"} <= set(wanted):
        raise broken("an entry has keys that are not known")
    values = []
    for name, kind in wanted.items():
        value = node.get(name)
        kind = kind if isinstance(kind, tuple) else (kind,)
        if type(value) not in kind:
            raise broken(f"the {name!r} of an entry is missing or of the wrong type")
        values.append(value)
    return values


def _check_shape(shape, size=None):
    """Refuse lengths that are none, or that do not multiply to `size`."""
    if len(shape) > 32 or not all(type(length) is int and 0 <= length <= GREATEST for length in shape):
        raise broken("a shape is not one")
    total, room = 1, 1
    for length in shape:
        total *= length
        room *= max(length, 1)
    if room > (GREATEST if total else LONGEST_UNSTORED):
        raise broken("a shape is not one")
    if size is not None and total != size:
        raise broken("an array has another shape than its description")


def _dispersed(values):
    """The values, unless many differ and have one hash: a table of those takes a time that grows with their square.

    Python salts the hashes of words alone. Whole numbers that are equal modulo 2^61 - 1 have the same one.
    """
    alike = {}
    for value in values:
        kind = type(value)
        if kind in (str, float, bool) or value is None or (kind is int and -SMALL < value < SMALL):
            continue
        try:
            known = alike.setdefault(hash(value), [])
        except TypeError:  # never a key
            continue
        if not any(each is value or each == value for each in known):
            known.append(value)
        if len(known) > MOST_ALIKE:
            raise broken("its values are chosen to make a table of them slow")
    return values
