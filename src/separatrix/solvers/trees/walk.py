"""The walk that fits a criterion, along the sorted rows of one column of a node.

Rows are in ``keys[first:stop]``, those with a missing value in ``keys[stop:tail]``.
"""

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.absolute import scan_absolute
from separatrix.solvers.trees.criterion import Best, Limits
from separatrix.solvers.trees.scan import add_row, scan_entropy, scan_gini, scan_moment, scan_sums, scan_weighted
from separatrix.solvers.trees.sorting import ROW
from separatrix.solvers.trees.state import CLASS_ENTROPY, CLASS_SQUARES, MEDIANS, MOMENT, WEIGHTED, Node, Rule


@part
def walk(
    keys: Array,
    first: int,
    stop: int,
    tail: int,
    missing_left: bool,
    y1: Array,
    y: Array,
    classes: Array,
    s: Array,
    total: Array,
    left: Array,
    right: Array,
    centre: Array,
    places: Array,
    ordered: Array,
    node_tree: Array,
    tree: Array,
    zero: Array,
    rule: Rule,
    node: Node,
    floor: float,
    limits: Limits,
) -> Best:
    """The best cut with the missing values on the right or on the left."""
    last = tail > stop and not missing_left
    if rule.walk == MOMENT or rule.walk == WEIGHTED:
        n_left, weight_left, sum_left, mean = 0, 0.0, 0.0, centre[0]
        if missing_left:
            for i in range(stop, tail):
                row = keys[i] & ROW
                n_left += 1
                weight_left += s[row]
                sum_left += s[row] * (y1[row] - mean)
        if rule.walk == MOMENT:
            return scan_moment(keys, first, stop, y1, mean, node.n, n_left, sum_left, last, floor, node.equal, limits)
        return scan_weighted(
            keys, first, stop, y1, s, mean, node.n, node.weight,
            n_left, weight_left, sum_left, last, floor, node.equal, limits,
        )  # fmt: skip
    if rule.walk == MEDIANS:
        return scan_absolute(
            keys, first, stop, tail if missing_left else stop, s, centre, places, ordered, node_tree, tree, zero,
            node.n, node.weight, total, left, node.cost, last, floor, node.equal, limits,
        )  # fmt: skip
    n_left, weight_left = 0, 0.0
    for v in range(total.shape[0]):
        left[v], right[v] = 0.0, total[v]
    if missing_left:
        for i in range(stop, tail):
            row = keys[i] & ROW
            n_left += 1
            weight_left += s[row]
            add_row(left, classes, y, centre, row, s[row], rule.n_classes)
            add_row(right, classes, y, centre, row, -s[row], rule.n_classes)
    return _walk_sums(
        keys, first, stop, y, classes, s, left, right, centre, rule, node,
        n_left, weight_left, last, floor, limits,
    )  # fmt: skip


@part
def _walk_sums(
    keys: Array,
    first: int,
    stop: int,
    y: Array,
    classes: Array,
    s: Array,
    left: Array,
    right: Array,
    centre: Array,
    rule: Rule,
    node: Node,
    n_left: int,
    weight_left: float,
    last: bool,
    floor: float,
    limits: Limits,
) -> Best:
    """Sums of several classes or outputs."""
    if rule.walk == CLASS_SQUARES:
        return scan_gini(
            keys, first, stop, classes, s, node.n, node.weight,
            n_left, weight_left, left, right, node.cost, last, floor, node.equal, limits,
        )  # fmt: skip
    if rule.walk == CLASS_ENTROPY:
        return scan_entropy(
            keys, first, stop, classes, s, rule.criterion, node.n, node.weight,
            n_left, weight_left, left, right, node.cost, last, floor, node.equal, limits,
        )  # fmt: skip
    return scan_sums(
        keys, first, stop, classes, y, s, centre, rule.criterion, rule.n_classes, node.n, node.weight,
        n_left, weight_left, left, right, node.cost, last, floor, node.equal, limits,
    )  # fmt: skip
