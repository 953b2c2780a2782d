r"""Tests between models that were tried on the same rounds of cross-validation.

The scores of the rounds are not independent: training sets overlap. Nadeau and Bengio's correction of the variance of a
mean of J differences d, with :math:`n_2` rows held out and :math:`n_1` learnt from in each round, is

.. math:: \widehat{\mathrm{var}}(\bar d) = \Big(\frac1J + \frac{n_2}{n_1}\Big)\, s^2, \qquad
          t = \frac{\bar d}{\sqrt{\widehat{\mathrm{var}}(\bar d)}} \sim t_{J-1}

References: Nadeau and Bengio (2003), Machine Learning 52(3); Bouckaert and Frank (2004), PAKDD; Holm (1979), Scand. J.
Statist. 6(2).
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

# Differences that vary by less than this share of the scores themselves are constant: the rest is rounding.
ROUNDING = 1e-12


class PairedTest(NamedTuple):
    """Mean difference, its corrected standard error, t, and the p-value."""

    mean: float
    error: float
    t: float
    p: float


def corrected_error(scores, ratio):
    """The standard error of a mean of scores of rounds whose training sets overlap.

    Parameters
    ----------
    scores : (J,) array.  NaN for rounds that were not run.
    ratio : float, [0, inf).  Rows held out over rows learnt from, in a round: 1/(k - 1) for k folds.

    >>> round(corrected_error([1.0, 2.0, 3.0, 4.0, 5.0], ratio=0.25), 12)
    1.06066017178
    """
    scores = np.asarray(scores, dtype=np.float64)
    scores = scores[np.isfinite(scores)]
    if len(scores) < 2:
        return float("nan")
    if np.ptp(scores) <= ROUNDING * np.abs(scores).max():
        return 0.0
    return float(np.sqrt((1.0 / len(scores) + ratio) * scores.var(ddof=1)))


def corrected_test(a, b, ratio, *, one_sided=False):
    """The corrected resampled t test of scores a against scores b of the same rounds.

    Equal scores in every round give p = 1. Scores that differ by the same amount in every round give p = 0, as no
    variance speaks against the difference. Fewer than two common rounds tell nothing: p = 1.

    Parameters
    ----------
    a, b : (J,) arrays.  NaN for rounds that were not run.
    ratio : float.  As in :func:`corrected_error`.
    one_sided : bool, default False.  Whether the alternative is that a is larger, not only that they differ.

    >>> round(corrected_test([3.0, 2.0, 4.0], [1.0, 2.0, 3.0], ratio=0.5).t, 4)
    1.0954
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    common = np.isfinite(a) & np.isfinite(b)
    d = (a - b)[common]
    if len(d) < 2:
        return PairedTest(float(d.mean()) if len(d) else float("nan"), float("nan"), float("nan"), 1.0)
    mean = float(d.mean())
    size = float(np.abs(np.concatenate([a[common], b[common]])).max())
    if np.ptp(d) <= ROUNDING * size:
        if abs(mean) <= ROUNDING * size:
            return PairedTest(0.0, 0.0, 0.0, 1.0)
        return PairedTest(mean, 0.0, np.copysign(np.inf, mean), float(one_sided and mean < 0.0))
    error = corrected_error(d, ratio)
    t = mean / error
    p = student.sf(t, len(d) - 1) if one_sided else 2.0 * student.sf(abs(t), len(d) - 1)
    return PairedTest(mean, error, float(t), float(p))


def holm(p_values):
    """Holm's step-down adjustment: the chance of any false claim among all tests stays below the level.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def worse_than(scores, leader, ratio):
    """Holm-adjusted two-sided p-values of the leader against each of `scores`: from a name to p."""
    raw = [corrected_test(leader, mine, ratio).p for mine in scores.values()]
    return dict(zip(scores, holm(raw).tolist()))


def better_than(scores, reference, ratio):
    """Holm-adjusted one-sided p-values that each of `scores` is larger than the `reference`: from a name to p."""
    raw = [corrected_test(mine, reference, ratio, one_sided=True).p for mine in scores.values()]
    return dict(zip(scores, holm(raw).tolist()))
