"""A model from a formula and a table, as in R: ``chd ~ tobacco + ldl + famhist + age``, fitted without a penalty."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.core.refusal import cannot
from separatrix.tables.table import is_number, meant, shown

FAMILIES = ("gaussian", "binomial")


@dataclass(frozen=True)
class FormulaFit:
    """A fitted model with the data of its fit.

    Attributes
    ----------
    model : LinearRegression or LogisticRegression, without a penalty.
    X : pandas frame.  The columns of the formula, without the constant.
    y : array.
    response : str.  What stands left of the ``~``.
    terms : dict.  From the name of a term to its columns.
    dropped : int.  Rows left out because a value was missing.
    """

    model: Any
    X: Any
    y: np.ndarray
    response: str
    terms: dict
    dropped: int


@dataclass(frozen=True)
class FormulaSummary:
    """A summary of a formula fitted to a table.

    Attributes
    ----------
    source : str.  Where the table came from.
    formula, family : str.
    fit : FormulaFit.  summary : Summary.
    tests : Summary or None.  A likelihood-ratio test of each term.
    """

    source: str
    formula: str
    family: str
    fit: FormulaFit
    summary: Any
    tests: Any

    def as_dict(self):
        return {
            "table": self.source,
            "formula": self.formula,
            "family": self.family,
            "rows": len(self.fit.y),
            "dropped": self.fit.dropped,
            "summary": self.summary.to_dict(),
            "terms": self.tests.to_dict() if self.tests is not None else None,
        }


def summarise_table(source, formula, family, *, robust=None, level=0.95, profile=False, terms=False, query=None):
    """Fit a formula to a table and summarise it.

    Parameters
    ----------
    source, query : what `read` takes.  formula, family : as in :func:`fit_formula`.
    robust : {"HC0", "HC1", "HC2", "HC3"} or None.  None: classical standard errors.
    level : float, (0, 1).  Of the confidence intervals.
    profile : bool.  Profile-likelihood intervals instead of Wald's.
    terms : bool.  Whether to test each term as a whole.
    """
    from separatrix.inference import anova
    from separatrix.tables import read

    table = read(source, query=query)
    fit = fit_formula(table, formula, family)
    options = {"covariance": robust or "classical", "level": level, **({"intervals": "profile"} if profile else {})}
    summary = fit.model.summary(fit.X, fit.y, **options)
    tests = anova(fit.model, fit.X, fit.y, terms=fit.terms) if terms else None
    return FormulaSummary(table.source, formula, family, fit, summary, tests)


def fit_formula(table, formula, family):
    """Fit ``response ~ terms`` to the rows of a table without missing values.

    Parameters
    ----------
    table : Table.
    formula : str.  In the language of formulaic, which is that of R: ``y ~ a + log(b) + C(c) + a:b - 1``.
    family : {"gaussian", "binomial"}.  Least squares, or logistic regression of a response of two values.
    """
    formulaic = _formulaic()
    try:
        parsed = formulaic.Formula(formula)
        left, right = parsed.lhs, parsed.rhs
    except AttributeError:
        raise cannot(
            f"read the formula {formula!r}", because="it has no response", instead="'response ~ term + term'"
        ) from None
    except Exception as error:  # formulaic has no common ancestor for what it raises
        raise _unreadable(formula, error) from error
    used = [name for name in table.names if name in {str(variable) for variable in parsed.required_variables}]
    missing = sorted({str(v) for v in parsed.required_variables} - set(table.names))
    missing = [name for name in missing if name.isidentifier() or name not in formula]
    if missing:
        raise cannot(
            f"find the column {missing[0]!r} of the formula",
            because=f"{table.source or 'the table'} has the columns {shown(table.names)}",
            instead=meant(missing[0], table.names) or "one of them; odd names go between backquotes, `like this`",
        )
    table, dropped = _complete(table.select(used))
    frame = _frame(table)
    try:
        matrix = formulaic.model_matrix(right, frame, na_action="raise")
    except Exception as error:
        raise _unreadable(formula, error) from error
    response = str(left).strip()
    y = _response(table, frame, left, response, family, formulaic)
    terms = {str(term): [matrix.columns[j] for j in places] for term, places in matrix.model_spec.term_indices.items()}
    intercept = "Intercept" in matrix.columns
    terms.pop("1", None)
    X = matrix.drop(columns="Intercept") if intercept else matrix
    if not X.shape[1]:
        raise cannot(f"fit {formula!r}", because="it has no column beside the constant", instead="at least one term")
    return FormulaFit(_model(family, intercept).fit(X, y), X, y, response, terms, dropped)


def _formulaic():
    try:
        import formulaic
        import pandas  # noqa: F401  formulaic works on its frames
    except ImportError:
        raise ImportError(
            "Cannot read a formula: formulaic is not installed. Use `pip install 'separatrix[formula]'`, or "
            "`separatrix fit`, which needs no formula."
        ) from None
    return formulaic


def _unreadable(formula, error):
    words = " ".join(str(error).split()) or type(error).__name__
    return cannot(f"read the formula {formula!r}", because=words.rstrip("."), instead="'response ~ term + term'")


def _complete(table):
    """The rows in which no value is missing, and how many are not among them."""
    whole = np.ones(len(table), dtype=bool)
    for column in table.columns:
        whole &= ~np.isnan(column) if is_number(column) else np.array([value is not None for value in column], bool)
    if not whole.any():
        raise cannot(
            f"fit the {len(table)} rows of {table.source or 'the table'}",
            because="each misses a value of some column of the formula",
            instead="fewer columns",
        )
    return (table if whole.all() else table.take(np.flatnonzero(whole))), int((~whole).sum())


def _frame(table):
    """A pandas frame; whole numbers as integers, so that levels made of them are called 2, not 2.0."""
    import pandas as pd

    def told(column):
        whole = is_number(column) and (np.abs(column) < 2.0**53).all() and (column == np.floor(column)).all()
        return column.astype(np.int64) if whole else column

    return pd.DataFrame({name: told(column) for name, column in zip(table.names, table.columns)})


def _response(table, frame, left, response, family, formulaic):
    """The response: a column as it stands, or what an expression of columns gives."""
    name = response.strip("`")
    if name in table:
        y = table[name]
    else:
        y = np.asarray(formulaic.model_matrix(left, frame, na_action="raise"))
        y = y[:, -1] if y.ndim == 2 and y.shape[1] in (1, 2) else y
    if family == "gaussian":
        if y.dtype.kind not in "fiu" or y.ndim != 1:
            raise cannot(
                f"fit {response} with --family gaussian", because="it is no number", instead="--family binomial"
            )
        return y.astype(np.float64)
    values = sorted(set(y.tolist()), key=str)
    if len(values) != 2:
        raise cannot(
            f"fit {response} with --family binomial",
            because=f"it has {len(values)} different values, not two",
            instead="a response of two values, or --family gaussian",
        )
    if y.dtype.kind == "f" and all(float(value).is_integer() for value in values):
        return y.astype(np.int64)
    return y.astype(str) if y.dtype.kind == "O" else y


def _model(family, intercept):
    from separatrix.linear_model import LinearRegression, LogisticRegression

    if family == "gaussian":
        return LinearRegression(fit_intercept=intercept)
    return LogisticRegression(C=np.inf, fit_intercept=intercept, tol=1e-12)
