"""What a solver returns, and what is published: solution, certificate and trace, in original units."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.core.registry import register
from separatrix.core.target import AnyTarget
from separatrix.core.types import Array

# Of certificates whose value is not relative.
UNITS = {"likelihood gap": "nats per row", "modified score": "standard errors"}


def named(kind: str) -> str:
    """A kind of certificate in words: "relative gap", "modified score in standard errors"."""
    return f"{kind} in {UNITS[kind]}" if kind in UNITS else f"relative {kind}"


@register("record")
@dataclass(frozen=True)
class Certificate:
    """How good an answer is, held against the tolerance asked for.

    ``value`` is relative: for a gap, the bound on ``P(beta) - min P`` divided by ``P`` of the null model. A likelihood
    gap is in nats a row, a modified score in standard errors. ``mistakes`` are a plain number: those of a perceptron's
    last pass or, where no pass was made (``verify``), rows on the wrong side of the published boundary. ``passes`` are
    reads of the data by the solver: those that the certificate itself took are not among them.
    """

    kind: str
    value: float
    tolerance: float
    iterations: int = 0
    passes: int = 0
    seconds: float = 0.0
    message: str = ""

    def __post_init__(self) -> None:
        if np.isnan(self.value):
            object.__setattr__(self, "value", np.inf)
            object.__setattr__(self, "message", self.message or f"the {self.kind} cannot be computed: it is no number")

    @property
    def converged(self) -> bool:
        return bool(np.isfinite(self.value) and self.value <= self.tolerance)

    @property
    def verdict(self) -> str:
        """Either "certified" or "stationary", after "NOT " where the value is above the tolerance.

        A gradient is small where nothing more is to be gained nearby, which proves no optimum: such a fit is called
        stationary.
        """
        proved = "stationary" if self.kind == "gradient" else "certified"
        return proved if self.converged else f"NOT {proved}"

    def __str__(self) -> str:
        verdict = self.verdict
        if self.kind == "mistakes":
            counted = "mistakes in the last pass" if self.passes else "rows on the wrong side"
            return f"{verdict}: {self.value:.0f} {counted}"
        if self.value == float("inf") and self.message:
            return f"{verdict}: {self.message}"
        return f"{verdict}: {named(self.kind)} {self.value:.1e} (tol {self.tolerance:.0e})"


@register("record")
@dataclass
class Trace:
    """Objective, certificate and, where ``coefficients`` is a list, coefficients and intercept at each iteration.

    A certificate is the value that :func:`~separatrix.core.certificate.certify` gives. Descents, which take many cheap
    steps, leave None. Of a network ``layer_norms`` has the length of the gradient in the weights of each layer.
    """

    objective: list[float] = field(default_factory=list)
    certificate: list[float | None] = field(default_factory=list)
    coefficients: list[Array] | None = None
    intercepts: list[Any] = field(default_factory=list)
    layer_norms: list[list[float]] = field(default_factory=list)

    def append(
        self, objective: float, certificate: float | None = None, beta: Array | None = None, intercept: Any = 0.0
    ) -> None:
        self.objective.append(float(objective))
        self.certificate.append(None if certificate is None else float(certificate))
        if self.coefficients is not None and beta is not None:
            self.coefficients.append(np.array(beta, dtype=np.float64))
            self.intercepts.append(np.array(intercept, dtype=np.float64)[()])

    def __len__(self) -> int:
        return len(self.objective)


@dataclass
class Solution:
    """What a solver found, in one convention for all: coefficients and intercept are kept apart, and there is no grade.

    ``beta`` is (p,) or, for several outputs or classes, (p, k); ``intercept`` a float or (k,), 0 where the problem has
    none; ``theta`` (n,) a dual point, where the solver has one. ``passes`` counts reads of the data by the solver.
    """

    beta: Array
    intercept: Array | float
    theta: Array | tuple[Array, Any] | None = None
    trace: Trace | None = None
    details: dict[str, Any] = field(default_factory=dict)
    iterations: int = 0
    passes: int = 0

    @classmethod
    def of(cls, beta: Array, intercept: Array, target: AnyTarget, **rest: Any) -> "Solution":
        """A solution of coefficients (p, k) and intercepts (k,), in the shape that the target's outputs ask for."""
        if target.outputs:
            return cls(beta, intercept, **rest)
        return cls(beta[:, 0], float(intercept[0]), **rest)
