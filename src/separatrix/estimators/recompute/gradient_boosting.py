"""The training loss of boosted trees, before the first and after the last."""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.estimators.recompute.comparison import Comparison
from separatrix.prediction.boosted_trees import fault
from separatrix.solvers.trees.boosting import mean_loss


def training_loss(model, X, y, sample_weight=None):
    """Hold the baseline and ``training_loss_`` to the rows that the model learnt from, those held out left aside.

    That each tree is the best of its kind is not looked at: it is chosen greedily, and proves nothing about the next.
    Nor are the gains of splits, which the loss does not depend on.
    """
    _check_trees(model)
    rows = model._later_rows(X, y, sample_weight, weighted=True).with_weight()
    if model._divided:
        rows = rows.take(model._split_rows(rows.y)[0])
    loss, start = model._stated_loss(), model._baseline_of(rows)
    comparison = Comparison(model, len(rows.y))
    comparison.computed = ("feature_importances_",)
    if "_node_numbers" in vars(model):
        comparison.computed += ("numbers of the nodes of estimators_",)
    if model._from_other_rows:
        comparison.notes.append("not the constants that it starts from, which an earlier fit found on other rows")
    else:
        comparison.number("_baseline", start, np.abs(start).max(initial=1.0))
    scores = (model._first_scores(rows.numbers), model._score_numbers(rows.numbers))
    losses = np.array([mean_loss(loss, rows.y, rows.s, eta) for eta in scores])
    comparison.number("training_loss_", losses, np.maximum(np.abs(losses), 1e-300), means=2)
    return comparison.certificate()


def _check_trees(model):
    """Refuse trees whose nodes do not fit together: compiled loops follow children without asking if they exist."""
    why = fault(vars(model._trees))
    if not why and (model._trees.column >= model.n_features_in_).any():
        why = "a node asks for a column that the model does not have"
    if why:
        raise cannot("use these trees", because=why, instead="a model as its fit left it")
