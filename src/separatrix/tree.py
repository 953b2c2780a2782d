"""Decision trees: scikit-learn's own, under its module name.

>>> from separatrix.tree import DecisionTreeClassifier
>>> DecisionTreeClassifier(max_depth=2)
DecisionTreeClassifier(max_depth=2)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
