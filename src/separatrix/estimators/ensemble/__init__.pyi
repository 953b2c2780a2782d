from separatrix.estimators.ensemble.adaboost import AdaBoostClassifier as AdaBoostClassifier
from separatrix.estimators.ensemble.mixture_of_experts import (
    MixtureOfExpertsClassifier as MixtureOfExpertsClassifier,
)
from separatrix.estimators.ensemble.mixture_of_experts import (
    MixtureOfExpertsRegressor as MixtureOfExpertsRegressor,
)
