"""ONNX files of models, run by another program's arithmetic and compared with ours."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from separatrix.calibration import CalibratedLinearClassifier
from separatrix.core import registry
from separatrix.core.family import families
from separatrix.designs import as_dense
from separatrix.discriminant_analysis import QuadraticDiscriminantAnalysis, RegularizedDiscriminantAnalysis
from separatrix.estimators.base import LinearClassifier, LinearRegressor
from separatrix.estimators.baseline import ConstantClassifier, ConstantRegressor
from separatrix.linear_model import (
    BasicLinearClassifier,
    LeastSquaresClassifier,
    LogisticRegression,
    Perceptron,
    Ridge,
    RidgeClassifierCV,
)
from separatrix.local import LocalLinearRegression, LocalLogisticRegression
from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor
from separatrix.persist import CannotSave, to_onnx
from separatrix.tables import Table, target_values, understand
from separatrix.workflow.models import fitted

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

ESTIMATORS = registry.members("estimator")
REGRESSORS = sorted(n for n, c in ESTIMATORS.items() if issubclass(c, LinearRegressor))
CLASSIFIERS = sorted(n for n, c in ESTIMATORS.items() if issubclass(c, LinearClassifier))
X, Y = load_diabetes(return_X_y=True)
FLOWERS, KINDS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def run(model, data, tmp_path):
    path = tmp_path / "model.onnx"
    to_onnx(model, path)
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.ascontiguousarray(data, dtype=np.float64)})))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_agree(name, tmp_path):
    model = ESTIMATORS[name]().fit(X, Y)
    found = run(model, X, tmp_path)["prediction"]
    assert found.shape == Y.shape
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-12)


def test_many_outputs_agree(tmp_path):
    model = Ridge().fit(X, np.column_stack([Y, -Y, Y**2]))
    np.testing.assert_allclose(run(model, X, tmp_path)["prediction"], model.predict(X), rtol=1e-11)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_classifiers_agree(name, classes, tmp_path):
    rows = classes > KINDS if classes == 3 else KINDS > 0
    try:
        model = ESTIMATORS[name]().fit(FLOWERS[rows], NAMES[KINDS[rows]])
    except ValueError as refused:
        assert classes == 3 and "3 classes" in str(refused)
        return
    try:
        found = run(model, FLOWERS[rows], tmp_path)
    except CannotSave:
        assert type(model).predict is not LinearClassifier.predict or hasattr(model, "predict_proba")
        return
    assert found["label"].tolist() == model.predict(FLOWERS[rows]).tolist()
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(FLOWERS[rows]), rtol=1e-9, atol=1e-14)


BAYES = [GaussianNB(), BernoulliNB(binarize=2.0), MultinomialNB(), QuadraticDiscriminantAnalysis()]
BAYES += [RegularizedDiscriminantAnalysis(alpha=0.5), BernoulliNB(binarize=None, fit_prior=False)]


@pytest.mark.parametrize("labels", [NAMES, np.array([5, 3, 4])], ids=["words", "numbers"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", BAYES, ids=repr)
def test_models_of_how_rows_arise_agree(model, classes, labels, tmp_path):
    rows = classes > KINDS
    data = FLOWERS[rows] / 10.0 if "binarize=None" in repr(model) else FLOWERS[rows]
    model = clone(model).fit(data, labels[KINDS[rows]])
    outputs = run(model, data, tmp_path)
    assert outputs["label"].tolist() == model.predict(data).tolist()
    # a logarithm of P(x, C) is a sum of about p² rounded terms of up to 1e3: 16 * 1e3 * 2e-16
    np.testing.assert_allclose(outputs["probabilities"], model.predict_proba(data), rtol=1e-11, atol=1e-300)


def test_whole_numbers_as_labels_and_a_scaler_before(tmp_path):
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(FLOWERS, 10 * KINDS - 5)
    found = run(model, FLOWERS, tmp_path)
    assert found["label"].tolist() == model.predict(FLOWERS).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(FLOWERS), rtol=1e-10)
    model = make_pipeline(StandardScaler(with_mean=False, with_std=True), Perceptron()).fit(FLOWERS, KINDS)
    assert run(model, FLOWERS, tmp_path)["label"].tolist() == model.predict(FLOWERS).tolist()


CALIBRATED = [BasicLinearClassifier(), Perceptron(), LeastSquaresClassifier(), RidgeClassifierCV()]
STORED = [KNeighborsClassifier(1), KNeighborsClassifier(12), ConstantClassifier()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("labels", [NAMES, np.array([5, 3, 4])], ids=["words", "numbers"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", [*(CalibratedLinearClassifier(m, cv=3) for m in CALIBRATED), *STORED], ids=repr)
def test_calibrated_and_stored_models_agree(model, classes, labels, tmp_path):
    rows = classes > KINDS
    data = np.round(FLOWERS[rows], 0) if "KNeighbors" in repr(model) else FLOWERS[rows]  # many ties
    model = clone(model).fit(data[::2], labels[KINDS[rows]][::2])
    outputs = run(model, data, tmp_path)
    assert outputs["label"].tolist() == model.predict(data).tolist()
    np.testing.assert_allclose(outputs["probabilities"], model.predict_proba(data), rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("model", [ConstantRegressor(), KNeighborsRegressor(1), KNeighborsRegressor(9)], ids=repr)
def test_stored_numbers_agree(model, tmp_path):
    model.fit(np.round(X[::2], 2), Y[::2])
    outputs = run(model, X, tmp_path)
    assert outputs["prediction"].shape == Y.shape
    np.testing.assert_allclose(outputs["prediction"], model.predict(X), rtol=1e-13)


@pytest.mark.parametrize("unseen", ["smooth", "ignore"])
@pytest.mark.parametrize("classes", [2, 3])
def test_mixed_columns_agree_also_at_categories_never_met(classes, unseen, tmp_path):
    rng, rows = np.random.default_rng(0), classes > KINDS
    data = np.column_stack([FLOWERS[rows][:, :2], rng.integers(0, 4, (rows.sum(), 2)), rng.integers(0, 2, rows.sum())])
    model = MixedNB(["gaussian", "gaussian", "categorical", "categorical", "bernoulli"], unseen=unseen)
    model.fit(data, NAMES[KINDS[rows]])
    data[:9, 2] = 7.0
    outputs = run(model, data, tmp_path)
    assert outputs["label"].tolist() == model.predict(data).tolist()
    np.testing.assert_allclose(outputs["probabilities"], model.predict_proba(data), rtol=1e-11, atol=1e-300)


# local models solve equations at each row; trees, rules, mixtures and kernels are not written as ONNX, and are refused
UNSUITED = ("local", "tree", "forest", "boosting", "AdaBoost", "rule list", "mixture", "Gaussian kernel", "neural")
SUITED_TO_ONNX = [
    f for task in ("classification", "regression") for f in families(task) if not any(w in f.name for w in UNSUITED)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", SUITED_TO_ONNX, ids=lambda family: f"{family.name}, {family.task}")
def test_every_family_of_the_comparison_that_onnx_can_say_agrees(family, tmp_path):
    """The last step of what `fit` and `compare` keep, on the columns that its other steps prepare."""
    rng = np.random.default_rng(1)
    columns = {"length": FLOWERS[:, 0], "width": FLOWERS[:, 1], "site": rng.choice(["a", "b", "c"], 150).astype(object)}
    if family.preparation == "counts":
        words = ["red soil", "dry hill", "wet soil by the hill", "dry red sand"]
        columns = {"note": np.array([f"{words[i % 4]} {words[i // 5 % 4]} {i}" for i in range(150)], dtype=object)}
    y = FLOWERS[:, 2] + rng.normal(0.0, 0.1, 150)
    table = Table.of({**columns, "y": y if family.task == "regression" else np.where(y > 3.9, "big", "small")})
    understanding = understand(table, "y")
    model, _ = fitted(understanding, table, target_values(table, understanding)[0], family.name)
    prepared = as_dense(model[:-1].transform(table))
    outputs = run(model[-1], prepared, tmp_path)
    if family.task == "regression":
        np.testing.assert_allclose(outputs["prediction"], model.predict(table), rtol=1e-11)
        return
    assert outputs["label"].tolist() == model.predict(table).tolist()
    np.testing.assert_allclose(outputs["probabilities"], model.predict_proba(table), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(
    "model, because",
    [
        (KNeighborsClassifier(p=1).fit(FLOWERS, KINDS), "the metric 'manhattan'"),
        (KNeighborsClassifier(weights="distance").fit(FLOWERS, KINDS), "equal weights"),
        (KNeighborsRegressor(average="median").fit(X, Y), "medians"),
        (LocalLinearRegression().fit(X[:, :1], Y), "solves equations anew at each row"),
        (LocalLogisticRegression(alpha=0.1).fit(FLOWERS[:, :1], KINDS), "solves equations anew at each row"),
        (CalibratedLinearClassifier(GaussianNB()).fit(FLOWERS, KINDS), "GaussianNB that it calibrates is not linear"),
        (MixedNB(["categorical"] * 4).fit(np.floor(FLOWERS), KINDS), "never met"),
        (GaussianNB(var_smoothing=0.0).fit(np.round(FLOWERS[:60] / 4.0), KINDS[:60]), "constant within a class"),
        (BernoulliNB(alpha=0.0, binarize=1.0).fit(FLOWERS, KINDS), "a probability of 0"),
        (CategoricalNB().fit(np.floor(FLOWERS), KINDS), "does not declare"),
        (make_pipeline(MinMaxScaler(), Ridge()).fit(X, Y), "only StandardScaler"),
        (LogisticRegression().fit(FLOWERS, KINDS + 0.0), "labels are of the kind float64"),
    ],
    ids=[
        "metric",
        "weights",
        "median",
        "local",
        "local classes",
        "calibrated",
        "strangers",
        "constant",
        "zero",
        "categories",
        "another scaler",
        "fractions",
    ],
)
def test_what_onnx_cannot_say_is_refused(model, because, tmp_path):
    with pytest.raises(CannotSave, match=because):
        to_onnx(model, tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []
