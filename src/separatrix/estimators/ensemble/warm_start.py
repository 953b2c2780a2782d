"""Warm starts: what is kept of an earlier fit, and what the data of the next one must have in common with its data."""

import reprlib
import warnings
from typing import Any

import numpy as np

from separatrix.core.errors import cannot
from separatrix.estimators.ensemble.bootstrap import Bags

Facts = dict[str, Any]


def count_kept(model: Any, members: str, whole: str, unit: str) -> int:
    """How many of the fitted `members` a warm start keeps; 0 where `warm_start` is off or there was no fit."""
    held = len(vars(model).get(members, ())) if model.warm_start else 0
    if held > model.n_estimators:
        raise cannot(
            f"go on with n_estimators={model.n_estimators}",
            because=f"the {whole} has {held} {unit}s already",
            instead=f"n_estimators >= {held}, or warm_start=False",
        )
    if held == model.n_estimators:
        warnings.warn(f"The {whole} has {held} {unit}s already: no {unit} is added.", stacklevel=3)
    return held


def facts_of(model: Any, **others: Any) -> Facts:
    """What a fitted model knows of its data: columns, classes, and what the caller adds."""
    held = vars(model)
    facts: Facts = {"n_features": model.n_features_in_}
    if "feature_names_in_" in held:
        facts["feature_names"] = list(model.feature_names_in_)
    if "classes_" in held:
        facts["classes"] = [np.asarray(each).tolist() for each in model.classes_]
    return {**facts, **others}


def facts_of_samples(bags: Bags | None) -> Facts:
    """What the samples of the members are drawn from, without which they could not be drawn again."""
    if bags is None:
        return {"bootstrap": False}
    return {"bootstrap": bags.replace, "sample_weight": bags.weights, "rows_of_a_sample": bags.draws}


def refuse_other_data(before: Facts, now: Facts, units: str) -> None:
    """Refuse a warm start on other data than those of the kept members; what only one fit knows is not compared."""
    for name, value in now.items():
        if name in before and not _is_same(before[name], value):
            raise cannot(
                f"go on with {name}={reprlib.repr(value)}",
                because=f"the {units} that are kept were trained with {reprlib.repr(before[name])}",
                instead="data and settings of the first fit, or warm_start=False",
            )


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)
