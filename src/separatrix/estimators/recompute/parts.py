"""Models made of models: each part is verified on its own rows, and the worst counts."""

from itertools import combinations

import numpy as np

from separatrix.core.problem import Problem
from separatrix.core.solution import Solution
from separatrix.core.stationarity import relative_gradient
from separatrix.core.target import Target
from separatrix.designs import as_design
from separatrix.estimators.published import worst
from separatrix.estimators.recompute.comparison import Comparison
from separatrix.estimators.validation import validate_classes, validate_rows, validate_scores
from separatrix.estimators.verify import verify
from separatrix.losses import Logistic
from separatrix.penalties import NoPenalty

CURVE = 1e-8  # what the relative gradient of the likelihood of a calibration curve may be


def one_vs_rest(model, X, y, sample_weight=None):
    """The worst machine, each on its class against the rest."""
    y = np.asarray(y)
    # of two classes there is one machine, for the second
    classes = model.classes_ if len(model.estimators_) > 1 else model.classes_[-1:]
    machines = zip(model.estimators_, classes, strict=True)
    return worst([verify(machine, X, (y == c).astype(int), sample_weight) for machine, c in machines])


def one_vs_one(model, X, y, sample_weight=None):
    """The worst machine, each on the rows of its two classes."""
    X, y = validate_rows(model, X), np.asarray(y)
    proofs = []
    for machine, (a, b) in zip(model.estimators_, combinations(model.classes_, 2), strict=True):
        rows = (y == a) | (y == b)
        weights = None if sample_weight is None else np.asarray(sample_weight)[rows]
        proofs.append(verify(machine, X[rows], (y[rows] == b).astype(int), weights))
    return worst(proofs)


def calibrated(model, X, y, sample_weight=None):
    """The model inside, and the curves on its distances; folds are those of a new cross-validation."""
    _, codes, s = validate_classes(model, X, y, sample_weight, reset=False)
    labels = model.classes_[codes]
    d = model._distances(X, labels, s)
    targets = [codes] if d.ndim == 1 else [(codes == c).astype(int) for c in range(len(model.classes_))]
    curves = zip(model.calibrators_, d.reshape(len(d), -1).T, targets, strict=True)
    proofs = [calibration_curve(curve, scores, target, s) for curve, scores, target in curves]
    return worst([verify(model.estimator_, X, labels, s), *proofs])


def calibration_curve(model, d, y, sample_weight=None):
    """The class ratio, and slope and place of the curve: closed forms of moments, or the gradient of its likelihood."""
    d, codes, s = validate_scores(model, d, y, sample_weight, reset=False)
    weights = np.ones(len(d), dtype=np.longdouble) if s is None else s.astype(np.longdouble)
    counts = np.array([weights[codes == c].sum() for c in (0, 1)])
    comparison = Comparison(model, len(d))
    given = model.class_ratio
    comparison.number("class_ratio_", counts[1] / counts[0] if isinstance(given, str) else given, means=2)
    if model.method == "moments":
        means = np.array([(weights * d)[codes == c].sum() for c in (0, 1)]) / counts
        variance = (weights * (d - means[codes]) ** 2).sum() / counts.sum()
        size = np.abs(d).max()
        comparison.number("gamma_", (means[1] - means[0]) / variance, size / variance, means=4)
        comparison.number("d0_", means.mean(), size)
        return comparison.certificate()
    gamma, intercept = model.gamma_, np.log(float(counts[1] / counts[0])) - model.gamma_ * model.d0_
    design = as_design(d[:, None])
    problem = Problem(design, Target(model._targets(codes, counts.astype(float)), s), Logistic(), NoPenalty(), True)
    # a gap is quadratic in a change, and would not see a small one
    gradient = relative_gradient(problem, Solution(np.array([gamma]), float(intercept)))
    comparison.residual(gradient, CURVE, "gamma_", "d0_")
    comparison.notes.append("gamma_ and d0_ by the relative gradient of the likelihood")
    return comparison.certificate()
