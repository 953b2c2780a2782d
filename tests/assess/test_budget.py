"""The budget, on a clock that only the families of the test move: no second of real time is looked at."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV

from separatrix.assess import compare
from separatrix.assess.compare import deadline
from separatrix.assess.compare.deadline import Deadline, PowerLaw
from separatrix.core import family as family_room
from separatrix.core.family import Family, declare, families
from separatrix.core.time_limit import OutOfTime, limited_by, stop_if_over
from separatrix.estimators.baseline import ConstantClassifier
from separatrix.linear_model import LassoCV, LogisticRegressionCV


class Clock:
    """Seconds that pass when someone says so."""

    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time


class Slow(ClassifierMixin, BaseEstimator):
    """The nearer of two means; it takes `cost` seconds for a thousand rows, to a power."""

    clock = None

    def __init__(self, cost=1.0, power=1.0):
        self.cost = cost
        self.power = power

    def fit(self, X, y):
        Slow.clock.time += self.cost * (len(y) / 1000.0) ** self.power
        self.classes_ = np.unique(y)
        self.means_ = np.stack([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def decision_function(self, X):
        distances = [((X - mean) ** 2).sum(axis=1) for mean in self.means_]
        return distances[0] - distances[1]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) >= 0.0).astype(int)]


@pytest.fixture
def clock(monkeypatch):
    moving = Clock()
    monkeypatch.setattr(deadline, "now", moving)
    monkeypatch.setattr(Slow, "clock", moving)
    return moving


@pytest.fixture
def slow():
    """A function that declares a slow family for one test."""
    families("classification")  # all that declare themselves have done so
    before = dict(family_room._FAMILIES)

    def enter(name, cost, power=1.0, order=10):
        declare(Family(name, "classification", lambda facts: Slow(cost, power), order, "It takes its time."))
        return name

    yield enter
    family_room._FAMILIES.clear()
    family_room._FAMILIES.update(before)


class SlowInSteps(Slow):
    """The same, in a search whose fits ask whether there is time left."""

    def fit(self, X, y):
        stop_if_over()
        return super().fit(X, y)


def table(n=10_000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.standard_normal((n, 2)) + y[:, None], y


def test_a_budget_that_is_enough_changes_nothing(clock, slow):
    names = [slow("quick", 0.01), slow("steady", 0.1)]
    free = compare(table(), "y", families=names)
    clock.time = 0.0
    bound = compare(table(), "y", families=names, budget=1000.0)
    for name in names:
        assert np.array_equal(free[name].scores, bound[name].scores)
        assert bound[name].rows == 6_400 and bound[name].note == ""
    assert free.recommended == bound.recommended


def test_a_family_that_is_too_slow_learns_from_a_sample_and_says_so(clock, slow):
    names = [slow("quick", 0.01), slow("slow", 10.0, power=2.0)]
    found = compare(table(), "y", families=names, budget=300.0)
    assert found["quick"].rows == 6_400
    assert 1_000 <= found["slow"].rows < 6_400
    assert f"learnt from {found['slow'].rows:,} of 6,400 rows" in found["slow"].note
    assert clock.time <= 300.0 and found.seconds <= 300.0


def test_a_hopeless_family_is_a_row_that_says_what_it_would_take(clock, slow):
    names = [slow("quick", 0.01), slow("hopeless", 1e4, power=3.0)]
    found = compare(table(), "y", families=names, budget=1e3)
    assert "would take about" in found["hopeless"].reason and "the budget leaves" in found["hopeless"].reason
    assert found["quick"].group == 1


def test_without_a_budget_a_family_of_hours_learns_from_a_sample(clock, slow):
    found = compare(table(), "y", families=[slow("hours", 10.0, power=3.0)])
    assert found["hours"].rows < 6_400 and "learnt from" in found["hours"].note
    assert clock.time < 1500.0


def test_a_budget_is_kept_when_the_estimates_were_wrong(clock, slow):
    """The price jumps after the samples: the rounds stop in time, and what was run counts."""
    name = slow("steady", 0.05)
    original = Slow.fit

    def dearer(self, X, y):
        clock.time += 20.0 if len(y) > 5_000 else 0.0
        return original(self, X, y)

    Slow.fit = dearer
    try:
        found = compare(table(), "y", families=[name], budget=90.0)
    finally:
        Slow.fit = original
    assert clock.time <= 95.0
    assert 1 <= np.isfinite(found[name].scores).sum() < 5
    assert "of 5 rounds" in found[name].note


@pytest.mark.parametrize("first_round", [0.0, 40.0], ids=["samples", "samples and the first round"])
def test_a_wrong_first_estimate_is_corrected_where_the_budget_allows_all_rows(clock, slow, first_round):
    """A fit to a sample takes 20 s too long, as on a busy machine; the first fit of a round may, too."""
    names = [slow("quick", 0.01), slow("steady", 0.1)]
    original, sizes = Slow.fit, []

    def dearer_at_first(self, X, y):
        if self.cost == 0.1:
            clock.time += {4_000: 20.0, 5_120: 0.0 if 5_120 in sizes else first_round}.get(len(y), 0.0)
            sizes.append(len(y))
        return original(self, X, y)

    Slow.fit = dearer_at_first
    try:
        comparison = compare(table(), "y", families=names, budget=300.0)
    finally:
        Slow.fit = original
    assert 5_120 in sizes  # the plan was wrong
    assert comparison["steady"].rows == 6_400 and np.isfinite(comparison["steady"].scores).all()
    assert comparison.partly_tried == () and "budget" not in comparison.why
    assert clock.time <= 300.0


def test_a_budget_that_runs_out_before_anything_was_tried_says_that_nothing_was_compared(clock, slow):
    names = [slow("hopeless", 1e4, power=3.0), slow("as hopeless", 1e4, power=3.0)]
    with pytest.raises(
        ValueError, match="Cannot compare models of 'y': the time ran out before any model had two rounds"
    ):
        compare(table(), "y", families=names, budget=30.0)


def test_where_the_budget_stopped_some_it_is_not_the_columns_that_are_blamed(clock, slow):
    """On noise nothing wins; with a family that never ran, a larger budget is asked for."""
    X, y = table()
    names = [slow("quick", 0.01), slow("hopeless", 1e4, power=3.0)]
    y = np.random.default_rng(1).permutation(y)
    found = compare((X, y), "y", families=names, budget=1e3)
    assert found.recommended == "baseline" and found.unfinished == 1
    assert "The budget stopped a family" in found.why and "Better columns" not in found.why


def test_a_comparison_that_stopped_early_says_so_beside_its_recommendation(clock, slow):
    names = [slow("quick", 0.01), slow("hopeless", 1e4, power=3.0), slow("slow", 30.0, power=2.0)]
    comparison = compare(table(), "y", families=names, budget=1e3)
    assert comparison.recommended == "quick" and comparison.not_tried == ("hopeless",)
    assert comparison.partly_tried == ("slow",)
    rows = comparison["slow"].rows
    assert comparison.why.endswith(
        "The time budget ended the comparison early: with more time the answer may be another. Not tried: hopeless. "
        f"Tried in part: slow ({rows:,} of 6,400 rows)."
    )
    document = comparison.as_dict()
    assert document["why"] == comparison.why and document["unfinished"] == 2
    assert document["not_tried"] == ["hopeless"] and document["partly_tried"] == ["slow"]
    assert comparison.why in " ".join(str(comparison).split())


def test_a_comparison_that_had_time_says_nothing_of_time(clock, slow):
    comparison = compare(table(), "y", families=[slow("quick", 0.01)], budget=1e3)
    assert comparison.not_tried == comparison.partly_tried == () and "budget" not in comparison.why


def test_a_search_is_stopped_between_its_fits_when_the_time_is_over(clock, slow):
    """Of a small table nothing is timed first: a search of 25 fits of 8 seconds is stopped, whatever it is."""
    quick = slow("quick", 0.01)

    def search(facts):
        return GridSearchCV(SlowInSteps(), {"cost": [10.0 + i for i in range(5)]}, cv=5)

    declare(Family("endless", "classification", search, 20, "It takes its time."))
    comparison = compare(table(1_000), "y", families=[quick, "endless"], budget=60.0)
    assert comparison["endless"].reason == "its first fit was stopped: it took more than its part of the budget"
    assert comparison.not_tried == ("endless",)
    assert np.isfinite(comparison[quick].scores).sum() >= 5
    assert clock.time <= 60.0 + 14.0  # a fit that has begun goes on


def test_quick_families_are_finished_before_a_slow_one_that_nothing_can_stop(clock, slow):
    """A simple family of 6 s a fit, which comes first by its complexity and never asks for the time."""
    simple = slow("slow", 9.4, order=10)  # 640 rows: 6 s
    quick = [slow(f"quick {i}", 0.1, order=20) for i in range(6)]
    comparison = compare(table(1_000), "y", families=[simple, *quick], budget=20.0)
    assert all(np.isfinite(comparison[name].scores).all() for name in quick)
    assert comparison.not_tried == ()
    assert clock.time <= 20.0


class Patient(Slow):
    """It takes its time in steps of a hundredth, and asks for more before each."""

    def fit(self, X, y):
        for _ in range(100):
            stop_if_over()
            Slow.clock.time += self.cost / 100
        self.cost, cost = 0.0, self.cost
        super().fit(X, y)
        self.cost = cost
        return self


@pytest.mark.parametrize("seconds, budget, rounds", [(7.0, 20.0, 1), (2.0, 20.0, 7), (2.0, 30.0, 10)])
def test_what_the_quick_families_leave_is_used_to_its_end(clock, slow, seconds, budget, rounds):
    """A family whose first slice is too short begins again, and leaves time for its refit."""
    quick = [slow(f"quick {i}", 0.01, order=20) for i in range(6)]
    declare(Family("patient", "classification", lambda facts: Patient(seconds), 10, "It takes its time."))
    comparison = compare(table(1_000), "y", families=["patient", *quick], budget=budget)
    assert all(np.isfinite(comparison[name].scores).all() for name in quick)
    assert np.isfinite(comparison["patient"].scores).sum() == rounds
    assert clock.time <= budget


@pytest.mark.parametrize("model", [LogisticRegressionCV(cv=5), LassoCV(cv=5)], ids=["logistic", "lasso"])
def test_our_own_searches_ask_between_their_folds(model):
    X, y = table(200)
    asked = []
    with pytest.raises(OutOfTime), limited_by(lambda: asked.append(1) or len(asked) > 3):
        model.fit(X, y)
    assert 4 <= len(asked) < 10  # other folds may be on their way


def test_a_fit_without_sums_over_rows_asks_too():
    with pytest.raises(OutOfTime), limited_by(lambda: True):
        ConstantClassifier().fit(*table(20))


def test_a_path_asks_before_each_strength():
    X, y = table(200)
    asked = []
    with limited_by(lambda: asked.append(1)):
        LogisticRegressionCV(Cs=12, cv=2, use_legacy_attributes=False).fit(X, y)
    assert len(asked) >= 2 * 12


@pytest.mark.parametrize("budget", [0.3, 1.0, 3.0, 10.0, 30.0])
def test_no_sentence_speaks_of_no_seconds(clock, slow, budget):
    names = [slow(f"family {i}", 0.001 * 4.0**i) for i in range(8)]
    try:
        comparison = compare(table(), "y", families=names, budget=budget)
    except ValueError as error:
        said = str(error)
    else:
        said = str(comparison)
        assert clock.time <= budget
    assert "0.0 s" not in said and " 0 ms" not in said and "-" not in said.split("Not on the board")[-1].split("\n")[0]


def test_small_tables_with_ample_time_are_not_timed_first(clock, slow):
    fits = []
    name, original = slow("counted", 0.01), Slow.fit
    Slow.fit = lambda self, X, y: (fits.append(len(y)), original(self, X, y))[1]
    try:
        compare(table(1_000), "y", families=[name], budget=300.0)
    finally:
        Slow.fit = original
    assert len(fits) == 11  # ten rounds and the refit


def test_a_power_law_is_recovered_and_bounded():
    law = PowerLaw()
    for size in (1_000, 4_000):
        law.add(size, 1e-7 * size**2)
    assert law.exponent == pytest.approx(2.0)
    assert law(100_000) == pytest.approx(1000.0)
    law.add(500, 0.02)  # a smaller size that is timed later takes its place, and the extrapolation stays
    assert law.sizes == [500, 1_000, 4_000] and law(100_000) == pytest.approx(1000.0)
    steep, flat = PowerLaw([100, 200], [0.1, 10.0]), PowerLaw([100, 200], [1.0, 0.5])
    noise = PowerLaw([100, 200], [1e-5, 1e-2])
    assert steep.exponent == 2.0 and flat.exponent == 1.0 and noise.exponent == 1.0


def test_a_deadline_keeps_something_back(clock):
    due = Deadline(100.0)
    clock.time += 50.0
    assert due.seconds == 50.0 and 40.0 <= due.left() < 50.0
    assert Deadline(None).left() == float("inf")
