"""Nearest neighbours, under scikit-learn's module name.

>>> from separatrix.neighbors import KNeighborsClassifier
>>> KNeighborsClassifier(n_neighbors=1).fit([[0.0], [1.0]], ["a", "b"]).predict([[0.2]])
array(['a'], dtype='<U1')
"""

from separatrix.estimators.local.nearest_neighbours import KNeighborsClassifier, KNeighborsRegressor
from separatrix.estimators.local.radius_neighbours import RadiusNeighborsRegressor

__all__ = ["KNeighborsClassifier", "KNeighborsRegressor", "RadiusNeighborsRegressor"]
