"""A maximum spanning tree by Prim's algorithm.

Given    symmetric weights (p, p).     Returns the p - 1 edges, each as (smaller, larger), in ascending order.
From     Prim (1957), Bell System Technical Journal 36(6), in the form for dense graphs: the tree grows by the heaviest
         edge that leaves it. Of equal edges the one to the first node wins.     Cost: O(p²).
"""

import numpy as np

from separatrix.core.types import Array


def maximum_spanning_tree(weights: Array) -> Array:
    """The edges (p - 1, 2) of a tree over all nodes whose sum of weights is the largest.

    >>> maximum_spanning_tree(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]))
    array([[0, 2],
           [1, 2]])
    """
    p = len(weights)
    best, nearest = np.array(weights[0], dtype=np.float64), np.zeros(p, dtype=np.int64)
    best[0] = -np.inf
    outside = np.ones(p, dtype=bool)
    outside[0] = False
    edges = np.empty((p - 1, 2), dtype=np.int64)
    for count in range(p - 1):
        j = int(np.argmax(np.where(outside, best, -np.inf)))
        edges[count] = sorted((j, int(nearest[j])))
        outside[j] = False
        nearer = outside & (weights[j] > best)
        best[nearer], nearest[nearer] = weights[j, nearer], j
    return edges[np.lexsort((edges[:, 1], edges[:, 0]))]
