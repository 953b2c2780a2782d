"""Solvers: from a Problem to a Solution; each is imported when it is first asked for."""

from importlib import import_module

_HOMES = {
    "descend": "descent",
    "gradient_descent": "descent",
    "learn_from_mistakes": "mistakes",
    "newton": "newton_raphson",
    "separation_of": "separation",
    "stochastic_descent": "stochastic",
}

__all__ = sorted(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
