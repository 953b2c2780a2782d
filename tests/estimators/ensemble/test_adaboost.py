"""AdaBoost: by hand, in exact fractions, and against scikit-learn's committee of the same learners."""

from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_gaussian_quantiles
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB as TheirNaiveBayes
from sklearn.neighbors import KNeighborsClassifier as NoWeights
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import separatrix
from separatrix.core.errors import NotCertified
from separatrix.core.family import DataFacts, families
from separatrix.core.jit import compiled
from separatrix.ensemble import AdaBoostClassifier, BaggingClassifier
from separatrix.linear_model import LogisticRegression
from separatrix.solvers.compiled import boosted_stumps as loops

DATA = {"cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine}


@parametrize_with_checks([AdaBoostClassifier(), AdaBoostClassifier(LogisticRegression(), n_estimators=5)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ by hand


def ten_rows():
    """One column on which the best threshold has 3 of 10 rows wrong (golden case G099)."""
    return np.arange(10.0)[:, None], np.array([0, 0, 1, 0, 0, 1, 1, 0, 1, 0])


@pytest.mark.mission("EN-10", "EN-11")
def test_the_first_round_of_ten_rows_of_which_three_are_wrong():
    X, y = ten_rows()
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    assert model.estimator_errors_[0] == 0.3
    assert model.estimator_weights_[0] == pytest.approx(0.8472978603872037, abs=1e-15)
    first, second = model.staged_weights(X, y)
    assert_allclose(first, 0.1)
    wrong = model.estimators_[0].predict(X) != y
    assert wrong.sum() == 3
    assert_allclose(second[wrong], 1.0 / 6.0, rtol=1e-14)
    assert_allclose(second[~wrong], 0.07142857142857142, rtol=1e-14)
    assert second[wrong].sum() == pytest.approx(0.5, abs=1e-15)  # the old learner is now as good as guessing


def exact_rounds(X, y, s, features, thresholds, below, above, k=2):
    """(error of the stump, smallest error of any stump) in each round, in exact fractions, along given stumps."""
    rows, p = X.shape
    w = [Fraction(int(weight)) for weight in s]
    for j, threshold, low, high in zip(features, thresholds, below, above):
        total = sum(w)
        best = total - max(sum(v for v, c in zip(w, y) if c == label) for label in range(k))
        for column in range(p):
            for value in set(X[:, column].tolist()):
                sides = [[0] * k, [0] * k]
                for i in range(rows):
                    sides[int(X[i, column] > value)][y[i]] += w[i]
                best = min(best, total - max(sides[0]) - max(sides[1]))
        missed = [(low if x <= threshold else high) != c for x, c in zip(X[:, j], y)]
        wrong = sum(v for v, m in zip(w, missed) if m)
        yield wrong / total, best / total
        factor = (total - wrong) / wrong * (k - 1) if wrong else 1
        w = [v * factor if m else v for v, m in zip(w, missed)]


@pytest.mark.mission("EN-08", "EN-09", "EN-10")
@pytest.mark.parametrize("k", [2, 3])
def test_every_stump_is_the_best_of_all_in_exact_fractions(k):
    rng = np.random.default_rng(k)
    X = rng.integers(0, 6, (24, 3)).astype(float)
    y = (X[:, 0].astype(int) + rng.integers(0, 3, 24)) % k
    s = rng.integers(1, 4, 24)
    model = AdaBoostClassifier(n_estimators=8).fit(X, y, s)
    stumps = model.features_, model.thresholds_, model.below_, model.above_
    for m, (error, best) in enumerate(exact_rounds(X, y, s, *(part.tolist() for part in stumps), k)):
        assert float(error) == pytest.approx(model.estimator_errors_[m], abs=1e-14)
        assert float(error - best) < 1e-14  # of stumps that tie in exact arithmetic rounding may choose
        alpha = log((1 - error) / error) + log(k - 1)
        assert model.estimator_weights_[m] == pytest.approx(alpha, abs=1e-12)


@pytest.mark.mission("EN-11", "CA-11")
def test_probabilities_are_the_minimiser_of_the_exponential_loss():
    # one column of three values, whose rows are positive in 10, 50 and 80 of 100 cases (golden case G067)
    X = np.repeat([[0.0], [1.0], [2.0]], 100, axis=0)
    y = np.concatenate([np.arange(100) < share for share in (10, 50, 80)]).astype(int)
    model = AdaBoostClassifier(n_estimators=400).fit(X, y)
    half = 0.5 * model.decision_function([[0.0], [1.0], [2.0]])
    assert_allclose(half, [-1.0986122886681096, 0.0, 0.6931471805599453], atol=1e-6)
    assert_allclose(model.predict_proba([[0.0], [1.0], [2.0]])[:, 1], [0.1, 0.5, 0.8], atol=1e-6)


@pytest.mark.mission("CA-11")
def test_probabilities_of_three_classes_are_those_of_samme():
    X = np.repeat([[0.0], [1.0], [2.0]], 100, axis=0)
    shares = np.array([[60, 30, 10], [20, 50, 30], [25, 25, 50]])
    y = np.concatenate([np.repeat([0, 1, 2], row) for row in shares])
    model = AdaBoostClassifier(n_estimators=3000, learning_rate=0.2).fit(X, y)
    assert_allclose(model.predict_proba([[0.0], [1.0], [2.0]]), shares / 100.0, atol=2e-3)


@pytest.mark.mission("EN-11")
def test_the_weight_of_a_learner_minimises_the_exponential_loss_along_it():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=6).fit(X[::4], y[::4])
    losses = list(model.staged_exponential_loss(X[::4], y[::4]))
    e = model.estimator_errors_
    assert_allclose(losses, np.cumprod(2.0 * np.sqrt(e * (1.0 - e))), rtol=1e-12)
    before, t = list(model.staged_decision_function(X[::4])), 2 * y[::4] - 1
    answer = np.where(model.estimators_[5].predict(X[::4]) == 1, 1.0, -1.0)

    def loss(alpha):
        return np.exp(-t * 0.5 * (before[4] + alpha * answer)).mean()

    best = model.estimator_weights_[5]
    assert loss(best) < min(loss(best - 1e-3), loss(best + 1e-3))


@pytest.mark.mission("EN-12")
def test_the_exponential_loss_is_the_largest_of_the_losses_at_every_margin():
    z = np.linspace(-4.0, 4.0, 81)
    X, y = np.arange(81.0)[:, None], np.ones(81, dtype=int)
    model = AdaBoostClassifier(n_estimators=1).fit([[0.0], [1.0]], [0, 1])
    model.staged_decision_function = lambda X: iter([2.0 * z])  # t f = z
    exponential = np.array([next(model.staged_exponential_loss(X, y, s)) for s in np.eye(81)])
    golden = np.searchsorted(z, np.array([-1.0, 0.0, 0.5, 1.0, 2.0]) - 1e-9)  # golden case G063
    assert_allclose(exponential[golden], [2.718281828, 1.0, 0.6065306597, 0.3678794412, 0.1353352832], rtol=1e-9)
    others = {"log": np.logaddexp(0.0, -z), "hinge": np.maximum(1.0 - z, 0.0), "0/1": (z < -1e-9).astype(float)}
    wrong = z < -1e-9
    for each in others.values():
        assert (exponential >= each - 1e-12).all() and (exponential > each)[wrong].all()
        lead = (exponential - each)[wrong]
        assert (np.diff(lead) < 0.0).all(), "the larger the mistake, the larger the difference"


# ------------------------------------------------------------------ against scikit-learn


@pytest.mark.mission("EN-10")
@pytest.mark.parametrize("name", DATA)
def test_with_the_same_learners_it_is_scikit_learns_committee(name):
    X, y = DATA[name](return_X_y=True)
    for rate in (1.0, 0.3):
        base = DecisionTreeClassifier(max_depth=1, random_state=0)
        ours = AdaBoostClassifier(base, n_estimators=20, learning_rate=rate, random_state=0).fit(X, y)
        theirs = Theirs(base, n_estimators=20, learning_rate=rate, random_state=0).fit(X, y)
        assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-8)
        assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-8)
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-8)
        for a, b in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
            assert_array_equal(a, b)
        assert_allclose(list(ours.staged_score(X, y)), list(theirs.staged_score(X, y)))
        # their scores are divided by the sum of the weights; ours of two classes are half as large as theirs times it
        unit = ours.estimator_weights_.sum() * (0.5 if len(ours.classes_) == 2 else 1.0 - 1.0 / len(ours.classes_))
        assert_allclose(ours.decision_function(X), unit * theirs.decision_function(X), atol=1e-7)


@pytest.mark.mission("EN-09", "EN-10")
@pytest.mark.parametrize("name", DATA)
def test_stumps_of_the_smallest_error_are_at_least_as_good_as_those_by_impurity(name):
    X, y = DATA[name](return_X_y=True)
    ours, theirs = AdaBoostClassifier().fit(X, y), Theirs(random_state=0).fit(X, y)
    assert ours.estimator_errors_[0] <= theirs.estimator_errors_[0] + 1e-12
    if len(ours.classes_) == 2:
        losses = np.prod(2.0 * np.sqrt(theirs.estimator_errors_ * (1.0 - theirs.estimator_errors_)))
        assert list(ours.staged_exponential_loss(X, y))[-1] <= losses
    assert ours.score(X, y) >= theirs.score(X, y) - 0.01


@pytest.mark.mission("EN-10")
def test_the_training_error_falls_under_its_bound():
    X, y = make_gaussian_quantiles(n_samples=600, n_features=5, n_classes=2, random_state=1)
    model = AdaBoostClassifier(n_estimators=150).fit(X, y)
    errors = 1.0 - np.array(list(model.staged_score(X, y)))
    bounds = np.cumprod(2.0 * np.sqrt(model.estimator_errors_ * (1.0 - model.estimator_errors_)))
    assert (errors <= bounds + 1e-12).all()
    assert errors[-1] < 0.5 * errors[0]


@pytest.mark.mission("EN-13")
@pytest.mark.parametrize("seed", range(3))
def test_wrong_labels_hurt_boosting_more_than_bagging(seed):
    X, y = make_gaussian_quantiles(n_samples=1600, n_features=6, n_classes=2, random_state=seed)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    flipped = np.where(np.random.default_rng(seed).random(len(y_train)) < 0.2, 1 - y_train, y_train)
    base, lost = DecisionTreeClassifier(max_depth=6, random_state=0), []
    for cls in (AdaBoostClassifier, BaggingClassifier):
        model = cls(base, n_estimators=50, random_state=0)
        clean, noisy = (model.fit(train, labels).score(test, y_test) for labels in (y_train, flipped))
        lost.append(clean - noisy)
    assert lost[0] > lost[1] + 0.01


# ------------------------------------------------------------------ rows, weights and their order


def committee(model):
    return (model.features_, model.thresholds_, model.below_, model.above_, model.estimator_weights_)


@pytest.mark.mission("EN-10")
@pytest.mark.parametrize("name", DATA)
def test_a_weight_is_a_repetition_to_the_last_bit(name):
    X, y = DATA[name](return_X_y=True)
    rng = np.random.default_rng(0)
    s = rng.integers(0, 4, len(y))
    rows = rng.permutation(np.repeat(np.arange(len(y)), s))
    weighted = AdaBoostClassifier(n_estimators=40).fit(X, y, s)
    repeated = AdaBoostClassifier(n_estimators=40).fit(X[rows], y[rows])
    for a, b in zip(committee(weighted), committee(repeated), strict=True):
        assert a.tobytes() == b.tobytes()
    assert weighted.predict_proba(X).tobytes() == repeated.predict_proba(X).tobytes()


def test_neither_order_storage_nor_threads_show(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(y))
    s = np.random.default_rng(2).uniform(0.1, 2.0, len(y))
    plain = AdaBoostClassifier(n_estimators=30).fit(X, y, s)
    others = [AdaBoostClassifier(n_estimators=30).fit(X[order], y[order], s[order])]
    others.append(AdaBoostClassifier(n_estimators=30).fit(sp.csr_array(X), y, s))
    monkeypatch.setenv("SEPARATRIX_THREADS", "3")
    monkeypatch.setattr("separatrix.core.threads.FEW_NUMBERS", 0)
    others.append(AdaBoostClassifier(n_estimators=30).fit(np.asfortranarray(X), y, s))
    for other in others:
        for a, b in zip(committee(plain), committee(other), strict=True):
            assert a.tobytes() == b.tobytes()
    assert_array_equal(plain.predict_proba(sp.csc_array(X)), plain.predict_proba(X))


def test_a_base_estimator_takes_weights_as_repetitions():
    X, y = load_wine(return_X_y=True)
    s = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), s)
    base = LogisticRegression(C=0.01)
    one = AdaBoostClassifier(base, n_estimators=4).fit(X, y, s)
    other = AdaBoostClassifier(base, n_estimators=4).fit(X[rows], y[rows])
    assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-6)
    assert_allclose(one.members_[0].coef_, LogisticRegression(C=0.01).fit(X, y, s).coef_, rtol=1e-6, atol=1e-9)


def test_ties_are_broken_by_column_then_threshold():
    X = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    model = AdaBoostClassifier(n_estimators=1).fit(X[:, [1, 0, 2]], [0, 0, 1, 1])
    assert (model.features_[0], model.thresholds_[0], model.below_[0], model.above_[0]) == (0, 0.5, 0, 1)
    model = AdaBoostClassifier(n_estimators=1).fit(np.arange(4.0)[:, None], [0, 1, 0, 1])  # 0.5 and 2.5 are as good
    assert (model.thresholds_[0], model.below_[0]) == (0.5, 0)


def test_a_threshold_between_neighbouring_numbers_separates_them():
    low = 1.0 + np.finfo(float).eps
    high = np.nextafter(low, 2.0)
    model = AdaBoostClassifier(n_estimators=1).fit([[low], [high]], ["a", "b"])
    assert model.predict([[low], [high]]).tolist() == ["a", "b"]
    largest = np.finfo(float).max  # the sum of two overflows
    model = AdaBoostClassifier(n_estimators=1).fit([[0.9 * largest], [largest]], ["a", "b"])
    assert np.isfinite(model.thresholds_).all() and model.predict([[largest]]).tolist() == ["b"]


# ------------------------------------------------------------------ ends of the rounds


@pytest.mark.mission("EN-10")
@pytest.mark.parametrize("low", [1.0, 1.0 + 2.0**-23, 2.0**-149, 0.0])
def test_a_threshold_between_neighbours_of_single_precision_separates_them(low):
    low = np.float32(low)
    X = np.repeat(np.array([[low], [np.nextafter(low, np.float32(2.0))]]), 3, axis=0)
    y = np.repeat([0, 1], 3)
    model = AdaBoostClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.certificate_.converged


def test_a_perfect_learner_ends_the_rounds_and_decides_alone():
    model = AdaBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert model.estimator_errors_.tolist() == [0.0] and model.estimator_weights_.tolist() == [1.0]

    class Second(DecisionTreeClassifier):
        """Wrong about one row at first, right afterwards."""

        def fit(self, X, y, sample_weight=None):
            self.max_depth = 1 if np.ptp(sample_weight) == 0.0 else None
            return super().fit(X, y, sample_weight)

    X, y = ten_rows()
    model = AdaBoostClassifier(Second(random_state=0)).fit(X, y)
    first, second = model.estimator_weights_
    assert model.estimator_errors_[1] == 0.0 and second == 1.0 + first
    assert_array_equal(model.predict(X), y)


@pytest.mark.mission("EN-10")
def test_where_no_stump_is_better_than_guessing_the_first_round_says_so():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    with pytest.raises(ValueError, match=r"Cannot boost a stump: in the first round .* not below 0\.5"):
        AdaBoostClassifier().fit(X, y)
    assert AdaBoostClassifier(DecisionTreeClassifier(max_depth=2)).fit(X, y).score(X, y) == 1.0


@pytest.mark.mission("EN-10")
def test_later_rounds_without_a_better_learner_are_left_out():
    X, y = [[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]], [0, 0, 1, 1, 1, 0]
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    assert len(model.estimator_weights_) == 1  # after it every stump has the error 1/2
    assert model.decision_function([[0.0], [1.0]]).round(12).tolist() == [round(-log(2.0), 12), round(log(2.0), 12)]


@pytest.mark.mission("EN-10")
def test_weights_of_rows_stay_numbers_over_thousands_of_rounds():
    """Each round multiplies their sum by 2 (1 - e) > 1; the reference divides by the sum in each."""
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])
    model = AdaBoostClassifier(n_estimators=5000).fit(X, y)
    assert len(model.estimator_weights_) == 5000
    w, errors = np.ones(3) / 3.0, []
    for m in range(5000):
        missed = np.where(X[:, 0] <= model.thresholds_[m], model.below_[m], model.above_[m]) != y
        errors.append(w[missed].sum())
        w[missed] *= (1.0 - errors[-1]) / errors[-1]
        w /= w.sum()
    assert_allclose(model.estimator_errors_, errors, rtol=0.0, atol=5000 * 4 * np.finfo(float).eps)


@pytest.mark.parametrize("base", [None, DecisionTreeClassifier(max_depth=1)], ids=["stumps", "trees"])
def test_weights_beyond_the_range_of_numbers_are_refused(base):
    X, y = ten_rows()
    with pytest.raises(ValueError, match="a smaller learning_rate"):
        AdaBoostClassifier(base, learning_rate=1e4, n_estimators=3).fit(X, y)


def test_the_certificate_of_a_fit_is_made_of_the_learners_answers():
    class Changing(DecisionTreeClassifier):
        """Other answers each time it is asked."""

        def predict(self, X):
            self.asked_ = vars(self).get("asked_", 0) + 1
            labels = super().predict(X)
            return labels if self.asked_ == 1 else np.roll(labels, 1)

    X, y = ten_rows()
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2).fit(X, y)
    assert model.certificate_.converged and "no optimum" in model.certificate_.message
    with pytest.warns(NotCertified):
        model = AdaBoostClassifier(Changing(max_depth=1), n_estimators=2).fit(X, y)
    assert not model.certificate_.converged


def test_a_base_estimator_without_weights_is_refused():
    with pytest.raises(ValueError, match="Cannot boost KNeighborsClassifier: its fit takes no sample_weight"):
        AdaBoostClassifier(NoWeights()).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(("name", "value"), [("n_estimators", 0), ("learning_rate", 0.0), ("learning_rate", "fast")])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises((ValueError, TypeError), match=f"{name}="):
        AdaBoostClassifier(**{name: value}).fit([[0.0], [1.0]], [0, 1])


def test_a_comparison_chooses_the_number_of_rounds_by_its_own_score():
    family = next(each for each in families("classification") if each.name == "AdaBoost")
    facts = DataFacts(rows=90, columns=2, classes=2, smallest_class=30, score="accuracy")
    assert family.make(facts).scoring == "accuracy"
    assert family.make(replace(facts, score="log_loss")).scoring == "neg_log_loss"


# ------------------------------------------------------------------ stages, files and verification


@pytest.mark.mission("EN-14", "EN-08")
def test_stages_show_learners_boundaries_and_weights():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    weights, stages = list(model.staged_weights(X, y)), list(model.staged_predict(X))
    assert len(weights) == len(stages) == len(model.estimators_) == 5
    for m in range(4):
        wrong = model.estimators_[m].predict(X) != y
        assert weights[m][wrong].sum() == pytest.approx(model.estimator_errors_[m], rel=1e-12)
        assert (weights[m + 1][wrong] > weights[m][wrong]).all()
        assert (weights[m + 1][~wrong] < weights[m][~wrong]).all()
    assert_array_equal(stages[0], model.estimators_[0].predict(X))
    assert_array_equal(stages[-1], model.predict(X))
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))


def test_a_model_of_any_base_is_kept_and_verified(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = AdaBoostClassifier(LogisticRegression(C=1e-4), n_estimators=4).fit(X, y)
    model.save(tmp_path / "model.sepx")
    loaded = separatrix.load(tmp_path / "model.sepx")
    assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert separatrix.verify(loaded, X, y).converged
    loaded.estimator_weights_[0] *= 1.001
    assert not separatrix.verify(loaded, X, y).converged


def test_a_stump_that_is_not_the_best_is_found_out():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert separatrix.verify(model, X, y).converged
    worse = AdaBoostClassifier(n_estimators=3).fit(X[:, [0]], y)  # the errors and weights agree with its stumps
    for name in ("features_", "thresholds_", "below_", "above_", "estimator_weights_", "estimator_errors_"):
        setattr(model, name, getattr(worse, name))
    certificate = separatrix.verify(model, X, y)
    assert not certificate.converged and certificate.value > 0.01


@pytest.mark.parametrize("loop", ["search_two", "search_many", "weigh", "reweigh"])
def test_loops_are_their_plain_twins(loop):
    rng = np.random.default_rng(0)
    n, k = 40, 3
    codes, v = rng.integers(0, k, n), rng.uniform(0.5, 2.0, n)
    order = np.stack([rng.permutation(n) for _ in range(2)]).astype(np.int32)
    order[:, ::3] = ~order[:, ::3]
    q, totals = rng.integers(1, 100, n), np.zeros(k, dtype=np.int64)
    np.add.at(totals, codes, q)
    arguments = {
        "search_two": lambda: (order, np.where(codes == 1, q, -q), 0, 2, np.empty((2, 4), dtype=np.int64)),
        "search_many": lambda: (order, q, codes, totals, 0, 2, np.empty((2, 4), np.int64), np.empty(k, np.int64)),
        "weigh": lambda: (
            v, v, np.empty(0, np.int64), codes, 1e6, False, np.empty(n, np.int64), np.empty(k, np.int64),
        ),
        "reweigh": lambda: (v, 1.0, 0, 1, codes, 3.0, v.copy()),
    }[loop]  # fmt: skip
    function = getattr(loops, loop)
    one, other = arguments(), arguments()
    assert compiled(function.py_func)(*one) == function.py_func(*other)
    for a, b in zip(one, other):
        assert_array_equal(a, b)


def test_scores_of_a_foreign_base_follow_its_votes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(TheirNaiveBayes(), n_estimators=3).fit(X, y)
    votes = np.stack([member.predict(X) for member in model.members_])
    for c in range(3):
        expected = ((votes == c) * model.estimator_weights_[:, None]).sum(axis=0) - model.estimator_weights_.sum() / 3.0
        assert_allclose(model.decision_function(X)[:, c], expected, atol=1e-12)
