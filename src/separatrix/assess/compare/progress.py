"""What a comparison tells while it runs; a command line shows it, a test collects it, and by default nobody listens."""

from typing import Protocol


class Progress(Protocol):
    """Three calls: the work begins, a piece of it is done, it ends."""

    def begin(self, total):
        """The number of pieces of work, one for each family in each round."""

    def step(self, name, done, seconds_left):
        """What is at work, the share of all work that is done (0 to 1), and the seconds left, None where unknown."""

    def end(self):
        """Nothing more will be said."""


class Silent:
    """Nobody listens."""

    def begin(self, total):
        """Say nothing."""

    def step(self, name, done, seconds_left):
        """Say nothing."""

    def end(self):
        """Say nothing."""
