from separatrix.estimators.ensemble.histogram_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from separatrix.estimators.ensemble.histogram_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
