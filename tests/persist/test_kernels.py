"""Kernels in model files: a fitted kernel is stored by its parameters, and answers with and without its class."""

import io
import sys
from pathlib import Path

import numpy as np
import pytest

import separatrix
from separatrix.kernel_approximation import Nystroem
from separatrix.kernel_ridge import KernelRidge, KernelRidgeCV
from separatrix.kernels import (
    AdditiveChi2,
    Chi2,
    Cosine,
    Custom,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from separatrix.linear_model import KernelPerceptron
from separatrix.persist import CannotLoad, CannotSave, light
from separatrix.persist.files import to_bytes
from separatrix.svm import SVC, SVR, OneClassSVM

sys.path.insert(0, str(Path(__file__).parent))
from test_crafted import crafted
from test_light import FACTS, assert_near, fitted

X = np.random.default_rng(0).uniform(0.1, 1.0, size=(40, 3))
LABELS = (X[:, 0] > X[:, 1]).astype(int)
SIMPLE = [Linear(), Gaussian(0.5), Polynomial(2, 0.5, 1.0), Sigmoid(0.1, 0.2), Laplacian(0.5), Cosine()]
MADE = [
    Sum(Linear(), Scaled(Gaussian(0.5), 2.0)),
    Product(Polynomial(2, 1.0, 1.0), Scaled(Sum(Cosine(), Linear()), 0.5)),
]
OF_POSITIVE = [Chi2(0.7), AdditiveChi2()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kernel", SIMPLE + MADE + OF_POSITIVE, ids=str)
@pytest.mark.parametrize("model", [KernelRidge, SVC, SVR, OneClassSVM, KernelPerceptron])
def test_a_kernel_is_stored_by_its_parameters(model, kernel):
    made = model(kernel=kernel).fit(X, LABELS)
    loaded = separatrix.load(io.BytesIO(to_bytes(made)))
    assert loaded.kernel == loaded.kernel_ == made.kernel_ == kernel
    assert loaded.predict(X[::-1]).tobytes() == made.predict(X[::-1]).tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("used", [3, 5])  # dense and sparse columns
@pytest.mark.parametrize("kernel", SIMPLE + MADE, ids=str)
def test_light_prediction_has_the_same_kernels(kernel, used):
    for model, target in (
        (SVC(kernel=kernel), "three"),
        (SVR(kernel=kernel), "numbers"),
        (KernelRidge(kernel=kernel), "numbers"),
    ):
        whole = fitted(model, target, FACTS[:used])
        assert_near(whole, light(io.BytesIO(to_bytes(whole))))


def test_kernels_that_are_not_written_without_classes_are_left_to_load():
    whole = fitted(KernelRidge(kernel="laplacian"), "numbers", FACTS[:3])
    assert light(io.BytesIO(to_bytes(whole))) is not None
    for kernel in (Scaled(Chi2(), 2.0), "chi2"):
        whole.steps[-1] = ("model", KernelRidge(kernel=kernel).fit(X, LABELS))
        assert light(io.BytesIO(to_bytes(whole))) is None


@pytest.mark.parametrize("model", [KernelRidge, SVC])
def test_functions_are_refused_in_words(model):
    with pytest.raises(CannotSave, match="a model file holds no code"):
        to_bytes(model(kernel=Custom(lambda A, B: A @ B.T)).fit(X, LABELS))


@pytest.mark.parametrize(
    "kernel, changes",
    [
        (MADE[0], [("kernel:Sum", "left", 1.0)]),
        (MADE[0], [("kernel:Sum", "left", "precomputed.")]),
        (MADE[0], [("kernel:Gaussian", "gamma", "wide")]),
        (MADE[0], [("kernel:Gaussian", "gamma", {"is": "float", "value": "nan"})]),
        (MADE[0], [("kernel:Scaled", "factor", -1.0)]),
        (SIMPLE[2], [("kernel:Polynomial", "degree", None)]),
    ],
    ids=str,
)
def test_a_crafted_kernel_is_refused(kernel, changes):
    with pytest.raises(CannotLoad):
        separatrix.load(io.BytesIO(crafted(KernelRidge(kernel=kernel).fit(X, LABELS), *changes)))
    whole = fitted(SVR(kernel=kernel), "numbers", FACTS[:3])
    with pytest.raises(CannotLoad):
        light(io.BytesIO(crafted(whole, *changes)))


NONSENSE = [{"kernel": "nonsense"}, {"gamma": -1.0}, {"degree": "three"}, {"coef0": None}, {"kernel": 7}]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("later", NONSENSE, ids=str)
def test_parameters_that_are_set_after_a_fit_do_not_change_its_predictions(later):
    for model in (SVC, SVR, OneClassSVM, KernelRidge, KernelRidgeCV, KernelPerceptron):
        made = model(kernel="poly").fit(X, LABELS)
        before = made.predict(X)
        made.set_params(**later)
        assert made.predict(X).tobytes() == before.tobytes()
        if hasattr(made, "summary"):
            assert "polynomial" in str(made.summary()) if isinstance(made, SVC | SVR) else str(made.summary())
    features = Nystroem("poly", n_components=5, random_state=0).fit(X)
    before = features.transform(X)
    assert features.set_params(**later).transform(X).tobytes() == before.tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("later", [{"kernel": "nonsense"}, {"gamma": -1.0}, {"C": "high"}], ids=str)
def test_verify_names_a_parameter_that_states_no_problem(later):
    made = SVC(kernel="poly").fit(X, LABELS).set_params(**later)
    (name,) = later
    with pytest.raises((ValueError, TypeError), match=f"Cannot fit SVC with {name}="):
        separatrix.verify(made, X, LABELS)


@pytest.mark.filterwarnings("ignore")
def test_verify_sees_that_the_kernel_is_another_one():
    for model in (SVC, OneClassSVM, KernelRidge, KernelPerceptron):
        made = model(kernel="rbf", gamma=0.5).fit(X, LABELS)
        assert separatrix.verify(made, X, LABELS).converged
        for later in ({"gamma": 0.6}, {"kernel": "laplacian" if model is KernelRidge else "linear"}):
            again = separatrix.verify(model(kernel="rbf", gamma=0.5).fit(X, LABELS).set_params(**later), X, LABELS)
            assert not again.converged and "kernel_" in again.message
