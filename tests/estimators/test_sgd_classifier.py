"""SGDClassifier against scikit-learn's, its laws, and its failures."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import SGDClassifier as Reference
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import Diverged, NotCertified, StepsReduced
from separatrix.linear_model import SGDClassifier

LOSSES = [
    "hinge",
    "log_loss",
    "modified_huber",
    "squared_hinge",
    "perceptron",
    "squared_error",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
]
PENALTIES = ["l2", "l1", "elasticnet", None]

# One example at a time: a row of weight 2 is one long step, a row given twice is two steps from different places.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "sample_weight multiplies a step; it does not repeat it",
    "check_sample_weight_equivalence_on_sparse_data": "sample_weight multiplies a step; it does not repeat it",
}


@parametrize_with_checks(
    [SGDClassifier(random_state=0), SGDClassifier("log_loss", random_state=0)],
    expected_failed_checks=lambda estimator: EXPECTED,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 7)) + 0.3
    y = X @ rng.standard_normal(7) + rng.standard_normal(120) > 0.5
    return X, np.where(y, "yes", "no"), rng.uniform(0.2, 2.0, 120)


@pytest.fixture(scope="module")
def three(data):
    X, _, s = data
    rng = np.random.default_rng(1)
    return X, (X @ rng.standard_normal((7, 3)) + rng.standard_normal((120, 3))).argmax(axis=1) * 10, s


def both(X, y, s=None, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = SGDClassifier(shuffle=False, random_state=0, **settings).fit(X, y, sample_weight=s)
        theirs = Reference(shuffle=False, random_state=0, **settings).fit(X, y, sample_weight=s)
    return ours, theirs


def assert_same(ours, theirs, rtol=1e-9):
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=rtol, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=rtol, atol=1e-10)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)


def mild(loss, rate):
    """A strength whose optimal rate does not begin with steps so long that those of a square overshoot, each more."""
    return 0.1 if "squared" in loss and rate == "optimal" else 0.01


@pytest.mark.parametrize("rate", ["optimal", "constant", "invscaling", "adaptive"])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_unshuffled_passes_are_those_of_scikit_learn(data, loss, penalty, rate):
    X, y, s = data
    settings = {"alpha": mild(loss, rate), "max_iter": 4, "tol": None}
    assert_same(*both(X / 5, y, s, loss=loss, penalty=penalty, learning_rate=rate, **settings))


@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("loss", LOSSES[:5])
def test_the_stopping_rule_is_that_of_scikit_learn(data, loss, penalty):
    X, y, _ = data
    ours, theirs = both(X / 5, y, loss=loss, penalty=penalty, alpha=mild(loss, "optimal"))
    assert ours.n_iter_ < 1000
    assert_same(ours, theirs)


@pytest.mark.parametrize("rate", ["pa1", "pa2"])
@pytest.mark.parametrize("penalty", [None, "l2", "l1"])
def test_passive_aggressive_steps_are_those_of_scikit_learn(data, rate, penalty):
    X, y, s = data
    X = np.vstack([X, np.zeros(7)])  # a row without length cannot be corrected along itself
    y, s = np.append(y, "yes"), np.append(s, 1.0)
    assert_same(*both(X, y, s, penalty=penalty, learning_rate=rate, eta0=0.5, max_iter=5, tol=None))


@pytest.mark.parametrize("average", [True, 50, 5000])
def test_the_average_is_that_of_scikit_learn(data, three, average):
    for X, y, s in (data, three):
        assert_same(*both(X, y, s, average=average, alpha=0.05, max_iter=4, tol=None))


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber"])
def test_three_classes_are_those_of_scikit_learn_and_so_are_their_probabilities(three, loss):
    X, y, s = three
    ours, theirs = both(X, y, s, loss=loss, alpha=0.01)
    assert_same(ours, theirs)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if loss != "hinge":
        far = np.vstack([X, 100 * X])  # where the modified Huber loss is sure that it is none of the three
        np.testing.assert_allclose(ours.predict_proba(far), theirs.predict_proba(far), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
def test_probabilities_of_two_classes_are_those_of_scikit_learn(data, loss):
    X, y, _ = data
    ours, theirs = both(X, y, loss=loss, alpha=0.01)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(ours.predict_log_proba(X), np.log(ours.predict_proba(X)))


def test_a_loss_without_probabilities_says_so(data):
    X, y, _ = data
    model = SGDClassifier(random_state=0).fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError):
        model.predict_proba(X)


@pytest.mark.parametrize("weights", ["balanced", "dict"])
def test_class_weights_are_those_of_scikit_learn(data, three, weights):
    for X, y, s in (data, three):
        settings = {"class_weight": weights if weights == "balanced" else {np.unique(y)[0]: 3.0, np.unique(y)[1]: 0.5}}
        assert_same(*both(X, y, None if weights == "balanced" else s, max_iter=4, tol=None, **settings))


@pytest.mark.parametrize("loss", ["hinge", "modified_huber"])
def test_early_stopping_holds_out_the_rows_that_scikit_learn_holds_out(data, three, loss):
    for X, y, s in (data, three):
        settings = {"early_stopping": True, "validation_fraction": 0.2, "learning_rate": "invscaling"}
        assert_same(*both(X, y, s, loss=loss, penalty=None, **settings))


def test_early_stopping_judges_the_log_loss_by_accuracy(data):
    X, y, _ = data
    noise = np.random.default_rng(0).standard_normal(X.shape)
    model = SGDClassifier("log_loss", early_stopping=True, shuffle=False, random_state=0, max_iter=50)
    assert model.fit(X, y).score(X, y) > 0.8
    assert clone(model).fit(noise, y).n_iter_ < 50


@pytest.mark.parametrize("loss", ["hinge", "log_loss"])
@pytest.mark.parametrize("penalty", ["l2", "l1", None])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_and_dense_agree(loss, penalty, kind):
    X = sp.random_array((200, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    y = X @ np.arange(-15.0, 15.0) > 0.3
    model = SGDClassifier(loss, penalty=penalty, alpha=0.01, max_iter=5, tol=None, random_state=0)
    dense, sparse = clone(model).fit(X.toarray(), y), clone(model).fit(kind(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("average", [False, 20])
def test_chunks_of_a_stream_equal_one_online_pass(three, penalty, average):
    X, y, s = three
    whole = SGDClassifier(penalty=penalty, alpha=0.05, average=average, max_iter=1, tol=None, shuffle=False)
    whole.fit(X, y, sample_weight=s)
    stream = clone(whole)
    for rows in np.split(np.arange(120), [1, 2, 40, 41, 100]):  # the first chunk shows one class
        stream.partial_fit(X[rows], y[rows], classes=[20, 0, 10], sample_weight=s[rows])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(stream.intercept_, whole.intercept_, rtol=1e-10)
    assert stream.t_ == whole.t_ == 121.0


def test_a_pickled_stream_goes_on(data):
    X, y, _ = data
    model = SGDClassifier(penalty="l1", shuffle=False).partial_fit(X[:50], y[:50], classes=["no", "yes"])
    thawed = pickle.loads(pickle.dumps(model)).partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(thawed.coef_, model.partial_fit(X[50:], y[50:]).coef_)


def test_warm_start_and_given_coefficients_are_where_it_starts(three):
    X, y, _ = three
    model = SGDClassifier(shuffle=False, max_iter=2, tol=None, learning_rate="constant", warm_start=True)
    twice = clone(model).fit(X, y).fit(X, y)
    once = clone(model).set_params(max_iter=4).fit(X, y)
    np.testing.assert_allclose(twice.coef_, once.coef_, rtol=1e-12)
    half = clone(model).fit(X, y)
    given = clone(model).fit(X, y, coef_init=half.coef_, intercept_init=half.intercept_)
    np.testing.assert_array_equal(given.coef_, twice.coef_)


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "squared_hinge", "modified_huber"])
def test_the_certificate_bounds_the_distance_to_the_optimum(data, loss):
    X, y, _ = data
    sign = np.where(y == "yes", 1.0, -1.0)
    of_margin = {
        "hinge": lambda z: np.maximum(1 - z, 0),
        "log_loss": lambda z: np.logaddexp(0, -z),
        "squared_hinge": lambda z: np.maximum(1 - z, 0) ** 2,
        "modified_huber": lambda z: np.where(z >= -1, np.maximum(1 - z, 0) ** 2, -4 * z),
    }[loss]

    def objective(m):
        return of_margin(sign * m.decision_function(X)).mean() + 0.05 * np.sum(m.coef_**2)

    model = SGDClassifier(loss, alpha=0.1, random_state=0).fit(X, y)
    settings = {"learning_rate": "adaptive", "eta0": 0.1, "tol": 1e-9, "max_iter": 5000}
    better = SGDClassifier(loss, alpha=0.1, random_state=0, **settings).fit(X, y)
    null = of_margin(sign * (sign.mean() if loss != "log_loss" else (sign > 0).mean())).mean()
    assert model.certificate_.kind == "gap"
    assert -1e-12 <= objective(model) - objective(better) <= model.certificate_.value * null
    assert better.certificate_.value < 0.02


def test_its_own_rule_met_gives_no_warning_and_passes_used_up_do(data):
    X, y, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SGDClassifier(random_state=0, alpha=0.01).fit(X, y)
        SGDClassifier(random_state=0, max_iter=2, tol=None).fit(X, y)
    with pytest.warns(NotCertified, match="max_iter"):
        SGDClassifier(random_state=0, max_iter=2).fit(X, y)


def test_the_trace_holds_the_objective_after_each_pass_of_each_class(three):
    X, y, _ = three
    model = SGDClassifier(random_state=0, alpha=0.1, trace=True).fit(X, y)
    assert max(len(trace) for trace in model.trace_) == model.n_iter_
    for c, trace in enumerate(model.trace_):
        sign = np.where(y == model.classes_[c], 1.0, -1.0)
        for found, w, b in zip(trace.objective, trace.coefficients, trace.intercepts, strict=True):
            expected = np.maximum(1 - sign * (X @ w + b), 0).mean() + 0.05 * w @ w
            assert found == pytest.approx(expected, rel=1e-12)
        np.testing.assert_array_equal(trace.coefficients[-1], model.coef_[c])
        assert trace.intercepts[-1] == model.intercept_[c]


def test_a_descent_that_runs_away_is_reported_and_returns_finite_numbers(data):
    X, y, _ = data
    with pytest.warns(Diverged, match="eta0="):
        model = SGDClassifier("squared_error", learning_rate="constant", eta0=1.0, max_iter=20, tol=None).fit(
            1e4 * X, y
        )
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"alpha": -1.0}, ValueError, "alpha"),
        ({"loss": "log"}, ValueError, "loss"),
        ({"penalty": "none"}, ValueError, "penalty"),
        ({"learning_rate": "fast"}, ValueError, "learning_rate"),
        ({"eta0": 0.0}, ValueError, "eta0"),
        ({"eta0": -1.0}, ValueError, "eta0"),
        ({"max_iter": 0}, ValueError, "max_iter"),
        ({"penalty": "elasticnet", "l1_ratio": None}, TypeError, "l1_ratio"),
        ({"learning_rate": "optimal", "alpha": 0.0}, ValueError, "alpha > 0"),
        ({"learning_rate": "pa1", "loss": "log_loss"}, ValueError, "'hinge'"),
        ({"class_weight": "equal"}, ValueError, "class_weight"),
        ({"class_weight": {"maybe": 1.0}}, ValueError, "maybe"),
    ],
)
def test_bad_settings_say_what_to_do(data, settings, error, message):
    with pytest.raises(error, match=message):
        SGDClassifier(**settings).fit(*data[:2])


def test_bad_starts_and_labels_say_what_to_do(data, three):
    X, y, _ = data
    with pytest.raises(ValueError, match="7 columns"):
        SGDClassifier().fit(X, y, coef_init=np.zeros(3))
    with pytest.raises(ValueError, match="not finite"):
        SGDClassifier().fit(X, y, coef_init=np.full(7, np.nan))
    with pytest.raises(ValueError, match=r"\(3, 7\) and \(3,\)"):
        SGDClassifier().fit(three[0], three[1], coef_init=np.zeros(7))
    with pytest.raises(ValueError, match="one class"):
        SGDClassifier().fit(X, np.ones(120))
    with pytest.raises(ValueError, match="NaN"):
        SGDClassifier().fit(np.where(X > 2, np.nan, X), y)


def test_bad_streams_say_what_to_do(data):
    X, y, _ = data
    with pytest.raises(ValueError, match="classes=all_labels"):
        SGDClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        SGDClassifier().partial_fit(X, y, classes=["no"])
    with pytest.raises(ValueError, match=r"label .*'yes'"):
        SGDClassifier().partial_fit(X, y, classes=["no", "perhaps"])
    with pytest.raises(ValueError, match="early_stopping=False"):
        SGDClassifier(early_stopping=True).partial_fit(X, y, classes=["no", "yes"])
    with pytest.raises(ValueError, match="balanced"):
        SGDClassifier(class_weight="balanced").partial_fit(X, y, classes=["no", "yes"])
    model = SGDClassifier().partial_fit(X, y, classes=["no", "yes"])
    with pytest.raises(ValueError, match="stream began"):
        model.partial_fit(X, y, classes=["no", "yes", "perhaps"])
    with pytest.raises(ValueError, match="perhaps"):
        model.partial_fit(X[:1], ["perhaps"])
    assert "stream" in model.certificate_.message and not model.certificate_.converged


def test_a_class_that_weighs_nothing_teaches_nothing(data):
    X, y, _ = data
    model = SGDClassifier(class_weight={"no": 0.0}, shuffle=False).partial_fit(X, y, classes=["no", "yes"])
    before = model.coef_.copy()
    assert y[0] == "no" or y[1] == "no"
    row = int(np.argmax(y == "no"))
    np.testing.assert_array_equal(model.partial_fit(X[row : row + 1], y[row : row + 1]).coef_, before)


def _scores(X, y, loss):
    """Training accuracies of ours and of scikit-learn's, each the mean over three seeds."""
    ours = [SGDClassifier(loss, random_state=seed).fit(X, y).score(X, y) for seed in range(3)]
    theirs = [Reference(loss, random_state=seed).fit(X, y).score(X, y) for seed in range(3)]
    return np.mean(ours), np.mean(theirs)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber", "squared_hinge"])
def test_columns_of_unlike_sizes_do_not_make_a_constant_of_it(loss):
    X, y = load_breast_cancer(return_X_y=True)
    ours, theirs = _scores(X, y, loss)
    assert ours > theirs - 0.05 > np.bincount(y).max() / len(y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_squared_hinge_of_standardised_digits_is_not_a_constant():
    X, y = load_digits(return_X_y=True)
    ours, theirs = _scores(StandardScaler().fit_transform(X), y, "squared_hinge")
    assert ours > theirs - 0.01 > 0.9


def test_a_walk_that_had_to_take_smaller_steps_says_so_once_and_blames_no_setting_that_was_not_made():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SGDClassifier("squared_hinge", random_state=0).fit(1e3 * X, y)
    (warning,) = [w.message for w in caught if isinstance(w.message, Diverged)]
    assert isinstance(warning, StepsReduced) and warning.divisor >= 10.0
    assert "standardised columns" in str(warning)
    assert "eta0" not in str(warning) and "learning_rate" not in str(warning)


def test_columns_whose_squares_overflow_are_refused_as_by_other_models():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 10)), np.arange(100) % 2
    X[:, :2] *= 1e300
    with np.errstate(all="raise"), pytest.raises(ValueError, match="the largest number in X is beyond 1e150"):
        SGDClassifier(loss="squared_hinge", random_state=0).fit(X, y)
