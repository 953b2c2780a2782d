r"""Linear support vector regression: :math:`\min \tfrac12 \|w\|^2 + C \sum_i s_i (|y_i - f(x_i)| - \varepsilon)_+`."""

import time
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.margin.linear_machine import AT_END, LinearMachine
from separatrix.estimators.validation import check_choice, check_number, enter
from separatrix.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from separatrix.solvers.choose import KINKED, SQUARED_MARGIN


@declares(
    task="regression",
    losses=(EpsilonInsensitive, SquaredEpsilonInsensitive),
    penalties=("penalties:L2",),
    solvers=(*KINKED, *SQUARED_MARGIN),
    verification=verification.OF_LINEAR_MACHINES,
    has_margins=True,
    small_fits=(
        SmallFit(called="epsilon-insensitive"),
        SmallFit({"loss": "squared_epsilon_insensitive"}, called="squared"),
    ),
)
class LinearSVR(LinearMachine, LinearRegressor):
    r"""The flattest plane, at a price C for rows farther from it than :math:`\varepsilon`.

    .. math:: \min_{w, b} \ \tfrac12 \|w\|^2 + C \sum_i s_i\, \ell(y_i - x_i^\top w - b), \qquad
              \ell(r) = (|r| - \varepsilon)_+ \text{ or } (|r| - \varepsilon)_+^2

    Rows within the tube of half-width :math:`\varepsilon` have no say; those outside pull with the same force, however
    far they are (with the square in proportion to the distance), so that wild targets move the plane little.

    Parameters
    ----------
    epsilon : float, [0, inf), default 0.0.  Half-width of the tube, in units of y.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified.
    C : float, (0, inf), default 1.0.  The price of slack.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default "epsilon_insensitive".
    fit_intercept : bool, default True.
    intercept_scaling : float, (0, inf), default 1.0.  The constant column whose coefficient a penalised intercept is.
    dual : {"auto", True, False}, default "auto".  Accepted for compatibility, no effect here.
    verbose : int, default 0.  Accepted for compatibility, no effect here.
    random_state : accepted for compatibility; nothing here is random.
    max_iter : int, [0, inf), default 1000.  Most iterations.
    penalize_intercept : bool, default False.  Whether the intercept is penalised as LIBLINEAR and scikit-learn do it,
        by appending the column `intercept_scaling` to X: the numbers are then theirs.
    budget : float, str or None, default None.  Seconds, or "500ms", "10s", "2m" (also "2min"), after which iterations
        stop with the best that they have, its gap, and a warning.

    Attributes
    ----------
    coef_ : (p,) array.  intercept_ : (1,) array, or 0.0 without an intercept.
    n_iter_ : int.  Iterations.
    dual_coef_ : (1, n) array.  ``coef_`` is ``dual_coef_ @ X``.
    slack_ : (n,) array.  How far each row is outside the tube; 0 for rows of weight 0.
    support_ : array of int.  Rows on the edge of the tube or outside that hold it.
    on_margin_, margin_errors_ : arrays of int.  Those of them on the edge (no slack), and those outside.
    primal_objective_, dual_objective_ : float.  The objective of the formula, and what it cannot be below.
    certificate_ : Certificate.  The relative gap.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Vapnik (1995), The Nature of Statistical Learning Theory, ch. 6. Ho and Lin (2012), JMLR 13.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 50.0]
    >>> model = LinearSVR(C=10.0).fit(X, y)
    >>> model.coef_.round(6), model.intercept_.round(6) + 0.0, model.margin_errors_
    (array([1.]), array([0.]), array([4]))
    """

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-8,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: str | bool = "auto",
        verbose: int = 0,
        random_state: int | RandomState | None = None,
        max_iter: int = 1000,
        penalize_intercept: bool = False,
        budget: float | str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.penalize_intercept = penalize_intercept
        self.budget = budget

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), an array, sparse array or frame, and y (n,); `sample_weight` multiplies C."""
        started = time.perf_counter()
        self._check()
        design, target = enter(self, X, y, sample_weight, multi_output=False)
        machine = self._machine(self._columns(design), target, self.C, started)
        beta, intercept = self._split(machine.solution.beta)
        self._publish(beta, machine.solution.intercept if intercept is None else intercept)
        if self.fit_intercept:
            self.intercept_ = np.array([self.intercept_])  # the shape that scikit-learn's has
        self.n_iter_ = min(max(machine.solution.iterations, 1), max(self.max_iter, 1))
        self.primal_objective_, self.dual_objective_ = machine.primal, machine.dual
        pull, most = machine.multipliers(), self.C * target.weights
        self.slack_ = self._slack(machine.problem, machine.scores)
        holds = np.abs(pull) > AT_END * most
        outside = self.slack_ > 0.0 if machine.is_smooth else np.abs(pull) >= (1.0 - AT_END) * most
        self.dual_coef_ = np.where(holds, -pull, 0.0)[None]
        self.support_ = np.flatnonzero(holds)
        self.on_margin_, self.margin_errors_ = np.flatnonzero(holds & ~outside), np.flatnonzero(holds & outside)
        self.certificate_ = machine.certificate
        self._warn()
        return self

    def _check(self):
        super()._check()
        check_choice(self, "loss", ("epsilon_insensitive", "squared_epsilon_insensitive"))
        check_number(self, "epsilon", 0.0)
        if np.isposinf(self._strength()):
            raise cannot(
                f"fit LinearSVR with C={self.C!r}",
                because="a plane within epsilon of every row need not exist",
                instead="a finite C, say C=1.0",
            )

    def _loss(self):
        square = self.loss == "squared_epsilon_insensitive"
        return (SquaredEpsilonInsensitive if square else EpsilonInsensitive)(float(self.epsilon))

    def _penalty(self):
        return "l2"

    def _slack(self, problem, eta):
        target = problem.target
        return np.where(target.weights > 0.0, np.maximum(np.abs(target.y - eta) - self.epsilon, 0.0), 0.0)

    def _price(self, c):
        return self.C

    def _restate(self, X, y, sample_weight):
        """The problem on data that are handed in again."""
        design, target = enter(self, X, y, sample_weight, multi_output=False, reset=False)
        return [self._problem(self._columns(design), target, self.C)]


declare(
    Family(
        name="linear support vector regression",
        task="regression",
        model=LinearSVR,
        make=lambda facts: facts.searched(LinearSVR(epsilon=0.1 * facts.spread), {"C": [0.01, 0.1, 1.0, 10.0]}),
        complexity=20,
        description="A plane that leaves small errors alone and counts large ones by their size, not its square: wild "
        "targets move it little.",
    )
)
