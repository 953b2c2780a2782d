r"""The certificate of a maximum spanning tree: no edge outside is above the smallest on the path that it closes.

.. math:: e_{jl} = \max(0,\ w_{jl} - \min_{\text{path } j \ldots l} w), \qquad
          w(T^*) - w(T) \le (p - 1) \max_{jl} e_{jl}

The edges of the best tree :math:`T^*` outside T can be exchanged for edges of T, one for one and each on the path that
it closes, so that no exchange gains more than the largest e. With all e = 0 the tree is a maximum spanning tree.
"""

import time

import numpy as np

from separatrix.core.solution import Certificate
from separatrix.core.types import Array


def certify_spanning_tree(
    weights: Array, edges: Array, *, rounding: Array, unit: float, tol: float, started: float | None = None
) -> Certificate:
    """The gap of a spanning tree in units of the objective of no edges.

    Parameters
    ----------
    weights : (p, p) array, symmetric.  edges : (p - 1, 2) array.  The tree.
    rounding : (p, p) array.  How far the weights may be from those of exact arithmetic.
    unit : float.  What the gap is divided by; where it is 0 all trees are alike.
    tol : float.  What the gap is held to.
    """
    smallest, doubt = _smallest_on_paths(weights, edges), _largest_on_paths(rounding, edges)
    if smallest is None or doubt is None:
        return Certificate("gap", np.inf, tol, message="the edges are no spanning tree")
    excess = np.maximum(weights - smallest + rounding + doubt, 0.0)
    np.fill_diagonal(excess, 0.0)
    excess[tuple(edges.T)] = excess[tuple(edges.T[::-1])] = 0.0  # an edge is its own path
    gap = len(edges) * float(excess.max(initial=0.0))
    seconds = 0.0 if started is None else time.perf_counter() - started
    value = gap / unit if unit > 0.0 else 0.0
    message = "a maximum spanning tree: no other edge is above the smallest on the path that it closes"
    return Certificate("gap", value, tol, passes=1, seconds=seconds, message=message if value <= tol else "")


def paths(edges: Array, p: int) -> list[tuple[int, int]] | None:
    """(node, the node it is reached from) of all nodes but node 0, nearest first; None where some are not reached.

    >>> paths(np.array([[0, 2], [1, 2]]), 3), paths(np.array([[0, 1], [0, 1]]), 3)
    ([(2, 0), (1, 2)], None)
    """
    if len(edges) != p - 1 or not ((edges >= 0) & (edges < p)).all():
        return None
    neighbours: list[list[int]] = [[] for _ in range(p)]
    for j, l in edges.tolist():
        neighbours[j].append(l)
        neighbours[l].append(j)
    reached, order, queue = {0}, [], [0]
    for j in queue:
        for l in neighbours[j]:
            if l not in reached:
                reached.add(l)
                order.append((l, j))
                queue.append(l)
    return order if len(reached) == p else None


def _smallest_on_paths(weights: Array, edges: Array) -> Array | None:
    """The smallest weight on the path between each two nodes (p, p); infinite on the diagonal."""
    order = paths(edges, len(weights))
    if order is None:
        return None
    smallest = np.full(weights.shape, np.inf)
    reached = [0]
    for j, before in order:
        smallest[j, reached] = np.minimum(smallest[before, reached], weights[j, before])
        smallest[reached, j] = smallest[j, reached]
        reached.append(j)
    return smallest


def _largest_on_paths(rounding: Array, edges: Array) -> Array | None:
    smallest = _smallest_on_paths(-rounding, edges)
    return None if smallest is None else -smallest
