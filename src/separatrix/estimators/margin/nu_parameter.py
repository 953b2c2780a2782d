r"""What machines with nu share: nu itself, and what the multipliers of sums that are fixed say.

A price C says what an error costs; nu says how many there may be: it is at least the share of margin errors and at most
that of support vectors (Schölkopf et al. 2000, proposition 5). In the dual it is the sum of the coefficients.
"""

from typing import Any

import numpy as np

from separatrix.core.dual_problem import DualProblem
from separatrix.core.solution import Solution
from separatrix.core.types import Array
from separatrix.estimators.validation import check_number


def nu_of(model: Any) -> float:
    """nu, a number in (0, 1]."""
    return float(check_number(model, "nu", 0.0, 1.0, open_low=True))


def offsets_of(problem: DualProblem, solution: Solution, bias: str) -> Array:
    """The offset of each group, (k,): mean or median of what its free coefficients ask for, else the solver's."""
    b = solution.beta
    asked = problem.linear - np.asarray(solution.theta)[problem.row]
    free = (b > problem.low) & (b < problem.high)
    offsets = np.array(solution.intercept, dtype=np.float64)
    for g in range(len(offsets)):
        mine = asked[free & (problem.group == g)]
        if len(mine):
            offsets[g] = np.median(mine) if bias == "median" else np.mean(mine)
    return offsets


def halves(problem: DualProblem, total: float, linear: Array, group: Array) -> DualProblem:
    """The problem with sums ``total / 2`` of group 0, of coefficients >= 0, and ``-total / 2`` of group 1."""
    return problem.regrouped(linear, group, np.array([0.5 * total, -0.5 * total]))


def scaled(solution: Solution, factor: float, intercept: float) -> Solution:
    """The same machine with scores `factor` times as large, and the intercept that it is published with."""
    return Solution(
        factor * solution.beta,
        intercept,
        theta=factor * np.asarray(solution.theta),
        details=solution.details,
        iterations=solution.iterations,
        passes=solution.passes,
    )
