"""Training on all rows at once, by the memory of past gradients (L-BFGS).

Lowers   the objective of a network (solvers/networks/objective.py), no convex one.
Given    an Objective whose network holds the start.
Returns  the parameters in the network: a place where the gradient is small.
From     Liu and Nocedal (1989), Mathematical Programming 45, in the implementation of scipy.
Cost     one or two passes over the rows for each iteration.
"""

import numpy as np

from separatrix.core.errors import cannot
from separatrix.core.solution import Trace
from separatrix.core.threads import one_blas_thread
from separatrix.core.types import Array
from separatrix.solvers.networks.objective import Objective

ROUNDING = 64 * 2.2e-16  # a relative decrease of the objective that may be rounding


def train_on_all(objective: Objective, *, largest: float, max_iter: int, max_fun: int, trace: Trace) -> int:
    """Go down until the largest entry of the gradient is at most `largest`; returns the number of iterations.

    ``trace`` has the objective and the length of the gradient of each layer after each iteration.
    """
    from scipy.optimize import minimize  # a tenth of a second that other ways of training do not wait for

    network = objective.network
    last: dict[str, float] = {}

    def value_and_gradient(theta: Array) -> tuple[float, Array]:
        network.theta[:] = theta
        last["value"] = objective.whole()
        return last["value"], network.gradient.copy()

    def note(theta: Array) -> None:
        trace.append(last["value"])
        trace.layer_norms.append(network.layer_norms())

    options = {"maxiter": max_iter, "maxfun": max_fun, "gtol": largest, "ftol": ROUNDING}
    with one_blas_thread(always=True):  # by two threads sums are rounded otherwise
        result = minimize(
            value_and_gradient, network.theta.copy(), jac=True, method="L-BFGS-B", options=options, callback=note
        )
        network.theta[:] = result.x
    if not np.isfinite(result.fun):
        raise cannot(
            f"go on training after {result.nit} iterations of L-BFGS",
            because="the loss is no longer a finite number",
            instead="standardised columns, smaller targets, or batch_norm=True",
        )
    return int(result.nit)
