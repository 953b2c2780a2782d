"""What a contestant is: a name, what it needs, and one function that fits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Contestant:
    """One way to solve one group of problems.

    Parameters
    ----------
    name : str.  Unique within a group and a side (ours, rivals).
    needs : str.  The package that must be importable, or the program that must be on the path.
    fit : function of (data, settings) that returns an `Answer`.  Imports its package itself: importing this file must
        cost nothing, for the parent process reads it too.
    tolerances : tuple, loosest first.  The fastest that reaches the target counts; ``None`` is the package's default.
    suits : function of the settings; False where the contestant cannot take part (a storage it does not read).
    slow : function of the settings; True where it is known to take minutes, and runs only if ``--rivals`` names it.
    prepare : function of `Data` that returns `Data`, before the clock starts: the storage that it reads best.
    """

    name: str
    needs: str
    fit: Callable
    tolerances: tuple = (None,)
    suits: Callable = lambda settings: True
    slow: Callable = lambda settings: False
    prepare: Callable = lambda data: data


@dataclass
class Answer:
    """What a fit gives back: coefficients, and nothing that the contestant says about its own quality except
    `certificate`, which is printed but never used.

    `seconds` and `extra_mb` are for contestants in another process (R), which our stopwatch cannot see.
    """

    coef: Any  # (p,), or (p, number of λ) on a path, or (p, number of classes), dense or sparse
    intercept: Any = 0.0
    alpha: float | None = None  # the chosen λ, where choosing is part of the task
    errors: Any = None  # standard errors, that of the intercept first, where they are part of the task
    passes: int | None = None  # over the data, where their number is the task
    certificate: float | None = None
    seconds: float | None = None
    extra_mb: float | None = None
