"""Transformers of X, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.preprocessing import PolynomialFeatures
>>> PolynomialFeatures(degree=3)
PolynomialFeatures(degree=3)
"""

from separatrix.estimators import basis

__all__ = list(basis.__all__)


def __getattr__(name):
    if name in __all__:
        return getattr(basis, name)
    raise AttributeError(f"module 'separatrix.preprocessing' has no attribute {name!r}")


def __dir__():
    return __all__
