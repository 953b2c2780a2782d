"""Verbs that are chosen by the type of their first argument, in plain Python and inside compiled loops alike.

Losses, penalties and storages are flat ``NamedTuple``\\ s ("atoms"). A verb looks at the class of the atom it is given;
numba does the same at compile time through ``numba.extending.overload``, so that one loop text serves every
combination and the next process reads the compiled result from disk.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from separatrix.core.jit import REASSOCIATE, note_implementation, when_loaded

F = TypeVar("F", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
Verb = Any  # a function with the attribute `table`


def generic(declaration: F) -> F:
    """Make a verb of a declaration; its implementations are added with :func:`implements`."""
    return _verb(declaration, None)


def with_default(declaration: F) -> F:
    """Make a verb whose declaration is the implementation for every class that has none of its own."""
    return _verb(declaration, declaration)


def _verb(declaration: Callable[..., Any], default: Callable[..., Any] | None) -> Any:
    table: dict[type, Callable[..., Any]] = {}

    def verb(first: Any, *rest: Any) -> Any:
        implementation = table.get(type(first), default)
        if implementation is None:
            raise NotImplementedError(f"{type(first).__name__} does not implement {declaration.__name__}")
        return implementation(first, *rest)

    verb.__name__ = declaration.__name__
    verb.__doc__ = declaration.__doc__
    verb.table = table  # type: ignore[attr-defined]
    when_loaded(lambda: _tell_numba(verb, table, default))
    return verb


def _tell_numba(verb: Verb, table: dict[type, Callable[..., Any]], default: Callable[..., Any] | None) -> None:
    from numba import types
    from numba.extending import overload

    def choose(first: Any, *rest: Any) -> Callable[..., Any] | None:
        if isinstance(first, types.NamedTuple | types.NamedUniTuple):
            return table.get(first.instance_class, default)
        return None

    overload(verb, jit_options={"fastmath": set(REASSOCIATE)}, strict=False)(choose)


def implements(verb: Verb, cls: type) -> Callable[[F], F]:
    """Register an implementation of `verb` for atoms of class `cls`."""

    def register(implementation: F) -> F:
        verb.table[cls] = implementation
        note_implementation(cls, implementation)
        return implementation

    return register


def implemented(verb: Verb, first: Any) -> bool:
    """Whether the class of an atom has an implementation of its own."""
    return type(first) in verb.table


def atom(cls: Class) -> Class:
    """Give a NamedTuple an equality and a hash that look at the class too (bare tuples compare by content only)."""

    def equal(a: Any, b: Any) -> bool:
        return type(a) is type(b) and all(np.array_equal(x, y) for x, y in zip(a, b))

    def key(field: Any) -> Any:
        return field.tobytes() if isinstance(field, np.ndarray) else field

    changed: Any = cls
    changed.__eq__ = equal
    changed.__ne__ = lambda a, b: not equal(a, b)
    changed.__hash__ = lambda a: hash((type(a).__qualname__, *map(key, a)))
    return cls
