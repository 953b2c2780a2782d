"""Decision trees, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.tree import DecisionTreeClassifier
>>> DecisionTreeClassifier(max_depth=2)
DecisionTreeClassifier(max_depth=2)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
