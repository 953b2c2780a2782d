"""A model fitted to a table by a formula, as in R: ``lm`` and ``glm``, without a penalty."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from separatrix.core.errors import RankDeficient
from separatrix.core.refusal import cannot
from separatrix.estimators.formula.values import Factor, Matrix, Truth, as_numbers, is_text, labels_of

# The log link is the default of families of positive numbers; R's default for gamma and inverse gaussian is another.
FAMILIES = ("gaussian", "binomial", "quasibinomial", "poisson", "quasipoisson", "gamma", "inverse_gaussian")
OF_SHARES = ("binomial", "quasibinomial")
# A model of the constant alone is fitted beside this column of zeros, which adds nothing.
EMPTY = "(no column)"
OFFSET = (
    "The offset was subtracted from the response before the fit: R² and F are of the difference, as from the deviances "
    "of R's glm. The summary of R's lm counts the offset as explained where its fitted values contain it (R 4.2)."
)


@dataclass(frozen=True)
class FormulaFit:
    """A fitted model with the data of its fit.

    Attributes
    ----------
    model : LinearRegression, LogisticRegression or GeneralizedLinearRegressor, without a penalty.
    family : str.
    X : pandas frame.  The columns of the formula, without the constant.
    y : array.  Of counts of successes and failures, the shares of successes.
    weights : array or None.  Of the rows of X; of shares the numbers of trials.
    offset : array or None.  The known term of the scores of each row, of a generalised linear model.
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
    offset: np.ndarray | None
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
        if self.is_generalized:
            return self.model.predict(X, offset=frame.offset)
        if not is_classifier(self.model):
            return self.model.predict(X) + (0.0 if frame.offset is None else frame.offset)
        success = 1 - list(self.model.classes_).index(self.reference)
        return self.model.predict_proba(X)[:, success]

    @property
    def is_generalized(self):
        """Whether the model is a generalised linear model, which takes an offset and weights as R's glm does."""
        from separatrix.inference.fitted_likelihood import is_generalized

        return is_generalized(self.model)

    @property
    def data(self):
        """The data of the fit as functions of :mod:`separatrix.inference` take them: X, y, and others by name."""
        others = {"sample_weight": self.weights}
        return (self.X, self.y), others | ({} if self.offset is None else {"offset": self.offset})


def fit_formula(table, formula, family, weights=None, link=None):
    """Fit ``response ~ terms`` to the rows of a table without missing values.

    Parameters
    ----------
    table : Table.
    formula : str.  In R's language: ``log(y) ~ poly(a, 2) + factor(b)*c - 1``.
    family : {"gaussian", "binomial", "quasibinomial", "poisson", "quasipoisson", "gamma", "inverse_gaussian"}.  Least
        squares; a response of two values, of ``cbind(successes, failures)``, or of shares of successes with the numbers
        of trials as weights; or numbers with the variance of the family.
    weights : str or None, default None.  A column of weights.
    link : str or None.  As in :class:`~separatrix.linear_model.GeneralizedLinearRegressor`; None is "identity" for
        "gaussian", "logit" for shares, else "log".
    """
    from separatrix.losses.distributions import DISTRIBUTIONS

    if family not in FAMILIES or (link is not None and link not in DISTRIBUTIONS[family].losses):
        raise cannot(
            f"fit {formula} with family={family!r}" + (f" and link={link!r}" if link else ""),
            because="there is no such family" if family not in FAMILIES else "the family has no such link",
            instead="one of " + ", ".join(FAMILIES if family not in FAMILIES else DISTRIBUTIONS[family].losses),
        )
    _needs_formulaic()
    from separatrix.estimators.formula.design import FormulaDesign

    design = FormulaDesign(formula, table, weights)
    frame = design.frame
    X, s, reference, notes, offset = frame.matrix, frame.weights, None, (), frame.offset
    if family in OF_SHARES:
        y, s, reference = _shares(design.formula.response, frame)
        plain = family == "binomial" and link in (None, "logit") and offset is None
        if reference is not None and not plain:  # a model of means, fitted to shares
            y, reference = (np.asarray(y) != reference).astype(np.float64), None
    else:
        y = _numbers(design.formula.response, frame, family)
        if family == "gaussian" and link in (None, "identity") and offset is not None:
            y, notes, offset = y - offset, (OFFSET,), None
    X = _named(X, design.names)
    if not design.names and not design.formula.intercept:
        raise cannot(f"fit {formula!r}", because="it has neither a term nor a constant", instead="at least one term")
    with warnings.catch_warnings():
        if not design.names:
            warnings.simplefilter("ignore", RankDeficient)  # it would name the column of zeros
        known = {} if offset is None else {"offset": offset}
        model = _model(family, link, design.formula.intercept, reference).fit(X, y, sample_weight=s, **known)
    dropped, response = len(table) - len(frame.rows), str(design.formula.response)
    return FormulaFit(model, family, X, y, s, offset, response, design.terms, dropped, design, reference, notes)


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


def _shares(tree, frame):
    """Labels, weights and the label of failure; or shares of successes, numbers of trials, and None."""
    y, s = frame.response, frame.weights
    if isinstance(y, Matrix):
        return _counted(tree, y.values, s)
    if isinstance(y, np.ndarray) and y.dtype.kind == "f" and s is not None and len(np.unique(y)) > 2:
        if ((y < 0.0) | (y > 1.0)).any():
            return _counted(tree, np.column_stack([y, 1.0 - y]), s)  # which says what is wrong
        return y, s, None
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
    trials = counts.sum(axis=1)
    shares = np.divide(counts[:, 0], trials, out=np.zeros(len(trials)), where=trials > 0.0)
    return shares, trials if s is None else trials * s, None


def _model(family, link, intercept, reference):
    from separatrix.linear_model import GeneralizedLinearRegressor, LinearRegression, LogisticRegression

    if family == "gaussian" and link in (None, "identity"):
        return LinearRegression(fit_intercept=intercept)
    if reference is not None:
        return LogisticRegression(C=np.inf, fit_intercept=intercept, tol=1e-12)
    return GeneralizedLinearRegressor(family=family, link=link, fit_intercept=intercept, tol=1e-12, max_iter=500)
