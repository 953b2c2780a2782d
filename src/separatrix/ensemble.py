"""Committees of models: scikit-learn's own, under its module name.

>>> from separatrix.ensemble import RandomForestClassifier
>>> RandomForestClassifier(n_estimators=10)
RandomForestClassifier(n_estimators=10)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
