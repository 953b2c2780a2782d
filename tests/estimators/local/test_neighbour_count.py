"""One search of neighbours serves every k: the errors are those of leaving each row out, one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import neighbors
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from separatrix.assess.compare import fit_once
from separatrix.core.family import DataFacts, families
from separatrix.estimators.local.neighbour_count import NeighbourCountSearch
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor

COUNTS = (1, 3, 5, 9)
rng = np.random.default_rng(3)
X = rng.standard_normal((60, 3))


def test_errors_of_classes_are_those_of_leaving_one_row_out():
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 60)]
    search = NeighbourCountSearch(KNeighborsClassifier(), COUNTS).fit(X, y)
    truth = y[:, None] == np.unique(y)
    for k, score in zip(COUNTS, search.scores_):
        P = cross_val_predict(neighbors.KNeighborsClassifier(k), X, y, cv=LeaveOneOut(), method="predict_proba")
        assert_allclose(score, -((P - truth) ** 2).sum(axis=1).mean(), rtol=1e-13)
    assert search.best_estimator_.n_neighbors == COUNTS[int(np.argmax(search.scores_))]


def test_errors_of_numbers_are_those_of_leaving_one_row_out():
    y = X[:, 0] + 0.3 * rng.standard_normal(60)
    search = NeighbourCountSearch(KNeighborsRegressor(), COUNTS).fit(X, y)
    for k, score in zip(COUNTS, search.scores_):
        fitted = cross_val_predict(neighbors.KNeighborsRegressor(k), X, y, cv=LeaveOneOut())
        assert_allclose(score, -((fitted - y) ** 2).mean(), rtol=1e-12)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_comparison_keeps_the_model_that_was_chosen_and_says_its_k(task):
    family = next(each for each in families(task) if each.name == "nearest neighbours")
    y = (X[:, 0] > 0).astype(int) if task == "classification" else X[:, 0]
    classes = np.unique(y) if task == "classification" else None
    facts = DataFacts(rows=60, columns=3, classes=0 if classes is None else 2, smallest_class=20)
    outcome = fit_once.fit_once(family.make(facts), X, y, X[:5], classes)
    assert isinstance(outcome.model, family.model)
    assert outcome.chosen == {"n_neighbors": outcome.model.n_neighbors}
