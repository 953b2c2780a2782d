"""The summary of a formula fitted to a table, as R prints it: ``chd ~ tobacco + ldl + famhist + age``."""

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import is_classifier

from separatrix.core.refusal import cannot
from separatrix.workflow.formula import EMPTY, FormulaFit, fit_formula


@dataclass(frozen=True)
class FormulaSummary:
    """A summary of a formula fitted to a table.

    Attributes
    ----------
    source : str.  Where the table came from.
    formula, family : str.
    fit : FormulaFit.  summary : Summary.
    tests : Listing or None.  A test of each term, by F or likelihood ratio.
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
    cluster=None,
    level=0.95,
    profile=False,
    terms=None,
    query=None,
):
    """Fit a formula to a table and summarise it.

    Parameters
    ----------
    source, query : what :func:`named_table` takes.  formula, family, weights, link : as in :func:`fit_formula`.
    meaning : {"precision", "frequency"} or None.  What the weights are: inverse variances up to a factor, or numbers of
        repetitions. None: as in R the former; of a response of two values the latter.
    robust : {"HC0", "HC1", "HC2", "HC3"} or None.  None: classical standard errors.
    cluster : str or None.  A column of labels: rows of one label may depend on each other. Errors are HC0 or HC1.
    level : float, (0, 1).  Of the confidence intervals.
    profile : bool.  Profile-likelihood intervals instead of Wald's.
    terms : {"drop", "sequential", "type II"} or None.  Whether to test each term as a whole, and how: see
        :func:`separatrix.inference.anova`.
    """
    from separatrix.workflow.datasets import named_table

    table = named_table(source, query=query)
    fit = fit_formula(table, formula, family, weights, link)
    labels = None if cluster is None else _labels(table, cluster, fit)
    summary = summary_of(fit, meaning, robust=robust, cluster=labels, level=level, profile=profile)
    return FormulaSummary(table.source, formula, family, fit, summary, _tests(fit, terms, meaning) if terms else None)


def _labels(table, cluster, fit):
    """The column of clusters, in the rows of the fit."""
    if cluster not in table:
        raise cannot(
            f"find the column {cluster!r} of the clusters",
            because=f"{table.source or 'the table'} has the columns {', '.join(table.names)}",
            instead="one of them",
        )
    return table[cluster][fit.design.frame.rows]


def meaning_of_weights(fit, meaning=None):
    """What the weights of a fitted formula mean: as in R, unless something else is said."""
    return meaning or ("frequency" if is_classifier(fit.model) else "precision")


def summary_of(fit, meaning=None, *, robust=None, cluster=None, level=0.95, profile=False):
    """The summary of a fitted formula; parameters as in :func:`summarise_table`, `cluster` an array of labels."""
    options = {"covariance": robust, "cluster": cluster, "level": level}
    if is_classifier(fit.model):
        options["reference"] = fit.reference
    if profile:
        options["intervals"] = "profile"
    if fit.weights is not None:
        options["weights"] = meaning_of_weights(fit, meaning)
    data, others = fit.data
    summary = fit.model.summary(*data, **others, **options)
    if EMPTY in fit.X.columns:
        tables = (replace(t, rows=tuple(row for row in t.rows if row.name != EMPTY)) for t in summary.tables)
        notes = tuple(note for note in summary.notes if EMPTY not in note)
        summary = replace(summary, tables=tuple(tables), notes=notes)
    return replace(summary, notes=summary.notes + fit.notes)


def _tests(fit, order, meaning):
    from separatrix.inference import anova

    data, others = fit.data
    weights = "frequency" if fit.weights is None else meaning_of_weights(fit, meaning)
    return anova(fit.model, *data, **others, terms=fit.terms, order=order, weights=weights)
