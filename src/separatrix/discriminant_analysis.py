"""Discriminant analysis, under scikit-learn's module name.

>>> from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis
>>> QuadraticDiscriminantAnalysis(reg_param=0.1)
QuadraticDiscriminantAnalysis(reg_param=0.1)
"""

from separatrix.estimators import generative

_NAMES = (
    "DiagonalLinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
)
__all__ = sorted(_NAMES)


def __getattr__(name):
    if name in __all__:
        return getattr(generative, name)
    raise AttributeError(f"module 'separatrix.discriminant_analysis' has no attribute {name!r}")


def __dir__():
    return __all__
