"""Questions to a tree of categories that messages along its edges answer exactly: conditionals, completions, rows.

Messages from the leaves to the root are in :mod:`separatrix.prediction.chow_liu`; here is the way back.

References: Pearl (1988), Probabilistic Reasoning in Intelligent Systems, 4.2; Dawid (1992), Statistics and Computing 2.
"""

import numpy as np
from numpy.random import RandomState

from separatrix.core.types import Array
from separatrix.prediction.chow_liu import downwards, evidence_of, upward
from separatrix.prediction.posteriors import logarithm


def conditionals(parents: Array, tables: list[Array], codes: Array, missing: Array) -> tuple[list[Array], Array]:
    """P(x_j | what is not missing in the row) of all columns, each (n, V_j), and the logarithm of what that is given.

    A row that is impossible has conditionals of 0.
    """
    log_p, messages = upward(parents, tables, codes, missing)
    order = downwards(parents)
    children: list[list[int]] = [[] for _ in tables]
    for j in order[1:]:
        children[parents[j]].append(j)
    above: list[Array] = [np.empty(0)] * len(tables)  # what comes from the side of the parent, (n, V_j)
    above[order[0]] = np.broadcast_to(tables[order[0]], (len(codes), len(tables[order[0]])))
    answers: list[Array] = [np.empty(0)] * len(tables)
    for j in order:
        here = above[j] * evidence_of(codes, missing, j, tables[j].shape[-1])
        others = _without_each(here, [messages[l] for l in children[j]])
        for l, product in zip(children[j], others, strict=False):
            above[l] = _scaled(product @ tables[l])
        answers[j] = _scaled(others[-1])
    return answers, log_p


def _without_each(here: Array, factors: list[Array]) -> list[Array]:
    """The products of all factors but the first, but the second, ..., and of all of them, up to scale.

    (A division by the factor that is left out would be one by 0.)
    """
    after = [np.ones_like(here)]
    for factor in reversed(factors):
        after.append(_scaled(after[-1] * factor))
    products, before = [], here
    for factor, rest in zip(factors, reversed(after[:-1]), strict=True):
        products.append(_scaled(before * rest))
        before = _scaled(before * factor)
    return [*products, before]


def _scaled(rows: Array) -> Array:
    """Rows that sum to 1; rows of zeros stay."""
    whole = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, whole, out=np.zeros_like(rows), where=whole > 0.0)


def most_probable(parents: Array, tables: list[Array], codes: Array, missing: Array) -> tuple[Array, Array]:
    """Codes (n, p) whose missing cells are the most probable together, and the log-probability of each such row.

    Of equally probable categories the first is taken.
    """
    root, *others = order = downwards(parents)
    with np.errstate(divide="ignore"):
        best = [np.log(evidence_of(codes, missing, j, table.shape[-1])) for j, table in enumerate(tables)]
    choice: list[Array] = [np.empty(0)] * len(tables)
    for j in reversed(others):
        through = logarithm(tables[j]) + best[j][:, None, :]
        choice[j] = through.argmax(axis=2)
        best[parents[j]] += through.max(axis=2)
    whole = logarithm(tables[root]) + best[root]
    answer = np.array(codes)
    answer[:, root] = whole.argmax(axis=1)
    rows = np.arange(len(codes))
    for j in order[1:]:
        answer[:, j] = choice[j][rows, answer[:, parents[j]]]
    return answer, whole.max(axis=1)


def drawn(parents: Array, tables: list[Array], n: int, random: RandomState) -> Array:
    """Codes of n rows drawn from the tree: the root, then each column given its parent."""
    codes = np.empty((n, len(tables)), dtype=np.int32)
    for j in downwards(parents):
        ends = np.cumsum(np.atleast_2d(tables[j]), axis=1)
        ends /= ends[:, -1:]  # a number drawn below 1 is then below the last end
        mine = ends[codes[:, parents[j]]] if parents[j] >= 0 else ends
        codes[:, j] = (random.random_sample((n, 1)) >= mine).sum(axis=1)
    return codes
