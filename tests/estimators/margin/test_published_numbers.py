"""What machines publish is what their data say, wherever the rows are and whatever the prices."""

import numpy as np
from numpy.testing import assert_allclose

from separatrix.svm import SVC


def test_a_gaussian_machine_of_far_groups_is_certified():
    rng = np.random.default_rng(4)
    grid = rng.integers(-8, 8, (30, 2)).astype(float)
    labels = np.where(grid[:, 0] * grid[:, 1] > 0.0, 1, -1)
    alone = SVC(C=10.0, gamma=0.05).fit(grid, labels)
    # the other group is too far away to be seen by this one: its kernel with it is 0
    both = SVC(C=10.0, gamma=0.05, tol=1e-9).fit(np.vstack([grid - 1e8, grid + 1e8]), np.append(labels, labels))
    assert both.certificate_.converged
    assert_allclose(both.decision_function(grid + 1e8), alone.decision_function(grid), rtol=1e-7, atol=1e-7)
