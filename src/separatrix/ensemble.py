"""Committees of models, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.ensemble import AdaBoostClassifier
>>> AdaBoostClassifier(n_estimators=1).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.2]])
array(['a'], dtype='<U1')
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
