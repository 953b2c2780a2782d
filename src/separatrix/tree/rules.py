"""Rules of trees, and lists of rules: extraction, assessment on other rows, export as text, SQL and DOT.

>>> from separatrix.tree import DecisionTreeClassifier, rules
>>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
>>> [rule.prediction for rule in rules.extract(model)]
['low', 'high']
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
