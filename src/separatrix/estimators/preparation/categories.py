"""Categories for a linear model: one column of 0 and 1 for each level; or, for counting, codes 0, 1, 2, ..."""

from collections import Counter

import numpy as np

from separatrix.core.declaration import declares
from separatrix.estimators.preparation.columns import NARROW, CellColumns, first_of_equals
from separatrix.estimators.validation import check_choice, check_number
from separatrix.estimators.verification import PREPARED
from separatrix.prediction import forms
from separatrix.prediction.categories import codes, one_hot, outcomes
from separatrix.prediction.cells import as_text

# More columns than NARROW come out as an array if a row fills this share of them: a sparse array takes twelve bytes for
# each cell that is filled, an array eight for every cell.
FILLED = 0.1


class LevelColumns(CellColumns):
    """A transformer that learns the levels of each column."""

    # Whether missing is a level of the first of several columns that are missing in the same rows, and only there.
    _each_gap_once = False

    def _learn_levels(self, X):
        min_count = check_number(self, "min_count", 1, integer=True)
        max_levels = check_number(self, "max_levels", 1, integer=True)
        columns = [as_text(X[:, j]) for j in range(X.shape[1])]
        kept = [_kept(cells, min_count, max_levels) for cells in columns]
        self.levels_ = [levels for levels, _, _, _ in kept]
        self.pooled_ = np.array([others > 0 for _, _, others, _ in kept])
        self.missing_ = np.array([missing > 0 for _, _, _, missing in kept])
        if self._each_gap_once:
            self.missing_ &= _first_gaps(columns)
            self.missing_[list(self.unflagged)] = False
            kept = [
                (levels, counts, others, missing * told)
                for (levels, counts, others, missing), told in zip(kept, self.missing_)
            ]
        return [
            [*counts, *([others] if others else []), *([missing] if missing else [])]
            for _, counts, others, missing in kept
        ]

    def _outcome_names(self, name, j):
        """What the outcomes of a column are called."""
        names = [f"{name}={level}" for level in self.levels_[j]]
        names += [f"{name} is other"] if self.pooled_[j] else []
        return names + ([f"{name} is missing"] if self.missing_[j] else [])


def _kept(cells, min_count, max_levels):
    """Levels to keep and their counts, in order; how many cells are pooled; how many are missing."""
    frequency = Counter(cells.tolist())
    missing = frequency.pop(None, 0)
    frequent = sorted(
        (level for level in frequency if frequency[level] >= min_count), key=lambda level: (-frequency[level], level)
    )
    levels = sorted(frequent[:max_levels], key=_in_order)
    counts = [frequency[level] for level in levels]
    return levels, counts, sum(frequency.values()) - sum(counts), missing


def _first_gaps(columns):
    """Of columns that are missing in the same rows, the first; and columns without any value."""
    gaps = [np.fromiter((cell is None for cell in cells.tolist()), bool, len(cells)) for cells in columns]
    return first_of_equals([gap.tobytes() for gap in gaps]) | np.array([gap.all() for gap in gaps])


def _in_order(level):
    """Numbers by size, before text by letters."""
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level


@declares(
    task="transformation",
    prediction=forms.CATEGORIES,
    verification=PREPARED,
)
class Categories(LevelColumns):
    """One column of 0 and 1 for each level of a category.

    Levels are learnt in training. Those with fewer than `min_count` rows are pooled as "other": what is seen in one row
    only cannot be told from that row. Where cells are missing in training, missing is a level of its own; of columns
    that are missing in the same rows it is a level of the first, as the others would repeat its column of 0 and 1. A
    level that was never met counts as "other" if there is such a level, else none of its columns is 1; nothing is
    refused.

    Numbers are taken as text, 1.0 as "1". More than 200 columns of which a row fills less than a tenth come out as a
    sparse array: 10,000 columns or 50,000 levels need about as much room as the table itself.

    Parameters
    ----------
    drop : {"commonest", "if_binary", None}, default "commonest".  Which level of a column gets no column: the most
        frequent ("other" and missing aside), with which the others are then compared; all of them would add up to 1,
        as the constant of the model does, and one be determined by the rest. "if_binary": only of a column with two
        levels, for which one column says all. None: no level.
    min_count : int, [1, inf), default 2.  Rows that a level must have to be kept.
    max_levels : int, [1, inf), default 1000.  The most frequent levels of a column that are kept; the rest is "other".
    sparse : {"auto", False, True}, default "auto".  Whether the result is a sparse array; "auto": as said above.
    unflagged : tuple of int, default ().  Columns in which missing is no level, because other columns of the table tell
        the same.

    Attributes
    ----------
    levels_ : list of p lists of str.  The levels that are kept: numbers by size, then text by letters.
    pooled_ : (p,) array of bool.  Whether the column has the level "other".
    missing_ : (p,) array of bool.  Whether missing is a level of the column.
    dropped_ : (p,) array of int.  Which of levels, other and missing, in this order, has no column; -1 for none.
    sparse_ : bool.  Whether the result is sparse.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> import numpy as np
    >>> X = np.array([["red"], ["blue"], ["red"], ["blue"], ["red"], ["green"], [None]], dtype=object)
    >>> colours = Categories().fit(X)
    >>> colours.get_feature_names_out(["colour"]).tolist()
    ['colour=blue', 'colour is other', 'colour is missing']
    >>> colours.transform(np.array([["blue"], ["red"], ["pink"]], dtype=object))
    array([[1., 0., 0.],
           [0., 0., 0.],
           [0., 1., 0.]])
    """

    def __init__(
        self,
        *,
        drop: str | None = "commonest",
        min_count: int = 2,
        max_levels: int = 1000,
        sparse: bool | str = "auto",
        unflagged: tuple[int, ...] = (),
    ) -> None:
        self.drop = drop
        self.min_count = min_count
        self.max_levels = max_levels
        self.sparse = sparse
        self.unflagged = unflagged

    _arithmetic = staticmethod(one_hot)
    _each_gap_once = True

    def _learn(self, X):
        check_choice(self, "drop", ("commonest", "if_binary", None))
        check_choice(self, "sparse", ("auto", False, True))
        counts = self._learn_levels(X)
        self.dropped_ = np.full(len(counts), -1)
        for j, each in enumerate(counts):
            if self.drop == "commonest" or (self.drop == "if_binary" and len(each) == 2):
                self.dropped_[j] = int(np.argmax(each[: len(self.levels_[j])] or each))
        if all(len(each) == 1 for each in counts):  # at least one column must come out
            self.dropped_[0] = -1
        width = sum(map(len, counts)) - int((self.dropped_ >= 0).sum())
        mostly_zero = width > NARROW and width > len(counts) / FILLED
        self.sparse_ = mostly_zero if self.sparse == "auto" else self.sparse

    def flag_places(self) -> dict[int, int]:
        """From a column of which missing is a level to the place of that level among the columns that come out."""
        places, end = {}, 0
        for j in range(self.n_features_in_):
            last = outcomes(vars(self), j) - 1
            end += last + 1 - (self.dropped_[j] >= 0)
            if self.missing_[j] and self.dropped_[j] != last:
                places[j] = end - 1
        return places

    def _names(self, names):
        names_out = []
        for j, name in enumerate(names):
            each = self._outcome_names(name, j)
            names_out += [each[m] for m in range(len(each)) if m != self.dropped_[j]]
        return names_out


@declares(
    task="transformation",
    prediction=forms.CODES,
    verification=PREPARED,
)
class Codes(LevelColumns):
    """The levels of a category as numbers 0, 1, 2, ..., for models that count each of them.

    The order of the numbers means nothing. Rare, missing and unknown levels are treated as in :class:`Categories`;
    where nothing was pooled, an unknown level has the number behind the last.

    Parameters
    ----------
    min_count : int, [1, inf), default 2.  Rows that a level must have to be kept.
    max_levels : int, [1, inf), default 1000.  The most frequent levels of a column that are kept; the rest is "other".
    keep_missing : bool, default False.  Whether a missing cell stays missing (NaN) instead of having a number: for
        trees, which send it a way of its own.

    Attributes
    ----------
    levels_ : list of p lists of str.  pooled_, missing_ : (p,) arrays of bool.  As in :class:`Categories`.
    n_codes_ : (p,) array of int.  How many codes the training rows have.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    >>> import numpy as np
    >>> Codes(min_count=1).fit_transform(np.array([["b"], ["a"], [None], ["b"]], dtype=object)).ravel()
    array([1., 0., 2., 1.])
    """

    def __init__(self, *, min_count: int = 2, max_levels: int = 1000, keep_missing: bool = False) -> None:
        self.min_count = min_count
        self.max_levels = max_levels
        self.keep_missing = keep_missing

    _arithmetic = staticmethod(codes)

    def _learn(self, X):
        check_choice(self, "keep_missing", (True, False))
        self._learn_levels(X)
        if self.keep_missing:
            self.missing_[:] = False
        self.n_codes_ = np.array([outcomes(vars(self), j) for j in range(X.shape[1])])

    def _names(self, names):
        return names
