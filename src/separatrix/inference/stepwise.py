"""Stepwise selection: drop the term that is missed least, or take in the one that helps most, until nothing improves.

By AIC (price 2 for a parameter) or BIC (price log N), as R's ``step``; or by Wald: drop the term with the smallest |z|
until every one is above a threshold. Terms stay whole, and a term stays as long as an interaction that contains it does
(marginality). After a selection, standard errors and p-values are too optimistic: they do not know that the data chose
the model.

References: Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, sections 3.3.2 and 4.4.2;
Venables and Ripley (2002), Modern Applied Statistics with S, section 7.2.
"""

from dataclasses import dataclass
from math import log

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.printable import printable
from separatrix.inference.anova import terms_named
from separatrix.inference.listing import Listing
from separatrix.inference.terms import Terms

CRITERIA = ("aic", "bic", "wald")
DIRECTIONS = ("backward", "both")


@dataclass(frozen=True, repr=False)
class Selection:
    """Where a stepwise selection went.

    Attributes
    ----------
    path : Listing.  The start and every step: what was dropped (-) or taken in (+); df, deviance (of least squares:
        RSS) and criterion after it.
    terms : tuple of str.  The terms that were kept.
    columns : tuple of int.  Their columns.
    model : fitted model on these columns, or None where none was kept.
    """

    path: Listing
    terms: tuple
    columns: tuple
    model: object

    def __str__(self):
        return f"{self.path}\n\n Kept: {', '.join(map(printable, self.terms)) or 'nothing but the intercept'}"

    __repr__ = __str__

    def _repr_html_(self):
        return self.path._repr_html_()


def stepwise(
    model,
    X,
    y,
    *,
    sample_weight=None,
    terms=None,
    criterion="aic",
    direction="backward",
    start=None,
    threshold=2.0,
    weights="frequency",
    exposure=None,
    offset=None,
):
    """Select terms of a linear, logistic or generalised linear model step by step.

    Parameters
    ----------
    model : fitted LinearRegression, LogisticRegression with ``C=np.inf``, generalised linear model with ``alpha=0``, or
        a Pipeline that ends in one.  Fitted to all terms.
    X, y, sample_weight, exposure, offset : the data of the fit.
    terms, weights : as in :func:`anova`.
    criterion : {"aic", "bic", "wald"}, default "aic".
    direction : {"backward", "both"}, default "backward".  Only drop terms, or at each step drop or take in.
    start : sequence of str or None, default None.  Terms to start from; None is all of them. With "both" the empty list
        selects forwards.
    threshold : float, [0, inf), default 2.0.  With "wald", the |z| (of least squares: |t|) that every term must
        exceed.

    Returns
    -------
    Selection.

    >>> import numpy as np
    >>> from separatrix.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 3))
    >>> y = rng.random(200) < 1 / (1 + np.exp(-2 * X[:, 1]))
    >>> stepwise(LogisticRegression(C=np.inf).fit(X, y), X, y, criterion="bic").terms
    ('x1',)
    """
    _check(criterion, direction, threshold)
    nested = Terms(model, X, y, sample_weight, terms, weights, exposure=exposure, offset=offset)
    _check_noise(nested, criterion)
    names = nested.names if start is None else tuple(terms_named(nested, start))
    current = nested.whole if names == nested.names else nested.fit(names)
    price = log(nested.n) if criterion == "bic" else 2.0
    label = "bic" if criterion == "bic" else "aic"
    rows = [("(start)", None, current.deviance, current.criterion(price))]
    while True:
        if criterion == "wald":
            change, after = _least_z(nested, current, threshold)
        else:
            change, after = _best_change(nested, current, price, direction)
        if change is None:
            break
        rows.append((change, abs(after.df - current.df), after.deviance, after.criterion(price)))
        current = after
    columns = dict(zip(("step", "df", "rss" if nested.least_squares else "deviance", label), map(tuple, zip(*rows))))
    columns_kept = tuple(sorted(j for name in current.terms for j in nested.columns[name]))
    return Selection(Listing("Stepwise selection", columns), current.terms, columns_kept, current.model)


def _best_change(terms, current, price, direction):
    """The drop or, both ways, the addition that lowers the criterion most; None where none does.

    As in R's ``step``, a term that the others determine goes first.
    """
    drops = [(f"- {name}", [n for n in current.terms if n != name]) for name in terms.droppable(current.terms)]
    adds = [(f"+ {name}", [*current.terms, name]) for name in terms.addable(current.terms)]
    best, change, lowest = None, None, current.criterion(price) - 1e-7
    for label, trial in drops + (adds if direction == "both" else []):
        fitted = terms.fit(trial)
        if label[0] == "-" and fitted.df == current.df:
            return label, fitted
        if fitted.criterion(price, current) < lowest:
            best, change, lowest = fitted, label, fitted.criterion(price, current)
    return change, best


def _least_z(terms, current, threshold):
    """The model without the term of the smallest |z|, of those that may go, if that does not exceed the threshold."""
    if not current.terms:
        return None, None
    _needs_single_columns(terms, current)
    # columns of a submodel are in the order of their numbers, terms in the order they were named
    order = sorted(current.terms, key=lambda name: terms.columns[name])
    z = dict(zip(order, np.abs(current.z)))
    least = min((name for name in order if name in terms.droppable(current.terms)), key=z.get)
    if z[least] > threshold:
        return None, None
    return f"- {least}", terms.fit([name for name in current.terms if name != least])


def _needs_single_columns(terms, current):
    wide = [name for name in current.terms if len(terms.columns[name]) > 1]
    if wide or terms.classes > 1:
        because = f"the term {wide[0]!r} has several coefficients" if wide else "each term has a coefficient per class"
        raise cannot(
            "select with criterion='wald'", because=f"{because}, and no single z", instead="criterion='aic' or 'bic'"
        )


def _check_noise(terms, criterion):
    if criterion != "wald" and np.isnan(terms.whole.log_likelihood):
        raise cannot(
            f"select with criterion={criterion!r}",
            because="the family has no likelihood here, or counts are not whole numbers",
            instead="criterion='wald', or a family that has one",
        )
    if terms.by_f and terms.whole.deviance <= 0.0:
        raise cannot(
            "select terms of an exact fit",
            because="without residuals the likelihood has no maximum, and neither AIC nor t is defined",
            instead="fewer terms, or more rows",
        )


def _check(criterion, direction, threshold):
    for name, value, legal in (("criterion", criterion, CRITERIA), ("direction", direction, DIRECTIONS)):
        if value not in legal:
            raise cannot(
                f"select with {name}={value!r}",
                because=f"{name} is not one of {', '.join(map(repr, legal))}",
                instead=f"{name}={legal[0]!r} (default)",
            )
    if criterion == "wald" and direction == "both":
        raise cannot(
            "select both ways with criterion='wald'",
            because="a term that is not in the model has no z",
            instead="direction='backward', or criterion='aic'",
        )
    if not threshold >= 0.0:
        raise cannot(f"select with threshold={threshold!r}", because="|z| is not negative", instead="threshold >= 0")
