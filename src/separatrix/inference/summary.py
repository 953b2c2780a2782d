"""The summary of a linear fit: what it estimates, how surely, and to how many digits."""

from dataclasses import replace

import numpy as np

from separatrix.core.declaration import GENERALIZED, declaration, evidence_of
from separatrix.core.errors import cannot
from separatrix.estimators.validation import enter
from separatrix.inference.clusters import few_clusters, without_spread, words_of_covariance
from separatrix.inference.covariance import EPS
from separatrix.inference.fitted_likelihood import default_covariance, exposure_or_offset
from separatrix.inference.least_squares import (
    Data,
    Fit,
    certificate_line,
    coefficient_names,
    coefficient_table,
    reading_notes,
)
from separatrix.inference.margins import summarise_margins
from separatrix.inference.table import Coefficient, Summary, Table

COVARIANCES = ("classical", "HC0", "HC1", "HC2", "HC3")
DEFAULTS = ("classical", "frequency", "wald")
WEIGHTS = ("frequency", "precision", "sampling")

SELECTED = (
    "No standard errors: the classical formulas hold for plain least squares only; they are not valid after a penalty "
    "has selected or shrunk coefficients or bounds have held them, nor for another loss."
)


def summary(
    model,
    X=None,
    y=None,
    *,
    sample_weight=None,
    covariance=None,
    cluster=None,
    level=0.95,
    weights="frequency",
    output=None,
    intervals="wald",
    reference=None,
    exposure=None,
    offset=None,
):
    """Say what a fitted linear model estimates, how surely, and to how many digits.

    Parameters
    ----------
    model : fitted linear model.  With ``evidence_`` (LinearRegression, Ridge, LogisticRegression without a penalty)
        standard errors are given. A coefficient at its bound has none: its estimate is not normal there.
        A support vector machine, of any kernel, has its margin, counts of rows and objectives in their place.
    X, y, sample_weight, exposure, offset : the data of the fit, checked to be so.  Needed for robust standard errors,
        for profile intervals, for the likelihood under precision weights, and where the model kept no evidence. The
        last two are of generalised linear models.
    covariance : {"classical", "HC0", "HC1", "HC2", "HC3"} or None, default None.  All but the first allow each row a
        variance of its own; HC3 is the best choice in small samples. Tests use t and F with N - k degrees of freedom.
        A logistic fit has the inverse information ("classical") and the sandwich of its scores ("HC0", "HC1"), and
        tests use the normal distribution. So has a generalised linear model, with t and F where its dispersion is
        estimated. None is "classical"; with clusters "HC1" for least squares and "HC0" for a likelihood.
    cluster : (n,) array of labels or None, default None.  Rows of one label may depend on each other: standard errors
        are those of R's ``sandwich::vcovCL``, with the factor G/(G - 1) of G clusters and, for "HC1", (N - 1)/(N - k).
    level : float, (0, 1), default 0.95.  Of the confidence intervals.
    weights : {"frequency", "precision", "sampling"}, default "frequency".  What the weights of the fit mean:
        how often a row was seen; the inverse of its variance, up to a factor; how many rows it stands for in the
        population (which needs a robust covariance).
    output : int or None.  One output of a model with several; None gives a table for each.
    intervals : {"wald", "profile"}, default "wald".  Of a logistic fit or a generalised linear model: estimate ± z
        standard errors (t where the dispersion is estimated), or all values that a likelihood-ratio test would not
        reject, as R's ``confint``, which is the better choice in small samples.
    reference : label or None, default None.  The class that others are compared with; None takes the first.

    Returns
    -------
    Summary.

    >>> from separatrix.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0], [4.0]], [1.1, 1.9, 3.2, 3.8])
    >>> row = summary(model)["x0"]
    >>> round(row.estimate, 3), round(row.error, 3), round(row.p, 4)
    (0.94, 0.091, 0.0092)
    """
    if covariance is None:
        covariance = default_covariance(model, cluster)
    _check_options(covariance, cluster, level, weights)
    if declaration(model).has_margins:
        asked = (X, y, sample_weight, cluster, reference, exposure, offset)
        if any(one is not None for one in asked) or (covariance, weights, intervals) != DEFAULTS:
            raise cannot(
                f"summarise {type(model).__name__} with data or options of standard errors",
                because="a margin has no likelihood: its numbers are those of the fit",
                instead="summary(), or summary(output=0) for one of several machines",
            )
        return summarise_margins(model, output)
    if not declaration(model).is_linear:
        raise cannot(
            f"summarise {type(model).__name__}",
            because="it is not known to be a linear model: nothing is guessed from its attributes",
            instead="a linear model of separatrix or scikit-learn, or separatrix.inference.describe",
            kind=TypeError,
        )
    options = {"covariance": covariance, "cluster": cluster, "level": level, "weights": weights}
    options |= {"intervals": intervals, "reference": reference}
    known = exposure_or_offset(model, exposure, offset)
    if declaration(model).likelihood == GENERALIZED:
        return _summarise_means(model, (X, y, sample_weight), known, output, **options)
    if declaration(model).task == "classification":
        return _summarise_classes(model, (X, y, sample_weight), output, **options)
    _refuse_options_of_classes(model, intervals, reference)
    evidence = evidence_of(model)
    if evidence is None:
        _needs_plain_least_squares(model, covariance, weights)
        return _describe(model, X, y, sample_weight, output, level)
    if evidence.penalised:
        _needs_plain_least_squares(model, covariance, weights, ("frequency", "precision"))
    if weights == "sampling" and covariance == "classical":
        raise cannot(
            "give classical standard errors for sampling weights",
            because="weighting by the inverse of a probability makes variances unequal",
            instead="summary(X, y, sample_weight=s, weights='sampling', covariance='HC1')",
        )
    data = data_of_the_fit(model, evidence, X, y, sample_weight)
    if covariance != "classical" and data is None:
        raise cannot(
            f"give {covariance} standard errors from the model alone",
            because="they need the residual of each row, and a model does not keep its data",
            instead=f"summary(X, y, covariance={covariance!r})",
        )
    fit = Fit(evidence, covariance, weights, level, data, cluster)
    outputs = _outputs(evidence.coefficients.shape[1], output)
    tables = tuple(coefficient_table(model, fit, o) for o in outputs)
    return Summary(
        model=type(model).__name__,
        tables=tables,
        covariance=words_of_covariance(covariance, cluster) if fit.covariances is not None else None,
        weights=weights,
        level=level,
        notes=reading_notes(fit, tables, outputs) + _notes_on_clusters(fit, tables),
    )


def _notes_on_clusters(fit, tables):
    rows = tables[0].rows if fit.covariances is not None else ()
    return without_spread(fit.cluster, rows) + few_clusters(fit.cluster)


def _summarise_means(model, data, known, output, *, reference, **options):
    """The summary of a generalised linear model."""
    from separatrix.inference.generalized_linear import summarise

    asked = options["intervals"]
    _refuse_options_of_classes(model, "wald" if asked == "profile" else asked, reference)
    _outputs(1, output)
    given = _all_or_none(*data)
    if known and not given:
        raise cannot(
            f"summarise the fit with {next(iter(known))} alone",
            because="each row is needed whole",
            instead="summary(X, y, offset=...), or summary()",
        )
    return summarise(model, data, known, **options)


def _refuse_options_of_classes(model, intervals, reference):
    if intervals != "wald" or reference is not None:
        raise cannot(
            f"summarise {type(model).__name__} with intervals={intervals!r}, reference={reference!r}",
            because="these belong to logistic regression, intervals='profile' to generalised linear models too",
            instead="the defaults, intervals='wald' and reference=None",
        )


def _summarise_classes(model, data, output, **options):
    """The summary of a classifier: of logistic regression, statistics; of others, what they estimate."""
    from separatrix.inference.fitted_likelihood import is_logistic
    from separatrix.inference.logistic import summarise

    if _all_or_none(*data) and not is_logistic(model):
        raise cannot(
            f"summarise {type(model).__name__} with data",
            because="it has no likelihood",
            instead="summary() without data, or LogisticRegression",
        )
    summary = summarise(model, *data, **options)
    kept = tuple(summary.tables[o] for o in _outputs(len(summary.tables), output))
    return replace(summary, tables=kept)


def _describe(model, X, y, sample_weight, output, level):
    """The summary of a model that keeps no evidence: estimates, how many are not zero, and the certificate."""
    coef = np.atleast_2d(model.coef_)
    intercept = np.broadcast_to(np.atleast_1d(model.intercept_), coef.shape[:1])
    with_intercept = bool(model.get_params(deep=False).get("fit_intercept", True))
    names = coefficient_names(model, with_intercept)
    fits = [{}] * len(coef)
    if _all_or_none(X, y, sample_weight):
        fits = _goodness(*enter(model, X, y, sample_weight, reset=False), coef, intercept)
    tables = []
    for o in _outputs(len(coef), output):
        values = [float(intercept[o]), *map(float, coef[o])] if with_intercept else list(map(float, coef[o]))
        statistics = {"nonzero": int(np.count_nonzero(coef[o])), "p": coef.shape[1], **fits[o]}
        statistics["certificate"] = certificate_line(model, o)
        tables.append(Table(f"y{o}", tuple(map(Coefficient, names, values)), statistics))
    return Summary(type(model).__name__, tuple(tables), None, None, level, (SELECTED,))


def _goodness(design, target, coef, intercept):
    """Rows and R² of each output; R² is about the mean, as in ``score``."""
    Y = target.y.reshape(target.n, -1)
    rss = target.weights @ (Y - design.matvec(coef.T) - intercept) ** 2
    tss = target.weights @ (Y - target.mean()) ** 2
    return [{"n": target.total, "r_squared": 1.0 - r / t if t > 0.0 else None} for r, t in zip(rss, tss)]


def data_of_the_fit(model, evidence, X, y, sample_weight):
    """The data, if given; raise if they are not those of the fit."""
    if not _all_or_none(X, y, sample_weight):
        return None
    design, target = enter(model, X, y, sample_weight, reset=False)
    Y, s = target.y.reshape(target.n, -1), target.weights
    if Y.shape[1] != evidence.coefficients.shape[1]:
        raise _other_data(f"y has {Y.shape[1]} outputs, the model {evidence.coefficients.shape[1]}")
    n = int(np.count_nonzero(s))
    if n != evidence.n or abs(target.total - evidence.total) > 1e-9 * evidence.total:
        raise _other_data(
            f"they have {n} rows of total weight {target.total:g}, the fit had {evidence.n} of {evidence.total:g}"
        )
    first = int(evidence.intercept)
    # aliased columns have no coefficient of their own here; NaN would stand for "none"
    beta = np.nan_to_num(evidence.coefficients[first:])
    residuals = Y - design.matvec(beta) - (evidence.coefficients[0] if first else 0.0)
    rss = s @ residuals**2
    rounding = 1e-4 * evidence.rss + 1e-9 * evidence.tss + (100.0 * EPS) ** 2 * (s @ Y**2)
    if (np.abs(rss - evidence.rss) > rounding).any():
        o = int(np.argmax(np.abs(rss - evidence.rss) - rounding))
        raise _other_data(f"their residual sum of squares is {rss[o]:.6g}, that of the fit {evidence.rss[o]:.6g}")
    return Data(design, target.s, residuals, Y)


def _all_or_none(X, y, sample_weight):
    """Whether data were given; raise if only some of them were."""
    if X is None and y is None and sample_weight is None:
        return False
    if X is None or y is None:
        raise cannot(
            "summarise with some of X, y and sample_weight",
            because="each row is needed whole",
            instead="summary(X, y, sample_weight=s), or summary()",
        )
    return True


def _other_data(because):
    return cannot("summarise the fit with these data", because=because, instead="the X, y and sample_weight of the fit")


def _outputs(k, output):
    if output is None:
        return list(range(k))
    if not isinstance(output, int | np.integer) or not 0 <= output < k:
        raise cannot(
            f"summarise output={output!r}",
            because=f"the model has {k} output{'s' if k > 1 else ''}",
            instead="output=None for all" if k == 1 else f"output from 0 to {k - 1}, or None for all",
        )
    return [int(output)]


def _needs_plain_least_squares(model, covariance, weights, legal_weights=("frequency",)):
    """Raise where a covariance or a meaning of weights is asked for that this model cannot have."""
    for name, given, legal in (("covariance", covariance, ("classical",)), ("weights", weights, legal_weights)):
        if given not in legal:
            raise cannot(
                f"summarise {type(model).__name__} with {name}={given!r}",
                because="it describes the errors of plain least squares, and this fit is penalised or has another loss",
                instead=f"{name}={legal[0]!r}, or LinearRegression",
            )


def _check_options(covariance, cluster, level, weights):
    if cluster is not None and covariance not in ("HC0", "HC1"):
        raise cannot(
            f"summarise with cluster and covariance={covariance!r}",
            because="clusters have the sandwich of their sums of slopes",
            instead="covariance='HC0' or 'HC1', or None for the usual one",
        )
    for name, given, choices in (("covariance", covariance, COVARIANCES), ("weights", weights, WEIGHTS)):
        if not isinstance(given, str) or given not in choices:
            raise cannot(
                f"summarise with {name}={given!r}",
                because=f"{name} is not one of {', '.join(map(repr, choices))}",
                instead=f"{name}={choices[0]!r} (default)",
            )
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0.0 < level < 1.0:
        raise cannot(
            f"summarise with level={level!r}",
            because="a confidence level lies between 0 and 1",
            instead="level=0.95 (default)",
        )
