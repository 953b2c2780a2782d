"""Two clusters, one for each class, and a third far behind the second, on its correct side."""

import numpy as np

from separatrix.datasets.catalogue import Truth, checked_rows, classification, data_set

CENTRES = np.array([[-1.5, 0.5], [1.5, -0.5], [9.0, -12.0]])
SPREADS = np.array([0.5, 0.5, 0.8])
CLASSES = np.array([0, 1, 1])
SHARES = np.array([40, 40, 25]) / 105.0


@data_set(
    "far_cluster", "Two classes a line separates, and a far cluster on the right side that drags least squares over it."
)
def far_cluster(n=105, seed=0, *, far=True):
    r"""Round normal clusters at (−1.5, 0.5) and (1.5, −0.5), and of the second class also at (9, −12).

    Least squares with targets ±1 penalises far points on the correct side and misclassifies points between the other
    clusters; the logistic loss does not.

    Parameters
    ----------
    n : int, [6, inf), default 105.  Rows: eight in 21 of either near cluster, five in 21 of the far one.
    seed : int or Generator, default 0.
    far : bool, default True.  Whether the far cluster is there; without it the other rows are the same.

    >>> data = far_cluster()
    >>> [int((data.y == c).sum()) for c in data.classes], len(far_cluster(far=False))
    ([40, 65], 80)
    """
    n, rng = checked_rows(n, 6), np.random.default_rng(seed)
    near = round(n * SHARES[0])
    sizes = [near, near, n - 2 * near][: 3 if far else 2]
    X = np.vstack([rng.normal(CENTRES[c], SPREADS[c], (size, 2)) for c, size in enumerate(sizes)])
    truth = Truth(
        "Given a point, the class of the cluster it is likeliest to be from; about one point in a thousand is not.",
        lambda X: _rule(X, len(sizes)),
    )
    return classification("far_cluster", X, np.repeat(CLASSES[: len(sizes)], sizes), ["x1", "x2"], truth=truth)


def _rule(X, clusters):
    """Class 1 where the share times density of its clusters, added, exceeds that of class 0."""
    distance = ((np.asarray(X, dtype=np.float64)[:, None, :] - CENTRES[:clusters]) ** 2).sum(axis=2)
    spread = SPREADS[:clusters]
    weights = np.log(SHARES[:clusters]) - 2.0 * np.log(spread) - 0.5 * distance / spread**2
    return (np.logaddexp.reduce(weights[:, 1:], axis=1) > weights[:, 0]).astype(int)
