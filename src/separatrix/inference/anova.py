r"""Analysis of deviance: what each term of a logistic model is worth.

    LR = deviance(without the term) - deviance(with it)   ~   χ² with as many degrees of freedom as the term has

A term is a group of columns that enter and leave together. ``order="drop"`` takes each term out of the whole model (R's
``drop1``); ``order="sequential"`` enters them one after the other (R's ``anova``).

References: McCullagh and Nelder (1989), Generalized Linear Models, section 2.3.
"""

from scipy.special import chdtrc

from separatrix.core.errors import cannot
from separatrix.inference.listing import Listing
from separatrix.inference.terms import Terms


def anova(model, X, y, *, sample_weight=None, terms=None, order="drop"):
    """Test the terms of a logistic model by likelihood ratios.

    Parameters
    ----------
    model : fitted LogisticRegression with ``C=np.inf``, or a Pipeline that ends in one.
    X, y, sample_weight : the data of the fit; weights are repetitions.
    terms : mapping, fitted AdditiveBasis, or None, default None.  From the name of a term to its columns (numbers,
        names or a slice). None: the blocks of the pipeline's AdditiveBasis, where there is one, else every column.
    order : {"drop", "sequential"}, default "drop".  Each term out of the whole model, or one after the other into the
        null model, in the order of `terms`.

    Returns
    -------
    Listing.  "drop": df, deviance and AIC of the model without the term, LR and p. "sequential": df and LR of the term,
    residual degrees of freedom and deviance of the model so far, p.

    >>> import numpy as np
    >>> from separatrix.linear_model import LogisticRegression
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 1], [4, 0], [5, 0], [6, 1], [7, 0]])
    >>> y = np.array([0, 0, 1, 0, 1, 0, 1, 1])
    >>> model = LogisticRegression(C=np.inf).fit(X, y)
    >>> row = anova(model, X, y)["x1"]
    >>> row["df"], round(row["lr"], 3), round(row["p"], 3)
    (1, 0.428, 0.513)
    """
    if order not in ("drop", "sequential"):
        raise cannot(
            f"analyse deviance with order={order!r}",
            because="terms are dropped one by one, or entered one after the other",
            instead="order='drop' (default) or 'sequential'",
        )
    nested = Terms(model, X, y, sample_weight, terms)
    return drops(nested) if order == "drop" else _sequence(nested)


def drops(terms, current=None, price=2.0):
    """Each term of a submodel (default: the whole model) dropped: a Listing like R's ``drop1``."""
    whole = terms.whole if current is None else current
    rows = [("(none)", None, whole.deviance, whole.criterion(price), None, None)]
    for name in whole.terms:
        without = terms.fit([other for other in whole.terms if other != name])
        df = whole.df - without.df
        lr = max(without.deviance - whole.deviance, 0.0)
        rows.append((name, df, without.deviance, without.criterion(price), lr, _p(df, lr)))
    columns = zip(("term", "df", "deviance", "aic", "lr", "p"), map(tuple, zip(*rows)))
    return Listing("Terms dropped one by one", dict(columns))


def _sequence(terms):
    before = terms.fit(())
    total = terms.n * terms.evidence.coefficients.shape[1]
    rows = [("(null)", None, None, total - before.df, before.deviance, None)]
    for place, name in enumerate(terms.names):
        now = terms.whole if place == len(terms.names) - 1 else terms.fit(terms.names[: place + 1])
        df, lr = now.df - before.df, max(before.deviance - now.deviance, 0.0)
        rows.append((name, df, lr, total - now.df, now.deviance, _p(df, lr)))
        before = now
    columns = zip(("term", "df", "lr", "residual_df", "deviance", "p"), map(tuple, zip(*rows)))
    return Listing("Terms entered one after the other", dict(columns))


def _p(df, lr):
    """Of the likelihood-ratio test; None for a term that the others determine."""
    return float(chdtrc(df, lr)) if df > 0 else None
