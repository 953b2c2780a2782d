"""A family of models that can take part in a comparison, declared where the model is written.

A declaration says what the family is called, which task it is for, how to make a competitor (its own search for
regularisation included) and when it does not fit the data. :mod:`separatrix.assess` runs whatever is declared; nothing
there knows a model by name.
"""

from collections.abc import Callable
from dataclasses import dataclass

from separatrix.core import registry


@dataclass(frozen=True)
class Situation:
    """What a family may know before it makes a competitor: facts of the training data, never the data.

    Parameters
    ----------
    rows : int.  Rows to learn from.
    columns : int.  Columns after preparation, in the view that the family asked for.
    classes : int.  Number of classes; 0 for regression.
    smallest_class : int.  Rows of the rarest class; 0 for regression.
    sparse : bool.  Whether the prepared columns are a sparse array.
    kinds : tuple of str.  Kinds of the table's columns that are used ("number", "category", ...), in order.
    seed : int.
    """

    rows: int
    columns: int
    classes: int = 0
    smallest_class: int = 0
    sparse: bool = False
    kinds: tuple = ()
    seed: int = 0


def always(situation):
    """No reason against it."""
    return ""


@dataclass(frozen=True)
class Family:
    """One competitor of a comparison.

    Parameters
    ----------
    name : str.  What the leaderboard calls it: "lasso", "nearest neighbours".
    task : {"classification", "regression"}.
    make : callable.  From a Situation to an unfitted estimator that brings its own search (a path, a grid).
    order : int.  How simple: of models that the data cannot tell apart, the lowest is recommended. 0 is the baseline,
        10 a fixed linear model, 20 a penalised linear model, 30 a model with a distribution for each class, 40 additive
        curves, 60 memory of the training rows.
    words : str.  One sentence for a newcomer: what the model assumes and what it gives.
    view : str, default "standard".  How it wants the table: one of the views of
        :mod:`separatrix.estimators.preparation`.
    unfit : callable, default always.  From a Situation to the reason why the family cannot take part, "" if it can.
    """

    name: str
    task: str
    make: Callable
    order: int
    words: str
    view: str = "standard"
    unfit: Callable = always


_FAMILIES: dict = {}


def declare(*families):
    """Enter families in the registry; called at the end of the file in which their model is written."""
    for family in families:
        _FAMILIES[family.task, family.name] = family


def families(task):
    """All families of a task, simplest first; of equal order by name."""
    registry.members("estimator")  # imports every room, so that all have declared themselves
    found = [family for (kind, _), family in _FAMILIES.items() if kind == task]
    return sorted(found, key=lambda family: (family.order, family.name))
