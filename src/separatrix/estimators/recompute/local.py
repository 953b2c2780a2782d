"""Local models: the rows, targets, weights and windows that they keep, recomputed from the data.

A local fit is made, and certified, when it is asked for; what a model file holds until then is what is held here.
"""

import numpy as np

from separatrix.estimators.recompute.comparison import Comparison
from separatrix.estimators.validation import enter, validate_classes
from separatrix.losses import Logistic, Softmax, Squared


def numbers(model, X, y, sample_weight=None):
    """Rows and targets of a local regression."""
    from separatrix.estimators.local.local_linear import FLOOR

    design, target = enter(model, X, y, sample_weight, sparse=False, multi_output=False, reset=False)
    comparison, t = Comparison(model, target.n), target.y.astype(np.longdouble)
    s = target.weights.astype(np.longdouble)
    comparison.number("_level", s @ t / s.sum(), s @ np.abs(t) / s.sum())
    largest = np.abs(t - model._level).max()
    comparison.number("_size", largest if largest > 0.0 else 1.0)
    return _rows(
        comparison, design.block(slice(None)), (t - model._level) / model._size, s, Squared(), np.eye(1), FLOOR
    )


def classes(model, X, y, sample_weight=None):
    """Rows and labels of a local logistic regression."""
    design, codes, s = validate_classes(model, X, y, sample_weight, sparse=False, reset=False)
    k = len(model.classes_)
    loss, mix = (Softmax(), np.eye(k - 1) - 1.0 / k) if k > 2 else (Logistic(), np.eye(1))
    s = np.ones(len(codes), dtype=np.longdouble) if s is None else s.astype(np.longdouble)
    return _rows(Comparison(model, len(codes)), design.block(slice(None)), codes, s, loss, mix, 0.0)


def _rows(comparison, X, y, s, loss, mix, floor):
    """Hold the stored rows to those of the data, in the units that the model states, and the units to the data."""
    model, data = comparison.model, comparison.model._data
    X, y, s = X[s > 0.0].astype(np.longdouble), np.asarray(y)[s > 0.0], s[s > 0.0]
    centre = s @ X / s.sum()
    comparison.number("_centre", centre, s @ np.abs(X) / s.sum())
    deviation = np.sqrt(s @ (X - centre) ** 2 / s.sum())
    apart = deviation > 0.0 if model.standardize else np.zeros(len(deviation), dtype=bool)
    comparison.number("scale_", np.where(apart, deviation, 1.0), deviation + np.abs(centre), means=2)
    Z = (X - model._centre) / model.scale_
    comparison.hold("unit", data.unit, np.abs(Z).max() or 1.0)
    comparison.hold("rows", data.X, (Z / data.unit).T, 1.0)
    comparison.hold("targets", data.y, y, 1.0)
    comparison.hold("weights", data.s, s)
    comparison.hold("mix", data.mix, mix)
    stated = (type(data.loss), data.equal, data.floor, model._window)
    right = (type(loss), bool((s == 1.0).all()), floor, model._make_window(float(s.sum()), data.unit))
    comparison.residual(0.0 if stated == right else np.inf, 0.0, "_window")
    comparison.notes.append("each local fit is certified when it is made")
    return comparison.certificate()
