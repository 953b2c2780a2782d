r"""Least squares read as statistics: degrees of freedom, tests, intervals, R², likelihood.

With N observations, k = rank + intercept coefficients and residual sum of squares RSS,

    sigma² = RSS / (N - k)          R² = 1 - RSS/TSS          adjusted R² = 1 - (1 - R²) (N - intercept) / (N - k)
    log L  = -N/2 [log(2π RSS/N) + 1] (+ ½ Σ log s for precision weights)
    AIC    = -2 log L + 2 (k + 1)   BIC = -2 log L + (k + 1) log N      (the variance is a parameter too, as in R)

TSS is about the mean if there is an intercept, else about 0. N is Σs where weights are repetitions, else the number
of rows of positive weight.

References: Seber and Lee (2003), Linear Regression Analysis, chapters 3 and 4.
"""

from dataclasses import dataclass, replace
from math import inf, log, pi

import numpy as np

from separatrix.core.description import column_names
from separatrix.inference.clusters import cluster_sandwich
from separatrix.inference.covariance import EPS, classical, sandwich
from separatrix.inference.recorded import recorded_spread
from separatrix.inference.table import Coefficient, Table

NO_DF = "No residual degrees of freedom: standard errors are not defined."
EXACT = (
    "The fit is essentially perfect (its residuals are zero, or rounding of y): standard errors are zero, t and F "
    "infinite, and estimates that are zero to rounding are not tested."
)
UNTRUSTED = (
    "Estimates marked ? have no digit that rounding to float64 could not change: they are zero to rounding, and are "
    "not tested where their standard error is below it."
)
DIGITS = "Digits are those that rounding to float64 cannot change."
RECORDED = (
    "Rounding of the data as recorded moves an estimate by 'recorded ±' (two standard deviations, to first order), if "
    "every number may be off by half a unit of its column's last decimal place; codes of two values and columns that "
    "count rows are taken as exact."
)
WEIGHTS = {
    "frequency": "Weights are read as repetitions: {total} observations in {n} rows. weights='precision' reads them as "
    "inverse variances up to a factor, as R's lm does.",
    "precision": "Weights are read as inverse variances up to a factor, as R's lm does: {n} observations.",
    "sampling": "Weights are read as the number of rows that each of the {n} rows stands for.",
}
SHRUNKEN = (
    "The estimates are shrunken. Their standard errors describe the spread around the shrunken mean, not around the "
    "true coefficients: t tests and confidence intervals would not hold and are not given."
)


@dataclass(frozen=True)
class Data:
    """The data of the fit, checked to be so: design, weights, residuals (n, k), y (n, k)."""

    design: object
    s: np.ndarray | None
    residuals: np.ndarray
    y: np.ndarray


class Fit:
    """Statistics read under a meaning of the weights: observations, degrees of freedom, variances, covariances."""

    def __init__(self, evidence, covariance, weights, level, data, cluster=None):
        self.evidence, self.covariance, self.weights, self.level, self.data = evidence, covariance, weights, level, data
        self.cluster = cluster
        self.n = evidence.total if weights == "frequency" else float(evidence.n)
        self.k = evidence.edf if evidence.penalised else evidence.rank + int(evidence.intercept)
        # rounding of an effective number of degrees of freedom must not leave 1e-15 of them
        self.df = self.n - self.k if self.n - self.k > 1e-9 * self.n else 0.0
        # residuals below the last digit of y are rounding of y, not noise
        self.exact = evidence.rss <= EPS**2 * evidence.tss
        self.rss = np.where(self.exact, 0.0, evidence.rss)
        self.sigma2 = None
        if self.df > 0.0:
            per_row = evidence.n / evidence.total if weights == "sampling" else 1.0
            self.sigma2 = self.rss * per_row / self.df
        self.undetermined = _spread_over_aliased(evidence)
        self.covariances = self._covariances()
        self.recorded = None
        plain = data is not None and data.s is None and not evidence.penalised and not data.design.is_streamed
        if plain and evidence.unscaled is not None and not self.undetermined:
            self.recorded = recorded_spread(evidence, data.design, data.y)

    def _covariances(self):
        """(k, q, q), or None where standard errors are not defined."""
        evidence, data = self.evidence, self.data
        if self.sigma2 is None or evidence.unscaled is None or self.undetermined:
            return None
        if self.covariance == "classical":
            return classical(evidence, self.sigma2)
        if self.exact.all():
            return classical(evidence, np.zeros_like(self.rss))
        residuals = np.where(self.exact, 0.0, data.residuals)
        if self.cluster is not None:
            factor = (self.n - 1.0) / self.df if self.covariance == "HC1" else 1.0
            pulls = (residuals.T * (1.0 if data.s is None else data.s)).copy()
            args = evidence.unscaled, evidence.intercept, data.design, data.s
            return np.stack([cluster_sandwich(*args, pull, self.cluster, factor=factor) for pull in pulls])
        repetitions = self.weights == "frequency"
        return sandwich(evidence, data.design, residuals, data.s, self.covariance, repetitions=repetitions)

    def log_weights(self):
        """Σ log s under precision weights; 0 under frequencies; None where not known."""
        if self.weights == "frequency":
            return 0.0
        if self.weights == "sampling" or self.data is None:
            return None
        s = self.data.s
        return 0.0 if s is None else float(np.log(s[s > 0.0]).sum())


def _spread_over_aliased(evidence):
    """Whether the coefficients are those of a minimum-norm solution, to which the stored covariance does not belong."""
    rows = np.asarray(evidence.aliased, dtype=int) + int(evidence.intercept)
    return bool(np.nan_to_num(evidence.coefficients[rows]).any())


def coefficient_table(model, fit, o):
    evidence = fit.evidence
    error = None
    if fit.covariances is not None:
        error = np.sqrt(np.diag(fit.covariances[o]))
    rows = []
    for j, name in enumerate(coefficient_names(model, evidence.intercept)):
        if j - int(evidence.intercept) in evidence.aliased:
            rows.append(Coefficient(name, aliased=True))
            continue
        estimate = float(evidence.coefficients[j, o])
        row = Coefficient(name, estimate, digits=float(evidence.digits[j, o]))
        if fit.recorded is not None and fit.recorded.any():
            row = replace(row, recorded=float(fit.recorded[j, o]))
        known = error is not None and (error[j] > 0.0 or fit.cluster is None or bool(fit.exact[o]))
        if known:
            row = replace(row, error=float(error[j]))
            row = row if evidence.penalised else _tested(row, fit.df, fit.level)
        rows.append(row)
    statistics = _statistics(fit, o)
    statistics["certificate"] = certificate_line(model, o)
    return Table(f"y{o}", tuple(rows), statistics)


def _tested(row, df, level):
    """A coefficient with its t test and confidence interval."""
    from scipy.special import stdtr, stdtrit

    reach = float(stdtrit(df, 0.5 + 0.5 * level)) * row.error
    low, high = row.estimate - reach, row.estimate + reach
    if row.error > 0.0:
        t = row.estimate / row.error
    elif row.estimate != 0.0:
        t = inf if row.estimate > 0.0 else -inf
    else:
        return replace(row, low=low, high=high)  # zero without error: 0/0
    if row.digits < 1.0 and abs(t) > 1.0:
        return row  # rounding may have made the estimate, and is larger than its standard error
    return replace(row, t=t, p=float(2.0 * stdtr(df, -abs(t))), low=low, high=high)


def _statistics(fit, o):
    """The header of a table; what is not defined is None."""
    evidence = fit.evidence
    rss, tss = float(fit.rss[o]), float(evidence.tss[o])
    statistics = dict.fromkeys(
        ("r_squared", "adjusted_r_squared", "f", "f_df", "f_p", "sigma", "log_likelihood", "aic", "bic")
    )
    edf = float(evidence.edf) if evidence.penalised else None  # else the rank says it
    statistics = {"n": fit.n, "rank": evidence.rank, "edf": edf, "residual_df": fit.df, **statistics}
    statistics["condition"] = float(evidence.condition)
    if tss > 0.0:
        statistics["r_squared"] = 1.0 - rss / tss
    if fit.sigma2 is not None:
        statistics["sigma"] = float(np.sqrt(fit.sigma2[o]))
    if evidence.penalised:
        return statistics
    if tss > 0.0 and fit.df > 0.0:
        statistics["adjusted_r_squared"] = 1.0 - (rss / tss) * (fit.n - int(evidence.intercept)) / fit.df
        statistics.update(_f_test(fit, o, rss, tss))
    log_weights = fit.log_weights()
    if rss > 0.0 and log_weights is not None:
        log_likelihood = -0.5 * fit.n * (log(2.0 * pi * rss / fit.n) + 1.0) + 0.5 * log_weights
        statistics["log_likelihood"] = log_likelihood
        statistics["aic"] = -2.0 * log_likelihood + 2.0 * (fit.k + 1.0)
        statistics["bic"] = -2.0 * log_likelihood + (fit.k + 1.0) * log(fit.n)
    return statistics


def _f_test(fit, o, rss, tss):
    """The test that all slopes are zero: by sums of squares, or by the robust covariance (Wald)."""
    from scipy.special import fdtrc

    evidence = fit.evidence
    if evidence.rank == 0:
        return {}
    if rss == 0.0:
        f = inf
    elif fit.covariance == "classical":
        f = (tss - rss) / evidence.rank / (rss / fit.df)
    elif fit.covariances is None:
        return {}
    else:
        first = int(evidence.intercept)
        V, beta = fit.covariances[o][first:, first:], evidence.coefficients[first:, o]
        kept = ~np.isnan(np.diag(V))
        V, beta = V[np.ix_(kept, kept)], beta[kept]
        size = np.sqrt(np.diag(V))
        if not size.all():
            return {}
        correlation = V / np.multiply.outer(size, size)
        if np.linalg.cond(correlation) > 1.0 / (EPS * len(beta)):
            return {}
        f = float(beta / size @ np.linalg.solve(correlation, beta / size)) / evidence.rank
    return {"f": f, "f_df": (float(evidence.rank), fit.df), "f_p": float(fdtrc(evidence.rank, fit.df, f))}


def reading_notes(fit, tables, outputs):
    evidence, notes = fit.evidence, []
    if evidence.penalised and fit.covariances is not None:
        notes.append(SHRUNKEN)
    if fit.sigma2 is None:
        notes.append(NO_DF)
        if fit.weights == "frequency" and evidence.n > fit.k:
            notes.append(
                f"Read as repetitions, the weights count {evidence.total:g} rows; weights='precision' or 'sampling' "
                f"counts the {evidence.n} rows there are."
            )
    elif evidence.unscaled is None:
        wide = evidence.p + int(evidence.intercept) > evidence.n
        notes.append(
            f"{'There are more coefficients than rows' if wide else 'The covariance matrix was not formed'}: "
            "standard errors are not defined."
        )
    elif fit.exact[outputs].any() and not evidence.penalised:
        notes.append(EXACT)
    if len(evidence.aliased):
        notes.append(_aliased_note(tables[0], fit))
    tested = fit.covariances is not None and not evidence.penalised and evidence.rank > 0
    if tested and any(table.statistics["f"] is None and table.statistics["r_squared"] is not None for table in tables):
        notes.append("The robust covariance is singular to working precision: no F test is given.")
    if fit.weights == "precision" and fit.data is None:
        notes.append("The likelihood needs the weights: summary(X, y, sample_weight=s, weights='precision').")
    if fit.weights == "sampling":
        notes.append("Sampling weights define no likelihood: AIC and BIC are not given.")
    if any(row.digits is not None and row.digits < 1.0 for table in tables for row in table.rows):
        notes.append(UNTRUSTED)
    if evidence.total != evidence.n or (fit.data is not None and fit.data.s is not None):
        notes.append(WEIGHTS[fit.weights].format(total=f"{evidence.total:g}", n=evidence.n))
    if not evidence.penalised:
        recorded = any(row.recorded for table in tables for row in table.rows)
        notes.append(f"{DIGITS} {RECORDED}" if recorded else DIGITS)
    return tuple(notes)


def _aliased_note(table, fit):
    names = [row.name for row in table.rows if row.aliased]
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    note = f"Aliased, that is, a linear combination of other columns: {shown}. "
    if fit.undetermined:
        return note + "The fit spread the effect over all of them: no standard errors belong to single coefficients."
    return note + "The table is of the model without; coef_ holds the shortest solution with the same predictions."


def coefficient_names(model, intercept):
    """Names of the coefficients, that of the intercept first where there is one."""
    names = column_names(model)
    return ["intercept", *names] if intercept else names


def certificate_line(model, o):
    """Verdict and words of the certificate of an output."""
    certificate = vars(model).get("certificate_")
    if isinstance(certificate, list | tuple):
        certificate = certificate[o]
    return None if certificate is None else str(certificate)
