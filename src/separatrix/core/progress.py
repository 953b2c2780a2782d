"""Progress of long work, reported through a callback object; by default the reports are discarded."""

from typing import Protocol


class Progress(Protocol):
    """What long work calls while it runs."""

    def begin(self, total: int) -> None:
        """Report the number of pieces of work before the first one starts."""

    def step(self, name: str, done: float, seconds_left: float | None) -> None:
        """Report the piece at work, the share of all work done (0 to 1) and the seconds left (None: unknown)."""

    def scored(self, name: str, score: float, rounds: int, of: int, higher_is_better: bool) -> None:
        """Report the mean score of a competitor after so many `rounds` of all."""

    def end(self) -> None:
        """Report that the work is over."""


class Silent:
    """A Progress that discards every report."""

    def begin(self, total: int) -> None:
        """Discard."""

    def step(self, name: str, done: float, seconds_left: float | None) -> None:
        """Discard."""

    def scored(self, name: str, score: float, rounds: int, of: int, higher_is_better: bool) -> None:
        """Discard."""

    def end(self) -> None:
        """Discard."""
