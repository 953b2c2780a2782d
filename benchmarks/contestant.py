"""What a contestant is: a name, what it needs, one function that fits, and one that hands over what was fitted."""

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
    fit : function of (data, settings) that returns an `Answer`, or a model for `answer`.  Imports its package itself:
        importing this file must cost nothing, for the parent process reads it too.
    tolerances : tuple, loosest first.  The fastest that reaches the target counts; ``None`` is the package's default.
    suits : function of the settings; False where the contestant cannot take part (a storage it does not read).
    slow : function of the settings; True where it is known to take minutes, and runs only if ``--rivals`` names it.
    prepare : function of `Data` that returns `Data`, before the clock starts: the storage that it reads best.
    answer : function of (what `fit` returned, data) that returns an `Answer`, after the clock has stopped.
    yardstick : bool.  A part of the work alone, such as one Gram pass: timed, but not judged.
    """

    name: str
    needs: str
    fit: Callable
    tolerances: tuple = (None,)
    suits: Callable = lambda settings: True
    slow: Callable = lambda settings: False
    prepare: Callable = lambda data: data
    answer: Callable = lambda fitted, data: fitted
    yardstick: bool = False


@dataclass
class Answer:
    """What a fit gives back: coefficients, and nothing that the contestant says about its own quality except
    `certificate`, which is printed but never used.

    `seconds` and `extra_mb` are for contestants in another process (R), which our stopwatch cannot see.
    """

    # (p,), or (p, number of λ) on a path, or (p, number of classes), dense or sparse; where a problem compares models
    # by what they say, the table of that: rows or queries × classes or neighbours
    coef: Any
    intercept: Any = 0.0
    alpha: float | None = None  # the chosen λ, where choosing is part of the task
    errors: Any = None  # standard errors, that of the intercept first, where they are part of the task
    passes: int | None = None  # over the data, where their number is the task
    certificate: float | None = None
    seconds: float | None = None
    extra_mb: float | None = None


def scored_by(method):
    """An `answer`: what the method of a fitted model says of the first rows, a column per class."""
    return lambda model, data: Answer(getattr(model, method)(data.X[: data.settings["sample"]]))


def trained(fit):
    """A `prepare` that fits: what is timed after it is prediction alone."""

    def prepare(data):
        data.model = fit(data, data.settings)
        return data

    return prepare


def predicted(data, settings):
    """A `fit` after `trained`: the class of every row."""
    return Answer(data.model.predict(data.X))


def held_out(model, data):
    """An `answer`: probabilities of the classes, or the prediction, for the rows that were held out."""
    return Answer(model.predict_proba(data.queries) if data.settings["classes"] else model.predict(data.queries))


def predict_held_out(data, settings):
    """A `fit` after `trained`: what the model says of all training rows is timed, what of the held-out ones judged."""
    if settings["classes"]:
        data.model.predict_proba(data.X)
    else:
        data.model.predict(data.X)
    return held_out(data.model, data)
