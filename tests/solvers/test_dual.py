"""Wide ridge regression through the inner products of the rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.core.problem import Problem
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.losses import Squared
from separatrix.penalties import L2
from separatrix.solvers.dual import dual_ridge


@pytest.mark.parametrize("intercept", [True, False])
def test_rows_of_subnormal_weight_count_as_rows_of_weight_zero(intercept):
    """lam / s_i overflows there; 1e-310 of the total weight moves no digit of the answer."""
    rng = np.random.default_rng(0)
    X, y, s = rng.standard_normal((10, 40)), rng.standard_normal(10), np.ones(10)
    s[3:6] = 1e-310
    faint, none = (
        dual_ridge(Problem(as_design(X), Target(y, weights), Squared(), L2(1e-3), intercept))
        for weights in (s, np.where(s < 1.0, 0.0, s))
    )
    assert_allclose(faint.beta, none.beta, rtol=1e-12)
    assert_allclose(faint.theta, none.theta, rtol=1e-12)
