"""Estimators on data that are read block by block answer as they do in memory, with two blocks held at the most."""

import gc
import weakref

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

from separatrix.core.target import Chunk, Target
from separatrix.decomposition import PCA
from separatrix.designs import DenseDesign, MemoryMappedDesign, ParquetDesign, StreamedDesign, class_moments, moments
from separatrix.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.linear_model import LinearRegression, LogisticRegression, Ridge
from separatrix.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

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
                X = np.array(self.X[start:stop, :0] if only else self.X[start:stop]).view(_Watched)
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
    (LinearDiscriminantAnalysis(), ("coef_", "intercept_", "means_")),
    (QuadraticDiscriminantAnalysis(store_covariance=True), ("means_", "covariance_", "priors_")),
    (GaussianNB(), ("theta_", "var_")),
    (BernoulliNB(binarize=2.0), ("feature_log_prob_",)),
    (MultinomialNB(), ("feature_log_prob_",)),
]


@every_file
@pytest.mark.parametrize("model, names", MODELS, ids=lambda m: type(m).__name__)
def test_a_fit_from_a_file_is_the_fit_in_memory(kind, model, names, tmp_path):
    X, y, s = data()
    design, y_there, s_there = stored(kind, tmp_path, X, y, s)
    model.fit(X, y, s)
    wanted, certified = {name: np.array(getattr(model, name)) for name in names}, model.certificate_
    model.fit(design, y_there, s_there)
    for name in names:
        # sums of n p numbers in another order, solved with a condition number of about 10
        assert_allclose(np.array(getattr(model, name)), wanted[name], rtol=1e-10, atol=1e-12)
    assert model.certificate_.converged == certified.converged
    assert model.certificate_.kind == certified.kind


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


def test_what_a_stream_does_not_offer_is_refused_with_the_alternative():
    X, y, _ = data()
    design = Pieces(X, [], 10, y=y)
    with pytest.raises(TypeError, match=r"needs whole columns, which Pieces does not offer. Use data in memory"):
        design.columns([0])
    with pytest.raises(TypeError, match=r"Cannot fit LogisticRegression: it needs .* Use data in memory"):
        LogisticRegression().fit(design, "y")
    with pytest.raises(TypeError, match="Pieces does not offer"):
        design.matvec(np.ones(P))
