"""Many classes from two, and 1-of-K coding, under scikit-learn's module name; each is imported when first asked for.

>>> from separatrix.multiclass import one_of_k
>>> one_of_k([True, False])[0].tolist()
[[0.0, 1.0], [1.0, 0.0]]
"""

from separatrix.core.registry import lazily

__all__, __getattr__, __dir__ = lazily(__name__, __file__)
