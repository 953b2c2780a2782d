r"""Logistic regression read as statistics: standard errors, tests, intervals, odds ratios, deviance.

With the inverse information V, N rows, k estimated coefficients and log-likelihoods l (fit), l0 (null), ls (saturated),

    z_j = beta_j / sqrt(V_jj)              Wald interval  beta_j ± z_{1-a/2} sqrt(V_jj)         odds ratio  exp(beta_j)
    deviance = 2 (ls - l)                  null deviance = 2 (ls - l0)                          LR = 2 (l - l0)
    AIC = -2 l + 2 k                       BIC = -2 l + k log N                                 McFadden R² = 1 - l/l0

N is Σs where weights are repetitions, else the number of rows of positive weight.

References: McCullagh and Nelder (1989), Generalized Linear Models, chapters 4 and 5; Agresti (2013), Categorical Data
Analysis, chapters 5 and 8.
"""

from dataclasses import replace
from math import log

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri

from separatrix.core.declaration import evidence_of
from separatrix.core.errors import cannot
from separatrix.core.statistics import LikelihoodStatistics
from separatrix.inference.clusters import few_clusters, without_spread, words_of_covariance
from separatrix.inference.fitted_likelihood import is_free, is_logistic, likelihood_of, robust_covariance
from separatrix.inference.least_squares import certificate_line, coefficient_names
from separatrix.inference.separated import infinite_coefficients, proof_of, separation_note
from separatrix.inference.table import Coefficient, Summary, Table, odds_factor

SHRUNKEN = (
    "The estimates are shrunken. Their standard errors describe the spread around the shrunken mean, not around the "
    "true coefficients: z tests, confidence intervals, AIC and likelihood-ratio tests would not hold and are not given."
)
WEIGHTS = {
    "frequency": "Weights are read as repetitions: {total} observations in {n} rows. weights='sampling' reads them as "
    "the number of rows that each stands for.",
    "sampling": "Weights are read as the number of rows that each of the {n} rows stands for.",
}
SELECTED = (
    "No standard errors: they are not valid after an L1 penalty has selected coefficients, nor given for more than two "
    "classes with a coefficient at its bound."
)
HELD = (
    "At its bound: {}. The estimate is not normal there and has no standard error; those of the others are of the "
    "model in which it is fixed. AIC and likelihood-ratio tests would not hold and are not given."
)
DESCRIBED = "The model keeps no evidence of its fit: summary(X, y) gives standard errors and tests."
DESCRIBED_PENALISED = (
    "A penalised or bounded fit: summary(X, y) gives its deviance, effective degrees of freedom and, where they are "
    "defined, standard errors."
)
NO_LIKELIHOOD = (
    "No standard errors: the fit maximises no likelihood of classes given x. LogisticRegression(C=np.inf) does."
)
PSEUDO = (
    "Class weights change the likelihood: standard errors, deviance and AIC are those of the weighted data as if they "
    "had been seen. covariance='HC0' is valid for the weighted estimate."
)


def summarise(model, X, y, sample_weight, *, covariance, cluster, level, weights, intervals, reference):
    """The summary of a logistic fit; the parameters are those of :func:`separatrix.inference.summary`."""
    _check(model, covariance, weights, intervals, X)
    fit, evidence = None, evidence_of(model)
    if X is not None:
        fit = likelihood_of(model, X, y, sample_weight)
        evidence = fit.evidence
    if not isinstance(evidence, LikelihoodStatistics):
        return _describe(model, level)
    if evidence.penalised and (covariance != "classical" or intervals != "wald" or weights != "frequency"):
        raise cannot(
            f"summarise a penalised fit with covariance={covariance!r}, intervals={intervals!r}, weights={weights!r}",
            because="its estimates are shrunken, and no test or interval holds",
            instead="the defaults, or C=np.inf",
        )
    V = evidence.covariance
    if covariance != "classical" and V is not None:
        n = evidence.total if weights == "frequency" else float(evidence.n)
        V = robust_covariance(fit, covariance, n, cluster=cluster, repetitions=weights == "frequency")
    place = _reference(evidence, reference)
    coefficients, V = _against(place, evidence.coefficients, V)
    ends = None
    if intervals == "profile":
        if fit.bounded:
            raise cannot(
                "give profile-likelihood intervals of a fit with bounds",
                because="a profile is maximised over the other coefficients as if they had none",
                instead="intervals='wald', or bounds=None",
            )
        from separatrix.inference.profile import profile_intervals

        ends = profile_intervals(fit, level)
        ends = ends if place == 0 else -ends[:, ::-1]
    labels = evidence.classes or tuple(range(coefficients.shape[1] + 1))
    others = [c for c in range(coefficients.shape[1] + 1) if c != place]
    statistics = _statistics(evidence, weights, covariance, certificate_line(model, 0))
    names, q = coefficient_names(model, evidence.intercept), len(coefficients)
    proof = proof_of(model, fit, evidence)
    infinite = infinite_coefficients(proof, evidence, place)
    tables = []
    for k, c in enumerate(others):
        errors = None if V is None else np.sqrt(np.diag(V)[k * q : (k + 1) * q])
        rows = _rows(
            names, coefficients[:, k], errors, evidence, level, ends, None if infinite is None else infinite[:, k]
        )
        tables.append(Table(f"{labels[c]} against {labels[place]}", rows, statistics))
    return Summary(
        type(model).__name__,
        tuple(tables),
        words_of_covariance(covariance, cluster) if V is not None else None,
        weights,
        level,
        _notes(model, evidence, tables, weights, V, separation_note(proof, evidence, tables))
        + (without_spread(cluster, tables[0].rows) if V is not None and not evidence.held else ())
        + few_clusters(cluster),
        intervals,
    )


def _check(model, covariance, weights, intervals, X):
    """Raise where an option is asked for that a logistic fit cannot have, or not without its data."""
    choices = {
        "covariance": (covariance, ("classical", "HC0", "HC1"), "a likelihood has one sandwich, of its scores"),
        "weights": (weights, ("frequency", "sampling"), "the variance of a class is fixed by its probability"),
        "intervals": (intervals, ("wald", "profile"), "there are two kinds of intervals"),
    }
    for name, (given, legal, because) in choices.items():
        if given not in legal:
            raise cannot(
                f"summarise {type(model).__name__} with {name}={given!r}",
                because=because,
                instead=" or ".join(f"{name}={word!r}" for word in legal),
            )
    if X is None and (covariance != "classical" or intervals == "profile"):
        asked = f"covariance={covariance!r}" if covariance != "classical" else "intervals='profile'"
        raise cannot(
            f"summarise the model alone with {asked}",
            because="that needs each row, and a model does not keep its data",
            instead=f"summary(X, y, {asked})",
        )
    if intervals == "profile" and len(model.classes_) > 2:
        raise cannot(
            f"give profile-likelihood intervals for {len(model.classes_)} classes",
            because="profiles are taken of two classes",
            instead="intervals='wald'",
        )
    if weights == "sampling" and (covariance == "classical" or intervals == "profile"):
        raise cannot(
            "give standard errors of the likelihood, or its profile, for sampling weights",
            because="rows that stand for many were not seen many times",
            instead="summary(X, y, sample_weight=s, weights='sampling', covariance='HC0')",
        )


def _describe(model, level):
    """Estimates and certificate of a fit of which nothing else is known."""
    coef = np.atleast_2d(model.coef_)
    with_intercept = bool(model.get_params(deep=False).get("fit_intercept", True))
    names = coefficient_names(model, with_intercept)
    labels, tables = model.classes_.tolist(), []
    for c, slopes in enumerate(coef):
        values = [*([float(model.intercept_[c])] if with_intercept else []), *map(float, slopes)]
        statistics = {"nonzero": int(np.count_nonzero(slopes)), "p": coef.shape[1]}
        statistics["certificate"] = certificate_line(model, 0)
        label = f"{labels[1]} against {labels[0]}" if len(coef) == 1 else str(labels[c])
        tables.append(Table(label, tuple(map(Coefficient, names, values)), statistics))
    note = NO_LIKELIHOOD
    if is_logistic(model):
        note = DESCRIBED if is_free(model) else DESCRIBED_PENALISED
    return Summary(
        type(model).__name__, tuple(tables), None, None, level, tuple(filter(None, (_direction(tables), note)))
    )


def _reference(evidence, reference):
    """The place of the reference class."""
    if reference is None:
        return 0
    labels = evidence.classes or tuple(range(evidence.coefficients.shape[1] + 1))
    if reference not in labels:
        raise cannot(
            f"summarise against reference={reference!r}",
            because="it is not a class of the fit",
            instead=f"one of {', '.join(map(repr, labels))}",
        )
    return labels.index(reference)


def _against(place, coefficients, V):
    """Coefficients (q, k) and covariance against another reference class: differences, nothing is fitted again."""
    q, k = coefficients.shape
    L = np.eye(k + 1)[[c for c in range(k + 1) if c != place]]
    L = (L - np.eye(k + 1)[place])[:, 1:]  # those of the first class are 0
    if V is not None:
        V = np.einsum("ac,cjdl,bd->ajbl", L, V.reshape(k, q, k, q), L).reshape(k * q, k * q)
    return coefficients @ L.T, V


def _rows(names, estimates, errors, evidence, level, ends, infinite):
    """The rows of a table; `infinite` says which estimates are, or is None where no estimate is known to exist."""
    first, rows = int(evidence.intercept), []
    for j, name in enumerate(names):
        if j - first in evidence.aliased:
            row = Coefficient(name, aliased=True)
        elif infinite is None:
            row = Coefficient(name)
        elif infinite[j]:
            row = _infinite(name, float(estimates[j]), None if ends is None else ends[j], j >= first)
        else:
            known = errors is not None and j - first not in evidence.held and errors[j] > 0.0
            error = float(errors[j]) if known else None
            row = Coefficient(name, float(estimates[j]), error)
            if not evidence.penalised:
                row = _tested(row, level, None if ends is None else ends[j], j >= first)
        rows.append(row)
    return tuple(rows)


def _tested(row, level, ends, is_slope):
    """A coefficient with its z test and interval, and a slope with its odds ratio."""
    if row.error is not None:
        z, reach = row.estimate / row.error, float(ndtri(0.5 + 0.5 * level)) * row.error
        low, high = (row.estimate - reach, row.estimate + reach) if ends is None else map(float, ends)
        row = replace(row, z=z, p=float(2.0 * ndtr(-abs(z))), low=low, high=high)
    if is_slope:
        row = replace(
            row, odds_ratio=odds_factor(row.estimate), odds_low=odds_factor(row.low), odds_high=odds_factor(row.high)
        )
    return row


def _infinite(name, estimate, ends, is_slope):
    """A coefficient without a finite estimate: its sign, and the ends of a profile interval where it was asked for."""
    row = Coefficient(name, float(np.copysign(np.inf, estimate)), infinite=True)
    if ends is None:
        return row
    row = replace(row, low=float(ends[0]), high=float(ends[1]))
    return replace(row, odds_low=odds_factor(row.low), odds_high=odds_factor(row.high)) if is_slope else row


def _statistics(evidence, weights, covariance, certificate):
    """The numbers below a table; what is not defined is None."""
    classes = evidence.coefficients.shape[1]
    n = evidence.total if weights == "frequency" else float(evidence.n)
    k = evidence.edf if evidence.penalised else classes * (evidence.rank + int(evidence.intercept))
    counted = not evidence.penalised and not evidence.held  # whether the parameters of the model can be counted
    numbers = dict.fromkeys(("pseudo_r_squared", "aic", "bic", "lr", "lr_df", "lr_p"))
    numbers = {"n": n, "residual_df": n * classes - k if counted else None, "rank": evidence.rank, **numbers}
    numbers["edf"] = float(evidence.edf) if evidence.penalised and not np.isnan(evidence.edf) else None
    numbers["log_likelihood"] = evidence.log_likelihood
    numbers["null_deviance"] = 2.0 * (evidence.saturated_log_likelihood - evidence.null_log_likelihood)
    numbers["deviance"] = 2.0 * (evidence.saturated_log_likelihood - evidence.log_likelihood)
    numbers["condition"] = None if np.isnan(evidence.condition) else float(evidence.condition)
    numbers["certificate"] = certificate
    if not counted:
        return numbers
    if weights == "sampling":
        return {**numbers, "log_likelihood": None, "null_deviance": None, "deviance": None}
    numbers["aic"] = -2.0 * evidence.log_likelihood + 2.0 * k
    numbers["bic"] = -2.0 * evidence.log_likelihood + k * log(n)
    if evidence.null_log_likelihood < 0.0:
        numbers["pseudo_r_squared"] = 1.0 - evidence.log_likelihood / evidence.null_log_likelihood
    if covariance == "classical" and evidence.rank > 0:
        lr = max(2.0 * (evidence.log_likelihood - evidence.null_log_likelihood), 0.0)
        df = classes * evidence.rank
        numbers.update(lr=lr, lr_df=(float(df),), lr_p=float(chdtrc(df, lr)))
    return numbers


def _notes(model, evidence, tables, weights, V, separated):
    notes = [_direction(tables)]
    if evidence.held:
        names = ", ".join(coefficient_names(model, False)[j] for j in evidence.held)
        notes.append(HELD.format(names))
    if V is not None and evidence.penalised:
        notes.append(SHRUNKEN)
    elif evidence.penalised or (evidence.held and V is None):
        notes.append(SELECTED)
    elif V is None:
        notes.append("The information matrix is singular to working precision: standard errors are not defined.")
    if separated:
        notes.append(separated)
    if len(evidence.aliased):
        names = [row.name for row in tables[0].rows if row.aliased]
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        notes.append(
            f"Aliased, that is, a linear combination of other columns: {shown}. The table is of the model without."
        )
    if evidence.total != evidence.n and model.class_weight is None and not evidence.penalised:
        notes.append(WEIGHTS[weights].format(total=f"{evidence.total:g}", n=evidence.n))
    if model.class_weight is not None:
        notes.append(PSEUDO)
    if weights == "sampling":
        notes.append("Sampling weights define no likelihood: deviance, AIC and BIC are not given.")
    return tuple(filter(None, notes))


def _direction(tables):
    """Which odds the coefficients of a single table are of."""
    return f"Log-odds of {tables[0].output}." if len(tables) == 1 else None
