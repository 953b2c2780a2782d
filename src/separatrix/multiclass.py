"""Many classes from two, and 1-of-K coding, under scikit-learn's module name.

>>> from separatrix.multiclass import one_of_k
>>> one_of_k([True, False])[0].tolist()
[[0.0, 1.0], [1.0, 0.0]]
"""

from separatrix.estimators.multiclass import OneVsOneClassifier, OneVsRestClassifier, from_one_of_k, one_of_k

__all__ = ["OneVsOneClassifier", "OneVsRestClassifier", "from_one_of_k", "one_of_k"]
