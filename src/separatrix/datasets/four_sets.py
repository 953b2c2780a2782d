"""Four sets X1 to X4: two uniform squares, from far apart to overlapping."""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.datasets.catalogue import Truth, checked_rows, classification, data_set

SIDE = 2.0
CORNERS = {"X1": (3.0, 3.0), "X2": (2.0, 2.0), "X3": (0.0, 2.0), "X4": (1.0, 1.0)}  # lower left, of the class +1


@data_set(
    "four_sets",
    "Two square clouds: which='X1' far apart, 'X2' touching at a corner, 'X3' along an edge, 'X4' overlapping.",
)
def four_sets(n=200, seed=0, *, which="X1"):
    r"""Class −1 uniform on [0, 2]², class +1 on a square of the same size whose lower left corner is c.

    .. math:: c = (3, 3),\ (2, 2),\ (0, 2),\ (1, 1) \qquad\text{for X1, X2, X3, X4}

    The line halfway, :math:`c \cdot (x - (1, 1) - c/2) = 0`, is a Bayes rule of each. Its error is 0 except in X4,
    where the squares share a quarter and the Bayes rate is 1/8.

    Parameters
    ----------
    n : int, [2, inf), default 200.  Rows, half of each class.
    seed : int or Generator, default 0.
    which : {"X1", "X2", "X3", "X4"}, default "X1".

    >>> data = four_sets(which="X4")
    >>> data.truth.error, data.classes
    (0.125, (-1, 1))
    """
    if which not in CORNERS:
        raise cannot(
            f"make the set {which!r}",
            because=f"there are {', '.join(CORNERS)}",
            instead="which='X1' (default) or another",
        )
    n, rng, corner = checked_rows(n, 2), np.random.default_rng(seed), np.array(CORNERS[which])
    first = n // 2
    low = rng.uniform(0.0, SIDE, (first, 2))
    high = rng.uniform(0.0, SIDE, (n - first, 2)) + corner
    middle = SIDE / 2.0 + corner / 2.0
    # the classes are equally likely on the intersection, so that half of its mass is misclassified
    error = float(np.prod(np.maximum(SIDE - corner, 0.0)) / SIDE**2 / 2.0)
    truth = Truth(
        f"The line {corner[0]:g} x1 + {corner[1]:g} x2 = {corner @ middle:g} is a Bayes rule; its error is {error:g}.",
        lambda X: np.where((np.asarray(X) - middle) @ corner > 0.0, 1, -1),
        error,
    )
    return classification(
        "four_sets", np.vstack([low, high]), np.repeat([-1, 1], [first, n - first]), ["x1", "x2"], truth=truth
    )
