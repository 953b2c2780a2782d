"""The one decorator for compiled loops, and the disk cache behind it.

A loop that inlined an overloaded verb is not recompiled by numba when the verb's text changes. So the cache lives in
a folder named by the digest of all our sources: an edited loss can never run from a stale file.
"""

import hashlib
import os
from pathlib import Path

from llvmlite import ir
from numba import config, njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def _digest():
    """Twelve hexadecimal digits that change with any source file of the package."""
    root = Path(__file__).resolve().parent.parent
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


def cache_folder():
    """Where compiled loops are kept: ``$SEPARATRIX_CACHE``, else the user's cache folder."""
    home = os.environ.get("SEPARATRIX_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "separatrix"
    )
    return os.path.join(home, _digest())


_FOLDER = cache_folder()


def compiled(function):
    """Compile a loop on first call: cached on disk, GIL released.

    Sums may be reassociated (that is what lets them use vector registers, and it makes long sums more accurate, not
    less); NaN and infinity keep their meaning.
    """
    return _compile(function, {"reassoc", "contract"})


def compiled_exactly(function):
    """Compile a loop whose every operation is rounded as written: for error-free transformations."""
    return _compile(function, False)


def _compile(function, fastmath):
    before, config.CACHE_DIR = config.CACHE_DIR, _FOLDER
    try:
        return njit(cache=True, nogil=True, fastmath=fastmath)(function)
    except (RuntimeError, OSError):  # no place on this machine can be written to: compile in memory
        return njit(nogil=True, fastmath=fastmath)(function)
    finally:
        config.CACHE_DIR = before


def prefetch(array, offset):
    """Ask the processor to fetch the cache line `offset` bytes into an array; a hint, with no effect on any result."""


@intrinsic
def _prefetch_line(typing, array, offset):
    def generate(context, builder, signature, arguments):
        byte, number = ir.IntType(8), ir.IntType(32)
        start = builder.bitcast(context.make_array(array)(context, builder, arguments[0]).data, byte.as_pointer())
        place = cgutils.pointer_add(builder, start, arguments[1])
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(hint, [place, number(0), number(3), number(1)])  # for reading, keep in all caches, data
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@overload(prefetch)
def _(array, offset):
    return lambda array, offset: _prefetch_line(array, offset)
