"""Huber's regression with an L2 penalty: an estimator that is written outside the package."""

import time

from separatrix.core.declaration import COEFFICIENTS, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.problem import Problem
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.published import certify_published
from separatrix.estimators.validation import check_number, enter
from separatrix.losses import Huber
from separatrix.penalties import L2
from separatrix.prediction import forms
from separatrix.solvers import newton


@declares(
    task="regression",
    losses=(Huber,),
    penalties=(L2,),
    solvers=("solvers.newton_raphson",),
    prediction=forms.LINEAR,
    verification=verification.OF_PROBLEMS,
    description=COEFFICIENTS,
    small_fits=(SmallFit({"alpha": 0.1}),),
)
class HuberRidge(LinearRegressor):
    r"""Linear regression that outliers move little, with shrunken coefficients.

    .. math:: \min_{w, b}\ \frac{1}{\sum s} \sum_i s_i\, h_\delta(y_i - x_i'w - b) + \tfrac{\alpha}{2} \|w\|^2

    Parameters
    ----------
    alpha : float, (0, inf), default 0.01.  Strength of the penalty.
    delta : float, (0, inf), default 1.0.  Residual at which the loss turns from a square into a line.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified.
    max_iter : int, [1, inf), default 100.  Newton steps at the most.
    """

    fit_intercept = True

    def __init__(self, *, alpha=0.01, delta=1.0, tol=1e-8, max_iter=100):
        self.alpha = alpha
        self.delta = delta
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X, y, sample_weight=None):
        """Fit to X of shape (n, p) and y of shape (n,); a weight counts as repetitions of its row."""
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight, multi_output=False)
        tol, max_iter = check_number(self, "tol", 0), check_number(self, "max_iter", 1, integer=True)
        problem = self._problem(design, target)
        solution = newton(problem, tol=tol, max_iter=max_iter)
        self.n_iter_ = solution.iterations
        self._publish(solution.beta, solution.intercept)
        advice = f"Raise max_iter={max_iter} or tol={tol:g}."
        self.certificate_ = certify_published(self, [problem], tol, solution, started, advice, stacklevel=3)
        return self

    def _problem(self, design, target):
        """The problem in the units of the library: `fit` solves it, and `verify` certifies it on data given again."""
        delta = check_number(self, "delta", 0, open_low=True)
        alpha = check_number(self, "alpha", 0, open_low=True)
        return Problem(design, target, Huber(delta), L2(alpha), intercept=True)


declare(
    Family(
        name="Huber regression",
        task="regression",
        model=HuberRidge,
        make=lambda facts: HuberRidge(),
        complexity=20,
        description="A linear model that outliers of the target move little.",
        why_excluded=needs(columns=500),
    )
)
