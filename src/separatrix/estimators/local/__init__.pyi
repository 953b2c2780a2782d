from separatrix.estimators.local.local_linear import LocalLinearRegression as LocalLinearRegression
from separatrix.estimators.local.local_logistic import LocalLogisticRegression as LocalLogisticRegression
from separatrix.estimators.local.nearest_neighbours import (
    KNeighborsClassifier as KNeighborsClassifier,
)
from separatrix.estimators.local.nearest_neighbours import (
    KNeighborsRegressor as KNeighborsRegressor,
)
from separatrix.estimators.local.radius_neighbours import RadiusNeighborsRegressor as RadiusNeighborsRegressor
