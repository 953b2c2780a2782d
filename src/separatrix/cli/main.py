"""The command ``separatrix``: what it can do, and how it says that something went wrong.

Exit codes: 0 done, 1 refused or failed with a sentence on stderr, 2 a command line that cannot be read, 3 nothing to
verify, 70 an error that nobody foresaw, 130 interrupted, 141 the reader of a pipe went away.
"""

import os
import sys
import warnings
from importlib import import_module

import click

from separatrix import __version__

REFUSED, UNFORESEEN, INTERRUPTED, BROKEN_PIPE = 1, 70, 130, 141
# In the order in which a newcomer meets them. Each is a file of this room that imports nothing heavy by itself.
COMMANDS = ("compare", "fit", "predict", "summary", "explain", "verify", "where", "datasets", "warmup", "demo")


class KindGroup(click.Group):
    """Commands that are loaded when they are called, and whose errors are a sentence, not a stack of frames."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        return getattr(import_module(f"separatrix.cli.{name}"), name) if name in COMMANDS else None

    def make_context(self, name, arguments, *rest, **options):
        typed = list(arguments)  # parsing takes them apart
        context = super().make_context(name, arguments, *rest, **options)
        context.meta["command line"] = ["separatrix", *typed]
        return context

    def resolve_command(self, context, arguments):
        name = arguments[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(COMMANDS)}."
            context.fail(f"No such command {name!r}. {hint}")
        return super().resolve_command(context, arguments)

    def invoke(self, context):
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _note
                found = super().invoke(context)
            sys.stdout.flush()  # a reader that went away shows here, not after the last line of Python
            return found
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _forget_stdout()
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if context.params.get("debug"):
                raise
            raise _told(error) from error


def _note(message, category, *where, **more):
    """A warning of ours as a line on stderr; those of other libraries are not for the user of a command."""
    if category.__module__.startswith("separatrix"):
        click.echo(f"Note: {message}", err=True)


def _told(error):
    """An exception as a sentence for stderr, with the exit code that belongs to it."""
    words = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)  # KeyError adds quotes
    foreseen = words.startswith("Cannot ") or isinstance(error, OSError)
    if foreseen:
        return click.ClickException(words)
    said = click.ClickException(
        f"{type(error).__name__}: {words}\nNobody foresaw this. Add --debug to see where it happened."
    )
    said.exit_code = UNFORESEEN
    return said


def _forget_stdout():
    """Point stdout at nothing, so that what is still buffered does not fail again while Python ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout without a file, as in a test
        return


@click.group(cls=KindGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "-V", "--version", prog_name="separatrix")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
def main(debug):
    """From a table to a model you can trust.

    Begin with

      separatrix compare TABLE.csv --target COLUMN

    which tries every fitting family of models under the same folds, recommends one, and writes a report and a model
    file. Each command has examples in its own --help.
    """


if __name__ == "__main__":
    main()
