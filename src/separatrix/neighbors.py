"""Nearest neighbours, under scikit-learn's module name: ``sklearn`` → ``separatrix`` in an import line is the migration.

>>> from separatrix.neighbors import KNeighborsClassifier
>>> KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.2]])
array(['a'], dtype='<U1')
"""

from separatrix.estimators import local

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "RadiusNeighborsRegressor"]


def __getattr__(name):
    if name in __all__:
        return getattr(local, name)
    raise AttributeError(f"module 'separatrix.neighbors' has no attribute {name!r}")


def __dir__():
    return __all__
