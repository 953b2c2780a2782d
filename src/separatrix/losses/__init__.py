"""Losses: functions of the target y and the raw score eta, of numbers or (softmax) of rows, as atoms."""

from separatrix.losses.epsilon_insensitive import EpsilonInsensitive, SquaredEpsilonInsensitive
from separatrix.losses.huber import Huber
from separatrix.losses.logistic import Logistic
from separatrix.losses.quantile import Quantile
from separatrix.losses.softmax import Softmax
from separatrix.losses.squared import Squared

__all__ = ["EpsilonInsensitive", "Huber", "Logistic", "Quantile", "Softmax", "Squared", "SquaredEpsilonInsensitive"]
