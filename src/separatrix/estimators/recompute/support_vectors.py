"""Kernel machines: the duality gap of the published coefficients on the data, and the rows that predictions use."""

from copy import copy
from dataclasses import replace
from numbers import Integral

import numpy as np

from separatrix.core.dual_problem import certify_dual
from separatrix.designs import as_dense
from separatrix.designs.kernels import Kernel
from separatrix.estimators.published import timed, worst
from separatrix.estimators.recompute.comparison import Comparison, not_looked_at, tolerance_of

DERIVED = ("margin_", "slack_", "primal_objective_", "dual_objective_", "on_margin_", "margin_errors_")
SUMS = 1e-8  # relative: how far sums over rows in another order may be from those of the fit
# Relative: scores out of fold are known to the root of a gap, which is far below its tolerance as a rule.
SLOPES = 1e-4
LOOKED_AT = {
    "support_",
    "support_vectors_",
    "n_support_",
    "dual_coef_",
    "intercept_",
    "gamma_",
    "kernel_",
    "class_weight_",
}
DECIDED = {"C_", "epsilon_"}  # by nu; the problems are stated with them


def machines(model, X, y, sample_weight=None):
    """The worst machine of a pair of classes, or the only one; after the kernel's width and the support vectors."""
    data = model._entered(X, y, sample_weight, reset=False)
    rows = data.rows
    comparison = Comparison(model, rows.shape[0])
    model._check()
    comparison.number("gamma_", model._width(rows, data.repeats))
    comparison.residual(0.0 if model._chosen_kernel() == model.kernel_ else np.inf, 0.0, "kernel_")
    support = np.asarray(model.support_)
    inside = support.ndim == 1 and ((support >= 0) & (support < rows.shape[0])).all()
    legal = inside and _is_counted(model, support, data)
    comparison.residual(0.0 if legal else np.inf, 0.0, "support_", "n_support_")
    if legal and isinstance(model.kernel_, Kernel):
        kept, given = as_dense(model.support_vectors_), as_dense(rows[support])
        same = kept.shape == given.shape and np.array_equal(kept, given)
        comparison.residual(0.0 if same else 1.0, 0.0, "support_vectors_")
    elif legal and callable(model.kernel_):
        kept, given = as_dense(model._fit_rows), as_dense(data.X)
        comparison.residual(0.0 if np.array_equal(kept, given) else np.inf, 0.0, "_fit_rows")
    if "class_weight_" in vars(model):
        comparison.number("class_weight_", data.class_weight)
    held = LOOKED_AT | DECIDED | set(DERIVED) | ({"probA_", "probB_"} if _has_seed(model) else {"probB_"})
    rest = not_looked_at(model, held)
    if not comparison.certificate().converged:
        return replace(
            comparison.certificate(),
            message=f"the support vectors or kernel_ are not those of the data and the parameters{rest}",
        )
    problems, solutions, publish = model._restated(X, y, sample_weight)
    _hold_derived(comparison, model, publish)
    _hold_probabilities(comparison, model, data)
    if not comparison.certificate().converged:
        message = f"margins, slacks, objectives or the slopes of probabilities are not those of the data{rest}"
        return replace(comparison.certificate(), message=message)
    tolerance = tolerance_of(model)
    proofs = [certify_dual(problem, solution, tolerance) for problem, solution in zip(problems, solutions)]
    message = f"recomputed from {rows.shape[0]} rows and the published coefficients{rest}"
    proof = timed(worst(proofs), comparison.started)
    return replace(proof, message="; ".join(filter(None, (proof.message, message))))


def _hold_derived(comparison, model, publish):
    """What follows from coefficients and data, published by the same words once more."""
    other = copy(model)
    publish(other)
    for name in DERIVED:
        published, again = vars(model)[name], vars(other)[name]
        if name == "margin_":  # NaN, where w·w is negative, is said by both or by none
            published, again = (np.where(np.isnan(each), -np.inf, each) for each in (published, again))
        lists = isinstance(again, list)
        if lists and not (isinstance(published, list) and len(published) == len(again)):
            comparison.residual(np.inf, 0.0, name)
            continue
        for mine, anew in zip(published if lists else [published], again if lists else [again]):
            size = 1.0 + np.abs(anew) if name == "slack_" else None
            comparison.hold(name, mine, anew, size, tolerance=SUMS)


def _has_seed(model):
    """Whether the folds of its probabilities can be drawn again."""
    return isinstance(vars(model).get("random_state"), Integral)


def _hold_probabilities(comparison, model, data):
    """The slopes of logistic curves of scores out of fold, by fits to the same folds where a seed says which."""
    if "probA_" not in vars(model):
        return
    comparison.hold("probB_", model.probB_, np.zeros(len(model.intercept_)))
    comparison.residual(0.0 if (np.asarray(model.probA_) < 0.0).all() else np.inf, 0.0, "probA_")
    if _has_seed(model):
        parts = model._parts(data.y, data.s)
        slopes = model._slopes(model._gram(data.X), parts, data.s, model._strength())
        comparison.number("probA_", slopes, tolerance=SLOPES)


def _is_counted(model, support, data):
    """Whether each support vector is named once, and class after class where there are classes."""
    counts, dual = np.asarray(model.n_support_), as_dense(model.dual_coef_)
    classes = data.y[support] if "classes_" in vars(model) else np.zeros(len(support), dtype=np.int64)
    if not np.array_equal(counts, np.bincount(classes, minlength=len(vars(model).get("classes_", [0])))):
        return False
    return len(np.unique(support)) == len(support) == dual.shape[1] and bool(np.all(np.diff(classes) >= 0))
