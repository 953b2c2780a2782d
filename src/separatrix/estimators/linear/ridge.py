r"""Ridge regression: :math:`\min_w \sum_i s_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|_2^2`."""

import time
from numbers import Real
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from separatrix.core.declaration import LEAST_SQUARES, declares
from separatrix.core.errors import cannot
from separatrix.core.problem import Problem
from separatrix.core.solution import Solution, Trace
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.linear.least_squares import SquaredErrorModel
from separatrix.estimators.validation import check_choice, check_number, check_numbers, enter
from separatrix.losses import Squared
from separatrix.penalties import L2, ElasticNet, NoPenalty
from separatrix.solvers.choose import RIDGE, solve_least_squares

_SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:L2", "penalties:NoPenalty", "penalties:ElasticNet"),
    solvers=(*RIDGE, "solvers.nonnegative"),
    likelihood=LEAST_SQUARES,
    verification=verification.OF_PROBLEMS,
)
class Ridge(SquaredErrorModel):
    r"""Least squares with a squared penalty on the coefficients, never on the intercept.

    .. math:: \min_{w, b} \ \sum_i s_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|_2^2

    Unique for every ``alpha > 0``, whatever the rank of X. ``alpha = 0`` is least squares.

    Parameters
    ----------
    alpha : float or (k,) array, [0, inf), default 1.0.  Strength, one for all outputs or one for each.
    fit_intercept : bool, default True.  Whether to fit b.
    copy_X : bool, default True.  Accepted for compatibility; X is never changed.
    max_iter : int, [1, inf), or None, default None.  Most iterations where the problem is too wide to factorise.
    tol : float, [0, inf), default 1e-14.  Relative gap to be certified.
    solver : str, default "auto".  scikit-learn's names are accepted for compatibility and all mean "auto":
        the method is chosen by shape and storage, and the answer is the same.
    positive : bool, default False.  Whether coefficients must not be negative.
    random_state : accepted for compatibility; nothing here is random.
    trace : bool, default False.  Whether to keep the objective and the gap of each iteration in ``trace_``.

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_ : as in scikit-learn.
    solver_ : str.  "auto".
    certificate_ : Certificate.  The relative gap.
    evidence_ : LeastSquaresStatistics.  What the summary is made of, effective degrees of freedom among it.

    References: Hoerl and Kennard (1970), Technometrics 12(1).

    >>> import numpy as np
    >>> Ridge(alpha=2.0, fit_intercept=False).fit(np.eye(2), [3.0, -6.0]).coef_
    array([ 1., -2.])
    """

    def __init__(
        self,
        alpha: float | Array = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-14,
        solver: str = "auto",
        positive: bool = False,
        random_state: int | RandomState | None = None,
        trace: bool = False,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.trace = trace

    _flat = True

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and y (n,) or (n, k)."""
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight, summed=True)
        solution, problems = self._solution(design, target)
        return self._keep(solution, problems, float(self.tol), started)

    def _solution(self, design, target):
        """Solve for every output, each with its own strength where several were given; and the problems solved."""
        check_choice(self, "solver", _SOLVERS)
        self.solver_ = "auto"
        trace = Trace() if self.trace else None
        options = {
            "tol": check_number(self, "tol", 0.0),
            "max_iter": check_number(self, "max_iter", 1, integer=True, none=True),
            "trace": trace,
        }
        problems = self._problems(design, target)
        solution = _side_by_side([solve_least_squares(problem, **options) for problem in problems])
        if self.trace:
            self.trace_ = trace
        return solution, problems

    def _problems(self, design, target):
        """One for all outputs, or one for each where strengths differ.

        ``Σ s r² + alpha |w|²`` is twice Σs times our objective with a ridge of ``alpha / Σs``.
        """
        alphas = self._strengths(target)
        if len(np.unique(alphas)) == 1:
            return [self._problem(design, target, float(alphas[0]))]
        outputs = (Target(np.ascontiguousarray(y), target.s) for y in target.y.T)
        return [self._problem(design, one, float(alpha)) for one, alpha in zip(outputs, alphas)]

    def _problem(self, design, target, alpha):
        lam = alpha / target.total
        free = L2(lam) if lam > 0.0 else NoPenalty()
        penalty = ElasticNet(0.0, lam, True) if self.positive else free
        return Problem(design, target, Squared(), penalty, bool(self.fit_intercept))

    def _strengths(self, target):
        """alpha as an array: one number, or one for each output."""
        if isinstance(self.alpha, Real):
            return np.array([check_number(self, "alpha", 0.0)])
        alphas = check_numbers(self, "alpha", "one number >= 0, or one for each output")
        k = int(np.prod(target.outputs))
        if len(alphas) not in (1, k) or not np.all(np.isfinite(alphas)) or (alphas < 0.0).any():
            raise cannot(
                f"fit Ridge with alpha={self.alpha!r}",
                because=f"y has {k} outputs and each needs a finite alpha >= 0",
                instead=f"one number, or {k} of them",
            )
        return alphas


def _side_by_side(solutions):
    """Several outputs, each with a strength of its own, as one solution."""
    if len(solutions) == 1:
        return solutions[0]
    return Solution(
        np.column_stack([solution.beta for solution in solutions]),
        np.array([solution.intercept for solution in solutions]),
        iterations=max(solution.iterations for solution in solutions),
        passes=sum(solution.passes for solution in solutions),
    )
