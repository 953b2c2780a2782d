"""Missing values: scikit-learn's own, under its module name.

>>> from separatrix.impute import SimpleImputer
>>> SimpleImputer(strategy='median')
SimpleImputer(strategy='median')
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
