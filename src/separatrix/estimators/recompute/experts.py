"""Mixtures of experts: the gradient of the penalised likelihood at the published parameters, from the data."""

import time
from dataclasses import replace

from separatrix.core.certificate import fixed_point
from separatrix.estimators.ensemble.mixture_of_experts import mixture_of
from separatrix.estimators.recompute.comparison import Comparison, tolerance_of

SUMS = 1e-9  # of sums of logarithms and of responsibilities
FLAT = 1e-6  # the mean curvature below which a change of an intercept does not show
PARAMETERS = ("gate_coef_", "gate_intercept_", "expert_coef_", "expert_intercept_", "expert_variances_")


def experts(model, X, y, sample_weight=None):
    """Whether an iteration from the published parameters stands still, and what is published beside them."""
    started = time.perf_counter()
    mixture, at = mixture_of(model, X, y, sample_weight), model._experts()
    comparison = Comparison(model, mixture.design.n)
    H, value = mixture.expect(at)
    comparison.number("expert_shares_", mixture.s @ H / mixture.total, 1.0, tolerance=SUMS)
    comparison.number("log_likelihood_", value + model._penalty(mixture), mixture.total, tolerance=SUMS)
    flat = mixture.flatness(at) < FLAT
    looked_at = [name for name in PARAMETERS if name in vars(model) and not (flat and name == "expert_intercept_")]
    comparison.residual(0.0, 0.0, *looked_at)
    if flat:
        comparison.notes.append("an expert sees one class only, and its likelihood is flat in its intercept")
    stands = fixed_point(mixture.stationarity(at), tolerance_of(model), iterations=0, started=started)
    beside = comparison.certificate()
    message = f"{stands.message}; {beside.message}"
    return replace(stands if beside.converged else beside, message=message)
