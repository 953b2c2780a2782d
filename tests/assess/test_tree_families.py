"""Trees, rules and committees in a comparison: which take part, when, and what is kept of them."""

import io
import re
from pathlib import Path

import numpy as np
import pytest

import separatrix
from separatrix.assess import compare
from separatrix.core import registry
from separatrix.core.declaration import declaration
from separatrix.core.family import DataFacts, families

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "committees.md"
ROOMS = ("separatrix.estimators.tree.", "separatrix.estimators.ensemble.")
NEW = [
    ("classification", "rule list"),
    ("classification", "mixture of experts"),
    ("regression", "mixture of experts"),
    ("regression", "AdaBoost"),
]


def family_of(task, name):
    return next(family for family in families(task) if family.name == name)


def table(task, n=240):
    """Two numbers, one with gaps, and a category; y depends on |x| in a way that no single line follows."""
    rng = np.random.default_rng(0)
    x, age, site = rng.normal(size=n), rng.normal(40.0, 10.0, n), rng.choice(["north", "south"], n)
    score = np.abs(x) + 0.5 * (site == "north") + 0.2 * rng.normal(size=n)
    age[::17] = np.nan
    y = score if task == "regression" else np.where(score > 1.0, "high", "low")
    return {"x": x, "age": age, "site": site.astype(object), "y": y}


@pytest.mark.parametrize(("task", "name"), NEW)
def test_a_family_beats_the_baseline_and_its_model_is_certified_saved_and_verified(task, name):
    comparison = compare(table(task), "y", families=[name], folds=3, repeats=1)
    standing = comparison[name]
    assert not standing.failed and standing.certified and standing.note == ""
    assert comparison.recommended == name and comparison.beats_baseline
    file = io.BytesIO()
    separatrix.save(comparison.model, file)
    again = separatrix.load(file)
    assert np.array_equal(again.predict(comparison.test), comparison.model.predict(comparison.test))
    assert separatrix.verify(again, comparison.train, comparison.y_train).converged


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_mixture_of_experts_takes_part_only_where_it_is_fast(task):
    classes, fewest = (2, 100) if task == "classification" else (0, 0)
    why = family_of(task, "mixture of experts").why_excluded
    facts = {"classes": classes, "smallest_class": fewest}
    assert why(DataFacts(10_000, 30, **facts)) == ""
    assert "10,000 rows" in why(DataFacts(10_001, 30, **facts))
    assert "30 columns" in why(DataFacts(10_000, 31, **facts))
    assert "rows a column" in why(DataFacts(100, 30, **facts))
    assert "dense" in why(DataFacts(1_000, 30, sparse=True, **facts))


@pytest.mark.parametrize(("task", "name"), [("classification", "rule list"), ("regression", "AdaBoost")])
def test_rules_and_boosted_trees_take_categories_as_categories(task, name):
    facts = DataFacts(rows=90, columns=3, classes=2, smallest_class=40, kinds=("number", "flag", "category"))
    made = family_of(task, name).make(facts)
    assert family_of(task, name).preparation == "trees"
    tree = made.estimator.estimator if name == "rule list" else made.estimator
    assert tree.categorical_features == [0, 1]


def test_every_tree_and_committee_takes_part_in_comparisons_or_the_page_says_why_not():
    models = {name: cls for name, cls in registry.members("estimator").items() if cls.__module__.startswith(ROOMS)}
    compared = {family.model for task in ("classification", "regression") for family in families(task)}
    section = PAGE.read_text(encoding="utf-8").split("## Which of them `separatrix compare` runs")[1]
    listed, left_out = section.split("The others")
    assert len(models) > 15 and all(declaration(cls).task != "transformation" for cls in models.values())
    assert set(re.findall(r"`(\w+)`", listed)) == {name for name, cls in models.items() if cls in compared}
    foreign = {"StackingClassifier", "StackingRegressor", "VotingClassifier", "VotingRegressor"}
    assert set(re.findall(r"`(\w+)`", left_out)) - foreign == {n for n, cls in models.items() if cls not in compared}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_boosting_does_not_take_part_where_no_leaf_could_be_divided(task):
    why = family_of(task, "gradient boosting").why_excluded
    facts = {"classes": 2, "smallest_class": 15} if task == "classification" else {}
    assert "40 rows" in why(DataFacts(39, 3, **facts)) and why(DataFacts(40, 3, **facts)) == ""
