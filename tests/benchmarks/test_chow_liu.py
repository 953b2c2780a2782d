"""The judge of trees judges truly: informations of scikit-learn, and answers that are no trees."""

import numpy as np
import pytest
from benchmarks.contestant import Answer
from benchmarks.problems import problems
from benchmarks.problems.storage import tidy
from numpy.testing import assert_allclose
from sklearn.metrics import mutual_info_score


@pytest.mark.parametrize("problem", problems("chow_liu"), ids=lambda problem: problem.variant)
def test_the_best_tree_is_the_reference_and_what_is_no_tree_does_not_count(problem):
    data = problem.make(1e-4)
    judge = problem.judge(data)
    p = data.X.shape[1]
    for j in range(1, p):
        assert_allclose(judge.information[j, 0], mutual_info_score(data.X[:, j], data.X[:, 0]), atol=1e-13)
    best = judge.values(tidy(judge.reference()))[0]
    star = np.column_stack([np.zeros(p - 1), np.arange(1, p)])
    assert np.isfinite(best) and judge.values(tidy(Answer(star)))[0] > best
    star[1] = star[0]
    assert judge.values(tidy(Answer(star)))[0] == np.inf
