"""The choice of columns: scikit-learn's own, under its module name.

>>> from separatrix.feature_selection import SelectKBest
>>> SelectKBest(k=3)
SelectKBest(k=3)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
