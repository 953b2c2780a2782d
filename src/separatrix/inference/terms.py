"""Terms of a model: groups of columns that enter and leave together, as a factor's or a spline's do.

Terms respect marginality, as R's ``drop.scope`` and ``add.scope`` do. The name of a term is that of its factors between
colons: "a" and "b" are margins of "a:b". A term stays as long as a term that contains it stays, and enters only when
no margin of it is left to enter.

References: Nelder (1977), A Reformulation of Linear Models, J. R. Statist. Soc. A 140(1); Venables and Ripley (2002),
Modern Applied Statistics with S, section 6.7.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log, pi

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import LEAST_SQUARES, declaration, evidence_of, steps_of
from separatrix.core.description import column_names
from separatrix.core.errors import RankDeficient, cannot
from separatrix.core.protocol import is_frame
from separatrix.estimators.basis import AdditiveBasis
from separatrix.estimators.validation import validate_rows
from separatrix.inference.fitted_likelihood import (
    exposure_or_offset,
    is_free,
    is_generalized,
    is_logistic,
    likelihood_of,
)
from separatrix.inference.reading import Reading
from separatrix.inference.summary import data_of_the_fit

EPS = np.finfo(np.float64).eps
WEIGHTS = ("frequency", "precision")


@dataclass(frozen=True)
class Submodel:
    """The fit of some of the terms; `model` and `z` are None where no column is left.

    Attributes
    ----------
    terms : tuple of str.  In the order of the model.
    model : fitted model on the columns of these terms, or None.
    deviance : float.  Twice the log-likelihood that is missing; of least squares the residual sum of squares.
    log_likelihood : float.
    df, residual_df : int or float.  Coefficients of the fit, and observations less these.
    parameters : int.  What AIC and BIC count: the coefficients, and the variance or dispersion where it is estimated.
    dispersion : float or None.  Pearson's estimate, of a generalised linear model that has no known one.
    normal : bool.  Whether the errors of a generalised linear model are normal.
    z : array or None.  Estimate divided by standard error of each column, 0 where a column is aliased.
    """

    terms: tuple
    model: object
    deviance: float
    log_likelihood: float
    df: int
    residual_df: float
    parameters: int
    z: np.ndarray | None = None
    dispersion: float | None = None
    normal: bool = False

    def criterion(self, price, beside=None):
        """``-2 log L + price · parameters``: AIC at the price 2, BIC at log N.

        Of a model with an estimated dispersion, that of the Submodel `beside` is taken for both, as R's ``drop1``,
        ``add1`` and ``step`` do, except of normal errors: the criterion of `beside` and the change of deviance over its
        dispersion.
        """
        if beside is None or beside.dispersion is None or self.normal:
            return -2.0 * self.log_likelihood + price * self.parameters
        change = (self.deviance - beside.deviance) / beside.dispersion
        return beside.criterion(price) + change + price * (self.parameters - beside.parameters)


class Terms:
    """The terms of a fitted model on its data, ready to be fitted in any selection.

    Parameters
    ----------
    model : fitted LinearRegression, LogisticRegression with ``C=np.inf``, generalised linear model with ``alpha=0``, or
        a Pipeline that ends in one.
    X, y, sample_weight : the data of the fit.
    terms : mapping from names to columns (numbers, names or slices), a fitted AdditiveBasis, or None.  None takes
        the blocks of the pipeline's AdditiveBasis, where there is one, else each column by itself.
    weights : {"frequency", "precision"}, default "frequency".  What the weights mean.
    exposure, offset : of the fit of a generalised linear model.

    Attributes
    ----------
    names : tuple of str.  columns : dict from a name to numbers of columns.
    whole : Submodel.  That of all terms.
    least_squares : bool.  Whether terms have sums of squares, else deviances.
    by_f : bool.  Whether terms are tested by F, because a variance is estimated, else by likelihood ratios.
    classes : int.  Columns of coefficients: 1, but K - 1 for K classes.
    n : float.  Observations: Σs where weights are repetitions, else rows of positive weight.
    """

    def __init__(self, model, X, y, sample_weight=None, terms=None, weights="frequency", *, exposure=None, offset=None):
        *before, model = steps_of(model)
        for step in before:
            X = step.transform(X)
        if terms is None and before and isinstance(before[-1], AdditiveBasis):
            terms = before[-1]
        check_is_fitted(model)
        self.least_squares = declaration(model).likelihood == LEAST_SQUARES
        self.generalized, self.weights = is_generalized(model), weights
        _check(model, self.least_squares, weights)
        self.estimator, self.y, self.s = clone(model), y, sample_weight
        self.known = exposure_or_offset(model, exposure, offset)
        per_column = {"penalty_factor", "bounds"} & {*model.get_params(deep=False)}
        self.estimator.set_params(**dict.fromkeys(per_column))  # without effect here, and of as many as all columns
        self.X = X if is_frame(X) else validate_rows(model, X)
        self.columns = columns_of_terms(model, terms)
        self.names = tuple(self.columns)
        if self.least_squares:
            self.evidence = evidence_of(model)
            data = data_of_the_fit(model, self.evidence, X, y, sample_weight)
            self.log_weights = 0.0
            if weights == "precision" and data.s is not None:
                self.log_weights = float(np.log(data.s[data.s > 0.0]).sum())
        else:
            self.evidence = likelihood_of(model, X, y, sample_weight, **self.known).evidence
        self.by_f = self.least_squares or (self.generalized and self.evidence.dispersion is None)
        self.classes = self.evidence.coefficients.shape[1]
        self.n = float(self.evidence.n) if weights == "precision" else self.evidence.total
        self.n = Reading(self.evidence, weights).n if self.generalized else self.n
        used = sorted(j for group in self.columns.values() for j in group)
        self.whole = self._submodel(self.names, model, self.evidence)
        if used != list(range(self.evidence.p)):
            self.whole = self.fit(self.names)

    def fit(self, names):
        """The fit of the columns of the named terms."""
        names = tuple(name for name in self.names if name in names)  # in the order of the model
        columns = sorted(j for name in names for j in self.columns[name])
        if not columns and not self.generalized:
            return self._null()
        # a generalised linear model of the constant alone is fitted beside a column of zeros, which adds nothing
        X = self._select(columns) if columns else np.zeros((len(self.y), 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankDeficient)  # said of the whole model already
            fitted = clone(self.estimator).fit(X, self.y, sample_weight=self.s, **self.known)
        if self.least_squares or self.generalized:
            return self._submodel(names, fitted if columns else None, evidence_of(fitted))
        return self._submodel(names, fitted, likelihood_of(fitted, X, self.y, self.s).evidence)

    def droppable(self, names):
        """Those of the named terms that no other of them contains."""
        return [name for name in names if not any(factors(name) < factors(other) for other in names)]

    def addable(self, names):
        """Terms that are not among `names`, and contain no other that is not."""
        others = [name for name in self.names if name not in names]
        return [name for name in others if not any(factors(other) < factors(name) for other in others)]

    def _null(self):
        """The model that has no column."""
        evidence, df = self.evidence, self.classes * int(self.evidence.intercept)
        if self.least_squares:
            return self._of_squares((), None, float(evidence.tss[0]), df, None)
        return self._of_likelihood((), None, evidence, evidence.null_log_likelihood, df, None)

    def _submodel(self, names, model, evidence):
        first = int(evidence.intercept)
        df = self.classes * (evidence.rank + first)
        if self.least_squares:
            rss = float(evidence.rss[0])
            scale = rss / (self.n - df) if self.n > df else np.nan
            V = None if evidence.unscaled is None else scale * evidence.unscaled
        else:
            V = Reading(evidence, self.weights).covariance if self.generalized else evidence.covariance
        z = None
        if V is not None and self.classes == 1:
            with np.errstate(divide="ignore", invalid="ignore"):
                z = np.nan_to_num(evidence.coefficients[first:, 0] / np.sqrt(np.diag(V)[first:]), posinf=inf)
        if self.least_squares:
            return self._of_squares(names, model, rss, df, z)
        if self.generalized:
            return submodel_of_means(evidence, self.weights, names, model, z)
        return self._of_likelihood(names, model, evidence, evidence.log_likelihood, df, z)

    def _of_squares(self, names, model, rss, df, z):
        # residuals below the last digit of y are rounding of y, not noise
        rss = 0.0 if rss <= EPS**2 * float(self.evidence.tss[0]) else rss
        log_likelihood = inf
        if rss > 0.0:
            log_likelihood = -0.5 * self.n * (log(2.0 * pi * rss / self.n) + 1.0) + 0.5 * self.log_weights
        return Submodel(names, model, rss, log_likelihood, df, self.n - df, df + 1, z)

    def _of_likelihood(self, names, model, evidence, log_likelihood, df, z):
        deviance = 2.0 * (evidence.saturated_log_likelihood - log_likelihood)
        return Submodel(names, model, deviance, log_likelihood, df, self.n * self.classes - df, df, z)

    def _select(self, columns):
        if is_frame(self.X):
            import narwhals as nw

            return nw.from_native(self.X, eager_only=True)[:, columns].to_native()
        return self.X[:, columns]


def submodel_of_means(evidence, weights, names=(), model=None, z=None):
    """The Submodel of a generalised linear model."""
    reading = Reading(evidence, weights)
    dispersion = reading.dispersion if reading.estimated else None
    counts = reading.k, reading.df, reading.parameters
    numbers = reading.deviance, reading.log_likelihood, *counts
    return Submodel(names, model, *numbers, z, dispersion, normal=evidence.family == "gaussian")


def factors(name):
    """The factors of a term: what its name has between colons that are in no bracket and no quotation.

    >>> sorted(factors("dose:C(kind)[T.a:b]"))
    ['C(kind)[T.a:b]', 'dose']
    """
    parts, depth, quote = [""], 0, ""
    for letter in name:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "`'\"":
            quote = letter
        else:
            depth += (letter in "([{") - (letter in ")]}")
        if letter == ":" and depth <= 0 and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return frozenset(part.strip() for part in parts)


def _check(model, least_squares, weights):
    generalized = is_generalized(model)
    if weights not in WEIGHTS or (weights == "precision" and not least_squares and not generalized):
        raise cannot(
            f"compare terms of {type(model).__name__} with weights={weights!r}",
            because="weights count how often a row was seen, or, except of classes, are inverses of variances",
            instead="weights='frequency' (default)",
        )
    evidence = evidence_of(model) if least_squares or generalized else None
    plain = evidence is not None and not evidence.penalised and evidence.coefficients.shape[1] == 1
    if not plain and not (is_logistic(model) and is_free(model)):
        raise cannot(
            f"compare terms of {type(model).__name__}",
            because="terms are tested in least squares of one output, in logistic regression and in generalised linear "
            "models, as this library fits them, without a penalty and without bounds",
            instead="LinearRegression, LogisticRegression(C=np.inf), or GeneralizedLinearRegressor",
        )


def columns_of_terms(model, terms):
    """From the name of a term to the numbers of its columns."""
    names = column_names(model)
    if terms is None:
        return {name: (j,) for j, name in enumerate(names)}
    terms = terms.blocks_ if isinstance(terms, AdditiveBasis) else terms
    if not isinstance(terms, Mapping) or not terms:
        raise cannot(
            f"read terms={terms!r}",
            because="it is no mapping from names to columns",
            instead="for example terms={'age': ['age'], 'race': ['race_black', 'race_other']}",
            kind=TypeError,
        )
    places = {str(name): _places(columns, names) for name, columns in terms.items()}
    every = [j for group in places.values() for j in group]
    if len(set(every)) < len(every):
        raise cannot(f"read terms={terms!r}", because="a column is in two terms", instead="each column in one term")
    return places


def _places(columns, names):
    """Numbers of columns given by number, name or slice, one or several."""
    if isinstance(columns, slice):
        return tuple(range(len(names))[columns])
    group = [columns] if isinstance(columns, str) or np.ndim(columns) == 0 else list(columns)
    places = []
    for column in group:
        if isinstance(column, str) and column in names:
            places.append(names.index(column))
        elif not isinstance(column, str | bool) and -len(names) <= column < len(names):
            places.append(int(column) % len(names))
        else:
            raise cannot(
                f"find the column {column!r}",
                because=f"the model has the columns {', '.join(names[:8])}{', …' if len(names) > 8 else ''}",
                instead="names or numbers of these",
            )
    return tuple(places)
