"""Linear quantile regression; at one half, the median: least absolute deviations."""

import time
from typing import Any, Self

from numpy.typing import ArrayLike

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import WrongType, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.problem import Problem
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.published import certify_published
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.losses import Quantile
from separatrix.penalties import L1
from separatrix.solvers import linear_program

# scikit-learn's parameter has no tolerance; a linear program ends at a vertex, whose gap is rounding
TOLERANCE = 1e-8


@declares(
    task="regression",
    losses=(Quantile,),
    penalties=(L1,),
    solvers=("solvers.linear_program",),
    verification=verification.OF_PROBLEMS,
    small_fits=(SmallFit({"alpha": 0.1}),),
)
class QuantileRegressor(LinearRegressor):
    r"""Predict a conditional quantile: the line that leaves a share `quantile` of the targets below it.

    .. math:: \min_{w, b}\ \frac{1}{\sum s} \sum_i s_i\, \rho_q(y_i - x_i'w - b) + \alpha \|w\|_1, \qquad
              \rho_q(r) = q\, r_+ + (1 - q)\, (-r)_+

    With ``quantile=0.5`` this is the L1 loss, whose answer is the conditional median: one wild target moves it little.
    Where several answers are equally good, the lowest optimal intercept is taken.

    Parameters
    ----------
    quantile : float, (0, 1), default 0.5.  Which quantile to predict.
    alpha : float, [0, inf), default 1.0.  Strength of the L1 penalty; 0 is quantile regression proper.
    fit_intercept : bool, default True.  Whether to fit an intercept, which is never penalised.
    solver : {'highs', 'highs-ds', 'highs-ipm'}, default 'highs'.  Method of ``scipy.optimize.linprog``: its choice, the
        dual simplex, or the interior point. (scikit-learn also lists two that SciPy has removed.)
    solver_options : dict or None, default None.  Options of ``linprog``, such as ``{"maxiter": 1000}``.

    Attributes
    ----------
    coef_ : array of shape (n_features,).
    intercept_ : float.
    n_iter_ : int.  Iterations of the linear program.
    certificate_ : Certificate.  Duality gap, recomputed from the coefficients and the program's dual point.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Koenker and Bassett (1978), Econometrica 46(1).

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.estimators.linear.quantile import QuantileRegressor
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0.0, 1.0, 2.0, 3.0, 100.0])
    >>> model = QuantileRegressor(alpha=0.0).fit(X, y)
    >>> model.predict([[10.0]]).round(6), model.certificate_.converged
    (array([10.]), True)
    """

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "highs",
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X of shape (n, p), dense or sparse, and y of shape (n,); a weight counts as repetitions of its row."""
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight, multi_output=False)
        method = check_choice(self, "solver", ("highs", "highs-ds", "highs-ipm"))
        if not (self.solver_options is None or isinstance(self.solver_options, dict)):
            raise cannot(
                f"fit QuantileRegressor with solver_options={self.solver_options!r}",
                because="they are not a dict",
                instead="a dict of options of scipy.optimize.linprog, or None",
                kind=WrongType,
            )
        problem = self._problem(design, target)
        solution = linear_program.solve(problem, method=method, options=self.solver_options)
        self.n_iter_ = solution.iterations
        self._publish(solution.beta, solution.intercept)
        advice = f"The linear program said: {solution.details['message']} "
        if solution.details["status"] == 0:
            advice += "It stopped at its own tolerance. Leave out nearly dependent columns, or use alpha > 0."
        else:
            advice += "Raise maxiter in solver_options."
        self.certificate_ = certify_published(self, [problem], TOLERANCE, solution, started, advice, stacklevel=3)
        return self

    def _problem(self, design, target):
        """The problem this estimator states: scikit-learn's objective is already ours, penalty and all."""
        q = check_number(self, "quantile", 0, 1, open_low=True, open_high=True)
        alpha = check_number(self, "alpha", 0)
        intercept = bool(check_choice(self, "fit_intercept", (True, False)))
        return Problem(design, target, Quantile(q), L1(alpha), intercept)


declare(
    Family(
        name="median regression",
        task="regression",
        model=QuantileRegressor,
        make=lambda facts: QuantileRegressor(quantile=0.5, alpha=0.0),
        complexity=15,
        description="A line that leaves half of the targets below it: wild targets move it little.",
        why_excluded=needs(columns=500, rows_per_column=2.0),
        most_rows=5_000,
    )
)
