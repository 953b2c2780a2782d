r"""What linear support vector machines share: :math:`\min \tfrac12 \|w\|^2 + C \sum_i s_i\,\ell_i`.

An intercept is not penalised. With ``penalize_intercept=True`` it is the coefficient of one more column, the constant
``intercept_scaling``, as in LIBLINEAR and scikit-learn.
"""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from numbers import Real

import numpy as np

from separatrix.core.cached import cached_property
from separatrix.core.certificate import warn_if_not_certified
from separatrix.core.dispatch import implemented
from separatrix.core.errors import cannot
from separatrix.core.objective import gap_unit, slopes_at, sum_of_costs, total_value
from separatrix.core.problem import Problem
from separatrix.core.solution import Certificate, Solution
from separatrix.core.time_limit import ending_when
from separatrix.core.types import Array
from separatrix.core.verbs import is_smooth, kinks
from separatrix.designs.constant import with_constant
from separatrix.estimators.base import LinearModel
from separatrix.estimators.published import certify_solution
from separatrix.estimators.validation import check_budget, check_choice, check_number
from separatrix.penalties import L1, L2
from separatrix.solvers.choose import solve_kinked, solve_squared_margin

ADVICE = "Raise max_iter or budget, standardise the columns, or penalise more (a smaller C)."
# Dual variables nearer to an end of their range than this share of C are at it.
AT_END = 1e-7
MOST_PRICE = 1e100  # finite prices above would overflow


@dataclass
class Machine:
    """One solved problem, in the units of the formula: sums, and C."""

    problem: Problem
    solution: Solution
    certificate: Certificate
    C: float

    @property
    def is_smooth(self) -> bool:
        return is_smooth(self.problem.loss)

    @property
    def unit(self) -> float:
        """The objective is this times the mean objective that was solved."""
        return self.C * self.problem.target.total

    @cached_property
    def scores(self) -> Array:
        return self.problem.design.matvec(self.solution.beta) + self.solution.intercept

    @cached_property
    def primal(self) -> float:
        problem, target = self.problem, self.problem.target
        fit = total_value(problem.loss, target.y, self.scores, target.weights) / target.total
        return self.unit * (fit + sum_of_costs(problem.penalty, self.solution.beta))

    @property
    def dual(self) -> float:
        """What the objective cannot be below: the primal one less the gap."""
        return self.primal - self.unit * gap_unit(self.problem) * self.certificate.value

    def multipliers(self) -> Array:
        """``C s_i u_i``, the pull of each row with its sign: minus the dual variables times y."""
        theta = self.solution.theta
        target = self.problem.target
        u = slopes_at(self.problem.loss, target.y, self.scores) if theta is None else theta
        return self.C * target.weights * u


class LinearMachine(LinearModel):
    """Parameters `C`, `fit_intercept`, `intercept_scaling`, `penalize_intercept`, `tol`, `max_iter` and `budget`."""

    def _check(self):
        check_number(self, "tol", 0.0)
        check_number(self, "max_iter", 0, integer=True)
        check_choice(self, "dual", ("auto", True, False))
        check_number(self, "intercept_scaling", 0.0, open_low=True)
        check_budget(self)

    def _strength(self):
        endless = isinstance(self.C, Real) and np.isposinf(self.C)
        C = np.inf if endless else check_number(self, "C", 0.0, open_low=True)
        if MOST_PRICE < C < np.inf:
            raise cannot(
                f"fit {type(self).__name__} with C={C:g}",
                because=f"an objective made of prices beyond {MOST_PRICE:g} overflows",
                instead="a smaller C, say C=1e6",
            )
        return C

    def _problem(self, design, target, C):
        """C Σ s loss + Ω, divided by C Σ s: the penalty is that of a mean with the strength 1 / (C Σ s)."""
        lam = 1.0 / (C * target.total)
        penalty = L1(lam) if self._penalty() == "l1" else L2(lam)
        return Problem(design, target, self._loss(), penalty, bool(self.fit_intercept) and not self.penalize_intercept)

    def _columns(self, design):
        """The design of the problem: with the constant column of an intercept that is penalised."""
        penalised = self.fit_intercept and self.penalize_intercept
        return with_constant(design, float(self.intercept_scaling)) if penalised else design

    def _machine(self, design, target, C, started):
        """Solve and certify the problem of one output."""
        with np.errstate(over="ignore"):
            design.refuse_if_not_finite(design.column_squares(target))
        problem = self._problem(design, target, C)
        solve = solve_kinked if implemented(kinks, problem.loss) else solve_squared_margin
        with self._clock(started):
            solution = solve(problem, tol=self.tol, max_iter=self.max_iter)
        solution.beta = np.asarray(solution.beta, dtype=np.float64)
        return Machine(problem, solution, certify_solution(problem, solution, self.tol, started), C)

    def _clock(self, started):
        seconds = check_budget(self)
        if seconds == np.inf:
            return nullcontext()
        return ending_when(lambda: time.perf_counter() - started >= seconds)

    def _split(self, beta):
        """Coefficients and intercept as they are published, of the coefficients of the problem's columns."""
        if self.fit_intercept and self.penalize_intercept:
            return beta[:-1], beta[-1] * self.intercept_scaling
        return beta, None

    def _joined(self, coef, intercept):
        """The coefficients of the problem's columns and its intercept, of those that are published."""
        if self.fit_intercept and self.penalize_intercept:
            return np.append(coef, intercept / self.intercept_scaling), 0.0
        return np.asarray(coef), float(intercept)

    def _warn(self, stacklevel=4):
        warn_if_not_certified(self.certificate_, self.certificate_.message or ADVICE, stacklevel)
