"""A report of a model without coefficients draws its tree, and says what each column is needed for and does."""

import re
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest

from separatrix import plots
from separatrix.assess.compare import compare
from separatrix.inference.describe import describe
from separatrix.linear_model import Ridge
from separatrix.report import render
from separatrix.report.sections import importance
from separatrix.tree import DecisionTreeClassifier, DecisionTreeRegressor, ModelTreeRegressor

HOSTILE = "<b>co\x07lour</b>" + "x" * 300_000


def frame(n=260):
    rng = np.random.default_rng(8)
    age, pay = rng.integers(18, 80, n).astype(float), rng.lognormal(3.0, 1.0, n)
    colour = np.array(["red", "green", "<i>blue</i>"], dtype=object)[rng.integers(0, 3, n)]
    eta = np.where(age > 45, 2.0, -2.0) * np.where(colour == "red", 1.0, -1.0) + rng.normal(0, 0.5, n)
    age[::19] = np.nan
    return {"age": age, HOSTILE: colour, "pay": pay, "y": eta}


def page_of(family, task):
    data = frame()
    if task == "classification":
        data["y"] = np.where(data["y"] > 0.0, "<yes>", "no").astype(object)
    comparison = compare(data, "y", families=["baseline", family], folds=3, repeats=1, seed=0)
    assert comparison.recommended == family
    return render(comparison), comparison


@pytest.fixture(scope="module", params=["classification", "regression"])
def of_tree(request):
    return page_of("decision tree", request.param)


@pytest.fixture(scope="module")
def of_boosting():
    return page_of("gradient boosting", "classification")


def words_of(text):
    """What a reader sees."""
    return " ".join(unescape(re.sub(r"<style.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)).split())


def section(text, key):
    return re.search(rf'<section id="{key}".*?</section>', text, re.DOTALL).group()


def test_the_tree_is_drawn_in_the_section_of_the_model(of_tree):
    text, comparison = of_tree
    part = section(text, "model")
    assert "<svg" in part and f"Decision tree of {comparison.model[-1].get_n_leaves()} leaves" in part
    assert len(text.encode()) < 1_000_000
    assert "age &lt;= 4" in part and "&lt;b&gt;co" in part and "\x07" not in text


def test_columns_are_ranked_by_what_the_score_loses_and_the_useless_one_is_last(of_boosting):
    text, comparison = of_boosting
    words = words_of(section(text, "importance"))
    assert f"among {len(comparison.test)} rows of the test part" in words and "share of the gains" in words
    rows = words[words.index("loss of the score ") :]
    assert rows.index("age") < rows.rindex("pay")


def test_curves_are_drawn_for_the_columns_that_matter(of_boosting):
    text, _ = of_boosting
    part = section(text, "dependence")
    assert part.count("<svg") >= 2 and "mean probability of no" in words_of(part)
    assert "could not be made" not in words_of(text)


def test_models_with_coefficients_say_that_these_tell_it(two_classes, noise):
    linear, nothing = words_of(render(two_classes)), words_of(render(noise))
    assert linear.count("the coefficients of the chosen model already say what each column does") == 2
    assert nothing.count("the chosen model looks at no column") == 2


def test_a_penalty_is_named_only_where_a_model_has_one(of_tree, two_classes):
    assert "What the penalty does" not in of_tree[0]
    assert "What the penalty does" in render(two_classes)


def test_the_certificate_of_a_tree_claims_no_optimum_and_no_coefficients(of_tree):
    words = words_of(section(of_tree[0], "certificate"))
    assert "A greedy search has no optimum to certify" in words and "counted anew" in words
    assert "equations" not in words and "coefficients" not in words and "Recomputed from the" in words


def test_the_certificate_of_boosting_says_what_was_compared(of_boosting):
    text, comparison = of_boosting
    words = words_of(section(text, "certificate"))
    assert "scores that the trees give to some training rows" in words and "equations" not in words
    assert comparison["gradient boosting"].certified and "not given by boosting" not in words_of(text)


def test_predictions_that_jump_are_drawn_as_steps():
    assert plots.dependence([1.0, 2.0], [0.2, 0.6], steps=True).lines[0].get_drawstyle() == "steps-mid"
    X = np.arange(30.0)[:, None]
    for model, jumps in ((DecisionTreeRegressor(), True), (ModelTreeRegressor(), False), (Ridge(), False)):
        assert importance._jumps(SimpleNamespace(model=model.fit(X, X[:, 0]), prepared=X)) is jumps


def test_a_fit_whose_gradient_is_small_is_called_stationary_and_never_certified():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-2.0, 2.0, (2, 120))
    data = {"a": a, "b": b, "y": np.abs(a) + 0.1 * rng.standard_normal(120)}
    comparison = compare(data, "y", families=["baseline", "mixture of experts"], folds=3, repeats=1, seed=0)
    assert comparison.recommended == "mixture of experts"
    assert next(each for each in comparison.standings if each.family == "mixture of experts").verdict == "stationary"
    assert re.search(r"mixture of experts .* stationary", str(comparison))
    text = render(comparison)
    assert "stationary" in words_of(section(text, "leaderboard"))
    words = words_of(section(text, "certificate"))
    assert "The fit is stationary." in words and "The fit is certified" not in words


def test_a_rule_list_is_reported_by_its_rules():
    text, _ = page_of("rule list", "classification")
    words = words_of(section(text, "model"))
    assert "asked one after the other" in words and "otherwise" in words and "RuleTable" not in words


def test_a_picture_of_one_family_speaks_of_one(of_tree):
    text, comparison = of_tree
    words = words_of(section(text, "leaderboard"))
    drawn = re.search(r"Leaderboard of (\d+) (famil\w+)", words).groups()
    assert drawn in (("1", "family"), ("2", "families"))
    assert ("ahead of all" in words) == (drawn[0] == "2" and comparison.standings[1].group == 2)


def test_missing_cells_are_a_share_of_the_rows_with_a_target():
    data = frame(200)
    age = np.where(np.arange(200) % 10 == 0, np.nan, 50.0 + np.arange(200) % 7)
    y = np.where(np.arange(200) % 4 == 1, np.nan, data["y"])  # 50 rows, all of them with an age
    table = {"age": age, "pay": data["pay"], "y": y}
    comparison = compare(table, "y", families=["baseline", "decision tree"], folds=3, repeats=1, seed=0)
    assert "20 of 300 (6.7 %), in 1 column" in words_of(section(render(comparison), "data"))


def test_a_tree_of_one_leaf_is_not_said_to_look_at_a_column():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    words = describe(DecisionTreeClassifier(ccp_alpha=1.0).fit(X, y), ["age"]).words
    assert "No column is asked for." in words and "Most of all" not in words
