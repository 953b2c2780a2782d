"""A problem: design, target, loss and penalty; nothing about how it is solved."""

from dataclasses import dataclass, field
from typing import Any

from separatrix.core.cached import cached_property
from separatrix.core.separable import Separable, as_separable
from separatrix.core.target import AnyTarget
from separatrix.core.types import Loss, Penalty


@dataclass(frozen=True)
class Problem:
    """``min over beta, intercept of  (1/Σs) Σ s_i loss(y_i, x_i'beta + intercept) + Σ_j penalty(beta_j)``.

    The intercept, where there is one, is never penalised.
    """

    design: Any  # a separatrix.designs.Design
    target: AnyTarget
    loss: Loss
    penalty: Penalty
    intercept: bool = True
    judged: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # see core/certificate

    @cached_property
    def parts(self) -> Separable:
        """The penalty, coefficient by coefficient: kinks, ridges and bounds."""
        return as_separable(self.penalty, self.design.p)
