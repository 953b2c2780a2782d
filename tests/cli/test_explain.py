"""What `separatrix explain` prints of numbers and of the way through a tree."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from separatrix.cli.explain import _show, outwards
from separatrix.cli.output import console
from separatrix.inference.explain import Contribution, Explanation, explain
from separatrix.inference.what_if import Flip
from separatrix.tree import ModelTreeClassifier
from separatrix.workflow.explain import ExplainedRow


def printed(capsys, explanation):
    _show(console(), ExplainedRow("model.sepx", "table.csv", 1, "y", explanation), 12)
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("value, to, text", [(33.0, 24.0, "24"), (1.0, 2.5, "2.5"), (7402.0, 12212.0, "12212")])
def test_a_changed_number_has_no_zeros_behind_its_point(value, to, text):
    assert outwards(value, to) == text


@pytest.mark.parametrize("size, said", [(1.0, "by 1 standard deviation)"), (1.2, "by 1.2 standard deviations)")])
def test_one_standard_deviation_is_singular(capsys, size, said):
    X, y = load_iris(return_X_y=True)
    model = ModelTreeClassifier().fit(X, y)
    flip = Flip("x0", 1.0, 2.0, size, 1, unit="standard deviations")
    assert said in printed(capsys, replace(explain(model, X[0], reference=X), flips=(flip,)))


def test_the_way_of_three_classes_begins_and_contributions_begin_at_the_same_score(capsys):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (300, 2))
    y = np.array(["a", "b", "c"])[np.digitize(np.where(X[:, 0] > 0.0, X[:, 1], -X[:, 1]), [-0.4, 0.4])]
    told = explain(ModelTreeClassifier().fit(X, y), [0.5, 0.9], reference=X)
    assert len(told.path) > 0
    assert np.isclose(told.path[0].before, told.mean_score, rtol=0.0, atol=1e-12)
    heading = f"the mean score, for {told.towards} and against {told.against}, among the training rows that are left"
    assert heading in printed(capsys, told)


def test_a_sum_of_zero_is_not_shown_as_its_rounding(capsys):
    parts = (Contribution("a", 1.0, -0.3), Contribution("b", 2.0, -0.2))
    told = Explanation(0.0, "regression", score=1.2e-16, mean_score=0.5, scale="prediction", contributions=parts)
    assert "from 0.5 to 0" in printed(capsys, told) and "e-16" not in printed(capsys, told)
