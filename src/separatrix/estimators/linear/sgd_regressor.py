"""Linear regression by stochastic gradient descent, from data at hand or from a stream."""

from numpy.random import RandomState

from separatrix.core.declaration import SmallFit, declares
from separatrix.estimators import verification
from separatrix.estimators.linear.online import OnlineRegressor


@declares(
    task="regression",
    losses=("losses:Squared", "losses:Huber", "losses:EpsilonInsensitive", "losses:SquaredEpsilonInsensitive"),
    penalties=("penalties:L2", "penalties:L1", "penalties:ElasticNet", "penalties:NoPenalty"),
    solvers=("solvers.stochastic",),
    verification=verification.OF_PROBLEMS,
    small_fits=tuple(
        SmallFit({"loss": loss, "penalty": penalty, "max_iter": 2}, called=f"{loss} {penalty}")
        for loss in ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
        for penalty in ("l2", "l1", "elasticnet", None)
    ),
)
class SGDRegressor(OnlineRegressor):
    r"""A linear model that learns from one example at a time.

    .. math:: \min_{\beta, b} \frac1n \sum_i s_i\,\ell(y_i, x_i'\beta + b) + \alpha\,\Omega(\beta), \qquad
              \beta \leftarrow \beta - \eta_t\,\big(s_i\,\ell'_i\,x_i + \alpha \nabla\Omega\big)

    Made for data that are too many or that keep coming. For data at hand the solvers of Ridge, Lasso and ElasticNet
    reach the exact optimum in less time. Columns should be of similar size: standardise them first.

    Parameters
    ----------
    loss : {'squared_error', 'huber', 'epsilon_insensitive', 'squared_epsilon_insensitive'}, default 'squared_error'.
    penalty : {'l2', 'l1', 'elasticnet', None}, default 'l2'.  ``|beta|²/2``, ``|beta|_1``, or a mixture.
    alpha : float, [0, inf), default 0.0001.  Strength of the penalty; also sets the 'optimal' learning rate.
    l1_ratio : float, [0, 1], or None, default 0.15.  Share of L1 in 'elasticnet'.
    fit_intercept : bool, default True.
    max_iter : int, [1, inf), default 1000.  Passes over the data at the most.
    tol : float, [0, inf), or None, default 1e-3.  A pass that lowers the best objective by less (or raises the
        validation score by less) is no improvement. None makes all `max_iter` passes.
    shuffle : bool, default True.  Whether each pass takes a new random order.
    verbose : int, default 0.  Accepted for compatibility, no effect here; use `trace`.
    epsilon : float, [0, inf), default 0.1.  Where Huber's loss turns linear (then it must not be 0), or the half-width
        of the tube that is forgiven.
    random_state : int, RandomState or None, default None.
    learning_rate : {'invscaling', 'constant', 'optimal', 'adaptive', 'pa1', 'pa2'}, default 'invscaling'.
        ``eta0 / t**power_t``; ``eta0``; ``1 / (alpha (t0 + t))``; eta0, divided by 5 at each halt; or the
        passive-aggressive rules for 'epsilon_insensitive', with eta0 as their aggressiveness.
    eta0 : float, (0, inf), default 0.01.
    power_t : float, (-inf, inf), default 0.25.
    early_stopping : bool, default False.  Whether to hold out a validation set and judge by its R².
    validation_fraction : float, (0, 1), default 0.1.
    n_iter_no_change : int, [1, inf), default 5.  Passes without improvement after which to stop.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    average : bool or int, [1, inf), default False.  Whether to publish the mean of all iterates, or of those from this
        update on.
    trace : bool, default False.  Whether to keep objective and coefficients after each pass in ``trace_``; costs one
        more pass each.

    Attributes
    ----------
    coef_ : (p,) array.  intercept_ : (1,) array.
    n_iter_ : int.  Passes made.
    t_ : float.  Updates made, plus 1.
    certificate_ : Certificate.  The duality gap where there is a penalty, else the relative gradient. The descent stops
        by its own rule, usually far from a tight certificate: no warning is given then, but ``converged`` tells the
        truth. After `partial_fit` it certifies nothing, for the data are gone.
    trace_ : Trace, if asked for.

    Notes
    -----
    Without shuffling the results are those of scikit-learn, but for these decisions. A descent that runs away goes on
    from its best point with steps a tenth as large, as often as it takes, and warns
    :class:`~separatrix.core.errors.StepsReduced`, where scikit-learn raises or returns huge numbers. Sparse input gives
    what dense input gives (scikit-learn slows the intercept down a hundred times for sparse
    rows, and leaves L1 unsettled on columns not lately met). The L1 debt of each column survives between calls of
    `partial_fit`, so that chunks of a stream equal one pass. With L1, `average` is the mean of the thresholded
    iterates, and the stopping rule sees the coefficients after thresholding.
    `sample_weight` multiplies the step of an example.

    References: Bottou (2012), Stochastic Gradient Descent Tricks. Tsuruoka et al. (2009), ACL. Crammer et al. (2006),
    JMLR 7.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 2))
    >>> model = SGDRegressor(random_state=0).fit(X, X @ [1.0, -2.0] + 3.0)
    >>> model.coef_.round(2), model.intercept_.round(2)
    (array([ 1., -2.]), array([3.]))
    """

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: bool = True,
        verbose: int = 0,
        epsilon: float = 0.1,
        random_state: int | RandomState | None = None,
        learning_rate: str = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: int | bool = False,
        trace: bool = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.trace = trace
