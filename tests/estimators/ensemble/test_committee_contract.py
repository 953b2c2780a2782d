"""scikit-learn's own checks of bagging, boosted regressors and forests; and nodes that lead nowhere."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import verify
from separatrix.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from separatrix.linear_model import Ridge
from separatrix.tree import DecisionTreeClassifier

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


@pytest.mark.parametrize(
    "committee, members",
    [
        (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=2), "members_"),
        (AdaBoostRegressor(n_estimators=2, random_state=0), "estimators_"),
    ],
    ids=["classes", "numbers"],
)
def test_verify_refuses_boosted_trees_whose_nodes_lead_nowhere(committee, members):
    X, y = load_iris(return_X_y=True)
    model = clone(committee).fit(X, y)
    tree = getattr(model, members)[0]
    right = tree.nodes_.right.copy()
    right[0] = len(right)  # one beyond the last node: compiled loops would read what lies there
    tree.nodes_ = tree.nodes_._replace(right=right)
    with pytest.raises(ValueError, match="a child is outside"):
        verify(model, X, y)


@pytest.mark.parametrize(
    "committee",
    [
        GradientBoostingClassifier(n_estimators=2),
        GradientBoostingRegressor(n_estimators=2),
        HistGradientBoostingClassifier(max_iter=2),
        HistGradientBoostingRegressor(max_iter=2),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("side", ["left", "right", "column"])
def test_verify_refuses_packed_trees_whose_nodes_lead_nowhere(committee, side):
    X, y = load_iris(return_X_y=True)
    model = clone(committee).fit(X, y)
    numbers = getattr(model._trees, side)
    numbers[0] = len(numbers)
    with pytest.raises(ValueError, match="Cannot use these trees"):
        verify(model, X, y)
