"""Intervals of predicted means end where the range of the mean does."""

import warnings

import numpy as np
import pytest

from separatrix.inference import predict_interval
from separatrix.linear_model import GeneralizedLinearRegressor

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 2))
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0])).astype(float)
SHARES = (RNG.random(60) < np.exp(-1.0 + 0.2 * X[:, 0])).astype(float)


@pytest.mark.parametrize(
    ("family", "link", "y", "most"),
    [
        ("poisson", "identity", COUNTS, np.inf),
        ("gamma", "identity", COUNTS + 1.0, np.inf),
        ("gamma", "inverse", COUNTS + 1.0, np.inf),
        ("binomial", "log", SHARES, 1.0),
    ],
)
def test_no_end_of_an_interval_is_outside_of_the_range_of_the_mean(family, link, y, most):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GeneralizedLinearRegressor(family, link).fit(X, y)
    rows = 6.0 * X
    band = predict_interval(model, rows)
    inside = (band.fit >= 0.0) & (band.fit <= most)
    assert inside.any() and not inside.all()
    assert (band.low[inside] >= 0.0).all() and (band.high[inside] <= most).all()
    assert (band.low[inside] <= band.fit[inside]).all() and (band.fit[inside] <= band.high[inside]).all()
    assert np.isnan(band.low[~inside]).all() and np.isnan(band.high[~inside]).all()  # no mean: nothing to estimate


def test_the_normal_distribution_has_means_of_either_sign():
    model = GeneralizedLinearRegressor("gaussian").fit(X, COUNTS)
    band = predict_interval(model, 6.0 * X)
    assert (band.low < 0.0).any() and np.isfinite(band.low).all()


def test_the_log_link_of_shares_is_not_advised_in_its_own_place():
    offset = -1.0 - np.random.default_rng(1).uniform(-1.0, 1.0, 60)
    with pytest.warns(UserWarning, match="use the logit link"):
        GeneralizedLinearRegressor("binomial", "log", max_iter=2).fit(X, SHARES, offset=offset)
