"""Models as ONNX graphs, for programs that know neither Python nor this library.

``X (n, p)``, float64, is standardised where a StandardScaler comes first. Of a linear model ``scores = X coef' +
intercept``; a regressor gives ``prediction`` (of a log or logit link by Exp or Sigmoid), a classifier ``label`` and,
where its scores are log-odds, ``probabilities (n, k)``. Naive Bayes and quadratic discriminants give both from
``log P(x, C_k)``: :mod:`separatrix.persist.onnx_bayes`.
"""

import os
from typing import Any

import numpy as np

from separatrix.core.declaration import declaration
from separatrix.core.protocol import can
from separatrix.core.refusal import cannot
from separatrix.persist.archive import CannotSave, write
from separatrix.persist.onnx_bayes import LOG_JOINT, why_not
from separatrix.prediction.forms import LINEAR, LINEAR_CLASSES, LINEAR_SCORES, LOG_ODDS, MEAN

OPSET, IR_VERSION = 17, 8  # both of 2022: what runs models today reads them
INVERSE_LINKS = {"identity": None, "log": "Exp", "logit": "Sigmoid"}  # nodes from scores to means


def to_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as an ONNX file. Needs ``pip install 'separatrix[onnx]'``.

    Parameters
    ----------
    model : fitted linear regressor or classifier, Gaussian, Bernoulli or multinomial naive Bayes without probabilities
        of 0, or quadratic or regularised discriminant; or a Pipeline of StandardScaler and one.
    path : str or path.
    """
    write(path, graph_of(model).SerializeToString())


def graph_of(model):
    """The ONNX model of a model."""
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise ImportError(
            "Cannot write ONNX: the package onnx is not installed. Use pip install 'separatrix[onnx]'."
        ) from None
    scalers, last = _steps(model)
    drawing = _Drawing()
    value = "X"
    for scaler in scalers:
        if scaler.mean_ is not None and scaler.with_mean:
            value = drawing.node("Sub", value, drawing.constant(scaler.mean_))
        if scaler.scale_ is not None:
            value = drawing.node("Div", value, drawing.constant(scaler.scale_))
    form = declaration(last).prediction
    outputs = _of_joint(drawing, last, value) if form in LOG_JOINT else _linear(drawing, last, value, form)
    inputs = [helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["rows", last.n_features_in_])]
    graph = helper.make_graph(drawing.nodes, type(last).__name__, inputs, outputs, drawing.constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="separatrix")
    made.ir_version = IR_VERSION
    checker.check_model(made)
    return made


def _linear(drawing, last, value, form):
    """Draw a linear model; return what the graph gives."""
    from onnx import TensorProto, helper

    coef = np.asarray(last.coef_, dtype=np.float64)
    scores = drawing.node("MatMul", value, drawing.constant(coef.reshape(-1, coef.shape[-1]).T))
    scores = drawing.node("Add", scores, drawing.constant(np.reshape(last.intercept_, -1)))
    double, rows = TensorProto.DOUBLE, ["rows"]
    if form in (LINEAR, MEAN):
        shape = rows if coef.ndim == 1 else [*rows, len(coef)]
        inverse = INVERSE_LINKS[last.link_] if form is MEAN else None
        scores = scores if inverse is None else drawing.node(inverse, scores)
        drawing.node("Reshape", scores, drawing.constant([-1, *coef.shape[:-1]], np.int64), out="prediction")
        return [helper.make_tensor_value_info("prediction", double, shape)]
    one = coef.size == coef.shape[-1]  # one score for two classes
    drawing.classify(scores, last.classes_, one)
    if form is LOG_ODDS:
        drawing.probabilities(scores, one)
    return _class_outputs(last, with_probabilities=form is LOG_ODDS)


def _of_joint(drawing, last, value):
    """Draw a model of ``log P(x, C_k)``: the class of the largest, of two equal ones the second, and posteriors."""
    joint = LOG_JOINT[declaration(last).prediction](drawing, last, value)
    scores = joint
    if len(last.classes_) == 2:
        scores = drawing.node("MatMul", joint, drawing.constant([[-1.0], [1.0]]))
    drawing.classify(scores, last.classes_, len(last.classes_) == 2)
    drawing.probabilities(joint, False)
    return _class_outputs(last, with_probabilities=True)


def _class_outputs(last, with_probabilities):
    from onnx import TensorProto, helper

    words = last.classes_.dtype.kind in "OU"
    outputs = [helper.make_tensor_value_info("label", TensorProto.STRING if words else TensorProto.INT64, ["rows"])]
    if with_probabilities:
        shape = ["rows", len(last.classes_)]
        outputs.append(helper.make_tensor_value_info("probabilities", TensorProto.DOUBLE, shape))
    return outputs


class _Drawing:
    """Nodes and constants of a graph, with names made up as they come."""

    def __init__(self):
        self.nodes = []
        self.constants = []

    def constant(self, values, dtype=np.float64):
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype=dtype), name))
        return name

    def node(self, kind, *inputs, out=None, **attributes):
        from onnx import helper

        out = out or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def classify(self, scores, classes, two):
        """0 counts for the second of two classes; of equal scores the first of many wins."""
        from onnx import TensorProto

        if two:
            column = self.node("Reshape", scores, self.constant([-1], np.int64))
            fires = self.node("GreaterOrEqual", column, self.constant([0.0]))
            place = self.node("Cast", fires, to=TensorProto.INT64)
        else:
            place = self.node("ArgMax", scores, axis=1, keepdims=0)
        labels = classes.astype(object) if classes.dtype.kind in "OU" else classes
        self.node(
            "Gather", self.constant(labels, labels.dtype if labels.dtype == object else np.int64), place, out="label"
        )

    def probabilities(self, scores, two):
        if two:
            against = self.node("Sigmoid", self.node("Neg", scores))
            self.node("Concat", against, self.node("Sigmoid", scores), axis=1, out="probabilities")
        else:
            self.node("Softmax", scores, axis=1, out="probabilities")


def _steps(model):
    """The scalers before a model, and the model; anything else is refused."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    *scalers, last = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    for scaler in scalers:
        if type(scaler) is not StandardScaler:
            raise _unsuited(scaler, "only StandardScaler may come before a model")
    form = declaration(last).prediction
    if form in LOG_JOINT:
        reason = why_not(last)
        if reason:
            raise _unsuited(last, reason)
    elif form not in (LINEAR, MEAN, LINEAR_CLASSES, LOG_ODDS) and not _decides_by_scores_alone(last, form):
        raise _unsuited(last, "it does not declare that it predicts by linear scores alone or by densities of classes")
    if form is MEAN and last.link_ not in INVERSE_LINKS:
        raise _unsuited(last, f"ONNX has no node for the inverse of the link {last.link_!r} in float64")
    labels = np.arange(2) if form in (LINEAR, MEAN) else last.classes_
    if labels.dtype.kind not in "iubU" and not all(isinstance(label, str) for label in labels):
        raise _unsuited(last, f"its labels are of the kind {labels.dtype}, and ONNX has words and whole numbers")
    return scalers, last


def _decides_by_scores_alone(model, form):
    """Whether the largest linear score decides and there are no probabilities, which may depend on parameters."""
    from separatrix.estimators.base import LinearClassifier

    common = isinstance(model, LinearClassifier) and type(model).predict is LinearClassifier.predict
    return form is LINEAR_SCORES and common and not can(model, "predict_proba")


def _unsuited(step, because):
    return cannot(
        f"write {type(step).__name__} as ONNX",
        because=because,
        instead="a linear regressor or classifier, naive Bayes, a discriminant, or separatrix.save",
        kind=CannotSave,
    )
