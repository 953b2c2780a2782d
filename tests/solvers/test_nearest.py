"""The search for nearest rows: exact on lattices full of ties, and the same in every digit by every way."""

import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from separatrix.solvers.compiled.nearest import close, collect
from separatrix.solvers.neighbours import nearest, screen
from separatrix.solvers.neighbours.metrics import metric_of
from separatrix.solvers.neighbours.nearest import Index
from separatrix.solvers.neighbours.screen import Screen

POWERS = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf, "minkowski": 3}
WAYS = ["blocks", "screened", "kd_tree"]


def search(X, Q, k, way="blocks", metric="euclidean", p=3):
    """The k nearest rows, by a way that is prescribed."""
    algorithm = "kd_tree" if way == "kd_tree" else "brute"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "SCREEN_FROM", 0 if way == "screened" else 1 << 80)
        patch.setattr(nearest, "FEW", 1)
        return Index(X, metric_of(metric, p), algorithm).nearest(Q, k)


def lattice(n=300, p=3, m=60, seed=0, side=4):
    """Small integers: most distances occur many times, and many rows are equal."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, side, (n, p)).astype(float), rng.integers(0, side, (m, p)).astype(float)


def exactly(X, Q, k, power):
    """Indices by integer arithmetic alone: sorted by distance, then by position."""
    found = []
    for q in Q.astype(int).tolist():
        sizes = [[abs(a - b) for a, b in zip(q, x)] for x in X.astype(int).tolist()]
        reduced = [max(s) if power == np.inf else sum(d**power for d in s) for s in sizes]
        found.append(sorted(range(len(X)), key=lambda j: (reduced[j], j))[:k])
    return np.array(found)


def one_by_one(X, Q, k):
    """Squared distances in plain Python, from the first column to the last; indices and their distances."""
    index, distance = [], []
    for q in Q.tolist():
        reduced = []
        for x in X.tolist():
            total = 0.0
            for a, b in zip(q, x):
                total += (a - b) * (a - b)
            reduced.append(total)
        index.append(sorted(range(len(X)), key=lambda j: (reduced[j], j))[:k])
        distance.append([np.sqrt(reduced[j]) for j in index[-1]])
    return np.array(distance), np.array(index)


@pytest.mark.mission("KNN-01", "KNN-04")
@pytest.mark.parametrize("metric", POWERS)
@pytest.mark.parametrize("way", ["blocks", "kd_tree"])
@pytest.mark.parametrize("k", [1, 7, 299, 300])
def test_on_a_lattice_the_order_is_that_of_integer_arithmetic(metric, way, k):
    X, Q = lattice()
    _, index = search(X, Q, k, way, metric)
    assert_array_equal(index, exactly(X, Q, k, POWERS[metric]))


@pytest.mark.mission("KNN-01")
@pytest.mark.parametrize("k", [1, 10, 37])
@pytest.mark.parametrize("p", [1, 3, 9])
def test_the_screen_keeps_every_tie_of_a_lattice(k, p):
    X, Q = lattice(p=p, side=3 if p < 9 else 2)
    assert_array_equal(search(X, Q, k, "screened")[1], exactly(X, Q, k, 2))


SHIFTS = st.sampled_from([0.0, 1.0, 1e4, -1e8])
SCALES = st.sampled_from([1.0, 1e-20, 1e20, 1e-5])


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(64, 90),
    m=st.integers(1, 20),
    p=st.integers(1, 12),
    k=st.integers(1, 8),
    shift=SHIFTS,
    scale=SCALES,
    repeat=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_every_way_gives_every_digit_of_plain_python(n, m, p, k, shift, scale, repeat, seed):
    rng = np.random.default_rng(seed)
    X, Q = scale * (shift + rng.standard_normal((n, p))), scale * (shift + rng.standard_normal((m, p)))
    if repeat:
        X = X[rng.integers(0, n, n)]
        Q[: m // 2] = X[rng.integers(0, n, m // 2)]
    expected = one_by_one(X, Q, k)
    for way in WAYS:
        for found, right in zip(search(X, Q, k, way), expected):
            assert_array_equal(found, right, err_msg=way)


def hard_cases():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((3000, 5))
    clusters = rng.integers(0, 2, (3000, 1)) * 1e3 + 1e-4 * rng.standard_normal((3000, 5))
    outlier = X.copy()
    outlier[17] = 1e12
    scales = X * 10.0 ** rng.integers(-15, 16, (3000, 1))
    return {
        "ordinary": X,
        "offset": X + 1e7,
        "two far clusters of tiny extent": clusters,
        "one outlier": outlier,
        "rows of every size": scales,
        "columns of every size": X * 10.0 ** np.arange(-10.0, 15.0, 5.0),
        "all equal": np.ones((3000, 5)),
        "two values": np.repeat([[0.0], [1.0]], 1500, axis=0) * np.ones(5),
        "tiny": X * 1e-20,
        "huge": X * 1e20,
        "float32": X.astype(np.float32),
        "squares underflow": X * 1e-170,
        "squares overflow": X * 1e160,
    }


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("case", hard_cases())
def test_on_hard_data_all_ways_agree_in_every_digit(case):
    X = hard_cases()[case]
    rng = np.random.default_rng(0)
    Q = np.vstack([X[:40], X[40:80] * (1.0 + 1e-7 * rng.standard_normal((40, 5))), X[80:90] + X[90:100], 0.0 * X[:2]])
    k = 10
    expected = search(X, Q, k)
    for way in WAYS[1:]:
        for found, right in zip(search(X, Q, k, way), expected):
            assert_array_equal(found, right, err_msg=way)
    with np.errstate(over="ignore", under="ignore"):
        X, Q = X.astype(float), Q.astype(float)
        naive = np.zeros((len(Q), len(X)))
        for j in range(5):
            naive += (Q[:, j, None] - X[:, j]) ** 2
    assert_array_equal(expected[1], np.argsort(naive, axis=1, kind="stable")[:, :k])


def test_queries_far_beyond_the_training_rows_are_answered():
    X = np.random.default_rng(0).standard_normal((500, 4))
    Q = np.vstack([X[:3] * 1e8, X[3:6] + 1e30, X[6:9]])
    for found, right in zip(search(X, Q, 5, "screened"), search(X, Q, 5)):
        assert_array_equal(found, right)


@pytest.mark.parametrize("p", [1, 4, 20, 150])
@pytest.mark.parametrize("offset", [0.0, 30.0])
def test_the_bounds_of_the_screen_hold_in_rational_arithmetic(p, offset):
    """Lower and upper bounds around the exact squared distance, in the units of the screen."""
    rng = np.random.default_rng(p)
    X, Q = rng.standard_normal((40, p)), 3.0 * rng.standard_normal((12, p)) + offset
    screen = Screen(X)
    left = np.hstack([-2.0 * screen._place(Q), np.ones((12, 1))]).astype(np.float32)
    t = left @ screen.rows.T
    rounded = left[:, :p].astype(float) / 2.0
    b = (rounded**2).sum(axis=1)
    for i in range(12):
        for j in range(40):
            exact = sum((Fraction(q) - Fraction(x)) ** 2 for q, x in zip(Q[i].tolist(), X[j].tolist()))
            exact /= Fraction(4) ** screen.exponent
            low = Fraction(float(t[i, j])) + Fraction((1.0 - screen.kappa) * b[i])
            high = Fraction(float(t[i, j])) + Fraction(screen.reach[j]) + Fraction((1.0 + screen.kappa) * b[i])
            assert low <= exact <= high


def test_the_screen_leaves_little_to_float64():
    rng = np.random.default_rng(0)
    X, Q = rng.standard_normal((4000, 10)), rng.standard_normal((200, 10))
    i, _, lost = Screen(X).candidates(Q, 10)
    assert len(lost) == 0
    assert len(i) < 1.02 * 10 * len(Q)


def test_one_wild_row_does_not_blind_the_screen():
    X = hard_cases()["one outlier"]
    i, _, lost = Screen(X).candidates(X[20:70], 10)
    assert len(lost) == 0
    assert len(i) < 1.02 * 10 * 50


def test_rows_whose_distances_tie_up_to_rounding_are_ranked_by_one_sum():
    """Permutations of the same differences: which is nearest depends on the order of a sum, and there is only one."""
    rng = np.random.default_rng(0)
    X = np.array([rng.permutation(np.arange(1.0, 12.0) / 10.0) for _ in range(400)])
    Q = np.zeros((3, 11))
    expected = one_by_one(X, Q, 6)
    assert len(np.unique(expected[0])) > 1 or (expected[1][0] != np.arange(6)).any()
    for way in WAYS:
        for found, right in zip(search(X, Q, 6, way), expected):
            assert_array_equal(found, right, err_msg=way)


def test_equal_rows_without_number_are_handed_to_float64():
    _, _, lost = Screen(np.ones((2000, 3))).candidates(np.ones((4, 3)), 5)
    assert_array_equal(lost, np.arange(4))


def test_compiled_and_plain_loops_collect_the_same():
    rng = np.random.default_rng(1)
    tiles = rng.standard_normal((3, 7, 150)).astype(np.float32)

    def run(collect, close):
        state = [np.full(7, np.inf, dtype=np.float32), np.full((7, 4), np.inf), np.empty((7, 40), dtype=np.float32)]
        state += [np.empty((7, 40), dtype=np.int64), np.zeros(7, dtype=np.int64)]
        for first, tile in enumerate(tiles):
            collect(tile, 150 * first, np.full(150, 1e-3), np.full(7, 1e-3), *state)
        bounds, _, values, indices, counts = state
        close(bounds, values, indices, counts)
        return [sorted(indices[r, : counts[r]].tolist()) for r in range(7)]

    assert run(collect, close) == run(collect.py_func, close.py_func)
    everything = tiles.transpose(1, 0, 2).reshape(7, -1)
    for row, kept in zip(everything, run(collect, close)):
        assert set(np.argsort(row)[:4]) <= set(kept)
        assert len(kept) < 10


@pytest.mark.parametrize("way", WAYS)
def test_block_sizes_and_threads_do_not_show(way, monkeypatch):
    X, Q = lattice(n=700, m=90)
    before = search(X, Q, 9, way)
    monkeypatch.setattr(nearest, "TILE", 900)
    monkeypatch.setattr(nearest, "QUERIES", 17)
    monkeypatch.setattr(screen, "WIDTH", 100)
    monkeypatch.setenv("SEPARATRIX_THREADS", "3")
    for found, right in zip(search(X, Q, 9, way), before):
        assert_array_equal(found, right)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "chebyshev", "minkowski", "canberra"])
@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_sparse_and_dense_rows_have_the_same_neighbours(metric, storage):
    rng = np.random.default_rng(0)
    X = rng.integers(1, 5, (200, 30)) * (rng.random((200, 30)) < 0.2).astype(float)
    Q = rng.integers(1, 5, (40, 30)) * (rng.random((40, 30)) < 0.2).astype(float)
    X[3] = Q[5] = 0.0
    dense = search(X, Q, 6, metric=metric)
    for mixed in ((storage(X), storage(Q)), (storage(X), Q), (X, storage(Q))):
        distance, index = search(*mixed, 6, metric=metric)
        np.testing.assert_allclose(distance, dense[0], rtol=1e-14, atol=1e-15)
        if metric not in (
            "cosine",
            "canberra",
        ):  # lengths and quotients are rounded; what ties exactly may not after it
            assert_array_equal(distance, dense[0])
            assert_array_equal(index, dense[1])


def test_sparse_entries_that_are_unsorted_or_doubled_mean_their_sum_and_stay_as_they_were():
    X = sp.csr_array((np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 0, 1]), np.array([0, 2, 4])), shape=(2, 3))
    before = X.indices.copy()
    distance, index = search(X, X, 2)
    assert_array_equal(distance, [[0.0, np.sqrt(18.0)]] * 2)
    assert_array_equal(index, [[0, 1], [1, 0]])
    assert_array_equal(X.indices, before)


@pytest.mark.parametrize("way", ["brute", "kd_tree"])
@pytest.mark.parametrize("metric", POWERS)
def test_a_window_holds_what_is_within_its_radius_and_on_its_edge(way, metric):
    X, Q = lattice(n=200)
    counts, distance, index = Index(X, metric_of(metric, 3), way).within(Q, 2.0)
    power = POWERS[metric]
    start = 0
    for q, count in zip(Q.astype(int), counts):
        sizes = np.abs(X.astype(int) - q)
        inside = sizes.max(axis=1) <= 2 if power == np.inf else (sizes**power).sum(axis=1) <= 2**power
        assert_array_equal(index[start : start + count], np.flatnonzero(inside))
        start += count
    assert start == len(index) == len(distance) and distance.max() == 2.0


def test_no_more_than_a_few_tiles_of_distances_are_held():
    rng = np.random.default_rng(0)
    X, Q = rng.standard_normal((20_000, 9)), rng.standard_normal((1000, 9))
    for way in ("blocks", "screened"):
        tracemalloc.start()
        search(X, Q, 5, way)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.3 * 8 * len(X) * len(Q)


def test_a_small_search_does_not_wait_for_the_compiler():
    code = (
        "import sys, numpy as np; from separatrix.neighbors import KNeighborsClassifier\n"
        "X = np.random.default_rng(0).standard_normal((2000, 9)); y = X[:, 0] > 0\n"
        "KNeighborsClassifier().fit(X, y).predict(X); assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_large_search_is_screened_and_a_low_dimension_has_a_tree(monkeypatch):
    made = []
    monkeypatch.setattr(nearest, "Screen", type("Spy", (Screen,), {"__init__": lambda s, X: made.append(X.shape)}))
    rng = np.random.default_rng(0)
    index = Index(rng.standard_normal((1 << 13, 24)), metric_of())
    assert index.tree is None
    with pytest.raises(AttributeError):  # the spy is no screen
        index.nearest(rng.standard_normal((1 << 10, 24)), 3)
    assert made == [(1 << 13, 24)]
    assert Index(rng.standard_normal((4000, 2)), metric_of()).tree is not None
    assert Index(rng.standard_normal((4000, 2)), metric_of("cosine")).tree is None
    assert Index(rng.standard_normal((4000, 4)), metric_of("manhattan")).tree is not None
    assert Index(rng.standard_normal((4000, 4)), metric_of("canberra")).tree is None
