"""Committees of models, under scikit-learn's module name; those that are not written here are its own.

>>> from separatrix.ensemble import RandomForestClassifier
>>> RandomForestClassifier(n_estimators=10)
RandomForestClassifier(n_estimators=10)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
