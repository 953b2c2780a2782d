r"""Tests between models that were tried on the same rounds of cross-validation.

The scores of the rounds are not independent: training sets overlap. Nadeau and Bengio's correction of the variance of a
mean of J differences d, with :math:`n_2` rows held out and :math:`n_1` learnt from in each round, is

.. math:: \widehat{\mathrm{var}}(\bar d) = \Big(\frac1J + \frac{n_2}{n_1}\Big)
          \Big(s^2 + \frac{h^2}{12}\Big), \qquad
          t = \frac{\bar d}{\sqrt{\widehat{\mathrm{var}}(\bar d)}} \sim t_{J-1}

where h is the resolution of the score: an accuracy of m rows is a multiple of 1/m, and a number that is rounded to
multiples of h hides a variance of :math:`h^2/12` (Sheppard). Without that term differences that agree in every round by
chance, as coarse scores often do, would have no variance and count as proven.

References: Nadeau and Bengio (2003), Machine Learning 52(3); Bouckaert and Frank (2004), PAKDD; Holm (1979), Scand. J.
Statist. 6(2); Sheppard (1898), Proc. London Math. Soc. 29; Hsu (1996), Multiple Comparisons, chapter 4.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

# Differences that vary by less than this share of the scores themselves are constant: the rest is rounding.
ROUNDING = 1e-12
# Simulated comparisons of equal models: the simulated 5 % point has a level between 4.7 % and 5.3 %.
DRAWS, CHUNK = 20_000, 2_000


def overlap_ratio(folds, repeats):
    r"""What to add to 1/J in the variance of a mean difference, so that a model that learns noise is not called better.

    Nadeau and Bengio's :math:`n_2/n_1 = 1/(K-1)`, for K folds, is a guess. It is too small where there is nothing to
    learn: a rule that follows the difference of two class means, :math:`\delta_{-j}` of the training rows, has on the
    rows of fold j a score proportional to :math:`\delta_j \cdot \delta_{-j}`, in which both factors return in every
    other round. For normal :math:`\delta_j` of mean 0, R repeats and J = KR rounds,

    .. math:: V = \frac{\mathrm{var}(\bar g)}{\mathrm{var}(g_j)} = \frac{2(K-1)}{K^2}\Big(1 + \frac{1}{R(K-1)}\Big),
              \qquad \frac{\mathrm{var}(\bar g)}{\mathrm{E}\, s^2} = \frac{(J-1)\,V}{J\,(1-V)},

    and the larger of the two is taken. It is infinite for two folds: :math:`\delta_1 \cdot \delta_2` is the score of
    both rounds of a repeat, so that their agreement says nothing (docs/theory/comparison.md has the derivation).

    Parameters
    ----------
    folds : int, [2, inf).
    repeats : int, [1, inf).

    >>> round(overlap_ratio(5, 2), 4), round(overlap_ratio(10, 1), 4), overlap_ratio(2, 1)
    (0.4062, 0.125, inf)
    """
    if folds == 2:
        return float("inf")
    rounds = folds * repeats
    share = 2.0 * (folds - 1) / folds**2 * (1.0 + 1.0 / (repeats * (folds - 1)))
    return max(1.0 / (folds - 1), (rounds - 1) * share / (rounds * (1.0 - share)) - 1.0 / rounds)


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


def corrected_test(a, b, ratio, *, one_sided=False, resolution=0.0):
    """The corrected resampled t test of scores a against scores b of the same rounds.

    Equal scores in every round give p = 1. Where the scores differ by the same amount in every round and no resolution
    is known, that amount is taken for it: no smaller difference was seen. Fewer than two common rounds tell nothing:
    p = 1.

    Parameters
    ----------
    a, b : (J,) arrays.  NaN for rounds that were not run.
    ratio : float, [0, inf].  As in :func:`corrected_error`, or the larger one of :func:`overlap_ratio`.
    one_sided : bool, default False.  Whether the alternative is that a is larger, not only that they differ.
    resolution : float, [0, inf), default 0.  The step in which scores can change; 0 for a continuous score.

    >>> round(corrected_test([3.0, 2.0, 4.0], [1.0, 2.0, 3.0], ratio=0.5).t, 4)
    1.0954
    >>> round(corrected_test([0.8, 0.8], [0.75, 0.75], ratio=1.0).p, 4)
    0.2163
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    common = np.isfinite(a) & np.isfinite(b)
    d = (a - b)[common]
    if len(d) < 2:
        return PairedTest(float(d.mean()) if len(d) else float("nan"), float("nan"), float("nan"), 1.0)
    mean = float(d.mean())
    size = float(np.abs(np.concatenate([a[common], b[common]])).max())
    constant = np.ptp(d) <= ROUNDING * size
    if constant and abs(mean) <= ROUNDING * size:
        return PairedTest(0.0, 0.0, 0.0, 1.0)
    step = resolution or (abs(mean) if constant else 0.0)
    error = float(np.sqrt((1.0 / len(d) + ratio) * (d.var(ddof=1) + step**2 / 12.0)))
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


def better_than(scores, reference, ratio, resolution=0.0):
    """Holm-adjusted one-sided p-values that each of `scores` is larger than the `reference`: from a name to p."""
    options = {"one_sided": True, "resolution": resolution}
    raw = [corrected_test(mine, reference, ratio, **options).p for mine in scores.values()]
    return dict(zip(scores, holm(raw).tolist()))


def worse_than(scores, leader, ratio, resolution=0.0, models=None):
    """p-values that each of `scores` is below those of the `leader`, which has the highest mean: from a name to p.

    The leader is chosen by the scores themselves. So p is the share of comparisons of equal models in which the best
    one has at least this t against some other (:func:`leads_of_equals`), or Bonferroni's bound over all pairs if that
    is less: of equal models any is called worse than its leader with a probability of p at the most.

    Parameters
    ----------
    scores : dict from a name to a (J,) array.  Higher is better.
    leader : (J,) array.
    ratio, resolution : as in :func:`corrected_test`.
    models : int or None, default None.  Models of the whole comparison; None: the leader and those in `scores`.
    """
    models = len(scores) + 1 if models is None else models
    p_values = {}
    for name, mine in scores.items():
        test = corrected_test(leader, mine, ratio, resolution=resolution)
        p_values[name] = 1.0
        if test.t > 0.0:
            leads = leads_of_equals(models, int((np.isfinite(leader) & np.isfinite(mine)).sum()))
            simulated = (1 + len(leads) - np.searchsorted(leads, test.t)) / (1 + len(leads))
            p_values[name] = float(min(simulated, 0.5 * models * (models - 1) * test.p))
    return p_values


@lru_cache(maxsize=64)
def leads_of_equals(models, rounds):
    """The largest t of the best of equal models against the others, in simulated comparisons; ascending.

    Scores are drawn as independent normal numbers of one variance. Other correlations and variances of the models
    make a large t rarer (docs/theory/comparison.md).

    Parameters
    ----------
    models : int, [2, inf).
    rounds : int, [2, inf).

    Returns
    -------
    (DRAWS,) array, the same in every call.

    >>> leads = leads_of_equals(2, 10)  # of two models it is |t| of Student's test
    >>> bool(abs(student.sf(leads[int(0.95 * len(leads))], 9) - 0.025) < 0.003)
    True
    """
    draw, leads = np.random.default_rng([models, rounds]), []
    for _ in range(DRAWS // CHUNK):
        scores = draw.standard_normal((CHUNK, rounds, models))
        means = scores.mean(axis=1)
        best = means.argmax(axis=1)[:, None]
        d = np.take_along_axis(scores, best[:, :, None], axis=2) - scores
        errors = np.sqrt(d.var(axis=1, ddof=1) / rounds)
        np.put_along_axis(errors, best, np.inf, axis=1)
        leads.append((d.mean(axis=1) / errors).max(axis=1))
    return np.sort(np.concatenate(leads))
