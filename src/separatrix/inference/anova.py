r"""Analysis of variance and of deviance: what each term of a model is worth.

    least squares   F  = [(RSS(without the term) - RSS(with it)) / d] / σ²     ~   F with d and residual df
    likelihood      LR = deviance(without the term) - deviance(with it)        ~   χ² with d df
    dispersion φ    F  = LR / d / φ                                            ~   F with d and residual df

The last is of generalised linear models whose dispersion is estimated. As in R, φ is Pearson's chi-squared over its
degrees of freedom where terms enter one after the other (``anova``) and in type II, and the deviance over them where
they are dropped or added one by one (``drop1``, ``add1``).

d is the number of coefficients that the term adds. A term is a group of columns that enter and leave together. Terms
are dropped and added as marginality allows (:mod:`separatrix.inference.terms`): beside ``a:b`` neither a nor b is
dropped.

References: Seber and Lee (2003), Linear Regression Analysis, chapter 4; McCullagh and Nelder (1989), Generalized Linear
Models, section 2.3; Fox (2016), Applied Regression Analysis, section 8.2 (type II).
"""

import numpy as np
from scipy.special import chdtrc, fdtrc

from separatrix.core.errors import cannot
from separatrix.inference.listing import Listing
from separatrix.inference.terms import Terms, factors

ORDERS = ("drop", "sequential", "type II")
ONE_BY_ONE = ("term", "df", "sum_sq", "rss", "deviance", "aic", "f", "lr", "p")
EXACT = "The fit is exact: there is no residual variance that sums of squares could be compared with."
MARGINS = "Not tested, because a term of the model contains {}: {}. order='type II' tests {} as if it did not."


def anova(
    model,
    X,
    y,
    *,
    sample_weight=None,
    terms=None,
    order="drop",
    weights="frequency",
    exposure=None,
    offset=None,
):
    """Test the terms of a model: by F where a variance is estimated, else by likelihood ratios.

    Parameters
    ----------
    model : fitted LinearRegression, LogisticRegression with ``C=np.inf``, generalised linear model with ``alpha=0``, or
        a Pipeline that ends in one.
    X, y, sample_weight, exposure, offset : the data of the fit; the last two of a generalised linear model.
    terms : mapping, fitted AdditiveBasis, or None, default None.  From the name of a term to its columns (numbers,
        names or a slice). None: the blocks of the pipeline's AdditiveBasis, where there is one, else every column. A
        name with colons is an interaction: "a:b" contains "a" and "b".
    order : {"drop", "sequential", "type II"}, default "drop".  Each term that no other contains out of the whole model
        (R's ``drop1``); one after the other into the null model, in the order of `terms` (R's ``anova``, type I); each
        term out of the model without the terms that contain it (``car::Anova``, type II).
    weights : {"frequency", "precision"}, default "frequency".  What weights mean, except those of classes: how often a
        row was seen, or the inverse of its variance, as in R's ``lm`` and ``glm``.

    Returns
    -------
    Listing.  Least squares: df, sum of squares, F and p of each term. Likelihoods: df, LR or F, and p. "drop" gives
    RSS or deviance, and AIC, of the model without the term; "sequential" those of the model so far.

    >>> import numpy as np
    >>> from separatrix.linear_model import LogisticRegression
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 1], [4, 0], [5, 0], [6, 1], [7, 0]])
    >>> y = np.array([0, 0, 1, 0, 1, 0, 1, 1])
    >>> model = LogisticRegression(C=np.inf).fit(X, y)
    >>> row = anova(model, X, y)["x1"]
    >>> row["df"], round(row["lr"], 3), round(row["p"], 3)
    (1, 0.428, 0.513)
    """
    if order not in ORDERS:
        raise cannot(
            f"test terms with order={order!r}",
            because="terms are dropped one by one, or entered one after the other, or tested beside their margins",
            instead=f"one of {', '.join(map(repr, ORDERS))}",
        )
    nested = Terms(model, X, y, sample_weight, terms, weights, exposure=exposure, offset=offset)
    return {"drop": _drops, "sequential": _sequence, "type II": _type_two}[order](nested)


def drop1(
    model,
    X,
    y,
    *,
    sample_weight=None,
    terms=None,
    current=None,
    weights="frequency",
    exposure=None,
    offset=None,
):
    """Drop each term that no other contains: R's ``drop1``, with the test that suits the model.

    Parameters
    ----------
    model, X, y, sample_weight, terms, weights, exposure, offset : as in :func:`anova`.
    current : sequence of str or None, default None.  The terms of the model to drop from; None is all of them.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> a, b = np.array([0.0, 1, 2, 3, 4, 5]), np.array([1.0, 0, 1, 1, 0, 0])
    >>> X, y = np.column_stack([a, b, a * b]), np.array([0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> table = drop1(LinearRegression().fit(X, y), X, y, terms={"a": 0, "b": 1, "a:b": 2})
    >>> table.columns["term"], round(table["a:b"]["f"], 3)
    (('(none)', 'a:b'), 0.383)
    """
    nested = Terms(model, X, y, sample_weight, terms, weights, exposure=exposure, offset=offset)
    return _drops(nested, nested.whole if current is None else nested.fit(terms_named(nested, current)))


def add1(
    model,
    X,
    y,
    *,
    current,
    sample_weight=None,
    terms=None,
    weights="frequency",
    exposure=None,
    offset=None,
):
    """Add each term that contains no other that could be added: R's ``add1``, with the test that suits the model.

    Parameters
    ----------
    model, X, y, sample_weight, terms, weights, exposure, offset : as in :func:`anova`.  The model has all terms.
    current : sequence of str.  The terms of the model to add to; empty for the model that has the intercept only.

    >>> import numpy as np
    >>> from separatrix.linear_model import LinearRegression
    >>> a, b = np.array([0.0, 1, 2, 3, 4, 5]), np.array([1.0, 0, 1, 1, 0, 0])
    >>> X, y = np.column_stack([a, b, a * b]), np.array([0.1, 1.2, 1.9, 3.3, 3.8, 5.1])
    >>> model = LinearRegression().fit(X, y)
    >>> add1(model, X, y, terms={"a": 0, "b": 1, "a:b": 2}, current=["a"]).columns["term"]
    ('(none)', 'b')
    """
    nested = Terms(model, X, y, sample_weight, terms, weights, exposure=exposure, offset=offset)
    now = nested.fit(terms_named(nested, current))
    rows = [_row(nested, "(none)", None, None, now, None)]
    for name in nested.addable(now.terms):
        more = nested.fit([*now.terms, name])
        # as in R, the variance is that of the model with the term
        rows.append(_row(nested, name, more.df - now.df, now.deviance - more.deviance, more, more, beside=now))
    return _listing(nested, "Terms added one by one", rows, ONE_BY_ONE)


def terms_named(terms, names):
    """The names, if all of them are terms."""
    unknown = [name for name in names if name not in terms.names]
    if unknown:
        raise cannot(
            f"start from {list(names)!r}",
            because=f"{unknown[0]!r} is not a term",
            instead=f"some of {', '.join(map(repr, terms.names))}",
        )
    return names


def _drops(terms, whole=None):
    whole = terms.whole if whole is None else whole
    rows = [_row(terms, "(none)", None, None, whole, None)]
    dropped = terms.droppable(whole.terms)
    for name in dropped:
        without = terms.fit([other for other in whole.terms if other != name])
        change = without.deviance - whole.deviance
        rows.append(_row(terms, name, whole.df - without.df, change, without, whole, beside=whole))
    kept = [name for name in whole.terms if name not in dropped]
    them = "it" if len(kept) == 1 else "them"
    notes = (MARGINS.format(them, ", ".join(kept), them),) if kept else ()
    return _listing(terms, "Terms dropped one by one", rows, ONE_BY_ONE, notes)


def _sequence(terms):
    before = terms.fit(())
    rows = [] if terms.least_squares else [_row(terms, "(null)", None, None, before, None)]
    for place, name in enumerate(terms.names):
        now = terms.whole if place == len(terms.names) - 1 else terms.fit(terms.names[: place + 1])
        rows.append(_row(terms, name, now.df - before.df, before.deviance - now.deviance, now, terms.whole))
        before = now
    columns = ("term", "df", "sum_sq", "f", "lr", "residual_df", "deviance", "p")
    return _listing(terms, "Terms entered one after the other", rows + _residuals(terms), columns)


def _type_two(terms):
    rows = []
    for name in terms.names:
        beside = [other for other in terms.names if not factors(name) <= factors(other)]
        without, within = terms.fit(beside), terms.fit([*beside, name])
        rows.append(_row(terms, name, within.df - without.df, without.deviance - within.deviance, within, terms.whole))
    title = "Each term beside those that do not contain it (type II)"
    return _listing(terms, title, rows + _residuals(terms), ("term", "df", "sum_sq", "f", "lr", "p"))


def _row(terms, name, df, change, model, scale, beside=None):
    """What any of the tables may show of a term.

    `scale` is the model that the variance of a test is taken from. `beside` is the model that one term was dropped from
    or added to, in such tables.
    """
    test = p = None
    if df is not None:
        change = max(change, 0.0)
        test, p = term_test(terms.by_f, df, change, scale, by_deviance=beside is not None)
    row = {"term": name, "df": df, "aic": model.criterion(2.0, beside), "p": p, "f" if terms.by_f else "lr": test}
    if terms.least_squares:
        return {**row, "sum_sq": change, "rss": model.deviance}
    return {**row, "deviance": model.deviance, "residual_df": model.residual_df}


def term_test(by_f, df, change, scale, *, by_deviance=False):
    """F or LR, and its p-value; None for a term that the others determine, and for F where nothing is left over.

    A dispersion is Pearson's estimate, or made of the deviance, which is the variance of least squares.
    """
    if not by_f:
        return change, float(chdtrc(df, change)) if df > 0 else None
    if df <= 0 or scale.residual_df <= 0 or scale.deviance <= 0.0:
        return None, None
    by_deviance = by_deviance or scale.dispersion is None
    f = change / df / (scale.deviance / scale.residual_df if by_deviance else scale.dispersion)
    return f, float(fdtrc(df, scale.residual_df, f))


def _residuals(terms):
    """The last row of an analysis of variance; a likelihood has none."""
    if not terms.least_squares:
        return []
    return [
        {"term": "(residuals)", "df": terms.whole.residual_df, "sum_sq": terms.whole.deviance, "f": None, "p": None}
    ]


def _listing(terms, title, rows, columns, notes=()):
    """Those of the columns that this kind of model has."""
    if terms.by_f and terms.whole.deviance <= 0.0:
        notes = (*notes, EXACT)
    columns = {name: tuple(row[name] for row in rows) for name in columns if name in rows[0]}
    if all(np.isnan(value) for value in columns.get("aic", ())):  # a quasi family has no likelihood
        columns.pop("aic", None)
    return Listing(title, columns, tuple(notes))
