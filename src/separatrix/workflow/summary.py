"""The summary of a formula fitted to a table, as R prints it: ``chd ~ tobacco + ldl + famhist + age``."""

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import is_classifier

from separatrix.workflow.formula import EMPTY, OF_MEANS, FormulaFit, fit_formula

# What weights mean where nothing else is said, as in R: numbers of trials, or inverse variances.
MEANINGS = {"binomial": "frequency"}


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

    @property
    def rows(self):
        """How many rows of the table were used."""
        return len(self.fit.design.frame.rows)

    def as_dict(self):
        return {
            "table": self.source,
            "formula": self.formula,
            "family": self.family,
            "weights": self.fit.design.weights,
            "rows": self.rows,
            "dropped": self.fit.dropped,
            "summary": self.summary.to_dict(),
            "terms": self.tests.to_dict() if self.tests is not None else None,
        }


def summarise_table(
    source,
    formula,
    family,
    *,
    weights=None,
    meaning=None,
    link=None,
    robust=None,
    level=0.95,
    profile=False,
    terms=False,
    query=None,
):
    """Fit a formula to a table and summarise it.

    Parameters
    ----------
    source, query : what `read` takes.  formula, family, weights, link : as in :func:`fit_formula`.
    meaning : {"precision", "frequency"} or None.  What the weights are: inverse variances up to a factor, or numbers of
        repetitions. None: as in R, the latter for "binomial", the former for all others.
    robust : {"HC0", "HC1", "HC2", "HC3"} or None.  None: classical standard errors.
    level : float, (0, 1).  Of the confidence intervals.
    profile : bool.  Profile-likelihood intervals instead of Wald's.
    terms : bool.  Whether to test each term as a whole.
    """
    from separatrix.tables import read

    table = read(source, query=query)
    fit = fit_formula(table, formula, family, weights, link)
    summary = summary_of(fit, meaning, robust=robust, level=level, profile=profile)
    return FormulaSummary(table.source, formula, family, fit, summary, _tests(fit) if terms else None)


def summary_of(fit, meaning=None, *, robust=None, level=0.95, profile=False):
    """The summary of a fitted formula; parameters as in :func:`summarise_table`."""
    options = {"covariance": robust or "classical", "level": level}
    if is_classifier(fit.model):
        options["reference"] = fit.reference
    if profile:
        options["intervals"] = "profile"
    if fit.weights is not None:
        options.update(sample_weight=fit.weights, weights=meaning or MEANINGS.get(fit.family, "precision"))
    data = (fit.X, fit.y)
    if fit.family in OF_MEANS and fit.design.frame.offset is not None and robust is None:
        data = ()  # the model knows what it needs; X and y alone would lack the offset
        options.pop("sample_weight", None)
    summary = fit.model.summary(*data, **options)
    if EMPTY in fit.X.columns:
        tables = (replace(t, rows=tuple(row for row in t.rows if row.name != EMPTY)) for t in summary.tables)
        notes = tuple(note for note in summary.notes if EMPTY not in note)
        summary = replace(summary, tables=tuple(tables), notes=notes)
    return replace(summary, notes=summary.notes + fit.notes)


def _tests(fit):
    from separatrix.inference import anova

    return anova(fit.model, fit.X, fit.y, sample_weight=fit.weights, terms=fit.terms)
