"""From the columns that reach a model back to the numbers of the table: ``x = origin + unit z``."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from separatrix.core.declaration import steps_of, unwrap
from separatrix.core.protocol import can
from separatrix.core.types import Array
from separatrix.estimators.preparation.columns import PreparedColumns, Scaled

ROUNDED = 1e-9  # of the differences of a scaler that takes equal steps to equal steps


class OwnUnits(NamedTuple):
    """What the p columns that reach a model are in the units of the table.

    Attributes
    ----------
    source : (p,) array of int.  The column of the table that each is a scaled copy of; -1 where it is none.
    origin, unit : (p,) arrays.  ``origin + unit z`` is the number in that column; 0 and 1 where there is none.
    """

    source: Array
    origin: Array
    unit: Array


def own_units(model: Any) -> OwnUnits:
    """Of a fitted pipeline, or of a bare model, whose columns are those of the table.

    >>> from sklearn.pipeline import make_pipeline
    >>> from separatrix.estimators.preparation import Numbers
    >>> from separatrix.tree import DecisionTreeRegressor
    >>> own_units(make_pipeline(Numbers(), DecisionTreeRegressor()).fit([[1.0], [5.0]], [0.0, 1.0]))
    OwnUnits(source=array([0]), origin=array([3.]), unit=array([2.]))
    """
    steps, p = steps_of(model)[:-1], unwrap(model).n_features_in_
    source, origin, unit = np.full(p, -1), np.zeros(p), np.ones(p)
    if not steps:
        return OwnUnits(np.arange(p), origin, unit)
    for transformer, positions, places in blocks_of(steps, p):
        for place, scaled in scaled_columns(transformer).items():
            at = places[place]
            source[at], origin[at], unit[at] = positions[scaled.column], scaled.origin, scaled.unit
    return OwnUnits(source, origin, unit)


def blocks_of(steps: list[Any], p: int) -> Iterator[tuple[Any, list[int], range]]:
    """Of the last step, from which p columns come: transformers, positions of what enters, places of what comes out."""
    blocks = vars(steps[-1]).get("transformers_")
    if blocks is None:
        yield steps[-1], list(range(int(vars(steps[-1]).get("n_features_in_", 0)))), range(p)
    for name, transformer, positions in blocks or ():
        within = steps[-1].output_indices_[name]
        if isinstance(positions, list) and all(isinstance(at, int) for at in positions):
            yield transformer, positions, range(within.start, within.stop)


def scaled_columns(transformer: Any) -> dict[int, Scaled]:
    """What a transformer says of itself, or what a scaler of scikit-learn takes -1, 0 and 1 back to."""
    if isinstance(transformer, PreparedColumns):
        return transformer.scaled_columns()
    if not isinstance(transformer, OneToOneFeatureMixin) or not can(transformer, "inverse_transform"):
        return {}
    p = transformer.n_features_in_
    low, origin, high = np.asarray(transformer.inverse_transform(np.repeat([[-1.0], [0.0], [1.0]], p, axis=1)))
    unit = (high - low) / 2.0
    size = np.abs(low) + np.abs(high)
    even = (unit > 0.0) & (np.abs(high - 2.0 * origin + low) <= ROUNDED * size)
    return {int(j): Scaled(int(j), float(origin[j]), float(unit[j])) for j in np.flatnonzero(even)}
