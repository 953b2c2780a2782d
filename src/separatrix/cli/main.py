"""The command ``separatrix``: what it can do, and how it says that something went wrong."""

import click

from separatrix import __version__


class KindGroup(click.Group):
    """Commands whose errors are a sentence, not a stack of frames."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except (ValueError, TypeError, OSError, ImportError) as error:
            if context.params.get("debug"):
                raise
            raise click.ClickException(f"{error}\nRun `separatrix --debug …` to see where it happened.") from error


@click.group(cls=KindGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="separatrix")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
def main(debug):
    """Linear models that prove their answers."""


@main.command()
@click.option(
    "--width", type=click.IntRange(60, 200), default=None, help="Columns to print; the terminal's if not said."
)
def demo(width):
    """Fit, certify and summarise a bundled data set whose answers are known to 15 digits."""
    # numpy and all that follow are imported when a command runs, so that --help answers at once
    from rich.console import Console

    from separatrix.cli.demo import show

    console = Console(highlight=False)
    if width is not None:
        console = Console(highlight=False, width=width)
    elif not console.is_terminal:
        console = Console(highlight=False, width=100)
    show(console)


@main.command()
@click.option("--quiet", is_flag=True, help="No progress bar.")
def warmup(quiet):
    """Compile the loops ahead, so that the first fit is as fast as the second."""
    from rich.console import Console

    from separatrix.cli.warmup import compile_all

    compile_all(Console(highlight=False, quiet=quiet))


if __name__ == "__main__":
    main()
