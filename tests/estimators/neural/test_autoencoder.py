"""Autoencoders: reconstruction, codes, and the subspace of principal components."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import separatrix
from separatrix.decomposition import PCA
from separatrix.neural_network import Autoencoder

rng = np.random.default_rng(0)
X = rng.standard_normal((80, 3)) @ rng.standard_normal((3, 6)) + 0.1 * rng.standard_normal((80, 6)) + 0.5
BINARY = (X > 0.5).astype(float)


def quietly(model, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data)


@pytest.mark.mission("NET-21")
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_linear_autoencoder_spans_what_the_first_principal_components_span(k):
    settings = {"activation": "identity", "alpha": 0.0, "solver": "lbfgs", "max_iter": 5000, "tol": 1e-10}
    model = quietly(Autoencoder(k, random_state=0, **settings), X)
    pca = PCA(k).fit(X)
    decoder = model.coefs_[1]
    # the sine of the largest angle between the two subspaces
    outside = decoder - decoder @ pca.components_.T @ pca.components_
    assert np.linalg.norm(outside, 2) < 1e-5 * np.linalg.svd(decoder)[1].min()
    assert_allclose(model.reconstruction_error(X), 0.5 * pca.reconstruction_error(X), rtol=1e-8)


@pytest.mark.mission("NET-21")
def test_as_many_units_as_columns_may_learn_to_copy():
    settings = {"activation": "identity", "alpha": 0.0, "solver": "lbfgs", "max_iter": 5000, "tol": 1e-10}
    model = quietly(Autoencoder(6, random_state=0, **settings), X)
    assert_allclose(model.reconstruct(X), X, atol=1e-4)


@pytest.mark.mission("NET-11")
@pytest.mark.parametrize(("loss", "data"), [("squared_error", X), ("cross_entropy", BINARY)])
def test_the_reconstruction_gets_better(loss, data):
    model = quietly(Autoencoder(3, loss=loss, random_state=0, learning_rate_init=0.02, max_iter=150), data)
    assert model.loss_curve_[-1] < 0.6 * model.loss_curve_[0]
    given_back = model.reconstruct(data)
    if loss == "cross_entropy":
        assert given_back.min() > 0.0 and given_back.max() < 1.0
        assert ((given_back > 0.5) == (data > 0.5)).mean() > 0.9
    else:
        assert_allclose(model.reconstruction_error(data), 0.5 * ((data - given_back) ** 2).sum(axis=1).mean())


@pytest.mark.mission("NET-11", "NET-20")
def test_a_code_is_what_the_middle_layer_gives():
    model = quietly(Autoencoder(2, hidden_layer_sizes=(5,), random_state=0, max_iter=5), X)
    assert [W.shape for W in model.coefs_] == [(6, 5), (5, 2), (2, 5), (5, 6)]
    assert_allclose(model.transform(X), model.hidden_representation(X, 1), rtol=0.0)
    assert model.transform(X).shape == (80, 2) and model.inverse_transform(model.transform(X)).shape == X.shape
    assert model.get_feature_names_out().tolist() == ["autoencoder0", "autoencoder1"]


def test_a_reconstruction_is_verified():
    model = Autoencoder(2, solver="lbfgs", alpha=1.0, max_iter=3000, tol=1e-6, random_state=0).fit(X)
    assert separatrix.verify(model, X, None).converged
    assert not separatrix.verify(model, X[::-1] + 0.1, None).converged


def test_cross_entropy_wants_probabilities():
    with pytest.raises(ValueError, match="which are no probabilities"):
        Autoencoder(loss="cross_entropy").fit(X)
    with pytest.raises(ValueError, match="n_components must be an integer"):
        Autoencoder(0).fit(X)
