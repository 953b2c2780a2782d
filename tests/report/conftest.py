"""Small comparisons made by hand from our estimators: two classes, three classes, a regression with mixed columns."""

from functools import partial

import numpy as np
import pytest

from separatrix.assess.compare.comparison import Comparison, Standing
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.estimators.baseline import ConstantClassifier
from separatrix.estimators.preparation.compose import pipeline
from separatrix.inference.bootstrap import spread_over_resamples as intervals
from separatrix.linear_model import LassoCV, LogisticRegressionCV
from separatrix.tables.table import Table, is_number
from separatrix.tables.understanding import ColumnFacts, Understanding

HOSTILE = '<script>alert("x")</script>'
ROWS, TEST = 150, 30


@pytest.fixture(scope="session", autouse=True)
def few_refits():
    """Intervals by as few refits as are allowed: a page shows the same, sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("separatrix.inference.describe_linear.spread_over_resamples", partial(intervals, refits=40))
        yield


def understood(table, target, task, classes=(), notes=()):
    facts = tuple(
        ColumnFacts(name, "number" if is_number(table[name]) else "category", 0, len(set(table[name].tolist())))
        for name in table.names
        if name != target
    )
    facts += (ColumnFacts("row number", "identifier", 0, len(table), why="a different value in every row"),)
    y = table[target]
    counts = tuple(int((y == label).sum()) for label in classes)
    return Understanding("people.csv", len(table), 2, target, task, facts, tuple(classes), counts, tuple(notes))


def standings(score, recommended, baseline="baseline", extra=()):
    """A leaderboard of three that ran, in two groups, and one that failed."""
    some = np.array([0.9, 0.92, 0.88]) if score == "accuracy" else np.array([1.0, 1.1, 0.9])
    common = {"fit_seconds": 0.01, "predict_seconds": 0.001, "size": 4, "rows": 96}
    measures = (
        {"log_loss": 0.3, "calibration": 0.02, "accuracy": 0.9} if score == "accuracy" else {"mae": 0.8, "r2": 0.7}
    )
    best = Standing("best of all", "It is a little better.", 40, some, float(some.mean()), 0.02, measures, group=1)
    mine = Standing(recommended, "A sentence for a newcomer.", 20, some, float(some.mean()), 0.02, measures, group=1)
    mine.certificate, mine.certified, mine.chosen = "certified: relative gap 1.0e-10 (tol 1e-08)", True, {"C": 0.1}
    guess = Standing(baseline, "It guesses.", 0, some - 0.4, float(some.mean()) - 0.4, 0.02, measures, group=2)
    for standing in (best, mine, guess):
        vars(standing).update(common)
    failed = Standing("quick & <b>dirty</b>", "", 30, reason="it takes at most 3 columns, and there are 4")
    return [best, mine, guess, failed, *extra]


@pytest.fixture(scope="session")
def by_hand():
    """The function that makes a comparison of a table of `ROWS` rows and the model that won."""
    return compared


def compared(table, target, task, model, score, recommended, *, preparation="standard", hostile_notes=(), **changed):
    classes = tuple(sorted(set(table[target].tolist()))) if task == "classification" else ()
    facts = understood(table, target, task, classes, hostile_notes)
    train, test = table.take(slice(0, ROWS - TEST)), table.take(slice(ROWS - TEST, ROWS))
    y_train, y_test = train[target], test[target]
    if task == "classification":
        y_train, y_test = y_train.astype(str), y_test.astype(str)
    fitted = pipeline(facts, preparation, model).fit(train, y_train)
    held_out = fitted.predict_proba(train) if task == "classification" else fitted.predict(train)
    held_out[0] = np.nan  # one row that no round has held out
    found = {
        "understanding": facts,
        "standings": standings(score, recommended),
        "score": score,
        "measure": "accuracy" if score == "accuracy" else "rmse",
        "higher_is_better": task == "classification",
        "recommended": recommended,
        "why": f"{recommended} is the simplest model within one standard error of the best.",
        "beats_baseline": True,
        "model": fitted,
        "feature_names": [str(name) for name in fitted[:-1].get_feature_names_out()],
        "folds": 3,
        "repeats": 1,
        "seed": 0,
        "seconds": 1.5,
        "budget": None,
        "train": train,
        "test": test,
        "y_train": y_train,
        "y_test": y_test,
        "test_measures": {},
        "test_score": 0.91,
        "test_error": 0.03,
        "y_out_of_fold": held_out,
    }
    return Comparison(**{**found, **changed})


def numbers(count=3, seed=0):
    return np.random.default_rng(seed).standard_normal((count, ROWS))


def two_class_table():
    a, b, noise = numbers()
    y = np.where(a - b + 0.8 * noise > 0.0, HOSTILE, "no & never").astype(object)
    names = (HOSTILE, "age <in> $years$", "answer\"'>")
    return Table(names, (a, 40.0 + 10.0 * b, y), "people.csv")


@pytest.fixture(scope="session")
def two_classes():
    return compared(
        two_class_table(),
        "answer\"'>",
        "classification",
        LogisticRegressionCV(Cs=5, cv=3, use_legacy_attributes=False, l1_ratios=(0.0,), scoring="neg_log_loss"),
        "accuracy",
        "logistic <i>regression</i>",
        hostile_notes=(f"a note with {HOSTILE}",),
    )


@pytest.fixture(scope="session")
def three_classes():
    a, b, noise = numbers(seed=1)
    score = a + 0.3 * noise
    y = np.where(score > 0.5, "high", np.where(score > -0.5, "middle", "low")).astype(object)
    table = Table(("a", "b", "level"), (a, b, y), "levels.csv")
    return compared(table, "level", "classification", LinearDiscriminantAnalysis(), "accuracy", "linear discriminant")


@pytest.fixture(scope="session")
def regression():
    a, b, noise = numbers(seed=2)
    colour = np.array(["red", "green", "blue"], dtype=object)[np.arange(ROWS) % 3]
    y = 100.0 + 5.0 * a - 2.0 * b + 3.0 * (colour == "red") + noise
    table = Table(("a", "b", "colour", "price"), (3.0 * a, b, colour, y), "prices.csv")
    return compared(table, "price", "regression", LassoCV(cv=3), "root-mean-square error", "lasso")


@pytest.fixture(scope="session")
def noise():
    a, b, coin = numbers(seed=3)
    table = Table(("a", "b", "coin"), (a, b, np.where(coin > 0.0, "head", "tail").astype(object)), "coins.csv")
    return compared(
        table, "coin", "classification", ConstantClassifier(), "accuracy", "baseline", beats_baseline=False,
        standings=[Standing("baseline", "It guesses.", 0, np.full(3, 0.5), 0.5, 0.0, {}, 0.01, 0.01, 1, group=1)],
    )  # fmt: skip
