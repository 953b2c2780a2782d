"""Values of every kind come back as they were: type, bits, order in memory."""

import io

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

import separatrix
from separatrix.decision import CostSensitiveClassifier
from separatrix.linear_model import Lasso, LassoCV, LogisticRegression, Ridge, SGDRegressor
from separatrix.naive_bayes import MixedNB
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor
from separatrix.persist import CannotSave
from separatrix.preprocessing import AdditiveBasis, NaturalSpline

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = X @ [1.0, 2.0, -1.0] + RNG.normal(size=50)
LABELS = np.where(Y > 0, "a", "b")


def through_a_file(model):
    file = io.BytesIO()
    separatrix.save(model, file)
    return separatrix.load(file)


def kept(value):
    """A value after a trip as an attribute of a model."""
    model = Ridge()
    model.extra_ = value
    return through_a_file(model).extra_


SCALARS = [None, True, 0, -7, 10**400, -(2**63), 0.1, -0.0, 5e-324, 1.7976931348623157e308, float("inf"), "", "é\ud800"]
SCALARS += [np.float32(0.1), np.float64(-0.0), np.int8(-3), np.bool_(True), np.uint64(2**64 - 1), np.complex64(1 + 2j)]
SCALARS += [np.str_("word"), np.datetime64("2024-02-29", "D"), np.timedelta64(5, "ms")]


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_a_scalar_keeps_its_type_and_value(value):
    found = kept(value)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


def test_not_a_number_is_kept():
    assert np.isnan(kept(float("nan")))
    assert np.isnan(kept([{1: np.float64("nan")}])[0][1])


NESTED = [(1, [2, (3,)]), {}, {"a": 1, 2: "b", (1, "x"): None, None: 0, 1.5: []}, slice(1, None, -2), [(), {}, []]]
NESTED += [np.float64, float, np.dtype("int32"), {"deep": {"deeper": (slice(0, 3), np.str_("w"))}}]


@pytest.mark.parametrize("value", NESTED, ids=repr)
def test_nested_values_are_kept(value):
    found = kept(value)
    assert found == value
    assert repr(found) == repr(value)


DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ">f8", ">i2"]
DTYPES += ["M8[ns]", "m8[s]"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 4)])
def test_arrays_of_every_kind_are_kept(dtype, shape):
    numbers = np.arange(np.prod(shape)).reshape(shape)
    for array in (numbers.astype(dtype), np.array(numbers.astype(dtype), order="F")):
        found = kept(array)
        assert found.dtype == array.dtype
        assert found.shape == shape
        assert found.tobytes() == array.tobytes()
        assert found.flags.c_contiguous == array.flags.c_contiguous
        assert found.flags.f_contiguous == array.flags.f_contiguous
        assert found.flags.writeable


def test_an_array_with_turned_axes_keeps_their_order_in_memory():
    array = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
    found = kept(array)
    assert (found == array).all()
    assert found.strides == array.strides


def test_not_a_number_keeps_its_payload_in_an_array():
    bits = np.array([0x7FF8000000000001, 0xFFF8DEADBEEF0000], dtype=np.uint64)
    assert (kept(bits.view(np.float64)).view(np.uint64) == bits).all()


WORDS = [np.array(["a", "long"]), np.array([["x", "y"]]), np.array([], dtype="<U7"), np.array(["ab"], dtype="<U9")]
WORDS += [np.array(["a", None, 3, 2.5, True], dtype=object), np.array([[1, "b"]], dtype=object)]


@pytest.mark.parametrize("array", WORDS, ids=repr)
def test_arrays_of_words_and_mixtures_are_kept(array):
    found = kept(array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert list(map(type, found.ravel())) == list(map(type, array.ravel()))
    assert found.tolist() == array.tolist()


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix])
def test_sparse_arrays_are_kept(kind):
    array = kind(np.array([[0.0, 1.5], [0.0, 0.0], [-2.0, 0.0]]))
    found = kept(array)
    assert type(found) is kind
    assert (found != array).nnz == 0
    assert found.indices.dtype == array.indices.dtype


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_a_source_of_random_numbers_goes_on_where_it_was(make):
    source = make(5)
    source.normal(size=3)
    found = kept(source)
    assert (found.normal(size=4) == source.normal(size=4)).all()


def test_what_is_shared_is_stored_once_and_stays_shared():
    big = RNG.normal(size=(200, 50))
    model = Ridge()
    model.one_, model.two_ = big, [big]
    file = io.BytesIO()
    separatrix.save(model, file)
    assert len(file.getvalue()) < 1.1 * big.nbytes
    again = separatrix.load(file)
    assert again.one_ is again.two_[0]


MODELS = {
    "cosine neighbours": (KNeighborsClassifier(metric="cosine"), X, LABELS),
    "neighbours in a tree": (KNeighborsRegressor(algorithm="kd_tree", weights="distance"), X, Y),
    "neighbours of another metric": (
        KNeighborsClassifier(metric="minkowski", p=3, metric_params={"w": [1.0, 2.0, 3.0]}),
        X,
        LABELS,
    ),
    "sparse neighbours": (KNeighborsClassifier(), sparse.csr_array(np.where(X > 0, X, 0.0)), LABELS),
    "maximum likelihood": (LogisticRegression(C=np.inf), X, LABELS),
    "classes with weights": (LogisticRegression(class_weight={"a": 2.0, "b": 1}), X, LABELS),
    "many outputs": (Ridge(alpha=[0.1, 1.0]), X, np.column_stack([Y, -Y])),
    "a splitter": (LassoCV(cv=KFold(4, shuffle=True, random_state=3), alphas=5), X, Y),
    "a random state": (SGDRegressor(random_state=np.random.RandomState(4), max_iter=3, tol=None), X, Y),
    "terms by number": (AdditiveBasis({0: NaturalSpline(df=3), 2: "linear"}), X, None),
    "costs": (CostSensitiveClassifier(LogisticRegression(), costs=[[0, 5], [1, 0]]), X, LABELS),
    "mixed columns": (MixedNB(), np.column_stack([X.round(1), LABELS]).astype(object), LABELS),
    "a pipeline": (make_pipeline(SimpleImputer(), MinMaxScaler(), Lasso(0.01)), X, Y),
    "a union": (FeatureUnion([("a", StandardScaler()), ("b", NaturalSpline())]), X, None),
    "columns": (
        make_pipeline(
            ColumnTransformer(
                [("words", OneHotEncoder(), [0]), ("codes", OrdinalEncoder(), [0])], remainder="passthrough"
            ),
            Ridge(),
        ),
        np.column_stack([LABELS, X]).astype(object),
        Y,
    ),
    "columns dropped": (make_column_transformer((StandardScaler(), [0]), ("drop", [1])), X, None),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_unusual_models_give_the_same_answers(name):
    model, data, y = MODELS[name]
    model.fit(data, y)
    again = through_a_file(model)
    for method in ("predict", "predict_proba", "transform"):
        if hasattr(model, method):
            before, after = getattr(model, method)(data), getattr(again, method)(data)
            assert before.dtype == after.dtype
            assert before.tobytes() == after.tobytes()


REFUSED = {
    "KNeighborsClassifier.metric: it is a function": KNeighborsClassifier(metric=lambda a, b: abs(a - b).sum()),
    "KNeighborsClassifier.weights: it is a function": KNeighborsClassifier(weights=np.sqrt),
    r"Pipeline.steps\[0\]\[1\]: sklearn's LinearRegression": Pipeline([("x", TheirLinearRegression())]),
    "GridSearchCV.* Use its best_estimator_": GridSearchCV(Ridge(), {"alpha": [1.0]}),
    "Pipeline.memory": Pipeline([("x", Ridge())], memory="somewhere"),
    r"Pipeline.steps\[0\]\[1\].func: it is a function": Pipeline([("f", FunctionTransformer(np.log)), ("x", Ridge())]),
    "no model": {"a": 1},
    "part of a model": KFold(3),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_a_file_cannot_hold_is_refused_by_name(words):
    with pytest.raises(CannotSave, match=words):
        separatrix.save(REFUSED[words], io.BytesIO())


@pytest.mark.parametrize(
    "value", [{1, 2}, b"bytes", np.ma.masked_array([1]), np.zeros(1, dtype=[("a", "f8")]), object()]
)
def test_other_values_are_refused(value):
    with pytest.raises(CannotSave, match=r"Cannot save Ridge\.extra_"):
        kept(value)


def test_a_circle_is_refused():
    model = Ridge()
    model.extra_ = model
    with pytest.raises(CannotSave, match="refers to itself"):
        separatrix.save(model, io.BytesIO())
