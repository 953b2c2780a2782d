"""Trees with drawn thresholds against a slow twin that takes the same random numbers, and their distribution."""

import numpy as np
import pytest
from scipy import stats

from separatrix.designs import as_design
from separatrix.designs.ranked import rank_columns
from separatrix.solvers.trees import drawn_cuts, grow
from separatrix.solvers.trees.criterion import EQUAL
from separatrix.solvers.trees.plain_search import FEW_ROWS
from separatrix.solvers.trees.sorting import draw_below, draw_uniform


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

    def __init__(self, X, y, s, m, state, min_leaf):
        self.X, self.y, self.s, self.m, self.state, self.min_leaf = X, y, s, m, state, min_leaf
        self.order, self.nodes = np.arange(X.shape[1]), []

    def split(self, rows):
        place = len(self.nodes)
        self.nodes.append((-1, 0.0))
        y, weight = self.y[rows], self.s[rows].sum()
        if np.all(y == y[0]) or len(rows) < 2 * self.min_leaf:
            return
        chosen, tried = None, 0
        if weight > FEW_ROWS:
            tried = min(self.m, len(self.order))
            chosen = self._best_of(rows, tried)
        if chosen is None:
            chosen = self._first_best(rows, tried)
        if chosen[0] < 0:
            return
        self.nodes[place] = chosen
        left = self.X[rows, chosen[0]] <= chosen[1]
        self.split(rows[left])
        self.split(rows[~left])

    def _pick(self, t):
        pick = t + draw_below(self.state, len(self.order) - t)
        self.order[t], self.order[pick] = self.order[pick], self.order[t]
        return self.order[t]

    def _best_of(self, rows, m):
        if m == len(self.order):
            self.order = np.arange(m)
        else:
            for t in range(m):
                self._pick(t)
        shares = [draw_uniform(self.state) for _ in range(m)]
        best, chosen, n_best, differ = -np.inf, (-1, 0.0), 0, False
        for share, j in zip(shares, self.order):
            x = self.X[rows, j]
            if x.min() == x.max():
                continue
            differ, cut = True, x.min() + share * (x.max() - x.min())
            gain = self._gain(rows, x <= cut)
            if gain > best + self._equal(rows):
                best, chosen, n_best = gain, (j, cut), 1
            elif gain >= best - self._equal(rows) and gain > -np.inf:
                n_best += 1
                if draw_below(self.state, n_best) == 0:
                    chosen = (j, cut)
        return chosen if differ else None

    def _first_best(self, rows, tried):
        """One column after the other, up to one that parts the rows as well as any way to part them."""
        best, chosen, differ = -np.inf, (-1, 0.0), False
        ways = range(1, 2 ** len(rows) - 1) if len(rows) <= FEW_ROWS else ()
        most = max((self._squares(rows) - self._split_squares(rows, way) for way in ways), default=np.inf)
        for t in range(tried, len(self.order)):
            if t >= self.m and differ:
                break
            x = self.X[rows, self._pick(t)]
            if x.min() == x.max():
                continue
            differ, cut = True, x.min() + draw_uniform(self.state) * (x.max() - x.min())
            gain = self._gain(rows, x <= cut)
            if gain > best + self._equal(rows):
                best, chosen = gain, (self.order[t], cut)
                if gain + self._equal(rows) >= most:
                    break
        return chosen

    def _squares(self, rows):
        mean = np.average(self.y[rows], weights=self.s[rows])
        return np.sum(self.s[rows] * (self.y[rows] - mean) ** 2)

    def _split_squares(self, rows, way):
        left = np.array([bool(way >> i & 1) for i in range(len(rows))])
        return self._squares(rows[left]) + self._squares(rows[~left])

    def _equal(self, rows):
        return EQUAL * self._squares(rows)

    def _gain(self, rows, left):
        if min(left.sum(), (~left).sum()) < self.min_leaf:
            return -np.inf
        return self._squares(rows) - self._squares(rows[left]) - self._squares(rows[~left])


@pytest.mark.parametrize("m", [2, 5])
@pytest.mark.parametrize(
    ("n_classes", "weighted", "min_leaf"), [(0, False, 1), (0, True, 1), (2, True, 1), (0, True, 4)]
)
def test_a_slow_twin_draws_the_same_tree(m, n_classes, weighted, min_leaf, monkeypatch):
    monkeypatch.setattr(drawn_cuts, "BLOCK_SIZE", 300)  # 60 rows: nodes outside of blocks and in them
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.standard_normal((250, 3)), rng.integers(0, 3, 250), np.ones(250)])
    y = X[:, 0] + 0.5 * rng.standard_normal(250)
    y = (y > 0.0).astype(float) if n_classes else y
    s = rng.integers(1, 4, 250).astype(float) if weighted else np.ones(250)
    nodes = grown(X, y, n_classes, s, max_features=m, min_samples_leaf=min_leaf)
    twin = Twin(X, y, s, m, grow._generator(Drawn, 3), min_leaf)
    with np.errstate(over="ignore"):  # the generator multiplies modulo 2^64
        twin.split(np.arange(250))
    columns, cuts = (np.array(each) for each in zip(*twin.nodes))
    assert np.array_equal(nodes.column, columns)
    split = columns >= 0
    # a compiled loop may round the product and the sum of a threshold at once
    np.testing.assert_allclose(nodes.threshold[split], cuts[split], rtol=0.0, atol=4 * np.finfo(float).eps * np.ptp(X))


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
