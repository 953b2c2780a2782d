"""A base model whose answers are no finite numbers, or of another shape or other classes, is refused in words."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from separatrix import verify
from separatrix.ensemble import AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor

X = np.arange(12.0)[:, None]
LABELS, NUMBERS = (X[:, 0] > 5.0).astype(int), X[:, 0] ** 2
SHAPES = {
    "not finite": lambda answer: np.where(np.arange(len(answer)) == 1, np.nan, answer),
    "shape": lambda answer: answer[:, None],
    "shape ()": lambda answer: answer[0],
}


class Numbers(RegressorMixin, BaseEstimator):
    """Answers the training mean, changed."""

    def __init__(self, change="shape"):
        self.change = change

    def fit(self, X, y, sample_weight=None):
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return SHAPES[self.change](np.full(len(X), self.mean_))


class Labels(ClassifierMixin, Numbers):
    """Answers 1 for the upper rows, changed."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return SHAPES[self.change](np.where(np.asarray(X)[:, 0] > 3.0, 1, 0))


class OtherLabels(ClassifierMixin, BaseEstimator):
    """Says "no" and "yes" whatever the labels were called."""

    def __init__(self, states=True):
        self.states = states

    def fit(self, X, y, sample_weight=None):
        self.fitted_ = True
        if self.states:
            self.classes_ = np.array(["no", "yes"])
        return self

    def predict(self, X):
        return np.array(["no", "yes"])[np.arange(len(X)) % 2]


@pytest.mark.parametrize("change", SHAPES)
@pytest.mark.parametrize("cls", [AdaBoostRegressor, BaggingRegressor, AdaBoostClassifier, BaggingClassifier])
def test_answers_that_are_not_one_finite_number_a_row_are_refused(cls, change):
    numbers = cls in (AdaBoostRegressor, BaggingRegressor)
    if not numbers and change == "not finite":
        change = "shape"
    base = Numbers(change) if numbers else Labels(change)
    with pytest.raises(ValueError, match=change.split()[0]):
        cls(base, n_estimators=2).fit(X, NUMBERS if numbers else LABELS).predict(X)


@pytest.mark.parametrize("states", [True, False])
def test_a_base_that_says_other_classes_is_refused(states):
    with pytest.raises(ValueError, match="keeps the classes of its y"):
        BaggingClassifier(OtherLabels(states), n_estimators=2).fit(X, LABELS).predict(X)


def test_a_word_that_a_sample_misses_is_no_obstacle_to_boosting():
    """Column 0 holds one word among numbers: most samples of six rows miss it."""
    table = np.array([["a", "u"], [1, "v"], [2, "u"], [3, "v"], [4, "u"], [5, "v"]], dtype=object)
    y = np.array([3.0, 1.0, 2.0, 0.0, 5.0, 4.0])
    for seed in range(4):
        model = AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=3, random_state=seed)
        model.fit(table, y)
        assert np.isfinite(model.predict(table)).all() and verify(model, table, y).converged


def test_the_first_class_of_equal_votes_is_predicted():
    """The votes for classes 0 and 1 are the weights of the learners that answer them, and class 2 has fewer."""
    rows = np.array([[3, 1], [0, 3], [3, 0], [2, 3], [3, 1], [3, 3], [0, 0], [0, 1], [0, 0], [1, 2], [2, 1], [3, 2]])
    y = [1, 2, 2, 0, 0, 2, 1, 0, 1, 1, 1, 1]
    model = AdaBoostClassifier(n_estimators=6).fit(rows, y)
    votes = np.zeros(3)
    for stump, weight in zip(model.estimators_, model.estimator_weights_):
        votes[stump.predict([[0, 1]])[0]] += weight
    assert votes[0] == votes[1] > votes[2]
    assert model.predict([[0, 1]]).tolist() == [0]
    assert model.decision_function([[0, 1]])[0] == pytest.approx(votes - votes.mean(), abs=1e-14)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), AdaBoostClassifier(), BaggingClassifier()])
def test_class_weights_and_sample_weights_that_leave_the_range_of_numbers_are_refused(model):
    base = DecisionTreeClassifier(class_weight={0: 1e308, 1: 1e308})
    if not isinstance(model, DecisionTreeClassifier):
        model.set_params(estimator=base)
    else:
        model = base
    with pytest.raises(ValueError, match=r"largest weight is .*class weights"):
        model.fit(X, LABELS)


def test_verification_names_members_and_what_stands_beside_them():
    bagged = BaggingRegressor(n_estimators=40, oob_score=True, random_state=0).fit(X, NUMBERS)
    said = verify(bagged, X, NUMBERS).message
    assert "40 members on samples" in said and "oob_prediction_" in said and "oob_score_" in said
    boosted = AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, NUMBERS)
    said = verify(boosted, X, NUMBERS).message
    assert "estimator_weights_" in said and "learners on rows that were drawn again" in said
