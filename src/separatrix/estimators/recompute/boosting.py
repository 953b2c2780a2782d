"""The training loss of boosted trees, before the first and after the last."""

import numpy as np

from separatrix.estimators.recompute.comparison import Comparison
from separatrix.solvers.trees.boosting import baseline, mean_loss


def training_loss(model, X, y, sample_weight=None):
    """Hold the baseline and ``training_loss_`` to the rows that the model learnt from, those held out left aside.

    That each tree is the best of its kind is not looked at: it is chosen greedily, and proves nothing about the next.
    """
    rows = model._later_rows(X, y, sample_weight, weighted=True)
    if rows.s is not None:
        rows = rows.take(rows.s > 0.0)
    if model.do_early_stopping_ and model.validation_fraction is not None:
        rows = rows.take(model._split_rows(rows.y)[0])
    loss, k = model._stated_loss(), model.n_trees_per_iteration_
    comparison = Comparison(model, len(rows.y))
    start = baseline(loss, rows.y, rows.s, k)
    comparison.number("_baseline", start, np.abs(start).max(initial=1.0))
    scores = (np.tile(model._baseline, (len(rows.y), 1)), model._score_numbers(rows.numbers))
    losses = np.array([mean_loss(loss, rows.y, rows.s, eta) for eta in scores])
    comparison.number("training_loss_", losses, np.maximum(np.abs(losses), 1e-300), means=2)
    return comparison.certificate()
