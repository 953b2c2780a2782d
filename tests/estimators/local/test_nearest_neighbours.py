"""k nearest neighbours: by hand, against scikit-learn and R, and by their own laws."""

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.neighbors as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from separatrix.linear_model import LinearRegression, LogisticRegression
from separatrix.neighbors import KNeighborsClassifier, KNeighborsRegressor
from separatrix.prediction.neighbours import weighted_median

TESTS = Path(__file__).resolve().parents[2]
VOWELS = TESTS.parents[1] / "shared" / "data" / "esl"
METRICS = ["minkowski", "manhattan", "cityblock", "chebyshev", "cosine", "canberra", "l1", "l2"]


def data(n=120, m=40, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X, Q = rng.standard_normal((n, p)), rng.standard_normal((m, p))
    return X, np.digitize(X[:, 0] + rng.standard_normal(n), [-0.5, 0.5]), Q


# ------------------------------------------------------------------ what is computed


@pytest.mark.mission("KNN-01")
@pytest.mark.parametrize("k", [1, 3, 20])
def test_the_regression_is_the_mean_over_the_k_nearest(k):
    X, y, Q = data()
    fitted = KNeighborsRegressor(k).fit(X, y).predict(Q)
    for q, value in zip(Q, fitted):
        nearest = sorted(range(len(X)), key=lambda i: sum((a - b) ** 2 for a, b in zip(X[i], q)))[:k]
        assert value == pytest.approx(sum(y[i] for i in nearest) / k, rel=1e-14)


@pytest.mark.mission("KNN-02")
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_votes_and_probabilities_agree_and_probabilities_are_shares(weights):
    X, y, Q = data()
    model = KNeighborsClassifier(7, weights=weights).fit(X, y)
    shares = model.predict_proba(Q)
    assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-15)
    assert_array_equal(model.predict(Q), model.classes_[shares.argmax(axis=1)])
    if weights == "uniform":
        votes = np.array([np.bincount(y[near], minlength=3) for near in model.kneighbors(Q, return_distance=False)])
        assert_array_equal(shares, votes / 7)


@pytest.mark.mission("KNN-02")
def test_a_tied_vote_goes_to_the_first_class_and_the_second_needs_more_than_half():
    X = [[-1.0], [1.0], [3.0]]
    model = KNeighborsClassifier(2).fit(X, [1, 0, 1])
    assert_array_equal(model.predict_proba([[0.0]]), [[0.5, 0.5]])
    assert_array_equal(model.predict([[0.0]]), [0])
    assert_array_equal(KNeighborsClassifier(3).fit(X, [1, 0, 1]).predict([[0.0]]), [1])
    assert_array_equal(KNeighborsClassifier(3).fit(X, ["c", "b", "a"]).predict([[0.0]]), ["a"])


@pytest.mark.mission("KNN-02")
def test_of_equally_near_rows_the_first_counts():
    X = [[1.0], [-1.0], [1.0]]
    assert_array_equal(KNeighborsClassifier(1).fit(X, [5, 6, 7]).predict([[0.0]]), [5])
    assert_array_equal(KNeighborsClassifier(2).fit(X, [5, 6, 7]).kneighbors([[0.0]])[1], [[0, 1]])


@pytest.mark.mission("KNN-03")
def test_one_neighbour_repeats_the_training_labels():
    X, y, _ = data()
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1.0
    assert KNeighborsRegressor(1).fit(X, y).score(X, y) == 1.0


@pytest.mark.mission("KNN-03")
def test_k_is_chosen_on_a_validation_set():
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, (900, 2))
    y = (X[:, 0] * X[:, 1] > 0.0) ^ (rng.random(900) < 0.25)
    sizes = [1, 5, 31, 301]
    scores = [KNeighborsClassifier(k).fit(X[:500], y[:500]).score(X[500:], y[500:]) for k in sizes]
    assert np.argmax(scores) in (1, 2)
    assert min(scores[1:3]) > max(scores[0], scores[3])


@pytest.mark.mission("KNN-04")
def test_another_metric_has_other_neighbours_as_computed_by_hand():
    """From the origin: (3, 3) is at 4.24, 6 and 3; (0, 5) at 5, 5 and 5; (4.5, 0.2) at 4.504, 4.7 and 4.5."""
    X, y = [[3.0, 3.0], [0.0, 5.0], [4.5, 0.2]], ["diagonal", "up", "right"]
    by = {
        name: KNeighborsClassifier(1, metric=name).fit(X, y).predict([[0.0, 0.0]])[0]
        for name in ("euclidean", "manhattan", "chebyshev")
    }
    assert by == {"euclidean": "diagonal", "manhattan": "right", "chebyshev": "diagonal"}
    order = KNeighborsClassifier(3, p=1).fit(X, y).kneighbors([[0.0, 0.0]])
    assert_allclose(order[0], [[4.7, 5.0, 6.0]], rtol=1e-15)
    assert_array_equal(order[1], [[2, 1, 0]])
    angle = KNeighborsClassifier(3, metric="cosine").fit(X, y).kneighbors([[0.0, 2.0]])
    assert_array_equal(angle[1], [[1, 0, 2]])
    assert_allclose(angle[0][0, :2], [0.0, 1.0 - np.sqrt(0.5)], atol=1e-15)


@pytest.mark.mission("KNN-05")
def test_the_error_shrinks_when_k_is_the_root_of_n():
    """E(y|x) = sin(2 pi x1) + x2: the squared error falls by a factor of more than two with eight times the rows."""
    errors = []
    for n in (200, 1600, 12800):
        rng = np.random.default_rng(n)
        X, Q = rng.random((n, 2)), 0.1 + 0.8 * rng.random((500, 2))
        y = np.sin(2.0 * np.pi * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(n)
        fitted = KNeighborsRegressor(round(np.sqrt(n))).fit(X, y).predict(Q)
        errors.append(np.mean((fitted - np.sin(2.0 * np.pi * Q[:, 0]) - Q[:, 1]) ** 2))
    assert errors[1] < errors[0] / 2.0 and errors[2] < errors[1] / 2.0
    assert errors[2] < 0.01


@pytest.mark.mission("KNN-06")
def test_least_squares_is_stiff_where_neighbours_follow_and_calm_where_they_jump():
    """Bias and variance at a point, over repeated samples of a curved truth."""
    rng = np.random.default_rng(0)
    at, truth = np.array([[0.25]]), 1.0
    found = {"linear": [], "nearest": []}
    for _ in range(200):
        x = rng.random((60, 1))
        y = np.sin(2.0 * np.pi * x[:, 0]) + 0.3 * rng.standard_normal(60)
        found["linear"].append(LinearRegression().fit(x, y).predict(at)[0])
        found["nearest"].append(KNeighborsRegressor(3).fit(x, y).predict(at)[0])
    bias = {name: abs(np.mean(values) - truth) for name, values in found.items()}
    assert bias["linear"] > 5.0 * bias["nearest"]
    assert np.var(found["nearest"]) > 2.0 * np.var(found["linear"])


@pytest.mark.mission("EV-20")
def test_what_is_kept_grows_with_the_training_set_and_not_so_for_a_parametric_model():
    X, y, _ = data(n=200)
    count = [KNeighborsClassifier().fit(X[:n], y[:n]).n_parameters_ for n in (50, 100, 200)]
    assert count == [50 * 5, 100 * 5, 200 * 5]
    assert KNeighborsRegressor().fit(X, np.column_stack([y, y])).n_parameters_ == 200 * 6
    assert len({LogisticRegression().fit(X[:n], y[:n]).n_parameters_ for n in (50, 100, 200)}) == 1


# ------------------------------------------------------------------ against others


@pytest.mark.mission("KNN-02")
@pytest.mark.parametrize("k", [1, 4, 9, 20])
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_vowels_are_classified_as_by_knn_of_r(k, algorithm):
    if not (VOWELS / "vowel.train.csv").is_file():
        pytest.skip("the vowel data are not here")

    def read(name):
        with open(VOWELS / name) as file:
            rows = list(csv.DictReader(file))
        columns = [c for c in rows[0] if c.startswith("x")]
        return np.array([[float(r[c]) for c in columns] for r in rows]), np.array([int(r["y"]) for r in rows])

    (X, y), (Q, _) = read("vowel.train.csv"), read("vowel.test.csv")
    with open(TESTS / "oracles" / "nearest_neighbours.csv") as file:
        rows = [r for r in csv.DictReader(line for line in file if line[0] != "#") if int(r["k"]) == k]
    model = KNeighborsClassifier(k, algorithm=algorithm).fit(X, y)
    distance, _ = model.kneighbors(Q, k + 1)
    alone = distance[:, k] ** 2 > (1.0 + 2e-4) * distance[:, k - 1] ** 2  # knn takes in all that are as near up to 1e-4
    assert alone.mean() > 0.9
    shares = model.predict_proba(Q)
    assert_allclose(shares.max(axis=1)[alone], np.array([float(r["share"]) for r in rows])[alone], atol=1e-6)
    clear = alone & ((shares == shares.max(axis=1, keepdims=True)).sum(axis=1) == 1)
    assert clear.mean() > 0.7
    assert_array_equal(model.predict(Q)[clear], np.array([int(r["class"]) for r in rows])[clear])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: np.exp(-d)])
def test_answers_are_scikit_learns(metric, weights):
    X, y, Q = data()
    options = {"metric": metric, "weights": weights, "n_neighbors": 6}
    ours, reference = KNeighborsClassifier(**options).fit(X, y), theirs.KNeighborsClassifier(**options).fit(X, y)
    for mine, other in zip(ours.kneighbors(Q), reference.kneighbors(Q)):
        assert_allclose(mine, other, rtol=1e-7, atol=1e-12)
    assert_allclose(ours.predict_proba(Q), reference.predict_proba(Q), rtol=1e-7, atol=1e-12)
    assert_array_equal(ours.predict(Q), reference.predict(Q))
    Y = np.column_stack([y, X[:, 1]])
    mine = KNeighborsRegressor(**options).fit(X, Y).predict(Q)
    assert_allclose(mine, theirs.KNeighborsRegressor(**options).fit(X, Y).predict(Q), rtol=1e-7, atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(
    n=st.integers(5, 60),
    p=st.integers(1, 6),
    k=st.integers(1, 5),
    metric=st.sampled_from(METRICS),
    algorithm=st.sampled_from(["auto", "brute", "kd_tree"]),
    repeat=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_distances_are_scikit_learns_and_indices_where_nothing_ties(n, p, k, metric, algorithm, repeat, seed):
    rng = np.random.default_rng(seed)
    X, Q = rng.standard_normal((n, p)), rng.standard_normal((9, p))
    if repeat:
        X = X[rng.integers(0, n, n)]
    if algorithm == "kd_tree" and metric == "canberra":
        algorithm = "brute"
    ours = KNeighborsRegressor(k, metric=metric, algorithm=algorithm).fit(X, X)
    distance, index = ours.kneighbors(Q)
    reference, other = theirs.KNeighborsRegressor(k, metric=metric, algorithm="brute").fit(X, X).kneighbors(Q)
    assert_allclose(distance, reference, rtol=1e-6, atol=1e-7)
    assert (np.diff(distance, axis=1) >= 0.0).all()
    apart = (np.diff(ours.kneighbors(Q, min(k + 1, n))[0], axis=1) > 1e-6).all(axis=1)
    assert_array_equal(index[apart], other[apart])


@pytest.mark.parametrize(
    "metric, params",
    [
        ("minkowski", {"w": np.array([1.0, 0.5, 2.0, 0.0])}),
        ("minkowski", {"p": 3}),
        ("seuclidean", {"V": np.array([1.0, 4.0, 9.0, 16.0])}),
        ("mahalanobis", {"VI": np.diag([1.0, 2.0, 3.0, 4.0])}),
        (lambda a, b, power: (np.abs(a - b) ** power).sum(), {"power": 1.5}),
    ],
    ids=["weighted", "cubes", "seuclidean", "mahalanobis", "function"],
)
@pytest.mark.filterwarnings("ignore:Parameter p is found")
def test_metrics_with_parameters_are_scikit_learns(metric, params):
    X, y, Q = data()
    options = {"metric": metric, "metric_params": params}
    ours = KNeighborsRegressor(**options).fit(X, y)
    reference = theirs.KNeighborsRegressor(**options, algorithm="brute").fit(X, y)
    for mine, other in zip(ours.kneighbors(Q), reference.kneighbors(Q)):
        assert_allclose(mine, other, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:Mind that for 0 < p < 1")
def test_the_effective_metric_is_scikit_learns():
    X, y, _ = data()
    for p in (1, 2, 3, 0.5, np.inf):
        ours = KNeighborsClassifier(p=p).fit(X, y)
        reference = theirs.KNeighborsClassifier(p=p, algorithm="brute").fit(X, y)
        assert ours.effective_metric_ == reference.effective_metric_
        assert ours.effective_metric_params_ == reference.effective_metric_params_


def test_training_rows_are_not_their_own_neighbours_and_predict_none_leaves_one_out():
    X, y = load_iris(return_X_y=True)  # with rows that occur twice
    for algorithm in ("brute", "kd_tree"):
        model = KNeighborsClassifier(4, algorithm=algorithm).fit(X, y)
        _, index = model.kneighbors()
        assert (index != np.arange(150)[:, None]).all()
        others = [np.delete(np.arange(150), i) for i in range(150)]
        one_out = [KNeighborsClassifier(4).fit(X[o], y[o]).predict(X[i : i + 1])[0] for i, o in enumerate(others)]
        assert_array_equal(model.predict(None), one_out)
    same = KNeighborsRegressor(2).fit(np.zeros((6, 1)), np.arange(6.0))
    assert_array_equal(same.kneighbors(return_distance=False), [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1], [0, 1]])


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
def test_graphs_are_scikit_learns(mode):
    X, y, Q = data()
    ours, reference = KNeighborsClassifier().fit(X, y), theirs.KNeighborsClassifier().fit(X, y)
    for rows in (Q, None):
        graph = ours.kneighbors_graph(rows, 3, mode)
        assert_allclose(graph.toarray(), reference.kneighbors_graph(rows, 3, mode).toarray(), rtol=1e-9)


def test_labels_of_several_columns_are_classified_as_by_scikit_learn():
    X, y, Q = data()
    Y = np.column_stack([y, y > 0, X[:, 1] > 0])
    ours, reference = KNeighborsClassifier().fit(X, Y), theirs.KNeighborsClassifier().fit(X, Y)
    assert ours.outputs_2d_
    assert_array_equal(ours.predict(Q), reference.predict(Q))
    for mine, other in zip(ours.predict_proba(Q), reference.predict_proba(Q)):
        assert_allclose(mine, other)


def test_a_query_on_training_rows_takes_those_only_when_weighted_by_distance():
    X, y = [[0.0], [0.0], [1.0], [2.0]], [1.0, 3.0, 100.0, 100.0]
    assert_array_equal(KNeighborsRegressor(4, weights="distance").fit(X, y).predict([[0.0]]), [2.0])
    assert_allclose(KNeighborsRegressor(4, weights="distance").fit(X, y).predict([[-1.0]]), [(4 + 250 / 3) / (17 / 6)])


def test_the_median_of_the_neighbours_and_its_weighted_kin():
    X, y = np.arange(5.0)[:, None], np.array([1.0, 2.0, 3.0, 4.0, 1000.0])
    for k, value in ((5, 3.0), (4, 2.5), (3, 2.0)):
        assert_array_equal(KNeighborsRegressor(k, average="median").fit(X, y).predict([[0.9]]), [value])
    repeated = np.repeat([3.0, 1.0, 7.0, 2.0], [1, 4, 2, 3])
    assert_array_equal(
        weighted_median(np.array([[3.0, 1.0, 7.0, 2.0]]), np.array([[1.0, 4.0, 2.0, 3.0]])), [np.median(repeated)]
    )
    near = KNeighborsRegressor(3, average="median", weights=lambda d: np.where(d < 0.5, 1.0, 0.0)).fit(X, y)
    assert_array_equal(near.predict([[4.1]]), [1000.0])


def test_one_class_is_a_class_too():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0]], ["only", "only"])
    assert_array_equal(model.predict([[5.0]]), ["only"])
    assert_array_equal(model.predict_proba([[5.0]]), [[1.0]])


def test_ball_tree_and_sparse_rows_and_leaves_do_not_change_the_answer():
    X, y, Q = data()
    expected = KNeighborsClassifier(algorithm="brute").fit(X, y).kneighbors(Q)
    for options in ({"algorithm": "ball_tree"}, {"algorithm": "kd_tree", "leaf_size": 1}, {"algorithm": "kd_tree"}):
        for rows in (X, sp.csr_array(X)):
            for mine, other in zip(KNeighborsClassifier(**options, n_jobs=2).fit(rows, y).kneighbors(Q), expected):
                assert_array_equal(mine, other)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    "options, kind, said",
    [
        ({"n_neighbors": 0}, ValueError, r"n_neighbors=0: n_neighbors must be an integer in \[1, inf\)"),
        ({"n_neighbors": 2.0}, TypeError, "n_neighbors=2.0"),
        ({"n_neighbors": True}, TypeError, "n_neighbors=True"),
        ({"weights": "cubic"}, ValueError, "weights='cubic'"),
        ({"algorithm": "r_tree"}, ValueError, "algorithm='r_tree'"),
        ({"leaf_size": 0}, ValueError, "leaf_size=0"),
        ({"p": 0}, ValueError, "p=0"),
        ({"p": "two"}, TypeError, "p='two'"),
        ({"metric": "taxicab"}, ValueError, "metric='taxicab': no distance has this name.*cityblock"),
        ({"metric": 3}, ValueError, "metric=3"),
        ({"metric": "precomputed"}, ValueError, "metric='precomputed'"),
        ({"metric": "cosine", "metric_params": {"p": 1}}, ValueError, "'cosine' has no parameters"),
        ({"metric_params": {"p": -1}}, ValueError, "p=-1"),
        ({"metric_params": 3}, TypeError, "metric_params=3"),
        ({"metric": "mahalanobis"}, ValueError, "inverse covariance.*'VI'"),
        ({"metric": "canberra", "algorithm": "kd_tree"}, ValueError, "k-d tree.*algorithm='brute'"),
    ],
)
def test_a_bad_parameter_is_named(options, kind, said):
    X, y, _ = data()
    for model in (KNeighborsClassifier, KNeighborsRegressor):
        with pytest.raises(kind, match=said):
            model(**options).fit(X, y)


def test_more_neighbours_than_rows_are_refused_with_both_numbers():
    model = KNeighborsClassifier(5).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    with pytest.raises(ValueError, match=r"n_neighbors=5 .* n_samples=3 .*n_neighbors <= 3"):
        model.predict([[0.0]])
    with pytest.raises(ValueError, match=r"n_neighbors=3 .* n_samples=3 .* not its own neighbour.*n_neighbors <= 2"):
        model.kneighbors(None, 3)
    assert model.kneighbors([[0.0]], 3)[1].shape == (1, 3)
    for asked, kind in ((0, ValueError), (1.5, TypeError), (True, ValueError)):
        with pytest.raises(kind, match="integer in"):
            model.kneighbors([[0.0]], asked)


def test_what_cannot_be_averaged_or_drawn_is_refused():
    X, y, Q = data()
    with pytest.raises(ValueError, match="all zero"):
        KNeighborsClassifier(weights=lambda d: 0.0 * d).fit(X, y).predict(Q)
    with pytest.raises(ValueError, match="weights of shape"):
        KNeighborsRegressor(weights=lambda d: d[:, 0]).fit(X, y).predict(Q)
    with pytest.raises(ValueError, match="mode='edges'"):
        KNeighborsRegressor().fit(X, y).kneighbors_graph(Q, mode="edges")
    with pytest.raises(ValueError, match="average='mode'"):
        KNeighborsRegressor(average="mode").fit(X, y)
    with pytest.raises(ValueError, match="gives NaN"):
        KNeighborsRegressor(metric="correlation").fit(np.ones((9, 2)), np.ones(9)).predict(np.ones((1, 2)))
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KNeighborsClassifier().fit(X, y)


@pytest.mark.parametrize("form", ["bsr", "dok"])
def test_distances_that_lose_their_zeros_are_refused(form):
    X = np.random.default_rng(0).normal(size=(40, 3))
    graph = KNeighborsRegressor(10).fit(X, X[:, 0]).kneighbors_graph(mode="distance")
    lossy = graph.asformat(form)
    model = KNeighborsRegressor(metric="precomputed").fit(graph, X[:, 0])
    for use in (
        model.predict,
        model.kneighbors,
        lambda D: KNeighborsClassifier(metric="precomputed").fit(D, X[:, 0] > 0),
    ):
        with pytest.raises(TypeError, match="does not tell a distance of 0 from one that is not stored"):
            use(lossy)


@pytest.mark.parametrize(
    "index",
    [theirs.NearestNeighbors().fit(np.eye(6)), theirs.KDTree(np.eye(6))],
    ids=lambda index: type(index).__name__,
)
def test_an_index_in_place_of_rows_is_refused_in_plain_words(index):
    with pytest.raises(TypeError, match="in place of X in KNeighborsClassifier: it is an index of rows, not the rows"):
        KNeighborsClassifier(1).fit(index, np.arange(6) % 2)
