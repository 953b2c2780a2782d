"""The certificate of a model file, recomputed from the file and the data alone."""

from dataclasses import dataclass
from typing import Any

from separatrix.core.declaration import certificate_of, unwrap
from separatrix.core.refusal import cannot
from separatrix.workflow.provenance import TrainingRows, training_rows


@dataclass(frozen=True)
class Verification:
    """What recomputing a certificate gave.

    Attributes
    ----------
    model : str.  The class that was verified.
    certificate : Certificate or None.  Recomputed; None if there is nothing to verify.
    published : Certificate or None.  The one in the file.
    rows : TrainingRows.
    reason : str.  Why there is nothing to verify; "" if there is something.
    """

    model: str
    certificate: Any
    published: Any
    rows: TrainingRows
    reason: str = ""

    def lines(self):
        """The verdict, then the numbers, then which rows they are about."""
        certificate, lines = self.certificate, []
        if certificate is None:
            lines.append(f"Nothing to verify: {self.reason}")
            if self.published is not None:
                lines.append(f"The certificate in the file: {self.published}.")
        else:
            lines.append(f"{self.model} is {certificate}")
            side = "within" if certificate.converged else "above"
            lines.append(
                f"{certificate.kind} {certificate.value:.3g}, {side} the tolerance {certificate.tolerance:.3g}."
            )
            lines.append(f"Recomputed from {self.rows.description}, and the published model.")
            _, _, rest = certificate.message.partition("not looked at: ")
            if rest:
                lines.append(f"Not looked at: {rest}.")
        if self.rows.same is False:
            lines.append(
                "These are not the data of the fit: their digest differs. The verdict is about the data given."
            )
        elif self.rows.same:
            lines.append("The data are those of the fit: their digest agrees.")
        return lines

    def as_dict(self):
        return {
            "rows": len(self.rows.y),
            "same_data": self.rows.same,
            "certificate": certificate_document(self.certificate),
            "verdict": self.lines()[0],
        }


def verify_file(model, source, *, query=None, tol=None):
    """Recompute the certificate of a model file from the table it was fitted to, and hold it to `tol` or tighter."""
    from separatrix.estimators.verify import NothingToVerify, verify
    from separatrix.persist import about, load
    from separatrix.workflow.datasets import named_table
    from separatrix.workflow.model_file import answering

    recorded = about(model)
    if not recorded.get("understanding"):
        raise cannot(
            f"verify {model}",
            because="it does not say which column it predicts",
            instead="separatrix.verify(model, X, y) in Python, or a file written by `separatrix fit` or `compare`",
        )
    pipeline = load(model)
    rows = training_rows(named_table(source, query=query), recorded)
    with answering(model):
        name, published = type(unwrap(pipeline[-1])).__name__, certificate_of(pipeline[-1])
        try:
            return Verification(name, verify(pipeline, rows.table, rows.y, tol=tol), published, rows)
        except NothingToVerify as nothing:
            return Verification(name, None, published, rows, str(nothing))


def certificate_document(certificate):
    """A certificate for JSON; None where there is none."""
    if certificate is None:
        return None
    return {
        "kind": certificate.kind,
        "value": certificate.value,
        "tolerance": certificate.tolerance,
        "certified": certificate.converged,
        "message": certificate.message,
    }
