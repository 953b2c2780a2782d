"""Trees with drawn thresholds against a slow twin that takes the same random numbers, and their distribution."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from separatrix.designs import as_design
from separatrix.designs.ranked import MOST_STEPS, rank_columns
from separatrix.solvers.trees import drawn_cuts, grow
from separatrix.solvers.trees.criterion import EQUAL
from separatrix.solvers.trees.nodes import apply
from separatrix.solvers.trees.sorting import draw, draw_below


def grown(X, y, n_classes, s=None, rng=3, **options):
    criterion = "gini" if n_classes else "squared_error"
    target = grow.TreeTarget(y.astype(np.int32)[:, None] if n_classes else y[:, None], n_classes)
    options = grow.GrowOptions(criterion=criterion, random_cuts=True, shuffled=True, **options)
    return grow.grow(rank_columns(as_design(X)), target, s, options, rng)


class Drawn:
    """A rule that draws."""

    drawn = True


class Twin:
    """The same tree, a node at a time; gains by their definition, from the sums of squares of both children."""

    def __init__(self, places, y, s, m, state, min_leaf):
        self.places, self.y, self.s, self.m, self.state, self.min_leaf = places, y, s, m, state, min_leaf
        self.order, self.shares, self.nodes = np.arange(len(places)), [0] * len(places), []

    def split(self, rows):
        place = len(self.nodes)
        self.nodes.append((-1, 0))
        y = self.y[rows]
        if np.all(y == y[:1]) or len(rows) < 2 * self.min_leaf:
            return
        for t in range(self.m):
            self._pick(t)
        for t in range(self.m):
            self._share(t)
        chosen = self._best_of(rows)
        if chosen[0] < 0:
            return
        self.nodes[place] = chosen
        left = self.places[chosen[0], rows] <= chosen[1]
        self.split(rows[left])
        self.split(rows[~left])

    def _pick(self, t):
        pick = t + draw_below(self.state, len(self.order) - t)
        self.order[t], self.order[pick] = self.order[pick], self.order[t]

    def _share(self, t):
        self.shares[t] = int(draw(self.state)) >> 32

    def _best_of(self, rows):
        """The best column drawn, up to one that leaves nothing to explain; others where all were constant."""
        best, chosen, n_best, differ = -np.inf, (-1, 0), 0, False
        for t in range(len(self.order)):
            if (t >= self.m and differ) or best + self._equal(rows) >= self._squares(rows):
                break
            if t >= self.m:
                self._pick(t)
                self._share(t)
            x = self.places[self.order[t], rows].astype(int)
            if x.min() == x.max():
                continue
            differ, cut = True, x.min() + ((x.max() - x.min()) * self.shares[t] >> 32)
            gain = self._gain(rows, x <= cut)
            if gain > best + self._equal(rows):
                best, chosen, n_best = gain, (int(self.order[t]), int(cut)), 1
            elif gain >= best - self._equal(rows) and gain > -np.inf:
                n_best += 1
                if draw_below(self.state, n_best) == 0:
                    chosen = (int(self.order[t]), int(cut))
        return chosen

    def _squares(self, rows):
        mean = np.average(self.y[rows], axis=0, weights=self.s[rows])
        return np.sum(self.s[rows, None] * (self.y[rows] - mean) ** 2)

    def _equal(self, rows):
        return EQUAL * self._squares(rows)

    def _gain(self, rows, left):
        if min(left.sum(), (~left).sum()) < self.min_leaf:
            return -np.inf
        return self._squares(rows) - self._squares(rows[left]) - self._squares(rows[~left])


@pytest.mark.parametrize("m", [1, 2, 5])  # of eleven columns: column by column, side by side in blocks, or anywhere
@pytest.mark.parametrize(
    ("n_classes", "weighted", "min_leaf"), [(0, False, 1), (0, True, 1), (2, False, 1), (3, True, 1), (2, False, 4)]
)
def test_a_slow_twin_draws_the_same_tree(m, n_classes, weighted, min_leaf, monkeypatch):
    monkeypatch.setattr(drawn_cuts, "BLOCK_SIZE", 960)  # 60 rows: nodes outside of blocks and in them
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.standard_normal((250, 3)), rng.integers(0, 3, (250, 7)), np.ones(250)])
    y = X[:, 0] + 0.5 * rng.standard_normal(250)
    y = np.digitize(y, [-0.5, 0.5, 9.0][: n_classes - 1]).astype(float) if n_classes else y
    s = rng.integers(1, 4, 250).astype(float) if weighted else np.ones(250)
    nodes = grown(X, y, n_classes, s, max_features=m, min_samples_leaf=min_leaf)
    ranked = rank_columns(as_design(X))
    hot = np.eye(n_classes)[y.astype(int)] if n_classes else y[:, None]
    twin = Twin(ranked.places, hot, s, m, grow._generator(Drawn, 3), min_leaf)
    with np.errstate(over="ignore"):  # the generator multiplies modulo 2^64
        twin.split(np.arange(250))
    columns, cuts = (np.array(each) for each in zip(*twin.nodes))
    assert np.array_equal(nodes.column, columns)
    for node in np.flatnonzero(columns >= 0):
        x, place = X[:, columns[node]], ranked.places[columns[node]]
        low, high = x[place <= cuts[node]].max(), x[place > cuts[node]].min()
        share = (cuts[node] + 0.5) / (MOST_STEPS - len(np.unique(x)))
        drawn = x.min() + share * (x.max() - x.min())
        assert low <= nodes.threshold[node] < high
        # a compiled loop may round the product and the sum of a threshold at once
        assert nodes.threshold[node] == pytest.approx(drawn, rel=0.0, abs=4 * np.finfo(float).eps * np.ptp(x))


@pytest.mark.parametrize("n_classes", [0, 2])
def test_a_weight_is_a_repetition_to_the_last_bit(n_classes, monkeypatch):
    """Repetitions make nodes of other sizes, which are searched in other ways and at other places of blocks."""
    monkeypatch.setattr(drawn_cuts, "BLOCK_SIZE", 960)
    rng = np.random.default_rng(7)
    X, s = rng.standard_normal((150, 5)), rng.integers(1, 9, 150)
    y = (X[:, 0] + rng.standard_normal(150) > 0.0).astype(float)
    weighted = grown(X, y, n_classes, s.astype(float), max_features=2)
    repeated = grown(np.repeat(X, s, axis=0), np.repeat(y, s), n_classes, max_features=2)
    assert np.array_equal(weighted.column, repeated.column)
    assert np.array_equal(weighted.threshold, repeated.threshold, equal_nan=True)
    assert np.array_equal(weighted.weight, repeated.weight)


def test_the_first_of_perfect_splits_is_taken_by_every_way_of_searching():
    """A dozen rows are searched column by column, fifty side by side; each of five coins parts them alike."""
    coin = np.repeat([0.0, 1.0], 6)
    X, s = np.column_stack([coin] * 5), np.full(12, 4)
    for seed in range(20):
        few = grown(X, coin, 2, s.astype(float), rng=seed, max_features=4)
        many = grown(np.repeat(X, s, axis=0), np.repeat(coin, s), 2, rng=seed, max_features=4)
        assert few.column[0] == many.column[0] and few.threshold[0] == many.threshold[0]


HARD = {
    "an outlier": np.append(np.linspace(0.0, 1.0, 300), 1e15),
    "neighbouring floats": 1e16 + 2.0 * np.arange(300.0),
    "the whole range": np.append(np.linspace(-1.0, 1.0, 300), [-1.7e308, 1.7e308]),
    "subnormal": 5e-324 * np.arange(300.0),
}


@pytest.mark.parametrize("x", HARD.values(), ids=HARD.keys())
def test_distinct_numbers_are_parted_wherever_they_lie(x):
    """Classes alternate, so that only a tree that parts all rows is pure."""
    y = np.arange(len(x)) % 2
    order = np.random.default_rng(0).permutation(len(x))
    nodes = grown(x[order, None], y[order], 2)
    assert np.count_nonzero(nodes.column < 0) == len(x)
    ends = apply(nodes, np.sort(x)[:, None])
    assert np.array_equal(nodes.value[ends, 1], y[np.argsort(x)])


def test_places_are_whole_steps_between_the_ends_and_never_equal():
    x = np.sort(np.random.default_rng(5).standard_normal(500))
    ranked = rank_columns(as_design(np.column_stack([x, HARD["an outlier"][np.arange(500) % 301]])))
    steps = [
        int((Fraction(each) - Fraction(x[0])) / (Fraction(x[-1]) - Fraction(x[0])) * (MOST_STEPS - 500)) for each in x
    ]
    assert np.abs(ranked.places[0] - np.array(steps)).max() <= 1  # a product of floats may round past a whole number
    assert ranked.slack[0] <= 1
    second = np.unique(ranked.places[1])
    assert len(second) == 301 and second.min() == 0


@pytest.mark.parametrize("size", [drawn_cuts.BLOCK_SIZE, 300])  # the root in a block, and outside
def test_thresholds_are_uniform_and_columns_are_equally_likely(size, monkeypatch):
    """Of one column drawn: chi-squared and Kolmogorov-Smirnov at 0.1 %."""
    monkeypatch.setattr(drawn_cuts, "BLOCK_SIZE", size)
    rng = np.random.default_rng(2)
    X, y = rng.uniform(size=(400, 3)) ** 3, rng.standard_normal(400)
    roots = [grown(X, y, 0, rng=seed, max_features=1, max_depth=1) for seed in range(400)]
    column, cut = (np.array([getattr(root, name)[0] for root in roots]) for name in ("column", "threshold"))
    assert stats.chisquare(np.bincount(column, minlength=3)).pvalue > 1e-3
    low, high = X.min(axis=0), X.max(axis=0)
    assert stats.kstest((cut - low[column]) / (high - low)[column], "uniform").pvalue > 1e-3


def test_equal_splits_are_chosen_at_random():
    """Columns that are copies of a coin part the rows alike: each must be chosen as often."""
    rng = np.random.default_rng(4)
    coin = np.repeat([0.0, 1.0], 20)
    X, y = np.column_stack([coin] * 4), coin + 0.1 * rng.standard_normal(40)
    chosen = [grown(X, y, 0, rng=seed, max_features=4, max_depth=1).column[0] for seed in range(400)]
    assert stats.chisquare(np.bincount(chosen, minlength=4)).pvalue > 1e-3
