"""Columns that know the target too well, and rows that are there twice."""

import numpy as np

from separatrix.tables.kinds import codes
from separatrix.tables.table import is_number

SAMPLE = 20_000  # rows that are looked at for a leak
BINS = 64
PERFECT = 0.99  # of the rows are told apart by one column alone, and nineteen of twenty errors are gone
LINEAR = 0.9999  # correlation of ranks with a numeric target


def is_copy(column, distinct, target, classes):
    """Why a column is the target in other words; "" if it is not. `classes` is 0 for a numeric target."""
    if not classes:
        equal = is_number(column) and np.array_equal(column, target)
        return "it equals the target in every row" if equal else ""
    if distinct != classes or 2 * classes > len(target):
        return ""
    first, _ = codes(column)
    second, _ = codes(target)
    if len(np.unique(first * np.intp(classes) + second)) > classes:
        return ""
    return "it says the same as the target, in every row"


def rows_to_look_at(n):
    """Some rows are enough for a suspicion: drawn, as files are often sorted, and always the same."""
    return slice(None) if n <= SAMPLE else np.random.default_rng(0).choice(n, SAMPLE, replace=False)


def suspicion(column, target, classes):
    """Why one column alone predicts the target too well to be believed; "" if it does not."""
    if not classes:
        r = _rank_correlation(column, target)
        return f"its ranks correlate with those of the target by {r:.5f}" if abs(r) >= LINEAR else ""
    place, k = _bins(column, min(BINS, len(target) // 20))
    label, classes = codes(target)
    if k < 2 or 10 * k > len(label) or classes < 2:
        return ""
    counts = np.bincount(place * np.intp(classes) + label, minlength=k * classes).reshape(k, classes)
    right = counts.max(axis=1).sum() / len(label)
    if classes == 2 and is_number(column) and not np.isnan(column).any():
        right = max(right, _right_by_one_cut(column, label))
    base = np.bincount(label).max() / len(label)
    if right < PERFECT or 1 - right > 0.05 * (1 - base):
        return ""
    return f"it alone tells the classes apart in {100 * right:.1f} % of the rows"


def _right_by_one_cut(column, label):
    """The share of rows that the best single threshold puts in their class: few rows make wide bins, one of them mixed.

    >>> float(_right_by_one_cut(np.array([4.0, 1.0, 2.0, 3.0]), np.array([1, 0, 0, 1])))
    1.0
    """
    order = np.argsort(column, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(column[order]) > 0.0, True)) + 1
    ones = np.cumsum(label[order])[ends - 1]
    agree = (ends - ones) + (label.sum() - ones)  # class 0 up to the cut, class 1 beyond
    return max(agree.max(), len(label) - agree.min()) / len(label)


def _bins(column, most):
    """Values as they are if they are few, else about `most` ranges of equally many; missing cells are one more."""
    place, k = codes(column)
    if k > most and is_number(column):
        here = ~np.isnan(column)
        edges = np.unique(np.quantile(column[here], np.linspace(0, 1, most + 1)[1:-1]))
        place = np.where(here, np.searchsorted(edges, column, side="right"), -1)
        k = len(edges) + 1
    return np.where(place < 0, k, place), k + 1 if np.any(place < 0) else k


def _rank_correlation(column, target):
    if not is_number(column):
        return 0.0
    here = ~np.isnan(column)
    if here.sum() < max(10, 0.5 * len(column)):
        return 0.0
    first, second = (_ranks(values[here]) for values in (column, target))
    spread = first.std() * second.std()
    return float(((first - first.mean()) * (second - second.mean())).mean() / spread) if spread else 0.0


def _ranks(values):
    """Ranks, the mean of them for ties."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def repeated_rows(columns):
    """How many rows repeat an earlier one in every column."""
    if not columns or not len(columns[0]):
        return 0
    mixed = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        if is_number(column):
            bits = np.where(column == 0, 0.0, column).view(np.uint64)  # -0.0 is 0.0
        else:
            bits = np.fromiter(map(hash, column.tolist()), np.int64, len(column)).view(np.uint64)
        mixed = _mix(mixed * np.uint64(0x9E3779B97F4A7C15) + bits)
    mixed.sort()
    return int((mixed[1:] == mixed[:-1]).sum())


def _mix(bits):
    """Spread every bit over all others, so that different rows meet with probability 2^-64 each."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))
