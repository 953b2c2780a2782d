"""Discriminant analysis, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
>>> LinearDiscriminantAnalysis(n_components=2)
LinearDiscriminantAnalysis(n_components=2)
"""

from separatrix.estimators import generative

_NAMES = (
    "DiagonalLinearDiscriminantAnalysis",
    "FisherDiscriminant",
    "LinearDiscriminantAnalysis",
    "MeanDifference",
    "QuadraticDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
)
__all__ = list(_NAMES)


def __getattr__(name):
    if name in __all__:
        return getattr(generative, name)
    raise AttributeError(f"module 'separatrix.discriminant_analysis' has no attribute {name!r}")


def __dir__():
    return __all__
