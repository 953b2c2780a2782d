"""The numbers of a new node: weight, sums, impurity and value of its rows."""

from math import log

from separatrix.core.jit import part
from separatrix.solvers.trees.absolute import deviation, middle, order_targets
from separatrix.solvers.trees.criterion import EQUAL, GAIN_RATIO, POISSON, cost
from separatrix.solvers.trees.nodes import NodeTable
from separatrix.solvers.trees.scan import add_row
from separatrix.solvers.trees.sorting import ROW
from separatrix.solvers.trees.state import MEDIANS, MOMENT, WEIGHTED, Data, Node, Rule, Work


@part
def open_node(
    data: Data,
    rule: Rule,
    work: Work,
    nodes: NodeTable,
    at: int,
    start: int,
    end: int,
    depth: int,
    low: float,
    high: float,
) -> Node:
    """Sum the rows ``keys[start:end]``, write what node `at` is, and return what its split needs."""
    n = end - start
    if rule.walk == MOMENT or rule.walk == WEIGHTED:
        weight, node_cost, spread, pure = _one_number(data, rule, work, nodes, at, start, end)
        scale = spread
    elif rule.walk == MEDIANS:
        weight, node_cost, pure = _medians(data, rule, work, nodes, at, start, end)
        scale = node_cost
    elif rule.n_classes > 0:
        weight, node_cost, pure = _shares(data, rule, work, nodes, at, start, end)
        scale = 1.0 if rule.criterion == GAIN_RATIO else weight
    else:
        weight, node_cost, spread, pure = _several_numbers(data, rule, work, nodes, at, start, end)
        scale = abs(node_cost) + spread
    nodes.weight[at], nodes.n_samples[at] = weight, n
    if rule.bounded:
        v = nodes.value.shape[1] - 1
        nodes.value[at, v] = min(max(nodes.value[at, v], low), high)
        if rule.n_shares > 1:
            nodes.value[at, 0] = 1.0 - nodes.value[at, 1]
    return Node(start, end, depth, n, weight, node_cost, EQUAL * scale, pure, low, high)


@part
def _one_number(
    data: Data, rule: Rule, work: Work, nodes: NodeTable, at: int, start: int, end: int
) -> tuple[float, float, float, bool]:
    """One output, or two classes as 0 and 1: weight, cost, sum of squares about the mean, whether all are equal."""
    keys, y1, s = work.keys, data.y1, data.s
    weight, total, shift = 0.0, 0.0, y1[keys[start] & ROW]
    low, high = shift, shift
    for i in range(start, end):
        row = keys[i] & ROW
        weight += s[row]
        total += s[row] * (y1[row] - shift)
        low, high = min(low, y1[row]), max(high, y1[row])
    mean = min(max(shift + total / weight, low), high)
    squares = 0.0
    for i in range(start, end):
        row = keys[i] & ROW
        squares += s[row] * (y1[row] - mean) * (y1[row] - mean)
    work.centre[0] = mean
    work.total[0] = 0.0
    if rule.n_shares > 0:
        ones = 0.0
        for i in range(start, end):
            row = keys[i] & ROW
            ones += s[row] * y1[row]
        nodes.value[at, 0], nodes.value[at, 1] = (weight - ones) / weight, ones / weight
        nodes.impurity[at] = 2.0 * nodes.value[at, 0] * nodes.value[at, 1]
    else:
        nodes.value[at, 0] = mean
        nodes.impurity[at] = squares / weight
    return weight, 0.0, squares, high == low


@part
def _shares(
    data: Data, rule: Rule, work: Work, nodes: NodeTable, at: int, start: int, end: int
) -> tuple[float, float, bool]:
    """Classes: weight, cost, whether one class has all rows of each output."""
    weight = 0.0
    work.total[:] = 0.0
    for i in range(start, end):
        row = work.keys[i] & ROW
        weight += data.s[row]
        add_row(work.total, data.classes, data.y, work.centre, row, data.s[row], rule.n_classes)
    pure = True
    for k in range(rule.n_outputs):
        present = 0
        for c in range(k * rule.n_classes, (k + 1) * rule.n_classes):
            present += work.total[c] > 0.0
            nodes.value[at, c] = work.total[c] / weight
        pure = pure and present == 1
    node_cost = cost(rule.criterion, work.total, weight, rule.n_outputs, rule.n_classes)
    nodes.impurity[at] = 0.0 if pure else max(node_cost, 0.0) / weight
    return weight, node_cost, pure


@part
def _several_numbers(
    data: Data, rule: Rule, work: Work, nodes: NodeTable, at: int, start: int, end: int
) -> tuple[float, float, float, bool]:
    """Several outputs by squared error, or any number by Poisson's deviance: weight, cost, spread, whether pure."""
    pure, spread, weight = True, 0.0, 0.0
    for i in range(start, end):
        weight += data.s[work.keys[i] & ROW]
    for k in range(rule.n_outputs):
        shift = data.y[work.keys[start] & ROW, k]
        low, high, total = shift, shift, 0.0
        for i in range(start, end):
            row = work.keys[i] & ROW
            total += data.s[row] * (data.y[row, k] - shift)
            low, high = min(low, data.y[row, k]), max(high, data.y[row, k])
        mean = min(max(shift + total / weight, low), high)
        whole, n_positive = 0.0, 0.0
        for i in range(start, end):
            row = work.keys[i] & ROW
            whole += data.s[row] * data.y[row, k]
            n_positive += data.y[row, k] > 0.0
            if rule.criterion != POISSON:
                spread += data.s[row] * (data.y[row, k] - mean) * (data.y[row, k] - mean)
            elif data.y[row, k] > 0.0:
                spread += data.s[row] * data.y[row, k] * log(data.y[row, k] / mean)
        nodes.value[at, k] = mean
        work.centre[k] = 0.0 if rule.criterion == POISSON else mean
        work.total[k] = 0.0
        if rule.criterion == POISSON:
            work.total[k], work.total[rule.n_outputs + k] = whole, n_positive
        pure = pure and high == low
    spread = 0.0 if pure else max(spread, 0.0) / rule.n_outputs
    nodes.impurity[at] = spread / weight
    node_cost = 0.0
    if rule.criterion == POISSON:
        node_cost = cost(POISSON, work.total, weight, rule.n_outputs, 0)
    return weight, node_cost, spread, pure


@part
def _medians(
    data: Data, rule: Rule, work: Work, nodes: NodeTable, at: int, start: int, end: int
) -> tuple[float, float, bool]:
    """Absolute errors: weight, cost, whether all are equal."""
    order_targets(
        data.y, data.y_codes, data.s, work.keys, start, end, work.sorted, work.spare, work.digits,
        work.places, work.ordered, work.node_tree, work.centre,
    )  # fmt: skip
    n = end - start
    pure, spread, weight = True, 0.0, 0.0
    for i in range(start, end):
        weight += data.s[work.keys[i] & ROW]
    for k in range(rule.n_outputs):
        total = 0.0
        for i in range(start, end):
            row = work.keys[i] & ROW
            total += data.s[row] * work.ordered[0, k, work.places[k, row] - 1]
        work.total[k] = total
        spread += deviation(work.node_tree, work.zero, 0.0, k, n, weight, total, work.ordered)[0]
        nodes.value[at, k] = middle(work.keys, start, end, data.s, k, work.places, work.ordered, work.held, weight)
        pure = pure and work.ordered[1, k, 0] == work.ordered[1, k, n - 1]
    node_cost = 0.0 if pure else max(spread, 0.0) / rule.n_outputs
    nodes.impurity[at] = node_cost / weight
    return weight, node_cost, pure
