r"""The arithmetic of nearest neighbours: exact distances to every training row, by tiles, and averages of y.

Distances are Euclidean, of another power, or angles (between rows of length 1). Of Euclidean ones a tile of ``|q|² +
|x|² - 2 q'x`` with a bound of its rounding, ``(2 p + 16) ε (|q|² + |x|²)``, says which rows may be among the k nearest
(each of the three sums of p products is off by at most p ε/2 of its terms, the sum of squared differences below by p
ε/2 of 2 (|q|² + |x|²)). Their squared distances are then summed from differences, column by column: no digit tells how
they were found.
"""

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.prediction.storage import dense

EPS = np.finfo(np.float64).eps
TILE = 1 << 21  # distances at a time
IN_CACHE = 1 << 17  # numbers of pairs of rows at a time


def serves(state):
    """Whether the neighbours of a model are found here: by powers of differences, for y of one column or numbers."""
    index = state["_index"].state
    if "metric" not in index or state.get("outputs_2d_", False):
        return False
    metric = index["metric"].state
    simple = metric["power"] == 2.0 and not metric["unit"]
    return simple or (metric["power"] is not None and isinstance(index["X"], np.ndarray))


def neighbours(state, Q):
    """Positions (m, k) of the k nearest training rows, nearest first, and weights (m, k) or None for equal ones."""
    X, k = state["_index"].state["X"], state["n_neighbors"]
    if k > X.shape[0]:
        raise cannot(
            f"find n_neighbors={k} neighbours",
            because=f"the model was fitted to n_samples={X.shape[0]} rows",
            instead=f"n_neighbors <= {X.shape[0]}",
        )
    metric = state["_index"].state["metric"].state
    power, unit = metric["power"], metric["unit"]
    if power == 2.0 and not unit:
        norms, search = _squared_norms(X), _nearest
    else:
        Q = dense(Q)
        X, Q = (unit_rows(X, 0), unit_rows(Q, 1)) if unit else (X, Q)
        norms, search = power, _nearest_of_all
    height = max(1, TILE // X.shape[0])
    tiles = [search(Q[i : i + height], X, norms, k) for i in range(0, Q.shape[0], height)]
    reduced, index = (np.concatenate(parts) for parts in zip(*tiles)) if tiles else np.zeros((2, 0, k), dtype=int)
    if state["weights"] != "distance":
        return index, None
    distances = np.minimum(0.5 * reduced, 2.0) if unit else np.sqrt(reduced) if power == 2.0 else reduced
    m = len(index)
    return index, inverse_distances(distances.ravel(), np.repeat(np.arange(m), k), m).reshape(m, k)


def _nearest_of_all(Q, X, power, k):
    """Reduced distances and positions (m, k) by the sums ``Σ |q - x|^power`` of all pairs; of equals the first."""
    total = np.zeros((len(Q), len(X)))
    combine = np.maximum if power == np.inf else np.add
    with np.errstate(over="ignore"):
        for j in range(X.shape[1]):  # from the first column to the last, as the estimators sum
            size = np.abs(Q[:, [j]].astype(np.float64) - X[:, j].astype(np.float64))
            term = size * size if power == 2.0 else size if power in (1.0, np.inf) else size**power
            combine(total, term, out=total)
    if power not in (1.0, 2.0, np.inf):
        total **= 1.0 / power
    first = np.argsort(total, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(total, first, axis=1), first


def unit_rows(X, mark):
    """Rows of length 1 with two columns more; a row of zeros has its 1 in the one of number `mark`.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]), 1)
    array([[0.6, 0.8, 0. , 0. ],
           [0. , 0. , 0. , 1. ]])
    """
    X = X.astype(np.float64)
    largest = np.abs(X).max(axis=1)
    zero = largest == 0.0
    extra = np.zeros((len(X), 2))
    extra[:, mark] = zero
    X = X / np.where(zero, 1.0, largest)[:, None]
    X /= np.where(zero, 1.0, np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]
    return np.hstack([X, extra])


def _nearest(Q, X, norms, k):
    """Squared distances and positions (m, k), nearest first; of equally near ones the first."""
    m, p = Q.shape
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is looked at below
        size = np.add.outer(_squared_norms(Q), norms)
        D = size - 2.0 * dense(Q @ X.T)
        size *= (2.0 * p + 16.0) * EPS
        size += 1e-300
        bound = np.partition(D + size, k - 1, axis=1)[:, [k - 1]]
        i, j = np.nonzero(~(D - size > bound))
    squares = _squared_distances(Q, X, i, j)
    order = np.lexsort((j, squares, i))
    first = order[np.searchsorted(i[order], np.arange(m))[:, None] + np.arange(k)]
    return squares[first], j[first]


def _squared_distances(Q, X, i, j):
    """``Σ (q - x)²`` of pairs of rows, from the first column to the last."""
    total, width = np.zeros(len(i)), IN_CACHE // max(X.shape[1], 1) + 1
    with np.errstate(over="ignore"):
        for start in range(0, len(i), width):
            piece = slice(start, start + width)
            difference = dense(Q[i[piece]]) - dense(X[j[piece]])
            out = total[piece]
            for column in (difference * difference).T:
                out += column
    return total


def _squared_norms(X):
    with np.errstate(over="ignore"):
        return np.asarray((X * X).sum(axis=1) if isinstance(X, np.ndarray) else X.multiply(X).sum(axis=1)).ravel()


def inverse_distances(distance, i, m):
    """``1/d`` for each neighbour of the queries i; a query that coincides with training rows takes those only."""
    with np.errstate(divide="ignore", over="ignore"):
        w = 1.0 / distance
    here = np.isinf(w)
    coincides = np.bincount(i[here], minlength=m) > 0
    return np.where(coincides[i], here, w)


def shares_of(codes, weights, n_classes):
    """Share of each class among codes (m, k): (m, n_classes).

    >>> shares_of(np.array([[0, 1, 1, 1]]), None, 2)
    array([[0.25, 0.75]])
    """
    m = len(codes)
    place = codes + n_classes * np.arange(m)[:, None]
    counted = None if weights is None else weights.ravel()
    votes = np.bincount(place.ravel(), counted, minlength=m * n_classes).reshape(m, n_classes)
    return votes / votes.sum(axis=1, keepdims=True)


def class_shares(state, X):
    """Shares of the classes among the neighbours: (m, k)."""
    index, weights = neighbours(state, X)
    return shares_of(state["_y"][index], weights, len(state["classes_"]))


def commonest_class(state, X):
    """The class of most neighbours; of equally common ones the first."""
    return state["classes_"][class_shares(state, X).argmax(axis=1)]


def average(state, X):
    """The mean or median of y over the neighbours: (m,) or (m, outputs)."""
    index, weights = neighbours(state, X)
    y = state["_y"]
    fitted = average_of(y.reshape(len(y), -1)[index], weights, state["average"])
    return fitted.reshape(len(index), *y.shape[1:])


def average_of(values, weights, average):
    """The mean or median (m, outputs) of values (m, k, outputs), with weights (m, k) or None for equal ones."""
    if average == "mean":
        if weights is None:
            return values.mean(axis=1)
        return np.einsum("mk,mko->mo", weights, values) / weights.sum(axis=1)[:, None]
    if weights is None:
        return np.median(values, axis=1)
    return np.stack([weighted_median(values[:, :, o], weights) for o in range(values.shape[2])], axis=1)


def weighted_median(values, weights):
    """The value that half of the weight lies below, for each row; halfway between two where both would do.

    >>> weighted_median(np.array([[3.0, 1.0, 2.0]]), np.array([[1.0, 1.0, 2.0]]))
    array([2.])
    """
    order = np.argsort(values, axis=1, kind="stable")
    values = np.take_along_axis(values, order, axis=1)
    below = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    half = below[:, -1:] / 2.0
    rows = np.arange(len(values))
    return (values[rows, (below >= half).argmax(axis=1)] + values[rows, (below > half).argmax(axis=1)]) / 2.0
