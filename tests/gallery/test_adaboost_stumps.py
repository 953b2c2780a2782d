"""The gallery's page on AdaBoost shows the algorithm of the notes, recomputed here round by round."""

import numpy as np
import pytest
from numpy.testing import assert_allclose


@pytest.fixture(scope="module")
def page(gallery):
    return gallery("adaboost_stumps")


@pytest.fixture(scope="module")
def shown(page):
    return page.compute()


@pytest.mark.mission("EX-18", "EN-09")
def test_weights_thresholds_and_votes_are_those_of_the_algorithm_by_hand(page, shown):
    """w = 1/N; e_m; alpha = ln((1 - e) / e); w exp(alpha) where wrong; the stump of least error among all."""
    X, y = page.points()
    model, rounds = shown
    w, votes = np.full(len(y), 1.0 / len(y)), np.zeros(len(y))
    at = {each.number: each for each in rounds}
    for m in range(1, max(at) + 1):
        j, threshold = model.features_[m - 1], model.thresholds_[m - 1]
        answer = np.where(X[:, j] <= threshold, model.below_[m - 1], model.above_[m - 1])
        error = w[answer != y].sum()
        assert error <= least_error(X, y, w) + 1e-12
        alpha = np.log((1.0 - error) / error)
        votes += alpha * np.where(answer == 1, 1.0, -1.0)
        if m in at:
            assert_allclose(at[m].weights, w, rtol=1e-9)
            assert_allclose([at[m].alpha, at[m].threshold], [alpha, threshold], rtol=1e-9)
            assert at[m].mistakes == int(((votes > 0.0) != y).sum())
        w = w * np.exp(alpha * (answer != y))
        w /= w.sum()


def least_error(X, y, w):
    """The smallest weighted error of a threshold on one column, by trying all of them both ways round."""
    best = min(w[y == 1].sum(), w[y == 0].sum())
    for column in X.T:
        for threshold in column:
            wrong = w[(column <= threshold) != y].sum()
            best = min(best, wrong, 1.0 - wrong)
    return best


@pytest.mark.mission("EX-18")
def test_the_boundary_closes_around_the_disc_and_noisy_rows_gain_weight(page, shown, tmp_path):
    X, _ = page.points()
    _, rounds = shown
    assert [each.number for each in rounds] == list(page.ROUNDS)
    assert rounds[0].mistakes > 2 * rounds[-1].mistakes
    edge = np.abs(np.hypot(*X.T) - 0.65) < 0.15
    assert rounds[-1].weights[edge].mean() > 2.0 * rounds[-1].weights[~edge].mean()
    page.draw(tmp_path / "adaboost.png")
    assert (tmp_path / "adaboost.png").stat().st_size > 10_000
