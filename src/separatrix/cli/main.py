"""The command ``separatrix``: its subcommands and its errors.

Exit codes: 0 success, 1 failure with a message on stderr, 2 invalid command line, 3 nothing to verify, 70 unexpected
error, 130 interrupted, 141 broken pipe.
"""

import os
import sys
import warnings
from importlib import import_module

import click

from separatrix import __version__

UNEXPECTED, INTERRUPTED, BROKEN_PIPE = 70, 130, 141
# In the order of --help. Each is a file of this package that imports nothing heavy at its top.
COMMANDS = ("compare", "fit", "predict", "summary", "explain", "verify", "where", "datasets", "warmup", "demo")


class LazyGroup(click.Group):
    """Commands that are imported when they are called; their errors are messages, not tracebacks."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        return getattr(import_module(f"separatrix.cli.{name}"), name) if name in COMMANDS else None

    def make_context(self, name, arguments, *rest, **options):
        typed = list(arguments)  # parsing consumes them
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
                warnings.showwarning = _print_warning
                result = super().invoke(context)
            sys.stdout.flush()  # raises BrokenPipeError here instead of at exit
            return result
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _discard_stdout()
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if context.params.get("debug"):
                raise
            raise _as_message(error) from error


def _print_warning(message, category, *where, **more):
    """Print a warning of this library on stderr; drop those of other libraries."""
    if category.__module__.startswith("separatrix"):
        click.echo(f"Note: {message}", err=True)


def _as_message(error):
    """An exception as a click exception, with its message and exit code."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)  # KeyError adds quotes
    if text.startswith("Cannot ") or isinstance(error, OSError):
        return click.ClickException(text)
    message = click.ClickException(
        f"{type(error).__name__}: {text}\nUnexpected error; please report it. Add --debug to see where it happened."
    )
    message.exit_code = UNEXPECTED
    return message


def _discard_stdout():
    """Redirect stdout to the null device, so that flushing its buffer at exit does not fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a file, as in tests
        return


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
