r"""Perceptron regression: the delta rule :math:`w \leftarrow w + \eta\,(y_i - \hat y_i)\,x_i`."""

from numpy.random import RandomState

from separatrix.core.declaration import declares
from separatrix.estimators import verification
from separatrix.estimators.linear.online import OnlineRegressor


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:NoPenalty",),
    solvers=("solvers.stochastic",),
    verification=verification.OF_PROBLEMS,
)
class PerceptronRegressor(OnlineRegressor):
    r"""A linear unit that is corrected, example by example, in proportion to its error.

    .. math:: w \leftarrow w + \eta\,(y_i - w \cdot x_i)\,x_i

    With x carrying a 1 for the intercept. The rule is stochastic gradient descent on the squared error with a constant
    step: where a plane passes through all points it finds it, elsewhere it ends in a cycle about the least-squares
    plane, at a distance that shrinks with :math:`\eta`. A step above 2 divided by the largest squared length of a row
    diverges. For data at hand :class:`~separatrix.linear_model.LinearRegression` is exact and faster.

    Parameters
    ----------
    eta0 : float, (0, inf), default 0.01.  The step.
    fit_intercept : bool, default True.
    max_iter : int, [1, inf), default 1000.  Passes over the data at the most.
    tol : float, [0, inf), or None, default 1e-3.  A pass that lowers the best mean of half the squared errors by less
        is no improvement. None makes all `max_iter` passes.
    n_iter_no_change : int, [1, inf), default 5.  Passes without improvement after which to stop.
    shuffle : bool, default True.  Whether each pass takes a new random order.
    random_state : int, RandomState or None, default 0.  The seed of the orders.
    warm_start : bool, default False.  Whether `fit` starts where the last one ended.
    trace : bool, default False.  Whether to keep objective and coefficients after each pass in ``trace_``; costs one
        more pass each.

    Attributes
    ----------
    coef_ : (p,) array.  intercept_ : (1,) array.
    n_iter_ : int.  Passes made.
    t_ : float.  Updates made, plus 1.
    certificate_ : Certificate.  The relative gradient of the squared error. The rule stops by itself, usually far from
        a tight certificate: no warning is given then, but ``converged`` tells the truth.
    trace_ : Trace, if asked for.

    Notes
    -----
    The rule is sometimes printed with the squared error, ``(y - yhat)² x``: that loses the sign of the error, moves
    along +x whatever it is, and diverges. `sample_weight` multiplies the step of an example.

    References: Widrow and Hoff (1960), IRE WESCON Convention Record 4.

    Examples
    --------
    >>> model = PerceptronRegressor(eta0=0.5, max_iter=200, tol=None).fit([[0], [1]], [-1, -2])
    >>> model.coef_.round(6), model.intercept_.round(6)
    (array([-1.]), array([-1.]))
    """

    loss = "squared_error"
    penalty, alpha, l1_ratio = None, 0.0, 0.0
    learning_rate = usual_rate = "constant"
    epsilon, power_t = 0.1, 0.25  # of losses and rates that the delta rule does not use
    early_stopping, validation_fraction = False, 0.1

    def __init__(
        self,
        *,
        eta0: float = 0.01,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: int | RandomState | None = 0,
        warm_start: bool = False,
        trace: bool = False,
    ) -> None:
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.trace = trace
