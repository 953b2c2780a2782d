"""Linear models, under scikit-learn's module name: ``sklearn`` → ``separatrix`` in an import line is the migration.

>>> from separatrix.linear_model import Lasso
>>> Lasso(alpha=0.1)
Lasso(alpha=0.1)
"""

from separatrix.estimators import linear

__all__ = list(linear.__all__)


def __getattr__(name):
    if name in __all__:
        return getattr(linear, name)
    raise AttributeError(f"module 'separatrix.linear_model' has no attribute {name!r}")


def __dir__():
    return __all__
