"""Progress of a comparison on stderr: a bar with the time left on a terminal, a rare plain line elsewhere."""

import time

import click

EVERY = 10.0  # seconds between two plain lines


class Bar:
    """A rich progress bar."""

    def __init__(self, console):
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        columns = (
            TextColumn("{task.description:<28}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.progress = Progress(*columns, console=console, transient=True)
        self.task = None

    def begin(self, total):
        self.progress.start()
        self.task = self.progress.add_task("", total=1.0, left="")

    def step(self, name, done, seconds_left):
        if self.task is not None:
            self.progress.update(self.task, description=name[:28], completed=done, left=left_in_words(seconds_left))

    def end(self):
        self.progress.stop()


class Lines:
    """A line every few seconds, for logs."""

    def __init__(self):
        self.said = time.monotonic()

    def begin(self, total):
        self.said = time.monotonic()

    def step(self, name, done, seconds_left):
        if time.monotonic() - self.said >= EVERY:
            self.said = time.monotonic()
            click.echo(f"{100 * done:3.0f} %  {name}  {left_in_words(seconds_left)}".rstrip(), err=True)

    def end(self):
        """Nothing to put away."""


def left_in_words(seconds):
    """How long it will still take.

    >>> left_in_words(None), left_in_words(42.2), left_in_words(130)
    ('', 'about 42 s left', 'about 2 min 10 s left')
    """
    from separatrix.cli.screen import duration

    if seconds is None:
        return ""
    return f"about {duration(max(1, round(seconds))).replace('.0 s', ' s')} left"
