from separatrix.estimators.ensemble.adaboost import AdaBoostClassifier as AdaBoostClassifier
from separatrix.estimators.ensemble.histogram_boosting_classifier import (
    HistGradientBoostingClassifier as HistGradientBoostingClassifier,
)
from separatrix.estimators.ensemble.histogram_boosting_regressor import (
    HistGradientBoostingRegressor as HistGradientBoostingRegressor,
)
from separatrix.estimators.ensemble.mixture_of_experts import (
    MixtureOfExpertsClassifier as MixtureOfExpertsClassifier,
)
from separatrix.estimators.ensemble.mixture_of_experts import (
    MixtureOfExpertsRegressor as MixtureOfExpertsRegressor,
)
