"""What is said of fitted graphical models: their edges, those that say most first."""

import numpy as np

from separatrix.core.description import MOST_ROWS, DescribedTable, Description, fit_notes

INFORMATION = "Mutual information in nats: 0 of independent columns, more where one says more about the other."


def tree_described(model, names, X, y):
    """The edges of a tree, with the mutual information of their columns."""
    edges = _edges(model, names)
    words = (
        f"The model is the joint distribution of {_count(names, 'column')}, each of which depends on one other at the "
        f"most: a tree of {_count(edges, 'edge')}, with {_count(range(model.n_parameters_), 'free probability')}."
    )
    if edges:
        words += f" {edges[0][0]!r} and {edges[0][1]!r} say most about each other."
    table = DescribedTable(
        "Edges of the tree", ("column", "column", "information"), tuple(edges[:MOST_ROWS]), INFORMATION
    )
    return Description(words, (table,), (), (*_missing(edges), *fit_notes(model)))


def trees_described(model, names, X, y):
    """The edges of the tree of each class, and how frequent the classes are taken to be."""
    classes = [str(label) for label in model.classes_]
    rows = [(name, *edge) for name, tree in zip(classes, model.trees_, strict=True) for edge in _edges(tree, names)]
    rows.sort(key=lambda row: -row[-1])
    words = (
        f"For each of {len(classes)} classes the model has learnt a tree: within the class each column depends on one "
        "other at the most. A new row goes to the class under which its categories are most probable, once the "
        "frequency of the class is counted in."
    )
    if rows:
        label, one, other, _ = rows[0]
        words += f" The strongest dependence is that of {one!r} and {other!r}, within the class {label}."
    heads = ("class", "column", "column", "information")
    edges = DescribedTable("Edges of the trees", heads, tuple(rows[:MOST_ROWS]), INFORMATION)
    shares = tuple((name, float(share)) for name, share in zip(classes, model.class_prior_, strict=True))
    frequent = DescribedTable("How frequent each class is taken to be", ("class", "share"), shares)
    return Description(words, (edges, frequent), (), (*_missing(rows), *fit_notes(model)))


def couplings_described(model, names, X, y):
    """The couplings of an Ising model, as changes of log-odds and as ratios of odds."""
    edges = [(names[j], names[k], float(model.coupling_[j, k])) for j, k in model.edges_.tolist()]
    rows = [(*edge, float(np.exp(min(edge[2], 700.0)))) for edge in sorted(edges, key=lambda edge: -abs(edge[2]))]
    words = (
        f"The model has {_count(names, 'node')} that are 0 or 1, and {_count(rows, 'edge')}. Given all other nodes, "
        "the odds that one of the two ends of an edge is 1 are multiplied by the odds ratio where the other end is 1."
    )
    heads = ("node", "node", "coupling", "odds ratio")
    table = DescribedTable(
        "Edges", heads, tuple(rows[:MOST_ROWS]), "Nodes without an edge are independent given all others."
    )
    return Description(words, (table,), (), (*_missing(rows), *fit_notes(model)))


def _edges(tree, names):
    """(column, column, information in nats) of each edge, most first."""
    edges = [(names[j], names[k], float(tree.mutual_information_[j, k])) for j, k in tree.edges_.tolist()]
    return sorted(edges, key=lambda edge: -edge[2])


def _missing(rows):
    return [f"The first {MOST_ROWS} of {len(rows):,} edges are shown."] if len(rows) > MOST_ROWS else []


def _count(things, word):
    n = len(things)
    several = word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{n:,} {word if n == 1 else several}"
