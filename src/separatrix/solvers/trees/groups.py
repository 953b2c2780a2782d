"""Splits of a column of categories: into two groups of them, or one child for each.

Two groups: where one number a row is all that the criterion sums (one output; two classes), the best grouping is a cut
of the categories in the order of their mean (Breiman et al., 1984, section 4.2.2, for concave criteria), so that the
walk of a sorted column finds it. With more sums, or by gain ratio, all ``2^(g-1) - 1`` groupings of up to `MOST_TRIED`
categories are tried; of more, the cuts in the order of each class's share (or output's mean) in turn, which may miss
the best. So may the order of means for absolute errors. A missing value is a category of its own.
"""

import numpy as np

from separatrix.core.jit import part
from separatrix.core.types import Array
from separatrix.solvers.trees.absolute import add_place, deviation
from separatrix.solvers.trees.criterion import GAIN_RATIO, Best, Limits, allowed, cost, score, xlogx
from separatrix.solvers.trees.scan import add_row
from separatrix.solvers.trees.sorting import CODE, ROW, draw_below
from separatrix.solvers.trees.state import MEDIANS, Data, Node, Rule, Work
from separatrix.solvers.trees.walk import walk

# Categories in a node up to which all groupings are tried: 511.
MOST_TRIED = 10


@part
def sum_groups(data: Data, rule: Rule, work: Work, keys: Array, first: int, stop: int) -> int:
    """The runs of equal codes of sorted rows, their weights and sums; how many there are."""
    n_groups = 0
    n_values = work.total.shape[0]
    for i in range(first, stop):
        if i == first or keys[i] >> CODE != keys[i - 1] >> CODE:
            work.group_first[n_groups] = i
            work.group_weight[n_groups] = 0.0
            for v in range(n_values):
                work.group_sums[n_groups, v] = 0.0
            n_groups += 1
        row = keys[i] & ROW
        work.group_weight[n_groups - 1] += data.s[row]
        add_row(work.group_sums[n_groups - 1], data.classes, data.y, work.centre, row, data.s[row], rule.n_classes)
    work.group_first[n_groups] = stop
    return n_groups


@part
def search_groups(
    data: Data, rule: Rule, work: Work, node: Node, keys: Array, first: int, stop: int, floor: float, limits: Limits
) -> Best:
    """The best grouping into two; its sides are in ``group_side``, by group."""
    n_groups = sum_groups(data, rule, work, keys, first, stop)
    n_values = max(rule.n_classes, 1) * rule.n_outputs
    if rule.random_cuts:
        on_right = 0
        while on_right == 0 or on_right == n_groups:  # neither side is empty
            on_right = 0
            for g in range(n_groups):
                side = draw_below(work.generator, 2)
                work.group_key[g] = side
                on_right += side
        return _best_cut(data, rule, work, node, keys, n_groups, floor, limits)
    one_number = n_values == 1 or (n_values == 2 and rule.n_outputs == 1)
    if rule.walk != MEDIANS and n_groups <= MOST_TRIED and (not one_number or rule.criterion == GAIN_RATIO):
        return _best_grouping(rule, work, node, n_groups, floor, limits)
    best = Best(floor, -1, 0.0, 0.0)
    for v in range(n_values - 1 if one_number else 0, n_values):
        for g in range(n_groups):
            work.group_key[g] = work.group_sums[g, v] / work.group_weight[g]
        cut = _best_cut(data, rule, work, node, keys, n_groups, best.score, limits)
        if cut.place >= 0:
            best = Best(cut.score, cut.place, cut.left, cut.right)
    return best


@part
def _best_cut(
    data: Data, rule: Rule, work: Work, node: Node, keys: Array, n_groups: int, floor: float, limits: Limits
) -> Best:
    """The best cut of the groups in the order of ``group_key``."""
    order = np.argsort(work.group_key[:n_groups], kind="mergesort")
    at = 0
    position = np.int64(-1)
    for t in range(n_groups):
        g = order[t]
        # groups with equal keys stay together: random sides have two keys only
        if t == 0 or not rule.random_cuts or work.group_key[g] != work.group_key[order[t - 1]]:
            position += 1
        for i in range(work.group_first[g], work.group_first[g + 1]):
            work.spare[at] = position << CODE | (keys[i] & ROW)
            at += 1
    best = walk(
        work.spare, 0, at, at, False, data.y1, data.y, data.classes, data.s, work.total, work.left, work.right,
        work.centre, work.places, work.ordered, work.node_tree, work.tree, work.zero, rule, node, floor, limits,
    )  # fmt: skip
    if best.place >= 0:
        at = 0
        for t in range(n_groups):
            work.group_side[order[t]] = 0 if at <= best.place else 1
            at += work.group_first[order[t] + 1] - work.group_first[order[t]]
    return best


@part
def _best_grouping(rule: Rule, work: Work, node: Node, n_groups: int, floor: float, limits: Limits) -> Best:
    """The best of all groupings; the first category is on the left, and of equals the first in binary counting wins."""
    best, chosen, value = floor, 0, 1 if rule.n_classes > 1 else 0
    best_left, best_right = 0.0, 0.0
    for mask in range(1, 1 << (n_groups - 1)):
        n_right, weight_right = 0, 0.0
        work.right[:] = 0.0
        for g in range(1, n_groups):
            if mask >> (g - 1) & 1:
                n_right += work.group_first[g + 1] - work.group_first[g]
                weight_right += work.group_weight[g]
                for v in range(work.right.shape[0]):
                    work.right[v] += work.group_sums[g, v]
        weight_left = node.weight - weight_right
        if min(n_right, node.n - n_right) < limits.min_leaf or weight_left <= 0.0:
            continue
        if min(weight_left, weight_right) < limits.min_weight:
            continue
        for v in range(work.right.shape[0]):
            work.left[v] = work.total[v] - work.right[v]
        both = cost(rule.criterion, work.left, weight_left, rule.n_outputs, rule.n_classes)
        both += cost(rule.criterion, work.right, weight_right, rule.n_outputs, rule.n_classes)
        ranked = score(rule.criterion, node.cost - both, node.weight, weight_left, weight_right)
        if ranked > best:
            a = work.centre[0] + work.left[value] / weight_left
            b = work.centre[0] + work.right[value] / weight_right
            if not limits.bounded or allowed(limits, a, b):
                best, chosen, best_left, best_right = ranked + node.equal, mask, a, b
    for g in range(n_groups if chosen else 0):
        work.group_side[g] = chosen >> (g - 1) & 1 if g else 0
    return Best(best - node.equal if chosen else floor, 0 if chosen else -1, best_left, best_right)


@part
def search_multiway(
    data: Data, rule: Rule, work: Work, node: Node, keys: Array, first: int, stop: int, floor: float, limits: Limits
) -> Best:
    """One child for each code of the node; `place` is the number of children, -1 where that does not beat `floor`."""
    n_groups = sum_groups(data, rule, work, keys, first, stop)
    children, info = 0.0, xlogx(node.weight)
    for g in range(n_groups):
        count = work.group_first[g + 1] - work.group_first[g]
        if count < limits.min_leaf or work.group_weight[g] < limits.min_weight:
            return Best(floor, -1, 0.0, 0.0)
        if rule.walk == MEDIANS:
            children += _spread_of_group(data, rule, work, node, keys, g)
        else:
            for v in range(work.left.shape[0]):
                work.left[v] = work.group_sums[g, v]
            children += cost(rule.criterion, work.left, work.group_weight[g], rule.n_outputs, rule.n_classes)
        info -= xlogx(work.group_weight[g])
        work.group_side[g] = g
    gain = node.cost - children
    if rule.criterion == GAIN_RATIO:
        gain = gain / info if info > 0.0 else 0.0
    if gain > floor:
        return Best(gain, n_groups, 0.0, 0.0)
    return Best(floor, -1, 0.0, 0.0)


@part
def _spread_of_group(data: Data, rule: Rule, work: Work, node: Node, keys: Array, g: int) -> float:
    """The sum of absolute deviations of a group from its median, the mean over the outputs."""
    spread = 0.0
    for k in range(rule.n_outputs):
        total = 0.0
        for i in range(node.n + 1):
            work.tree[0, k, i], work.tree[1, k, i] = 0.0, 0.0
        for i in range(work.group_first[g], work.group_first[g + 1]):
            row = keys[i] & ROW
            place = work.places[k, row]
            wy = data.s[row] * work.ordered[0, k, place - 1]
            add_place(work.tree, k, place, node.n, data.s[row], wy)
            total += wy
        spread += deviation(work.zero, work.tree, 1.0, k, node.n, work.group_weight[g], total, work.ordered)[0]
    return spread / rule.n_outputs
