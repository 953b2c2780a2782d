r"""Variance inflation: how much the other columns enlarge the variance of a coefficient, or of a term's coefficients.

    VIF_j = 1 / (1 - R_j²) = (C^-1 of column j)           GVIF = det(C_tt) det(C_oo) / det(C)

C is the correlation matrix of the estimated slopes, t the columns of a term and o all others. Of a term with d columns
GVIF^(1/2d) is comparable over d: it is by how much confidence regions widen in one dimension.

References: Fox and Monette (1992), Generalized Collinearity Diagnostics, JASA 87(417).
"""

from itertools import pairwise

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import unwrap
from separatrix.core.description import column_names
from separatrix.core.errors import cannot
from separatrix.inference.estimates import estimates_of
from separatrix.inference.listing import Listing
from separatrix.inference.terms import columns_of_terms

NO_INTERCEPT = "Without an intercept, inflation is about 0 and not about the means: it may be large for any column."


def vif(model, *, terms=None):
    """Variance inflation factors, generalised for terms of several columns: ``car::vif``.

    Parameters
    ----------
    model : fitted LinearRegression of one output, or LogisticRegression of two classes with ``C=np.inf``.
    terms : mapping from names to columns, or None, default None.  As in :func:`anova`. None: each column by itself.

    Returns
    -------
    Listing.  VIF of each column; where a term has several columns GVIF, df and GVIF^(1/2df) of each term.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> a, b = np.array([1.0, 2, 3, 4, 5, 6]), np.array([1.0, 2, 3, 4, 5, 7])
    >>> y = np.array([1.0, 2, 2, 4, 6, 5])
    >>> round(vif(LinearRegression().fit(np.column_stack([a, b]), y))["x0"]["vif"], 1)
    49.0
    """
    model = unwrap(model)
    check_is_fitted(model)
    estimates = estimates_of(model, None, None, None, "classical", None, "frequency")
    first = len(estimates.names) - len(column_names(model))
    if first not in (0, 1):
        raise cannot(
            f"give variance inflation of {type(model).__name__}",
            because="each column has a coefficient for each class",
            instead="a model of two classes",
        )
    V = estimates.covariance[first:, first:]
    groups = columns_of_terms(model, terms)
    lost = [name for name, value in zip(estimates.names[first:], np.diag(V)) if np.isnan(value)]
    if lost:
        raise cannot(
            "give variance inflation",
            because=f"it is infinite: {', '.join(lost[:8])} {'is' if len(lost) == 1 else 'are'} aliased",
            instead="a model without these columns",
        )
    used = [j for columns in groups.values() for j in columns]
    size = np.sqrt(np.diag(V))
    C = (V / np.multiply.outer(size, size))[np.ix_(used, used)]
    places = np.cumsum([0, *(len(columns) for columns in groups.values())])
    inflation = [_inflation(C, np.arange(low, high)) for low, high in pairwise(places)]
    df = tuple(len(columns) for columns in groups.values())
    columns = {"term": tuple(groups), "vif": tuple(inflation)}
    if max(df) > 1:
        scaled = tuple(v ** (0.5 / d) for v, d in zip(inflation, df))
        columns = {"term": tuple(groups), "gvif": tuple(inflation), "df": df, "scaled_gvif": scaled}
    return Listing("Variance inflation", columns, () if first else (NO_INTERCEPT,))


def _inflation(C, group):
    others = np.setdiff1d(np.arange(len(C)), group)
    parts = (C[np.ix_(group, group)], C[np.ix_(others, others)], C)
    inside, outside, whole = (np.linalg.slogdet(part)[1] for part in parts)
    return float(np.exp(inside + outside - whole))
