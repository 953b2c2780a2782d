"""Undirected models of binary nodes: the gap or the gradient at the published parameters, from the data."""

import time
from dataclasses import replace

import numpy as np

from separatrix.core.certificate import exponential_family_gap, fixed_point
from separatrix.core.solution import Solution
from separatrix.estimators.graphical.binary_nodes import smoothed_rows
from separatrix.estimators.published import certify_parts
from separatrix.estimators.recompute.comparison import Comparison, tolerance_of
from separatrix.solvers.binary_states import MOST_NODES, log_sum, log_weights

SUMS = 1e-9  # of sums of logarithms


def ising(model, X, y=None, sample_weight=None):
    """The gap of the likelihood, or the worst of the regressions of the nodes; and what is made of these."""
    started = time.perf_counter()
    (rows, s), tol = smoothed_rows(model, X, sample_weight, reset=False), tolerance_of(model)
    p = rows.shape[1]
    a, C = model.intercept_, model.coupling_
    comparison = Comparison(model, len(rows))
    if model._is_exact(p):
        problem = model._likelihood(rows, s)
        judged = exponential_family_gap(problem.gap(problem.join(a, C)), tol, 0, started)
        together = problem.split(problem.join(a, C))[1]  # what is no edge of the graph is 0
        comparison.number("node_coef_", together)
    else:
        own = [model.node_coef_[j, columns] for j, columns in enumerate(model._neighbours(p))]
        solutions = [Solution(beta if len(beta) else np.zeros(1), float(a[j])) for j, beta in enumerate(own)]
        judged = certify_parts(model._regressions(rows, s), solutions, tol, started)
        together = model._together(model.node_coef_)
    comparison.number("coupling_", together)
    comparison.residual(0.0, 0.0, "intercept_")  # the certificate is of these, too
    comparison.number("edges_", np.argwhere(np.triu(together) != 0.0))
    if p <= MOST_NODES:
        comparison.number("log_partition_", log_sum(log_weights(a, C)), tolerance=SUMS)
    return _both(judged, comparison.certificate())


def boltzmann(model, X, y=None, sample_weight=None):
    """Whether the gradient at the published parameters is small, and what is published beside them."""
    started = time.perf_counter()
    rows, s = smoothed_rows(model, X, sample_weight, reset=False)
    problem = model._problem(rows, s)
    theta = problem.join(model.intercept_, model.coupling_)
    judged = fixed_point(problem.stationarity(theta), tolerance_of(model), iterations=0, started=started)
    comparison = Comparison(model, len(rows))
    a, C = problem.split(theta)
    comparison.number("coupling_", C)
    value = problem.value_and_gradient(theta)[0] + model._penalty(C)
    comparison.number("log_likelihood_", value, 1.0, tolerance=SUMS)
    comparison.number("log_partition_", log_sum(log_weights(a, C)), 1.0, tolerance=SUMS)
    comparison.residual(0.0, 0.0, "intercept_")
    return _both(judged, comparison.certificate())


def _both(judged, beside):
    """What was certified, with a note of what was recomputed beside; or that, where it does not agree."""
    message = "; ".join(filter(None, (judged.message, beside.message)))
    return replace(judged if beside.converged else beside, message=message)
