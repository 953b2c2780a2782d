r"""Generalised linear models read as statistics: dispersion, standard errors, tests, intervals, deviance, AIC.

With the inverse of the expected information V, N observations, k estimated coefficients and the deviance D,

    φ = 1 (Poisson, binomial), else Σ s (y - μ)² / V(μ) / (N - k)          standard errors  sqrt(φ V_jj)
    beta_j / error: normal where φ is known, else t of N - k               AIC = -2 log L + 2 (k + 1 if φ is estimated)
    all slopes 0:  D0 - D ~ χ²,  or  (D0 - D) / (rank φ) ~ F               BIC likewise, with log N

as R's glm has it. N is Σs where weights are repetitions, else the number of rows of positive weight.

References: McCullagh and Nelder (1989), Generalized Linear Models, chapters 2 and 9.
"""

from dataclasses import replace
from math import inf, log

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, ndtri, stdtr, stdtrit

from separatrix.core.declaration import evidence_of
from separatrix.core.errors import cannot
from separatrix.core.statistics import GeneralizedLinearStatistics
from separatrix.inference.clusters import few_clusters, without_spread, words_of_covariance
from separatrix.inference.fitted_likelihood import likelihood_of, robust_covariance
from separatrix.inference.least_squares import certificate_line, coefficient_names
from separatrix.inference.profile import profile_intervals
from separatrix.inference.reading import Reading
from separatrix.inference.table import Coefficient, Summary, Table, odds_factor

SHRUNKEN = "No standard errors: the fit is penalised. alpha=0 is maximum likelihood, with standard errors and tests."
FACTORS = {
    "log": "Log link: one unit more of a column multiplies the mean by exp(estimate).",
    "logit": "Log-odds of y = 1.",
    "probit": "Probit link: estimates are changes of the normal quantile of the mean.",
    "cloglog": "Complementary log-log link: one unit more multiplies -log(1 - mean) by exp(estimate).",
    "cauchit": "Cauchit link: estimates are changes of the Cauchy quantile of the mean.",
    "sqrt": "Estimates are changes of the square root of the mean.",
    "inverse": "Inverse link: estimates are changes of 1 / mean; a positive one makes the mean smaller.",
    "1/mu^2": "Link 1/mu^2: estimates are changes of 1 / mean²; a positive one makes the mean smaller.",
}
REPEATED = (
    "Weights are read as repetitions: {total:g} observations. weights='precision' counts the {n} rows, as R's glm does."
)


def summarise(model, data, known, *, covariance, cluster, level, weights, intervals):
    """The summary of a generalised linear model; the parameters are those of :func:`separatrix.inference.summary`."""
    evidence = evidence_of(model)
    given = data[0] is not None
    _check(model, evidence, covariance, weights, intervals, given)
    names = coefficient_names(model, bool(model.fit_intercept))
    if not isinstance(evidence, GeneralizedLinearStatistics):
        values = [*([float(model.intercept_)] if model.fit_intercept else []), *map(float, model.coef_)]
        statistics = {"nonzero": int(np.count_nonzero(model.coef_)), "p": len(model.coef_)}
        statistics["certificate"] = certificate_line(model, 0)
        table = Table("y0", tuple(map(Coefficient, names, values)), statistics)
        return Summary(type(model).__name__, (table,), None, None, level, (SHRUNKEN,))
    fit = likelihood_of(model, *data, **known) if given else None
    reading = Reading(evidence, weights)
    V = reading.covariance
    if covariance != "classical" and V is not None:
        V = robust_covariance(fit, covariance, reading.n, cluster=cluster, repetitions=weights == "frequency")
    ends = profile_intervals(fit, level, dispersion=reading.dispersion) if intervals == "profile" else None
    known = None if V is None else (np.diag(V) > 0.0) | (cluster is None)
    rows = tuple(_row(model, reading, name, j, V, known, level, ends) for j, name in enumerate(names))
    table = Table("y0", rows, _statistics(reading, covariance, certificate_line(model, 0)))
    kind = words_of_covariance(covariance, cluster) if V is not None else None
    notes = _notes(model, reading, rows, V) + few_clusters(cluster)
    notes += without_spread(cluster, rows) if V is not None else ()
    intervals = intervals if reading.covariance is not None else None
    return Summary(type(model).__name__, (table,), kind, weights, level, notes, intervals)


def _check(model, evidence, covariance, weights, intervals, given):
    """Raise where an option is asked for that this fit cannot have, or not without its data."""
    because = instead = None
    if covariance not in ("classical", "HC0", "HC1"):
        because, instead = "a likelihood has the inverse information and one sandwich", "'classical', 'HC0' or 'HC1'"
    elif weights == "sampling" and covariance == "classical":
        because, instead = "rows that stand for many were not seen many times", "covariance='HC0', with the data"
    elif evidence is None and (given or covariance != "classical" or weights != "frequency" or intervals != "wald"):
        because, instead = "a penalised fit has no standard errors", "summary(), or alpha=0"
    elif covariance != "classical" and not given:
        because, instead = "the sandwich needs each row", f"summary(X, y, covariance={covariance!r})"
    elif intervals == "profile" and not given:
        because, instead = "a profile needs each row", "summary(X, y, intervals='profile')"
    elif intervals == "profile" and covariance != "classical":
        because, instead = "a profile is of the likelihood, not of a sandwich", "intervals='wald'"
    elif intervals == "profile" and Reading(evidence, weights).covariance is None:
        because = "a profile needs a maximum that exists, and residual degrees of freedom to estimate a dispersion"
        instead = "intervals='wald'"
    if because:
        raise cannot(
            f"summarise {type(model).__name__} with covariance={covariance!r}, weights={weights!r}, "
            f"intervals={intervals!r}" + (" and data" if given else ""),
            because=because,
            instead=instead,
        )


def _row(model, reading, name, j, V, known, level, ends):
    evidence = reading.evidence
    if j - int(evidence.intercept) in evidence.aliased:
        return Coefficient(name, aliased=True)
    row = Coefficient(name, float(evidence.coefficients[j, 0]))
    separation = vars(model).get("separation_")
    if separation is not None and name in separation.infinite:
        if separation.verdict == "complete":  # many directions separate: a coefficient may run either way
            return replace(row, estimate=None)
        way = float(separation.direction[separation.names.index(name)]) or row.estimate
        return replace(row, estimate=inf if way > 0.0 else -inf)
    if V is None or not known[j]:
        return row
    error = float(np.sqrt(V[j, j]))
    df = reading.df
    reach = error * float(stdtrit(df, 0.5 + 0.5 * level) if reading.estimated else ndtri(0.5 + 0.5 * level))
    low, high = (row.estimate - reach, row.estimate + reach) if ends is None else map(float, ends[j])
    row = replace(row, error=error, low=low, high=high)
    if error > 0.0:
        ratio = row.estimate / error
        p = float(2.0 * (stdtr(df, -abs(ratio)) if reading.estimated else ndtr(-abs(ratio))))
        row = replace(row, p=p, t=ratio) if reading.estimated else replace(row, p=p, z=ratio)
    if evidence.link == "logit" and j >= int(evidence.intercept):
        odds = [odds_factor(value) for value in (row.estimate, row.low, row.high)]
        row = replace(row, odds_ratio=odds[0], odds_low=odds[1], odds_high=odds[2])
    return row


def _statistics(reading, covariance, certificate):
    """The numbers below a table; what is not defined is None."""
    evidence = reading.evidence
    numbers = {"n": reading.n, "residual_df": reading.df, "rank": evidence.rank, "edf": None}
    numbers |= {"dispersion": reading.dispersion, "null_deviance": reading.null_deviance, "deviance": reading.deviance}
    numbers |= dict.fromkeys(("log_likelihood", "aic", "bic", "lr", "lr_df", "lr_p", "f", "f_df", "f_p"))
    numbers["condition"] = None if np.isnan(evidence.condition) else float(evidence.condition)
    numbers["certificate"] = certificate
    log_likelihood = reading.log_likelihood
    if not np.isnan(log_likelihood) and reading.weights != "sampling":
        numbers["log_likelihood"] = log_likelihood
        numbers["aic"] = -2.0 * log_likelihood + 2.0 * reading.parameters
        numbers["bic"] = -2.0 * log_likelihood + reading.parameters * log(reading.n)
    if covariance != "classical" or evidence.rank == 0 or reading.dispersion is None:
        return numbers
    gain, rank = max(reading.null_deviance - reading.deviance, 0.0), float(evidence.rank)
    if not reading.estimated:
        numbers.update(lr=gain, lr_df=(rank,), lr_p=float(chdtrc(rank, gain)))
    elif reading.dispersion > 0.0:
        f = gain / rank / reading.dispersion
        numbers.update(f=f, f_df=(rank, reading.df), f_p=float(fdtrc(rank, reading.df, f)))
    return numbers


def _notes(model, reading, rows, V):
    evidence = reading.evidence
    notes = [f"Family {evidence.family}. {FACTORS.get(evidence.link, '')}".strip()]
    separation = vars(model).get("separation_")
    if separation is not None:
        infinite, finite = separation.infinite, len(separation.infinite) < len(rows)
        rest = " The others are estimated by the rows that the separating direction leaves in place." if finite else ""
        notes.append(
            f"The likelihood has no maximum ({separation.verdict} separation). Without a finite estimate: "
            f"{', '.join(infinite[:8])}{', …' if len(infinite) > 8 else ''}.{rest} alpha > 0 makes all finite."
        )
    if V is None:
        reason = "no residual degrees of freedom" if reading.dispersion is None else "the information is singular"
        notes.append(f"Standard errors are not defined: {reason}.")
    if reading.estimated and reading.dispersion is not None:
        notes.append("The dispersion is estimated by Pearson's chi-squared: tests are by t and F.")
    elif evidence.observations > 0.0 and reading.df > 0.0 and evidence.family == "poisson":
        ratio = evidence.pearson / reading.df
        if ratio > 1.5:
            notes.append(
                f"Pearson's chi-squared is {ratio:.3g} per degree of freedom, where 1 is expected: standard errors are "
                f"too small by a factor of about {np.sqrt(ratio):.2g}. family='quasipoisson' or covariance='HC0' "
                "allows for it."
            )
    aliased = [row.name for row in rows if row.aliased]
    if aliased:
        shown = ", ".join(aliased[:8]) + (", …" if len(aliased) > 8 else "")
        notes.append(
            f"Aliased, that is, a linear combination of other columns: {shown}. The table is of the model without."
        )
    if reading.weights == "frequency" and abs(evidence.observations - evidence.n) > 1e-9 * evidence.n:
        notes.append(REPEATED.format(total=evidence.observations, n=evidence.n))
    if np.isnan(evidence.density):
        notes.append("No AIC: the family has no likelihood here, or counts are not whole numbers.")
    return tuple(notes)
