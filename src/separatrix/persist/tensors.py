"""The block of numbers: arrays of any numeric kind as safetensors, and back.

An array is stored in the order of its memory. What safetensors has no name for (complex numbers, dates, foreign byte
order) is stored as bytes; the manifest says what they mean.
"""

import re

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from separatrix.persist.archive import broken

# Kinds that safetensors knows by name and that every machine has alike.
NAMED = {"|b1", "|i1", "|u1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8"}
# Everything else that may be stored: numbers of either byte order, and times with their unit.
KEPT = re.compile(
    r"[<>](?:[iu][248]|f[248]|c(?:8|16)|[mM]8(?:\[\d{0,4}(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as|generic)\])?)"
)


def is_storable(dtype):
    """Whether arrays of this dtype can be stored as numbers."""
    return dtype.str in NAMED or KEPT.fullmatch(dtype.str) is not None


def axes_of(array):
    """The axes of an array from the slowest to the fastest in memory; None where that is their own order."""
    if array.flags.c_contiguous or array.ndim < 2:
        return None
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    return None if order == list(range(array.ndim)) else order


def pack(arrays):
    """The bytes of a list of arrays, named by their positions."""
    return save({str(i): _plain(array) for i, array in enumerate(arrays)})


def _plain(array):
    array = np.asarray(array, order="C")  # ascontiguousarray would give a number an axis
    return array if array.dtype.str in NAMED else array.reshape(-1).view(np.uint8)


def unpack(content, count):
    """The arrays that :func:`pack` was given, in order, read-only; bytes where it had no name for the kind."""
    try:
        tensors = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError):
        raise broken("its arrays are damaged") from None
    if len(tensors) != count or set(tensors) != {str(i) for i in range(count)}:
        raise broken(f"its arrays are not the {count} that the manifest counts")
    return [tensors[str(i)] for i in range(count)]


def restored(stored, dtype, shape, axes):
    """An array as it was: kind, shape and order in memory."""
    kind = np.dtype(dtype)
    in_memory = shape if axes is None else [shape[axis] for axis in axes]
    if dtype in NAMED:
        fits = stored.dtype == kind and list(stored.shape) == list(in_memory)
    else:
        wanted = kind.itemsize
        for length in shape:
            wanted *= length
        fits = stored.dtype == np.uint8 and stored.ndim == 1 and stored.size == wanted
    if not fits:
        raise broken("an array has another kind or shape than its description")
    array = stored.copy().view(kind).reshape(in_memory)
    return array if axes is None else array.transpose(np.argsort(axes))
