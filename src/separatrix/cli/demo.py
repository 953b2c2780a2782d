"""``separatrix demo``."""

import click

from separatrix.cli.options import as_json, command


@command(
    "separatrix demo",
    "separatrix demo --json | jq .coefficients.gnp",
    short_help="Fit a data set whose answers are known to 15 digits.",
)
@click.option(
    "--width", type=click.IntRange(60, 200), default=None, help="Columns to print; the terminal's if not said."
)
@as_json
def demo(width, as_json):
    """Fit, certify and summarise a bundled data set whose answers are known to 15 digits."""
    # numpy and all that follow are imported when a command runs, so that --help answers at once
    from separatrix.cli import demonstration, screen

    if as_json:
        screen.write_json("demo", demonstration.numbers())
        return
    out = screen.console()
    if width is not None:
        out.width = width
    demonstration.show(out)
