"""Basis expansions: what makes a linear model non-linear in x. Each is imported when it is first asked for."""

from importlib import import_module

_HOMES = {
    "AdditiveBasis": "additive",
    "GaussianBasis": "gaussian",
    "NaturalSpline": "natural_spline",
    "PolynomialFeatures": "polynomial",
    "SigmoidBasis": "sigmoidal",
}

__all__ = sorted(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(import_module(f"separatrix.estimators.basis.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'separatrix.estimators.basis' has no attribute {name!r}")


def __dir__():
    return __all__
