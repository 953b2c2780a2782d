"""``separatrix verify MODEL TABLE``."""

import click

from separatrix.cli.options import as_json, command, query

NOTHING_TO_VERIFY = 3


@command(
    "separatrix verify model.sepx heart.csv",
    "separatrix verify model.sepx heart.csv && echo trusted",
    short_help="Recompute the certificate of a model from the data it was fitted to.",
)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("table")
@query
@as_json
def verify(model, table, query, as_json):
    """Recompute the certificate of a model file from the file and the data alone.

    TABLE is the table that the model was fitted to; the training rows are found again by the seed in the model file.
    The exit code is 0 if the model is certified, 1 if it is not, and 3 if it states no problem that could be verified
    (a count, a vote, a closed form).
    """
    from separatrix.cli import provenance, screen
    from separatrix.estimators.verify import verify as recompute
    from separatrix.persist import about, load

    remembered = about(model)
    if not remembered.get("understanding"):
        from separatrix.core.refusal import cannot

        raise cannot(
            f"verify {model}",
            because="it does not say which column it predicts",
            instead="separatrix.verify(model, X, y) in Python, or a file written by `separatrix fit` or `compare`",
        )
    whole = load(model)
    rows = provenance.training_rows(read_table(table, query), remembered)
    inner = stating(whole[-1])
    certificate = recompute(inner, whole[:-1].transform(rows.table), rows.y) if inner is not None else None
    kept = getattr(inner if inner is not None else whole[-1], "certificate_", None)
    told = _told(type(inner if inner is not None else whole[-1]).__name__, certificate, kept, rows)
    if as_json:
        from separatrix.cli.fit import certificate_document

        facts = {"model": model, "table": table, "rows": len(rows.y), "same_data": rows.same}
        screen.write_json("verify", {**facts, "certificate": certificate_document(certificate), "verdict": told[0]})
    else:
        out = screen.console()
        for place, line in enumerate(told):
            screen.say(out, line, "bold" if place == 0 else None, gap=False)
    if certificate is None:
        click.get_current_context().exit(NOTHING_TO_VERIFY)
    if not certificate.converged:
        click.get_current_context().exit(1)


def read_table(table, query):
    from separatrix.tables import read

    return read(table, query=query)


def stating(model):
    """The model that states a problem: itself, or the one within a search or a calibration; None if none does."""
    while model is not None and not (hasattr(model, "_restate") and getattr(model, "certificate_", None) is not None):
        model = getattr(model, "best_estimator_", getattr(model, "estimator_", None))
    return model


def _told(name, certificate, kept, rows):
    """The verdict first, then the numbers, then which rows it is about."""
    lines = []
    if certificate is None:
        lines.append(f"Nothing to verify: {name} states no problem whose optimum could be recomputed.")
        if kept is not None:
            lines.append(f"Of the fit itself it says: {kept}.")
    else:
        lines.append(f"{name} is {certificate}")
        comparison = "within" if certificate.converged else "above"
        lines.append(
            f"{certificate.kind} {certificate.value:.3g}, {comparison} the tolerance {certificate.tolerance:.3g}."
        )
        lines.append(f"Recomputed from {rows.words}, and the published coefficients.")
    if rows.same is False:
        lines.append("These are not the data of the fit: their digest differs. The verdict is about the data given.")
    elif rows.same:
        lines.append("The data are those of the fit: their digest agrees.")
    return lines
