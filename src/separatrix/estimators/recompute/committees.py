"""Committees: every member on the rows that were drawn for it, and what the committee publishes beside its members."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral

import numpy as np
from numpy.random import RandomState
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv, cross_val_predict

from separatrix.core.errors import cannot
from separatrix.core.protocol import can
from separatrix.estimators.ensemble.bagging import bags_again
from separatrix.estimators.ensemble.bootstrap import draw_in_proportion, seeded
from separatrix.estimators.ensemble.members import drawn_sample, enter_rows, take_columns, take_rows
from separatrix.estimators.published import worst
from separatrix.estimators.recompute.adaboost import ROUNDING, rounds_of_numbers
from separatrix.estimators.recompute.comparison import Comparison, without_gaps
from separatrix.estimators.recompute.trees import check_trees
from separatrix.estimators.verify import NothingToVerify, verify


def bagged(model, X, y, sample_weight=None):
    """The worst member, each on its own sample, which is drawn again; and the out-of-bag answers."""
    X, (y, s) = enter_rows(model, X, y, sample_weight, reset=False)
    comparison, bags = Comparison(model, len(y)), bags_again(model, len(y), s)
    proofs, weighted = [], model._takes_weights()
    if is_classifier(model):
        comparison.residual(0.0 if model.n_classes_ == len(model.classes_) else np.inf, 0.0, "n_classes_")
    comparison.residual(0.0 if model._bags.draws_from(s) else np.inf, 0.0)
    members = zip(model.estimators_, model.estimators_features_, strict=True)
    for m, (member, told) in enumerate(members):
        columns, rows = model._draw(m, bags)
        comparison.residual(0.0 if np.array_equal(columns, told) else np.inf, 0.0, "estimators_features_")
        part = take_columns(X, columns)
        if weighted:
            counts = np.bincount(rows, minlength=len(y)).astype(np.float64)
            proofs.append(verify(member, part, y, counts))
        else:
            proofs.append(verify(member, take_rows(part, rows), y[rows]))
    if "oob_score_" in vars(model):
        _hold_out_of_bag(model, comparison, X, y, s)
    comparison.notes.append(f"{len(proofs)} members on samples that were drawn again")
    return _of_all(proofs, comparison.certificate())


def _hold_out_of_bag(model, comparison, X, y, s):
    """Out-of-bag answers and their score, from the members that have not seen a row."""
    again = clone(model)
    vars(again).update({name: value for name, value in vars(model).items() if not name.startswith("oob_")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has said which rows are in all samples
        again._score_out_of_bag(X, y, s)
    for name in ("oob_score_", *model._out_of_bag):
        published, recomputed = without_gaps(*(vars(each)[name] for each in (model, again)))
        comparison.hold(name, published, recomputed, max(1.0, float(np.abs(recomputed).max())))


def boosted_numbers(model, X, y, sample_weight=None):
    """Mean losses and weights of all learners, and every learner on the rows that its weights drew."""
    X, (y, s) = enter_rows(model, X, y, sample_weight, reset=False)
    s = np.ones(len(y)) if s is None else s
    check_trees(model.estimators_)
    comparison, random = Comparison(model, len(y)), RandomState(model._seed)
    errors, weights, proofs = [], [], []
    for member, (w, error, weight) in zip(model.estimators_, rounds_of_numbers(model, X, y, s)):
        seeded(model.estimator_, random)  # the same random numbers are used up
        rows = draw_in_proportion(random, w, model._draws)
        proofs.append(verify(member, *drawn_sample(member, X, y, rows)))
        errors.append(error)
        weights.append(weight)
    if len(errors) != len(model.estimators_) or len(errors) != len(model.estimator_weights_):
        comparison.residual(np.inf, 0.0, "estimator_weights_")
    else:
        comparison.number("estimator_errors_", np.array(errors), 1.0, tolerance=ROUNDING)
        comparison.number("estimator_weights_", np.array(weights), 1.0 + max(weights), tolerance=ROUNDING)
    comparison.notes.append(f"{len(proofs)} learners on rows that were drawn again")
    return _of_all(proofs, comparison.certificate())


def voters(model, X, y, sample_weight=None):
    """The worst member of a vote of scikit-learn's, each on all rows."""
    targets = model.le_.transform(y) if is_classifier(model) else y
    proofs = [verify(member, X, targets, sample_weight) for member in model.estimators_]
    return _with_worst(worst(proofs), f"recomputed: {len(proofs)} members")


def stacked(model, X, y, sample_weight=None):
    """The models of a stack of scikit-learn's on all rows, and the last one on predictions out of fold, made again."""
    if sample_weight is not None or model.cv == "prefit" or not _can_repeat(model.cv):
        raise cannot(
            f"verify {type(model).__name__}",
            because="its folds cannot be made again, or its fits had weights",
            instead="a number of folds, or folds with a seed, and no weights",
            kind=NothingToVerify,
        )
    y = np.asarray(y)
    targets = np.searchsorted(model.classes_, y) if is_classifier(model) else y
    folds = check_cv(model.cv, targets, classifier=is_classifier(model))
    columns = []
    for member, method in zip(model.estimators_, model.stack_method_, strict=True):
        answers = cross_val_predict(clone(member), X, targets, cv=folds, method=method)
        answers = answers.reshape(len(y), -1)
        two = is_classifier(model) and method == "predict_proba" and answers.shape[1] == 2
        columns.append(answers[:, 1:] if two else answers)
    meta = np.hstack([*columns, np.asarray(X)] if model.passthrough else columns)
    proofs = [verify(member, X, targets) for member in model.estimators_]
    last = verify(model.final_estimator_, meta, targets)
    return _with_worst(worst([*proofs, last]), f"recomputed: {len(proofs)} members, and the last on their answers")


def _of_all(proofs, beside):
    """The worst certificate of members and of what stands beside them, with the names of all that was looked at."""
    proof = worst([*proofs, beside])
    return proof if proof.message == beside.message else _with_worst(proof, beside.message)


def _with_worst(proof, looked_at):
    return replace(proof, message=f"{looked_at}; the worst: {proof.message}")


def _can_repeat(cv):
    """Whether folds are the same each time: a number or a list of them, or a splitter that draws nothing, or by a seed.

    An iterator of folds is used up by the fit.
    """
    if cv is None or isinstance(cv, Integral):
        return True
    if not can(cv, "split"):
        return not isinstance(cv, Iterator)
    known = vars(cv)
    return not known.get("shuffle") or isinstance(known.get("random_state"), Integral)
