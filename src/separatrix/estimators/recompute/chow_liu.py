"""Counts, informations and tables of Chow-Liu trees, from the rows alone."""

import numpy as np

from separatrix.core.blocks import row_blocks
from separatrix.estimators.graphical.categories import learn_categories
from separatrix.estimators.graphical.tree_tables import TreeTables, directed, informations, shares, tables_of
from separatrix.estimators.published import worst
from separatrix.estimators.recompute.comparison import Comparison
from separatrix.estimators.validation import validate_cell_classes, validate_cells, validate_weights


def tree(model, X, y=None, sample_weight=None):
    """The tables of the model, and the gap of its tree among all trees."""
    X = validate_cells(model, X, reset=False)
    s = None if sample_weight is None else validate_weights(sample_weight, len(X))
    return _tree(model, learn_categories(X, s, model.categories_, model._name))


def _tree(model, coded):
    n = len(coded.codes)
    weights = np.ones(n) if coded.s is None else coded.s
    P = shares(_counts(coded.codes, coded.sizes, weights), coded.sizes, float(weights.sum()), model.smoothing)
    learnt = informations(P, coded.sizes)
    comparison = Comparison(model, n)
    gap = learnt.certify(model.edges_)
    if not np.isfinite(gap.value):
        return gap
    expected = tables_of(P, coded.sizes, model.edges_)
    unit = learnt.entropies[:, None] + learnt.entropies
    levels = int(coded.sizes.max())
    comparison.number("mutual_information_", learnt.informations, unit, means=2 * levels + 8)
    parents, conditionals = directed(TreeTables(*expected), int(np.argmin(model.parents_)))
    comparison.residual(0.0 if np.array_equal(model.parents_, parents) else np.inf, 0.0, "parents_", "edges_")
    for name, tables in (
        ("marginal_tables_", expected.margins),
        ("pair_tables_", expected.pairs),
        ("conditional_tables_", conditionals),
    ):
        held = vars(model)[name]
        comparison.residual(0.0 if len(held) == len(tables) else np.inf, 0.0, name)
        for published, table in zip(held, tables, strict=False):
            comparison.hold(name, published, table, means=levels + 4)
    free = sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in conditionals)
    comparison.number("n_parameters_", free)
    return worst([gap, comparison.certificate()])


def classifier(model, X, y, sample_weight=None):
    """The tree of each class on its rows, and the shares of the classes."""
    X, codes, s = validate_cell_classes(model, X, y, sample_weight, reset=False)
    coded = learn_categories(X, s, model.trees_[0].categories_, model._name)
    totals = np.bincount(codes, s, minlength=len(model.classes_))
    comparison = Comparison(model, len(X))
    comparison.number("class_count_", totals)
    comparison.number("class_prior_", model._shares(totals))
    comparison.number("n_parameters_", sum(each.n_parameters_ for each in model.trees_) + len(model.classes_) - 1)
    mine = codes if coded.kept is None else codes[coded.kept]
    proofs = [_tree(each, coded.only(model._of_class(mine, c))) for c, each in enumerate(model.trees_)]
    return worst([*proofs, comparison.certificate()])


def _counts(codes, sizes, s):
    """Weights of all pairs of levels, by the product of the indicators of all levels."""
    counts = np.zeros((sizes.sum(), sizes.sum()))
    for rows in row_blocks(len(codes), int(sizes.sum())):
        E = np.hstack([np.eye(size)[codes[rows, j]] for j, size in enumerate(sizes)])
        counts += (E.T * s[rows]) @ E
    return counts
