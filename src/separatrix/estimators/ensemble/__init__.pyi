from separatrix.estimators.ensemble.adaboost import AdaBoostClassifier as AdaBoostClassifier
from separatrix.estimators.ensemble.adaboost_regressor import AdaBoostRegressor as AdaBoostRegressor
from separatrix.estimators.ensemble.bagging_classifier import BaggingClassifier as BaggingClassifier
from separatrix.estimators.ensemble.bagging_regressor import BaggingRegressor as BaggingRegressor
from separatrix.estimators.ensemble.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
from separatrix.estimators.ensemble.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
from separatrix.estimators.ensemble.gradient_boosting_classifier import (
    GradientBoostingClassifier as GradientBoostingClassifier,
)
from separatrix.estimators.ensemble.gradient_boosting_regressor import (
    GradientBoostingRegressor as GradientBoostingRegressor,
)
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
from separatrix.estimators.ensemble.random_forest import RandomForestClassifier as RandomForestClassifier
from separatrix.estimators.ensemble.random_forest import RandomForestRegressor as RandomForestRegressor
