"""Transformers of single columns, side by side, and transformed targets: scikit-learn's own, under its module name.

>>> from separatrix.compose import TransformedTargetRegressor
>>> TransformedTargetRegressor(check_inverse=False)
TransformedTargetRegressor(check_inverse=False)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
