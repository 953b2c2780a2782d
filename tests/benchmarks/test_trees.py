"""The judge of trees measures predictions for held-out rows, and nobody else sees the targets of those."""

import json

import numpy as np
import pytest
from benchmarks.contestant import Answer
from benchmarks.problems import problems
from benchmarks.problems.storage import load_data, save_data, tidy
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks import ours, rivals, run


def made(group, variant):
    problem = next(problem for problem in problems(group) if problem.variant == variant)
    data = problem.make(1e-3)
    return data, problem.judge(data)


def test_the_loss_of_classes_is_the_share_of_wrong_ones():
    data, judge = made("tree", "five")
    model = DecisionTreeClassifier(max_depth=4).fit(data.X, data.y)
    error = 1.0 - model.score(data.queries, data.unseen)
    assert judge.values(tidy(Answer(model.predict_proba(data.queries)))) == pytest.approx([error])
    assert error < judge.null[0] == pytest.approx(np.mean(data.unseen != np.bincount(data.y).argmax()))


def test_the_loss_of_numbers_is_the_mean_squared_error():
    data, judge = made("forest", "regression")
    model = DecisionTreeRegressor(max_depth=4).fit(data.X, data.y)
    error = np.mean((model.predict(data.queries) - data.unseen) ** 2)
    assert judge.values(tidy(Answer(model.predict(data.queries)))) == pytest.approx([error])
    assert error < judge.null[0]


def test_an_answer_of_another_shape_is_infinitely_bad():
    _, judge = made("tree", "five")
    assert judge.values(tidy(Answer(np.zeros(3)))) == [np.inf]


def test_contestants_do_not_see_the_targets_of_the_held_out_rows(tmp_path):
    data, _ = made("tree", "two")
    save_data(tmp_path, data)
    again = load_data(tmp_path)
    assert again.unseen is None and np.array_equal(again.queries, data.queries)


@pytest.mark.parametrize("group", ["tree", "adaboost", "hist_boosting"])
def test_ours_and_scikit_learns_are_judged_alike(group):
    data, judge = made(group, "two")
    data.settings["threads"] = 1
    for contestant in (*ours.contestants(group), *rivals.contestants(group, ["sklearn"])):
        answer = contestant.answer(contestant.fit(data, data.settings), data)
        assert judge.values(tidy(answer))[0] < 0.9 * judge.null[0]


@pytest.mark.slow
def test_a_rival_that_is_trained_before_the_clock_knows_its_threads(tmp_path, capsys):
    path = tmp_path / "result.json"
    run.main(f"forest_predict --scale 1e-3 --only two --threads 1 --repeat 1 --rivals sklearn --output {path}".split())
    rows = json.loads(path.read_text())["rows"]
    assert {row["contestant"] for row in rows if row["seconds"]} == {"separatrix", "sklearn"}
