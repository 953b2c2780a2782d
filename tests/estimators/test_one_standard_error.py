"""The rule of one standard error, and the warning at the end of a grid."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import LeaveOneOut

from separatrix.core.errors import EndOfGrid
from separatrix.estimators.linear.one_standard_error import standard_errors, strongest_within
from separatrix.linear_model import ElasticNetCV, LassoCV, LogisticRegression, LogisticRegressionCV, Ridge, RidgeCV


def data(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, X[:, 0] + rng.normal(size=n)


def test_the_rule_by_hand():
    # means 3, 2, 2.5; of the best fold errors 1 and 3: variance 2 / (2 - 1) / 2 of the mean
    errors = np.array([[3.0, 3.0], [1.0, 3.0], [2.0, 3.0]])
    assert_allclose(standard_errors(errors), [0.0, 1.0, 0.5])
    assert strongest_within(errors.mean(axis=1), standard_errors(errors), [3.0, 2.0, 1.0]) == 0
    assert strongest_within(errors.mean(axis=1), standard_errors(errors), [1.0, 2.0, 3.0]) == 2
    assert strongest_within(np.array([3.5, 2.0]), np.array([1.0, 1.0]), [2.0, 1.0]) == 1
    assert_allclose(standard_errors(errors, np.array([5.0, 5.0])), [0.0, 1.0, 0.5])


def test_an_error_that_is_not_known_is_not_the_best():
    nan = np.nan
    assert strongest_within(np.array([nan, 2.0, 1.0]), np.array([nan, 0.5, 0.5]), [3.0, 2.0, 1.0]) == 2
    assert strongest_within(np.array([nan, 2.0, 1.0]), np.array([nan, 0.5, 1.5]), [3.0, 2.0, 1.0]) == 1
    assert strongest_within(np.array([nan, nan]), np.array([nan, nan]), [1.0, 2.0]) == 0


def test_where_no_strength_has_a_score_the_first_is_taken_and_a_warning_says_so():
    X, y = data(n=12)
    with pytest.warns(UserWarning, match="non-finite"), pytest.warns(UndefinedMetricWarning, match="R.2"):
        ridge = RidgeCV([10.0, 1.0], cv=LeaveOneOut()).fit(X, y)  # R2 of one row is not defined
    assert ridge.alpha_ == ridge.alpha_1se_ == 10.0 and np.isnan(ridge.best_score_)
    assert_allclose(ridge.coef_, Ridge(10.0).fit(X, y).coef_, rtol=1e-12)
    with pytest.warns(UndefinedMetricWarning, match="one class"):
        logistic = LogisticRegressionCV(Cs=[1.0, 0.1], cv=LeaveOneOut(), scoring="roc_auc").fit(X, y > 0)
    assert logistic.C_ == [1.0]


def test_a_strength_without_a_score_in_some_fold_is_not_chosen():
    X, y = data()

    def unless_weak(model, X, y):
        return np.nan if np.linalg.norm(model.coef_) > 0.3 else model.score(X, y)

    weak = np.linalg.norm(LogisticRegression(C=1.0).fit(X, y > 0).coef_)
    assert weak > 0.3
    chosen = LogisticRegressionCV(Cs=[1e-4, 1e-3, 1.0], scoring=unless_weak, use_legacy_attributes=False).fit(X, y > 0)
    assert np.isnan(chosen.scores_).any() and chosen.C_ < 1.0


def test_weights_of_rows_that_are_left_out_are_repetitions():
    X, y = data()
    s = np.random.default_rng(1).integers(1, 4, 80)
    again, alphas = np.repeat(np.arange(80), s), np.logspace(-2, 3, 30)
    one = RidgeCV(alphas, rule="1se").fit(X, y, s)
    other = RidgeCV(alphas, rule="1se").fit(X[again], y[again])
    assert one.alpha_ == other.alpha_ and one.best_score_ == pytest.approx(other.best_score_)


def test_each_output_has_its_own_strength():
    X, y = data()
    Y, alphas = np.column_stack([y, X[:, 1] + 0.1 * y]), np.logspace(-2, 3, 30)
    both = RidgeCV(alphas, rule="1se", alpha_per_target=True).fit(X, Y)
    alone = [RidgeCV(alphas, rule="1se").fit(X, Y[:, k]).alpha_ for k in range(2)]
    assert_allclose(both.alpha_, alone)
    assert isinstance(RidgeCV(alphas, rule="1se").fit(X, Y).alpha_, float)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LassoCV(rule="2se"), "rule"),
        (RidgeCV(rule="1se", criterion="gcv"), "squared error of each row"),
        (RidgeCV(rule="1se", scoring="r2"), "squared error of each row"),
        (LogisticRegressionCV(rule="1se", refit=False), "refit=False"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused(model, words):
    X, y = data()
    with pytest.raises(ValueError, match=words):
        model.fit(X, y > 0 if isinstance(model, LogisticRegressionCV) else y)


@pytest.mark.parametrize(
    ("model", "weak"),
    [
        (LassoCV(alphas=[1e-3, 1e-2]), False),
        (LassoCV(alphas=[0.5, 0.4]), True),
        (ElasticNetCV(alphas=[0.6, 0.5], l1_ratio=[0.5, 1.0]), True),
        (RidgeCV([1e-3, 1e-2]), False),
        (RidgeCV([1e3, 1e4]), True),
        (RidgeCV([1e3, 1e4], cv=5), True),
        (RidgeCV([1e3, 1e4], criterion="gcv"), True),
        (LogisticRegressionCV(Cs=[1e-3, 1e-2], scoring="neg_log_loss"), True),
        (LogisticRegressionCV(Cs=[1e2, 1e3], scoring="neg_log_loss"), False),
    ],
)
def test_a_strength_at_the_end_of_its_grid_is_warned_of(model, weak):
    X, y = data()
    with pytest.warns(EndOfGrid, match="Extend") as caught:
        model.fit(X, y > 0 if isinstance(model, LogisticRegressionCV) else y)
    warning = next(w for w in caught if w.category is EndOfGrid)
    assert warning.message.weak == weak and warning.filename == __file__


@pytest.mark.parametrize(
    "model",
    [
        LassoCV(),
        LassoCV(alphas=[0.1]),
        LassoCV(alphas=[5.0, 9.0]),  # nothing is selected at either
        LassoCV(alphas=[0.5, 0.0]),  # less than no penalty there is not
        RidgeCV(np.logspace(-2, 3, 20)),
        RidgeCV(rule="1se"),
        LogisticRegressionCV(Cs=[0.1, np.inf], scoring="accuracy"),
    ],
)
def test_there_is_no_warning_where_no_other_strength_could_be_better(model):
    X, y = data()
    if model.get_params().get("alphas") is not None and np.ndim(model.alphas) and 0.0 in model.alphas:
        y = 10.0 * X[:, 0] + 0.01 * y
    with warnings.catch_warnings():
        warnings.simplefilter("error", EndOfGrid)
        model.fit(X, y > 0 if isinstance(model, LogisticRegressionCV) else y)
