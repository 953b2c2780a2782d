r"""Bootstrap samples: the rows and columns that each member of a committee is trained on.

Rows of whole weights are as many units as the weights sum to, and units are drawn: a row of weight 3 is drawn as three
rows below each other are, by the same random numbers. A sample of n rows of n holds
:math:`1 - (1 - 1/n)^n \approx 63.2\,\%` of them.
"""

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.base import clone
from sklearn.utils.random import sample_without_replacement

from separatrix.core.errors import cannot
from separatrix.core.registry import register
from separatrix.core.types import Array
from separatrix.estimators.validation import check_number

MOST_DRAWS = 1 << 27  # rows of one sample: 1 GB of places
LARGEST_SEED = np.iinfo(np.int32).max
# Samples of fewer rows than this share of those with a weight are warned of, where the sum of the weights decides.
SMALL_SAMPLE = 0.25


@register("record")
@dataclass(frozen=True)
class Bags:
    """How the rows of the members are drawn.

    Parameters
    ----------
    n : int, [1, inf).  Rows.
    weights : (n,) array or None.  Their weights; None where all are 1.
    draws : int, [1, 2**27].  Rows of each sample.
    replace : bool.  Whether a row may be drawn again.

    >>> Bags(4, None, 4, True).rows(RandomState(0)).tolist()
    [0, 3, 1, 0]
    >>> Bags(2, np.array([3.0, 1.0]), 4, True).rows(RandomState(0)).tolist()
    [0, 1, 0, 0]
    """

    n: int
    weights: Any
    draws: int
    replace: bool

    def rows(self, random: RandomState) -> Array:
        """The places of the rows that are drawn, in the order of drawing."""
        if self.weights is None:
            return self._units(random, self.n)
        if not _are_whole(self.weights):
            return draw_in_proportion(random, self.weights, self.draws)
        ends = np.cumsum(self.weights)
        return np.searchsorted(ends, self._units(random, int(ends[-1])), side="right")

    def draws_from(self, weights: Any) -> bool:
        """Whether these are the weights of the rows; none are as many ones."""
        known, others = (np.ones(self.n) if each is None else each for each in (self.weights, weights))
        return bool(np.array_equal(known, others))

    def _units(self, random, total):
        if self.replace:
            return random.randint(0, total, self.draws)
        return sample_without_replacement(total, self.draws, random_state=random)

    def counts(self, random: RandomState) -> Array:
        """How often each row is drawn."""
        return np.bincount(self.rows(random), minlength=self.n)


def _are_whole(weights):
    return bool((weights == np.floor(weights)).all()) and float(weights.sum()) < 2.0**53


def draw_in_proportion(random: RandomState, weights: Array, draws: int) -> Array:
    """Places of rows, drawn with replacement with probabilities in proportion to their weights."""
    ends = np.cumsum(weights)
    return np.searchsorted(ends / ends[-1], random.random_sample(draws), side="right")


def draws_of(estimator: Any, n: int, weights: Array | None, share: float = 1.0, stacklevel: int = 3) -> int:
    """Rows of a sample, a share of as many as there are; warns of samples that are small because the weights are."""
    draws = max(1, int(share * _units_of(estimator, n, weights)))
    _refuse_too_many(estimator, draws)
    if weights is None:
        return draws
    present = int(np.count_nonzero(weights))
    if draws < SMALL_SAMPLE * share * present:
        warnings.warn(
            f"Each sample has {draws} of {present} rows, because the weights sum to {weights.sum():.3g}: a weight is a "
            f"number of repetitions. Multiply the weights by {present / weights.sum():.3g} to draw as many rows as "
            "there are.",
            stacklevel=stacklevel,
        )
    return draws


def _refuse_too_many(estimator, draws):
    if draws > MOST_DRAWS:
        raise cannot(
            f"draw samples of {draws} rows for {type(estimator).__name__}",
            because=f"a sample may have {MOST_DRAWS} rows",
            instead="smaller samples, or smaller weights: a weight is a number of repetitions",
        )


def _units_of(estimator: Any, n: int, weights: Array | None) -> int:
    """As many rows as there are: n, or what the weights sum to, rounded."""
    whole = float(n) if weights is None else float(weights.sum())
    total = round(whole)
    if total < 1:
        raise cannot(
            f"draw rows for {type(estimator).__name__}",
            because=f"the weights sum to {whole:.3g}, and a weight is a number of repetitions",
            instead="weights that sum to the number of rows",
        )
    return total


def bags_of(estimator: Any, n: int, weights: Array | None) -> Bags:
    """The samples that `max_samples` and `bootstrap` of an estimator ask for."""
    asked, total = estimator.max_samples, _units_of(estimator, n, weights)
    if isinstance(asked, Integral) and not isinstance(asked, bool):
        draws = check_number(estimator, "max_samples", 1, integer=True)
        _refuse_too_many(estimator, draws)
    else:
        share = 1.0 if asked is None else check_number(estimator, "max_samples", 0.0, 1.0, open_low=True)
        draws = draws_of(estimator, n, weights, share, stacklevel=4)
    replace, why = bool(estimator.bootstrap), ""
    if not replace and draws > total:
        why = f"there are {total} rows, and none is drawn twice"
    elif not replace and weights is not None and not _are_whole(weights):
        why = "without replacement a row is drawn as often as it weighs at the most, which must be a whole number"
    if why:
        raise cannot(
            f"draw samples of {draws} rows with bootstrap={estimator.bootstrap!r}",
            because=why,
            instead="bootstrap=True and a smaller max_samples",
        )
    return Bags(n, weights, draws, replace)


def draw_columns(random: RandomState, p: int, draws: int, replace: bool) -> Array:
    """Places of the columns of one member, in the order of drawing."""
    if replace:
        return random.randint(0, p, draws)
    return sample_without_replacement(p, draws, random_state=random)


def seeded(estimator: Any, random: RandomState) -> Any:
    """A copy of an estimator with new seeds, drawn here, for every random state that it or a part of it has."""
    copy = clone(estimator)
    names = sorted(name for name in copy.get_params() if name == "random_state" or name.endswith("__random_state"))
    return copy.set_params(**{name: random.randint(LARGEST_SEED) for name in names}) if names else copy
