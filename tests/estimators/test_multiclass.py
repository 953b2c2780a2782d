"""Many classes: one against the rest, one against one, k functions; codings, ties and regions."""

from itertools import combinations

import numpy as np
import pytest
import sklearn.multiclass as reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.linear_model import BasicLinearClassifier, LeastSquaresClassifier, LogisticRegression, RidgeClassifier
from separatrix.multiclass import OneVsOneClassifier, OneVsRestClassifier, from_one_of_k, one_of_k

X_IRIS, Y_IRIS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y_IRIS]


@parametrize_with_checks(
    [
        OneVsRestClassifier(LeastSquaresClassifier()),
        OneVsRestClassifier(LeastSquaresClassifier(), rest_class=True),
        OneVsOneClassifier(LeastSquaresClassifier()),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def clouds(k, n=20, p=2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), n)
    angle = 2.0 * np.pi * y / k
    return 4.0 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.standard_normal((k * n, p)), y


class Told(ClassifierMixin, BaseEstimator):
    """A machine of two classes whose score is one column of X, of its own choice: +1 or -1 for each pair."""

    def __init__(self, winners=()):
        self.winners = winners

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return (self.decision_function(X) > 0.0).astype(int)


def told(scores):
    """A one-vs-one committee of three whose machines (0, 1), (0, 2), (1, 2) give these scores at every row."""
    committee = OneVsOneClassifier(Told()).fit(np.zeros((3, 1)), ["a", "b", "c"])

    class Constant(Told):
        def __init__(self, score):
            self.score = score

        def decision_function(self, X):
            return np.full(len(X), self.score)

    committee.estimators_ = tuple(Constant(score) for score in scores)
    return committee


# ------------------------------------------------------------------ how many machines


@pytest.mark.mission("MC-01", "MC-02", "MC-10")
@pytest.mark.parametrize("k, ones", [(3, 3), (4, 6), (10, 45)])
def test_k_machines_k_minus_one_or_one_for_each_pair(k, ones):
    """G030."""
    X, y = clouds(k)
    machine = LeastSquaresClassifier()
    assert len(OneVsRestClassifier(machine).fit(X, y).estimators_) == k
    assert len(OneVsRestClassifier(machine, rest_class=True).fit(X, y).estimators_) == k - 1
    assert len(OneVsOneClassifier(machine).fit(X, y).estimators_) == ones


@pytest.mark.mission("MC-01")
def test_two_classes_need_one_machine_whose_negative_is_the_other():
    X, y = clouds(2)
    both = OneVsRestClassifier(LeastSquaresClassifier()).fit(X, y)
    assert len(both.estimators_) == 1 == len(OneVsOneClassifier(LeastSquaresClassifier()).fit(X, y).estimators_)
    other = LeastSquaresClassifier().fit(X, y == 0)
    assert_allclose(both.decision_function(X), -other.decision_function(X), atol=1e-12)
    assert_array_equal(both.predict(X), LeastSquaresClassifier().fit(X, y).predict(X))
    assert not both.ambiguous(X).any()


@pytest.mark.mission("MC-01")
@pytest.mark.parametrize("machine", [LeastSquaresClassifier(), BasicLinearClassifier(), LogisticRegression()], ids=str)
def test_one_against_the_rest_takes_the_largest_score(machine):
    ours = OneVsRestClassifier(machine).fit(X_IRIS, NAMES)
    theirs = reference.OneVsRestClassifier(machine).fit(X_IRIS, NAMES)
    scores = [type(machine)().fit(X_IRIS, label == NAMES).decision_function(X_IRIS) for label in ours.classes_]
    assert_allclose(ours.decision_function(X_IRIS), np.transpose(scores), atol=1e-9)
    assert_array_equal(ours.predict(X_IRIS), ours.classes_[np.argmax(scores, axis=0)])
    assert_array_equal(ours.predict(X_IRIS), theirs.predict(X_IRIS))


@pytest.mark.mission("MC-02")
@pytest.mark.parametrize("machine", [LeastSquaresClassifier(), RidgeClassifier(), LogisticRegression()], ids=str)
def test_one_against_one_takes_the_most_wins(machine):
    ours = OneVsOneClassifier(machine).fit(X_IRIS, NAMES)
    wins = np.zeros((150, 3), dtype=int)
    for a, b in combinations(range(3), 2):
        pair = np.isin(Y_IRIS, (a, b))
        one = type(machine)().fit(X_IRIS[pair], Y_IRIS[pair]).predict(X_IRIS)
        wins[np.arange(150), one] += 1
    assert_array_equal(ours.votes(X_IRIS), wins)
    assert_array_equal(ours.votes(X_IRIS).sum(axis=1), 3)
    assert_array_equal(ours.ambiguous(X_IRIS), (wins == 1).all(axis=1))
    clear = ~ours.ambiguous(X_IRIS)
    assert_array_equal(ours.predict(X_IRIS)[clear], ours.classes_[wins.argmax(axis=1)][clear])
    assert_array_equal(ours.predict(X_IRIS), reference.OneVsOneClassifier(machine).fit(X_IRIS, NAMES).predict(X_IRIS))


# ------------------------------------------------------------------ ties


@pytest.mark.mission("MC-02")
def test_votes_and_a_cycle_are_the_golden_ones():
    """G098: winners (a, a, b) of the pairs ab, ac, bc give 2, 1, 0; winners (a, c, b) give one each."""
    clear = told([-1.0, -1.0, -1.0])
    assert clear.votes(np.zeros((1, 1))).tolist() == [[2, 1, 0]]
    assert clear.predict(np.zeros((1, 1))).tolist() == ["a"] and not clear.ambiguous(np.zeros((1, 1))).any()
    cycle = told([-1.0, 1.0, -1.0])  # a beats b, c beats a, b beats c
    assert cycle.votes(np.zeros((1, 1))).tolist() == [[1, 1, 1]]
    assert cycle.ambiguous(np.zeros((1, 1))).all()


@pytest.mark.mission("MC-02")
def test_a_cycle_goes_to_the_largest_sum_of_scores_and_then_to_the_first_class():
    rows = np.zeros((1, 1))
    assert told([-1.0, 1.0, -1.0]).predict(rows).tolist() == ["a"], "all equal: the first"
    assert told([-1.0, 1.0, -3.0]).predict(rows).tolist() == ["b"], "b beats c by 3"
    assert told([-1.0, 3.0, -1.0]).predict(rows).tolist() == ["c"], "c beats a by 3"
    assert told([-3.0, 1.0, -1.0]).predict(rows).tolist() == ["a"]


@pytest.mark.mission("MC-02")
def test_a_class_with_more_wins_is_not_overtaken_by_large_scores():
    assert told([-1e-9, -1e-9, 1e9]).predict(np.zeros((1, 1))).tolist() == ["a"]


@pytest.mark.mission("MC-01")
def test_of_equal_scores_against_the_rest_the_first_class_wins():
    X = np.array([[1.0, 0.0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]])
    rest = OneVsRestClassifier(BasicLinearClassifier()).fit(X, ["c", "a", "b"])
    scores = rest.decision_function([[0.5, 0.0]])
    assert scores[0, 0] == pytest.approx(scores[0, 1], abs=1e-15)
    for machine in rest.estimators_:
        machine.coef_[:] = 0.0
        machine.intercept_[:] = 1.0
    assert rest.predict(X).tolist() == ["a", "a", "a"]


# ------------------------------------------------------------------ ambiguous regions, and none


@pytest.mark.mission("MC-03")
def test_machines_leave_regions_to_nobody_or_to_two_and_k_functions_leave_none():
    X, y = clouds(3)
    grid = np.stack(np.meshgrid(np.linspace(-9, 9, 60), np.linspace(-9, 9, 60)), axis=-1).reshape(-1, 2)
    rest = OneVsRestClassifier(LeastSquaresClassifier()).fit(X, y)
    claims = rest.claims(grid).sum(axis=1)
    assert (claims == 0).any() or (claims > 1).any()
    assert_array_equal(rest.ambiguous(grid), claims != 1)
    single = LeastSquaresClassifier().fit(X, y)
    scores = np.sort(single.decision_function(grid), axis=1)
    assert np.all(scores[:, -1] > scores[:, -2]), "one function is largest at each point"
    assert_array_equal(single.predict(grid), single.decision_function(grid).argmax(axis=1))


@pytest.mark.mission("MC-03")
def test_one_against_one_may_leave_a_triangle_undecided():
    """Three lines that do not meet in a point; each pair's machine is moved aside in turn."""
    X, y = clouds(3)
    pairs = OneVsOneClassifier(BasicLinearClassifier()).fit(X, y)
    grid = np.stack(np.meshgrid(np.linspace(-2, 2, 81), np.linspace(-2, 2, 81)), axis=-1).reshape(-1, 2)
    for machine, shift in zip(pairs.estimators_, (1.0, -1.0, 1.0)):
        machine.intercept_ = machine.intercept_ + shift * np.linalg.norm(machine.coef_)
    undecided = pairs.ambiguous(grid)
    assert undecided.any()
    assert np.all(pairs.votes(grid[undecided]) == 1)


@pytest.mark.mission("MC-04")
@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("model", [LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier()], ids=str)
def test_regions_are_convex(model, k):
    X, y = clouds(k)
    model.fit(X, y)
    rng = np.random.default_rng(0)
    points = 6.0 * rng.standard_normal((2000, 2))
    own = model.predict(points)
    for c in np.unique(own):
        mine = points[own == c]
        a, b = mine[rng.integers(0, len(mine), 500)], mine[rng.integers(0, len(mine), 500)]
        for share in (0.5, rng.random((500, 1))):
            assert np.all(model.predict(share * a + (1.0 - share) * b) == c)


@pytest.mark.mission("MC-05")
def test_softmax_with_the_last_score_at_zero_has_the_golden_probabilities():
    """G031: P sums to one, ln(P_c / P_last) = g_c, and two classes are the sigmoid."""
    P = softmax([1.0, -0.5, 0.0])
    assert_allclose(P, [0.6285317192, 0.1402443832, 0.2312238976], atol=1e-9)
    assert_allclose(np.log(P[:2] / P[2]), [1.0, -0.5], rtol=1e-12)
    assert_allclose(softmax([0.8, 0.0]), [0.6899744811, 0.3100255189], atol=1e-9)
    x, y = np.array([[-1.0], [0.0], [1.0], [0.5]]), [0, 1, 1, 0]
    model = LogisticRegression().fit(x, y)
    scores = np.column_stack([np.zeros(4), model.decision_function(x)])
    assert_allclose(model.predict_proba(x), softmax(scores, axis=1), rtol=1e-12)


# ------------------------------------------------------------------ without a machine for the last class


@pytest.mark.mission("MC-10")
def test_the_last_class_is_what_remains_where_none_fires():
    rest = OneVsRestClassifier(LeastSquaresClassifier(), rest_class=True).fit(X_IRIS, NAMES)
    scores = [LeastSquaresClassifier().fit(X_IRIS, c == NAMES).decision_function(X_IRIS) for c in rest.classes_[:2]]
    scores = np.transpose(scores)
    fires = scores.max(axis=1) >= 0.0
    expected = np.where(fires, rest.classes_[scores.argmax(axis=1)], "virginica")
    assert_array_equal(rest.predict(X_IRIS), expected)
    assert_allclose(rest.decision_function(X_IRIS), np.column_stack([scores, np.zeros(150)]), atol=1e-12)
    assert_array_equal(rest.claims(X_IRIS), scores >= 0.0)
    assert_array_equal(rest.ambiguous(X_IRIS), (scores >= 0.0).all(axis=1))
    assert {"setosa", "virginica"} <= set(rest.predict(X_IRIS))
    assert not hasattr(rest, "predict_proba")


@pytest.mark.mission("MC-10")
def test_a_score_of_exactly_zero_fires():
    X, y = clouds(3)
    rest = OneVsRestClassifier(BasicLinearClassifier(), rest_class=True).fit(X, y)
    rest.estimators_[0].coef_ = np.array([[1.0, 0.0]])
    rest.estimators_[0].intercept_ = np.array([0.0])
    rest.estimators_[1].coef_ = np.array([[0.0, 0.0]])
    rest.estimators_[1].intercept_ = np.array([-1.0])
    assert rest.predict([[0.0, 5.0], [-1e-12, 5.0]]).tolist() == [0, 2]


def test_probabilities_of_machines_are_divided_by_their_sum():
    ours = OneVsRestClassifier(LogisticRegression()).fit(X_IRIS, NAMES)
    theirs = reference.OneVsRestClassifier(LogisticRegression()).fit(X_IRIS, NAMES)
    assert_allclose(ours.predict_proba(X_IRIS), theirs.predict_proba(X_IRIS))
    assert not hasattr(OneVsRestClassifier(LeastSquaresClassifier()).fit(X_IRIS, NAMES), "predict_proba")


# ------------------------------------------------------------------ scikit-learn's wrappers and ours


@pytest.mark.parametrize("machine", [LeastSquaresClassifier(), BasicLinearClassifier(), RidgeClassifier()], ids=str)
@pytest.mark.parametrize(
    "wrapper",
    [
        reference.OneVsRestClassifier,
        reference.OneVsOneClassifier,
        lambda m: reference.OutputCodeClassifier(m, random_state=0),
    ],
    ids=["rest", "one", "code"],
)
def test_scikit_learns_wrappers_work_with_our_machines(machine, wrapper):
    X, y = load_digits(return_X_y=True)
    X, y = X[:250] + 1e-3 * np.random.default_rng(0).random((250, 64)), y[:250]
    assert wrapper(machine).fit(X, y).score(X, y) > 0.7


# ------------------------------------------------------------------ 1-of-K coding


@pytest.mark.mission("MC-07")
@pytest.mark.parametrize(
    "labels",
    [[3, 1, 2, 1], ["pear", "fig", "fig", "apple"], [True, False, True], [-1.0, 1.0, -1.0], ["ß", "é", "z"]],
    ids=str,
)
def test_coding_and_decoding_return_the_labels(labels):
    T, classes = one_of_k(labels)
    assert_array_equal(T.sum(axis=1), 1.0)
    assert set(np.unique(T)) == {0.0, 1.0}
    assert from_one_of_k(T, classes).tolist() == labels
    assert from_one_of_k(0.1 + 0.5 * T, classes).tolist() == labels, "scores decode, too"


@pytest.mark.mission("MC-07")
def test_columns_follow_the_classes_given():
    T, classes = one_of_k(["b", "a"], classes=["c", "b", "a"])
    assert_array_equal(T, [[0, 1, 0], [0, 0, 1]])
    assert classes.tolist() == ["c", "b", "a"]


@pytest.mark.parametrize(
    "y, classes, words",
    [
        (["a", "z"], ["a", "b"], "label 'z'"),
        ([1, 2], ["a", "b"], "label 1"),
        (["a"], ["a", "a"], "there twice"),
        ([["a"]], None, "shape"),
    ],
)
def test_labels_that_cannot_be_coded_are_named(y, classes, words):
    with pytest.raises(ValueError, match=words):
        one_of_k(y, classes)


@pytest.mark.parametrize("T", [[[1.0, 0.0]], [1.0, 0.0, 0.0], [[np.nan, 0.0, 1.0]]])
def test_scores_that_cannot_be_decoded_are_refused(T):
    with pytest.raises(ValueError, match="Cannot decode"):
        from_one_of_k(T, ["a", "b", "c"])


def test_one_class_and_wrong_parameters_are_refused():
    with pytest.raises(ValueError, match=r"one class"):
        OneVsOneClassifier(LeastSquaresClassifier()).fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(ValueError, match="rest_class='yes'"):
        OneVsRestClassifier(LeastSquaresClassifier(), rest_class="yes").fit(X_IRIS, NAMES)


def test_a_method_that_the_machines_lack_is_refused_with_their_error_as_the_cause():
    machines = OneVsRestClassifier(LogisticRegression())
    with pytest.raises(AttributeError, match="OneVsRestClassifier") as refused:
        machines.partial_fit(*load_iris(return_X_y=True))
    assert "'LogisticRegression' object has no attribute 'partial_fit'" in str(refused.value.__cause__)


def test_scorers_take_probabilities_of_machines_without_scores():
    X, y = load_iris(return_X_y=True)
    machines = OneVsRestClassifier(DecisionTreeClassifier(max_depth=2, random_state=0)).fit(X, y == 1)
    assert not hasattr(machines, "decision_function")
    expected = roc_auc_score(y == 1, machines.predict_proba(X)[:, 1])
    assert get_scorer("roc_auc")(machines, X, y == 1) == expected
    assert hasattr(OneVsRestClassifier(LogisticRegression(), rest_class=True), "decision_function")
