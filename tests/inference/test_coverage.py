"""Intervals cover what they say: 95 % of the time, in simulation, where they are labelled valid."""

import warnings

import numpy as np
import pytest

from separatrix.inference.fitted_likelihood import likelihood_of
from separatrix.inference.profile import profile_intervals
from separatrix.linear_model import LogisticRegression

TRUTH = np.array([-0.5, 1.0])
Z95 = 1.959963984540054


def covered(runs, n, seed):
    """How often Wald and profile intervals of (intercept, slope) hold the truth: shape (2, 2)."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-2.0, 2.0, n)[:, None]
    mu = 1.0 / (1.0 + np.exp(-TRUTH[0] - TRUTH[1] * x[:, 0]))
    hits = np.zeros((2, 2))
    model = LogisticRegression(C=np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # separated data would not be valid
        for _ in range(runs):
            y = (rng.random(n) < mu).astype(int)
            fit = likelihood_of(model.fit(x, y), x, y)
            estimate, errors = fit.evidence.coefficients[:, 0], np.sqrt(np.diag(fit.evidence.covariance))
            hits[0] += np.abs(estimate - TRUTH) <= Z95 * errors
            ends = profile_intervals(fit, 0.95)
            hits[1] += (ends[:, 0] <= TRUTH) & (ends[:, 1] >= TRUTH)
    return hits / runs


@pytest.mark.mission("SI-01", "SI-02")
def test_intervals_of_200_rows_cover_within_the_spread_of_the_simulation():
    runs = 250
    assert np.abs(covered(runs, 200, seed=0) - 0.95).max() < 3.5 * np.sqrt(0.95 * 0.05 / runs)


@pytest.mark.slow
def test_intervals_cover_between_94_and_96_in_a_hundred():
    shares = covered(4000, 300, seed=1)
    assert (shares > 0.94).all() and (shares < 0.96).all()
