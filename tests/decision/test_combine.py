"""Two models, one posterior: DEC-10."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.decision import combine_posteriors, shift_priors


def bayes(prior, *likelihoods):
    """The posterior in exact fractions, from the joint probabilities themselves."""
    joint = list(prior)
    for likelihood in likelihoods:
        joint = [j * f for j, f in zip(joint, likelihood)]
    return [j / sum(joint) for j in joint]


@pytest.mark.mission("DEC-10")
def test_the_combination_is_the_golden_one():
    """G061."""
    first, second = [[0.5555555555555556, 0.4444444444444444]], [[0.1111111111111111, 0.8888888888888889]]
    found = combine_posteriors([first, second], [0.2, 0.8])
    assert_allclose(found, [[0.3846153846, 0.6153846154]], atol=1e-9)
    assert_allclose(found, [[5 / 13, 8 / 13]], rtol=1e-14)


@pytest.mark.mission("DEC-10")
@settings(deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda k: st.lists(st.lists(st.integers(1, 9), min_size=k, max_size=k), min_size=2, max_size=5)
    )
)
def test_models_of_independent_data_combine_to_the_posterior_of_all_of_it(tables):
    """Bayes' rule in exact fractions: the prior and one likelihood for each of up to four models."""
    prior = [Fraction(c, sum(tables[0])) for c in tables[0]]
    likelihoods = [[Fraction(c, 10) for c in row] for row in tables[1:]]
    single = [[bayes(prior, likelihood)] for likelihood in likelihoods]
    found = combine_posteriors([np.array(P, dtype=float) for P in single], np.array(prior, dtype=float))
    assert_allclose(found[0], np.array(bayes(prior, *likelihoods), dtype=float), rtol=1e-12)


@pytest.mark.mission("DEC-10")
def test_one_model_alone_and_a_model_that_knows_only_the_prior_change_nothing():
    P, prior = np.array([[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]]), np.array([0.5, 0.25, 0.25])
    assert_allclose(combine_posteriors([P], prior), P, rtol=1e-14)
    assert_allclose(combine_posteriors([P, np.tile(prior, (2, 1))], prior), P, rtol=1e-14)


def test_a_thousand_models_do_not_underflow():
    P = np.array([[0.3, 0.7]])
    found = combine_posteriors([P] * 1000, [0.3, 0.7])
    assert_allclose(found, P, rtol=1e-10)
    assert_array_equal(combine_posteriors([P] * 5000, [0.5, 0.5]), [[0.0, 1.0]])


def test_a_class_that_one_model_rules_out_stays_out():
    found = combine_posteriors([[[0.0, 0.5, 0.5]], [[0.8, 0.1, 0.1]]], [0.4, 0.3, 0.3])
    assert_allclose(found, [[0.0, 0.5, 0.5]], rtol=1e-14)


def test_a_class_that_never_occurs_stays_away():
    found = combine_posteriors([[[0.5, 0.5, 0.0]], [[0.25, 0.75, 0.0]]], [0.5, 0.5, 0.0])
    assert_allclose(found, [[0.25, 0.75, 0.0]], rtol=1e-14)


def test_combining_and_shifting_priors_commute():
    rng = np.random.default_rng(0)
    P, Q = rng.dirichlet(np.ones(3), (2, 20))
    old, new = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    first = shift_priors(combine_posteriors([P, Q], old), old, new)
    second = combine_posteriors([shift_priors(P, old, new), shift_priors(Q, old, new)], new)
    assert_allclose(first, second, rtol=1e-12)


@pytest.mark.parametrize(
    "posteriors, priors, said",
    [
        ([], [0.5, 0.5], "no models"),
        ([[[0.5, 0.5]], [[0.2, 0.8], [0.1, 0.9]]], [0.5, 0.5], "same rows and classes"),
        ([[[0.5, 0.5]], [[0.2, 0.9]]], [0.5, 0.5], r"posteriors\[1\] whose row 0 sums to 1.1"),
        ([[[1.0, 0.0]], [[0.2, 0.8]]], [1.0, 0.0], r"class number 1: it is 0, yet posteriors\[1\]"),
        ([[[1.0, 0.0]], [[0.0, 1.0]]], [0.5, 0.5], "every class is ruled out"),
        ([[[0.5, 0.5]]], [0.5, 0.6], "sum to 1.1"),
        ([[[0.5, 0.5]]], [0.5, 0.25, 0.25], r"priors of shape \(3,\)"),
    ],
)
def test_what_cannot_be_combined_is_named(posteriors, priors, said):
    with pytest.raises(ValueError, match=said):
        combine_posteriors(posteriors, priors)
