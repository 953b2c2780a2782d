"""Checks of the parameters of constructors, made when a model is fitted."""

from inspect import signature
from numbers import Integral, Real

import numpy as np

from separatrix.core.errors import WrongType, cannot
from separatrix.core.time_limit import seconds_of


def check_number(estimator, name, low, high=np.inf, *, open_low=False, open_high=False, integer=False, none=False):
    """Check that a parameter is a number of an interval; return it as float or int."""
    value = getattr(estimator, name)
    if value is None and none:
        return None
    open_high = open_high or high == np.inf
    legal = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    kind = Integral if integer else Real
    right_type = isinstance(value, kind) and not isinstance(value, bool | np.bool_)
    inside = (
        right_type and (low < value if open_low else low <= value) and (value < high if open_high else value <= high)
    )
    if not inside:
        raise cannot(
            f"fit {type(estimator).__name__} with {name}={value!r}",
            because=f"{name} must be {'an integer' if integer else 'a number'} in {legal}",
            instead=f"{name} in {legal}",
            kind=ValueError if right_type else WrongType,
        )
    return int(value) if integer else float(value)


def check_numbers(estimator, name, instead):
    """Check that a parameter is a number or an array of numbers; return it as a flat array."""
    value = getattr(estimator, name)
    try:
        numbers = np.atleast_1d(np.asarray(value)).ravel()
    except ValueError:  # rows of different lengths
        numbers = np.array([None])
    if all(isinstance(number, Real) for number in numbers.tolist()):  # not text that looks like numbers
        return numbers.astype(np.float64)
    raise cannot(
        f"fit {type(estimator).__name__} with {name}={value!r}",
        because=f"{name} must be made of numbers",
        instead=instead,
        kind=WrongType,
    )


def check_choice(estimator, name, choices):
    """Check that a parameter is one of some words; return it."""
    value = getattr(estimator, name)
    if not any(value is c or (isinstance(c, str) and isinstance(value, str) and value == c) for c in choices):
        raise cannot(
            f"fit {type(estimator).__name__} with {name}={value!r}",
            because=f"{name} is not one of {', '.join(map(repr, choices))}",
            instead=_one_of(estimator, name, choices),
        )
    return value


def _one_of(estimator, name, choices):
    """The default of a parameter, or else its first choice."""
    default = signature(type(estimator)).parameters[name].default
    return f"{name}={default!r} (default)" if default in choices else f"{name}={choices[0]!r}"


def check_budget(estimator):
    """Check that ``budget`` is a time or None; return its seconds, infinite for None."""
    budget = estimator.budget
    seconds = np.inf if budget is None else seconds_of(budget)
    if seconds is None:
        raise cannot(
            f"fit {type(estimator).__name__} with budget={budget!r}",
            because="a budget is a time above 0",
            instead="a number of seconds, or text such as '500ms', '10s', '2m' or '2min', or None",
            kind=ValueError if isinstance(budget, Real | str) else WrongType,
        )
    return seconds
