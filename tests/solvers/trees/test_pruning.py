"""Reduced-error pruning of a grown tree, against its rule followed by hand."""

import numpy as np
import pytest

from separatrix.designs import as_design
from separatrix.designs.ranked import rank_columns
from separatrix.solvers.trees.grow import GrowOptions, TreeTarget, grow
from separatrix.solvers.trees.nodes import apply, check_nodes
from separatrix.solvers.trees.pruning import prune_by_errors


def paths(nodes, X):
    """The nodes that each row passes, by the rule of a threshold and nothing else."""
    for x in X:
        path = [0]
        while nodes.column[path[-1]] >= 0:
            at = path[-1]
            path.append(int(nodes.left[at] if x[nodes.column[at]] <= nodes.threshold[at] else nodes.right[at]))
        yield path


def mistakes(nodes, X, y):
    return int(sum(np.argmax(nodes.value[path[-1]]) != label for path, label in zip(paths(nodes, X), y)))


@pytest.mark.mission("TR-12")
@pytest.mark.parametrize("seed", range(6))
def test_reduced_error_pruning_cuts_what_does_not_help_and_nothing_else(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((160, 3))
    y = ((X[:, 0] + X[:, 1] > 0.0) ^ (rng.random(160) < 0.2)).astype(np.int32)
    nodes = grow(rank_columns(as_design(X[:80])), TreeTarget(y[:80, None], 2), options=GrowOptions("gini"))
    rows, labels = X[80:], y[80:]
    errors = np.zeros((nodes.column.size, 2))
    for path, label in zip(paths(nodes, rows), labels):
        for at in path:
            errors[at, 0] += np.argmax(nodes.value[at]) != label
        errors[path[-1], 1] += np.argmax(nodes.value[path[-1]]) != label
    pruned = prune_by_errors(nodes, errors)
    check_nodes(pruned, 3)
    before, after = mistakes(nodes, rows, labels), mistakes(pruned, rows, labels)
    assert after <= before and pruned.column.size < nodes.column.size and pruned.column[0] >= 0
    assert [path[-1] for path in paths(pruned, rows)] == apply(pruned, rows).tolist()
    for at in np.flatnonzero(pruned.column[1:] >= 0) + 1:  # what is left would be missed
        passing = [i for i, path in enumerate(paths(pruned, rows)) if at in path]
        as_leaf = sum(np.argmax(pruned.value[at]) != labels[i] for i in passing)
        assert as_leaf > mistakes(pruned, rows[passing], labels[passing])
