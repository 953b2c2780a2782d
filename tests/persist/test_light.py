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
from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis
from separatrix.estimators.preparation.compose import pipeline
from separatrix.linear_model import Lasso, LogisticRegression, Perceptron
from separatrix.local import LocalLogisticRegression
from separatrix.naive_bayes import BernoulliNB, GaussianNB
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor
from separatrix.persist import CannotLoad, light
from separatrix.persist.files import to_bytes
from separatrix.prediction import Step
from separatrix.prediction.neighbours import neighbours
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


# Columns and preparation of those that do not take numbers of any kind.
SUITED = {"CategoricalNB": (FACTS[1:3], "codes"), "MultinomialNB": (FACTS[1:3] + FACTS[4:], "counts")}


def fitted(model, target, facts=FACTS, preparation="standard"):
    task = "regression" if target == "numbers" else "classification"
    whole = pipeline(Understanding("people.csv", 60, 0, "y", task, facts), preparation, model)
    return whole.fit(TABLE, TARGETS[target])


def assert_alike(model, predictor, rows=NEW):
    """Both answer the same to the last bit, one row as well as many."""
    for some in (rows, rows.take(slice(0, 1))):
        assert predictor.predict(some).dtype == model.predict(some).dtype
        assert predictor.predict(some).tobytes() == model.predict(some).tobytes()
        if hasattr(model, "predict_proba"):
            assert predictor.predict_proba(some).tobytes() == model.predict_proba(some).tobytes()
        else:
            assert predictor.predict_proba is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, target, used", [(*task, 5) for task in TASKS] + [("LogisticRegression", "two", 2)])
def test_the_answers_are_those_of_the_loaded_model(name, target, used):
    try:
        model = fitted(made(name), target, *SUITED.get(name, (FACTS[:used],)))
    except (ValueError, TypeError) as error:
        assert "2 classes" in str(error) or "3 classes" in str(error) or "parse" in str(error), error
        return
    content = to_bytes(model, {"target": target})
    loaded, predictor = separatrix.load(io.BytesIO(content)), light(io.BytesIO(content))
    assert predictor.about == {"target": target}
    assert_alike(loaded, predictor)
    if target == "numbers":
        assert predictor.classes is None
    else:
        assert predictor.classes.tolist() == loaded.classes_.tolist()


# Families that cannot predict from plain numbers, and why.
WITHOUT = {
    "local linear regression": "a weighted fit at every query, by a compiled sweep",
    "local logistic regression": "a likelihood that is maximised at every query, by a compiled sweep",
}
FAMILIES = [(f, t) for f in families("classification") for t in ("two", "three")]
FAMILIES += [(f, "numbers") for f in families("regression")]
WITH_TEXT, NUMBERS_AND_LEVELS = (*FACTS[:3], FACTS[4]), FACTS[:3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family, target", FAMILIES, ids=lambda part: getattr(part, "name", part))
def test_every_family_of_the_comparison_predicts_lightly(family, target):
    few = family.name in WITHOUT
    facts = FACTS[:1] if few else WITH_TEXT if family.preparation == "counts" else NUMBERS_AND_LEVELS
    k = len(np.unique(TARGETS[target])) if target != "numbers" else 0
    kinds = tuple(fact.kind for fact in facts)
    known = DataFacts(60, 6, k, 12, kinds=kinds, score="brier" if k else "rmse")
    if family.name == "logistic regression, Firth" and k > 2:
        assert "2 classes" in family.why_excluded(known)
        return
    model = fitted(family.make(known), target, facts, family.preparation)
    predictor = light(io.BytesIO(to_bytes(model)))
    if few:
        assert predictor is None
        return
    assert_alike(separatrix.load(io.BytesIO(to_bytes(model))), predictor)


@pytest.mark.parametrize("used", [3, 5])  # dense and sparse columns
@pytest.mark.parametrize("options", [{"weights": "distance"}, {"n_neighbors": 1}, {"n_neighbors": 60}], ids=str)
def test_neighbours_are_found_alike_in_every_digit(used, options):
    for model, target in ((KNeighborsClassifier(**options), "three"), (KNeighborsRegressor(**options), "numbers")):
        whole = fitted(model, target, FACTS[:used])
        assert_alike(whole, light(io.BytesIO(to_bytes(whole))))
        assert_alike(whole, light(io.BytesIO(to_bytes(whole))), TABLE)  # distances of 0


def test_neighbours_far_from_zero_are_found_alike():
    rng = np.random.default_rng(3)
    X = 1e8 + rng.integers(0, 4, (300, 3)) * 1e-6
    index = KNeighborsRegressor(7).fit(X, np.arange(300.0))
    state = {**vars(index), "_index": Step(None, {"X": X})}
    found, weights = neighbours(state, X[:50] + 1e-7)
    assert weights is None
    assert found.tolist() == index.kneighbors(X[:50] + 1e-7, return_distance=False).tolist()


def test_other_distances_are_left_to_load():
    for options in ({"metric": "cosine"}, {"p": 1}, {"metric": "canberra"}):
        assert light(io.BytesIO(to_bytes(fitted(KNeighborsClassifier(**options), "two", FACTS[:2])))) is None


@pytest.mark.filterwarnings("ignore")
def test_rows_that_are_impossible_in_every_class_are_answered_alike():
    model = fitted(BernoulliNB(alpha=0.0), "two", FACTS[1:3], "binary")
    assert_alike(model, light(io.BytesIO(to_bytes(model))))
    model = fitted(GaussianNB(var_smoothing=0.0), "three", FACTS[1:3])
    assert_alike(model, light(io.BytesIO(to_bytes(model))))


def test_more_rows_than_a_block_holds_are_answered_alike():
    rows = NEW.take(np.random.default_rng(0).integers(0, 60, 120_000))
    for model in (GaussianNB(), QuadraticDiscriminantAnalysis(reg_param=0.1), BernoulliNB()):
        whole = fitted(model, "three", FACTS[:3])
        assert_alike(whole, light(io.BytesIO(to_bytes(whole))), rows)


def test_a_calibration_of_what_is_not_linear_has_no_light_way():
    model = fitted(CalibratedLinearClassifier(GaussianNB()), "two", FACTS[:2])
    assert light(io.BytesIO(to_bytes(model))) is None


def test_what_has_no_light_way_is_left_to_load():
    assert light(io.BytesIO(to_bytes(fitted(LocalLogisticRegression(), "two", FACTS[:1])))) is None
    assert light(io.BytesIO(to_bytes(Lasso().fit(np.eye(3), [1.0, 2.0, 3.0])))) is None


def test_a_damaged_file_is_refused_here_too():
    content = to_bytes(fitted(Lasso(), "numbers"))
    with pytest.raises(CannotLoad):
        light(io.BytesIO(content[:-30]))


NUMERIC = [LogisticRegression(), GaussianNB(), BernoulliNB(), KNeighborsClassifier()]
NUMERIC += [QuadraticDiscriminantAnalysis(reg_param=0.1)]


@pytest.mark.parametrize("model", NUMERIC, ids=lambda model: type(model).__name__)
def test_nothing_heavy_is_imported(model, tmp_path):
    path = tmp_path / "model.sepx"
    separatrix.save(fitted(model, "two", FACTS[:4]), path)
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
