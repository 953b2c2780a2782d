"""Measures of quality: scikit-learn's own, under its module name.

>>> from separatrix.metrics import accuracy_score
>>> accuracy_score(["a", "b"], ["a", "a"])
0.5
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
