"""Losses: functions of the target y and the raw score eta, of numbers or (softmax) of rows, as atoms.

A loss of a number takes any y. Of the losses of a class, `Logistic` takes y in [0, 1] (a probability), `Hinge`,
`SquaredHinge` and `ModifiedHuber` take y = -1 or +1.
"""

from separatrix.losses.epsilon_insensitive import EpsilonInsensitive, SquaredEpsilonInsensitive
from separatrix.losses.hinge import Hinge, SquaredHinge
from separatrix.losses.huber import Huber
from separatrix.losses.logistic import Logistic
from separatrix.losses.modified_huber import ModifiedHuber
from separatrix.losses.quantile import Quantile
from separatrix.losses.softmax import Softmax
from separatrix.losses.squared import Squared

__all__ = [
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "Logistic",
    "ModifiedHuber",
    "Quantile",
    "Softmax",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
]
