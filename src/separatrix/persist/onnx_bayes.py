r"""Nodes of ONNX graphs for ``log P(x, C_k)``: naive Bayes and normal classes.

Each function takes a drawing, a fitted model and the name of the rows, and returns the name of ``log P(x, C_k)`` (n, k)
without what all classes share.
"""

import numpy as np

from separatrix.prediction import forms
from separatrix.prediction.posteriors import logarithm


def gaussian(drawing, model, value):
    """``-½ Σ_j ((x_j - μ_kj) / σ_kj)²`` for each class, and constants."""
    theta, deviation = model.theta_.astype(np.float64), np.sqrt(model.var_.astype(np.float64))
    constants = logarithm(model.class_prior_) - np.log(deviation).sum(axis=1)
    whiten = [lambda rows, m=m, s=s: _scaled(drawing, rows, m, s) for m, s in zip(theta, deviation, strict=True)]
    return _of_squares(drawing, value, whiten, constants)


def normal_classes(drawing, model, value):
    """``-½ |(x - μ_k) W_k|²`` for each class, and constants."""
    spheres = model._spheres
    constants = logarithm(model.priors_.astype(np.float64)) - 0.5 * spheres.log_determinants

    def whitened(mean, W):
        def draw(rows):
            centred = drawing.node("Sub", rows, drawing.constant(mean))
            return drawing.node("MatMul", centred, drawing.constant(W))

        return draw

    maps = [whitened(mean, W) for mean, W in zip(spheres.means, spheres.maps, strict=True)]
    return _of_squares(drawing, value, maps, constants)


def bernoulli(drawing, model, value):
    """``[x > threshold] (log μ - log(1 - μ))'`` and constants."""
    from onnx import TensorProto

    if model.binarize is not None:
        above = drawing.node("Greater", value, drawing.constant(model.binarize))
        value = drawing.node("Cast", above, to=TensorProto.DOUBLE)
    on, off = model.feature_log_prob_, model._log_absent
    return _plane(drawing, value, on - off, off.sum(axis=1) + model.class_log_prior_)


def multinomial(drawing, model, value):
    """``x log μ'`` and the logarithms of the shares."""
    return _plane(drawing, value, model.feature_log_prob_, model.class_log_prior_)


def mixed(drawing, model, value):
    """The sum over distributions of the columns, each with its own, and the logarithms of the shares, once."""
    total, shares = None, logarithm(model.class_prior_)
    for kind, part in model.parts_.items():
        places = [j for j, other in enumerate(model.distributions_) if other == kind]
        rows = drawing.columns(value, places)
        if kind == "categorical":
            joint = _categorical(drawing, model, part, rows)
        else:
            joint = PARTS[kind](drawing, part, rows)
            shares = shares - (logarithm(part.class_prior_) if kind == "gaussian" else part.class_log_prior_)
        total = joint if total is None else drawing.node("Add", total, joint)
    return drawing.node("Add", total, drawing.constant(shares))


def _categorical(drawing, model, part, value):
    """Tables of ``log P(x_j | C_k)``: a row of 0 and 1 for each category, and one for all that were never met."""
    from onnx import TensorProto

    total, k = None, len(model.classes_)
    for j, categories in enumerate(model.categories_.values()):
        equal = drawing.node("Equal", drawing.columns(value, [j]), drawing.constant(np.array(categories)[None]))
        hits = drawing.node("Cast", equal, to=TensorProto.DOUBLE)
        stranger = drawing.node("Sub", drawing.constant(1.0), drawing.row_sums(hits))
        unseen = part._log_unseen[j] if model.unseen == "smooth" else np.zeros(k)
        table = drawing.constant(np.vstack([part.feature_log_prob_[j].T, unseen]))
        here = drawing.node("MatMul", drawing.node("Concat", hits, stranger, axis=1), table)
        total = here if total is None else drawing.node("Add", total, here)
    return total


PARTS = {"gaussian": gaussian, "bernoulli": bernoulli, "multinomial": multinomial}
LOG_JOINT = {
    forms.GAUSSIAN_NB: gaussian,
    forms.NORMAL_CLASSES: normal_classes,
    forms.BERNOULLI_NB: bernoulli,
    forms.MULTINOMIAL_NB: multinomial,
    forms.MIXED_NB: mixed,
}


def why_not(model):
    """Why a model of these forms cannot be drawn; "" where it can. Rows that no class can bring forth have no graph."""
    state = vars(model)
    if "parts_" in state:
        return _why_not_mixed(model)
    if "var_" in state and not (model.var_ > 0.0).all():
        return "a column is constant within a class, which is a rule and no density"
    logs = [state[name] for name in ("feature_log_prob_", "_log_absent", "class_log_prior_") if name in state]
    if not all(np.isfinite(part).all() for part in logs):
        return "a probability of 0 makes rows impossible in every class, for which a graph has no answer"
    return ""


def _why_not_mixed(model):
    if model._has_words or model._backend is not None:
        return "it takes words or a frame, and its graph is drawn for numbers"
    if "categorical" in model.parts_ and model.unseen == "error":
        return "a graph cannot refuse a category that was never met (unseen='smooth' gives it a share)"
    tables = model.parts_.get("categorical")
    logs = [] if tables is None else [*tables.feature_log_prob_, *tables._log_unseen]
    if not all(np.isfinite(part).all() for part in logs):
        return "a probability of 0 makes rows impossible in every class, for which a graph has no answer"
    return next(filter(None, (why_not(part) for kind, part in model.parts_.items() if kind != "categorical")), "")


def _scaled(drawing, rows, mean, deviation):
    return drawing.node("Div", drawing.node("Sub", rows, drawing.constant(mean)), drawing.constant(deviation))


def _of_squares(drawing, value, whiten, constants):
    """A column for each class: its constant less half the squared length of its whitened rows."""
    columns = []
    for whitened, constant in zip(whiten, constants, strict=True):
        Z = whitened(value)
        length = drawing.row_sums(drawing.node("Mul", Z, Z))
        half = drawing.node("Mul", length, drawing.constant(-0.5))
        columns.append(drawing.node("Add", half, drawing.constant(constant)))
    return drawing.node("Concat", *columns, axis=1)


def _plane(drawing, value, W, offsets):
    product = drawing.node("MatMul", value, drawing.constant(W.T))
    return drawing.node("Add", product, drawing.constant(offsets))
