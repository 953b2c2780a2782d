"""Chow-Liu trees: against all trees, the full joint table, other libraries' informations, and published numbers."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import mutual_info_score

import separatrix
from separatrix.core.errors import IncompleteRows
from separatrix.designs.pair_counts import pair_counts
from separatrix.estimators.graphical.tree_tables import informations, shares
from separatrix.graphical import ChowLiuTree, Graph, kl_divergence, markov_property

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "discrete"
EPS = np.finfo(np.float64).eps
JOINT = np.array([20, 4, 6, 10, 3, 12, 5, 40.0])
CELLS = np.array(list(product([0, 1], repeat=3)))


def random_joint(shape, seed, zeros=False):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(np.prod(shape))).reshape(shape)
    if zeros:
        P[rng.random(shape) < 0.4] = 0.0
        P /= P.sum()
    return P


def of_joint(P, **options):
    """A tree fitted to a joint table: all cells as rows, their probabilities as weights."""
    cells = np.indices(P.shape).reshape(P.ndim, -1).T
    categories = [list(range(size)) for size in P.shape]
    return ChowLiuTree(smoothing=0.0, categories=categories, **options).fit(cells, sample_weight=P.ravel())


def dependent(n=400, seed=0, sizes=(3, 2, 4, 2, 3)):
    """Columns that depend on each other in a chain."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, len(sizes)), dtype=int)
    X[:, 0] = rng.integers(0, sizes[0], n)
    for j in range(1, len(sizes)):
        X[:, j] = np.where(rng.random(n) < 0.7, X[:, j - 1] % sizes[j], rng.integers(0, sizes[j], n))
    return X


def every_tree(p):
    for sequence in product(range(p), repeat=p - 2):
        degree, edges = [1 + sequence.count(node) for node in range(p)], []
        for node in sequence:
            leaf = degree.index(1)
            edges.append(sorted((leaf, node)))
            degree[leaf] -= 1
            degree[node] -= 1
        yield [*edges, [node for node in range(p) if degree[node] == 1]]


def joint_of_tree(P, edges):
    """The product over edges of P(x_j, x_l) over that over nodes of P(x_j)^(d - 1), cell by cell."""
    Q, axes = np.ones(P.shape), range(P.ndim)
    with np.errstate(divide="ignore", invalid="ignore"):
        for j, l in edges:
            Q = Q * P.sum(axis=tuple(a for a in axes if a not in (j, l)), keepdims=True)
        for j in axes:
            degree = sum(j in edge for edge in edges)
            Q = Q / P.sum(axis=tuple(a for a in axes if a != j), keepdims=True) ** (degree - 1)
    return np.nan_to_num(Q)


@pytest.mark.mission("GM-04", "GM-05")
def test_the_worked_tree():
    """G089."""
    model = ChowLiuTree(smoothing=0.0).fit(CELLS, sample_weight=JOINT)
    assert model.edges_.tolist() == [[0, 2], [1, 2]]
    informations = {(0, 1): 0.06214233328, (0, 2): 0.1464521419, (1, 2): 0.08917122669}
    for pair, expected in informations.items():
        assert_allclose(model.mutual_information_[pair], expected, rtol=1e-9)
    assert_allclose(np.diagonal(model.mutual_information_), [0.673011667, 0.6687480869, 0.6410354779], rtol=1e-9)
    lemma = model.kl_lemma(CELLS, sample_weight=JOINT)
    assert_allclose([lemma.divergence, lemma.by_lemma], 0.02153482765, rtol=1e-8)
    assert_allclose(lemma.joint_entropy, 1.725637035, rtol=1e-9)
    P = JOINT.reshape(2, 2, 2) / 100.0
    for edges, expected in (([[0, 1], [0, 2]], 0.04856372106), ([[0, 1], [1, 2]], 0.1058446363)):
        assert_allclose(kl_divergence(P, joint_of_tree(P, edges)), expected, rtol=1e-8)


@pytest.mark.mission("GM-05", "GM-04")
@pytest.mark.parametrize("seed", range(4))
def test_no_other_tree_is_nearer_to_the_joint(seed):
    P = random_joint((2, 3, 2, 2), seed, zeros=seed % 2 == 1)
    model = of_joint(P)
    mine = kl_divergence(P, model.joint_table())
    others = [kl_divergence(P, joint_of_tree(P, edges)) for edges in every_tree(4)]
    assert len(others) == 16
    assert_allclose(mine, min(others), rtol=1e-10)
    assert joint_of_tree(P, model.edges_.tolist()) == pytest.approx(model.joint_table(), abs=1e-15)


@pytest.mark.mission("GM-04")
@pytest.mark.parametrize("smoothing", [0.0, 2.0])
def test_the_lemma_is_an_identity_of_the_distribution_that_was_fitted(smoothing):
    X = dependent()
    model = ChowLiuTree(smoothing=smoothing).fit(X)
    lemma = model.kl_lemma(X)
    gap = abs(lemma.divergence - lemma.by_lemma)
    if smoothing:
        assert gap > 1e-5
    else:
        assert gap < 100 * EPS * lemma.entropies


@pytest.mark.mission("GM-06")
def test_the_joint_is_the_same_whatever_column_the_tree_hangs_from():
    X = dependent()
    models = [ChowLiuTree(root=root).fit(X) for root in range(5)]
    for root, model in enumerate(models):
        assert model.parents_[root] == -1 and (np.delete(model.parents_, root) >= 0).all()
        pairs = {tuple(sorted((j, int(parent)))) for j, parent in enumerate(model.parents_) if parent >= 0}
        assert pairs == set(map(tuple, model.edges_.tolist()))  # each column has one parent at the most
        assert_allclose(model.joint_table(), models[0].joint_table(), rtol=1e-13)
        for j, table in enumerate(model.conditional_tables_):
            assert_allclose(table.sum(axis=-1), 1.0, rtol=4 * EPS)
            assert j == root or table.shape == (len(model.categories_[model.parents_[j]]), len(model.categories_[j]))
    parents, tables = models[0].directed(3)
    assert (parents == models[3].parents_).all()
    assert all((a == b).all() for a, b in zip(tables, models[3].conditional_tables_, strict=True))


@pytest.mark.mission("GM-05")
def test_undirected_the_joint_is_a_product_of_pairs_over_nodes():
    model = ChowLiuTree().fit(dependent())
    P = model.joint_table()
    assert_allclose(P.sum(), 1.0, rtol=1e-13)
    assert_allclose(joint_of_tree(P, model.edges_.tolist()), P, rtol=1e-12)
    assert markov_property(P, Graph(5, model.edges_.tolist()), "global")


@pytest.mark.mission("GM-03")
def test_informations_are_those_of_scikit_learn():
    X = dependent()
    model = ChowLiuTree(smoothing=0.0).fit(X)
    for j, l in product(range(5), repeat=2):
        assert_allclose(model.mutual_information_[j, l], mutual_info_score(X[:, j], X[:, l]), atol=50 * EPS)


@pytest.mark.mission("GM-05")
def test_the_likelihood_of_nltcs_is_the_published_one():
    if not DATA.exists():
        pytest.skip("the data are not here")
    train, test = (np.loadtxt(DATA / f"debd_nltcs.{part}.csv", delimiter=",") for part in ("train", "test"))
    model = ChowLiuTree(smoothing=0.01).fit(train)
    assert round(model.score(test), 3) == -6.759
    assert model.certificate_.converged and separatrix.verify(model, train).converged


def test_weights_are_repetitions():
    X, s = dependent(), np.random.default_rng(1).integers(0, 3, 400)
    weighted, repeated = ChowLiuTree().fit(X, sample_weight=s), ChowLiuTree().fit(np.repeat(X, s, axis=0))
    assert (weighted.mutual_information_ == repeated.mutual_information_).all()
    assert (weighted.edges_ == repeated.edges_).all()
    for a, b in zip(weighted.conditional_tables_, repeated.conditional_tables_, strict=True):
        assert (a == b).all()
    assert_allclose(weighted.score(X, sample_weight=s), weighted.score(np.repeat(X, s, axis=0)), rtol=1e-13)


def test_categories_of_rows_without_weight_are_not_met():
    model = ChowLiuTree().fit([[0], [1], [5]], sample_weight=[1, 1, 0])
    assert model.categories_ == [[0, 1]]


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, lambda X: pl.DataFrame(X, schema=list("abcde"))])
def test_words_frames_and_numbers_are_one_and_the_same_tree(make):
    X = dependent()
    plain = ChowLiuTree().fit(X)
    words = np.array(["p", "q", "r", "s"], dtype=object)[X]
    model = ChowLiuTree().fit(make(words))
    assert (model.edges_ == plain.edges_).all() and model.categories_[2] == ["p", "q", "r", "s"]
    assert (model.score_samples(make(words)) == plain.score_samples(X)).all()
    for other in (X.astype(bool), X.astype(np.float32) * 0.5, X - 7, X.astype(np.int8), np.asfortranarray(X)):
        again = ChowLiuTree().fit(other)
        assert again.certificate_.converged
        if other.dtype != bool:
            assert (again.score_samples(other) == plain.score_samples(X)).all()


@pytest.mark.mission("GM-05")
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_conditionals_are_those_of_the_joint_table(smoothing):
    """All patterns of missing cells, against sums over the joint table."""
    X = dependent(60, sizes=(2, 3, 2, 2))
    model = ChowLiuTree(smoothing=smoothing, root=2).fit(X)
    P = model.joint_table()
    rows, expected, totals = [], [], []
    for pattern in product([False, True], repeat=4):
        for row in X[:3]:
            cell = tuple(slice(None) if gone else slice(v, v + 1) for gone, v in zip(pattern, row, strict=True))
            table = P[cell]
            totals.append(table.sum())
            shares = [table.sum(axis=tuple({0, 1, 2, 3} - {j})) / table.sum() for j in range(4)]
            expected.append(
                [
                    s if gone else np.eye(P.shape[j])[row[j]]
                    for j, (s, gone) in enumerate(zip(shares, pattern, strict=True))
                ]
            )
            rows.append(np.where(pattern, np.nan, row))
    answers = model.conditionals(np.array(rows))
    for j in range(4):
        assert_allclose(answers[j], [each[j] for each in expected], atol=1e-14)
    assert_allclose(model.score_samples(np.array(rows)), np.log(totals), atol=1e-12)


def test_completions_are_the_most_probable_of_the_joint_table():
    X = dependent(60, sizes=(2, 3, 2, 2))
    model = ChowLiuTree().fit(X)
    P = model.joint_table()
    for pattern in product([False, True], repeat=4):
        row = np.where(pattern, np.nan, X[5])
        cell = tuple(slice(None) if gone else slice(v, v + 1) for gone, v in zip(pattern, X[5], strict=True))
        whole = model.transform(row[None])[0].astype(int)
        assert P[tuple(whole)] == pytest.approx(P[cell].max(), rel=1e-13)
        marginal = model.impute(row[None], how="marginal")[0].astype(int)
        for j in np.flatnonzero(pattern):
            assert marginal[j] == P[cell].sum(axis=tuple({0, 1, 2, 3} - {j})).argmax()
        assert (whole[~np.array(pattern)] == X[5][~np.array(pattern)]).all()


def test_the_most_probable_row_is_not_the_row_of_the_most_probable_cells():
    """P(0, 0) = 0.4, P(1, 1) = P(1, 2) = 0.3: the first column is 1 by itself, and 0 in the best pair."""
    model = ChowLiuTree(smoothing=0.0).fit([[0, 0], [1, 1], [1, 2]], sample_weight=[4, 3, 3])
    nothing = np.full((1, 2), np.nan)
    assert model.impute(nothing).tolist() == [[0, 0]]
    assert model.impute(nothing, how="marginal").tolist() == [[1, 0]]


def test_long_rows_with_missing_cells_do_not_underflow():
    X = np.random.default_rng(0).integers(0, 2, (50, 1400))
    model = ChowLiuTree().fit(X)
    one = X[:2].astype(float)
    whole = model.score_samples(one)
    one[:, 7] = np.nan
    part = model.score_samples(one)
    assert (whole < -750).all() and (part > whole).all() and (part < whole + 8.0).all()


def test_samples_have_the_informations_of_the_tree():
    model = ChowLiuTree().fit(dependent())
    drawn = model.sample(40_000, random_state=0)
    assert drawn.shape == (40_000, 5) and drawn.dtype.kind == "i"
    again = ChowLiuTree(smoothing=0.0).fit(drawn)
    # an information estimated of n rows is right to (V - 1)²/2n above and to a few spreads of it, 1/sqrt(n)
    assert_allclose(
        again.mutual_information_[tuple(model.edges_.T)], model.mutual_information_[tuple(model.edges_.T)], atol=0.03
    )
    assert (model.sample(5, random_state=3) == model.sample(5, random_state=3)).all()
    words = ChowLiuTree().fit(np.array([["a", "x"], ["b", "y"]])).sample(4, random_state=0)
    assert set(words.ravel()) <= {"a", "b", "x", "y"}


def test_a_question_by_names():
    frame = pd.DataFrame({"smokes": ["yes", "yes", "no", "no"], "coughs": ["yes", "no", "no", "no"]})
    model = ChowLiuTree(smoothing=0.0, root="coughs").fit(frame)
    assert model.conditional("coughs", {"smokes": "yes"}) == {"no": 0.5, "yes": 0.5}
    assert model.conditional("smokes", {"coughs": "yes"}) == {"no": 0.0, "yes": 1.0}
    assert model.conditional("smokes") == {"no": 0.5, "yes": 0.5}
    assert model.parents_.tolist() == [1, -1]


def test_incomplete_rows_are_left_out_with_a_warning():
    X = dependent().astype(float)
    X[:10, 1] = np.nan
    with pytest.warns(IncompleteRows, match="10 of 400 rows"):
        model = ChowLiuTree().fit(X)
    assert (model.mutual_information_ == ChowLiuTree().fit(X[10:]).mutual_information_).all()
    words = np.array([["a", "b"], [None, "c"]], dtype=object)
    with pytest.warns(IncompleteRows):
        assert ChowLiuTree().fit(words).categories_ == [["a"], ["b"]]


def test_constant_columns_and_single_rows_are_trees():
    model = ChowLiuTree(smoothing=0.0).fit([[3, 1, 2]])
    assert model.certificate_.converged and model.score([[3, 1, 2]]) == 0.0
    model = ChowLiuTree().fit([[3, 1], [3, 0], [3, 0]])
    assert model.certificate_.converged and model.n_parameters_ == 1


@pytest.mark.parametrize(
    "task, message",
    [
        (lambda: ChowLiuTree(smoothing=-1.0).fit(CELLS), "smoothing=-1"),
        (lambda: ChowLiuTree(root=3).fit(CELLS), "find the column 3"),
        (lambda: ChowLiuTree(root="a").fit(pd.DataFrame({"b": [1, 2]})), "or one of 'b'"),
        (lambda: ChowLiuTree(unseen="skip").fit(CELLS), "unseen='skip'"),
        (lambda: ChowLiuTree(categories=[[0, 1]]).fit(CELLS), "categories of 1 columns"),
        (lambda: ChowLiuTree(categories=[[0, 0], [0, 1], [0, 1]]).fit(CELLS), "one stands there twice"),
        (lambda: ChowLiuTree(categories=[[0], [0, 1], [0, 1]]).fit(CELLS), "the category 1 of column 0"),
        (lambda: ChowLiuTree().fit([[np.nan, 1], [np.nan, 2]]), "column 0: all of its cells are missing"),
        (lambda: ChowLiuTree().fit([[np.nan, 1], [2, np.nan]]), "each of them has a missing cell"),
        (lambda: ChowLiuTree().fit(np.array([["2020-01-01"]], dtype="M8[D]")), "take dates"),
        (lambda: ChowLiuTree().fit(pd.DataFrame({"day": pd.to_datetime(["2020-01-01"]), "b": [1]})), "column 'day'"),
        (lambda: ChowLiuTree().fit([[0.5, np.inf]]), "infinity for a category of column 1"),
        (lambda: ChowLiuTree().fit(CELLS).score([[0, 1, 2]]), "category 2 of column 2: it is none of the 2"),
        (lambda: ChowLiuTree().fit(CELLS).impute(CELLS, how="mean"), "no such way"),
        (lambda: ChowLiuTree().fit(CELLS).sample(0), "n_samples=0"),
        (lambda: ChowLiuTree(smoothing=0.0).fit([[0, 0], [1, 1]]).conditionals([[0, 1]]), "condition on row 0"),
        (lambda: ChowLiuTree(smoothing=0.0).fit([[0, 0, 0], [1, 1, 1]]).impute([[0, 1, np.nan]]), "condition on row 0"),
        (lambda: ChowLiuTree().fit(CELLS).kl_lemma([[0, 1, np.nan]]), "complete rows"),
    ],
)
def test_what_cannot_be_done_is_refused(task, message):
    with pytest.raises((ValueError, TypeError), match=message):
        task()


def test_a_joint_table_of_too_many_cells_is_refused():
    with pytest.raises(MemoryError, match="of 1,099,511,627,776 cells"):
        ChowLiuTree().fit(np.eye(40, dtype=int)).joint_table()


def test_unseen_categories_may_count_as_missing():
    model = ChowLiuTree(unseen="ignore").fit(CELLS)
    assert model.score_samples([[0, 7, 1]]) == model.score_samples([[0, np.nan, 1]])


@pytest.mark.parametrize("name", ["edges_", "parents_", "pair_tables_", "marginal_tables_", "conditional_tables_"])
def test_a_tree_that_is_not_that_of_the_data_is_not_confirmed(name):
    X = dependent()
    model = ChowLiuTree().fit(X)
    assert separatrix.verify(model, X).converged
    if name == "edges_":
        model.edges_ = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
        assert not separatrix.verify(model, X).converged
        return
    held = getattr(model, name)
    setattr(model, name, model.parents_[::-1] if name == "parents_" else [held[0] * 1.01, *held[1:]])
    assert not separatrix.verify(model, X).converged


def test_a_tree_that_is_not_the_best_is_not_certified():
    X = dependent()
    model = ChowLiuTree().fit(X)
    sizes = np.array([len(known) for known in model.categories_])
    learnt = informations(shares(pair_counts(X, sizes), sizes, 400.0, 1.0), sizes)
    best, W = model.edges_.tolist(), learnt.informations
    for edges in every_tree(5):
        certificate = learnt.certify(np.array(edges))
        short = sum(W[j, l] for j, l in best) - sum(W[j, l] for j, l in edges)
        assert certificate.value * learnt.entropies.sum() >= short
        assert certificate.converged == (sorted(edges) == best)


def test_a_saved_tree_answers_alike(tmp_path):
    X = np.array([["rain", 1], ["sun", 0], ["sun", 1]], dtype=object)
    model = ChowLiuTree().fit(X)
    model.save(tmp_path / "tree.sepx")
    again = separatrix.load(tmp_path / "tree.sepx")
    assert (again.score_samples(X) == model.score_samples(X)).all()
    assert again.categories_ == model.categories_


def test_the_order_of_many_declared_categories_changes_no_probability():
    X = np.random.RandomState(0).randint(0, 20, (50, 2)).astype(float)
    up, down = (ChowLiuTree(categories=[known] * 2).fit(X) for known in (list(range(20)), list(range(19, -1, -1))))
    assert_allclose(down.score_samples(X), up.score_samples(X), rtol=1e-12)
