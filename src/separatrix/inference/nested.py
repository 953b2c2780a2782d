"""Nested models compared, each with the one before it: by F where a variance is estimated, else by likelihood."""

import numpy as np

from separatrix.core.declaration import evidence_of, unwrap
from separatrix.core.errors import cannot
from separatrix.core.statistics import GeneralizedLinearStatistics, LeastSquaresStatistics, LikelihoodStatistics
from separatrix.inference.anova import EXACT, term_test
from separatrix.inference.covariance import EPS
from separatrix.inference.listing import Listing
from separatrix.inference.terms import Submodel, submodel_of_means


def compare_nested(*models, names=None, weights="frequency"):
    """Test what a larger model adds to a smaller one: R's ``anova(smaller, larger)``.

    Of several models, each is tested against the one before it. A variance or dispersion that is estimated is that of
    the model with the fewest residual degrees of freedom. The models keep sums of squares and likelihoods, so that no
    data are needed; that the columns of a model span those of the one before it is taken on trust.

    Parameters
    ----------
    *models : two or more fitted LinearRegression, LogisticRegression with ``C=np.inf``, or generalised linear models
        with ``alpha=0``.  Fitted to the same y and weights, from small to large.
    names : sequence of str or None, default None.  What the models are called; None is "model 1", "model 2", ...
    weights : {"frequency", "precision"}, default "frequency".  As in :func:`anova`.

    Returns
    -------
    Listing.  Residual degrees of freedom, RSS or deviance, df, sum of squares, F or LR, and p.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> x, y = np.arange(6.0), np.array([0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> line = LinearRegression().fit(x[:, None], y)
    >>> parabola = LinearRegression().fit(np.column_stack([x, x**2]), y)
    >>> round(compare_nested(line, parabola)["model 2"]["p"], 3)
    0.931
    """
    models = [unwrap(model) for model in models]
    fits = [evidence_of(model) for model in models]
    _check(models, fits, weights)
    least_squares = isinstance(fits[0], LeastSquaresStatistics)
    by_f = least_squares or (isinstance(fits[0], GeneralizedLinearStatistics) and fits[0].dispersion is None)
    names = tuple(f"model {k + 1}" for k in range(len(fits))) if names is None else tuple(map(str, names))
    read = [_submodel(fit, weights) for fit in fits]
    scale = min(read, key=lambda model: model.residual_df)
    rows = [(names[0], read[0].residual_df, read[0].deviance, None, None, None, None)]
    for name, before, now in zip(names[1:], read, read[1:]):
        df, change = now.df - before.df, before.deviance - now.deviance
        test, p = term_test(by_f, df, max(change, 0.0), scale)
        rows.append((name, now.residual_df, now.deviance, df, change, test, p))
    labels = ("model", "residual_df", "rss", "df", "sum_sq", "f", "p")
    if not least_squares:
        labels = ("model", "residual_df", "deviance", "df", "sum_sq", "f" if by_f else "lr", "p")
    columns = dict(zip(labels, map(tuple, zip(*rows))))
    if not least_squares:
        columns.pop("sum_sq")
    exact = by_f and scale.deviance <= 0.0
    return Listing("Nested models", columns, (EXACT,) if exact else ())


def _submodel(evidence, weights):
    if isinstance(evidence, GeneralizedLinearStatistics):
        return submodel_of_means(evidence, weights)
    classes = evidence.coefficients.shape[1]
    n, df = evidence.total, classes * (evidence.rank + int(evidence.intercept))
    if isinstance(evidence, LeastSquaresStatistics):
        n = float(evidence.n) if weights == "precision" else n
        rss, tss = float(evidence.rss[0]), float(evidence.tss[0])
        # residuals below the last digit of y are rounding of y, not noise
        rss = 0.0 if rss <= EPS**2 * tss else rss
        return Submodel((), None, rss, np.nan, df, n - df, df + 1)
    deviance = 2.0 * (evidence.saturated_log_likelihood - evidence.log_likelihood)
    return Submodel((), None, deviance, evidence.log_likelihood, df, n * classes - df, df)


def _check(models, fits, weights):
    def refuse(
        because,
        instead="LinearRegression, LogisticRegression(C=np.inf) or generalised linear models, of the same rows, from "
        "small to large",
    ):
        return cannot("compare these models", because=because, instead=instead)

    if len(models) < 2:
        raise refuse("there are fewer than two")
    for model, fit in zip(models, fits):
        known = isinstance(fit, LeastSquaresStatistics | LikelihoodStatistics)
        if not known or fit.penalised or (isinstance(fit, LeastSquaresStatistics) and len(fit.rss) > 1):
            raise refuse(f"{type(model).__name__} keeps no least squares of one output and no maximum of a likelihood")
    kinds = {
        (type(fit), *((fit.family, fit.link) if isinstance(fit, GeneralizedLinearStatistics) else ())) for fit in fits
    }
    if len(kinds) > 1:
        raise refuse("they are of two kinds")
    if weights not in ("frequency", "precision"):
        raise refuse(f"weights={weights!r} is not 'frequency' or 'precision'", "weights='frequency' (default)")
    first = fits[0]
    for fit in fits[1:]:
        same = fit.n == first.n and abs(fit.total - first.total) <= 1e-9 * first.total
        # sums of squares about the mean, or likelihoods of the null model, tell most other data apart
        if same and fit.intercept == first.intercept:
            if isinstance(fit, LeastSquaresStatistics):
                same = bool(np.isclose(fit.tss[0], first.tss[0], rtol=1e-8))
            else:
                same = bool(np.isclose(fit.null_log_likelihood, first.null_log_likelihood, rtol=1e-8))
        if not same:
            raise refuse("they were fitted to different data")
    ranks = [fit.rank + int(fit.intercept) for fit in fits]
    if sorted(ranks) != ranks:
        raise refuse("a model has fewer coefficients than the one before it")
