"""Spoilt files: a clean refusal or an equal model, nothing else."""

import io
import sys
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import separatrix
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis
from separatrix.linear_model import LogisticRegression, Ridge, SGDRegressor
from separatrix.neighbors import KNeighborsClassifier
from separatrix.persist import CannotLoad
from separatrix.persist.classes import by_class
from separatrix.persist.files import to_bytes
from separatrix.preprocessing import NaturalSpline

sys.path.insert(0, str(Path(__file__).parent))
import children
import spoilt
from mutations import spoil_bytes, spoil_meaning

ABOUT = {"target": "kind", "rows": 40, "columns": ["a", "b"]}


@cache
def files():
    """Files of models that between them hold every kind of value."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    labels = np.where(X[:, 0] + rng.normal(size=40) > 0, "good", "bad")
    table = np.column_stack([X.round(2), labels]).astype(object)
    block = ColumnTransformer([("n", StandardScaler(), [0, 1]), ("c", OneHotEncoder(), [2])])
    models = [
        LogisticRegression(C=np.inf, class_weight={"good": 1.5, "bad": 1}).fit(X, labels),
        Pipeline([("prepare", block), ("model", Ridge())]).fit(table, X[:, 0]),
        KNeighborsClassifier().fit(X, labels),
        NaturalSpline().fit(X),
        LinearDiscriminantAnalysis().fit(X, rng.integers(0, 3, 40)),
        SGDRegressor(random_state=np.random.RandomState(1), max_iter=5, tol=None).fit(X, X[:, 0]),
    ]
    return [to_bytes(model, ABOUT) for model in models]


def spoilt_bytes_are_noticed(count, seed):
    rng = np.random.default_rng(seed)
    refused = 0
    for i in range(count):
        whole = files()[i % len(files())]
        content = spoil_bytes(whole, rng)
        try:
            model = separatrix.load(io.BytesIO(content))
        except CannotLoad as error:
            refused += 1
            assert str(error).startswith("Cannot load ")
            continue
        assert to_bytes(model, ABOUT) == whole, f"number {i} of seed {seed}"
    return refused


def spoilt_meanings_are_safe(count, seed):
    rng = np.random.default_rng(seed)
    refused = 0
    for i in range(count):
        content = spoil_meaning(files()[i % len(files())], rng)
        try:
            model = separatrix.load(io.BytesIO(content))
        except CannotLoad as error:
            refused += 1
            assert str(error).startswith("Cannot load ")
            continue
        assert type(model) in by_class()
    return refused


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_a_file_with_spoilt_bytes_is_refused_or_gives_the_same_model():
    assert spoilt_bytes_are_noticed(300, seed=1) > 150


def test_a_file_that_says_something_else_is_refused_or_gives_an_object_of_the_table():
    assert spoilt_meanings_are_safe(300, seed=2) > 150


def test_files_spoilt_below_a_right_hash_are_refused_in_words_by_every_reader():
    failures, (refused, same, other, *_) = children.run(partial(spoilt.look_at, files(), 3, 0.2), 0, 600)
    assert failures == {}
    assert refused > 300 and refused + same + other == 600


@pytest.mark.slow
def test_a_hundred_thousand_files_with_spoilt_bytes():
    assert spoilt_bytes_are_noticed(100_000, seed=11) > 50_000


@pytest.mark.slow
def test_fifty_thousand_files_that_say_something_else():
    assert spoilt_meanings_are_safe(50_000, seed=12) > 25_000
