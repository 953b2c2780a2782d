"""The certificate: a proof that the fit solves its problem."""

from separatrix.core.declaration import certificate_of, declaration
from separatrix.core.solution import named
from separatrix.estimators.verify import verify
from separatrix.report.blocks import Facts, Note, Text
from separatrix.report.numbers import short
from separatrix.report.registry import Skipped, section

MEANINGS = {
    "gap": (
        "The fit minimises an objective. The gap is a proven bound on how far the objective could still fall, as a "
        "share of its value for a model without columns: no better solution exists beyond it."
    ),
    "gradient": (
        "At the best solution the slope of the objective is zero in every direction. The value is the largest slope "
        "that is left, relative to that of a model without columns. Little is gained nearby; that no better solution "
        "exists is not proved."
    ),
    "residual": "The fit solves equations. The value is how far they are from being met, relative to their terms.",
    "KKT violation": "The value is how far the fit is from the conditions that only the best solution meets.",
    "mistakes": "The value is the number of training rows on the wrong side of the boundary in the last pass.",
}
RECOMPUTED = (
    "publishes no certificate: its fit minimises nothing; separatrix verify recomputes its numbers from the rows"
)


@section("certificate", "The certificate", order=120, always=True)
def certificate(context):
    """The certificate of the fit, and the same recomputed from the model and the rows."""
    published = certificate_of(context.model)
    if published is None:
        how = declaration(context.model).verification
        said = f"publishes no certificate: {how}" if isinstance(how, str) else RECOMPUTED
        raise Skipped(f"{context.standing.family} {said}.")
    kind = published.kind
    verdict = f"The fit is {published.verdict}{'.' if published.converged else ': treat its numbers with care.'}"
    meaning = declaration(context.model).certifies or MEANINGS.get(
        kind, "The value says how far the fit is from an exact solution."
    )
    pairs = [
        ("kind", kind if kind == "mistakes" else named(kind)),
        ("value", short(published.value, 2)),
        ("tolerance", short(published.tolerance, 2)),
    ]
    if published.iterations:
        pairs.append(("iterations", f"{published.iterations:,}"))
    parts = [Text(verdict, strong=True), Text(meaning), Facts(tuple(pairs))]
    return [*parts, *_recomputed(context, published)]


def _recomputed(context, published):
    """The certificate by code that no solver owns, where the model states the problem it solves."""
    if isinstance(declaration(context.model).verification, str):
        return [Note("The value is that of the fit; this kind of model is not recomputed from the rows.")]
    try:
        recomputed = verify(context.model, context.prepared, context.comparison.y_train)
    except (ValueError, TypeError, AttributeError) as failure:
        return [Note(f"It could not be recomputed from the training rows: {failure}", missing=True)]
    word = recomputed.verdict
    rows = f"{len(context.comparison.y_train):,} training rows"
    if published.converged and not recomputed.converged:
        word += " on these rows. That is expected of a model that was fitted to a part of them, and an error otherwise"
    return [
        Text(
            f"Recomputed from the {rows} and the published numbers of the model alone, by code that no solver owns: "
            f"{word}, {short(recomputed.value, 2)} (tolerance {short(recomputed.tolerance, 2)})."
        )
    ]
