"""scikit-learn's own checks on the neighbourhood methods, without an exception."""

import inspect

import pytest
import sklearn.neighbors
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import neighbors
from separatrix.core import registry
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsRegressor

MODELS = [
    KNeighborsClassifier(),
    KNeighborsClassifier(n_neighbors=3, weights="distance", metric="manhattan"),
    KNeighborsClassifier(n_neighbors=2, algorithm="kd_tree", metric="cosine"),
    KNeighborsClassifier(metric="precomputed"),
    KNeighborsRegressor(),
    KNeighborsRegressor(metric="precomputed"),
    KNeighborsRegressor(average="median", weights="distance", algorithm="kd_tree"),
    RadiusNeighborsRegressor(),
    RadiusNeighborsRegressor(radius=5.0, average="median", weights="distance", algorithm="kd_tree"),
]


OURS = [name for name in neighbors.__all__ if name in registry.members("estimator")]


@pytest.mark.filterwarnings("ignore::separatrix.core.errors.EmptyWindow")
@parametrize_with_checks(MODELS)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", OURS)
def test_parameters_and_defaults_are_scikit_learns(name):
    theirs = inspect.signature(getattr(sklearn.neighbors, name).__init__).parameters
    ours = inspect.signature(getattr(neighbors, name).__init__).parameters
    assert set(ours) - set(theirs) <= {"average", "empty"}
    for parameter in theirs:
        assert ours[parameter].default == theirs[parameter].default, parameter
        assert ours[parameter].kind == theirs[parameter].kind, parameter


@pytest.mark.parametrize("name", OURS)
def test_public_methods_and_fitted_attributes_are_scikit_learns(name):
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    theirs = getattr(sklearn.neighbors, name)().fit(X, y)
    ours = getattr(neighbors, name)().fit(X, y)
    routing = {word for word in dir(theirs) if "metadata" in word or "_request" in word}
    routing |= {"radius", "n_neighbors"}  # theirs is also an attribute of the model that does not use it
    missing = {word for word in dir(theirs) if not word.startswith("_")} - set(dir(ours)) - routing
    assert missing == set()
