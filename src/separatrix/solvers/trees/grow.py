"""Grow a tree: ``grow(ranked, target, s, options, rng) -> NodeTable``.

Solves    greedily: each node is split by the best split of its rows, by the order of ties in
          :mod:`separatrix.solvers.trees.search`. The tree as a whole is not the best of its size.
Given     columns coded by rank (:class:`~separatrix.designs.ranked.RankedDesign`, which many trees may share), classes
          or numbers by row, and weights: a row of weight w counts as w rows, one of weight 0 as none.
Returns   a table of nodes; leaves hold shares of the classes, or means or medians.
Cost      about n p log n where all columns are searched, n q log² n where q of them are drawn for each node.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.jit import load
from separatrix.core.types import Array
from separatrix.designs.ranked import RankedDesign
from separatrix.solvers.trees import growing
from separatrix.solvers.trees.criterion import (
    ABSOLUTE,
    ENTROPY,
    GAIN_RATIO,
    GINI,
    OF_CLASSES,
    OF_NUMBERS,
    POISSON,
    SQUARED,
)
from separatrix.solvers.trees.drawn_cuts import DrawnWork, drawn_work, grow_drawn
from separatrix.solvers.trees.nodes import NodeTable, depths_of, empty_nodes, first_nodes
from separatrix.solvers.trees.plain import PlainWork, grow_plain, plain_work
from separatrix.solvers.trees.sorting import ROW
from separatrix.solvers.trees.state import (
    BLOCK,
    CLASS_ENTROPY,
    CLASS_SQUARES,
    GROUPS,
    MEDIANS,
    MOMENT,
    MULTIWAY,
    N_NODES,
    N_OPEN,
    N_OPEN_FLOAT,
    N_OPEN_INT,
    N_ROUTES,
    N_SPLIT_FLOAT,
    N_SPLIT_INT,
    SUMS,
    THRESHOLD,
    WEIGHTED,
    Data,
    Rule,
    Work,
)

NO_LIMIT = np.iinfo(np.int32).max
# Up to this share of the columns, sorting those that are drawn is faster than keeping all in order.
FEW_COLUMNS = 0.25
# Children of a multiway split have a number of 16 bits.
MOST_CHILDREN = 65_000
MOST_ROUTES = 1 << 27  # of all nodes together, half a gigabyte
MANY_VISITS = 1 << 18  # rows times columns times levels: beyond, loops are compiled at once


@dataclass(frozen=True)
class TreeTarget:
    """What a tree predicts.

    Parameters
    ----------
    y : (n, k) array.  Classes as int32 codes from 0, or float64 numbers; a column for each output.
    n_classes : int, default 0.  The largest number of classes of an output; 0 for numbers.
    """

    y: Array
    n_classes: int = 0


@dataclass(frozen=True)
class GrowOptions:
    """How a tree is grown; the names are scikit-learn's.

    Parameters
    ----------
    criterion : str.  One of ``OF_CLASSES`` or ``OF_NUMBERS``.
    max_depth, max_leaf_nodes : int or None.  None is no limit. With `max_leaf_nodes` the best node is split first.
    min_samples_split, min_samples_leaf : int.  Counted in rows, whatever their weight.
    min_weight_leaf : float.  The least sum of weights of a leaf.
    min_impurity_decrease : float.
    max_features : int or None.  Columns drawn for each node; None for all, in order.
    shuffled : bool.  Visit all columns in an order drawn for each node, so that chance decides among equal splits.
    random_cuts : bool.  Draw one threshold for each column that is drawn, in place of searching all.
    multiway : (p,) array of bool or None.  Columns of categories (or bins) that are split into a child for each.
    monotonic : (p,) array of -1, 0, 1 or None.
    """

    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_features: int | None = None
    max_leaf_nodes: int | None = None
    shuffled: bool = False
    random_cuts: bool = False
    multiway: Array | None = None
    monotonic: Array | None = None


def grow(
    ranked: RankedDesign,
    target: TreeTarget,
    s: Array | None = None,
    options: GrowOptions | None = None,
    rng: Any = None,
) -> NodeTable:
    """Grow a tree.

    Parameters
    ----------
    ranked : RankedDesign.
    target : TreeTarget.
    s : (n,) array or None.  Weights; None for 1.
    options : GrowOptions or None.
    rng : numpy.random.Generator, RandomState, int or None.  Used only where something is drawn at random.

    >>> from separatrix.designs import as_design
    >>> from separatrix.designs.ranked import rank_columns
    >>> ranked = rank_columns(as_design(np.array([[1.0], [2.0], [4.0], [8.0]])))
    >>> nodes = grow(ranked, TreeTarget(np.array([[0], [0], [1], [1]], dtype=np.int32), 2))
    >>> nodes.threshold[0], nodes.value.tolist()
    (np.float64(3.0), [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    """
    options = options or GrowOptions()
    rows = np.arange(ranked.n) if s is None else np.flatnonzero(s > 0.0)
    if not rows.size:
        raise cannot("grow a tree", because="no row has a positive weight", instead="at least one such row")
    data = _data(ranked, target, s, options)
    rule = _rule(ranked, target, options, data.s[rows])
    if rows.size * ranked.p * np.log2(rows.size + 1.0) > MANY_VISITS:
        load()
    if rule.plain:
        return _run(data, rule, _plain_arrays(ranked, rule, rows, _generator(rule, rng)), 2, rows.size)
    kinds = data.kind
    widest = int(ranked.n_levels[kinds != THRESHOLD].max(initial=0)) + 2
    most_children = int(ranked.n_levels[kinds == MULTIWAY].max(initial=1)) + 1
    if most_children > MOST_CHILDREN:
        raise cannot(
            f"split a column of {most_children - 1:,} categories into a child for each",
            because=f"a node has at most {MOST_CHILDREN:,} children",
            instead="split='binary', or fewer categories",
        )
    work = _work(ranked, rule, data, rows, widest, rng)
    return _run(data, rule, work, max(widest, most_children), rows.size)


def prepare(ranked: RankedDesign, target: TreeTarget, options: GrowOptions) -> None:
    """Make the arrays of a design that all trees of these options read; else each thread that grows one may make them.

    >>> from separatrix.designs import as_design
    >>> from separatrix.designs.ranked import rank_columns
    >>> ranked = rank_columns(as_design(np.array([[1.0], [np.nan], [0.5]])))
    >>> prepare(ranked, TreeTarget(np.zeros((3, 1))), GrowOptions("squared_error"))
    >>> "sorted_keys" in vars(ranked)
    True
    """
    rule = _rule(ranked, target, options, np.ones(1))
    if rule.plain:
        _plain_arrays(ranked, rule, np.zeros(1, np.int64), np.ones(1, np.uint64))
    elif rule.presorted:
        _ = ranked.sorted_keys


def _plain_arrays(ranked: RankedDesign, rule: Rule, rows: Array, generator: Array) -> PlainWork | DrawnWork:
    make: Any = drawn_work if rule.random_cuts else plain_work
    return make(ranked, rule, rows, generator)


def _run(data: Data, rule: Rule, work: Work | PlainWork | DrawnWork, room: int, n: int) -> NodeTable:
    """Call the grower until it is done, with larger arrays each time."""
    n_values = max(rule.n_shares, 1) * rule.n_outputs
    # as many nodes as rows are rarely exceeded; memory that is not written to is not taken
    capacity = 64 + 2 * room + (n if rule.plain and rule.max_depth > 24 else 0)
    n_routes = 64 + 2 * room
    nodes = empty_nodes(capacity, n_values, n_routes)
    open_int = np.zeros((64 + 4 * room, N_OPEN_INT + N_SPLIT_INT), np.int64)
    open_float = np.zeros((64 + 4 * room, N_OPEN_FLOAT + N_SPLIT_FLOAT))
    open_int[0, :5] = 0, n, 0, -1, 0
    open_float[0, :2] = -np.inf, np.inf
    counters = np.zeros(5, np.int64)
    counters[N_OPEN], counters[BLOCK] = 1, -1
    loop: Any = growing.grow_depth_first if rule.max_leaves >= NO_LIMIT else growing.grow_best_first
    if rule.plain:
        loop = grow_drawn if rule.random_cuts else grow_plain
    while not loop(data, rule, work, nodes, open_int, open_float, counters, room):
        made = first_nodes(nodes, int(counters[N_NODES]), 0)
        if n * data.codes.shape[0] * depths_of(made).max() > MANY_VISITS:
            load()  # deeper than a tree of so many rows usually is
        if counters[N_NODES] + room > len(nodes.column):
            nodes = _enlarged(nodes, 2)
        if counters[N_ROUTES] + room > MOST_ROUTES:
            raise cannot(
                f"grow a tree with more than {len(made.column):,} nodes here",
                because=f"each split keeps a place for all of up to {room - 2:,} categories, and there is no more room",
                instead="max_leaf_nodes or max_depth, a larger min_samples_leaf, or fewer categories",
            )
        if counters[N_ROUTES] + room > len(nodes.routes):
            nodes = nodes._replace(routes=np.concatenate([nodes.routes, np.full(len(nodes.routes), -1, np.int32)]))
        if counters[N_OPEN] + 2 * room > len(open_int):
            open_int = np.concatenate([open_int, np.zeros_like(open_int)])
            open_float = np.concatenate([open_float, np.zeros_like(open_float)])
    return first_nodes(nodes, int(counters[N_NODES]), int(counters[N_ROUTES]))


def _enlarged(nodes: NodeTable, times: int) -> NodeTable:
    """A table with more room for nodes."""
    n = len(nodes.column)
    larger = empty_nodes(times * n, nodes.value.shape[1])
    for old, new in zip(nodes[:-1], larger[:-1], strict=True):
        new[:n] = old
    return larger._replace(routes=nodes.routes)


def _data(ranked: RankedDesign, target: TreeTarget, s: Array | None, options: GrowOptions) -> Data:
    """Targets and codes as the loops take them."""
    of_classes = target.n_classes > 0
    n, k = target.y.shape
    numbers = np.require(target.y, np.float64, ("C", "W"))  # loops are compiled for arrays that may be written to
    kind = np.where(ranked.categorical, GROUPS, THRESHOLD)
    if options.multiway is not None:
        kind = np.where(options.multiway, MULTIWAY, kind)
    y_codes = np.zeros((1, 1), np.uint32)
    if not of_classes and OF_NUMBERS[options.criterion] == ABSOLUTE:
        y_codes = np.stack([np.unique(column, return_inverse=True)[1] for column in numbers.T]).astype(np.uint32)
    starts = np.concatenate([[0], np.cumsum(ranked.n_levels)[:-1]]).astype(np.int64)
    sign = np.zeros(ranked.p) if options.monotonic is None else np.asarray(options.monotonic)
    return Data(
        codes=ranked.codes,
        kind=kind.astype(np.int64),
        n_levels=ranked.n_levels,
        has_missing=ranked.missing,
        sign=sign.astype(np.int64),
        levels=ranked.all_levels,
        level_start=starts,
        y1=np.ascontiguousarray(numbers[:, 0]),
        y=numbers,
        classes=np.require(target.y, np.int32, ("C", "W")) if of_classes else np.zeros((1, k), np.int32),
        y_codes=y_codes,
        s=np.ones(n) if s is None else np.require(s, np.float64, ("C", "W")),
    )


def _rule(ranked: RankedDesign, target: TreeTarget, options: GrowOptions, weights: Array) -> Rule:
    """The options as numbers, and the walk that the criterion needs."""
    k, n_classes = target.y.shape[1], target.n_classes
    known = OF_CLASSES if n_classes else OF_NUMBERS
    if options.criterion not in known:
        raise cannot(
            f"grow a tree by criterion={options.criterion!r}",
            because=f"it is no measure of {'classes' if n_classes else 'numbers'}",
            instead=", ".join(known),
        )
    criterion = known[options.criterion]
    equal_weights = bool(np.all(weights == 1.0))
    walk, factor, inner_classes = SUMS, 1.0, n_classes
    if k == 1 and (criterion == SQUARED or (criterion == GINI and n_classes == 2)):
        walk, factor, inner_classes = (MOMENT if equal_weights else WEIGHTED), (2.0 if n_classes else 1.0), 0
        criterion = SQUARED
    elif criterion == ABSOLUTE:
        walk = MEDIANS
    elif k == 1 and n_classes > 1 and criterion in (GINI, ENTROPY, GAIN_RATIO):
        walk = CLASS_SQUARES if criterion == GINI else CLASS_ENTROPY
    max_features = ranked.p if options.max_features is None else options.max_features
    few = max_features <= FEW_COLUMNS * ranked.p
    bounded = options.monotonic is not None and bool(np.any(options.monotonic))
    plain = not (bounded or ranked.categorical.any() or ranked.missing.any() or options.max_leaf_nodes is not None)
    return Rule(
        walk=walk,
        plain=plain and walk in (MOMENT, WEIGHTED, CLASS_SQUARES),
        criterion=criterion,
        n_outputs=k,
        n_classes=inner_classes,
        n_shares=n_classes,
        equal_weights=equal_weights,
        factor=factor,
        presorted=not few and not options.random_cuts,
        drawn=options.shuffled or options.random_cuts or max_features < ranked.p,
        random_cuts=options.random_cuts,
        bounded=bounded,
        max_depth=NO_LIMIT if options.max_depth is None else options.max_depth,
        min_split=options.min_samples_split,
        min_leaf=options.min_samples_leaf,
        min_weight=options.min_weight_leaf,
        min_decrease=options.min_impurity_decrease,
        max_features=max_features,
        max_leaves=NO_LIMIT if options.max_leaf_nodes is None else options.max_leaf_nodes,
        total_weight=float(weights.sum()),
    )


def _work(ranked: RankedDesign, rule: Rule, data: Data, rows: Array, widest: int, rng: Any) -> Work:
    """Arrays to write over, as small as the tree allows."""
    m, k = rows.size, rule.n_outputs
    n_values = 2 * k if rule.criterion == POISSON else max(rule.n_classes, 1) * k
    if not rule.presorted:
        keys = rows.astype(np.int64)
    elif m == ranked.n:
        keys = ranked.sorted_keys.ravel().copy()
    else:
        present = np.zeros(ranked.n, dtype=bool)
        present[rows] = True
        keys = np.concatenate([column[present[column & ROW]] for column in ranked.sorted_keys])
    of_medians = rule.walk == MEDIANS
    length = m if of_medians else 1
    return Work(
        keys=keys,
        sorted=np.empty(m, np.int64),
        spare=np.empty(m, np.int64),
        digits=np.empty(max(m, 256), np.int32),
        side=np.zeros(ranked.n, np.uint16),
        total=np.zeros(n_values),
        left=np.zeros(n_values),
        right=np.zeros(n_values),
        centre=np.zeros(k),
        order=np.arange(ranked.p),
        generator=_generator(rule, rng),
        split_int=np.zeros(N_SPLIT_INT, np.int64),
        split_float=np.zeros(N_SPLIT_FLOAT),
        group_first=np.zeros(widest + 1, np.int64),
        group_weight=np.zeros(widest),
        group_sums=np.zeros((widest, n_values)),
        group_key=np.zeros(widest),
        group_side=np.zeros(widest, np.int64),
        code_side=np.zeros(widest, np.int64),
        places=np.zeros((k, ranked.n if of_medians else 1), np.int64),
        ordered=np.zeros((2, k, length)),
        node_tree=np.zeros((2, k, length + 1)),
        tree=np.zeros((2, k, length + 1)),
        zero=np.zeros((2, k, length + 1)),
        held=np.zeros(length),
    )


def _generator(rule: Rule, rng: Any) -> Array:
    """The state of the generator of the loops; nothing is drawn from `rng` where the tree does not depend on it."""
    if not rule.drawn:
        return np.ones(1, np.uint64)
    if rng is None or isinstance(rng, int | np.integer):
        rng = np.random.default_rng(rng)
    halves = rng.integers(1, 1 << 31, 2) if isinstance(rng, np.random.Generator) else rng.randint(1, 1 << 31, 2)
    return np.array([(int(halves[0]) << 32) | int(halves[1])], dtype=np.uint64)
