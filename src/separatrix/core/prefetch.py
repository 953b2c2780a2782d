"""A hint to the processor, for loops that visit rows in random order."""

from typing import Any

import numpy as np

from separatrix.core.jit import when_loaded


def prefetch(array: np.ndarray, offset: int) -> None:
    """Ask the processor to fetch the cache line `offset` bytes into an array; a hint, with no effect on any result."""


def _tell() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    @intrinsic
    def prefetch_line(typing: Any, array: Any, offset: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte, number = ir.IntType(8), ir.IntType(32)
            start = builder.bitcast(context.make_array(array)(context, builder, arguments[0]).data, byte.as_pointer())
            place = cgutils.pointer_add(builder, start, arguments[1])
            kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number])
            hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            builder.call(hint, [place, number(0), number(3), number(1)])  # for reading, keep in all caches, data
            return context.get_dummy_value()

        return types.void(array, types.intp), generate

    @overload(prefetch, strict=False)  # strict: annotations would have to be repeated
    def choose(array: Any, offset: Any) -> Any:
        return lambda array, offset: prefetch_line(array, offset)


when_loaded(_tell)
