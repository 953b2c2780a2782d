"""Arrays whose references are not counted, for loops that hand arrays from function to function millions of times."""

from typing import Any, TypeVar

from separatrix.core.jit import when_loaded

T = TypeVar("T")


def borrowed(arrays: T) -> T:
    """The same array, or tuple of arrays and numbers, for use within the loop that was called with it.

    A compiled loop counts a reference wherever a function is handed an array, by an atomic operation: for the trees of
    a forest, most nodes of which have a few rows, that took a fifth of the time. The caller of a loop holds its
    arrays until it returns, so that within it nobody needs to count. To return or to keep such an array is not allowed.
    """
    return arrays


def _tell() -> None:
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic, overload

    def without_count(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            array.meminfo = cgutils.get_null_value(array.meminfo.type)
            return array._getvalue()
        if isinstance(kind, types.BaseTuple):
            for place, each in enumerate(kind):
                part = without_count(context, builder, each, builder.extract_value(value, place))
                value = builder.insert_value(value, part, place)
        return value

    @intrinsic
    def borrow(typing: Any, arrays: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return without_count(context, builder, arrays, arguments[0])

        return arrays(arrays), generate

    @overload(borrowed, strict=False)  # strict: annotations would have to be repeated
    def choose(arrays: Any) -> Any:
        return lambda arrays: borrow(arrays)


when_loaded(_tell)
