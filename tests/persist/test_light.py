"""Answers without scikit-learn: the same to the last bit, and nothing heavy is imported."""

import io
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import is_classifier

import separatrix
from separatrix.calibration import CalibratedLinearClassifier
from separatrix.core import registry
from separatrix.core.declaration import declaration
from separatrix.core.family import DataFacts, families
from separatrix.estimators.preparation.compose import pipeline
from separatrix.linear_model import Lasso, LogisticRegression, Perceptron
from separatrix.naive_bayes import GaussianNB
from separatrix.neighbors import KNeighborsClassifier
from separatrix.persist import CannotLoad, light
from separatrix.persist.files import to_bytes
from separatrix.tables.table import Table
from separatrix.tables.understanding import ColumnFacts, Understanding

FACTS = (
    ColumnFacts("age", "number", 3, 40),
    ColumnFacts("sex", "flag", 0, 2, levels=("f", "m")),
    ColumnFacts("town", "category", 2, 4, levels=("Ulm", "Bonn", "Köln")),
    ColumnFacts("since", "date", 0, 60),
    ColumnFacts("remark", "text", 5, 60),
)


def people(n=60, seed=0):
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 90, n).astype(float))
    columns = (
        age,
        rng.choice(["f", "m"], n).astype(object),
        rng.choice(["Ulm", "Bonn", "Köln", None], n).astype(object),
        np.array([f"20{rng.integers(10, 24)}-0{rng.integers(1, 9)}-1{rng.integers(0, 9)}" for _ in range(n)], object),
        rng.choice(["very good wine", "bad", "good, but dear", "bad wine, bad service"], n).astype(object),
    )
    return Table(tuple(fact.name for fact in FACTS), columns, "people.csv")


TABLE, NEW = people(), people(seed=1)
Y = np.nan_to_num(TABLE["age"], nan=50.0) + 10.0 * (TABLE["sex"] == "m")
TARGETS = {"numbers": Y, "two": np.where(Y > 50, "old", "young"), "three": np.digitize(Y, [40, 70])}
ESTIMATORS = registry.members("estimator")


def made(name):
    """An unfitted estimator; a calibration needs one to calibrate."""
    calibrated = name == "CalibratedLinearClassifier"
    return CalibratedLinearClassifier(Perceptron(), cv=3) if calibrated else ESTIMATORS[name]()


FORMS = {name: declaration(cls).prediction for name, cls in ESTIMATORS.items()}
SCORED = sorted(name for name, form in FORMS.items() if form is not None and "predict" in form.methods)
TASKS = [(n, t) for n in SCORED for t in (("two", "three") if is_classifier(made(n)) else ("numbers",))]


def fitted(model, target, facts=FACTS):
    task = "regression" if target == "numbers" else "classification"
    whole = pipeline(Understanding("people.csv", 60, 0, "y", task, facts), "standard", model)
    return whole.fit(TABLE, TARGETS[target])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, target, used", [(*task, 5) for task in TASKS] + [("LogisticRegression", "two", 2)])
def test_the_answers_are_those_of_the_loaded_model(name, target, used):
    try:
        model = fitted(made(name), target, FACTS[:used])
    except (ValueError, TypeError) as error:
        assert "2 classes" in str(error) or "3 classes" in str(error) or "parse" in str(error), error
        return
    content = to_bytes(model, {"target": target})
    loaded, predictor = separatrix.load(io.BytesIO(content)), light(io.BytesIO(content))
    assert predictor.about == {"target": target}
    for rows in (slice(None), slice(0, 1)):
        some = NEW.take(rows)
        assert predictor.predict(some).dtype == loaded.predict(some).dtype
        assert predictor.predict(some).tolist() == loaded.predict(some).tolist()
        if hasattr(loaded, "predict_proba"):
            assert predictor.predict_proba(some).tobytes() == loaded.predict_proba(some).tobytes()
        else:
            assert predictor.predict_proba is None
    if target == "numbers":
        assert predictor.classes is None
    else:
        assert predictor.classes.tolist() == loaded.classes_.tolist()


@pytest.mark.parametrize("family", ["nearest class mean", "least squares classifier", "ridge classifier", "perceptron"])
def test_families_with_calibrated_probabilities_predict_lightly(family):
    task = next(each for each in families("classification") if each.name == family)
    model = fitted(task.make(DataFacts(60, 20, 2, 20)), "two", FACTS[:3])
    content = to_bytes(model)
    predictor = light(io.BytesIO(content))
    assert predictor.predict_proba(NEW).tobytes() == model.predict_proba(NEW).tobytes()
    assert predictor.predict(NEW).tolist() == model.predict(NEW).tolist()


def test_a_calibration_of_what_is_not_linear_has_no_light_way():
    model = fitted(CalibratedLinearClassifier(GaussianNB()), "two", FACTS[:2])
    assert light(io.BytesIO(to_bytes(model))) is None


def test_what_has_no_light_way_is_left_to_load():
    assert light(io.BytesIO(to_bytes(fitted(KNeighborsClassifier(), "two", FACTS[:2])))) is None
    assert light(io.BytesIO(to_bytes(Lasso().fit(np.eye(3), [1.0, 2.0, 3.0])))) is None


def test_a_damaged_file_is_refused_here_too():
    content = to_bytes(fitted(Lasso(), "numbers"))
    with pytest.raises(CannotLoad):
        light(io.BytesIO(content[:-30]))


def test_nothing_heavy_is_imported(tmp_path):
    path = tmp_path / "model.sepx"
    separatrix.save(fitted(LogisticRegression(), "two", FACTS[:4]), path)
    code = (
        "import sys; from separatrix.persist import light\n"
        "row = {'age': ['31'], 'sex': ['f'], 'town': ['Ulm'], 'since': ['2020-01-12']}\n"
        f"print(light({str(path)!r}).predict(row)[0])\n"
        "print(*sorted({'sklearn', 'numba', 'pandas', 'narwhals', 'separatrix.estimators'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer, heavy = done.stdout.splitlines()
    assert (
        answer
        == separatrix.load(path).predict({"age": [31], "sex": ["f"], "town": ["Ulm"], "since": ["2020-01-12"]})[0]
    )
    assert heavy == ""
