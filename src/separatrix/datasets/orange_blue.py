"""Two classes, each a mixture of ten normal densities, for which neither a line nor one neighbour is optimal."""

import numpy as np
from scipy.special import logsumexp

from separatrix.core.refusal import cannot
from separatrix.datasets.catalogue import Truth, checked_rows, classification, data_set

VARIANCE = 0.2
COMPONENTS = 10
CENTRES = np.array([[1.0, 0.0], [0.0, 1.0]])  # blue, orange


@data_set("orange_blue", "Two classes, each a mixture of ten bumps whose centres were drawn; the mixture is known.")
def orange_blue(n=200, seed=0, *, means=None):
    r"""Ten means of each class from N((1, 0), I) or N((0, 1), I), then points from N(a mean of the class, I/5).

    The Bayes rule compares the two sums of ten densities.

    Parameters
    ----------
    n : int, [2, inf), default 200.  Rows; blue (0) and orange (1) take turns.
    seed : int or Generator, default 0.  Of the means, too, where they are not given.
    means : (20, 2) array or None, default None.  Those of blue, then those of orange.

    References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 2.3.3.

    >>> data = orange_blue()
    >>> data.classes, float((data.truth.rule(data.X) == data.y).mean()) > 0.7
    ((0, 1), True)
    """
    n, rng = checked_rows(n, 2), np.random.default_rng(seed)
    if means is None:
        means = np.repeat(CENTRES, COMPONENTS, axis=0) + rng.standard_normal((2 * COMPONENTS, 2))
    means = np.asarray(means, dtype=np.float64)
    if means.shape != (2 * COMPONENTS, 2):
        raise cannot(f"draw from means of shape {means.shape}", because="each class has ten", instead="shape (20, 2)")
    y = np.arange(n) % 2
    X = means[rng.integers(0, COMPONENTS, n) + COMPONENTS * y] + np.sqrt(VARIANCE) * rng.standard_normal((n, 2))
    truth = Truth(
        "Orange where its ten bumps together are higher than those of blue.",
        lambda X: (likelihood_ratio(X, means) > 1.0).astype(int),
    )
    return classification("orange_blue", X, y, ["x1", "x2"], truth=truth)


def likelihood_ratio(X, means):
    """The density of orange over that of blue.

    >>> means = np.repeat(CENTRES, COMPONENTS, axis=0)
    >>> likelihood_ratio([[0.5, 0.5], [0.0, 1.0]], means).round(3)
    array([  1.   , 148.413])
    """
    distances = ((np.asarray(X, dtype=np.float64)[:, None, :] - means) ** 2).sum(axis=2)
    heights = -0.5 * distances / VARIANCE  # in logs: far from all bumps both densities are 0
    return np.exp(logsumexp(heights[:, COMPONENTS:], axis=1) - logsumexp(heights[:, :COMPONENTS], axis=1))
