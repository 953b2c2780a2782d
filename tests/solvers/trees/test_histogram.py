"""Splits of histograms against all splits in exact fractions; binning; gradients as whole numbers."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper
from threadpoolctl import threadpool_limits

from separatrix.core import threads
from separatrix.designs.binned import bin_rows, find_bins, thresholds_of
from separatrix.losses import Huber, Logistic, Poisson, Quantile, Softmax, Squared
from separatrix.solvers.trees.boosting import Boosting, baseline, mean_loss
from separatrix.solvers.trees.gradient_boosting import LeafRows, huber_steps
from separatrix.solvers.trees.gradients import fill_words, layout_for
from separatrix.solvers.trees.histogram import Grower, TreeLimits
from separatrix.solvers.trees.line_search import best_step
from separatrix.solvers.trees.nodes import apply, check_nodes

RNG = np.random.default_rng(5)


def limits(p, **changed):
    usual = {
        "learning_rate": 1.0,
        "max_leaf_nodes": 2,
        "max_depth": None,
        "min_samples_leaf": 1,
        "regularization": 0.0,
        "max_features": 1.0,
        "monotone": np.zeros(p, np.int8),
        "groups": None,
    }
    return TreeLimits(**(usual | changed))


def grown(X, g, h, codes=None, **changed):
    design = bin_rows(X, find_bins(X, codes=codes))
    layout = layout_for(len(g), np.abs(g).max(), h.min(), h.max())
    fill_words(layout.gradients, g, h, layout.g_scale, layout.h_scale, 0, len(g))
    return Grower(design, limits(X.shape[1], **changed), None).grow(layout)


def exact_gain(g, h, left, l2, least):
    """The gain of a split in fractions; None where a child has too few rows."""
    sides = [[i for i in range(len(g)) if (i in left) == side] for side in (True, False)]
    if min(map(len, sides)) < least:
        return None
    return sum(sum(g[i] for i in side) ** 2 / (sum(h[i] for i in side) + l2) for side in sides)


def best_exactly(X, g, h, l2, least):
    """The largest gain over all thresholds of all columns and both sides for missing numbers, and who has it."""
    g, h = [Fraction(v) for v in g.tolist()], [Fraction(v) for v in h.tolist()]
    gains = {}
    for j in range(X.shape[1]):
        values = np.unique(X[~np.isnan(X[:, j]), j])
        missing = {i for i in range(len(X)) if np.isnan(X[i, j])}
        for value in values:
            below = {i for i in range(len(X)) if X[i, j] <= value}
            for left in {frozenset(below), frozenset(below | missing)}:
                gains[left] = exact_gain(g, h, left, l2, least) if 0 < len(left) < len(X) else None
    return max(gain for gain in gains.values() if gain is not None), gains


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("alike", [True, False])
def test_the_first_split_is_the_best_of_all_in_exact_arithmetic(seed, alike):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (30, 4)).astype(float)
    X[rng.random(X.shape) < 0.15] = np.nan
    g = rng.integers(-50, 50, 30) / 16.0
    h = np.ones(30) if alike else rng.integers(1, 30, 30) / 32.0
    least, l2 = 3, Fraction(1, 2)
    tree = grown(X, g, h, min_samples_leaf=least, regularization=float(l2))
    check_nodes(tree.nodes, 4)
    ends = apply(tree.nodes, X)
    best, gains = best_exactly(X, g, h, l2, least)
    ours = frozenset(np.flatnonzero(ends == tree.nodes.left[0]).tolist())
    assert gains[ours] == best
    for leaf in tree.leaves:  # the value of a leaf is its Newton step
        rows = ends == leaf
        exact = -sum(map(Fraction, g[rows].tolist())) / (sum(map(Fraction, h[rows].tolist())) + l2)
        assert tree.nodes.value[leaf, 0] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_categories_are_grouped_as_well_as_any_grouping_of_enough_support(seed):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(5), 16)  # each has support enough
    g = rng.integers(-40, 40, 80) / 8.0
    tree = grown(codes[:, None].astype(float), g, np.ones(80), codes=[5])
    G, H = [Fraction(g[codes == c].sum()) for c in range(5)], 16
    groups = [set(some) for size in (1, 2, 3, 4) for some in combinations(range(5), size)]
    gain = {
        frozenset(some): sum(G[c] for c in some) ** 2 / (H * len(some))
        + sum(G[c] for c in set(range(5)) - some) ** 2 / Fraction(H * (5 - len(some)))
        for some in groups
    }
    ours = frozenset(np.flatnonzero(tree.nodes.routes == tree.nodes.left[0]).tolist())
    assert gain[ours] == max(gain.values())


def test_rows_of_a_leaf_are_the_rows_that_walk_there():
    X, g = RNG.standard_normal((500, 5)), RNG.standard_normal(500)
    X[RNG.random(X.shape) < 0.1] = np.nan
    design = bin_rows(X, find_bins(X, 20))
    layout = layout_for(500, np.abs(g).max(), 1.0, 1.0)
    fill_words(layout.gradients, g, np.ones(1), layout.g_scale, layout.h_scale, 0, 500)
    grower = Grower(design, limits(5, max_leaf_nodes=12, min_samples_leaf=5), None)
    tree = grower.grow(layout)
    ends = apply(tree.nodes, X)
    assert len(tree.leaves) == 12
    for leaf in tree.leaves:
        rows = grower.order[tree.starts[leaf] : tree.stops[leaf]]
        assert_array_equal(np.sort(rows), np.flatnonzero(ends == leaf))


@pytest.mark.parametrize("n", [50, 300, 4_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_are_those_of_scikit_learn(n, weighted):
    x = RNG.standard_normal(n).round(2)
    x[::17] = np.nan
    s = RNG.integers(1, 5, n).astype(float) if weighted else None
    for bins in (5, 255):
        theirs = _BinMapper(n_bins=bins + 1).fit(x[:, None], sample_weight=s).bin_thresholds_[0]
        np.testing.assert_allclose(thresholds_of(x, bins, s), theirs, rtol=1e-13)


def test_weights_of_quantiles_are_repetitions():
    x, s = RNG.standard_normal(2_000), RNG.integers(1, 4, 2_000)
    assert_array_equal(thresholds_of(x, 100, s.astype(float)), thresholds_of(np.repeat(x, s), 100))


def test_no_threshold_lies_on_the_larger_of_two_neighbouring_numbers():
    low = 1.0
    high = np.nextafter(low, 2.0)
    design = bin_rows(np.array([[low], [high]]), find_bins(np.array([[low], [high]])))
    assert_array_equal(design.columns[0], [0, 1])


@pytest.mark.parametrize("n, kind", [(1_000, "Packed"), (3_000_000, "Paired")])
def test_layouts_of_one_curvature(n, kind):
    assert type(layout_for(n, 1.0, 1.0, 1.0).gradients).__name__ == kind


def test_very_many_rows_count_in_a_third_word():
    layout = layout_for(3_000_000, 1.0, 0.1, 0.25)
    assert (type(layout.gradients).__name__, layout.size) == ("Tripled", 3)


def boosted(loss, X, y, k=1, steps=8):
    design = bin_rows(X, find_bins(X))
    eta = np.tile(baseline(loss, y, None, k), (len(y), 1))
    boosting = Boosting(loss, design, y, None, eta, limits(X.shape[1], max_leaf_nodes=8, learning_rate=0.5), None)
    values = [mean_loss(loss, y, None, boosting.eta)]
    for _ in range(steps):
        boosting.step()
        values.append(mean_loss(loss, y, None, boosting.eta))
    return boosting, values


@pytest.mark.parametrize("loss", [Squared(), Huber(0.5), Quantile(0.3), Quantile(0.5)], ids=str)
def test_losses_with_a_bound_on_their_curvature_never_rise(loss):
    X = RNG.standard_normal((400, 3))
    y = np.sin(3 * X[:, 0]) + RNG.standard_normal(400)
    _, values = boosted(loss, X, y)
    assert np.all(np.diff(values) <= 0.0) and values[-1] < 0.9 * values[0]


@pytest.mark.parametrize("loss", [Logistic(), Poisson()], ids=str)
def test_the_baseline_makes_the_slopes_sum_to_zero(loss):
    y = (RNG.random(300) < 0.3).astype(float)
    eta = np.tile(baseline(loss, y, None, 1), (300, 1))
    best = mean_loss(loss, y, None, eta)
    assert best <= min(mean_loss(loss, y, None, eta + step) for step in (-0.01, 0.01))


def test_the_best_step_of_a_pinball_loss_is_a_quantile():
    y, eta, rows = RNG.standard_normal(101), np.zeros(101), np.arange(101, dtype=np.uint32)
    step = best_step(Quantile(0.5), y, np.empty(0), eta, rows, 0, 101)
    assert step == np.median(y)


@pytest.mark.parametrize("loss, k", [(Squared(), 1), (Logistic(), 1), (Softmax(), 3)], ids=str)
def test_bits_do_not_depend_on_the_number_of_threads(loss, k, monkeypatch):
    X = RNG.standard_normal((150_000, 3)).round(1)
    y = RNG.integers(0, max(k, 2), 150_000)
    y = y if k > 1 else y.astype(float)
    scores = []
    for count in (1, 2, 4):
        monkeypatch.setenv("SEPARATRIX_THREADS", str(count))
        assert threads.n_threads() == count
        scores.append(boosted(loss, X, y, k, steps=3)[0].eta)
    assert_array_equal(scores[0], scores[1])
    assert_array_equal(scores[0], scores[2])


@pytest.mark.parametrize("loss", [Squared(), Logistic()], ids=str)
def test_bits_of_the_first_score_do_not_depend_on_the_threads_of_blas(loss):
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 150_000).astype(float), rng.uniform(size=(5, 150_000))
    scores = []
    for count in (1, 2):
        with threadpool_limits(count, user_api="blas"):
            scores.append([baseline(loss, y, each, 1) for each in s])
    assert_array_equal(scores[0], scores[1])


def test_bits_of_a_step_of_huber_do_not_depend_on_the_threads_of_blas():
    rng = np.random.default_rng(0)
    n = 150_000
    r, s = rng.normal(size=n), rng.uniform(size=(5, n))
    steps = []
    for count in (1, 2):
        with threadpool_limits(count, user_api="blas"):
            steps.append([huber_steps(LeafRows(np.zeros(n, np.int64), 1, each, r, r, r), 1.0) for each in s])
    assert_array_equal(steps[0], steps[1])
