"""Tables as people keep them: read from files and frames, and understood, without scikit-learn or a compiler."""

from importlib import import_module

_NAMES = {
    "Table": "table",
    "as_table": "frames",
    "read": "reading",
    "blocks": "reading",
    "numbers": "cells",
    "days": "dates",
    "understand": "roles",
    "target_values": "target",
    "Understanding": "understanding",
    "ColumnFacts": "understanding",
}

__all__ = list(_NAMES)


def __getattr__(name):
    if name in _NAMES:
        return getattr(import_module(f"separatrix.tables.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'separatrix.tables' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
