"""Open the nodes of plain columns: take them from the stack, put their rows side by side, enter their children.

Functions take arrays and numbers only, as :mod:`separatrix.solvers.trees.plain` explains.
"""

from typing import Any

from separatrix.core.jit import part_in_place
from separatrix.core.types import Array
from separatrix.solvers.trees.state import DEPTH, END, N_NODES, N_OPEN, ORDINAL, PARENT, START, Rule

# In the place of a child that has no number yet: which of them missing values go to.
TO_LEFT, TO_RIGHT = -2, -3


@part_in_place
def take_node(
    open_int: Array, counters: Array, parents: Array, lefts: Array, rights: Array
) -> tuple[int, int, int, int, int]:
    """Take the top of the stack: its number, the start and end of its rows, its depth, and its place on the stack."""
    at, number = counters[N_OPEN] - 1, counters[N_NODES]
    parent = open_int[at, PARENT]
    counters[N_OPEN], counters[N_NODES] = at, number + 1
    parents[number] = parent
    if parent >= 0 and open_int[at, ORDINAL] == 0:
        lefts[parent] = number
    elif parent >= 0:
        rights[parent] = number
    return number, open_int[at, START], open_int[at, END], open_int[at, DEPTH], at


@part_in_place
def is_leaf(rule: Rule, depth: int, n: int, weight: float) -> bool:
    """Whether a node may not be split, whatever is in it."""
    few = n < max(rule.min_split, 2 * rule.min_leaf)
    return depth >= rule.max_depth or few or weight < 2.0 * rule.min_weight


@part_in_place
def open_children(
    open_int: Array, counters: Array, at: int, start: int, middle: int, end: int, depth: int, number: int
) -> None:
    """Put the children of a node on the stack, the left one on top."""
    for side in range(2):
        record = at + 1 - side
        open_int[record, START] = middle if side else start
        open_int[record, END] = end if side else middle
        open_int[record, DEPTH], open_int[record, PARENT], open_int[record, ORDINAL] = depth + 1, number, side
    counters[N_OPEN] = at + 2


@part_in_place
def link_missing(missing: Array, left: Array, right: Array, n: int) -> None:
    """Enter the children that missing values go to, now that they have numbers."""
    for number in range(n):
        if missing[number] == TO_LEFT:
            missing[number] = left[number]
        elif missing[number] == TO_RIGHT:
            missing[number] = right[number]


@part_in_place
def open_numbers(
    keys: Array,
    start: int,
    end: int,
    s: Array,
    y: Array,
    node_s: Array,
    node_y: Array,
    of_shares: bool,
    value: Array,
    impurity: Array,
    number: int,
) -> tuple[float, float, bool]:
    """Copy weights and y of a node's rows side by side, y about its mean; weight, squares, whether all are equal."""
    shift = y[keys[start]]
    weight, total = 0.0, 0.0
    for i in range(end - start):
        row = keys[start + i]
        node_s[i], node_y[i] = s[row], y[row]
        weight += s[row]
        total += s[row] * (y[row] - shift)
    low, high, ones = shift, shift, 0.0
    for i in range(end - start):
        low, high = min(low, node_y[i]), max(high, node_y[i])
    mean = min(max(shift + total / weight, low), high)
    squares = 0.0
    for i in range(end - start):
        ones += node_s[i] * node_y[i]
        node_y[i] -= mean
        squares += node_s[i] * node_y[i] * node_y[i]
    if of_shares:
        value[number, 0], value[number, 1] = (weight - ones) / weight, ones / weight
        impurity[number] = 2.0 * value[number, 0] * value[number, 1]
    else:
        value[number, 0], impurity[number] = mean, squares / weight
    return weight, squares, high == low


@part_in_place
def open_classes(
    keys: Array,
    start: int,
    end: int,
    s: Array,
    classes: Array,
    node_s: Array,
    node_class: Array,
    total: Array,
    value: Array,
    impurity: Array,
    number: int,
) -> tuple[float, float, float, bool]:
    """Copy weights and classes of a node's rows side by side; weight, cost, scale of gains, whether it is pure."""
    weight = 0.0
    for c in range(total.shape[0]):
        total[c] = 0.0
    for i in range(end - start):
        row = keys[start + i]
        c = classes[row, 0]
        node_s[i], node_class[i, 0] = s[row], c
        weight += s[row]
        total[c] += s[row]
    present, squares = 0, 0.0
    for c in range(total.shape[0]):
        present += total[c] > 0.0
        squares += total[c] * total[c]
        value[number, c] = total[c] / weight
    cost = weight - squares / weight
    impurity[number] = 0.0 if present == 1 else max(cost, 0.0) / weight
    return weight, cost, weight, present == 1


@part_in_place
def divide(
    table: Array, j: int, last: Any, keys: Array, start: int, end: int, node_s: Array, spare: Array
) -> tuple[int, float]:
    """Bring the rows up to `last` in column j to the front, in the order they have; where the others begin, weight."""
    column = table[j]
    at, others, weight_left = start, 0, 0.0
    for i in range(start, end):
        row = keys[i]
        goes_right = int(column[row] > last)
        weight_left += node_s[i - start] * (1 - goes_right)  # without a branch, which nobody could predict
        keys[at] = row
        spare[others] = row
        at += 1 - goes_right
        others += goes_right
    for i in range(others):
        keys[at + i] = spare[i]
    return at, weight_left
