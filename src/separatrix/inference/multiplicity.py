r"""P-values of several tests read together: adjusted for their number, or for their joint distribution.

    Bonferroni   m p_i                                     Holm         max_{j <= i} (m - j + 1) p_(j)
    Hochberg     min_{j >= i} (m - j + 1) p_(j)            BH           min_{j >= i} (m / j) p_(j)
    BY           BH times Σ_j 1/j                          single step  P(max_j |T_j| > |t_i|),  T multivariate t

The first three and the single step bound the probability of any false rejection, BH and BY the expected share of false
ones among the rejections. Hochberg and BH need independence or positive dependence.

The single step is found as Σ_k P(|T_k| > c, |T_j| <= c for all j < k), each by Genz's transformation to the unit cube,
which keeps relative accuracy in the tail (about 1e-4), for singular correlations too.

References: Holm (1979), Scand. J. Statist. 6(2); Benjamini and Hochberg (1995), J. R. Statist. Soc. B 57(1); Benjamini
and Yekutieli (2001), Annals of Statistics 29(4); Genz and Bretz (2009), Computation of Multivariate Normal and t
Probabilities, sections 4.1 and 5.1; Bretz, Hothorn and Westfall (2011), Multiple Comparisons Using R, chapter 3.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtri, ndtr, ndtri, stdtr, stdtrit

from separatrix.core.errors import cannot

METHODS = ("bonferroni", "holm", "hochberg", "bh", "by")
MOST_JOINT = 50  # contrasts whose joint distribution is integrated: the time grows with their cube
POINTS = 4096
SINGULAR = 1e-9  # what is left of a correlation of 1 after rounding counts as 0


def adjust_p_values(p, method="holm"):
    """P-values adjusted for their number, in their order: R's ``p.adjust``.

    Parameters
    ----------
    p : array of [0, 1], of shape (m,).  NaN is left out and stays NaN.
    method : {"holm", "bonferroni", "hochberg", "bh", "by"}, default "holm".

    >>> adjust_p_values([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    >>> adjust_p_values([0.01, 0.04, 0.03], "bh").round(2)
    array([0.03, 0.04, 0.04])
    """
    p = np.asarray(p, dtype=np.float64)
    if method not in METHODS:
        raise cannot(
            f"adjust p-values with method={method!r}",
            because=f"it is not one of {', '.join(map(repr, METHODS))}",
            instead="method='holm' (default)",
        )
    known = ~np.isnan(p)
    if p.ndim != 1 or not ((p[known] >= 0.0) & (p[known] <= 1.0)).all():
        raise cannot("adjust these p-values", because="they are not an array of probabilities", instead="shape (m,)")
    adjusted = np.full(len(p), np.nan)
    adjusted[known] = np.minimum(_adjusted(p[known], method), 1.0)
    return adjusted


def _adjusted(p, method):
    m, order = len(p), np.argsort(p, kind="stable")
    rank = np.arange(1, m + 1)
    if method == "bonferroni":
        return m * p
    if method == "holm":
        stepped = np.maximum.accumulate((m - rank + 1) * p[order])
    else:
        factor = {"hochberg": m - rank + 1.0, "bh": m / rank, "by": m / rank * (1.0 / rank).sum()}[method]
        stepped = np.minimum.accumulate((factor * p[order])[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = stepped
    return adjusted


def single_step(t, correlation, df):
    """``P(max_j |T_j| > |t_i|)`` for each i, T multivariate t (normal for ``df=inf``) with the given correlation."""
    _few_enough(len(correlation))
    return np.array([_tail(abs(value), correlation, df) for value in np.ravel(t)])


def joint_quantile(level, correlation, df):
    """The c with ``P(max_j |T_j| <= c) = level``, for simultaneous confidence intervals."""
    m = len(correlation)
    _few_enough(m)
    low, high = (-_quantile((1.0 - level) / (2.0 * count), df) for count in (1, m))
    if m == 1:
        return low
    return float(brentq(lambda c: _tail(c, correlation, df) - (1.0 - level), low, high * (1.0 + 1e-6), xtol=1e-8))


def _few_enough(m):
    if m > MOST_JOINT:
        raise cannot(
            f"integrate the joint distribution of {m} contrasts",
            because=f"the time grows with the cube of their number; {MOST_JOINT} are allowed",
            instead="adjust='holm'",
        )


def _tail(c, correlation, df):
    """``P(max |T| > c)``, as a sum over the first contrast (in their order) that exceeds c."""
    tail = 2.0 * (ndtr(-c) if np.isinf(df) else stdtr(df, -c))
    return min(1.0, tail * sum(_conditional(c, correlation, df, k, tail) for k in range(len(correlation))))


def _conditional(c, correlation, df, k, tail):
    """``P(|T_j| <= c for all j < k | T_k > c)``; by symmetry also given ``T_k < -c``."""
    if k == 0:
        return 1.0
    from scipy.stats import qmc

    L = _cholesky(correlation, [k, *range(k)])
    u = qmc.Sobol(L.shape[1] + 1, rng=0).random(POINTS)
    # T_k beyond c; then its scale s, of which (df + t²) s² is χ² with df + 1 degrees of freedom given T_k = t
    t = -_quantile(0.5 * tail * u[:, 0], df)
    s = 1.0 if np.isinf(df) else np.sqrt(chdtri(df + 1.0, 1.0 - u[:, 1]) / (df + t * t))
    reach = np.broadcast_to(c * s, len(u))
    return float(_within(L[1:], t * s, reach, u[:, 2:]).mean())


def _within(L, z, reach, u):
    """The probability of ``|L y| <= reach`` given the first coordinate z of y, one coordinate after the other."""
    last = np.array([np.flatnonzero(np.abs(row) > SINGULAR)[-1] for row in L])
    so_far = np.multiply.outer(L[:, 0], z)
    probability = np.where((np.abs(so_far[last == 0]) <= reach * (1.0 + SINGULAR)).all(axis=0), 1.0, 0.0)
    for j in range(1, L.shape[1]):
        low, high = np.full(len(z), -np.inf), np.full(len(z), np.inf)
        for i in np.flatnonzero(last == j):
            ends = np.sort([(-reach - so_far[i]) / L[i, j], (reach - so_far[i]) / L[i, j]], axis=0)
            low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
        below, above = ndtr(low), ndtr(high)
        width = np.maximum(above - below, 0.0)
        probability = probability * width
        y = ndtri(np.clip(below + u[:, j - 1] * width, 1e-300, 1.0 - 1e-16))
        so_far = so_far + np.multiply.outer(L[:, j], y)
    return probability


def _cholesky(correlation, order):
    """L with ``L L' = R`` for rows in the given order, a column for each that the ones before do not determine."""
    R = correlation[np.ix_(order, order)].astype(np.float64)
    columns, left = [], R.copy()
    for i in range(len(order)):
        if left[i, i] > SINGULAR:
            column = left[:, i] / np.sqrt(left[i, i])
            column[:i] = 0.0
            columns.append(column)
            left = left - np.multiply.outer(column, column)
    return np.array(columns).T


def _quantile(p, df):
    return ndtri(p) if np.isinf(df) else stdtrit(df, p)
