"""Features that approximate a kernel: scikit-learn's classes, exactness, and the error that is measured."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.kernel_approximation import RBFSampler as TheirSampler
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix.core.errors import FewerRows
from separatrix.kernel_approximation import Nystroem, RBFSampler
from separatrix.kernel_ridge import KernelRidge
from separatrix.kernels import Gaussian, gram
from separatrix.linear_model import Ridge

RNG = np.random.default_rng(7)
X = RNG.standard_normal((80, 3))


@parametrize_with_checks([Nystroem(), RBFSampler()])
@pytest.mark.filterwarnings("ignore::separatrix.core.errors.FewerRows")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


OPTIONS = [{}, {"kernel": "poly", "degree": 2}, {"kernel": "sigmoid"}, {"gamma": 0.7}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_seed_gives_the_features_of_scikit_learn(options):
    ours, theirs = (model(n_components=9, random_state=4, **options).fit(X) for model in (Nystroem, TheirNystroem))
    assert (ours.component_indices_ == theirs.component_indices_).all()
    np.testing.assert_allclose(ours.normalization_, theirs.normalization_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-6, atol=1e-8)
    assert (ours.get_feature_names_out() == theirs.get_feature_names_out()).all()


@pytest.mark.parametrize("gamma", [0.3, "scale"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_random_features_of_a_seed_are_those_of_scikit_learn(gamma, storage):
    ours, theirs = (m(gamma=gamma, n_components=9, random_state=4).fit(storage(X)) for m in (RBFSampler, TheirSampler))
    np.testing.assert_allclose(ours.transform(storage(X)), theirs.transform(storage(X)), rtol=1e-12, atol=1e-13)


def test_all_rows_as_components_give_the_kernel_itself():
    with pytest.warns(FewerRows, match="n_components=200"):
        model = Nystroem(gamma=0.4, n_components=200, random_state=0).fit(X)
    Phi = model.transform(X)
    np.testing.assert_allclose(Phi @ Phi.T, gram(Gaussian(0.4), X), atol=1e-7)
    assert model.approximation_error_ == 0.0


@pytest.mark.mission("KE-11")
def test_the_error_is_the_share_of_the_trace_that_is_missed():
    model = Nystroem(gamma=0.4, n_components=20, random_state=0).fit(X)
    rest = np.delete(X, model.component_indices_, axis=0)
    drawn, K = model.components_, gram(Gaussian(0.4), rest)
    across = gram(Gaussian(0.4), rest, drawn)
    missed = K - across @ np.linalg.solve(gram(Gaussian(0.4), drawn), across.T)
    assert model.approximation_error_ == pytest.approx(np.trace(missed) / np.trace(K), rel=1e-6)
    assert 0.0 < model.approximation_error_ < 1.0


def test_a_precomputed_kernel_gives_the_same_features():
    named = Nystroem(gamma=0.4, n_components=20, random_state=0).fit(X)
    given = Nystroem(kernel="precomputed", n_components=20, random_state=0).fit(gram(Gaussian(0.4), X))
    new = RNG.standard_normal((5, 3))
    np.testing.assert_allclose(given.transform(gram(Gaussian(0.4), new, X)), named.transform(new), atol=1e-9)


def test_products_of_random_features_are_the_gaussian_to_their_standard_deviation():
    features = RBFSampler(gamma=0.4, n_components=40_000, random_state=0).fit_transform(X[:20])
    difference = features @ features.T - gram(Gaussian(0.4), X[:20])
    assert np.abs(difference).max() < 4.5 / np.sqrt(40_000)  # of 210 products, each normal with at most that deviation


def test_ridge_on_the_features_is_kernel_ridge_about_the_rows_drawn():
    y = np.sin(X[:, 0]) + X[:, 1]
    form = KernelRidge(0.5, kernel="rbf", gamma=0.4, n_components=20, random_state=3).fit(X, y)
    features = Nystroem(gamma=0.4, n_components=20, random_state=3).fit(X)
    assert (np.sort(features.components_, axis=0) == np.sort(form.X_fit_, axis=0)).all()
    ridge = Ridge(0.5, fit_intercept=False).fit(features.transform(X), y)
    np.testing.assert_allclose(form.predict(X), ridge.predict(features.transform(X)), rtol=1e-6)
    assert form.approximation_error_ == pytest.approx(features.approximation_error_, rel=1e-6)


WRONG = [
    Nystroem(n_components=0),
    Nystroem("gauss"),
    Nystroem(gamma=0.0),
    RBFSampler(gamma=-1.0),
    RBFSampler(gamma="s"),
]


@pytest.mark.parametrize("model", WRONG, ids=str)
def test_bad_parameters_are_refused(model):
    with pytest.raises(ValueError):
        model.fit(X)


@pytest.mark.parametrize(
    "kernel", ["precomputed", Gaussian(0.5), lambda x, z: 1.0], ids=["precomputed", "object", "function"]
)
def test_parameters_of_named_kernels_are_refused_for_others(kernel):
    with pytest.raises(ValueError, match="gamma=1"):
        Nystroem(kernel, gamma=1.0).fit(gram(Gaussian(0.5), X))


@pytest.mark.parametrize(
    "options",
    [
        {"kernel": "rbf", "kernel_params": {"gamma": 0.3}},
        {"kernel": "poly", "degree": 2, "kernel_params": {"gamma": 0.3, "degree": 4, "coef0": 0.5}},
    ],
    ids=str,
)
def test_the_parameters_of_a_named_kernel_may_stand_in_kernel_params(options):
    ours = Nystroem(random_state=0, n_components=10, **options).fit_transform(X)
    theirs = TheirNystroem(random_state=0, n_components=10, **options).fit_transform(X)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-8)
    with pytest.raises(ValueError, match="have no 'width'"):
        Nystroem(kernel_params={"width": 2.0}).fit(X)


def test_a_precomputed_kernel_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match="square kernel matrix"):
        Nystroem("precomputed").fit(X)
