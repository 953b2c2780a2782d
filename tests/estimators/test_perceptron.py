"""The perceptron: golden cases, scikit-learn's perceptron, its dual form, its bound, its streams and its failures."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import Perceptron as Reference
from sklearn.linear_model import SGDClassifier as ReferenceDescent
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import NotSeparated
from separatrix.linear_model import Perceptron, SGDClassifier

# One example at a time: a row of weight 2 is one long step, a row given twice is two steps from different places.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "sample_weight multiplies a step; it does not repeat it",
    "check_sample_weight_equivalence_on_sparse_data": "sample_weight multiplies a step; it does not repeat it",
}


@parametrize_with_checks(
    [Perceptron(), Perceptron(updates="batch"), Perceptron(penalty="l2")],
    expected_failed_checks=lambda estimator: {} if estimator.updates == "batch" else EXPECTED,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def separable():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 5))
    score = X @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.3
    keep = np.abs(score) > 0.2
    return X[keep], np.where(score[keep] > 0, "up", "down")


@pytest.fixture(scope="module")
def overlapping():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 4))
    return X, X @ [1.0, 1.0, 0.0, -1.0] + rng.standard_normal(120) > 0, rng.uniform(0.5, 2.0, 120)


def steadfast(**settings):
    """Until nothing is wrong, in the order of the rows."""
    return Perceptron(**{"shuffle": False, "tol": None, **settings})


# ------------------------------------------------------------------ golden cases


@pytest.mark.mission("PC-01", "PC-05")
def test_three_points_take_one_mistake_and_a_clean_pass():
    # golden case G008
    X, y = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1, -1, 1])
    model = steadfast().fit(X, y)
    assert model.coef_.tolist() == [[-1.0, -2.0]] and model.intercept_.tolist() == [-1.0]
    assert model.counts_.tolist() == [1, 0, 0]
    assert model.dual_coef_.tolist() == [[-1.0, 0.0, 0.0]]
    assert (model.n_iter_, model.converged_, model.mistakes_) == (2, True, 1)
    assert model.error_history_.tolist() == [1, 0]
    assert (model.certificate_.kind, model.certificate_.value, model.certificate_.converged) == ("mistakes", 0.0, True)
    assert str(model.certificate_) == "certified: 0 mistakes in the last pass"


@pytest.mark.mission("PC-06")
def test_the_bound_of_the_three_points():
    # golden case G025
    X, y = np.array([[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]]), np.array([-1, -1, 1])
    model = steadfast().fit(X, y)
    assert model.mistake_bound(X, y, separator=([0.0, -0.5], 0.0)) == pytest.approx(1.5, rel=1e-14)
    assert model.mistake_bound(X, y) == pytest.approx(1.5, rel=1e-12)  # the widest margin is that of (0, -1/2, 0)
    assert clone(model).set_params(updates="batch").fit(X, y).mistake_bound(X, y) == pytest.approx(4.5, rel=1e-12)


@pytest.mark.mission("PC-03")
def test_the_learning_example_of_step_one_fifth():
    # golden case G020; labels +, -, +
    X, y = np.array([[1.0, 1.0], [2.0, -2.0], [-2.0, 1.0]]), np.array([1, -1, 1])
    model = steadfast(eta0=0.2, trace=True).fit(X, y, coef_init=[1.0, 0.5], intercept_init=0.0)
    visited = np.column_stack([model.trace_.intercepts, model.trace_.weights])
    np.testing.assert_allclose(visited, [[0, 1, 0.5], [-0.2, 0.6, 0.9], [0, 0.2, 1.1]], atol=1e-9)
    assert model.trace_.rows == [1, 2] and model.trace_.passes == [1, 1]
    np.testing.assert_allclose(model.decision_function(X), [1.3, -1.8, 0.7], atol=1e-9)
    assert model.converged_ and model.counts_.tolist() == [0, 1, 1]


@pytest.mark.mission("PC-02")
def test_one_batch_step_of_seven_tenths():
    # golden case G021
    X, y, start = (
        np.array([[0.4, 0.05], [-0.2, 0.75]]),
        np.array([1, -1]),
        {"coef_init": [1.0, 1.0], "intercept_init": -0.5},
    )
    model = steadfast(eta0=0.7, updates="batch", trace=True).fit(X, y, **start)
    assert len(model.trace_) == 1 and model.error_history_.tolist() == [2, 0]
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), [1.42, 0.51, -0.5], atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), [0.0935, -0.4015], atol=1e-12)


@pytest.mark.mission("PC-03")
def test_the_same_step_point_by_point():
    # golden case G022
    X, y, start = (
        np.array([[0.4, 0.05], [-0.2, 0.75]]),
        np.array([1, -1]),
        {"coef_init": [1.0, 1.0], "intercept_init": -0.5},
    )
    model = steadfast(eta0=0.7, trace=True).fit(X, y, **start)
    visited = np.column_stack([model.trace_.intercepts, model.trace_.weights])
    np.testing.assert_allclose(visited[1:], [[0.2, 1.28, 1.035], [-0.5, 1.42, 0.51]], atol=1e-12)


# ------------------------------------------------------------------ against scikit-learn


def both(X, y, s=None, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = Perceptron(shuffle=False, **settings).fit(X, y, sample_weight=s)
        theirs = Reference(shuffle=False, **settings).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-10, atol=1e-11)
    return ours, theirs


@pytest.mark.mission("PC-01")
@pytest.mark.parametrize("settings", [{}, {"tol": None, "max_iter": 7}, {"eta0": 0.1}, {"fit_intercept": False}])
def test_the_unshuffled_perceptron_is_that_of_scikit_learn(separable, overlapping, settings):
    X, y, s = overlapping
    ours, theirs = both(X, y, s, **settings)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    ours, theirs = both(*separable, **settings)
    assert ours.n_iter_ <= theirs.n_iter_  # a clean pass ends ours


@pytest.mark.parametrize("settings", [{}, {"class_weight": "balanced"}, {"class_weight": {1: 3.0}}])
def test_three_classes_are_those_of_scikit_learn(settings):
    both(*load_iris(return_X_y=True), tol=None, max_iter=20, **settings)


def test_early_stopping_is_that_of_scikit_learn(overlapping):
    X, y, _ = overlapping
    ours, theirs = both(X, y, early_stopping=True, validation_fraction=0.25)
    assert ours.n_iter_ == theirs.n_iter_


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_with_a_penalty_it_is_the_descent_on_the_perceptron_criterion(overlapping, penalty):
    X, y, s = overlapping
    settings = {"penalty": penalty, "alpha": 0.01, "max_iter": 5, "tol": None, "shuffle": False, "eta0": 0.1}
    ours, _ = both(X, y, s, **{k: v for k, v in settings.items() if k != "shuffle"})
    same = SGDClassifier("perceptron", learning_rate="constant", **settings).fit(X, y, sample_weight=s)
    np.testing.assert_array_equal(ours.coef_, same.coef_)
    theirs = ReferenceDescent("perceptron", learning_rate="constant", **settings).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-10, atol=1e-11)
    assert ours.certificate_.kind == "gap" and not hasattr(ours, "counts_")


# ------------------------------------------------------------------ what it promises


@pytest.mark.mission("PC-01", "PC-04")
@pytest.mark.parametrize("schedule", ["constant", "c/t"])
@pytest.mark.parametrize("updates", ["point", "batch"])
def test_separable_data_are_separated(separable, schedule, updates):
    X, y = separable
    model = Perceptron(tol=None, schedule=schedule, updates=updates, max_iter=20_000).fit(X, y)
    assert model.converged_ and model.certificate_.converged
    assert model.score(X, y) == 1.0 and model.margins(X, y).min() > 0.0
    assert model.error_history_[-1] == 0 and model.error_history_.sum() == model.mistakes_ == model.counts_.sum()


@pytest.mark.mission("PC-05")
@pytest.mark.parametrize("hold", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("settings", [{}, {"schedule": "c/t"}, {"updates": "batch"}, {"fit_intercept": False}])
def test_the_dual_form_predicts_what_the_weights_predict(overlapping, hold, settings):
    X, y, s = overlapping
    model = steadfast(max_iter=20, eta0=0.3, **settings)
    start = {"coef_init": [0.5, 0.0, -1.0, 2.0], "intercept_init": 0.25 if model.fit_intercept else 0.0}
    with pytest.warns(NotSeparated):
        model.fit(hold(X), y, sample_weight=s, **start)
    new = np.random.default_rng(3).standard_normal((50, 4))
    np.testing.assert_allclose(
        model.dual_decision_function(hold(new), hold(X)), model.decision_function(new), atol=1e-9
    )
    np.testing.assert_allclose(model.coef_[0], start["coef_init"] + model.dual_coef_[0] @ X, atol=1e-10)
    if not settings:
        np.testing.assert_allclose(model.dual_coef_[0], 0.3 * s * model.counts_ * np.where(y, 1, -1), rtol=1e-12)


@pytest.mark.mission("PC-05", "PC-15")
def test_the_dual_form_of_three_classes():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(NotSeparated):
        model = Perceptron(tol=None, max_iter=30).fit(X, y)
    assert model.counts_.shape == (3, 150)
    np.testing.assert_allclose(model.dual_decision_function(X, X), model.decision_function(X), atol=1e-9)
    assert model.mistakes_ == sum(history.sum() for history in model.error_history_)


@pytest.mark.mission("PC-09")
@pytest.mark.parametrize("updates", ["point", "batch"])
def test_overlapping_classes_run_to_the_cap_and_say_so(overlapping, updates):
    X, y, _ = overlapping
    with pytest.warns(NotSeparated, match="max_iter=37") as caught:
        model = Perceptron(tol=None, max_iter=37, updates=updates).fit(X, y)
    assert (model.converged_, model.n_iter_, len(model.error_history_)) == (False, 37, 37)
    assert caught[0].message.mistakes == model.error_history_[-1] == model.certificate_.value > 0
    assert caught[0].filename == __file__
    assert not model.certificate_.converged and str(model.certificate_).startswith("NOT certified")


@pytest.mark.mission("PC-09")
def test_a_perceptron_stopped_by_its_tolerance_is_silent_but_honest(overlapping):
    X, y, _ = overlapping
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = Perceptron().fit(X, y)
    assert model.n_iter_ < 1000 and not model.converged_ and not model.certificate_.converged


@pytest.mark.mission("PC-10")
def test_start_and_order_change_the_weights_and_all_of_them_separate(separable):
    X, y = separable
    n = len(y)
    fits = [
        steadfast().fit(X, y),
        steadfast().fit(X, y, coef_init=np.ones(5), intercept_init=-0.5),
        steadfast().fit(X, y, order=np.arange(n)[::-1]),
        Perceptron(tol=None, random_state=1).fit(X, y),
        Perceptron(tol=None, random_state=2).fit(X, y),
    ]
    directions = np.array([m.coef_[0] / np.linalg.norm(m.coef_) for m in fits])
    for a in range(5):
        assert fits[a].score(X, y) == 1.0
        for b in range(a):
            assert np.abs(directions[a] - directions[b]).max() > 1e-4


@pytest.mark.mission("PC-10")
def test_an_order_is_the_rows_in_that_order_and_a_seed_fixes_the_shuffle(separable):
    X, y = separable
    order = np.random.default_rng(5).permutation(len(y))
    given = Perceptron(tol=None).fit(X, y, order=order)
    moved = steadfast().fit(X[order], y[order])
    np.testing.assert_allclose(given.coef_, moved.coef_, rtol=1e-12)
    np.testing.assert_array_equal(given.counts_[order], moved.counts_)
    again = [Perceptron(tol=None, random_state=7).fit(X, y).coef_ for _ in range(2)]
    np.testing.assert_array_equal(*again)


@pytest.mark.mission("PC-13")
def test_the_number_of_mistakes_may_rise_from_pass_to_pass(overlapping):
    X, y, _ = overlapping
    with pytest.warns(NotSeparated):
        model = steadfast(max_iter=50, trace=True).fit(X, y)
    assert (np.diff(model.error_history_) > 0).any()
    # a correction raises the score of its own example, and of that alone for sure
    sign, ones = np.where(y, 1.0, -1.0), np.column_stack([np.ones(len(y)), X])
    total = []
    visited = np.column_stack([model.trace_.intercepts, model.trace_.weights])
    for before, after, row in zip(visited, visited[1:], model.trace_.rows, strict=False):
        assert sign[row] * (ones[row] @ after) > sign[row] * (ones[row] @ before)
        total.append(-np.minimum(sign * (ones @ after), 0.0).sum())
    assert (np.diff(total) > 0).any()


@pytest.mark.mission("PC-14")
@pytest.mark.parametrize("settings", [{}, {"schedule": "c/t"}, {"penalty": "l2", "alpha": 0.01}])
def test_a_stream_of_single_examples_is_one_pass(overlapping, settings):
    X, y, s = overlapping
    whole = steadfast(max_iter=1, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole.fit(X, y, sample_weight=s)
    stream = clone(whole)
    for i in range(len(y)):
        stream.partial_fit(X[i : i + 1], y[i : i + 1], classes=[False, True], sample_weight=s[i : i + 1])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(stream.intercept_, whole.intercept_, rtol=1e-11, atol=1e-13)
    assert stream.t_ == whole.t_
    if not settings.get("penalty"):
        assert stream.mistakes_ == whole.mistakes_


@pytest.mark.mission("PC-14")
def test_a_right_example_leaves_a_stream_where_it_is_and_keeps_no_counts(separable):
    X, y = separable
    model = steadfast().fit(X, y)
    before = model.coef_.copy()
    model.partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)
    assert not hasattr(model, "counts_") and not hasattr(model, "converged_")
    assert not model.certificate_.converged and "stream" in model.certificate_.message
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(thawed.partial_fit(X, y).coef_, before)


@pytest.mark.mission("PC-15")
def test_iris_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(NotSeparated):
        model = Perceptron(tol=None, max_iter=100).fit(X, y)
    assert model.coef_.shape == (3, 4) and model.score(X, y) >= 2 / 3
    assert model.error_history_[0][-1] == 0  # setosa
    assert ((model.decision_function(X)[:, 0] > 0) == (y == 0)).all()
    bounds = model.mistake_bound(X, y)
    assert model.error_history_[0].sum() <= bounds[0] < np.inf and bounds[1] == bounds[2] == np.inf


def test_warm_start_goes_on(overlapping):
    X, y, _ = overlapping
    with pytest.warns(NotSeparated):
        twice = steadfast(max_iter=3, warm_start=True).fit(X, y).fit(X, y)
        once = steadfast(max_iter=6).fit(X, y)
    np.testing.assert_allclose(twice.coef_, once.coef_, rtol=1e-12)


def test_weights_loosen_the_bound(separable):
    X, y = separable
    s = np.linspace(1.0, 3.0, len(y))
    plain, weighted = steadfast().fit(X, y), steadfast().fit(X, y, sample_weight=s)
    assert weighted.mistakes_ <= weighted.mistake_bound(X, y)
    w = (plain.coef_[0], plain.intercept_[0])
    assert weighted.mistake_bound(X, y, w) == pytest.approx(9.0 * plain.mistake_bound(X, y, w), rel=1e-12)


# ------------------------------------------------------------------ what it refuses


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"eta0": 0.0}, "eta0"),
        ({"eta0": -1.0}, "eta0"),
        ({"eta0": np.nan}, "eta0"),
        ({"updates": "epoch"}, "updates"),
        ({"schedule": "optimal"}, "schedule"),
        ({"max_iter": 0}, "max_iter"),
        ({"penalty": "l3"}, "penalty"),
        ({"penalty": "l2", "updates": "batch"}, "penalty=None"),
        ({"penalty": "l2", "schedule": "c/t"}, "penalty=None"),
        ({"trace": "yes"}, "trace"),
    ],
)
def test_bad_settings_say_what_to_do(separable, settings, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**settings).fit(*separable)


@pytest.mark.parametrize("order", [[0, 1], "all zero", "half", "beyond"])
def test_an_order_must_be_a_permutation(separable, order):
    X, y = separable
    n = len(y)
    orders = {"all zero": np.zeros(n, dtype=int), "half": np.arange(n) + 0.5, "beyond": np.arange(1, n + 1)}
    with pytest.raises(ValueError, match="permutation"):
        Perceptron().fit(X, y, order=orders.get(order, order) if isinstance(order, str) else order)


def test_bad_data_and_starts_say_what_to_do(separable):
    X, y = separable
    with pytest.raises(ValueError, match="one class"):
        Perceptron().fit(X, np.full(len(y), "up"))
    with pytest.raises(ValueError, match="infinity"):
        Perceptron().fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match="5 columns"):
        Perceptron().fit(X, y, coef_init=np.zeros(4))
    with pytest.raises(ValueError, match="5 columns"):
        Perceptron().fit(X, y, intercept_init=np.zeros(2))
    with pytest.raises(ValueError, match="penalty=None"):
        Perceptron(penalty="l1").fit(X, y, order=np.arange(len(y)))


def test_bad_questions_say_what_to_do(separable):
    X, y = separable
    model = steadfast().fit(X, y)
    with pytest.raises(ValueError, match="sideways"):
        model.mistake_bound(X, np.where(y == "up", "sideways", y))
    with pytest.raises(ValueError, match="rows of the fit"):
        model.dual_decision_function(X, X[:3])
    with pytest.raises(ValueError, match="steps from zero"):
        steadfast(schedule="c/t").fit(X, y).mistake_bound(X, y)
    with pytest.raises(ValueError, match="steps from zero"):
        steadfast().fit(X, y, coef_init=np.ones(5)).mistake_bound(X, y)
    assert model.mistake_bound(X, y, separator=(np.zeros(5), 1.0)) == np.inf


def test_bad_streams_say_what_to_do(separable):
    X, y = separable
    with pytest.raises(ValueError, match="classes=all_labels"):
        Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"label .*'up'"):
        Perceptron().partial_fit(X, y, classes=["down", "left"])
    model = Perceptron().partial_fit(X, y, classes=["down", "up"])
    with pytest.raises(ValueError, match="left"):
        model.partial_fit(X[:1], ["left"])
