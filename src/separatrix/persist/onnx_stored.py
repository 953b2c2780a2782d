r"""ONNX graphs of models that keep shares, a mean, or their training rows; and of calibrated distances.

Each function takes a drawing, a fitted model and the name of the rows, and returns what the graph gives.
"""

import numpy as np

from separatrix.core.declaration import declaration
from separatrix.persist.onnx_drawing import class_outputs, number_outputs
from separatrix.prediction import forms

TINY = np.finfo(np.float64).tiny
MOST_COLUMNS = 2_000  # three nodes for each


def number(drawing, model, value):
    """The same number for every row."""
    drawing.for_each_row(value, float(model.constant_), out="prediction")
    return number_outputs()


def class_shares(drawing, model, value):
    """The same shares, and the commonest class, for every row."""
    drawing.classify(drawing.for_each_row(value, model.class_prior_, out="probabilities"), model.classes_, two=False)
    return class_outputs(model, with_probabilities=True)


def neighbour_classes(drawing, model, value):
    """Shares of the classes among the nearest rows; of equally common ones the first."""
    from onnx import TensorProto

    codes = drawing.node("Gather", drawing.constant(model._y, np.int64), _nearest(drawing, model, value))
    codes = drawing.node("Unsqueeze", codes, drawing.constant([2], np.int64))
    votes = drawing.node("Equal", codes, drawing.constant(np.arange(len(model.classes_))[None, None], np.int64))
    counts = drawing.row_sums(drawing.node("Cast", votes, to=TensorProto.DOUBLE), keepdims=0)
    drawing.classify(counts, model.classes_, two=False)
    drawing.node("Div", counts, drawing.constant(float(model.n_neighbors)), out="probabilities")
    return class_outputs(model, with_probabilities=True)


def neighbour_averages(drawing, model, value):
    """The mean of y over the nearest rows."""
    near = drawing.node("Gather", drawing.constant(model._y), _nearest(drawing, model, value))
    drawing.node(
        "Div", drawing.row_sums(near, keepdims=0), drawing.constant(float(model.n_neighbors)), out="prediction"
    )
    return number_outputs(*model._y.shape[1:])


def _nearest(drawing, model, value):
    """Positions (n, k) of the nearest training rows: squares are summed column by column, as the model does."""
    rows, total = np.asarray(model._fit_X, dtype=np.float64), None
    for j in range(rows.shape[1]):
        difference = drawing.node("Sub", drawing.columns(value, [j]), drawing.constant(rows[None, :, j]))
        square = drawing.node("Mul", difference, difference)
        total = square if total is None else drawing.node("Add", total, square)
    outs = [f"near_{len(drawing.nodes)}", f"places_{len(drawing.nodes)}"]
    count = drawing.constant([model.n_neighbors], np.int64)
    return drawing.node_of("TopK", [total, count], outs, {"axis": 1, "largest": 0, "sorted": 1})[1]


def calibrated(drawing, model, value):
    """A logistic curve of the distance from the boundary of a linear classifier; of more classes one for each."""
    coef = _coefficients(model)
    scores = drawing.node("MatMul", value, drawing.constant(coef.T))
    scores = drawing.node("Add", scores, drawing.constant(np.reshape(model.estimator_.intercept_, -1)))
    two = len(model.classes_) == 2
    if two:
        odds = _curve(drawing, model.calibrators_[0], scores, np.linalg.norm(coef))
        drawing.probabilities(odds, two=True)
    else:
        columns = [_region(drawing, scores, coef, c) for c in range(len(coef))]
        odds = drawing.node(
            "Concat", *(_curve(drawing, *each) for each in zip(model.calibrators_, columns, strict=True)), axis=1
        )
        own = drawing.node("Add", drawing.node("Sigmoid", odds), drawing.constant(TINY))
        drawing.node("Div", own, drawing.row_sums(own), out="probabilities")
    drawing.classify(odds, model.classes_, two)
    return class_outputs(model, with_probabilities=True)


def _coefficients(model):
    """Of the linear classifier inside: (1, p) for two classes, else (k, p)."""
    coef = np.asarray(model.estimator_.coef_, dtype=np.float64)
    return coef.reshape(-1, coef.shape[-1])


def _curve(drawing, curve, distance, length=1.0):
    """``gamma (d - d0) + log(class_ratio)``."""
    d = drawing.node("Div", distance, drawing.constant(length)) if length != 1.0 else distance
    slope = drawing.node("Mul", drawing.node("Sub", d, drawing.constant(curve.d0_)), drawing.constant(curve.gamma_))
    return drawing.node("Add", slope, drawing.constant(np.log(curve.class_ratio_)))


def _region(drawing, scores, coef, c):
    """The distance (n, 1) from the boundary of the region where score c is largest."""
    others = [d for d in range(len(coef)) if d != c]
    gaps = drawing.node("Sub", drawing.columns(scores, [c]), drawing.columns(scores, others))
    lengths = np.linalg.norm(coef[c] - coef[others], axis=1)
    return drawing.node("ReduceMin", drawing.node("Div", gaps, drawing.constant(lengths)), axes=[1], keepdims=1)


STORED = {
    forms.CONSTANT: number,
    forms.CLASS_SHARES: class_shares,
    forms.NEIGHBOUR_CLASSES: neighbour_classes,
    forms.NEIGHBOUR_AVERAGES: neighbour_averages,
    forms.CALIBRATED: calibrated,
}


def why_not(model):
    """Why a model of these forms cannot be drawn; "" where it can."""
    form = declaration(model).prediction
    if form is forms.CALIBRATED:
        return _why_not_calibrated(model)
    if form not in (forms.NEIGHBOUR_CLASSES, forms.NEIGHBOUR_AVERAGES):
        return ""
    if model.effective_metric_ != "euclidean":
        return (
            f"its graph would need distances by the metric {model.effective_metric_!r}, and is drawn for Euclidean ones"
        )
    if model.weights not in ("uniform", None):
        return "its neighbours are weighted, and the graph is drawn for equal weights"
    if not isinstance(model._fit_X, np.ndarray) or model._fit_X.shape[1] > MOST_COLUMNS:
        return f"its rows are sparse or have more than {MOST_COLUMNS:,} columns"
    if vars(model).get("outputs_2d_") or vars(model).get("average", "mean") != "mean":
        return "it has several targets of classes, or medians, for which a graph is not drawn"
    return ""


def _why_not_calibrated(model):
    inside = declaration(model.estimator_)
    if not inside.is_linear:
        return f"the {type(model.estimator_).__name__} that it calibrates is not linear"
    coef = _coefficients(model)
    if len(model.classes_) > 2 and len(coef) != len(model.classes_):
        return f"the {type(model.estimator_).__name__} that it calibrates has no score for each class"
    apart = (
        [np.linalg.norm(a - b) for i, a in enumerate(coef) for b in coef[:i]] if len(coef) > 1 else [np.abs(coef).max()]
    )
    return "" if min(apart) > 0.0 else "two classes have the same coefficients, and so no boundary between them"
