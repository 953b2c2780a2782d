"""Decision trees: the numbers of every node, counted anew from the rows."""

import time

import numpy as np

from separatrix.core.certificate import closed_form
from separatrix.estimators.recompute.comparison import BESIDE, EPS, not_looked_at
from separatrix.estimators.tree.counts import count_residual

PROVED = "weights, counts, values and impurities of the nodes; not that a split is the best of its node"


def tree(model, X, y, sample_weight=None):
    """How far the nodes of a tree are from the rows that end in them."""
    started = time.perf_counter()
    encoded, target, s = model._again(X, y, sample_weight)
    value = count_residual(model.nodes_, encoded, target, s, model.criterion, clipped=model._clipped)
    n = len(target.y)
    message = f"recomputed from {n} rows: {PROVED}{not_looked_at(model, ('nodes_',))}"
    return closed_form(value if np.isfinite(value) else np.inf, (n + BESIDE) * EPS, started=started, message=message)
