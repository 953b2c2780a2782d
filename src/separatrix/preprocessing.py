"""Transformers of X, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.preprocessing import PolynomialFeatures
>>> PolynomialFeatures(degree=3)
PolynomialFeatures(degree=3)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
