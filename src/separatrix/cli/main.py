"""The command ``separatrix``: its subcommands and its errors.

Exit codes: 0 success, 1 failure with a message on stderr, 2 invalid command line, 3 nothing to verify, 70 unexpected
error, 130 interrupted, 141 broken pipe, 143 terminated.
"""

import errno
import sys
import time
import warnings
from contextlib import contextmanager
from importlib import import_module

import click

from separatrix import __version__
from separatrix.cli import start, streams
from separatrix.core.printable import printable

UNEXPECTED, BROKEN_PIPE = 70, 141
# In the order of --help. Each is a file of this package that imports nothing heavy at its top.
COMMANDS = ("compare", "fit", "predict", "summary", "explain", "verify", "where", "datasets", "warmup", "demo")


class LazyGroup(click.Group):
    """Commands that are imported when they are called; their errors are messages, not tracebacks."""

    def list_commands(self, context):
        return list(COMMANDS)

    def get_command(self, context, name):
        return getattr(import_module(f"separatrix.cli.{name}"), name) if name in COMMANDS else None

    def main(self, *arguments, **options):
        streams.prepare_streams()
        try:
            return super().main(*arguments, **options)
        except OSError as error:  # of printing --help
            print(f"Error: {_sentence(error)}", file=sys.stderr)
            sys.exit(1)

    def make_context(self, name, arguments, *rest, **options):
        typed, started = list(arguments), time.monotonic()  # parsing consumes them; a budget counts from here
        with _clean_endings():
            context = super().make_context(name, arguments, *rest, **options)
        context.meta["command line"] = ["separatrix", *typed]
        context.meta["started"] = started
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
        with _clean_endings(context), warnings.catch_warnings():
            if any(action == "error" for action, *_ in warnings.filters):  # -W error is for programs, not for users
                warnings.simplefilter("default")
            warnings.showwarning = _print_warning
            result = super().invoke(context)
            sys.stdout.flush()  # raises here instead of at exit
            return result


@contextmanager
def _clean_endings(context=None):
    """Turn whatever ends a command into a sentence and an exit code."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise click.exceptions.Exit(start.farewell(stop)) from None
    except BrokenPipeError:
        streams.discard_stdout()
        raise click.exceptions.Exit(BROKEN_PIPE) from None
    except (click.exceptions.Exit, click.Abort):
        raise
    except click.ClickException as error:
        error.message = printable(error.message, lines=True)
        raise
    except Exception as error:
        if start.Stopped.received is not None:  # an import that was interrupted fails in its own way
            raise click.exceptions.Exit(start.farewell(start.Stopped(start.Stopped.received))) from None
        if context is not None and context.params.get("debug"):
            raise
        raise _as_message(error) from error


def _print_warning(message, category, *where, **more):
    """Print a warning of this library on stderr; drop those of other libraries."""
    if category.__module__.startswith("separatrix"):
        click.echo(f"Note: {printable(message)}", err=True)


def _as_message(error):
    """An exception as a click exception, with its message and exit code."""
    text = _sentence(error)
    if text.startswith("Cannot "):
        return click.ClickException(text)
    message = click.ClickException(
        f"{type(error).__name__}: {text}\nUnexpected error; please report it. Add --debug to see where it happened."
    )
    message.exit_code = UNEXPECTED
    return message


def _sentence(error):
    """The message of an exception; that of the system, which has only words, becomes a sentence."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)  # KeyError adds quotes
    if isinstance(error, OSError) and not text.startswith("Cannot "):
        what = f"use {error.filename!r}" if error.filename is not None else "read or write"
        if streams.stdout_fails() or error.errno in (errno.ENOSPC, errno.EDQUOT):  # our files name themselves
            what = "write to standard output"
        text = f"Cannot {what}: {(error.strerror or text or type(error).__name__).lower()}."
    return printable(text)


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
    start.run()
