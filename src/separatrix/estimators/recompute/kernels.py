"""Sums of kernels: the rows they keep held to the data, and their coefficients to the problem that these state."""

import time
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import mistakes
from separatrix.designs import as_dense
from separatrix.estimators.kernel.parameters import kernel_of
from separatrix.estimators.published import timed
from separatrix.estimators.recompute.comparison import not_looked_at
from separatrix.estimators.validation import enter, validate_classes

COUNTED = ("dual_coef_", "counts_", "X_fit_", "kernel_", "mistakes_", "error_history_", "n_iter_")
LOOKED_AT = ("dual_coef_", "intercept_", "X_fit_", "kernel_")


def ridge(model, X, y, sample_weight=None):
    """The gap of the published coefficients, on kernel values that are made anew; infinite where rows are others."""
    started = time.perf_counter()
    design, target = enter(model, X, y, sample_weight, reset=False)
    given, kept = as_dense(design.matrix()), as_dense(model.X_fit_)
    lost = np.flatnonzero(target.weights == 0.0)
    if vars(model).get("n_components") is not None:
        same = {row.tobytes() for row in kept} <= {row.tobytes() for row in given}
    else:
        same = given.shape == kept.shape and not (given != kept).any() and not np.any(model.dual_coef_[lost])
    if not (same and model._chosen_kernel(design.p) == model.kernel_):
        message = "kernel_, X_fit_ or the rows of weight 0 are not those of the parameters and the data"
        certificate = replace(model.certificate_, value=np.inf, message=message)
    else:
        certificate = model._certify_again(design, target, model._strengths(target))
    message = f"recomputed from {design.n} rows and the published coefficients{not_looked_at(model, LOOKED_AT)}"
    return replace(timed(certificate, started), message="; ".join(filter(None, (certificate.message, message))))


def perceptron(model, X, y, sample_weight=None):
    """Rows on the wrong side of the boundary, by kernel values made anew; infinite where rows or counts differ."""
    started = time.perf_counter()
    design, codes, _ = validate_classes(model, X, y, sample_weight, reset=False)
    given, kept = as_dense(design.matrix()), as_dense(model.X_fit_)
    signs = np.stack([np.where(codes == c, 1.0, -1.0) for c in model._positive()])
    counts, message = model.counts_.reshape(len(signs), -1), ""
    histories = [model.error_history_] if len(signs) == 1 else model.error_history_
    told = model.mistakes_ == counts.sum() and model.n_iter_ == max(map(len, histories))
    told = told and all(np.sum(history) == each.sum() for history, each in zip(histories, counts, strict=True))
    same = given.shape == kept.shape and not (given != kept).any()
    same = same and kernel_of(model, design.p) == model.kernel_
    if not (told and same) or (model.dual_coef_ != signs * counts).any():
        wrong, message = np.inf, "kernel_, X_fit_ or counts_ are not those of the parameters and the data"
    else:
        scores = model.decision_function(X).reshape(len(codes), -1).T
        wrong = (~(signs * scores > 0.0)).sum(axis=1).max()
    rest = f"recomputed from {design.n} rows{not_looked_at(model, COUNTED)}"
    certificate = mistakes(wrong, started=started)
    return replace(certificate, message="; ".join(filter(None, (message, rest))))
