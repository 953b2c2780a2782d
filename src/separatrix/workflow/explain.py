"""The prediction of one row of a table by a model file, explained."""

from dataclasses import dataclass
from typing import Any

from separatrix.core.refusal import cannot


@dataclass(frozen=True)
class ExplainedRow:
    """An explanation with what it is about.

    Attributes
    ----------
    model : str.  The model file.
    source : str.  Where the table came from.
    row : int.  Counted from 1.
    target : str or None.  The predicted column, where the file names it.
    explanation : Explanation.
    """

    model: str
    source: str
    row: int
    target: str | None
    explanation: Any

    def as_dict(self):
        return {"model": self.model, "table": self.source, "row": self.row, **self.explanation.as_dict()}


def explain_row(model, source, row, *, query=None):
    """Explain the prediction of one row, counted from 1, by the model of a file."""
    from separatrix.inference.explain import explain
    from separatrix.persist import about, load
    from separatrix.workflow.datasets import named_table
    from separatrix.workflow.model_file import answering
    from separatrix.workflow.provenance import reference_of

    recorded, table = about(model), named_table(source, query=query)
    if row > len(table):
        raise cannot(
            f"explain row {row} of {table.source}",
            because=f"it has {len(table):,} rows",
            instead=f"--row 1 to {len(table)}",
        )
    loaded, reference = load(model), reference_of(recorded)
    with answering(model):
        explanation = explain(loaded, table.take([row - 1]), reference=reference)
    return ExplainedRow(model, table.source, row, recorded.get("target"), explanation)
