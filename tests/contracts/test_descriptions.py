"""Every registered predictor can be described: in words, in rectangular tables, in JSON."""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier

from separatrix.core import registry
from separatrix.inference import describe

PREDICTORS = {name: cls for name, cls in registry.members("estimator").items() if hasattr(cls, "predict")}
NAMES = ["<script>alert(1)</script>", "age", "blood pressure"]


def made(cls):
    """An instance; a model around another gets the simplest classifier there is."""
    try:
        return cls()
    except TypeError:
        return cls(registry.members("estimator")["LeastSquaresClassifier"]())


def fitted(cls):
    """A model fitted to counts that say something of the target, and its rows."""
    random = np.random.default_rng(0)
    X = random.poisson(2.0, (60, 3)).astype(float)
    y = X[:, 0] - X[:, 1] + random.standard_normal(60)
    model = made(cls)
    if cls.__name__ == "LogisticCalibrator":
        X = X[:, :1]
    if is_classifier(model) or cls.__name__ == "LogisticCalibrator":
        y = np.where(y > 0.0, "yes", "no")
    if cls.__name__ == "Perceptron":
        y = np.where(X[:, 0] - X[:, 1] > 0.5, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y), X, y


@pytest.mark.parametrize("name", sorted(PREDICTORS))
def test_every_predictor_is_described(name):
    model, X, y = fitted(PREDICTORS[name])
    names = NAMES[: X.shape[1]]
    for data in ((X, y), (None, None)):
        found = describe(model, names, *data)
        assert len(found.words) > 40 and found.words.rstrip().endswith(".")
        assert found.tables
        for table in found.tables:
            assert table.title and table.rows
            assert {len(row) for row in table.rows} == {len(table.heads)}
            assert all(0 <= column < len(table.heads) for interval in table.intervals for column in interval)
        again = json.loads(json.dumps(found.as_dict(), allow_nan=False))
        assert again["words"] == found.words


def test_a_class_that_declares_its_own_description_is_asked_for_it():
    from separatrix.core.description import Description, describes
    from separatrix.linear_model import Ridge

    class Whisper(Ridge):
        pass

    class Louder(Whisper):
        pass

    @describes(Whisper)
    def whispered(model, names, X, y):
        return Description(f"psst: {names[0]}")

    assert describe(Louder().fit([[0.0], [1.0]], [0.0, 1.0]), ["a"]).words == "psst: a"
    assert describe(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), ["a"]).words != "psst: a"
