"""What the loops of a grower work on: the data by rows, the rules of a tree, and arrays that are written over.

Tuples of arrays reach the functions that are called once a node, never those that are called for each column of each
node: counting their references would take longer than small nodes do.
"""

from typing import NamedTuple

from separatrix.core.types import Array

# How a column is split.
THRESHOLD, GROUPS, MULTIWAY = 0, 1, 2
# Which walk finds its threshold.
MOMENT, WEIGHTED, CLASS_SQUARES, CLASS_ENTROPY, SUMS, MEDIANS = range(6)


class Data(NamedTuple):
    """The rows: codes of X by columns, and targets.

    codes (p, n) uint32 · kind (p,) · n_levels (p,) · has_missing (p,) · sign (p,) of monotone columns · levels: the
    distinct values of all columns, one after another · level_start (p,) · y1 (n,): the one output, or its classes
    as numbers · y (n, k) · classes (n, k) int32 · y_codes (k, n): ranks of y · s (n,)
    """

    codes: Array
    kind: Array
    n_levels: Array
    has_missing: Array
    sign: Array
    levels: Array
    level_start: Array
    y1: Array
    y: Array
    classes: Array
    y_codes: Array
    s: Array


class Rule(NamedTuple):
    """How a tree is grown; numbers only.

    `plain`: whether :mod:`separatrix.solvers.trees.plain` grows it. `n_classes` is 0 where sums of numbers are kept,
    also for two classes by Gini's index, whose cost is `factor` = 2 times that of their numbers 0 and 1; `n_shares`
    is the number of classes that values are shares of, 0 for numbers. `equal_weights`: whether all weights are 1.
    """

    walk: int
    plain: bool
    criterion: int
    n_outputs: int
    n_classes: int
    n_shares: int
    equal_weights: bool
    factor: float
    presorted: bool
    drawn: bool
    random_cuts: bool
    bounded: bool
    max_depth: int
    min_split: int
    min_leaf: int
    min_weight: float
    min_decrease: float
    max_features: int
    max_leaves: int
    total_weight: float


class Work(NamedTuple):
    """Arrays that are written over.

    keys: rows of the open nodes, for each kept column sorted by code · sorted, spare (m,) · digits (m or 256,) ·
    side (n,): the child that a row goes to · total, left, right (v,): sums, and with
    Poisson's criterion after them the numbers of rows with y > 0 · centre (k,) · order (p,): columns in the order
    of drawing · generator (1,): its state · split_int, split_float: the best split · of groups of rows with one
    code, as many as levels and two more: group_first, group_weight, group_sums, group_key, group_side, and
    code_side by code · of medians: places (k, n), ordered (2, k, m): y about its median and y itself, in the order of
    y, node_tree, tree, zero (2, k, m + 1), held (m,)
    """

    keys: Array
    sorted: Array
    spare: Array
    digits: Array
    side: Array
    total: Array
    left: Array
    right: Array
    centre: Array
    order: Array
    generator: Array
    split_int: Array
    split_float: Array
    group_first: Array
    group_weight: Array
    group_sums: Array
    group_key: Array
    group_side: Array
    code_side: Array
    places: Array
    ordered: Array
    node_tree: Array
    tree: Array
    zero: Array
    held: Array


class Node(NamedTuple):
    """A node that is being split: its rows ``keys[start:end]``, their sums, and the bounds of its predictions."""

    start: int
    end: int
    depth: int
    n: int
    weight: float
    cost: float  # by the criterion, with the constant that its walk leaves out
    equal: float  # gains that differ by less are equal
    pure: bool
    low: float
    high: float


# Places in split_int and in the records of open nodes, which hold a split as well.
COLUMN, KIND, CHILDREN, MISSING_LEFT, CUT_LOW = range(5)
N_SPLIT_INT = 5
SCORE, CUT_VALUE, LEFT_VALUE, RIGHT_VALUE, GAIN = range(5)
N_SPLIT_FLOAT = 5
# Places in the records of open nodes, before those of their split.
START, END, DEPTH, PARENT, ORDINAL, NODE = range(6)
N_OPEN_INT = 6
LOW, HIGH = range(2)
N_OPEN_FLOAT = 2
# Places in `counters`.
N_NODES, N_OPEN, N_ROUTES, N_LEAVES, BLOCK = range(5)
