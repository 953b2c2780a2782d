"""Networks: the gradient of the objective over all rows, at the published weights."""

import time

from separatrix.core.certificate import trained_network
from separatrix.estimators.recompute.comparison import tolerance_of


def network(model, X, y, sample_weight=None):
    """Whether the objective is flat at the published weights, over the rows that are handed in."""
    started = time.perf_counter()
    gradient = model._gradient_on(X, y, sample_weight)
    by_batches = model.solver != "lbfgs"
    return trained_network(
        gradient, tolerance_of(model), epochs=model.n_iter_, by_batches=by_batches, started=started
    )
