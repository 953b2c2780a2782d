"""Flags of missing cells that other prepared columns determine: a model of full rank would have to leave them out.

A column of one block may be missing in the rows in which a column of another block is, or has some level: "occupation
is missing" where "work is missing" or "work=never". Each block tells equal flags of its own columns once; what several
blocks tell together is found here, after they were fitted, and told once by a second fit.
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.linalg.lapack import dpstrf
from sklearn.base import clone

from separatrix.designs import as_dense

# A flag is determined by other columns if they leave less than this share of its variance: rounding leaves 1e-14 of it,
# and a flag that differs in one of a million rows 1e-6.
UNEXPLAINED = 1e-9
# Most products that finding out may take, a few seconds; flags of more rows and columns stay as they are.
MOST_PRODUCTS = 2e10


def fit_distinct(steps, table):
    """Fit the steps before a model to a table; return them without flags that are determined, and the prepared rows.

    Parameters
    ----------
    steps : Pipeline of "columns" and "prepare", unfitted.
    table : Table, frame or dict of columns.
    """
    X = steps.fit_transform(table)
    unflagged: dict = {}
    while True:
        more = determined_flags(steps.named_steps["prepare"], X)
        if not more:
            return steps, X
        for name, columns in more.items():
            unflagged[name] = (*unflagged.get(name, ()), *columns)
        steps = clone(steps)
        blocks = {name: block for name, block, _ in steps.named_steps["prepare"].transformers}
        for name, columns in unflagged.items():
            blocks[name].set_params(unflagged=columns)
        X = steps.fit_transform(table)


def determined_flags(prepare, X):
    """From the name of a block to the columns whose flags are linear combinations of other prepared columns.

    Parameters
    ----------
    prepare : fitted ColumnTransformer of blocks of this folder.
    X : (n, p) array or sparse array.  What it made of the rows that it was fitted to.
    """
    flags, others = [], []
    for name, block, _ in prepare.transformers_:
        places = prepare.output_indices_[name]
        own = block.flag_places()
        flags += [(places.start + place, name, column) for column, place in own.items()]
        if block._determines_flags:
            told = {places.start + place for place in own.values()}
            others += [place for place in range(places.start, places.stop) if place not in told]
    if not flags or len(others + flags) ** 2 * X.shape[0] > MOST_PRODUCTS:
        return {}
    kept = [*others, *(place for place, _, _ in flags)]
    Z = X if len(kept) == X.shape[1] and kept == sorted(kept) else X[:, kept]
    determined: dict = {}
    for (_, name, column), is_determined in zip(flags, last_determined(Z, len(flags)), strict=True):
        if is_determined:
            determined.setdefault(name, []).append(column)
    return determined


def last_determined(Z, count):
    """Which of the last `count` columns of Z (n, p) are linear combinations of a constant and the columns before.

    >>> last_determined(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]), 2)
    [True, False]
    """
    mean = np.asarray(Z.mean(axis=0)).ravel()
    C = as_dense(Z.T @ Z) / Z.shape[0] - np.outer(mean, mean)
    scale = np.sqrt(np.maximum(C.diagonal(), 0.0))
    varies = scale > 0.0
    C /= np.outer(np.where(varies, scale, 1.0), np.where(varies, scale, 1.0))
    first = np.flatnonzero(varies[: len(C) - count])
    _, order, rank, _ = dpstrf(C[np.ix_(first, first)], tol=UNEXPLAINED)
    basis, answers = list(first[order[:rank] - 1]), []
    for j in range(len(C) - count, len(C)):
        left = C[j, j]
        if varies[j] and basis:
            R = cholesky(C[np.ix_(basis, basis)])
            v = solve_triangular(R, C[basis, j], trans="T")
            left -= v @ v
        answers.append(bool(varies[j] and left <= UNEXPLAINED))
        if not answers[-1] and varies[j]:
            basis.append(j)
    return answers
