"""Tests and intervals of Firth's logistic regression, by the profile of its penalised likelihood."""

from dataclasses import replace

import numpy as np
from scipy.stats import chi2
from sklearn.utils.validation import check_is_fitted

from separatrix.core.description import column_names
from separatrix.core.errors import cannot
from separatrix.estimators.linear.firth import FirthLogisticRegression
from separatrix.inference.firth_profile import Profile
from separatrix.inference.table import Coefficient, Summary, Table, odds_factor

HOW = (
    "Intervals and p-values are of the profile of the penalised likelihood (Heinze and Schemper 2002): with few or "
    "separated rows the estimate is far from normal, and intervals of ± 2 standard errors mislead."
)
NOT_REACHED = (
    "An end that is missing could not be shown to lie where the penalised likelihood ratio reaches its limit: climbs "
    "from different points ended in different maxima."
)


def firth_summary(model, X, y, sample_weight=None, level=0.95):
    r"""Estimates, standard errors, likelihood-ratio tests and profile intervals of a FirthLogisticRegression.

    .. math:: \{b : 2\,(\ell^*(\hat\beta) - \max_{\beta_j = b} \ell^*(\beta)) \le \chi^2_{1, \text{level}}\}

    Parameters
    ----------
    model : fitted FirthLogisticRegression.
    X, y, sample_weight : the data of the fit.
    level : float, (0, 1), default 0.95.  Of the intervals.

    Returns
    -------
    Summary.  The p-value of each coefficient is that of the penalised likelihood-ratio test that it is 0; odds ratios
    of the slopes with the exponentials of their intervals.

    References: Heinze and Schemper (2002), Statist. Med. 21(16), section 2.3.

    >>> from separatrix.linear_model import FirthLogisticRegression
    >>> x, t = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> row = firth_summary(FirthLogisticRegression().fit(x, t), x, t)["x0"]
    >>> row.low < 0.0 < row.estimate < row.high, round(row.p, 3)
    (True, 0.109)
    """
    check_is_fitted(model)
    if not isinstance(model, FirthLogisticRegression):
        raise cannot(
            f"take the penalised profile of {type(model).__name__}",
            because="its likelihood is not penalised by Jeffreys' prior",
            instead="FirthLogisticRegression",
            kind=TypeError,
        )
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0.0 < level < 1.0:
        raise cannot(
            f"summarise with level={level!r}",
            because="a confidence level lies between 0 and 1",
            instead="level=0.95 (default)",
        )
    problem = model._problem_of(X, y, sample_weight, reset=False)
    first = int(model.fit_intercept)
    w = np.concatenate([model.intercept_, model.coef_[0]]) if first else model.coef_[0]
    names = ["intercept", *column_names(model)] if first else column_names(model)
    rows = tuple(
        Coefficient(name, aliased=True)
        if np.isnan(model.standard_errors_[j])
        else _row(Profile(problem, j, w, float(model.standard_errors_[j])), name, level, is_slope=j >= first)
        for j, name in enumerate(names)
    )
    odds_of = f"{model.classes_[1]} against {model.classes_[0]}"
    notes = [f"Log-odds of {odds_of}.", HOW]
    if any(row.low is None or row.high is None for row in rows if not row.aliased):
        notes.append(NOT_REACHED)
    statistics = {"n": float(problem.target.total), "penalised_log_likelihood": model.log_likelihood_}
    statistics["certificate"] = str(model.certificate_)
    tables = (Table(odds_of, rows, statistics),)
    return Summary(type(model).__name__, tables, "Fisher", "frequency", level, tuple(notes), "profile")


def _row(profile, name, level, *, is_slope):
    limit = float(chi2.ppf(level, 1))
    row = Coefficient(
        name,
        estimate=profile.estimate,
        error=profile.error,
        p=float(chi2.sf(max(profile.fall(0.0, seed=0), 0.0), 1)),
        low=profile.end(-1.0, limit),
        high=profile.end(1.0, limit),
    )
    if not is_slope:
        return row
    odds = {"odds_ratio": row.estimate, "odds_low": row.low, "odds_high": row.high}
    return replace(row, **{name: odds_factor(value) for name, value in odds.items()})
