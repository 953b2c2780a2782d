"""Support vector machines, under scikit-learn's module name; each is imported when it is first asked for.

>>> from separatrix.svm import LinearSVC
>>> LinearSVC(C=0.5)
LinearSVC(C=0.5)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
