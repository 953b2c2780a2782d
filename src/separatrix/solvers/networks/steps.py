r"""Step rules: from the gradient of a batch to the next parameters, in order of increasing complexity.

Each is plain data that a stream of batches hands from one call to the next, and a model file keeps.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from separatrix.core.registry import register
from separatrix.core.types import Array
from separatrix.solvers.networks.compiled.adam import adam_step

SMALLEST_RATE = 1e-6  # an adaptive rate is divided no further


@register("record")
@dataclass
class Momentum:
    r"""Gradient descent with momentum.

    .. math:: v \leftarrow \mu v - \eta g, \qquad \theta \leftarrow \theta + v \quad
              (\text{Nesterov's: } \theta + \mu v - \eta g)

    Parameters
    ----------
    first_rate : float.  η at the start.     momentum : float, [0, 1].  μ.     nesterov : bool.
    schedule : {"constant", "invscaling", "adaptive"}.  η as it is; divided by ``t**power`` after t examples; or by 5
        each time that the loss no longer falls.
    rate : float.  η now.     velocity : array.  v, of no length before the first step.
    """

    first_rate: float
    momentum: float = 0.9
    nesterov: bool = True
    schedule: str = "constant"
    power: float = 0.5
    rate: float = 0.0
    velocity: Any = None

    def __post_init__(self) -> None:
        self.rate = self.rate or self.first_rate

    def step(self, theta: Array, g: Array) -> None:
        if self.velocity is None:
            self.velocity = np.zeros_like(theta)
        v, kind = self.velocity, theta.dtype.type
        mu, rate = kind(self.momentum), kind(self.rate)
        v *= mu
        v -= rate * g
        if self.nesterov:
            theta += mu * v
            theta -= rate * g
        else:
            theta += v

    def end_epoch(self, examples: float) -> None:
        if self.schedule == "invscaling":
            self.rate = self.first_rate / (examples + 1.0) ** self.power

    def goes_on(self) -> bool:
        """Whether smaller steps may still lower the loss, where these no longer do."""
        if self.schedule != "adaptive" or self.rate <= SMALLEST_RATE:
            return False
        self.rate /= 5.0
        return True


@register("record")
@dataclass
class Adam:
    r"""Steps in units of the root mean square of past gradients, both means corrected for their start at 0.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad
              \theta \leftarrow \theta - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t}
              \frac{m}{\sqrt v + \epsilon}

    Parameters
    ----------
    rate : float.  η.     beta_1, beta_2 : float, [0, 1).     epsilon : float, (0, inf).
    steps : int.  t.     m, v : array.  Of no length before the first step.

    References: Kingma and Ba (2015), ICLR, section 2, in the order of operations that they call efficient.
    """

    rate: float
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    steps: int = 0
    m: Any = None
    v: Any = None

    def step(self, theta: Array, g: Array) -> None:
        if self.m is None:
            self.m, self.v = np.zeros_like(theta), np.zeros_like(theta)
        self.steps += 1
        rate = self.rate * sqrt(1.0 - self.beta_2**self.steps) / (1.0 - self.beta_1**self.steps)
        numbers = (self.beta_1, 1.0 - self.beta_1, self.beta_2, 1.0 - self.beta_2, rate, self.epsilon)
        adam_step(theta, g, self.m, self.v, *map(theta.dtype.type, numbers))

    def end_epoch(self, examples: float) -> None:
        """Its steps are its own."""

    def goes_on(self) -> bool:
        return False
