"""The Nystroem form of kernel ridge regression: kernels about some of the rows only, solved over all of them."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from separatrix.core.centres_problem import CentresProblem, certify_centres
from separatrix.core.errors import cannot
from separatrix.core.solution import Certificate, Solution
from separatrix.core.target import Target
from separatrix.core.types import Array
from separatrix.designs.kernel_centres import KernelCentres
from separatrix.designs.kernels import Kernel
from separatrix.estimators.published import worst
from separatrix.solvers.falkon import solve

TOLERANCE = 1e-8  # of the relative gap
MEASURED = 500  # rows on which the error of the approximation is measured


class NystroemForm:
    """Coefficients of m centres, all strengths and outputs of one fit."""

    def __init__(self, kernel: Kernel, design: Any, target: Target, centres: Any, intercept: bool) -> None:
        self.centres = KernelCentres(kernel, design.matrix(), centres)
        self.target, self.intercept = target, intercept

    def solved(self, alphas: Array) -> tuple[Array, Array, Certificate]:
        """Coefficients (m, k), intercepts (k,) and the worst certificate."""
        k = int(np.prod(self.target.outputs))
        dual, intercept, certificates = np.zeros((self.centres.m, k)), np.zeros(k), []
        for columns, problem in self._problems(alphas):
            solution = solve(problem, tol=TOLERANCE)
            dual[:, columns] = solution.beta.reshape(self.centres.m, -1)
            intercept[columns] = solution.intercept
            certificates.append(certify_centres(problem, solution, TOLERANCE))
        return dual, intercept, worst(certificates)

    def certified(self, dual: Array, intercept: Array, alphas: Array) -> Certificate:
        """The certificate of coefficients (m, k) and intercepts (k,), whoever made them."""
        parts = []
        for columns, problem in self._problems(alphas):
            parts.append(certify_centres(problem, Solution(dual[:, columns], intercept[columns]), TOLERANCE))
        return worst(parts)

    def _problems(self, alphas: Array) -> Any:
        """Outputs that share a strength, and their problem."""
        each = np.broadcast_to(alphas, int(np.prod(self.target.outputs)))
        for alpha in np.unique(each):
            columns = np.flatnonzero(each == alpha)
            y = self.target.y if not self.target.outputs else np.ascontiguousarray(self.target.y[:, columns])
            part = Target(y, self.target.s)
            yield columns, CentresProblem(self.centres, part, float(alpha) / part.total, self.intercept)


def drawn(model: Any, live: Array, m: int) -> tuple[Array, Array]:
    """Of the rows of positive weight, m centres in their order, and rows to measure the approximation on."""
    order = live[check_random_state(model.random_state).permutation(len(live))]
    return np.sort(order[:m]), order[m : m + MEASURED]


def refuse_without_penalty(model: Any, alphas: Array) -> None:
    """The gap about some centres is bounded by the strength."""
    if not (alphas > 0.0).all():
        raise cannot(
            f"fit {type(model).__name__} with alpha={model.alpha!r} and n_components={model.n_components}",
            because="without a penalty nothing bounds how far some centres are from the best",
            instead="alpha > 0, or n_components=None",
        )
