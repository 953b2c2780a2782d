"""``model.save(path)`` on every estimator, and searches that are saved as what they found."""

import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import separatrix
from separatrix.core import registry
from separatrix.linear_model import LogisticRegression, Ridge
from separatrix.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3))
Y = (X[:, 0] + 0.5 * rng.standard_normal(60) > 0.0).astype(int)


@pytest.mark.parametrize("name, estimator", sorted(registry.members("estimator").items()))
def test_every_estimator_has_a_method_that_saves_it(name, estimator):
    assert callable(estimator.save)


def test_a_saved_model_is_the_one_that_loads(tmp_path):
    model = Ridge().fit(X, Y)
    model.save(tmp_path / "model.sepx", about={"target": "y"})
    assert_array_equal(separatrix.load(tmp_path / "model.sepx").coef_, model.coef_)


def test_a_model_that_is_not_fitted_is_not_saved():
    with pytest.raises(NotFittedError):
        Ridge().save(io.BytesIO())


def saved(model):
    file = io.BytesIO()
    separatrix.save(model, file)
    return separatrix.load(file)


def test_a_search_is_saved_as_its_best_estimator():
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=3).fit(X, Y)
    loaded = saved(search)
    assert isinstance(loaded, LogisticRegression)
    assert search.best_params_["C"] == loaded.C
    assert_array_equal(loaded.predict_proba(X), search.predict_proba(X))


def test_a_search_of_pipelines_and_a_pipeline_of_searches_are_saved():
    numbers = separatrix.preprocessing.Numbers()
    whole = GridSearchCV(make_pipeline(numbers, LogisticRegression()), {"logisticregression__C": [0.1, 1.0]}, cv=3)
    last = make_pipeline(numbers, GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [3, 5]}, cv=3))
    for model in (whole.fit(X, Y), last.fit(X, Y)):
        assert_array_equal(saved(model).predict_proba(X), model.predict_proba(X))
    assert isinstance(last.steps[-1][1], GridSearchCV)


def test_a_search_that_did_not_refit_has_nothing_to_save():
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3, refit=False).fit(X, Y)
    with pytest.raises(ValueError, match="Cannot save"):
        separatrix.save(search, io.BytesIO())


def test_a_likelihood_of_three_classes_is_saved_with_its_covariance():
    kinds = np.digitize(X[:, 0] + rng.standard_normal(60), [-0.5, 0.5])
    model = LogisticRegression(C=np.inf).fit(X, kinds)
    assert model.evidence_.covariance.shape == (8, 8)
    assert_array_equal(saved(model).evidence_.covariance, model.evidence_.covariance)
