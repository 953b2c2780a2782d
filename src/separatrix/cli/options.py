"""Options and the command class that all commands share."""

import click

from separatrix.core.time_limit import seconds_of


class CommandWithExamples(click.Command):
    """A command that shows examples below its options, and takes --debug after its name as well as before."""

    def __init__(self, *arguments, examples=(), **options):
        super().__init__(*arguments, **options)
        self.examples = examples
        debug = click.Option(["--debug"], is_flag=True, expose_value=False, hidden=True, callback=_debug)
        self.params.append(debug)

    def parse_args(self, context, arguments):
        _, _, given = self.make_parser(context).parse_args(args=list(arguments))
        for option in (each for each in given if isinstance(each, click.Option)):
            if given.count(option) > 1 and not option.is_flag and not option.multiple:
                context.fail(f"{option.opts[0]} is given {given.count(option)} times, and one value counts.")
        return super().parse_args(context, arguments)

    def format_epilog(self, context, formatter):
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def command(*examples, **options):
    """The decorator of every command, with its examples."""
    return click.command(cls=CommandWithExamples, examples=examples, **options)


def _debug(context, option, value):
    if value:
        context.find_root().params["debug"] = True


def _not_empty(context, option, value):
    if value is not None and not value.strip():
        raise click.BadParameter("it is empty.", context, option)
    return value


class Seconds(click.ParamType):
    """A time such as 30, 120s, 2m or 1m30s, in seconds."""

    name = "time"

    def convert(self, value, parameter, context):
        seconds = seconds_of(value)
        if seconds is None:
            self.fail(f"{value!r} is not a time above 0, such as 30, 120s or 2m.", parameter, context)
        return seconds


class OutputFile(click.Path):
    """A file to write to; "-", which is standard output, only where `stdout` says so."""

    def __init__(self, stdout=False):
        super().__init__(dir_okay=False)
        self.stdout = stdout

    def convert(self, value, parameter, context):
        if not value:
            self.fail("a file needs a name.", parameter, context)
        if value == "-" and not self.stdout:
            self.fail("standard output holds the text; ./- is a file of that name.", parameter, context)
        return super().convert(value, parameter, context)


as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document, and nothing else.")
target = click.option(
    "--target", "-t", metavar="COLUMN", help="The column to predict; a bundled data set has one of its own."
)
query = click.option(
    "--query",
    metavar="SQL",
    callback=_not_empty,
    help="For a TABLE that is a database; without TABLE, DuckDB reads the files that the query names.",
)
seed = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Of every random choice."
)


def require_target(table, target, query):
    """Refuse a command line without a target, unless the table is a bundled data set, which has one."""
    from separatrix.workflow.datasets import named_target

    if named_target(table, target, query=query) is None:
        raise click.UsageError("--target is missing: which column of TABLE is to be predicted?")
