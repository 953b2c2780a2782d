"""Estimators on data that are read block by block answer as they do in memory, with two blocks held at the most."""

import gc
import weakref

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from separatrix.core.certificate import certify
from separatrix.core.errors import NotCertified, RankDeficient
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.target import Chunk, Target
from separatrix.decomposition import PCA
from separatrix.designs import (
    DenseDesign,
    MemoryMappedDesign,
    ParquetDesign,
    StreamedDesign,
    as_design,
    class_moments,
    moments,
)
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.estimators.verify import verify
from separatrix.linear_model import ElasticNet, Lasso, LinearRegression, LogisticRegression, Ridge
from separatrix.losses import Huber, Logistic, Quantile, Softmax, Squared
from separatrix.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from separatrix.penalties import L1, L2, NoPenalty
from separatrix.penalties import ElasticNet as Net
from separatrix.solvers import newton_by_blocks

N, P = 211, 4


def data(seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, N)
    X = np.floor(4.0 * rng.random((N, P)) + codes[:, None] * np.arange(P))
    return X, codes, rng.integers(1, 4, N).astype(float)


class Pieces(StreamedDesign):
    """A stream that comes in chunks of given sizes and counts how many are alive."""

    def __init__(self, X, sizes, block_rows, **columns):
        super().__init__(X.shape[1], block_rows)
        self.X, self.sizes, self.columns_beside = X, sizes, columns
        self.alive, self.most = weakref.WeakSet(), 0

    @property
    def dtype(self):
        return self.X.dtype

    def read(self, height, columns=(), *, only=False):
        start = 0
        for size in [*self.sizes, len(self.X)]:
            while size > 0 and start < len(self.X):
                stop = min(start + min(size, height), len(self.X))
                X = np.array(self.X[start:stop, : 0 if only else self.p], dtype=np.float64).view(_Watched)
                if not only:
                    self.alive.add(X)
                    self.most = max(self.most, len(self.alive))
                yield Chunk(X, start, {name: self.columns_beside[name][start:stop] for name in columns})
                size, start = size - (stop - start), stop
                del X
            if size == 0:
                yield Chunk(
                    np.empty((0, 0 if only else self.p)), start, {n: self.columns_beside[n][:0] for n in columns}
                )


class _Watched(np.ndarray):
    """An array that can be watched by a weak reference."""

    __hash__ = object.__hash__


def stored(kind, folder, X, y, s):
    """X in a file, and what y and the weights are called there."""
    if kind == "memory-mapped":
        np.save(folder / "X.npy", X)
        return MemoryMappedDesign(folder / "X.npy", block_rows=17), y, s
    names = [f"x{j}" for j in range(X.shape[1])]
    table = pa.table({**dict(zip(names, X.T, strict=True)), "y": y, "s": s})
    pq.write_table(table.slice(0, 100), folder / "a.parquet", row_group_size=23)
    pq.write_table(table.slice(100), folder / "b.parquet", row_group_size=41)
    return ParquetDesign(str(folder / "*.parquet"), columns=names, block_rows=17), "y", "s"


every_file = pytest.mark.parametrize("kind", ["memory-mapped", "parquet"])
MODELS = [
    (LinearRegression(), ("coef_", "intercept_")),
    (LinearRegression(fit_intercept=False), ("coef_",)),
    (Ridge(3.0), ("coef_", "intercept_")),
    (Lasso(0.1), ("coef_", "intercept_")),
    (ElasticNet(0.1, fit_intercept=False), ("coef_",)),
    (ElasticNet(0.0, positive=True), ("coef_", "intercept_")),
    (LinearDiscriminantAnalysis(), ("coef_", "intercept_", "means_")),
    (QuadraticDiscriminantAnalysis(store_covariance=True), ("means_", "covariance_", "priors_")),
    (GaussianNB(), ("theta_", "var_")),
    (BernoulliNB(binarize=2.0), ("feature_log_prob_",)),
    (MultinomialNB(), ("feature_log_prob_",)),
]


# The default tol of 1e-8 leaves ten digits of the coefficients; in memory 1e-10 leaves twelve.
LIKELIHOODS = {
    "no penalty": LogisticRegression(C=np.inf, tol=1e-10),
    "L2": LogisticRegression(C=0.3, tol=1e-10),
    "L2, no intercept": LogisticRegression(C=0.3, tol=1e-10, fit_intercept=False),
    "L1": LogisticRegression(C=0.05, l1_ratio=1.0, tol=1e-10),
    "elastic net": LogisticRegression(C=0.05, l1_ratio=0.5, tol=1e-10),
    "bounds": LogisticRegression(C=0.3, bounds=(-0.1, np.inf), tol=1e-10),
    "free columns": LogisticRegression(C=0.05, l1_ratio=1.0, penalty_factor=[0.0, 1.0, 2.0, 1.0], tol=1e-10),
    "class weights": LogisticRegression(class_weight="balanced", tol=1e-10),
}


def assert_same_certificate(there, here):
    assert (there.kind, there.converged) == (here.kind, here.converged)
    assert abs(there.value - here.value) <= 1e-10  # values are relative: in units of the gap or gradient


def assert_same_fit(model, names, design, there, here):
    model.fit(*here)
    wanted, certified = {name: np.array(getattr(model, name)) for name in names}, model.certificate_
    model.fit(design, *there)
    for name in names:
        # sums of n p numbers in another order, solved with a condition number of about 10
        assert_allclose(np.array(getattr(model, name)), wanted[name], rtol=1e-10, atol=1e-12)
    assert_same_certificate(model.certificate_, certified)


@every_file
@pytest.mark.parametrize("model, names", MODELS, ids=lambda m: type(m).__name__)
def test_a_fit_from_a_file_is_the_fit_in_memory(kind, model, names, tmp_path):
    X, y, s = data()
    design, *there = stored(kind, tmp_path, X, y, s)
    assert_same_fit(model, names, design, there, (X, y, s))


@every_file
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_likelihood_from_a_file_has_the_coefficients_and_certificate_of_memory(kind, name, classes, tmp_path):
    X, y, s = overlapping()
    y = np.minimum(y, classes - 1)
    design, *there = stored(kind, tmp_path, X, y, s)
    assert_same_fit(LIKELIHOODS[name], ("coef_", "intercept_"), design, there, (X, y, s))


def overlapping():
    """Classes that overlap: every likelihood has a maximum."""
    X, _, s = data()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    noise = np.random.default_rng(1).gumbel(size=(N, 3))
    return X, np.argmax(np.c_[np.zeros(N), X[:, 0], X[:, 1] - X[:, 2]] + noise, axis=1), s


@every_file
def test_standard_errors_from_a_file_are_those_in_memory(kind, tmp_path):
    X, y, s = overlapping()
    design, *there = stored(kind, tmp_path, X, y, s)
    model = LogisticRegression(C=np.inf, tol=1e-10)
    here, got = model.fit(X, y, s).evidence_, model.fit(design, *there).evidence_
    assert_allclose(got.covariance, here.covariance, rtol=1e-9, atol=1e-12)
    assert_allclose(got.log_likelihood, here.log_likelihood, rtol=1e-12)
    assert (got.n, got.rank) == (here.n, here.rank)


STATED = {
    "lasso": (Squared(), L1(0.1)),
    "logistic": (Logistic(), L2(0.1)),
    "logistic lasso": (Logistic(), L1(0.02)),
    "logistic net, free": (Logistic(), Net(0.02, 0.1)),
    "maximum likelihood": (Logistic(), NoPenalty()),
    "Huber": (Huber(0.5), NoPenalty()),
    "Huber ridge": (Huber(0.5), L2(0.1)),
    "median lasso": (Quantile(0.5), L1(0.02)),
    "softmax": (Softmax(), L2(0.1)),
    "softmax lasso": (Softmax(), L1(0.02)),
}


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", STATED)
def test_the_certificate_of_any_coefficients_does_not_depend_on_the_storage(name, intercept):
    loss, penalty = STATED[name]
    X, codes, s = overlapping()
    joint = isinstance(loss, Softmax)
    y = np.eye(3)[codes] if joint else np.minimum(codes, 1).astype(float)
    rng = np.random.default_rng(2)
    for distance in (0.0, 0.01, 1.0):
        beta = distance * rng.standard_normal((P, 3) if joint else P)
        offset = (distance * rng.standard_normal(3) if joint else distance) if intercept else 0.0 * beta[0]
        solution = Solution(beta, offset)
        values = []
        for design in (as_design(X), as_design(sp.csr_array(X)), as_design(sp.csc_array(X)), Pieces(X, [3, 0, 90], 40)):
            values.append(certify(Problem(design, Target(y, s), loss, penalty, intercept), solution, 1e-8))
        for other in values[1:]:
            assert (other.kind, other.converged) == (values[0].kind, values[0].converged)
            # sums in another order; the scale of rounding errors is that of all rows of a stream, of some in memory
            assert other.value == pytest.approx(values[0].value, rel=1e-10, abs=1e-10)


chunkings = st.lists(st.integers(0, 60), max_size=12)


@given(chunkings, st.integers(1, 90), st.booleans(), st.booleans(), st.sampled_from(sorted(LIKELIHOODS)))
@settings(max_examples=25, deadline=None)
def test_no_chunking_shows_in_coefficients_or_certificate(sizes, height, single, weighted, name):
    X, y, s = overlapping()
    X, y, s = X.astype(np.float32) if single else X, np.minimum(y, 1), s if weighted else None
    model = LIKELIHOODS[name]
    whole = model.fit(Pieces(X, [], N), y, s)
    coefficients, certificate = np.append(whole.coef_, whole.intercept_), whole.certificate_
    model.fit(Pieces(X, sizes, height), y, s)
    assert_allclose(np.append(model.coef_, model.intercept_), coefficients, rtol=1e-10, atol=1e-12)
    assert_same_certificate(model.certificate_, certificate)


@pytest.mark.parametrize("model", [LogisticRegression(), LogisticRegression(C=np.inf), Lasso(0.1)], ids=str)
def test_a_fit_never_holds_more_than_two_blocks_of_a_stream(model):
    X, y, _ = overlapping()
    design = Pieces(X, [], 10)
    model.fit(design, np.minimum(y, 1))
    gc.collect()
    assert 1 <= design.most <= 2


def test_dependent_columns_of_a_stream_share_their_effect_as_in_memory():
    X, y, s = overlapping()
    X, y = np.c_[X, X[:, 0] - 2.0 * X[:, 1], np.ones(N)], np.minimum(y, 1)
    model = LogisticRegression(C=np.inf, tol=1e-10)
    with pytest.warns(RankDeficient):
        here = model.fit(X, y, s).coef_.copy()
    with pytest.warns(RankDeficient):
        assert_allclose(model.fit(Pieces(X, [], 50), y, s).coef_, here, rtol=1e-9, atol=1e-10)


def test_a_stream_of_separated_classes_is_not_certified_and_says_why():
    X, *_ = overlapping()
    y = (X[:, 0] > 0.1).astype(int)
    with pytest.warns(NotCertified, match="whether the classes are separated is not looked for in a stream"):
        model = LogisticRegression(C=np.inf).fit(Pieces(X, [], 50), y)
    assert not model.certificate_.converged
    assert "whether the classes are separated is not looked for in a stream" in str(model.certificate_)
    assert np.isfinite(model.coef_).all()


def test_far_means_cost_a_stream_no_digits():
    X, y, s = overlapping()
    y = np.minimum(y, 1)
    X = np.round(X, 3)
    near = LogisticRegression(C=0.3).fit(Pieces(X, [], 50), y, s)
    far = LogisticRegression(C=0.3).fit(Pieces(X + 2.0**30, [], 50), y, s)
    # moving a column rounds it by at most half eps 2^30, relative to its size of 1; the condition is about 10
    assert_allclose(far.coef_, near.coef_, rtol=0.0, atol=10 * np.finfo(float).eps * 2.0**30)


def test_a_hessian_that_does_not_fit_is_refused_with_the_alternative(monkeypatch):
    monkeypatch.setattr(newton_by_blocks, "MOST_COEFFICIENTS", 3)
    X, y, _ = overlapping()
    with pytest.raises(ValueError, match=r"the Hessian of 4 coefficients does not fit: at most 3. Use fewer columns"):
        LogisticRegression().fit(Pieces(X, [], 50), np.minimum(y, 1))


@every_file
@pytest.mark.parametrize("solver", ["auto", "full"])
def test_principal_axes_of_a_file_are_those_in_memory(kind, solver, tmp_path):
    X, y, s = data()
    design, _, _ = stored(kind, tmp_path, X, y, s)
    here, there = PCA(svd_solver=solver).fit(X), PCA(svd_solver=solver).fit(design)
    assert_allclose(there.components_, here.components_, rtol=1e-10, atol=1e-12)
    assert_allclose(there.explained_variance_, here.explained_variance_, rtol=1e-10)
    assert there.certificate_.converged


def test_answers_do_not_depend_on_the_chunks():
    X, y, s = data()
    answers = []
    for sizes in ([], [1] * N, [0, 5, 0, 100, 3, 0], [50, 50]):
        design = Pieces(X, sizes, 40)
        sums = moments(design, Target(y.astype(float), s))
        answers.append(sums.xx)
    for other in answers[1:]:
        assert np.array_equal(answers[0], other)
    assert_allclose(answers[0], moments(DenseDesign(X), Target(y.astype(float), s)).xx, rtol=1e-12)


def test_at_most_two_blocks_are_held():
    X, y, _ = data()
    design = Pieces(X, [], 10)
    seen = design.reduce(lambda block: len(block.y), lambda a, b: a + b, Target(y))
    gc.collect()
    assert seen == N
    assert 1 <= design.most <= 2


def test_a_parquet_file_of_one_row_group_is_not_held_whole(tmp_path):
    X = np.random.default_rng(0).random((400_000, 4))
    table = pa.table({f"x{j}": X[:, j] for j in range(4)})
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=len(X), use_dictionary=False)
    del table
    before = pa.total_allocated_bytes()
    design = ParquetDesign(tmp_path / "one.parquet", block_rows=10_000)
    held = design.reduce(lambda block: pa.total_allocated_bytes() - before, max)
    # a page of a megabyte for each of four columns, and the batches that are read and converted
    assert held < 6 * 2**20 < X.nbytes / 2


def test_a_file_that_lacks_a_column_of_the_others_is_named(tmp_path):
    pq.write_table(pa.table({"x": [1.0, 2.0], "y": [0.0, 1.0]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"y": [0.0, 1.0]}), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"Cannot read the column 'x': .*b\.parquet has none of this name"):
        LinearRegression().fit(ParquetDesign(tmp_path, columns=["x"]), "y")


@pytest.mark.parametrize("scatter", ["pooled", "each", "diagonal"])
def test_a_class_that_comes_late_and_far_away_loses_no_digits(scatter):
    rng = np.random.default_rng(3)
    X, codes = rng.standard_normal((200, 3)), np.repeat([0, 1], 100)
    X[100:] = np.round(X[100:], 3) + 2.0**20
    late = class_moments(Pieces(X, [], 30), Target(codes), 2, scatter=scatter)
    exact = [np.cov(X[codes == c].astype(np.longdouble) - (2.0**20) * c, rowvar=False, bias=True) * 100 for c in (0, 1)]
    wanted = {"pooled": sum(exact), "each": np.array(exact), "diagonal": np.array([np.diag(S) for S in exact])}
    # means of blocks are rounded to eps 2^20, and 100 rows are moved by that much; raw squares would lose eps 2^40
    rounding = 100 * np.finfo(float).eps * 2.0**20
    assert_allclose(late.scatter, wanted[scatter].astype(float), rtol=1e-12, atol=rounding)


@every_file
def test_linear_models_predict_a_stream_block_by_block(kind, tmp_path):
    X, y, s = overlapping()
    design, *there = stored(kind, tmp_path, X, y, s)
    model = LogisticRegression().fit(design, *there)
    coefficients = LogisticRegression().fit(X, y, s)
    coefficients.coef_, coefficients.intercept_ = model.coef_, model.intercept_
    for name in ("predict", "predict_proba", "decision_function"):
        # products of blocks, whose sums BLAS may take in another order
        assert_allclose(getattr(model, name)(design), getattr(coefficients, name)(X), rtol=1e-13, atol=1e-14)
    line = Lasso(0.1).fit(design, *there)
    assert_allclose(line.predict(design), X @ line.coef_ + line.intercept_, rtol=1e-13, atol=1e-14)
    with pytest.raises(TypeError, match="Use its blocks of rows one after the other"):
        GaussianNB().fit(design, *there).predict(design)
    with pytest.raises(ValueError, match="was fitted to 4"):
        model.predict(Pieces(X[:, :3], [], 50))


@pytest.mark.parametrize("model", [LogisticRegression(), LogisticRegression(C=np.inf), Lasso(0.1), Ridge()], ids=str)
def test_a_fit_to_a_stream_is_verified_on_the_stream(model):
    X, y, s = overlapping()
    y = np.minimum(y, 1)
    for rows in (X, Pieces(X, [], 50)):
        proof = verify(model.fit(Pieces(X, [], 30), y, s), rows, y, s)
        assert proof.converged, proof
        model.coef_ = model.coef_ + 0.1
        assert not verify(model, rows, y, s).converged


def test_what_a_stream_does_not_offer_is_refused_with_the_alternative():
    X, y, _ = data()
    design = Pieces(X, [], 10, y=y)
    with pytest.raises(TypeError, match=r"needs whole columns, which Pieces does not offer. Use data in memory"):
        design.columns([0])
    with pytest.raises(TypeError, match=r"Cannot take single rows of a streamed target: .* Use data in memory"):
        LogisticRegression(solver="gradient").fit(Pieces(X, [], 10, y=np.minimum(y, 1)), "y")
    with pytest.raises(TypeError, match="Pieces does not offer"):
        design.matvec(np.ones(P))
