"""scikit-learn's own checks of bagging, boosted regressors and forests."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.ensemble import (
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from separatrix.linear_model import Ridge

# The checks compare rows of whole weights with repeated rows in another order: other rows are then drawn. That a weight
# is a repetition, by the same random numbers, is proved in test_bagging.py and test_forests.py.
DRAWN = {
    f"check_sample_weight_equivalence_on_{storage}_data": "repeated rows stand in another order, and others are drawn"
    for storage in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        BaggingClassifier(n_estimators=3),
        BaggingRegressor(n_estimators=3),
        BaggingRegressor(Ridge(), n_estimators=3),
        AdaBoostRegressor(n_estimators=3),
        RandomForestClassifier(n_estimators=3),
        RandomForestRegressor(n_estimators=3),
        ExtraTreesClassifier(n_estimators=3),
        ExtraTreesRegressor(n_estimators=3),
    ],
    expected_failed_checks=lambda estimator: DRAWN,
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
