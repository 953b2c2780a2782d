"""Transformers of X, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.preprocessing import PolynomialFeatures
>>> PolynomialFeatures(degree=3)
PolynomialFeatures(degree=3)
"""

from separatrix.estimators import basis, preparation

__all__ = [*basis.__all__, *preparation.__all__]


def __getattr__(name):
    for room in (basis, preparation):
        if name in room.__all__:
            return getattr(room, name)
    raise AttributeError(f"module 'separatrix.preprocessing' has no attribute {name!r}")


def __dir__():
    return __all__
