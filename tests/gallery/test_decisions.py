"""The gallery's page on costs and rejection computes what it says."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "gallery" / "reject_and_costs.py"


@pytest.fixture(scope="module")
def found():
    spec = importlib.util.spec_from_file_location("gallery_reject_and_costs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.compute()


@pytest.mark.mission("DEC-08", "DEC-09")
def test_compensated_posteriors_are_near_the_truth_and_balanced_ones_are_not(found):
    assert np.abs(found["posterior"] - found["truth"]).max() < 0.06
    assert np.abs(found["balanced"] - found["truth"]).max() > 0.4


@pytest.mark.mission("DEC-04", "DEC-11")
def test_thresholds_are_near_those_of_the_true_posteriors(found):
    """log(9) / 2 + 1 for the 0/1 loss; a miss of 20 moves it by log(20) / 2."""
    plain = 1.0 + math.log(9.0) / 2.0
    np.testing.assert_allclose(found["thresholds"], [plain, plain - math.log(20.0) / 2.0], atol=0.15)


@pytest.mark.mission("DEC-05", "DEC-13")
def test_errors_and_costs_are_near_the_least_possible(found):
    exact = 0.9 * norm.sf(1.0 + math.log(9.0) / 2.0) + 0.1 * norm.cdf(math.log(9.0) / 2.0 - 1.0)
    assert found["bayes_rate"] == pytest.approx(exact, rel=1e-12)
    assert found["error"][0] == pytest.approx(found["bayes_rate"], abs=0.008)
    assert found["cost"][1] == pytest.approx(found["bayes_cost"], abs=0.05)
    assert found["error"][1] > 3.0 * found["error"][0]
    assert found["cost"][1] < 0.4 * found["cost"][0]


@pytest.mark.mission("DEC-07")
def test_rejecting_lowers_the_error_and_the_price_of_it_bounds_the_range(found):
    assert found["sure"] < 0.3 * found["curve"].error[-1]
    low, high = found["rejected"].min(), found["rejected"].max()
    # rejected where both 20 P and 1 - P cost more than ½: P between 2.5 % and 50 %
    odds = np.log([0.025 / 0.975, 1.0]) + math.log(9.0)
    np.testing.assert_allclose([low, high], 1.0 + odds / 2.0, atol=0.2)
