"""Principal components: the golden case, scikit-learn's answers, compression, density, and what is refused."""

import inspect
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.decomposition import PCA
from separatrix.designs import base, centred
from separatrix.estimators.projection import dimension
from separatrix.estimators.projection.pca import NoVariance
from separatrix.estimators.validation import UNREAD

SOLVERS = ["auto", "full", "covariance_eigh", "arpack", "randomized"]
every_solver = pytest.mark.parametrize("solver", SOLVERS)


def sample(n, p, seed=0):
    """Rows with variances that fall from 25 to 1/4 along mixed directions, away from the origin."""
    rng = np.random.default_rng(seed)
    mixed = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return rng.normal(size=(n, p)) * np.linspace(5.0, 0.5, p) @ mixed + rng.normal(size=p)


@parametrize_with_checks([PCA(), PCA(1, whiten=True), PCA(svd_solver="full"), PCA(1, svd_solver="randomized")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_parameters_and_defaults_are_scikit_learns():
    theirs, ours = (
        [(p.name, p.kind, p.default) for p in inspect.signature(each).parameters.values()]
        for each in (sklearn.decomposition.PCA, PCA)
    )
    assert ours == theirs


# ------------------------------------------------------------------ the golden case

GOLDEN = np.array([[2.0, 0.0], [0.0, 2.0], [3.0, 3.0], [-1.0, -1.0], [1.0, 1.0]])  # G045; its S has the denominator n


@pytest.mark.mission("PR-01", "PR-02")
@every_solver
def test_the_golden_case(solver):
    pca = PCA(1, svd_solver=solver).fit(GOLDEN)
    assert_allclose(pca.mean_, [1.0, 1.0], rtol=1e-15)
    assert_allclose(pca.components_, [[np.sqrt(0.5), np.sqrt(0.5)]], rtol=1e-12)
    assert_allclose(pca.explained_variance_ * 4 / 5, [3.2], rtol=1e-12)
    assert_allclose(pca.noise_variance_ * 4 / 5, 0.8, rtol=1e-12)
    assert_allclose(pca.reconstruction_error_, 0.8, rtol=1e-12)
    assert_allclose(pca.transform(GOLDEN).var(), 3.2, rtol=1e-12)


def test_the_golden_file_holds_the_same_numbers():
    path = Path(__file__).resolve().parents[3] / "shared" / "golden" / "golden.json"
    if not path.exists():
        pytest.skip("the golden file is not beside the repository")
    found = next(e for e in json.loads(path.read_text())["entries"] if e["id"] == "G045")
    assert found["inputs"]["X"] == GOLDEN.tolist()
    pca = PCA().fit(np.array(found["inputs"]["X"], dtype=np.float64))
    correct = found["correct"]
    assert_allclose(pca.get_covariance() * 4 / 5, correct["S"], rtol=1e-9)
    assert_allclose(pca.explained_variance_ * 4 / 5, correct["eigenvalues"], rtol=1e-9)
    assert_allclose(pca.components_[0], correct["u1"], rtol=1e-9)


def test_a_tie_between_loadings_makes_the_first_positive():
    for turned in (GOLDEN, GOLDEN[::-1], GOLDEN[:, ::-1], 7.0 - GOLDEN):
        assert (PCA().fit(turned).components_[:, 0] > 0.0).all()


# ------------------------------------------------------------------ scikit-learn's answers

ATTRIBUTES = [
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "mean_",
    "noise_variance_",
]


CASES = [
    (solver, shape, count)
    for solver in SOLVERS
    for shape in [(120, 7), (20, 60), (40, 40), (300, 260), (260, 300)]
    for count in [None, 3, 0.8, "mle"]
    if isinstance(count, int) or solver not in ("arpack", "randomized")  # these do not find all variances
    if count != "mle" or shape[1] <= min(shape[0], 100)  # of more columns scikit-learn's evidence takes seconds
]


@pytest.mark.mission("PR-02")
@pytest.mark.parametrize("solver, shape, count", CASES)
def test_attributes_are_those_of_scikit_learns_full_decomposition(solver, shape, count):
    X = sample(*shape)
    ours = PCA(count, svd_solver=solver, tol=1e-11).fit(X)
    theirs = sklearn.decomposition.PCA(count, svd_solver="full").fit(X)
    assert (ours.n_components_, ours.n_samples_) == (theirs.n_components_, theirs.n_samples_)
    rank = min(shape[0] - 1, shape[1])
    for name in ATTRIBUTES:
        found, expected = getattr(ours, name), getattr(theirs, name)
        if name == "components_":  # beyond the rank any direction will do
            found, expected = found[:rank], expected[:rank]
        assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("count", [3, None])
@pytest.mark.parametrize("whiten", [False, True])
def test_methods_are_scikit_learns(count, whiten):
    X, new = sample(80, 6), sample(9, 6, seed=1)
    ours = PCA(count, whiten=whiten).fit(X)
    theirs = sklearn.decomposition.PCA(count, whiten=whiten, svd_solver="full").fit(X)
    Z = theirs.transform(new)
    assert_allclose(ours.transform(new), Z, rtol=1e-11, atol=1e-11)
    assert_allclose(PCA(count, whiten=whiten).fit_transform(X), theirs.transform(X), rtol=1e-11, atol=1e-11)
    assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), rtol=1e-11)
    if not whiten:  # of whitened components theirs scales the covariance twice
        assert_allclose(ours.get_covariance(), theirs.get_covariance(), rtol=1e-11, atol=1e-11)
        assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-9, atol=1e-11)
        assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-11)
        assert_allclose(ours.score(new), theirs.score(new), rtol=1e-11)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@every_solver
@pytest.mark.parametrize("shape", [(200, 30), (30, 200)], ids=["tall", "wide"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_a_sparse_matrix_gives_the_answers_of_its_dense_copy(solver, shape, kind):
    X = sp.random_array(shape, density=0.15, rng=np.random.default_rng(2), format=kind)
    if solver == "full" and shape[0] < shape[1]:
        with pytest.raises(TypeError, match="would have to be made dense"):
            PCA(4, svd_solver=solver).fit(X)
        return
    ours, theirs = PCA(4, svd_solver=solver, tol=1e-11).fit(X), PCA(4, svd_solver="full").fit(X.toarray())
    for name in ATTRIBUTES:
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-9, err_msg=name)
    assert_allclose(ours.transform(X), theirs.transform(X.toarray()), atol=1e-9)
    assert_allclose(ours.score_samples(X), theirs.score_samples(X.toarray()), rtol=1e-9)
    assert_allclose(ours.reconstruction_error(X), theirs.reconstruction_error_, rtol=1e-9)


def test_single_precision_is_summed_in_double():
    X = sample(500, 5).astype(np.float32)
    ours, exact = PCA(2).fit(X), PCA(2).fit(X.astype(np.float64))
    assert_array_equal(ours.explained_variance_, exact.explained_variance_.astype(np.float32))
    assert ours.components_.dtype == np.float32
    assert ours.transform(X).dtype == np.float32
    assert ours.inverse_transform(ours.transform(X)).dtype == np.float32


@every_solver
@pytest.mark.parametrize("shape", [(90, 12), (12, 90)], ids=["tall", "wide"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_threads_and_blocks_do_not_show_beyond_rounding(solver, shape, threads, monkeypatch):
    X = sample(*shape)
    whole = PCA(3, svd_solver=solver, tol=1e-11).fit(X)
    monkeypatch.setenv("SEPARATRIX_THREADS", threads)
    monkeypatch.setattr(base, "BLOCK_NUMBERS", 64)
    monkeypatch.setattr(centred, "BLOCK_NUMBERS", 64)
    pieces = PCA(3, svd_solver=solver, tol=1e-11).fit(X)
    assert_allclose(pieces.components_, whole.components_, atol=1e-9 if solver == "randomized" else 1e-13)
    assert_allclose(pieces.explained_variance_, whole.explained_variance_, rtol=1e-13)
    assert_allclose(pieces.transform(X), whole.transform(X), atol=1e-8 if solver == "randomized" else 1e-12)


@every_solver
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(40, 6), (6, 40)], ids=["tall", "wide"])
def test_x_is_never_written_to(solver, order, shape):
    X = np.asarray(sample(*shape), order=order)
    before = X.copy()
    pca = PCA(2, copy=False, svd_solver=solver).fit(X)
    pca.transform(X), pca.score_samples(X), pca.reconstruction_error(X)
    assert np.array_equal(X, before)


# ------------------------------------------------------------------ how many components


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.999999, 1.0 - 1e-16])
def test_a_share_is_met_by_the_least_number_of_components(share):
    X = sample(60, 9)
    pca = PCA(share).fit(X)
    whole = np.cumsum(PCA().fit(X).explained_variance_ratio_)
    k = pca.n_components_
    assert k == 9 or whole[k - 1] > share
    assert k == 1 or whole[k - 2] <= share


def test_minkas_evidence_finds_the_dimension_of_a_signal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) * [9.0, 6.0, 4.0] @ rng.normal(size=(3, 12)) + rng.normal(size=(400, 12))
    assert PCA("mle").fit(X).n_components_ == 3


def test_minkas_evidence_is_that_of_the_paper():
    # eq. 77 and 80 written out, pair by pair
    from math import lgamma, log, pi

    values, n = np.array([7.0, 4.0, 1.5, 0.9, 0.7, 0.2]), 50
    d = len(values)

    def evidence(k):
        v = values[k:].mean()
        hat = np.r_[values[:k], np.full(d - k, v)]
        m = d * k - k * (k + 1) / 2
        prior = -k * log(2) + sum(lgamma((d - i + 1) / 2) - (d - i + 1) / 2 * log(pi) for i in range(1, k + 1))
        curvature = sum(
            log((1 / hat[j] - 1 / hat[i]) * (values[i] - values[j])) + log(n) for i in range(k) for j in range(i + 1, d)
        )
        likelihood = -n / 2 * np.log(values[:k]).sum() - n * (d - k) / 2 * log(v)
        return prior + likelihood + (m + k) / 2 * log(2 * pi) - curvature / 2 - k / 2 * log(n)

    expected = np.array([evidence(k) for k in range(1, d)])
    # all but a constant: the eigenvalues are scaled to a greatest of 1
    found = dimension.evidences(values, n)
    assert_allclose(found - found[0], expected - expected[0], rtol=1e-12, atol=1e-11)
    assert dimension.by_evidence(values, n) == np.argmax(expected) + 1


def test_minkas_evidence_of_noiseless_columns_is_their_rank():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2)) @ rng.normal(size=(2, 6))
    assert PCA("mle").fit(X).n_components_ == 2
    assert PCA("mle").fit(X[:, :1]).n_components_ == 1


# ------------------------------------------------------------------ compression


@pytest.mark.mission("PR-05")
@pytest.mark.parametrize("shape", [(50, 8), (8, 50)], ids=["tall", "wide"])
@pytest.mark.parametrize("k", [1, 4, 8])
@pytest.mark.parametrize("whiten", [False, True])
def test_the_error_of_reconstruction_is_the_sum_of_the_discarded_eigenvalues(shape, k, whiten):
    X = sample(*shape)
    n = len(X)
    pca = PCA(k, whiten=whiten).fit(X)
    back = pca.inverse_transform(pca.transform(X))
    squares = ((X - back) ** 2).sum()
    discarded = np.linalg.eigvalsh(np.cov(X.T))[::-1][k:].sum()
    atol = 1e-12 * np.trace(np.cov(X.T))
    assert_allclose(squares / (n - 1), discarded, rtol=1e-10, atol=atol)
    assert_allclose(pca.reconstruction_error_, squares / n, rtol=1e-10, atol=atol)
    assert_allclose(pca.reconstruction_error(X), pca.reconstruction_error_, rtol=1e-10, atol=atol)
    assert_allclose(pca.reconstruction_error_ * n / (n - 1), discarded, rtol=1e-10, atol=atol)


@pytest.mark.mission("PR-05")
def test_all_components_lose_nothing():
    X = sample(30, 6)
    pca = PCA(whiten=True).fit(X)
    assert_allclose(pca.inverse_transform(pca.transform(X)), X, rtol=1e-12)
    assert pca.reconstruction_error_ == 0.0


def test_whitened_coordinates_have_the_identity_for_covariance():
    Z = PCA(3, whiten=True).fit_transform(sample(70, 6))
    assert_allclose(np.cov(Z.T), np.eye(3), atol=1e-12)


# ------------------------------------------------------------------ density


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_the_density_is_that_of_a_normal_with_the_covariance_of_the_model(k, whiten):
    X = sample(60, 5)
    pca = PCA(k, whiten=whiten).fit(X)
    normal = multivariate_normal(pca.mean_, pca.get_covariance())
    assert_allclose(pca.score_samples(X), normal.logpdf(X), rtol=1e-11)
    assert_allclose(pca.get_precision() @ pca.get_covariance(), np.eye(5), atol=1e-12)


@pytest.mark.parametrize("method", ["score_samples", "score"])
def test_a_singular_covariance_has_no_density(method):
    X = sample(40, 3)
    X = np.column_stack([X, X[:, 0]])
    for k in (3, 4):
        with pytest.raises(ValueError, match="its rank is 3 of 4"):
            getattr(PCA(k).fit(X), method)(X)
    with pytest.raises(ValueError, match="below the rank"):
        PCA(4).fit(X).get_precision()


# ------------------------------------------------------------------ poor and bad data


@every_solver
@pytest.mark.parametrize("offset", [0.0, 0.1, 1e6])
@pytest.mark.parametrize("wide", [False, True], ids=["tall", "wide"])
def test_axes_beyond_the_rank_have_no_variance_and_are_orthonormal(solver, offset, wide):
    X = sample(60, 4) + offset
    X = np.column_stack([X, X[:, :2], np.full(60, 0.1)])
    X, rank = (np.vstack([X.T, X.T]) if wide else X), 4  # wide: five points
    pca = PCA(6, svd_solver=solver).fit(X)
    assert (pca.explained_variance_[:rank] > 0.0).all()
    assert (pca.explained_variance_[rank:] == 0.0).all()
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(6), atol=1e-13)
    assert pca.certificate_.converged
    assert np.isfinite(PCA(6, svd_solver=solver, whiten=True).fit_transform(X)).all()


@every_solver
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8 / 3.0])
@pytest.mark.parametrize("shape", [(50, 4), (4, 50), (400, 300)], ids=str)
@pytest.mark.parametrize("store", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_data_without_variance_are_announced_and_give_zeros(solver, value, shape, store):
    if solver == "full" and store is sp.csr_array and shape[0] < shape[1]:
        pytest.skip("refused")
    with pytest.warns(NoVariance, match="constant"):
        pca = PCA(2, svd_solver=solver).fit(store(np.full(shape, value)))
    assert not pca.explained_variance_.any() and not pca.explained_variance_ratio_.any()
    assert pca.noise_variance_ == pca.reconstruction_error_ == 0.0
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(2), atol=1e-14)
    assert pca.certificate_.converged


@pytest.mark.parametrize("count", [0.5, "mle"])
def test_data_without_variance_are_explained_by_one_component(count):
    with pytest.warns(NoVariance):
        assert PCA(count).fit(np.ones((9, 3))).n_components_ == 1


@pytest.mark.parametrize(
    "parameters, kind, words",
    [
        ({"n_components": 6}, ValueError, r"min\(n, p\) = 5"),
        ({"n_components": 0}, ValueError, "integer from 1 to 5"),
        ({"n_components": -1}, ValueError, "integer from 1 to 5"),
        ({"n_components": 1.0}, ValueError, "share in"),
        ({"n_components": np.nan}, ValueError, "share in"),
        ({"n_components": True}, TypeError, "integer from 1"),
        ({"n_components": "all"}, TypeError, "'mle' or None"),
        ({"n_components": 5, "svd_solver": "arpack"}, ValueError, "'arpack' finds 1 to"),
        ({"n_components": 0.5, "svd_solver": "arpack"}, ValueError, "does not find all variances"),
        ({"n_components": "mle", "svd_solver": "randomized"}, ValueError, "does not find all variances"),
        ({"svd_solver": "lapack"}, ValueError, "'covariance_eigh'"),
        ({"tol": -1.0}, ValueError, "tol in"),
        ({"whiten": "yes"}, ValueError, "whiten"),
        ({"iterated_power": -1}, ValueError, "iterated_power"),
        ({"n_oversamples": 0}, ValueError, "n_oversamples"),
        ({"power_iteration_normalizer": "SVD"}, ValueError, "'LU'"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused_by_name(parameters, kind, words):
    with pytest.raises(kind, match=words):
        PCA(**parameters).fit(sample(20, 5))


@every_solver
@pytest.mark.parametrize("wide", [False, True], ids=["tall", "wide"])
def test_numbers_whose_squares_overflow_are_refused(solver, wide):
    X = 1e200 * sample(20, 5)
    with pytest.raises(ValueError, match="overflow"):
        PCA(2, svd_solver=solver).fit(X.T if wide else X)


def test_one_row_and_too_few_rows_for_the_evidence_are_refused():
    with pytest.raises(ValueError, match="1 sample"):
        PCA().fit(np.ones((1, 3)))
    with pytest.raises(ValueError, match="as many rows as columns"):
        PCA("mle").fit(sample(5, 9))


def test_coordinates_of_another_number_are_refused():
    with pytest.raises(ValueError, match="fitted with 2 components"):
        PCA(2).fit(sample(20, 5)).inverse_transform(np.ones((3, 5)))


@every_solver
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("wide", [False, True], ids=["tall", "wide"])
def test_a_number_that_is_not_finite_is_found_in_a_large_matrix(solver, bad, wide):
    X = np.random.default_rng(0).normal(size=(UNREAD // 8 + 1, 8))
    for row, column in ((0, 0), (77_777, 7)):
        before, X[row, column] = X[row, column], bad
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(ValueError, match="Input X contains"):
                PCA(2, svd_solver=solver).fit(X.T if wide else X)
        X[row, column] = before
