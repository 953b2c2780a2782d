"""Means of raw scores and their slopes are those of statsmodels' links."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.prediction.links import LINKS, inverse_link, mean_slope

SCORES = {True: np.array([0.05, 0.3, 1.0, 2.5, 9.0]), False: np.array([-2.5, -0.6, 0.0, 0.4, 1.3])}
THEIRS = {
    "identity": "Identity",
    "log": "Log",
    "sqrt": "Sqrt",
    "inverse": "InversePower",
    "1/mu^2": "InverseSquared",
    "logit": "Logit",
    "probit": "Probit",
    "cloglog": "CLogLog",
    "cauchit": "Cauchy",
}


@pytest.mark.parametrize("name", LINKS)
def test_means_and_slopes_are_those_of_statsmodels(name):
    links = pytest.importorskip("statsmodels.genmod.families.links")
    eta, theirs = SCORES[LINKS[name].positive], getattr(links, THEIRS[name])()
    assert_allclose(inverse_link(name, eta), theirs.inverse(eta), rtol=1e-12)
    assert_allclose(mean_slope(name, eta), theirs.inverse_deriv(eta), rtol=1e-6)
    assert LINKS[name].falls == (theirs.inverse_deriv(eta)[0] < 0.0)
