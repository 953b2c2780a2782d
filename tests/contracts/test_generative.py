"""What every generative model of the registry promises: one joint density, and all else by Bayes' theorem."""

import numpy as np
import pytest
from scipy.special import logsumexp

from separatrix.core import registry
from separatrix.estimators.generative.base import Generative

MODELS = [cls for cls in registry.members("estimator").values() if issubclass(cls, Generative)]
# A blend of covariances that is fitted to draws from a blend is blended twice, and folds depend on the order of rows.
CONSISTENT = [cls for cls in MODELS if not cls.__name__.startswith("Regularized")]
ONE_FIT = [cls for cls in MODELS if not cls.__name__.endswith("CV")]
STREAMS = [cls for cls in MODELS if hasattr(cls, "partial_fit")]


def named(cls):
    return cls.__name__


@pytest.fixture(scope="module")
def table():
    """Rows of 0 and 1, which every model here can read: as numbers, as marks, as counts and as categories."""
    rng = np.random.default_rng(5)
    y = rng.choice(["a", "b", "c"], 600, p=[0.5, 0.3, 0.2])
    shares = {"a": [0.2, 0.5, 0.7, 0.4], "b": [0.6, 0.4, 0.3, 0.5], "c": [0.5, 0.8, 0.5, 0.2]}
    X = np.array([rng.random(4) < shares[label] for label in y]).astype(float)
    return X, y


def test_the_registry_holds_every_family():
    assert {"LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB", "MixedNB"} <= {
        cls.__name__ for cls in MODELS
    }


@pytest.mark.mission("NB-01", "NB-13")
@pytest.mark.parametrize("cls", MODELS, ids=named)
def test_posteriors_are_the_joint_density_over_its_sum(cls, table):
    X, y = table
    model = cls().fit(X, y)
    joint = model.predict_joint_log_proba(X[:50])
    shares = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X[:50]), shares, rtol=1e-10)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[:50])), shares, rtol=1e-10)
    assert (model.predict(X[:50]) == model.classes_[shares.argmax(axis=1)]).all()


@pytest.mark.mission("NB-04")
@pytest.mark.parametrize("cls", MODELS, ids=named)
def test_the_marginal_density_is_the_sum_of_the_joint(cls, table):
    X, y = table
    model = cls().fit(X, y)
    np.testing.assert_allclose(
        model.score_samples(X[:50]), logsumexp(model.predict_joint_log_proba(X[:50]), axis=1), rtol=1e-10, atol=1e-12
    )


@pytest.mark.mission("NB-02")
@pytest.mark.parametrize("cls", CONSISTENT, ids=named)
def test_rows_drawn_from_a_model_teach_it_to_another(cls, table):
    X, y = table
    model = cls().fit(X, y)
    drawn, labels = model.sample(60_000, random_state=3)
    assert drawn.shape == (60_000, 4)
    again = cls().fit(np.asarray(drawn, dtype=float), labels)
    shares = np.array([(labels == label).mean() for label in model.classes_])
    np.testing.assert_allclose(shares, [(y == label).mean() for label in model.classes_], atol=0.01)
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=0.05)


@pytest.mark.parametrize("cls", MODELS, ids=named)
def test_the_same_seed_draws_the_same_rows(cls, table):
    model = cls().fit(*table)
    first, second = model.sample(20, random_state=1), model.sample(20, random_state=1)
    assert (first[0] == second[0]).all()
    assert (first[1] == second[1]).all()
    with pytest.raises(ValueError, match="positive whole number"):
        model.sample(0)


@pytest.mark.parametrize("cls", ONE_FIT, ids=named)
def test_order_of_rows_and_threads_do_not_show(cls, table, monkeypatch):
    X, y = table
    before = cls().fit(X, y).predict_joint_log_proba(X)
    order = np.random.default_rng(0).permutation(len(y))
    monkeypatch.setenv("SEPARATRIX_THREADS", "3")
    after = cls().fit(np.asfortranarray(X[order]), y[order]).predict_joint_log_proba(X)
    np.testing.assert_allclose(after, before, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("cls", MODELS, ids=named)
def test_every_model_counts_its_parameters_and_is_certified(cls, table):
    model = cls().fit(*table)
    assert isinstance(model.n_parameters_, int)
    assert model.n_parameters_ >= 2 + 3 * 4 - 3  # shares, and about a number for each class and column
    assert model.certificate_.converged


@pytest.mark.parametrize("cls", STREAMS, ids=named)
def test_a_stream_of_chunks_in_any_order_is_one_fit(cls, table):
    X, y = table
    whole = cls().fit(X, y).predict_joint_log_proba(X)
    stream = cls()
    for i in (400, 0, 200):
        stream.partial_fit(X[i : i + 200], y[i : i + 200], classes=["a", "b", "c"])
    np.testing.assert_allclose(stream.predict_joint_log_proba(X), whole, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("cls", STREAMS, ids=named)
def test_a_label_that_was_not_announced_is_named(cls, table):
    X, y = table
    with pytest.raises(ValueError, match="'c'"):
        cls().partial_fit(X, y, classes=["a", "b"])
