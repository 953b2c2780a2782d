"""Models that ask the training rows near each query. Each is imported when it is first asked for."""

from separatrix.core.registry import lazily

_HOMES = {
    "KNeighborsClassifier": "nearest_neighbours",
    "KNeighborsRegressor": "nearest_neighbours",
    "RadiusNeighborsRegressor": "radius_neighbours",
    "LocalLinearRegression": "local_linear",
    "LocalLogisticRegression": "local_logistic",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
