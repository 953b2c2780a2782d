"""AdaBoost.R2: by hand in exact fractions, and against scikit-learn's committee of the same learners."""

import io
from fractions import Fraction
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostRegressor as Theirs

import separatrix
from separatrix.core.errors import NotCertified
from separatrix.ensemble import AdaBoostRegressor
from separatrix.linear_model import Ridge
from separatrix.prediction.committees import weighted_median
from separatrix.tree import DecisionTreeRegressor

X, Y = load_diabetes(return_X_y=True)


class Told(RegressorMixin, BaseEstimator):
    """Answers what it is told for each round: one row of four is wrong in each."""

    rounds = ((0, 2, 4, 8), (0, 2, 6, 6), (1, 2, 4, 6))
    asked = 0

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.answer_ = np.array(Told.rounds[Told.asked], dtype=float)
        Told.asked += 1
        return self

    def predict(self, X):
        return self.answer_[np.asarray(X)[:, 0].astype(int)]


def test_three_rounds_in_exact_fractions():
    y, Told.asked = [0, 2, 4, 6], 0
    rows = np.arange(4.0)[:, None]
    model = AdaBoostRegressor(Told(), n_estimators=3, random_state=0).fit(rows, y)
    w, errors = [Fraction(1, 4)] * 4, []
    for answers in Told.rounds:
        losses = [int(a != b) for a, b in zip(answers, y)]  # |error| over the largest, where one row is wrong
        error = sum(v for v, loss in zip(w, losses) if loss)
        errors.append(error)
        beta = error / (1 - error)
        w = [v if loss else v * beta for v, loss in zip(w, losses)]
        w = [v / sum(w) for v in w]
    assert errors == [Fraction(1, 4), Fraction(1, 6), Fraction(1, 10)]
    assert_allclose(model.estimator_errors_, [float(error) for error in errors], rtol=1e-14)
    assert_allclose(model.estimator_weights_, [log(3), log(5), log(9)], rtol=1e-14)
    # half of the weight, ln 135 / 2 = 2.45, is more than ln 9 = 2.2: in each row the two that agree decide
    assert_array_equal(model.predict(rows), y)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("base", [None, Ridge()], ids=["tree", "ridge"])
def test_learners_weights_and_answers_are_those_of_scikit_learn(loss, base):
    options = {"n_estimators": 12, "learning_rate": 0.8, "loss": loss, "random_state": 3}
    ours = AdaBoostRegressor(base, **options).fit(X, Y)
    theirs = Theirs(DecisionTreeRegressor(max_depth=3) if base is None else base, **options).fit(X, Y)
    assert len(ours.estimators_) == len(theirs.estimators_) > 3
    m = len(ours.estimators_)
    assert_allclose(ours.estimator_errors_, theirs.estimator_errors_[:m], rtol=1e-9)
    assert_allclose(ours.estimator_weights_, theirs.estimator_weights_[:m], rtol=1e-9)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    for a, b in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_allclose(a, b, rtol=1e-9)


def test_boosting_lowers_the_error_of_small_trees():
    tree = DecisionTreeRegressor(max_depth=3).fit(X[:300], Y[:300])
    model = AdaBoostRegressor(n_estimators=40, random_state=0).fit(X[:300], Y[:300])
    assert model.score(X[300:], Y[300:]) > tree.score(X[300:], Y[300:]) + 0.05
    *_, last = model.staged_score(X[300:], Y[300:])
    assert last == pytest.approx(model.score(X[300:], Y[300:]), abs=1e-12)


def test_the_median_is_the_smallest_answer_with_half_of_the_weight():
    answers = np.array([[1.0, 5.0, 3.0], [2.0, 2.0, 9.0]])
    assert_array_equal(weighted_median(answers, np.array([1.0, 1.0, 1.0])), [3.0, 2.0])
    assert_array_equal(weighted_median(answers, np.array([1.0, 1.0, 5.0])), [3.0, 9.0])
    assert_array_equal(weighted_median(answers, np.array([2.0, 1.0, 1.0])), [1.0, 2.0])


def test_a_weight_is_a_repetition_by_the_same_random_numbers():
    s = np.random.default_rng(0).integers(0, 4, len(Y))
    weighted = AdaBoostRegressor(n_estimators=8, random_state=1).fit(X, Y, sample_weight=s)
    repeated = AdaBoostRegressor(n_estimators=8, random_state=1).fit(X.repeat(s, axis=0), Y.repeat(s))
    assert_allclose(weighted.estimator_errors_, repeated.estimator_errors_, rtol=1e-12)
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-12)


def test_a_learner_without_error_decides_alone():
    rows, y = np.arange(6.0)[:, None], np.array([0.0, 0.0, 1.0, 1.0, 5.0, 5.0])
    model = AdaBoostRegressor(DecisionTreeRegressor(), n_estimators=30, random_state=0).fit(rows, y)
    assert model.estimator_errors_[-1] == 0.0 and len(model.estimators_) < 30
    assert model.estimator_weights_[-1] == 1.0 + model.estimator_weights_[:-1].sum()
    assert_array_equal(model.predict(rows), y)


def test_a_first_learner_with_a_large_loss_is_alone():
    rows, y = np.zeros((40, 1)), np.tile([-1.0, 1.0], 20)
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(rows, y)
    assert len(model.estimators_) == 1 and model.estimator_weights_.tolist() == [1.0]
    assert model.estimator_errors_[0] >= 0.5


def test_verification_notices_changed_numbers_and_learners_and_a_file_keeps_them():
    model = AdaBoostRegressor(n_estimators=6, random_state=2).fit(X, Y)
    file = io.BytesIO()
    model.save(file)
    again = separatrix.load(file)
    assert_array_equal(again.predict(X), model.predict(X))
    proof = separatrix.verify(again, X, Y)
    assert proof.converged and "not looked at" not in proof.message
    again.estimator_weights_[2] += 1e-6
    assert not separatrix.verify(again, X, Y).converged
    again.estimator_weights_[2] -= 1e-6
    again.estimators_[1] = again.estimators_[0]
    assert not separatrix.verify(again, X, Y).converged


def test_the_certificate_of_a_fit_is_made_of_the_learners_predictions():
    class Changing(DecisionTreeRegressor):
        """Other predictions each time it is asked."""

        def predict(self, X):
            self.asked_ = vars(self).get("asked_", 0) + 1
            return super().predict(X) + 100.0 * (self.asked_ - 1) * (np.arange(len(X)) % 2)

    assert AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, Y).certificate_.converged
    with pytest.warns(NotCertified):
        model = AdaBoostRegressor(Changing(max_depth=2), n_estimators=2, random_state=0).fit(X, Y)
    assert not model.certificate_.converged


def test_a_sum_of_weights_far_from_the_number_of_rows_is_warned_of_or_refused():
    with pytest.warns(UserWarning, match="Each sample has 1 of 442 rows, because the weights sum to 1"):
        AdaBoostRegressor(n_estimators=2, random_state=0).fit(X, Y, np.full(len(Y), 1.0 / len(Y)))
    with pytest.raises(ValueError, match="a sample may have 134217728 rows"):
        AdaBoostRegressor(n_estimators=2).fit(X, Y, np.full(len(Y), 1e9 / len(Y)))


@pytest.mark.parametrize("settings", [{"loss": "huber"}, {"n_estimators": 0}, {"learning_rate": 0.0}], ids=str)
def test_settings_that_mean_nothing_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        AdaBoostRegressor(**settings).fit(X, Y)
