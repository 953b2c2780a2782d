"""Networks: the gradient of the objective over all rows at the published weights, and what is published beside."""

import time
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import trained_network
from separatrix.estimators.recompute.comparison import Comparison, tolerance_of

SUMS = 1e-9  # of sums of losses


def network(model, X, y, sample_weight=None):
    """Whether the objective is flat at the published weights, over the rows that are handed in."""
    started = time.perf_counter()
    gradient, objective, rows = model._gradient_on(X, y, sample_weight)
    comparison = Comparison(model, rows)
    comparison.residual(0.0, 0.0, "coefs_", "intercepts_")
    comparison.number("n_outputs_", model.coefs_[-1].shape[1])
    comparison.number("n_layers_", len(model.coefs_) + 1)
    comparison.residual(0.0 if model.out_activation_ == model._output() else np.inf, 0.0, "out_activation_")
    by_batches = model.solver != "lbfgs"
    if not by_batches:  # of batches the weights have moved on since
        comparison.number("loss_", objective, tolerance=SUMS)
    flat = trained_network(gradient, tolerance_of(model), epochs=model.n_iter_, by_batches=by_batches, started=started)
    beside = comparison.certificate()
    return replace(flat if beside.converged else beside, message=f"{flat.message}; {beside.message}")
