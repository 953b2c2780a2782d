r"""AdaBoost with decision stumps: thresholds on one column each, found by exhaustive search in every round.

Descends on  E = Σ s_i exp(-t_i f(x_i)),  f = ½ Σ_m α_m h_m, one stump h_m at a time (for k classes SAMME's E)
Given    a design in memory, codes of classes (n,), weights s.
Returns  the stumps, their weighted errors e_m and weights α_m = ν (ln((1 - e_m)/e_m) + ln(k - 1)).
Cost     one sort of every column; then one pass over the sorted columns a round, of O(n p), or O(n p k) for k > 2.
From     Freund and Schapire (1997), J. Comput. Syst. Sci. 55(1); Zhu, Zou, Rosset and Hastie (2009), Statistics and its
         Interface 2(3). Loops: compiled/boosted_stumps.py.

Of stumps of equal error the one of the first column is taken, then of the lowest threshold, then the one that answers
with the first class below it. A constant answer (the threshold is minus infinity) is taken only if every threshold is
worse.
"""

from itertools import pairwise
from math import frexp, fsum, log, log1p
from typing import NamedTuple

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.threads import n_threads, parallel_map
from separatrix.core.types import Array
from separatrix.designs.base import Design
from separatrix.solvers.compiled.boosted_stumps import (
    reweigh,
    search_many,
    search_two,
    weigh,
)

BITS = 61  # of the sum of all weights
RESOLVED = 1 << 40  # a sum of whole weights that their rounding does not show in
MOST_COUNTS = 1 << 40  # the largest sum of weights that are taken as whole numbers
# Factors of the weights stay below 2^900, so that products with weights of the data, at most 1e30, are numbers; where
# they would not, the largest is brought to about 2^400.
HIGH, MIDDLE = 900, 400
SMALLEST = float(np.finfo(np.float64).tiny)
LARGEST_WEIGHT = 700.0  # of a learner: e^700 is a number, e^710 is none


class BoostedStumps(NamedTuple):
    """M stumps, a number each: ``x[feature] <= threshold`` answers `below`, else `above`; `errors` and `weights`.

    `ended` says why there are fewer rounds than asked for, or is empty.
    """

    feature: Array
    threshold: Array
    below: Array
    above: Array
    errors: Array
    weights: Array
    ended: str


class _Stump(NamedTuple):
    right: int  # the weight of the rows that it answers right
    feature: int
    place: int
    below: int
    above: int


class _Rows:
    """The rows of a fit: sorted columns, classes, and weights that change from round to round."""

    def __init__(self, design: Design, codes: Array, s: Array, k: int) -> None:
        self.design, self.codes, self.s, self.k = design, codes.astype(np.int64), s, k
        self.order = np.empty((design.p, design.n), dtype=np.int32 if design.n < 1 << 31 else np.int64)
        parallel_map(self._sort, range(design.p), numbers=design.n)
        whole = bool((s == np.floor(s)).all()) and s.sum() <= MOST_COUNTS
        self.counts = s.astype(np.int64) if whole else np.empty(0, dtype=np.int64)
        self.v, self.largest, self.unit = np.ones(design.n), 1.0, 1.0
        self.q, self.totals = np.empty(design.n, dtype=np.int64), np.zeros(k, dtype=np.int64)

    def _sort(self, j: int) -> None:
        column = self.design.columns([j])[:, 0]
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        tied = np.append(ordered[1:] == ordered[:-1], True)
        self.order[j] = np.where(tied, ~order, order)

    def weigh(self) -> None:
        """Weights as whole numbers whose sum has `BITS` digits."""
        if len(self.counts):
            bits, top = BITS - int(self.counts.sum()).bit_length(), self.largest
        else:
            bits, top = BITS - len(self.v).bit_length(), float((self.v * self.s).max())
        scale = 2.0 ** (bits - frexp(top)[1])
        for _ in range(2):  # the second time with all digits that the sum of the first leaves room for
            self.unit = 1.0 / scale
            weigh(self.v, self.s, self.counts, self.codes, scale, self.k == 2, self.q, self.totals)
            scale *= 2.0 ** (BITS - self.total.bit_length())

    def reweigh(self, stump: _Stump, threshold: float, column: Array, factor: float) -> None:
        """Multiply the weights of the rows that a stump answers wrong.

        All are divided by a power of two before one overflows, which changes no digit of them. A weight that falls
        below the smallest number stays there: it is less than 2^-1400 of the largest.
        """
        exponent = frexp(self.largest)[1] + frexp(factor)[1]
        if exponent > HIGH:
            np.maximum(np.ldexp(self.v, MIDDLE - exponent), SMALLEST, out=self.v)
        self.largest = float(reweigh(column, threshold, stump.below, stump.above, self.codes, factor, self.v))
        self.weigh()

    def mistakes(self, stump: _Stump, threshold: float, column: Array) -> float:
        """The weight of the rows that a stump answers wrong, also where whole numbers round it away."""
        wrong = self.total - stump.right
        if wrong >= RESOLVED:
            return wrong
        missed = np.where(column <= threshold, stump.below, stump.above) != self.codes
        return fsum((self.v[missed] * self.s[missed] / self.unit).tolist())

    @property
    def total(self) -> int:
        return int(self.totals.sum())

    def best(self) -> _Stump:
        """The stump of the smallest weighted error."""
        heaviest = int(self.totals.argmax())
        constant = _Stump(int(self.totals[heaviest]), 0, -1, heaviest, heaviest)
        p, n = self.order.shape
        out = np.empty((p, 4), dtype=np.int64)
        ends = np.linspace(0, p, min(n_threads(), p) + 1).astype(int).tolist()

        def search(part: tuple[int, int]) -> None:
            if self.k == 2:
                search_two(self.order, self.q, *part, out)
            else:
                work_below = np.empty(self.k, dtype=np.int64)
                search_many(self.order, self.q, self.codes, self.totals, *part, out, work_below)

        parallel_map(search, list(pairwise(ends)), numbers=n * -(-p // (len(ends) - 1)))
        stumps = [stump for j in range(p) for stump in self._of(j, out[j].tolist())]
        # of equal ones the first; a constant answer comes last
        return max([*stumps, constant], key=lambda stump: stump.right)

    def _of(self, j: int, result: list[int]) -> list[_Stump]:
        """The best stumps of a column, in canonical order."""
        if self.k > 2:
            right, place, below, above = result
            return [] if place < 0 else [_Stump(right, j, place, below, above)]
        least, least_at, largest, largest_at = result
        if least_at < 0:
            return []
        # below a threshold the signed weights sum to T: right are those of code 0 below and of code 1 above, W1 - T
        low = _Stump(int(self.totals[1]) - least, j, least_at, 0, 1)
        high = _Stump(int(self.totals[0]) + largest, j, largest_at, 1, 0)
        return [low, high] if least_at <= largest_at else [high, low]

    def threshold(self, stump: _Stump) -> tuple[float, Array]:
        """Halfway between the values on its two sides, and its column."""
        column = self.design.columns([stump.feature])[:, 0]
        if stump.place < 0:
            return -np.inf, column
        order = self.order[stump.feature]
        low, high = (float(column[row if row >= 0 else ~row]) for row in order[stump.place : stump.place + 2])
        middle = 0.5 * low + 0.5 * high
        return (middle if low <= middle < high else low), column


def boost_stumps(
    design: Design, codes: Array, s: Array, k: int, *, rounds: int, learning_rate: float = 1.0
) -> BoostedStumps:
    """Boost stumps; see the head of this file.

    Parameters
    ----------
    design : Design of n rows that offers columns.  codes : (n,) array of the codes 0, ..., k - 1 of their classes.
    s : (n,) array of weights > 0.
    rounds : int, [1, inf).  Most stumps.
    learning_rate : float, (0, inf).  Factor ν of the weight of each stump.

    >>> from separatrix.designs import as_design
    >>> X, codes = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 0])
    >>> boost_stumps(as_design(X), codes, np.ones(4), 2, rounds=1).errors
    array([0.25])
    """
    rows, stumps, ended = _Rows(design, codes, s, k), [], ""
    wrong: float
    thresholds: list[float] = []
    errors: list[float] = []
    weights: list[float] = []
    rows.weigh()
    for m in range(rounds):
        stump = rows.best()
        total, wrong = rows.total, rows.total - stump.right
        if wrong * k >= total * (k - 1):
            ended = "no stump is better than guessing"
            break
        stumps.append(stump)
        threshold, column = rows.threshold(stump)
        thresholds.append(threshold)
        wrong = rows.mistakes(stump, threshold, column)
        errors.append(wrong / total)
        if wrong == 0:
            weights.append(weight_of_perfect(weights))
            ended = "a stump makes no mistake"
            break
        weights.append(learning_rate * log_odds(wrong, stump.right, k))
        if m < rounds - 1:
            refuse_overflow(weights[-1])
            rows.reweigh(stump, threshold, column, (stump.right / wrong * (k - 1)) ** learning_rate)
    return BoostedStumps(
        np.array([stump.feature for stump in stumps], dtype=np.int64),
        np.array(thresholds),
        np.array([stump.below for stump in stumps], dtype=np.int64),
        np.array([stump.above for stump in stumps], dtype=np.int64),
        np.array(errors),
        np.array(weights),
        ended,
    )


def log_odds(wrong: float, right: float, k: int) -> float:
    """``ln(right/wrong) + ln(k - 1)``: the weight of a learner whose mistakes have the weight `wrong`.

    >>> round(log_odds(3, 7, 2), 12)
    0.847297860387
    """
    return log(right / wrong) + log1p(k - 2)


def refuse_overflow(weight: float) -> None:
    """Refuse a learner whose weight makes the weights of the rows leave the range of numbers.

    >>> refuse_overflow(2.0)
    """
    if weight > LARGEST_WEIGHT:
        raise cannot(
            "boost another learner",
            because=f"the last has the weight {weight:.3g}, and weights of rows times e^{weight:.3g} are no numbers",
            instead="a smaller learning_rate",
        )


def weight_of_perfect(before: list[float]) -> float:
    """The weight of a learner without mistakes, whose log-odds are infinite: 1 more than all before it together.

    It then decides every row alone. The first of all has the weight 1, as in scikit-learn.
    """
    return 1.0 + sum(before)
