"""The perceptrons of the gallery do what their pages say."""

import numpy as np
import pytest
from scipy.optimize import linprog

# ------------------------------------------------------------------ with a pencil


@pytest.fixture(scope="module")
def steps(gallery):
    return gallery("perceptron_steps").compute()


@pytest.mark.mission("EX-02", "PC-03")
def test_three_points_with_the_step_one_fifth(steps):
    # golden case G020
    np.testing.assert_allclose(steps["three"], [[0, 1, 0.5], [-0.2, 0.6, 0.9], [0, 0.2, 1.1]], atol=1e-9)
    assert steps["corrected"] == [1, 2]
    assert steps["three"][0][1] / -steps["three"][0][2] == -2.0  # the slope of the first line


@pytest.mark.mission("EX-03", "PC-02", "PC-03")
def test_two_points_with_the_step_seven_tenths(steps):
    # golden cases G021 and G022, there in the order w1, w2, w0
    np.testing.assert_allclose(steps["single"][1:], [[0.2, 1.28, 1.035], [-0.5, 1.42, 0.51]], atol=1e-12)
    np.testing.assert_allclose(steps["batch"][1:], [[-0.5, 1.42, 0.51]], atol=1e-12)
    assert steps["converged"] == [True, True, True]


# ------------------------------------------------------------------ four sets


@pytest.fixture(scope="module")
def four(gallery):
    return gallery("four_sets")


def separable(X, y):
    """By a linear program, apart from any perceptron."""
    rows = y[:, None] * np.column_stack([X, np.ones(len(X))])
    return linprog(np.zeros(3), A_ub=-rows, b_ub=-np.ones(len(X)), bounds=(None, None)).status == 0


@pytest.mark.mission("EX-04", "PC-09", "PC-10")
def test_three_sets_are_separated_and_the_fourth_runs_to_the_cap(four):
    # golden case G026
    passes = {}
    for seed in range(3):
        fits = four.compute(seed)
        for (name, rate, start), model in fits.items():
            X, y = four.make(name, seed)
            assert model.converged_ == separable(X, y) == (name != "X4")
            assert (model.score(X, y) == 1.0) == (name != "X4")
            assert name != "X4" or model.n_iter_ == model.max_iter
            passes.setdefault((name, rate, start), []).append(model.n_iter_)
        for rate in four.RATES:
            lines = [
                np.append(fits["X3", rate, start].coef_, fits["X3", rate, start].intercept_) for start in four.STARTS
            ]
            lines = [line / np.linalg.norm(line) for line in lines]
            assert np.abs(lines[0] - lines[1]).max() > 1e-4
    for rate in four.RATES:
        median = {name: np.median(passes[name, rate, four.STARTS[0]]) for name in ("X1", "X2", "X3")}
        assert median["X3"] > max(median["X1"], median["X2"])


# ------------------------------------------------------------------ iris and scikit-learn


@pytest.mark.mission("EX-06", "PC-15")
def test_setosa_is_learnt_and_the_three_together_are_right_about_two_thirds(gallery):
    found = gallery("perceptron_iris").compute()
    assert found["errors"][0] == 0 and found["history"][0][-1] == 0
    assert found["accuracy"] >= 2 / 3
    assert found["mistakes"][0] <= found["bounds"][0]
    assert all(len(history) == 100 and (np.diff(history) > 0).any() for history in found["history"][1:])


@pytest.mark.mission("EX-15")
def test_our_perceptron_and_that_of_scikit_learn_separate_the_same_points(gallery):
    module = gallery("two_perceptrons")
    X, y = module.points()
    fits = module.compute()
    assert all(model.score(X, y) == 1.0 for model in fits.values())
    same = [fits[whose, False] for whose in ("separatrix", "scikit-learn")]
    np.testing.assert_allclose(same[0].coef_, same[1].coef_, rtol=1e-12)
    np.testing.assert_allclose(same[0].intercept_, same[1].intercept_, rtol=1e-12)
    assert not np.allclose(fits["separatrix", True].coef_, same[0].coef_)
