"""Support vector machines, under the module name of scikit-learn.

>>> from separatrix.svm import LinearSVC
>>> LinearSVC(C=0.5)
LinearSVC(C=0.5)
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
