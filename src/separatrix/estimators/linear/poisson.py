r"""Counts whose logarithm of the mean is linear: :math:`\min \frac{1}{\sum s} \sum_i s_i\,\tfrac12 d(y_i, \mu_i) +
\frac{\alpha}{2} \|w\|_2^2`.
"""

from separatrix.core.declaration import SmallFit, declares
from separatrix.estimators.linear.generalized_linear import LIKELIHOOD, SOLVERS, MeanRegressor
from separatrix.estimators.validation import check_choice
from separatrix.losses import Poisson
from separatrix.losses.distributions import DISTRIBUTIONS


@declares(losses=(Poisson,), solvers=LIKELIHOOD, small_fits=(SmallFit({"alpha": 0.1}, positive=True),))
class PoissonRegressor(MeanRegressor):
    r"""Counts, or rates of them: the logarithm of the mean is linear in x.

    .. math:: \min_{w, b} \ \frac{1}{\sum s} \sum_i s_i \Big(\mu_i - y_i + y_i \log\frac{y_i}{\mu_i}\Big) +
              \frac{\alpha}{2} \|w\|_2^2, \qquad \mu_i = e^{x_i^\top w + b}

    With ``alpha=0`` :meth:`summary` has standard errors and tests, as R's ``glm(family=poisson)``.

    Parameters
    ----------
    alpha : float, [0, inf), default 1.0.  Strength of the ridge; the intercept is never penalised.
    fit_intercept : bool, default True.
    solver : {"lbfgs", "newton-cholesky"}, default "lbfgs".  Accepted for compatibility, no effect here.
    max_iter : int, [1, inf), default 100.  Most iterations.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified; relative gradient with ``alpha=0``.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    verbose : accepted for compatibility, no effect here.

    Attributes
    ----------
    As of :class:`GeneralizedLinearRegressor`.

    References: Nelder and Wedderburn (1972), J. R. Statist. Soc. A 135(3).   Theory: docs/theory/generalised_linear.md.

    Examples
    --------
    >>> model = PoissonRegressor(alpha=0.0).fit([[0.0], [0.0], [1.0]], [1.0, 3.0, 6.0])
    >>> model.predict([[1.0]], exposure=[2.0]).round(6)
    array([12.])
    """

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-8,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _distribution(self):
        check_choice(self, "solver", SOLVERS)
        return "poisson", DISTRIBUTIONS["poisson"], "log"
