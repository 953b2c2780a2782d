"""One step of Adam over all parameters of a network."""

from math import sqrt

import numpy as np

from separatrix.core.jit import compiled_exactly
from separatrix.core.types import Array


@compiled_exactly
def adam_step(
    theta: Array,
    g: Array,
    m: Array,
    v: Array,
    keep_m: float,
    new_m: float,
    keep_v: float,
    new_v: float,
    rate: float,
    epsilon: float,
) -> None:
    """Moments m and v move towards g and g²; theta by ``-rate m / (sqrt(v) + epsilon)``. All numbers of one type.

    Rounded as written: a first small fit of a process runs it as plain Python, and trains the same network.
    """
    for i in range(theta.shape[0]):
        m[i] = keep_m * m[i] + new_m * g[i]
        v[i] = keep_v * v[i] + new_v * g[i] * g[i]
        # numpy's division: Python's asks whether the divisor is 0, which keeps the loop out of vector registers
        theta[i] -= rate * np.true_divide(m[i], sqrt(v[i]) + epsilon)
