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
    # numpy and the rest are imported when a command runs, so that --help answers at once
    from separatrix.cli import output
    from separatrix.workflow.demo import demonstrate

    shown = demonstrate()
    if as_json:
        output.write_json("demo", shown.as_dict())
        return
    out = output.console()
    if width is not None:
        out.width = width
    _show(out, shown)


def _show(out, shown):
    from rich.padding import Padding
    from rich.text import Text

    from separatrix.cli.output import print_table

    def part(title, sentence, content):
        out.print(Padding(Text.assemble((f"{title}  ", "bold cyan"), sentence), (1, 1, 0, 1)))
        print_table(out, content)

    economy = "Sixteen years of the US economy, in six columns that nearly repeat each other."
    part("1 Fit", economy, _digits(shown.coefficients))
    certificate = shown.model.certificate_
    bound = "No other coefficients have a squared error less by more than this share of the mean's."
    part("2 Certify", bound, Text(f" {certificate}; {certificate.message}", style="green"))
    significant = "The last column: digits that rounding to float64 could not have changed."
    part("3 Summarise", significant, shown.model.summary())
    spent = f"Ridge, tuned by exact leave-one-out, spends {shown.ridge_df:.1f} of 7 degrees of freedom; a lasso picks."
    part("4 Shrink", spent, _path(shown.lasso_steps))


def _digits(coefficients):
    """Our coefficients beside NIST's, with the digits that agree, and those of the textbook formula."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("separatrix", justify="right", no_wrap=True)
    table.add_column("certified by NIST", justify="right", no_wrap=True)
    table.add_column("digits right", justify="right", style="bold green")
    table.add_column("textbook formula", justify="right", style="yellow")
    for name, estimate, certified, digits, textbook in coefficients:
        table.add_row(name, f"{estimate:#.15g}", f"{certified:#.15g}", f"{digits:.1f}", f"{textbook:.1f}")
    return table


def _path(steps):
    """The lasso's path on standardised columns, one row for each set of columns."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("lasso alpha", justify="right", no_wrap=True)
    table.add_column("R² up to", justify="right", style="bold green")
    table.add_column("columns in the model")
    for first, last, r2, names in steps:
        table.add_row(f"{first:.0f} to {last:.0f}", f"{r2:.3f}", ", ".join(names))
    return table
