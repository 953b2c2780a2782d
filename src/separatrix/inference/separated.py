"""What a summary says of separated classes: which coefficients have a finite estimate, by proof."""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.solvers.separation.existence import separation_of

NO_MAXIMUM = "Separation is {}, by proof: the likelihood has no maximum."
INFINITE = (
    "Infinite: {}. A sign is that of the fit under a vanishing ridge penalty; neither standard errors nor Wald tests "
    "exist."
)
FINITE = "The other coefficients are estimated by the {} rows on the boundary."
UNKNOWN = (
    "Of dependent columns the proof leaves out others than the fit does: which coefficients are finite is not known. "
    "Drop these columns."
)
FIRTH = "FirthLogisticRegression gives finite estimates and intervals."


def proof_of(model, fit, evidence):
    """The verdict on separation: kept by the model, or decided on the data where they are given; None where unknown.

    Parameters
    ----------
    model : fitted logistic model.
    fit : Likelihood or None.  The fit with its data.
    evidence : LikelihoodStatistics.
    """
    proof = vars(model).get("separation_")
    if proof is not None or evidence.penalised or not evidence.sure:
        return proof
    if fit is None or fit.design.is_streamed:
        return None
    return separation_of(
        fit.problem,
        model.coef_[0] if len(model.classes_) == 2 else model.coef_.T,
        model.intercept_,
        n_classes=len(model.classes_),
        names=vars(model).get("feature_names_in_"),
        classes=model.classes_,
    )


def infinite_coefficients(proof, evidence, place):
    """Which of the coefficients (q, k) have no finite estimate, as the proof says; None where it cannot be said.

    `place` is that of the reference class.
    """
    infinite = np.zeros(evidence.coefficients.shape, dtype=bool)
    if proof is None or proof.exists is not False:
        return infinite
    if infinite.shape[1] > 1 and place:
        raise cannot(
            "summarise separated classes against another reference",
            because="the proof says which differences from the first class are infinite",
            instead="reference=None (default)",
        )
    if not _same_aliases(proof, evidence):
        return None
    labels = [*(evidence.classes or range(infinite.shape[1] + 1))][1:]
    for j, name in enumerate(proof.names):
        for k, label in enumerate(labels):
            infinite[j, k] = (name if len(labels) == 1 else (name, label)) in proof.infinite
    return infinite


def _same_aliases(proof, evidence):
    """Whether the proof and the table leave out the same of dependent columns."""
    first = int(evidence.intercept)
    left_out = {proof.names[first + j] for j in evidence.aliased}
    return left_out == {name if isinstance(name, str) else name[0] for name in proof.aliased}


def separation_note(proof, evidence, tables):
    """One paragraph about separation; None where no row raises the question."""
    if proof is None:
        return _unknown(evidence.sure) if evidence.sure and not evidence.penalised else None
    if proof.exists is None:
        return proof.advice()
    if proof.exists:
        return f"{_sure_rows(evidence.sure)}, and yet the classes overlap, by proof: the estimates exist."
    notes = [NO_MAXIMUM.format(proof.verdict)]
    rows = [row for table in tables for row in table.rows if not row.aliased]
    if _same_aliases(proof, evidence):
        names = list(dict.fromkeys(row.name for row in rows if row.infinite))
        notes.append(INFINITE.format(", ".join(names[:8]) + (", …" if len(names) > 8 else "")))
        if len(rows) > sum(row.infinite for row in rows):
            notes.append(FINITE.format(len(proof.rows_on_boundary)))
    else:
        notes.append(UNKNOWN)
    return " ".join([*notes, FIRTH] if len(tables) == 1 else notes)


def _unknown(sure):
    return f"{_sure_rows(sure)}: summary(X, y) decides whether the classes are separated."


def _sure_rows(sure):
    rows = "1 row has a fitted probability" if sure == 1 else f"{sure} rows have fitted probabilities"
    return f"{rows} of 0 or 1 to eight digits"
