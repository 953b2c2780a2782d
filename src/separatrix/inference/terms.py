"""Terms of a model: groups of columns that enter and leave together, as a factor's or a spline's do."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import steps_of
from separatrix.core.description import column_names
from separatrix.core.errors import cannot
from separatrix.core.protocol import is_frame
from separatrix.core.statistics import LikelihoodStatistics
from separatrix.estimators.basis import AdditiveBasis
from separatrix.estimators.validation import validate_rows
from separatrix.inference.fitted_likelihood import is_free, is_logistic, likelihood_of


@dataclass(frozen=True)
class Submodel:
    """Maximum likelihood on some of the terms; `model` is None where no column is left."""

    terms: tuple
    model: object
    evidence: LikelihoodStatistics | None
    log_likelihood: float
    saturated: float
    df: int

    @property
    def deviance(self):
        return 2.0 * (self.saturated - self.log_likelihood)

    def criterion(self, price):
        """``-2 log L + price · df``: AIC at the price 2, BIC at log N."""
        return -2.0 * self.log_likelihood + price * self.df


class Terms:
    """The terms of a fitted logistic model on its data, ready to be fitted in any selection.

    Parameters
    ----------
    model : fitted LogisticRegression with ``C=np.inf``, or a Pipeline that ends in one.
    X, y, sample_weight : the data of the fit.
    terms : mapping from names to columns (numbers, names or slices), a fitted AdditiveBasis, or None.  None takes
        the blocks of the pipeline's AdditiveBasis, where there is one, else each column by itself.
    """

    def __init__(self, model, X, y, sample_weight=None, terms=None):
        *before, model = steps_of(model)
        for step in before:
            X = step.transform(X)
        if terms is None and before and isinstance(before[-1], AdditiveBasis):
            terms = before[-1]
        check_is_fitted(model)
        if not is_logistic(model) or not is_free(model):
            raise cannot(
                f"compare terms of {type(model).__name__}",
                because="deviances follow their distributions only where a likelihood is maximised without a penalty "
                "and without bounds",
                instead="LogisticRegression(C=np.inf)",
            )
        self.estimator, self.y, self.s = clone(model), y, sample_weight
        per_column = {"penalty_factor", "bounds"} & {*model.get_params(deep=False)}
        self.estimator.set_params(**dict.fromkeys(per_column))  # without effect here, and of as many as all columns
        self.X = X if is_frame(X) else validate_rows(model, X)
        whole = likelihood_of(model, X, y, sample_weight)
        self.evidence = whole.evidence
        self.columns = _columns(model, terms)
        self.names = tuple(self.columns)
        used = sorted(j for group in self.columns.values() for j in group)
        self.whole = self._submodel(self.names, model, whole.evidence)
        if used != list(range(whole.evidence.p)):
            self.whole = self.fit(self.names)

    @property
    def n(self):
        """Σs: rows counted with their weights."""
        return self.evidence.total

    def fit(self, names):
        """Maximum likelihood on the columns of the named terms."""
        names = tuple(name for name in self.names if name in names)  # in the order of the model
        columns = sorted(j for name in names for j in self.columns[name])
        if not columns:
            classes = self.evidence.coefficients.shape[1]
            null, saturated = self.evidence.null_log_likelihood, self.evidence.saturated_log_likelihood
            return Submodel((), None, None, null, saturated, classes * int(self.evidence.intercept))
        X = self._select(columns)
        fitted = clone(self.estimator).fit(X, self.y, sample_weight=self.s)
        return self._submodel(names, fitted, likelihood_of(fitted, X, self.y, self.s).evidence)

    def _submodel(self, names, model, evidence):
        df = evidence.coefficients.shape[1] * (evidence.rank + int(evidence.intercept))
        return Submodel(names, model, evidence, evidence.log_likelihood, evidence.saturated_log_likelihood, df)

    def _select(self, columns):
        if is_frame(self.X):
            import narwhals as nw

            return nw.from_native(self.X, eager_only=True)[:, columns].to_native()
        return self.X[:, columns]


def _columns(model, terms):
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
