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
@click.option(
    "--tol",
    type=click.FloatRange(min=0.0),
    help="Hold the model to this tolerance, if it is tighter than the library's own.",
)
@query
@as_json
def verify(model, table, tol, query, as_json):
    """Recompute the certificate of a model file from the file and the data alone.

    The tolerance is the verifier's: the model is held to the tolerance of its fit, but to 1e-8 at the most (or to the
    default of its class, where that is looser), whatever the file says; --tol makes it tighter, never looser.

    TABLE is the table that the model was fitted to, a file or the name of a bundled data set; the training rows are
    rebuilt from the seed in the model file.
    The exit code is 0 if the model is certified, 1 if it is not, and 3 if it has nothing that could be verified.
    """
    from separatrix.cli import output
    from separatrix.workflow.verify import verify_file

    verification = verify_file(model, table, query=query, tol=tol)
    if as_json:
        output.write_json("verify", {"model": model, "table": table, **verification.as_dict()})
    else:
        out = output.console()
        for place, line in enumerate(verification.lines()):
            output.paragraph(out, line, "bold" if place == 0 else None, gap=False)
    if verification.certificate is None:
        click.get_current_context().exit(NOTHING_TO_VERIFY)
    if not verification.certificate.converged:
        click.get_current_context().exit(1)
