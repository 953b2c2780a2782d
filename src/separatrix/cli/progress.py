"""Progress on stderr: a board that fills in above a bar on a terminal, plain lines elsewhere."""

import time

import click

EVERY = 10.0  # seconds between two plain lines


class Bar:
    """A rich progress bar with the time left, below the scores so far, best first; removed at the end."""

    transient, width = True, 28

    def __init__(self, console):
        from rich.progress import BarColumn, Progress, TextColumn

        board = self.board = {}

        class Board(Progress):
            def get_renderables(self):
                if board:
                    yield board_so_far(board)
                yield self.make_tasks_table(self.tasks)

        name = TextColumn(f"{{task.description:<{self.width}}}")
        self.progress = Board(name, BarColumn(), *self.columns(), console=console, transient=self.transient)
        self.task = self.total = None

    def columns(self):
        from rich.progress import TaskProgressColumn, TextColumn

        return TaskProgressColumn(), TextColumn("{task.fields[left]}")

    def begin(self, total):
        self.total = total
        self.progress.start()
        self.task = self.progress.add_task("", total=total, left="")

    def step(self, name, done, seconds_left):
        if self.task is not None:
            completed = round(done * self.total, 6)  # a whole number of pieces stays one
            left = format_time_left(seconds_left)
            self.progress.update(self.task, description=name[: self.width], completed=completed, left=left)

    def scored(self, name, score, rounds, of, higher_is_better):
        self.board[name] = (score if higher_is_better else -score, f"{score:.5g}", f"{rounds} of {of} rounds")

    def end(self):
        self.progress.stop()


def board_so_far(board):
    """The mean scores so far as a table, best first."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2, 0, 0))
    for justify in ("left", "right", "left"):
        grid.add_column(justify=justify, style="dim")
    for name, (_, score, rounds) in sorted(board.items(), key=lambda item: -item[1][0]):
        grid.add_row(name, score, rounds)
    return grid


class CountBar(Bar):
    """A rich progress bar with the number of pieces done and the time elapsed, which stays on the screen."""

    transient, width = False, 38

    def columns(self):
        from rich.progress import MofNCompleteColumn, TimeElapsedColumn

        return MofNCompleteColumn(), TimeElapsedColumn()


class Lines:
    """A line every few seconds, and one for each competitor that is done, for logs."""

    def __init__(self):
        self.printed = time.monotonic()

    def begin(self, total):
        self.printed = time.monotonic()

    def step(self, name, done, seconds_left):
        if time.monotonic() - self.printed >= EVERY:
            self.printed = time.monotonic()
            click.echo(f"{100 * done:3.0f} %  {name}  {format_time_left(seconds_left)}".rstrip(), err=True)

    def scored(self, name, score, rounds, of, higher_is_better):
        if rounds == of:
            click.echo(f"{name}: {score:.5g} in {of} rounds", err=True)

    def end(self):
        """Nothing to do."""


def progress_on(console):
    """The kind of progress that suits a console."""
    return Bar(console) if console.is_terminal else Lines()


def format_time_left(seconds):
    """The time left in words; "" where it is unknown.

    >>> format_time_left(None), format_time_left(42.2), format_time_left(130)
    ('', 'about 42 s left', 'about 2 min 10 s left')
    """
    from separatrix.cli.output import format_seconds

    if seconds is None:
        return ""
    return f"about {format_seconds(max(1, round(seconds))).replace('.0 s', ' s')} left"
