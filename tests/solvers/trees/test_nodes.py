"""The table of nodes: where rows end, and which tables are refused."""

import numpy as np
import pytest

from separatrix.solvers.trees.nodes import (
    NodeTable,
    apply,
    check_nodes,
    depths_of,
    empty_nodes,
    first_nodes,
    predict_values,
    walk_rows,
)


def three_kinds():
    """0: x0 <= 1.5 -> 1 else 4.  1: category x1 of {0, 2} -> 2, {1} -> 3.  4: multiway x2: 0 -> 5, 1 -> 6, 3 -> 7."""
    nodes = empty_nodes(10, 1, 20)
    for node, column in ((0, 0), (1, 1), (4, 2)):
        nodes.column[node] = column
    nodes.threshold[0] = 1.5
    nodes.left[0], nodes.right[0], nodes.missing[0] = 1, 4, 4
    nodes.left[1], nodes.right[1] = 2, 3
    nodes.offset[1], nodes.width[1] = 0, 3
    nodes.offset[4], nodes.width[4], nodes.missing[4] = 3, 4, 7
    nodes.routes[:7] = [2, 3, 2, 5, 6, -1, 7]
    nodes.parent[1:8] = [0, 1, 1, 0, 4, 4, 4]
    nodes.value[:, 0] = np.arange(10) / 2
    return first_nodes(nodes, 8, 7)


ROWS = [
    ([1.5, 0, 9], 2),  # at the threshold a row goes left
    ([1.0, 1, 9], 3),
    ([1.0, 2, 9], 2),
    ([1.0, 3, 9], 1),  # a category without a route ends in the node
    ([1.0, -1, 9], 1),
    ([1.0, np.nan, 9], 1),  # and so does a missing one, where none was met
    ([1.6, 9, 0], 5),
    ([1.6, 9, 1], 6),
    ([1.6, 9, 2], 4),
    ([1.6, 9, 3], 7),
    ([1.6, 9, np.nan], 7),
    ([np.nan, 9, 1], 6),
    ([np.inf, 9, 1], 6),
    ([-np.inf, 1, 9], 3),
    ([1.0, 1e30, 9], 1),
    ([1.0, -np.inf, 9], 1),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_end_where_the_text_of_the_table_says(dtype):
    X = np.array([row for row, _ in ROWS]).astype(dtype)
    ends = [end for _, end in ROWS]
    nodes = three_kinds()
    assert apply(nodes, X).tolist() == ends
    assert predict_values(nodes, X)[:, 0].tolist() == [end / 2 for end in ends]


def test_plain_and_compiled_walks_agree_over_many_blocks():
    rng = np.random.default_rng(0)
    X = rng.integers(-1, 5, (30_000, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    nodes = three_kinds()
    ends = np.empty(len(X), np.int32)
    arrays = [nodes[NodeTable._fields.index(n)] for n in ("column", "threshold", "left", "right", "missing")]
    walk_rows.py_func(X, *arrays, nodes.offset, nodes.width, nodes.routes, ends)
    assert np.array_equal(apply(nodes, X), ends)


def test_a_depth_is_one_more_than_that_of_the_parent():
    assert depths_of(three_kinds()).tolist() == [0, 1, 2, 2, 1, 2, 2, 2]


def test_a_sound_table_is_accepted():
    check_nodes(three_kinds(), 3)
    check_nodes(empty_nodes(1, 2), 1)


SPOILT = {
    "column": [(0, 3), (0, -2), (1, -1), (2, 0)],
    "threshold": [(0, np.nan)],
    "left": [(0, 8), (0, -1), (0, 0), (1, 1), (1, 0), (2, 3), (4, 2), (0, -5)],
    "right": [(0, 1 << 20), (0, -1), (1, 4)],
    "missing": [(0, 6), (2, 3), (4, 99), (4, -2)],
    "parent": [(0, 0), (3, 3), (3, 7), (7, 0), (5, -1), (1, 4)],
    "offset": [(1, 5), (1, -2), (0, 0), (4, -1), (4, 2**31 - 1), (4, 0)],
    "width": [(1, 0), (1, 7), (1, -3), (4, 2**31 - 1), (1, 2**31 - 1), (4, 1)],
    "weight": [(0, np.inf), (3, -1.0)],
    "impurity": [(0, np.nan)],
    "value": [((3, 0), np.inf)],
    "routes": [(0, 1), (0, 8), (0, 0), (0, -2), (3, 2), (3, -1), (0, 2**31 - 1)],
}


@pytest.mark.parametrize(
    ("name", "place", "value"), [(n, *change) for n, changes in SPOILT.items() for change in changes]
)
def test_a_spoilt_table_is_refused(name, place, value):
    nodes = three_kinds()
    getattr(nodes, name)[place] = value
    with pytest.raises(ValueError, match="Cannot use this table of nodes"):
        check_nodes(nodes, 3)


@pytest.mark.parametrize("name", NodeTable._fields)
def test_arrays_of_another_kind_or_length_are_refused(name):
    nodes = three_kinds()
    array = getattr(nodes, name)
    with pytest.raises(ValueError, match="Cannot use"):
        check_nodes(nodes._replace(**{name: array.astype(np.float32)}), 3)
    with pytest.raises(ValueError, match="Cannot use"):
        check_nodes(nodes._replace(**{name: array[:-1]}), 3)
