"""Exclusive or: the smallest problem that no line solves."""

import numpy as np
from scipy.special import ndtr

from separatrix.datasets.catalogue import Truth, checked_rows, checked_spread, classification, data_set

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


@data_set("xor", "Four clouds at the corners of a square, opposite ones of one class; no line separates them.")
def xor(n=200, seed=0, *, noise=0.15):
    r"""Corners of the unit square in turn, with normal noise; the class is the exclusive or of the corner.

    The Bayes rule is :math:`(x_1 - \tfrac12)(x_2 - \tfrac12) < 0`, which a line cannot say and the product
    :math:`x_1 x_2` as a further column can. With :math:`q = \Phi(-1/(2\sigma))` its error is :math:`2 q (1 - q)`.

    Parameters
    ----------
    n : int, [4, inf), default 200.
    seed : int or Generator, default 0.
    noise : float, [0, inf), default 0.15.  Standard deviation σ; 0 gives the corners themselves.

    >>> data = xor(4, noise=0.0)
    >>> data.X.tolist(), data.y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    n, noise, rng = checked_rows(n, 4), checked_spread(noise, "noise"), np.random.default_rng(seed)
    corner = CORNERS[np.arange(n) % 4]
    y = (corner[:, 0] != corner[:, 1]).astype(int)
    crossed = float(ndtr(-0.5 / noise)) if noise else 0.0
    truth = Truth(
        "The class is 1 where (x1 − 1/2)(x2 − 1/2) < 0.",
        lambda X: (np.prod(np.asarray(X, dtype=np.float64) - 0.5, axis=1) < 0.0).astype(int),
        2.0 * crossed * (1.0 - crossed),
    )
    return classification("xor", corner + noise * rng.standard_normal((n, 2)), y, ["x1", "x2"], truth=truth)
