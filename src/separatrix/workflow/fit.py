"""One model fitted to a table, with its preparation, and written to a file."""

from dataclasses import dataclass
from typing import Any

from separatrix.core.atomic_file import check_writable
from separatrix.core.declaration import certificate_of
from separatrix.workflow.verify import certificate_document


@dataclass(frozen=True)
class FittedTable:
    """A pipeline fitted to a table.

    Attributes
    ----------
    source : str.  Where the table came from.
    understanding : Understanding.
    name : str.  The family's name on the leaderboard, or the class.
    pipeline : fitted Pipeline; its last step is the model.
    rows : int.  Rows with a target, which the model was fitted to.
    path : str.  The model file.
    """

    source: str
    understanding: Any
    name: str
    pipeline: Any
    rows: int
    path: str

    @property
    def model(self):
        return self.pipeline[-1]

    @property
    def certificate(self):
        """The certificate of the model, or of the one within a search or calibration; None if there is none."""
        return certificate_of(self.model)

    def as_dict(self):
        return {
            "table": self.source,
            "understanding": self.understanding.as_dict(),
            "family": self.name,
            "class": type(self.model).__name__,
            "parameters": _plain_parameters(self.model),
            "rows": self.rows,
            "certificate": certificate_document(self.certificate),
            "model": self.path,
        }


def fit_table(
    source, target, family, path, *, settings=(), task=None, exclude=(), query=None, seed=0, command=(), understood=None
):
    """Fit one family or class to all rows of a table that have a target, and write a model file.

    Parameters
    ----------
    source, query : what :func:`named_table` takes.
    target : str or None.  None is that of a bundled data set.
    family : str.  path : str.
    settings : sequence of "name=value".  Parameters of the model.
    task : {"classification", "regression"} or None.  None: decided from the target.
    exclude : sequence of str.  Columns to leave out.
    command : sequence of str.  The command line, recorded in the file.
    understood : callable or None.  Called with the Understanding of the table before anything is fitted.
    """
    from separatrix.inference.original_columns import Reference
    from separatrix.persist import save
    from separatrix.tables import target_values, understand
    from separatrix.workflow.datasets import named_table, named_target
    from separatrix.workflow.models import fitted
    from separatrix.workflow.provenance import provenance

    check_writable(path, others=(source,))
    table, target = named_table(source, query=query), named_target(source, target, query=query)
    understanding = understand(table, target, task=task, exclude=exclude)
    y, labelled = target_values(table, understanding)
    rows = table.take(labelled)
    if understood is not None:
        understood(understanding)
    pipeline, name = fitted(understanding, rows, y, family, settings, seed)
    reference = Reference.of(pipeline, rows).as_dict()
    save(pipeline, path, about=provenance(table, understanding, family=name, command=command, reference=reference))
    return FittedTable(table.source, understanding, name, pipeline, len(rows), path)


def _plain_parameters(model):
    """The parameters of a model; those that JSON cannot hold, as text."""
    plain = (bool, int, float, str, type(None))
    return {
        key: value if isinstance(value, plain) else str(value) for key, value in model.get_params(deep=False).items()
    }
