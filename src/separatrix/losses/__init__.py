"""Losses: functions of the target y and the raw score eta, of numbers or (softmax) of rows, as atoms.

A loss of a number takes any y. Of the losses of a class, `Logistic`, `Probit`, `ComplementaryLogLog`, `Cauchit`,
`LogChance` and `Exponential` take y in [0, 1] (a probability), `Hinge`, `SquaredHinge` and `ModifiedHuber` take y = -1
or +1. Of those with a log link, `Poisson` takes y >= 0, `Gamma` y > 0, `Tweedie` y >= 0 for a power below 2, else
y > 0, `GaussianLog` any y.

`PowerLink`, `LogChance`, `Cauchit` and `GaussianLog` are not convex or not finite for every score: they are solved by
Fisher's scoring, and their gradient is certified. `KnownTerm` adds an offset to the scores of any loss.
"""

from separatrix.losses.cauchit import Cauchit
from separatrix.losses.complementary_log_log import ComplementaryLogLog
from separatrix.losses.epsilon_insensitive import EpsilonInsensitive, SquaredEpsilonInsensitive
from separatrix.losses.exponential_loss import Exponential
from separatrix.losses.gamma import Gamma
from separatrix.losses.gaussian_log import GaussianLog
from separatrix.losses.hinge import Hinge, SquaredHinge
from separatrix.losses.huber import Huber
from separatrix.losses.known_term import KnownTerm
from separatrix.losses.log_chance import LogChance
from separatrix.losses.logistic import Logistic
from separatrix.losses.modified_huber import ModifiedHuber
from separatrix.losses.poisson import Poisson
from separatrix.losses.power_link import PowerLink
from separatrix.losses.probit import Probit
from separatrix.losses.quantile import Quantile
from separatrix.losses.softmax import Softmax
from separatrix.losses.squared import Squared
from separatrix.losses.tweedie import Tweedie

__all__ = [
    "Cauchit",
    "ComplementaryLogLog",
    "EpsilonInsensitive",
    "Exponential",
    "Gamma",
    "GaussianLog",
    "Hinge",
    "Huber",
    "KnownTerm",
    "LogChance",
    "Logistic",
    "ModifiedHuber",
    "Poisson",
    "PowerLink",
    "Probit",
    "Quantile",
    "Softmax",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "Tweedie",
]
