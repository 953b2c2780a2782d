"""One prediction of a model made of trees: the way of a row through a single tree, and what each column adds.

The contributions of :mod:`separatrix.core.tree_sum` are summed over all that was made of an original column.
"""

from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from separatrix.core.declaration import declaration, unwrap
from separatrix.core.tree_sum import MEDIAN, SCORE, SHARE, TreeSum, path_sums, way_of
from separatrix.inference.tree_words import TreeWords

NOT_MET = "not met in training: the row stops here"


@dataclass(frozen=True)
class PathStep:
    """One question on the way of a row through a tree.

    Attributes
    ----------
    column : str.  The prepared column that is asked; of a tree on a table, the column itself.
    question : str.  "age <= 40.5", "colour is red or blue".
    value : number, text or None.  Of the row, None where missing.
    answer : str.  "yes", "no", or the category that leads on.
    rows : int.  Training rows in the node that the answer leads to.
    before, after : float.  The share of the explained class, the mean, the median (where the tree was grown by absolute
        errors) or the mean score of the training rows before and after; of three classes or more, the score of the
        explained class less that of the next.
    """

    column: str
    question: str
    value: Any
    answer: str
    rows: int
    before: float
    after: float


def sum_of(seen, rows):
    """The TreeSum of one row, of a model that declares one and is not wrapped; None otherwise."""
    model = unwrap(seen.last)
    of = declaration(model).tree_sum
    return of(model, seen.prepared(rows)) if callable(of) and model is seen.last else None


def why_no_sum(seen):
    """The sentence in which a model declares why its prediction is no sum; None of a model without one."""
    of = declaration(unwrap(seen.last)).tree_sum
    return of if isinstance(of, str) else None


def additive_facts(seen, rows, trees: TreeSum, sides):
    """Score, base, contributions and scale of an Explanation; the sum is exact.

    Parameters
    ----------
    seen : OriginalColumns.  rows : the row.
    sides : (own, rival).  Outputs that are explained: the first less the second, if there is one.
    """
    base, parts = path_sums(trees)
    own, rival = sides
    credits, usual = parts[:, own], base[own]
    if rival is not None:
        credits, usual = credits - parts[:, rival], usual - base[rival]
    owners = seen.owners_of(trees.rows.shape[1])
    shares = [fsum(credits[owners == j].tolist()) for j in range(len(seen.names))]
    return {"mean_score": float(usual), "score": fsum([usual, *shares])}, shares


def path_steps(seen, rows, trees: TreeSum, sides):
    """The questions on the way of the row through a single tree; none where there are several.

    None either where the rows of the nodes are not known, as of a stump of AdaBoost. Sides are those of
    :func:`additive_facts`.
    """
    tree, row = trees.trees[0] if len(trees.trees) == 1 else None, trees.rows[0]
    if tree is None or tree.rows is None:
        return ()
    words, nodes = TreeWords(seen.model), tree.nodes
    own, rival = sides
    mean = tree.mean[:, own] if rival is None else tree.mean[:, own] - tree.mean[:, rival]
    owners = seen.owners_of(trees.rows.shape[1])
    way, steps = way_of(tree, row), []
    for node, child in zip(way, [*way[1:], -1]):
        j = int(nodes["column"][node])
        if j < 0:
            break
        name = seen.names[int(owners[j])]
        value = seen.cell(name, seen.column(rows, name)[0])
        after = child if child >= 0 else node
        steps.append(
            PathStep(
                words.names[j],
                words.question(nodes, node),
                value,
                _answer(words, nodes, node, child, row[j]),
                int(tree.rows[after]),
                float(mean[node]),
                float(mean[after]),
            )
        )
    return tuple(steps)


def _answer(words, nodes, node, child, x):
    if child < 0:
        return NOT_MET
    answer = words.answer(nodes, node, child)
    return f"missing, goes with {answer}" if np.isnan(x) and answer != "missing" else answer


def about_trees(trees: TreeSum):
    """How to read the contributions, in a sentence or two."""
    count = len(trees.trees)
    what = {SHARE: "share of a class", MEDIAN: "median", SCORE: "mean score"}.get(trees.scale, "mean")
    if count == 1:
        within = " and of its part in the linear model of the leaf, compared with the mean of the rows there"
        return (
            f"The model is one tree: the row answers its questions, and each answer changes the {what} of the training "
            f"rows that are left. What a column adds is the sum of the changes at its questions"
            f"{'' if trees.linear is None else within}."
        )
    how = "adds up" if trees.scale == SCORE else "averages"
    values = "medians" if trees.scale == MEDIAN else "means"
    return (
        f"The model {how} {count:,} trees. What a column adds is the sum of the changes of the trees' {values} at its "
        "questions, along the way of this row. The sums are exact; how they are shared among columns depends on the "
        "order in which the trees ask."
    )
