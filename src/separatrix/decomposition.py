"""Principal components, under scikit-learn's module name; imported when first asked for.

>>> from separatrix.decomposition import PCA
>>> PCA(n_components=2)
PCA(n_components=2)
"""

from separatrix.estimators import projection

__all__ = list(projection.__all__)


def __getattr__(name):
    if name in __all__:
        return getattr(projection, name)
    raise AttributeError(f"module 'separatrix.decomposition' has no attribute {name!r}")


def __dir__():
    return __all__
