"""From a model to a tree of JSON values and a list of arrays.

JSON's null, true, false, numbers, strings and lists mean themselves. Everything else is an object with the key ``is``
that says what it is. Objects of classes are kept in a list of their own, each before those that refer to it, so that
what is shared is stored once and a file cannot run in circles.
"""

import math

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from separatrix.core.declaration import declaration
from separatrix.core.refusal import cannot
from separatrix.designs import compressed
from separatrix.persist.archive import CannotSave
from separatrix.persist.reading import DTYPES, LARGEST_WORDS, PLAIN_TYPES
from separatrix.persist.tensors import axes_of, is_storable

DEEPEST = 64
EXACT = 1 << 53  # whole numbers up to here survive every JSON reader
SPARSE = {"csr", "csc"}


class Writer:
    """Collects the arrays and objects of one model; `table` has the classes that may be among them."""

    def __init__(self, table):
        self._table = table
        self.arrays = []
        self.objects = []
        self._array_nodes = {}
        self._places = {}
        self._alive = []  # an id is only an id while its owner lives
        self._open = set()
        self._room = LARGEST_WORDS

    def node(self, value, where, depth=0):
        """The JSON value that stands for a value; `where` names it in a refusal."""
        if depth > DEEPEST:
            raise _refused(where, f"it is nested more than {DEEPEST} deep", "a flatter structure")
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -EXACT <= value <= EXACT else {"is": "int", "hex": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {"is": "float", "value": repr(value)}
        if kind in (list, tuple):
            items = [self.node(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
            return items if kind is list else {"is": "tuple", "items": items}
        if kind in (dict, Bunch):
            pairs = [
                [self.node(key, f"a key of {where}", depth + 1), self.node(item, f"{where}[{key!r}]", depth + 1)]
                for key, item in value.items()
            ]
            return {"is": "dict" if kind is dict else "bunch", "items": pairs}
        if kind is slice:
            ends = (value.start, value.stop, value.step)
            return {"is": "slice", "ends": [self.node(end, where, depth + 1) for end in ends]}
        return self._rarer(value, kind, where, depth)

    def _rarer(self, value, kind, where, depth):
        if kind is np.ndarray:
            return self._array(value, where, depth)
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if isinstance(value, sparse.sparray | sparse.spmatrix):
            return self._sparse(value, where)
        if isinstance(value, np.dtype) and value.name in DTYPES:
            return {"is": "dtype", "name": value.name}
        if isinstance(value, type):
            return self._type(value, where)
        if kind in self._table:
            return {"is": "object", "at": self._object(value, where, depth)}
        if kind.__module__.startswith("scipy.interpolate") and kind.__name__ == "BSpline":
            parts = [self.node(part, where, depth + 1) for part in (value.t, value.c, int(value.k))]
            return {"is": "spline", "parts": parts}
        if isinstance(value, np.random.RandomState | np.random.Generator):
            source = value._bit_generator if isinstance(value, np.random.RandomState) else value.bit_generator
            state = value.get_state(legacy=False) if isinstance(value, np.random.RandomState) else source.state
            return {"is": "random", "kind": kind.__name__, "state": self.node(state, where, depth + 1)}
        raise _unknown(value, kind, where)

    def _object(self, value, where, depth):
        if id(value) in self._places:
            return self._places[id(value)]
        if id(value) in self._open:
            raise _refused(where, "it refers to itself", "a model without circles")
        self._open.add(id(value))
        entry = self._table[type(value)]
        at = type(value).__name__ if depth == 0 else where
        held = entry.state(value)
        for name in entry.pinned:
            if held[name] is not None and not callable(held[name]):
                raise _refused(f"{at}.{name}", "a model file cannot answer for what it would do", f"{name}=None")
        wrong = entry.wrong_with(held)
        if wrong is not None:  # no reader would take it
            raise _refused(at, wrong, "a model as its fit left it, with finite numbers")
        state = {name: self.node(part, f"{at}.{name}", depth + 1) for name, part in sorted(held.items())}
        self._open.discard(id(value))
        self._alive.append(value)
        self.objects.append({"class": entry.name, "state": state})
        self._places[id(value)] = len(self.objects) - 1
        return self._places[id(value)]

    def forms(self):
        """The forms of prediction of the classes of all objects, by their names."""
        written = {entry["class"] for entry in self.objects}
        return {each.name: each.form for each in self._table.values() if each.name in written and each.form}

    def _array(self, value, where, depth):
        if id(value) in self._array_nodes:
            return self._array_nodes[id(value)]
        shape = list(value.shape)
        if value.dtype.kind == "U":
            self._room -= value.nbytes
            if self._room < 0:
                raise _refused(where, f"arrays of words may take {LARGEST_WORDS >> 20} MB", "numbers for them")
            node = {"is": "words", "dtype": value.dtype.str, "shape": shape, "items": value.ravel().tolist()}
        elif value.dtype == object:
            items = [self.node(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value.ravel().tolist())]
            node = {"is": "objects", "shape": shape, "items": items}
        elif is_storable(value.dtype):
            axes = axes_of(value)
            self.arrays.append(value if axes is None else value.transpose(axes))
            node = {"is": "array", "at": len(self.arrays) - 1, "dtype": value.dtype.str, "shape": shape}
            node |= {} if axes is None else {"axes": axes}
        else:
            raise _refused(where, f"it is an array of {value.dtype}", "an array of numbers, truth values or words")
        self._alive.append(value)
        self._array_nodes[id(value)] = node
        return node

    def _scalar(self, value, where):
        if isinstance(value, np.str_):
            return {"is": "word", "value": str(value)}
        if not is_storable(value.dtype):
            raise _refused(where, f"it is a {type(value).__name__}", "a number or a word")
        return {"is": "scalar", "dtype": value.dtype.str, "hex": value.tobytes().hex()}

    def _sparse(self, value, where):
        if value.format not in SPARSE:
            raise _refused(where, f"it is a sparse array of the format {value.format!r}", "csr or csc")
        parts = [self._array(part, where, 0) for part in compressed(value)]
        kind = "array" if isinstance(value, sparse.sparray) else "matrix"
        return {"is": "sparse", "kind": f"{value.format}_{kind}", "shape": list(value.shape), "parts": parts}

    def _type(self, value, where):
        name = value.__name__
        if PLAIN_TYPES.get(name) is value:
            return {"is": "type", "name": name}
        if issubclass(value, np.generic) and np.dtype(value).name in DTYPES:
            return {"is": "type", "name": f"numpy {np.dtype(value).name}"}
        raise _refused(where, f"it is the class {name}", "a plain value")


def _unknown(value, kind, where):
    name = f"{kind.__module__.split('.')[0]}'s {kind.__name__}"
    unknown = f"{name} is not among the classes that a model file knows"
    if declaration(value).inside is not None:
        return _refused(where, f"{name} holds functions that score", "its best_estimator_")
    if isinstance(value, BaseEstimator):
        instead = "estimators of separatrix, in scikit-learn's Pipeline and ColumnTransformer if you like"
        return _refused(where, unknown, instead)
    if callable(value):
        return _refused(where, "it is a function, and a model file holds no code", "a choice by name")
    return _refused(where, unknown, "numbers, words and arrays")


def _refused(where, because, instead):
    return cannot(f"save {where}", because=because, instead=instead, kind=CannotSave)
