"""Local likelihood: regression and classification by a model that is fitted anew at every query.

>>> from separatrix.local import LocalLogisticRegression
>>> LocalLogisticRegression(bandwidth=2.0)
LocalLogisticRegression(bandwidth=2.0)
"""

from separatrix.estimators.local import LocalLinearRegression, LocalLogisticRegression

__all__ = ["LocalLinearRegression", "LocalLogisticRegression"]
