"""Linear models, one file each."""

from separatrix.estimators.linear.quantile import QuantileRegressor

__all__ = ["QuantileRegressor"]
