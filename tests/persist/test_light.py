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
from separatrix.linear_model import Lasso, LogisticRegression, Perceptron, Ridge
from separatrix.local import LocalLinearRegression, LocalLogisticRegression
from separatrix.multiclass import OneVsRestClassifier
from separatrix.naive_bayes import BernoulliNB, GaussianNB
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor
from separatrix.persist import CannotLoad, light
from separatrix.persist.files import to_bytes
from separatrix.prediction import Step, predict_step
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
    """An unfitted estimator; some need one to calibrate, or to use against the rest."""
    around = {"CalibratedLinearClassifier": {"estimator": Perceptron(), "cv": 3}}
    around["OneVsRestClassifier"] = {"estimator": Perceptron()}
    return ESTIMATORS[name](**around.get(name, {}))


FORMS = {name: declaration(cls).prediction for name, cls in ESTIMATORS.items()}
SCORED = sorted(name for name, form in FORMS.items() if form is not None and "predict" in form.methods)
SCORED = [name for name in SCORED if not name.startswith("Local")]  # these agree to rounding
TASKS = [(n, t) for n in SCORED for t in (("two", "three") if is_classifier(made(n)) else ("numbers",))]


# Columns and preparation of those that do not take numbers of any kind.
SUITED = {"CategoricalNB": (FACTS[1:3], "codes"), "MultinomialNB": (FACTS[1:3] + FACTS[4:], "counts")}
SUITED["ChowLiuClassifier"] = SUITED["CategoricalNB"]


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


def assert_near(model, predictor, rows=NEW):
    """Both answer the same but for rounding, and decide for the same classes."""
    for some in (rows, rows.take(slice(0, 1))):
        if not hasattr(model, "predict_proba"):
            np.testing.assert_allclose(predictor.predict(some), model.predict(some), rtol=1e-9)
            continue
        assert predictor.predict(some).tolist() == model.predict(some).tolist()
        np.testing.assert_allclose(predictor.predict_proba(some), model.predict_proba(some), rtol=1e-7, atol=1e-12)


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


# Families whose answers agree to rounding only: sums run in another order than in the compiled sweep.
LOCAL = {"local linear regression", "local logistic regression"}
FAMILIES = [(f, t) for f in families("classification") for t in ("two", "three")]
FAMILIES += [(f, "numbers") for f in families("regression")]
WITH_TEXT, NUMBERS_AND_LEVELS = (*FACTS[:3], FACTS[4]), FACTS[:3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family, target", FAMILIES, ids=lambda part: getattr(part, "name", part))
def test_every_family_of_the_comparison_predicts_lightly(family, target):
    few = family.name in LOCAL
    facts = FACTS[:1] if few else WITH_TEXT if family.preparation == "counts" else NUMBERS_AND_LEVELS
    k = len(np.unique(TARGETS[target])) if target != "numbers" else 0
    kinds = tuple(fact.kind for fact in facts)
    known = DataFacts(60, 6, k, 12, kinds=kinds, score="brier" if k else "rmse")
    if family.name == "logistic regression, Firth" and k > 2:
        assert "2 classes" in family.why_excluded(known)
        return
    model = fitted(family.make(known), target, facts, family.preparation)
    predictor, loaded = light(io.BytesIO(to_bytes(model))), separatrix.load(io.BytesIO(to_bytes(model)))
    (assert_near if few else assert_alike)(loaded, predictor)


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
    metric = Step(None, {"power": 2.0, "unit": False})
    state = {**vars(index), "_index": Step(None, {"X": X, "metric": metric})}
    found, weights = neighbours(state, X[:50] + 1e-7)
    assert weights is None
    assert found.tolist() == index.kneighbors(X[:50] + 1e-7, return_distance=False).tolist()


POWERS = [{"metric": "cosine"}, {"p": 1}, {"p": 3}, {"p": 1.5}, {"metric": "chebyshev"}, {"metric": "manhattan"}]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("options", POWERS, ids=str)
def test_neighbours_by_other_distances_are_found_alike(options, weights):
    for model, target in ((KNeighborsClassifier, "three"), (KNeighborsRegressor, "numbers")):
        whole = fitted(model(7, weights=weights, **options), target, FACTS[:3])
        for rows in (NEW, TABLE):  # of the training rows distances are 0
            assert_alike(whole, light(io.BytesIO(to_bytes(whole))), rows)


def test_other_distances_are_left_to_load():
    for options in ({"metric": "canberra"}, {"metric": "minkowski", "metric_params": {"w": [1.0, 2.0]}}):
        assert light(io.BytesIO(to_bytes(fitted(KNeighborsClassifier(**options), "two", FACTS[:2])))) is None


KERNELS = ["tricube", "gaussian", "epanechnikov", "uniform"]
WIDTHS = [{"bandwidth": 2.5}, {"n_neighbors": 25}, {"span": 0.6, "standardize": True}, {"span": 0.5, "alpha": 0.01}]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_local_models_answer_alike_to_rounding(kernel, degree, widths):
    options = {"kernel": kernel, "degree": degree, **widths}
    rng = np.random.default_rng(degree)
    X, x = rng.standard_normal((150, 2)), rng.standard_normal((40, 2))
    s, t = rng.integers(0, 3, 150).astype(float), X[:, 0] ** 2 - X[:, 1] + 0.3 * rng.standard_normal(150)
    for weights in (None, s):
        model = LocalLinearRegression(**options).fit(X, 1e3 + t, sample_weight=weights)
        np.testing.assert_allclose(plain(model, "predict", x), model.predict(x), rtol=1e-10)
    for labels in (t > 0.3, np.digitize(t, [-0.5, 1.0])):
        model = LocalLogisticRegression(**options).fit(X, labels)
        scores = model.decision_function(x)
        assert np.abs(scores).max() > 0.5
        sure = np.abs(scores) < 15.0  # where nothing but a faint penalty ends the scores, rounding is larger
        np.testing.assert_allclose(plain(model, "decision_function", x)[sure], scores[sure], rtol=1e-6, atol=1e-6)
        each = np.sort(np.column_stack([-scores, scores]) if scores.ndim == 1 else scores, axis=1)
        told_apart = each[:, -1] - each[:, -2] > 1e-5  # a uniform kernel counts rows, and counts may be equal
        assert told_apart.mean() > 0.8
        assert (plain(model, "predict", x) == model.predict(x))[told_apart].all()


def plain(model, method, X):
    """What a model answers without its class."""
    state = {**vars(model), "_data": Step(None, vars(model._data)), "_window": Step(None, vars(model._window))}
    return predict_step(Step(declaration(model).prediction, state), method, X)


def test_empty_windows_are_refused_or_named_as_by_the_model():
    X, y = np.linspace(0.0, 1.0, 30)[:, None], np.arange(30.0)
    far = np.array([[0.5], [9.0]])
    with pytest.raises(ValueError, match="no training row lies inside its window"):
        plain(LocalLinearRegression(bandwidth=0.2).fit(X, y), "predict", far)
    answers = plain(LocalLinearRegression(bandwidth=0.2, empty="nan").fit(X, y), "predict", far)
    assert np.isfinite(answers[0]) and np.isnan(answers[1])
    classes = LocalLogisticRegression(bandwidth=0.2, empty="nan").fit(X, np.arange(30) % 2)
    with pytest.raises(ValueError, match="name the class of row 1"):
        plain(classes, "predict", far)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("machine", [LogisticRegression(), Perceptron(), GaussianNB()], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("target", ["two", "three"])
@pytest.mark.parametrize("rest_class", [False, True])
def test_one_against_the_rest_answers_alike(machine, target, rest_class):
    if rest_class and isinstance(machine, GaussianNB):
        return  # the rest needs a decision function
    model = fitted(OneVsRestClassifier(machine, rest_class=rest_class), target, FACTS[:3])
    predictor = light(io.BytesIO(to_bytes(model)))
    assert predictor.classes.tolist() == model.classes_.tolist()
    assert_alike(separatrix.load(io.BytesIO(to_bytes(model))), predictor)


@pytest.mark.filterwarnings("ignore")
def test_rows_that_are_impossible_in_every_class_are_answered_alike():
    model = fitted(BernoulliNB(alpha=0.0), "two", FACTS[1:3], "binary")
    assert_alike(model, light(io.BytesIO(to_bytes(model))))
    model = fitted(GaussianNB(var_smoothing=0.0), "three", FACTS[1:3])
    assert_alike(model, light(io.BytesIO(to_bytes(model))))


def test_times_of_day_are_answered_alike():
    when = [f"2024-0{1 + i % 9}-1{i % 9}T{7 * i % 24:02}:{i % 60:02}+02:00" if i % 11 else None for i in range(60)]
    columns = tuple(np.array(when, dtype=object) if name == "since" else TABLE[name] for name in TABLE.names)
    table = Table(TABLE.names, columns, TABLE.source)
    understood = Understanding("people.csv", 60, 0, "y", "regression", FACTS[:4])
    model = pipeline(understood, "standard", Ridge()).fit(table, Y)
    content = to_bytes(model)
    assert_alike(model, light(io.BytesIO(content)), table)
    assert_alike(separatrix.load(io.BytesIO(content)), light(io.BytesIO(content)), table)


def test_more_rows_than_a_block_holds_are_answered_alike():
    rows = NEW.take(np.random.default_rng(0).integers(0, 60, 120_000))
    for model in (GaussianNB(), QuadraticDiscriminantAnalysis(reg_param=0.1), BernoulliNB()):
        whole = fitted(model, "three", FACTS[:3])
        assert_alike(whole, light(io.BytesIO(to_bytes(whole))), rows)


def test_a_calibration_of_what_is_not_linear_has_no_light_way():
    model = fitted(CalibratedLinearClassifier(GaussianNB()), "two", FACTS[:2])
    assert light(io.BytesIO(to_bytes(model))) is None


def test_what_has_no_light_way_is_left_to_load():
    assert light(io.BytesIO(to_bytes(Lasso().fit(np.eye(3), [1.0, 2.0, 3.0])))) is None


def test_a_damaged_file_is_refused_here_too():
    content = to_bytes(fitted(Lasso(), "numbers"))
    with pytest.raises(CannotLoad):
        light(io.BytesIO(content[:-30]))


NUMERIC = [LogisticRegression(), GaussianNB(), BernoulliNB(), KNeighborsClassifier()]
NUMERIC += [QuadraticDiscriminantAnalysis(reg_param=0.1), OneVsRestClassifier(LogisticRegression())]
NUMERIC += [KNeighborsClassifier(p=1), LocalLogisticRegression(degree=0)]


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
