"""Verbs that are chosen by the type of their first argument, in plain Python and inside compiled loops alike.

Losses, penalties and storages are flat ``NamedTuple``\\ s ("atoms"). A verb looks at the class of the atom it is given;
numba does the same at compile time through ``numba.extending.overload``, so that one loop text serves every
combination and the compiled result is found again on disk by the next process.
"""

from separatrix.core.jit import REASSOCIATE, when_loaded


def generic(declaration):
    """Make a verb of a declaration; its implementations are added with :func:`implements`."""
    table = {}

    def verb(first, *rest):
        return table[type(first)](first, *rest)

    verb.__name__ = declaration.__name__
    verb.__doc__ = declaration.__doc__
    verb.table = table
    return verb


def implements(verb, cls):
    """Register an implementation of `verb` for atoms of class `cls`."""

    def register(implementation):
        verb.table[cls] = implementation

        when_loaded(lambda: _tell_numba(verb, cls, implementation))
        return implementation

    return register


def _tell_numba(verb, cls, implementation):
    from numba import types
    from numba.extending import overload

    def choose(first, *rest):
        if isinstance(first, types.NamedTuple | types.NamedUniTuple) and first.instance_class is cls:
            return implementation
        return None

    overload(verb, jit_options={"fastmath": set(REASSOCIATE)}, strict=False)(choose)


def atom(cls):
    """Give a NamedTuple an equality and a hash that look at the class too (bare tuples compare by content only)."""
    cls.__eq__ = lambda a, b: type(a) is type(b) and tuple.__eq__(a, b)
    cls.__ne__ = lambda a, b: not (type(a) is type(b) and tuple.__eq__(a, b))
    cls.__hash__ = lambda a: hash((type(a).__qualname__, *a))
    return cls
