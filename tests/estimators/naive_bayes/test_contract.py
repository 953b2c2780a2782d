"""scikit-learn's own checks, without an exception, and its parameters with their defaults."""

import inspect

import numpy as np
import pytest
import sklearn.naive_bayes
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import naive_bayes
from separatrix.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MixedNB, MultinomialNB

MODELS = [
    BernoulliNB(),
    BernoulliNB(alpha=0.0),
    CategoricalNB(),
    CategoricalNB(unseen="ignore", min_categories=3),
    GaussianNB(),
    MixedNB(),
    MixedNB(unseen="smooth", alpha=0.5),
    MultinomialNB(),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", sorted(set(naive_bayes.__all__) & set(sklearn.naive_bayes.__all__)))
def test_parameters_and_defaults_are_scikit_learns(name):
    theirs = inspect.signature(getattr(sklearn.naive_bayes, name).__init__).parameters
    ours = inspect.signature(getattr(naive_bayes, name).__init__).parameters
    assert set(theirs) <= set(ours)
    for parameter in set(theirs) - {"self"}:
        assert ours[parameter].default == theirs[parameter].default, parameter
        assert ours[parameter].kind == theirs[parameter].kind, parameter


@pytest.mark.parametrize("model", [BernoulliNB(), CategoricalNB(), GaussianNB(), MixedNB(), MultinomialNB()], ids=str)
def test_a_fit_is_certified_and_says_that_it_is_a_closed_form(model):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1.0, (300, 20)).astype(float), rng.integers(0, 3, 300)
    found = model.fit(X, y).certificate_
    assert found.kind == "residual" and found.converged and "closed form" in found.message
