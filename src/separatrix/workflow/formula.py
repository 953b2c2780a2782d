"""A model fitted to a table by a formula, as in R: ``lm`` and ``glm``, without a penalty."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from separatrix.core.errors import RankDeficient
from separatrix.core.refusal import cannot
from separatrix.estimators.formula.values import Factor, Matrix, Truth, as_numbers, is_text, labels_of

# Families of numbers that have a log link here; R's default for gamma and inverse gaussian is another.
OF_MEANS = ("poisson", "quasipoisson", "gamma", "inverse_gaussian")
FAMILIES = ("gaussian", "binomial", *OF_MEANS)
LINKS = ("logit", "probit", "cloglog")  # of the binomial family
# A model of the constant alone is fitted beside this column of zeros, which adds nothing.
EMPTY = "(no column)"


@dataclass(frozen=True)
class FormulaFit:
    """A fitted model with the data of its fit.

    Attributes
    ----------
    model : LinearRegression, LogisticRegression or GeneralizedLinearRegressor, without a penalty.
    family : str.
    X : pandas frame.  The columns of the formula, without the constant.
    y : array.  Of counts of successes and failures, a row for each of the two.
    weights : array or None.  Of the rows of X.
    response : str.  What stands left of the ``~``.
    terms : dict.  From the label of a term to its columns.
    dropped : int.  Rows left out because a value was missing.
    design : FormulaDesign.  Makes the columns of new rows.
    reference : label or None.  The class that odds are against.
    notes : tuple of str.
    """

    model: Any
    family: str
    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    response: str
    terms: dict
    dropped: int
    design: Any
    reference: Any
    notes: tuple

    def predict(self, table):
        """The mean response of new rows: R's ``predict(type = "response")``.

        Functions that learned from the data of the fit (poly, scale, ns, bs, cut) do to new rows what they did there.

        >>> from separatrix.tables import Table
        >>> table = Table.of({"x": [1, 2, 3, 4], "y": [1, 4, 9, 16]})
        >>> fit_formula(table, "y ~ poly(x, 2)", "gaussian").predict(Table.of({"x": [10]})).round(9)
        array([100.])
        """
        frame = self.design.rows_of(table)
        X = _named(frame.matrix, self.design.names)
        if self.family in OF_MEANS:
            return self.model.predict(X, offset=frame.offset)
        if self.reference is None:
            return self.model.predict(X) + (0.0 if frame.offset is None else frame.offset)
        if not is_classifier(self.model):
            return self.model.predict(X)
        success = 1 - list(self.model.classes_).index(self.reference)
        return self.model.predict_proba(X)[:, success]


def fit_formula(table, formula, family, weights=None, link=None):
    """Fit ``response ~ terms`` to the rows of a table without missing values.

    Parameters
    ----------
    table : Table.
    formula : str.  In R's language: ``log(y) ~ poly(a, 2) + factor(b)*c - 1``.
    family : {"gaussian", "binomial", "poisson", "quasipoisson", "gamma", "inverse_gaussian"}.  Least squares; a
        response of two values, of ``cbind(successes, failures)``, or of shares of successes with the numbers of trials
        as weights; or numbers whose mean has a linear logarithm.
    weights : str or None, default None.  A column of weights.
    link : {"logit", "probit", "cloglog"} or None.  Of "binomial"; None is "logit".
    """
    if family not in FAMILIES or (link is not None and (family != "binomial" or link not in LINKS)):
        raise cannot(
            f"fit {formula} with family={family!r}" + (f" and link={link!r}" if link else ""),
            because="there is no such model" if link is None else "only binomial fits have a choice of links",
            instead=f"one of {', '.join(FAMILIES)}; with binomial, one of {', '.join(LINKS)}",
        )
    _needs_formulaic()
    from separatrix.estimators.formula.design import FormulaDesign

    design = FormulaDesign(formula, table, weights)
    frame = design.frame
    X, s, reference, notes, known = frame.matrix, frame.weights, None, (), {}
    if family == "binomial":
        _refuse_offset(formula, frame)
        y, s, reference = _classes(design.formula.response, frame)
        if len(y) == 2 * len(X):
            X, notes = np.vstack([X, X]), (COUNTED,)
    else:
        y = _numbers(design.formula.response, frame, family)
        if family == "gaussian" and frame.offset is not None:
            y, notes = y - frame.offset, ("The offset was subtracted from the response before the fit.",)
        elif frame.offset is not None:
            known = {"offset": frame.offset}
    if link not in (None, "logit"):  # a model of means, fitted to shares
        y = (np.asarray(y) != reference).astype(np.float64)
    X = _named(X, design.names)
    if not design.names and not design.formula.intercept:
        raise cannot(f"fit {formula!r}", because="it has neither a term nor a constant", instead="at least one term")
    with warnings.catch_warnings():
        if not design.names:
            warnings.simplefilter("ignore", RankDeficient)  # it would name the column of zeros
        model = _model(family, link, design.formula.intercept).fit(X, y, sample_weight=s, **known)
    dropped = len(table) - len(frame.rows)
    return FormulaFit(
        model, family, X, y, s, str(design.formula.response), design.terms, dropped, design, reference, notes
    )


COUNTED = (
    "Successes and failures count as single trials. R's glm counts groups of them: its deviance, AIC and residual "
    "degrees of freedom are others, its estimates and standard errors the same."
)


def _needs_formulaic():
    try:
        import formulaic  # noqa: F401
        import pandas  # noqa: F401
    except ImportError:
        raise ImportError(
            "Cannot read a formula: formulaic is not installed. Use `pip install 'separatrix[formula]'`, or "
            "`separatrix fit`, which needs no formula."
        ) from None


def _named(X, names):
    """A frame of the columns; a column of zeros where there is none."""
    import pandas as pd

    if not names:
        return pd.DataFrame({EMPTY: np.zeros(len(X))})
    return pd.DataFrame(X, columns=names)


def _refuse_offset(formula, frame):
    if frame.offset is not None:
        raise cannot(
            f"read 'offset()' in the formula {formula!r}",
            because="a model of --family binomial has no offset here",
            instead="another family, or the formula without it",
        )


def _numbers(tree, frame, family):
    y = frame.response
    if isinstance(y, Factor) or is_text(y):
        raise cannot(f"fit {tree} with --family {family}", because="it is no number", instead="--family binomial")
    if isinstance(y, Matrix) and y.values.shape[1] > 1:
        raise cannot(
            f"fit {tree} with --family {family}",
            because=f"it has {y.values.shape[1]} columns",
            instead="one response, or --family binomial for counts of successes and failures",
        )
    return as_numbers(y, tree)


def _classes(tree, frame):
    """Labels, weights, and the label of failure; counts and shares become a row of successes and one of failures."""
    y, s = frame.response, frame.weights
    if isinstance(y, Matrix):
        return _counted(tree, y.values, s)
    if isinstance(y, np.ndarray) and y.dtype.kind == "f" and s is not None and len(np.unique(y)) > 2:
        return _counted(tree, np.column_stack([s * y, s * (1.0 - y)]), None)
    labels = labels_of(y)
    levels = y.levels if isinstance(y, Factor) else ("FALSE", "TRUE") if isinstance(y, Truth) else None
    values = sorted(set(labels)) if levels is None else [level for level in levels if level in set(labels)]
    if len(values) != 2:
        raise cannot(
            f"fit {tree} with --family binomial",
            because=f"it has {len(values)} different values, not two",
            instead="a response of two values, cbind(successes, failures), or --family gaussian",
        )
    if levels is None and not is_text(y):
        y = y.astype(np.int64) if (y == np.floor(y)).all() else y
        return y, s, y.min()
    return labels.astype(str), s, values[0]


def _counted(tree, counts, s):
    if counts.shape[1] != 2 or (counts < 0.0).any():
        raise cannot(
            f"fit {tree} with --family binomial",
            because="it is not two columns of counts, none negative",
            instead="cbind(successes, failures), or shares from 0 to 1 with the numbers of trials as weights",
        )
    y = np.repeat([1, 0], len(counts))
    return y, counts.T.ravel() * (1.0 if s is None else np.tile(s, 2)), 0


def _model(family, link, intercept):
    from separatrix.linear_model import GeneralizedLinearRegressor, LinearRegression, LogisticRegression

    if family == "gaussian":
        return LinearRegression(fit_intercept=intercept)
    if family == "binomial" and link in (None, "logit"):
        return LogisticRegression(C=np.inf, fit_intercept=intercept, tol=1e-12)
    settings = {"link": link} if family == "binomial" else {}
    return GeneralizedLinearRegressor(family=family, fit_intercept=intercept, tol=1e-12, max_iter=500, **settings)
