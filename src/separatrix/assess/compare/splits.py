"""The rows of each round and of the final test, the same for all families."""

from dataclasses import dataclass

import numpy as np

from separatrix.assess.compare.dependent_rows import grouped_folds, hold_out_groups
from separatrix.assess.resample import k_fold
from separatrix.core.refusal import cannot

FEWEST_ROWS = 10
# Most held-out rows of a round; more would hardly make its score more precise.
MOST_HELD_OUT = 50_000


@dataclass(frozen=True)
class Round:
    """Training rows, in an order of which every prefix is a stratified sample, and held-out rows."""

    number: int
    learn: np.ndarray
    held_out: np.ndarray
    first_repeat: bool


def default_rounds(rows):
    """Folds and repeats by the number of rows: many rounds for few rows, whose scores vary most.

    >>> default_rounds(500), default_rounds(50_000), default_rounds(10**6)
    ((5, 2), (5, 1), (3, 1))
    """
    if rows <= 5_000:
        return 5, 2
    return (5, 1) if rows <= 200_000 else (3, 1)


def hold_out(y, share, *, classification, seed, groups=None):
    """Positions of the training rows and of the test rows, both ascending; classes keep their shares.

    A class with one row stays in training. With `groups` (n,) the rows of a group stay together.
    """
    n = len(y)
    if n < FEWEST_ROWS:
        raise cannot(
            f"compare models on {n} rows with a target",
            because=f"fewer than {FEWEST_ROWS} rows say nothing about new ones",
            instead="a table with more rows",
        )
    if not 0.0 <= share < 1.0:
        raise cannot(f"hold out test={share!r}", because="it is a share of the rows", instead="a number in [0, 1)")
    if groups is not None:
        return hold_out_groups(y, groups, share, classification=classification, seed=seed)
    count = round(share * n)
    order = fair_order(np.arange(n), y if classification else None, np.random.default_rng([seed, 0]))
    if classification:  # of each class at least one row is learnt from
        _, first = np.unique(y[order], return_index=True)
        order = np.concatenate([order[first], np.delete(order, first)])
    cut = n - count
    return np.sort(order[:cut]), np.sort(order[cut:])


def rounds(y, folds, repeats, *, classification, seed, groups=None):
    """The rounds of repeated k-fold cross-validation, stratified for classes; with `groups`, of whole groups."""
    strata = y if classification else None
    if groups is None:
        parts = k_fold(y, folds, repeats=repeats, stratify=classification, seed=seed)
    else:
        draws = np.random.default_rng([seed, 4]).integers(2**31, size=repeats).tolist()
        parts = [
            part for each in draws for part in grouped_folds(y, groups, folds, classification=classification, seed=each)
        ]
    made = []
    for number, (learn, held) in enumerate(parts):
        draw = np.random.default_rng([seed, 1, number])
        learn = fair_order(learn, strata, draw)
        if len(held) > MOST_HELD_OUT:
            held = np.sort(fair_order(held, strata, draw)[:MOST_HELD_OUT])
        made.append(Round(number, learn, held, number < folds))
    return made


def fair_order(rows, y, draw):
    """A random order of rows in which every prefix has about the class shares of all rows."""
    rows = draw.permutation(rows)
    if y is None:
        return rows
    _, codes = np.unique(y[rows], return_inverse=True)
    counts = np.bincount(codes)
    place = np.empty(len(rows))
    by_class = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    place[by_class] = np.arange(len(rows)) - starts[codes[by_class]]
    return rows[np.argsort((place + draw.random(len(rows))) / counts[codes], kind="stable")]


def possible_folds(folds, y, classification, groups=None):
    """Folds that can be made: no more than there are rows, or rows of the commonest class, or groups."""
    most = int(np.unique(y, return_counts=True)[1].max()) if classification else len(y)
    if groups is not None:
        most = min(most, len(np.unique(groups)))
    if folds < 2:
        raise cannot(f"use folds={folds}", because="a fold is held out and another learnt from", instead="folds >= 2")
    return min(folds, most)
