"""One model fitted once, as the comparison does it."""

import numpy as np
import pytest

from separatrix.assess.compare.fit_once import fit_once
from separatrix.core.errors import EndOfGrid
from separatrix.linear_model import LinearRegression, RidgeCV


def test_warnings_are_collected_but_for_those_of_grids_that_users_do_not_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] + rng.normal(size=40)
    with pytest.warns(EndOfGrid):
        RidgeCV([1e3, 1e4]).fit(X, y)
    assert fit_once(RidgeCV([1e3, 1e4]), X, y, X).messages == []
    twice = np.column_stack([X, X[:, 0]])
    assert "rank 3 of 4" in fit_once(LinearRegression(), twice, y, twice).messages[0]
