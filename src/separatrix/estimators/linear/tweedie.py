r"""Targets whose variance is a power of their mean, from squared error (0) to the inverse Gaussian (3) and beyond."""

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.estimators.linear.generalized_linear import LIKELIHOOD, SOLVERS, MeanRegressor
from separatrix.estimators.validation import check_choice, check_number
from separatrix.losses import Gamma, GaussianLog, Poisson, PowerLink, Squared, Tweedie
from separatrix.losses.distributions import tweedie
from separatrix.solvers.choose import RIDGE

NAMES = {0.0: "gaussian", 1.0: "poisson", 2.0: "gamma", 3.0: "inverse_gaussian"}


@declares(
    losses=(Squared, Poisson, Gamma, Tweedie, GaussianLog, PowerLink),
    solvers=(*RIDGE, *LIKELIHOOD, "solvers.newton_raphson"),
    small_fits=(SmallFit({"power": 1.5, "alpha": 0.1}, positive=True, storages=DENSE),),
)
class TweedieRegressor(MeanRegressor):
    r"""A variance proportional to :math:`\mu^p`: squared error, counts, amounts with zeros, amounts.

    .. math:: \min_{w, b} \ \frac{1}{\sum s} \sum_i s_i\,\tfrac12 d_p(y_i, \mu_i) + \frac{\alpha}{2} \|w\|_2^2

    With p between 1 and 2 y is a sum of a random number of positive amounts: zeros are allowed. Above 2 the loss is not
    convex: the fit is a stationary point, certified by its gradient.

    Parameters
    ----------
    power : float, 0 or [1, inf), default 0.0.  p: 0 normal, 1 Poisson, 2 gamma, 3 inverse Gaussian. Powers below 0,
        which scikit-learn lists, are not fitted: their means have to be kept positive.
    alpha : float, [0, inf), default 1.0.  Strength of the ridge; the intercept is never penalised.
    fit_intercept : bool, default True.
    link : {"auto", "identity", "log"}, default "auto".  "identity" for a power of 0, "log" for others. The other
        choice makes a loss that is not convex, or not finite for every score: its gradient is certified.
    solver : {"lbfgs", "newton-cholesky"}, default "lbfgs".  Accepted for compatibility, no effect here.
    max_iter : int, [1, inf), default 100.  Most iterations.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified; relative gradient with ``alpha=0`` or a power
        above 2.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    verbose : accepted for compatibility, no effect here.

    Attributes
    ----------
    As of :class:`GeneralizedLinearRegressor`.

    References: Jørgensen (1987), J. R. Statist. Soc. B 49(2).   Theory: docs/theory/generalised_linear.md.

    Examples
    --------
    >>> model = TweedieRegressor(power=1.5, alpha=0.0).fit([[0.0], [0.0], [1.0]], [0.0, 4.0, 6.0])
    >>> model.predict([[0.0], [1.0]]).round(6)
    array([2., 6.])
    """

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: str = "auto",
        solver: str = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-8,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _distribution(self):
        check_choice(self, "solver", SOLVERS)
        power = check_number(self, "power", -float("inf"), open_low=True)
        family = tweedie(power)
        if family is None:
            raise cannot(
                f"fit TweedieRegressor with power={power:g}",
                because="no such distribution exists" if 0.0 < power < 1.0 else "its mean would have to stay positive",
                instead="power=0, or power >= 1",
            )
        link = check_choice(self, "link", ("auto", "identity", "log"))
        link = next(iter(family.losses)) if link == "auto" else link
        return NAMES.get(power, "tweedie"), family, link
