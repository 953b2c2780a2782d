"""The comparison from a table to a tested model, on small tables with known answers."""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RepeatedStratifiedKFold

from separatrix.assess import MEASURES, compare
from separatrix.assess.compare import tournament as tournaments
from separatrix.assess.compare.candidate import Candidate
from separatrix.core import family as family_room
from separatrix.core.family import Family, declare, families
from separatrix.tables import Table

QUICK = ["diagonal discriminant", "linear discriminant", "naive Bayes, Gaussian"]
TIMES = ("seconds", "fit_seconds", "predict_seconds")


@pytest.fixture(autouse=True)
def no_warning_gets_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        yield


@pytest.fixture
def declared():
    """A function that declares families for one test."""
    families("classification")  # all that declare themselves have done so
    before = dict(family_room._FAMILIES)
    yield declare
    family_room._FAMILIES.clear()
    family_room._FAMILIES.update(before)


def two_clouds(n=120, seed=0, distance=2.0):
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1], n // 2)
    return rng.standard_normal((n, 3)) + distance * y[:, None] * np.array([1.0, 0.0, 0.0]), y


def flowers(n=120, seed=1):
    """Three classes in two columns, as iris has them: one far away, two that touch."""
    rng = np.random.default_rng(seed)
    label = np.array(["setosa", "versicolor", "virginica"])[np.arange(n) % 3]
    middle = np.array([[-4.0, 0.0], [0.0, 0.0], [2.5, 1.0]])[np.arange(n) % 3]
    X = middle + rng.standard_normal((n, 2))
    return Table.of({"length": X[:, 0], "width": X[:, 1], "species": label})


def mixed(n=160, seed=2):
    """Numbers with holes, a category, a flag, an identifier and a target that depends on two of them."""
    rng = np.random.default_rng(seed)
    age, city = rng.normal(40.0, 10.0, n), rng.choice(["Rome", "Oslo", "Lima"], n)
    paid = np.where(age + 12.0 * (city == "Rome") + rng.normal(0.0, 4.0, n) > 44.0, "yes", "no")
    age[::9] = np.nan
    city = np.where(rng.random(n) < 0.05, None, city)
    return Table.of({"id": np.arange(n), "age": age, "city": city, "member": rng.choice(["t", "f"], n), "paid": paid})


def test_a_plain_difference_is_found_and_tested():
    X, y = two_clouds()
    found = compare((X, y), "ill", families=QUICK)
    assert found.beats_baseline and found.recommended in QUICK
    assert found["linear discriminant"].score > 0.85
    assert found.test_score > 0.8 and 0.0 < found.test_error < 0.1
    assert len(found.y_train) == 96 and len(found.y_test) == 24
    assert found.score == "area under the ROC curve" and found.folds == 5 and found.repeats == 2
    assert found["baseline"].scores == pytest.approx(np.full(10, 0.5))


def test_scores_are_those_of_scikit_learns_folds():
    """The same folds, made and scored apart from the engine: standardising and fitting by hand gives each score."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.metrics import roc_auc_score

    X, y = two_clouds()
    found = compare((X, y), "ill", families=["linear discriminant"])
    rows, labels = np.column_stack(found.train.columns[:3]), found.y_train
    split = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(rows, labels)
    theirs = [
        roc_auc_score(
            labels[held], LinearDiscriminantAnalysis().fit(rows[learn], labels[learn]).decision_function(rows[held])
        )
        for learn, held in split
    ]
    assert found["linear discriminant"].scores == pytest.approx(theirs, abs=1e-12)


def test_three_classes_are_scored_by_accuracy_and_keep_their_labels():
    found = compare(flowers(), "species", families=QUICK)
    assert found.measure == "accuracy" and found.beats_baseline
    assert found.model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(found.model.predict(found.test)) <= set(found.understanding.classes)
    assert found.y_out_of_fold.shape == (96, 3) and np.isfinite(found.y_out_of_fold).all()
    assert found.y_out_of_fold.sum(axis=1) == pytest.approx(np.ones(96))


def test_a_skewed_target_is_scored_by_balanced_accuracy():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [100, 8, 8])
    found = compare((rng.standard_normal((116, 2)), y), "y", families=QUICK[:1])
    assert found.measure == "balanced_accuracy"


def test_mixed_columns_with_holes_run_through():
    found = compare(mixed(), "paid", families=[*QUICK, "naive Bayes, mixed", "naive Bayes, yes or no"])
    assert found.beats_baseline
    assert [column.kind for column in found.understanding.columns] == ["identifier", "number", "category", "flag"]
    assert not [standing.reason for standing in found.standings if standing.failed]
    assert any("city" in name for name in found.feature_names)
    assert found.model[-1].n_features_in_ == len(found.feature_names)
    fresh = {"age": [41.0, None], "city": ["Rome", "Paris"], "member": ["t", None]}
    assert set(found.model.predict(fresh)) <= {"no", "yes"}


def test_numbers_are_scored_by_their_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 3))
    found = compare((X, X[:, 0] + 0.3 * rng.standard_normal(100)), "y", families=["least squares", "ridge"])
    assert not found.higher_is_better and found.recommended == "least squares"
    assert found["least squares"].score == pytest.approx(0.3, abs=0.1)
    assert found.y_out_of_fold.shape == (80,)


def test_any_measure_may_be_the_score_and_only_those_of_the_task():
    X, y = two_clouds(60)
    found = compare((X, y), "ill", score="log_loss", families=QUICK[:1])
    assert found.measure == "log_loss" and not found.higher_is_better
    assert found.test_score == pytest.approx(MEASURES["log_loss"].of(found.model, found.test, found.y_test))
    with pytest.raises(ValueError, match="measure of regression"):
        compare((X, y), "ill", score="rmse")


def test_the_same_seed_gives_the_same_result():
    def plain(seed):
        found = compare(mixed(), "paid", families=QUICK[:2], repeats=1, seed=seed).as_dict()
        for part in (found, *found["standings"]):
            for name in TIMES:
                part.pop(name, None)
        return json.dumps(found)

    assert plain(3) == plain(3)
    assert plain(3) != plain(4)


class Broken(ClassifierMixin, BaseEstimator):
    """Raises when it is fitted."""

    def fit(self, X, y):
        raise RuntimeError("The wheel came off. Call the garage.")


def test_a_family_that_raises_is_a_row_with_its_reason(declared):
    declared(Family("cart", "classification", lambda facts: Broken(), 10, "It breaks."))
    assert "cart" in [family.name for family in families("classification")]
    X, y = two_clouds(60)
    found = compare((X, y), "ill", families=["cart", *QUICK[:1]])
    assert found.standings[-1].family == "cart" and found.standings[-1].group == 0
    assert found["cart"].reason == "round 1 of 10: RuntimeError: The wheel came off"
    assert "The wheel came off" in str(found)


def test_a_family_that_does_not_fit_the_data_is_not_started(declared):
    declared(
        Family(
            "shy",
            "classification",
            lambda s: Broken(),
            10,
            "It hides.",
            why_excluded=lambda s: f"{s.classes} is too many",
        )
    )
    X, y = two_clouds(60)
    assert compare((X, y), "ill", families=["shy", *QUICK[:1]])["shy"].reason == "2 is too many"
    with pytest.raises(ValueError, match=r"no model but the baseline could be fitted \(shy: 2 is too many\)"):
        compare((X, y), "ill", families=["shy"])


def test_a_certificate_that_fails_in_one_round_is_shown(declared):
    """The first round's fit is not certified; the others are."""
    from separatrix.linear_model import LogisticRegression

    made = []

    def make(facts):
        made.append(facts)
        return LogisticRegression(max_iter=1 if len(made) == 1 else 100)

    declared(Family("once short", "classification", make, 10, "It stops early once.", model=LogisticRegression))
    X, y = two_clouds(60, distance=1.0)
    found = compare((X, y), "ill", families=["once short"])["once short"]
    assert found.certified is False and found.certificate.startswith("NOT certified")
    made.append(None)  # from now on no fit is the first
    again = compare((X, y), "ill", families=["once short"])["once short"]
    assert again.certified is True


def test_calibration_is_shown_beside_what_chance_gives():
    X, y = two_clouds(150)
    found = compare((X, y), "ill", families=["linear discriminant"])
    measures = found["linear discriminant"].measures
    P, seen = found.y_out_of_fold, np.isfinite(found.y_out_of_fold).all(axis=1)
    assert measures["calibration"] == pytest.approx(
        MEASURES["calibration"](found.y_train[seen], P[seen], classes=np.array([0, 1]))
    )
    assert 0.02 < measures["calibration_by_chance"] < 0.12
    assert f"{measures['calibration']:.4f} ({measures['calibration_by_chance']:.4f})" in str(found)


class Spy:
    """Remembers which rows each preparation was fitted to and which were held out."""

    def __init__(self, monkeypatch, table):
        self.fitted, self.place = [], {value: i for i, value in enumerate(table["age"].tolist())}
        original = tournaments.Tournament.prepared

        def prepared(tournament, view, rows):
            self.fitted.append(set(tournament.table["row"][rows].tolist()))
            return original(tournament, view, rows)

        monkeypatch.setattr(tournaments.Tournament, "prepared", prepared)


@pytest.mark.mission("EV-02")
def test_preparation_never_sees_the_rows_held_out_nor_the_test_part(monkeypatch):
    rng = np.random.default_rng(0)
    n = 80
    X, y = two_clouds(n)
    table = Table.of({"row": rng.permutation(n) + 0.5, "age": X[:, 0], "y": y})
    spy = Spy(monkeypatch, table)
    found = compare(table, "y", families=QUICK[:1], repeats=1)
    test_rows = set(found.test["row"].tolist())
    assert len(spy.fitted) == 6  # five rounds and the refit
    assert all(not rows & test_rows for rows in spy.fitted)
    learnt = spy.fitted[:5]
    everything = set(found.train["row"].tolist())
    left_out = [everything - rows for rows in learnt]
    assert sorted(map(len, left_out)) == [12, 13, 13, 13, 13]
    assert set.union(*left_out) == everything
    assert spy.fitted[5] == everything


def test_a_target_that_was_shuffled_cannot_be_learnt():
    X, y = two_clouds(200)
    y = np.random.default_rng(5).permutation(y)
    found = compare((X, y), "ill", families=QUICK)
    assert not found.beats_baseline and found.recommended == "baseline"
    assert "better than guessing" in found.why
    assert max(found[name].score for name in QUICK) < 0.65


def test_a_class_with_one_row_does_not_stop_the_others():
    X, y = two_clouds(60)
    y = np.where(np.arange(60) == 7, 2, y)
    chosen = [*QUICK[:1], "naive Bayes, yes or no"]
    found = compare((X, y), "ill", families=chosen, task="classification")
    assert found["naive Bayes, yes or no"].measures["log_loss"] > 0.0
    assert 2 in found.y_train and 2 not in found.y_test


def test_results_can_be_written_as_json_and_shown_as_a_frame():
    import pandas as pd
    import polars as pl

    X, y = two_clouds(60)
    data = {"a": X[:, 0], "b": X[:, 1], "ill": y}
    found = compare(pl.DataFrame(data), "ill", families=QUICK[:1])
    assert isinstance(found.leaderboard, pl.DataFrame) and found.leaderboard["family"].to_list()[-1] == "baseline"
    plain = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert plain["standings"][0]["family"] == found.standings[0].family and plain["measure"] == "roc_auc"
    assert isinstance(compare(pd.DataFrame(data), "ill", families=QUICK[:1]).leaderboard, pd.DataFrame)


def test_the_text_names_the_models_their_scores_and_the_recommendation():
    found = compare(flowers(), "species", families=QUICK)
    text = str(found)
    assert all(standing.family in text for standing in found.standings)
    assert "Recommended: " + found.why.split(",")[0] in text.replace("\n", " ")
    assert "On the test part, once" in text


def test_a_test_without_a_mistake_has_no_standard_error_of_zero():
    X, y = two_clouds(60)
    found = compare((10.0 * (y == y[0])[:, None] + X, y), "ill", families=QUICK[:1], score="accuracy")
    assert found.test_score == 1.0 and np.isnan(found.test_error)
    told = str(found).split("On the test part")[1]
    assert "± 0.0" not in told and "resamples of these rows do not differ" in told.replace("\n", " ")


def test_progress_is_told_and_grows():
    class Listener:
        def __init__(self):
            self.error_text, self.board = [], {}

        def begin(self, total):
            self.total = total

        def step(self, name, done, seconds_left):
            self.error_text.append((name, done, seconds_left))

        def scored(self, name, score, rounds, of, higher_is_better):
            self.board[name] = (score, rounds, of, higher_is_better)

        def end(self):
            self.ended = True

    listener = Listener()
    X, y = two_clouds(60)
    found = compare((X, y), "ill", families=QUICK[:1], progress=listener)
    assert listener.total == 20 and len(listener.error_text) == 20 and listener.ended
    shares = [done for _, done, _ in listener.error_text]
    assert shares == sorted(shares) and shares[0] == 0.0 and shares[-1] == pytest.approx(0.95)
    assert listener.error_text[-1][2] >= 0.0
    assert listener.board == {s.family: (pytest.approx(s.score), 10, 10, True) for s in found.standings}


def test_bad_questions_are_refused_in_a_sentence():
    X, y = two_clouds(60)
    with pytest.raises(ValueError, match="no family of that name"):
        compare((X, y), "ill", families=["magic"])
    with pytest.raises(ValueError, match="share of the rows"):
        compare((X, y), "ill", test=1.5)
    with pytest.raises(ValueError, match="without a target"):
        compare(flowers())
    with pytest.raises(ValueError, match="fewer than 10 rows"):
        compare((X[:8], y[:8]), "ill")
    with pytest.raises(ValueError, match="there is no such measure"):
        compare((X, y), "ill", score="beauty")


def test_two_folds_are_said_to_show_nothing():
    X, y = two_clouds(60, distance=3.0)
    found = compare((X, y), "ill", families=QUICK[:1], folds=2, repeats=1)
    assert not found.beats_baseline and "Two folds cannot show a difference" in found.why


class OwnColumns(ClassifierMixin, BaseEstimator):
    """The difference of class means of two columns, which no other competitor looks at."""

    def __init__(self, first=0):
        self.first = first

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        X = X[:, self.first : self.first + 2]
        self.direction_ = X[y == self.classes_[1]].mean(axis=0) - X[y == self.classes_[0]].mean(axis=0)
        return self

    def decision_function(self, X):
        return X[:, self.first : self.first + 2] @ self.direction_

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0.0).astype(int)]


@pytest.mark.slow
@pytest.mark.parametrize("folds, repeats", [(5, 2), (3, 1), (2, 1)])
def test_18_models_of_noise_are_neither_split_nor_called_better(folds, repeats):
    """100 comparisons of 18 exchangeable models, fitted to columns of noise of their own, which learn nothing."""
    names = [Family(f"columns {i}", "classification", lambda facts, i=i: OwnColumns(2 * i), 10, "") for i in range(18)]
    split = claims = 0
    for run in range(100):
        rng = np.random.default_rng([13, run])
        X, y = rng.standard_normal((80, 36)), rng.integers(0, 2, 80)
        found = compare((X, y), "y", families=names, folds=folds, repeats=repeats, seed=run)
        split += len({standing.group for standing in found.standings if standing.complexity}) > 1
        claims += found.beats_baseline
    print(f"{split} boards of equal models split, {claims} winners on noise, of 100")
    most = 100 * 0.05 + 3.0 * np.sqrt(100 * 0.05 * 0.95)
    assert split <= most and claims <= most


@pytest.mark.slow
def test_noise_has_no_winner():
    """Of 200 comparisons on noise, 50 in each of four settings, a winner is claimed in at most one of twenty."""
    claims = 0
    for task, n, p in [("two", 60, 3), ("two", 150, 12), ("three", 90, 4), ("numbers", 80, 6)]:
        quick = ["least squares", "ridge", "lasso"] if task == "numbers" else [*QUICK, "nearest class mean"]
        for run in range(50):
            rng = np.random.default_rng([11, n, p, run])
            X = rng.standard_normal((n, p))
            y = {"two": rng.integers(0, 2, n), "three": rng.integers(0, 3, n), "numbers": rng.standard_normal(n)}[task]
            found = compare((X, y), "y", families=quick, seed=run)
            claims += found.beats_baseline
            assert found.beats_baseline or found.recommended == "baseline"
    print(f"{claims} claims in 200 comparisons on noise")
    assert claims <= 10


def test_a_family_says_one_line_however_many_warnings_its_rounds_give(declared):
    """Messages about aliased columns name other columns in every round; they say the same."""

    class Loud(ClassifierMixin, BaseEstimator):
        calls = 0

        def fit(self, X, y):
            Loud.calls += 1
            names = ", ".join(f"'city={c}'" for c in "abcdefgh"[: Loud.calls])
            said = f"The design has rank {Loud.calls} of 9 columns: {names} and 2 more are determined by others."
            warnings.warn(said, stacklevel=1)
            if Loud.calls == 3:
                warnings.warn("Something else is odd.", stacklevel=1)
            self.classes_ = np.unique(y)
            return self

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    declared(Family("loud", "classification", lambda facts: Loud(), 20, "Warns."))
    comparison = compare(two_clouds(), families=["loud"], repeats=1)
    note = next(standing.note for standing in comparison.standings if standing.family == "loud")
    assert note.startswith("The design has rank 1 of 9 columns: 'city=a' and 2 more are determined by others")
    assert note.endswith("; 1 other warning")
    assert note.count("rank") == 1


def test_the_sentence_of_a_warning_ends_within_a_line():
    candidate = Candidate(Family("f", "classification", lambda facts: None, 20, "F."), 2)
    candidate.messages, candidate.fits, candidate.rows = {"": ("long " * 100, 1)}, [0.1, 0.1], 5
    assert all(len(note) <= 140 for note in candidate._notes(5))


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_unit_of_the_target_does_not_change_what_the_elastic_net_explains(unit):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 3))
    y = 5.0 + X @ [2.0, 1.0, 0.0] + rng.standard_normal(150)
    comparison = compare((X, unit * y), "salary", families=["least squares", "elastic net"], repeats=1)
    net, whole = (comparison[name].measures["r2"] for name in ("elastic net", "least squares"))
    assert net == pytest.approx(whole, abs=0.01)  # 150 rows of three columns need hardly any penalty


def test_a_column_of_few_words_keeps_no_family_from_running():
    rng = np.random.default_rng(4)
    words = np.array(["cheap", "refund", "slow", "love", "price", "late", "support", "again"])
    texts = [" ".join(rng.choice(words, 5)) for _ in range(200)]
    y = np.array(["no", "yes"])[[int("refund" in text) for text in texts]]
    table = Table.of({"comment": texts, "age": rng.integers(20, 60, 200).tolist(), "left": y.tolist()})
    names = ["linear discriminant", "ridge classifier"]
    comparison = compare(table, "left", families=names, repeats=1)
    assert [comparison[name].reason for name in names] == ["", ""]
