"""Models as ONNX graphs, for programs that know neither Python nor this library.

``X (n, p)``, float64, is standardised where a StandardScaler comes first. Of a linear model ``scores = X coef' +
intercept``; a regressor gives ``prediction`` (of a log or logit link by Exp or Sigmoid), a classifier ``label`` and,
where its scores are log-odds, ``probabilities (n, k)``. Naive Bayes and quadratic discriminants give both from
``log P(x, C_k)``: :mod:`separatrix.persist.onnx_bayes`; baselines, neighbours and calibrated distances are drawn by
:mod:`separatrix.persist.onnx_stored`.
"""

import os
from typing import Any

import numpy as np

from separatrix.core.declaration import declaration
from separatrix.core.protocol import can
from separatrix.core.refusal import cannot
from separatrix.persist import onnx_bayes, onnx_stored
from separatrix.persist.archive import CannotSave, write
from separatrix.persist.onnx_bayes import LOG_JOINT
from separatrix.persist.onnx_drawing import Drawing, class_outputs, number_outputs
from separatrix.persist.onnx_stored import STORED
from separatrix.prediction.forms import (
    CONSTANT,
    LINEAR,
    LINEAR_CLASSES,
    LINEAR_SCORES,
    LOCAL_CLASSES,
    LOCAL_NUMBERS,
    LOG_ODDS,
    MEAN,
    NEIGHBOUR_AVERAGES,
)

OPSET, IR_VERSION = 17, 8  # both of 2022: what runs models today reads them
INVERSE_LINKS = {"identity": None, "log": "Exp", "logit": "Sigmoid"}  # nodes from scores to means


def to_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as an ONNX file. Needs ``pip install 'separatrix[onnx]'``.

    Parameters
    ----------
    model : fitted linear regressor or classifier, calibrated or not; Gaussian, Bernoulli, multinomial or mixed
        naive Bayes without probabilities of 0; quadratic or regularised discriminant; Euclidean nearest neighbours
        of equal weight; baseline; or a Pipeline of StandardScaler and one. Of a model of `separatrix compare` it is
        the last step, for prepared columns: ``model[:-1]`` prepares a table.
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
    drawing = Drawing()
    value = "X"
    for scaler in scalers:
        if scaler.mean_ is not None and scaler.with_mean:
            value = drawing.node("Sub", value, drawing.constant(scaler.mean_))
        if scaler.scale_ is not None:
            value = drawing.node("Div", value, drawing.constant(scaler.scale_))
    form = declaration(last).prediction
    if form in STORED:
        outputs = STORED[form](drawing, last, value)
    else:
        outputs = _of_joint(drawing, last, value) if form in LOG_JOINT else _linear(drawing, last, value, form)
    inputs = [helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["rows", last.n_features_in_])]
    graph = helper.make_graph(drawing.nodes, type(last).__name__, inputs, outputs, drawing.constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="separatrix")
    made.ir_version = IR_VERSION
    checker.check_model(made)
    return made


def _linear(drawing, last, value, form):
    """Draw a linear model; return what the graph gives."""
    coef = np.asarray(last.coef_, dtype=np.float64)
    scores = drawing.node("MatMul", value, drawing.constant(coef.reshape(-1, coef.shape[-1]).T))
    scores = drawing.node("Add", scores, drawing.constant(np.reshape(last.intercept_, -1)))
    if form in (LINEAR, MEAN):
        inverse = INVERSE_LINKS[last.link_] if form is MEAN else None
        scores = scores if inverse is None else drawing.node(inverse, scores)
        drawing.node("Reshape", scores, drawing.constant([-1, *coef.shape[:-1]], np.int64), out="prediction")
        return number_outputs(*coef.shape[:-1])
    one = coef.size == coef.shape[-1]  # one score for two classes
    drawing.classify(scores, last.classes_, one)
    if form is LOG_ODDS:
        drawing.probabilities(scores, one)
    return class_outputs(last, with_probabilities=form is LOG_ODDS)


def _of_joint(drawing, last, value):
    """Draw a model of ``log P(x, C_k)``: the class of the largest, of two equal ones the second, and posteriors."""
    joint = LOG_JOINT[declaration(last).prediction](drawing, last, value)
    scores = joint
    if len(last.classes_) == 2:
        scores = drawing.node("MatMul", joint, drawing.constant([[-1.0], [1.0]]))
    drawing.classify(scores, last.classes_, len(last.classes_) == 2)
    drawing.probabilities(joint, False)
    return class_outputs(last, with_probabilities=True)


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
    if form in LOG_JOINT or form in STORED:
        reason = (onnx_bayes if form in LOG_JOINT else onnx_stored).why_not(last)
        if reason:
            raise _unsuited(last, reason)
    elif form in (LOCAL_CLASSES, LOCAL_NUMBERS):
        raise _unsuited(last, "it solves equations anew at each row, for which ONNX has no node")
    elif form not in (LINEAR, MEAN, LINEAR_CLASSES, LOG_ODDS) and not _decides_by_scores_alone(last, form):
        raise _unsuited(last, "it does not declare that it predicts by linear scores alone or by densities of classes")
    if form is MEAN and last.link_ not in INVERSE_LINKS:
        raise _unsuited(last, f"ONNX has no node for the inverse of the link {last.link_!r} in float64")
    labels = np.arange(2) if form in (LINEAR, MEAN, CONSTANT, NEIGHBOUR_AVERAGES) else last.classes_
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
        instead="a linear model, naive Bayes, a discriminant or nearest neighbours, or separatrix.save",
        kind=CannotSave,
    )
