"""What the pages on learning state is so: eight steps, performance at a task, Occam's razor, inductive bias."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from separatrix import assess
from separatrix.linear_model import LinearRegression
from separatrix.neighbors import KNeighborsRegressor

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def session(name):
    """The names that the examples of a page leave behind, after they have run without a surprise."""
    blocks = re.findall(r"^```python\n(.*?)^```", page(name), flags=re.M | re.S)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, out=lambda text: None, clear_globs=False).failed == 0
    return test.globs


@pytest.fixture(scope="module")
def steps():
    return session("tutorials/eight_steps.md")


@pytest.mark.mission("EV-04")
def test_the_eight_steps_are_in_order():
    titles = re.findall(r"^## (\d)\. (.*)$", page("tutorials/eight_steps.md"), flags=re.M)
    assert [int(number) for number, _ in titles] == list(range(1, 9))
    words = ["input and output", "Collect", "Divide", "model", "error", "Search", "Pick", "Test"]
    assert all(word in title for word, (_, title) in zip(words, titles))


@pytest.mark.mission("EV-04", "EV-02")
def test_the_eight_steps_end_in_a_model_that_was_chosen_without_its_test_part(steps):
    found, parts = steps["found"], steps["parts"]
    assert found.sealed is parts.test and parts.test.opened
    rows = [set(part.rows.tolist()) for part in parts]
    assert sum(map(len, rows)) == len(set.union(*rows)) == 569
    assert found.validation[found.best] == found.validation.min()
    assert 0 < found.best < len(found.tried) - 1  # neither end of the grid: under- and overfitting were both seen
    model, X, y = found.model, steps["X"], steps["y"]
    P = model.predict_proba(X[parts.test.rows])
    assert assess.log_loss(y[parts.test.rows], P) == pytest.approx(steps["tested"]["log_loss"], rel=1e-12)


@pytest.mark.mission("EV-23")
def test_the_tutorial_names_task_performance_and_experience_and_both_kinds_of_task():
    opening = page("tutorials/eight_steps.md").split("## 1.")[0]
    for word in ("**P**", "**T**", "**E**", "**classification**", "**regression**"):
        assert word in opening


@pytest.mark.mission("EV-23")
def test_performance_at_the_task_improves_with_experience():
    """P at T, with E: the log loss on new rows falls as more rows are learnt from."""
    from sklearn.datasets import load_breast_cancer

    from separatrix.linear_model import LogisticRegression

    X, y = load_breast_cancer(return_X_y=True)
    curve = assess.learning_curve(LogisticRegression(C=1.0), X[:, :5] / X[:, :5].std(axis=0), y, sizes=[20, 80, 400])
    assert (np.diff(curve["validation"]) < 0).all()


@pytest.mark.mission("EV-18")
def test_the_page_on_generalisation_says_what_under_and_overfitting_are_and_shows_them():
    text = page("theory/generalisation.md")
    for word in ("Occam", "**underfits**", "**overfits**", "simplest", "adequate"):
        assert word in text
    curve = session("theory/generalisation.md")["curve"]
    low, fit, high = range(3)
    assert curve["true"][fit] < min(curve["true"][low], curve["true"][high])
    assert curve["empirical"][low] > curve["true"][fit]  # underfitting: both are high
    assert curve["empirical"][high] < curve["empirical"][fit] < curve["true"][high]  # overfitting: they part


@pytest.mark.mission("EV-18")
def test_of_nested_models_that_both_contain_the_truth_the_simpler_one_errs_less():
    """A line through a line: each needless power costs σ²/n, with a certainty of many standard errors."""
    rng = np.random.default_rng(0)
    x = np.linspace(-1.0, 1.0, 20)
    powers = np.vander(x, 8, increasing=True)
    errors = {1: [], 7: []}
    for _ in range(80):
        y = 1.0 + 2.0 * x + 0.5 * rng.standard_normal(20)
        for degree, found in errors.items():
            h = LinearRegression().fit(powers[:, 1 : degree + 1], y).predict(powers[:, 1 : degree + 1])
            found.append(np.mean((h - 1.0 - 2.0 * x) ** 2))
    for degree, found in errors.items():
        expected = 0.25 * (degree + 1) / 20
        assert abs(np.mean(found) - expected) < 3.0 * np.std(found) / np.sqrt(80)


@pytest.mark.mission("EV-19")
def test_the_page_states_the_bias_of_least_squares_and_of_neighbours():
    rows = dict(re.findall(r"^\| ([a-z ]+) \| (.*?) \|$", page("theory/generalisation.md"), flags=re.M))
    assert "linear everywhere" in rows["least squares"]
    assert "constant nearby" in rows["nearest neighbours"]


@pytest.mark.mission("EV-19")
def test_least_squares_is_globally_linear_and_neighbours_are_locally_constant():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, (60, 1))
    y = np.sin(3.0 * X[:, 0])
    line = np.linspace(-5.0, 5.0, 4001)[:, None]
    linear = LinearRegression().fit(X, y).predict(line)
    assert np.abs(np.diff(linear, 2)).max() < 1e-12
    near = KNeighborsRegressor(5).fit(X, y).predict(line)
    steps = np.count_nonzero(np.diff(near))
    assert 20 < steps <= 2 * 60  # flat but at a few places
    assert np.ptp(near[line[:, 0] > 1.5]) == np.ptp(near[line[:, 0] < -1.5]) == 0.0  # beyond the data, constant
