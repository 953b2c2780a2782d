"""Discriminant analysis, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
>>> LinearDiscriminantAnalysis(n_components=2)
LinearDiscriminantAnalysis(n_components=2)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
