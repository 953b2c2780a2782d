"""The price of a leaf by cross-validation against rpart, with the same folds (price_by_folds.R)."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor

ORACLE = json.loads((Path(__file__).parent / "price_by_folds.json").read_text(encoding="utf-8"))


def fitted(case, rule):
    X, y = np.array(case["X"]), np.array(case["y"])
    cls = DecisionTreeClassifier if case["classes"] else DecisionTreeRegressor
    limits = {"min_samples_leaf": case["bucket"], "min_samples_split": 2 * case["bucket"]}
    return cls(**limits, ccp_alpha=rule, cv=PredefinedSplit(case["folds"])).fit(X, y)


@pytest.mark.parametrize("name", [name for name in ORACLE if name != "made by"])
def test_errors_on_rows_left_out_are_those_of_rpart(name):
    case = ORACLE[name]
    model, y = fitted(case, "1se"), np.array(case["y"])
    root = 1.0 if case["classes"] else y.var()
    # rpart tells from the root on, and its prices are shares of the root's variance, half of Gini's index
    units = y.var() * (2.0 if case["classes"] else 1.0)
    errors, standard_errors = model.cv_errors_[::-1] / root, model.cv_standard_errors_[::-1] / root
    assert np.array(case["cp"][:-1]) == pytest.approx(model.ccp_alphas_[:0:-1] / units, rel=1e-9)
    assert errors == pytest.approx(np.array(case["error"]), rel=1e-9)
    assert standard_errors == pytest.approx(np.array(case["standard_error"]), rel=1e-7)


@pytest.mark.parametrize("rule", ["best", "1se"])
@pytest.mark.parametrize("name", [name for name in ORACLE if name != "made by"])
def test_the_tree_chosen_has_the_size_that_the_table_of_rpart_says(name, rule):
    case = ORACLE[name]
    error, standard_error = np.array(case["error"]), np.array(case["standard_error"])
    best = int(np.argmin(error))
    limit = error[best] + (standard_error[best] if rule == "1se" else 0.0)
    first = int(np.flatnonzero(error <= limit)[0])  # the fewest splits
    assert fitted(case, rule).get_n_leaves() == case["splits"][first] + 1
