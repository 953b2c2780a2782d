"""Splitters, searches and cross-validation: scikit-learn's own, under its module name.

>>> from separatrix.model_selection import KFold
>>> KFold(n_splits=3).get_n_splits()
3
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
