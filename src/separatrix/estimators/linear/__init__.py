"""Linear models."""

from separatrix.estimators.linear.online import SGDRegressor

__all__ = ["SGDRegressor"]
