r"""Linear regression: :math:`\min_w \tfrac12 \sum_i s_i (y_i - x_i^\top w - b)^2`."""

import sys
import time
import warnings
from typing import Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin

from separatrix.core.cached import cached_property
from separatrix.core.declaration import LEAST_SQUARES, SmallFit, declares
from separatrix.core.errors import RankDeficient, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.protocol import column_names
from separatrix.core.statistics import LeastSquaresStatistics
from separatrix.core.types import Array, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor
from separatrix.estimators.published import certify_published
from separatrix.estimators.validation import check_choice, check_number, enter

NOT_REACHED = "Increase max_iter or tol, standardise the columns, or raise alpha."


class SquaredErrorModel(MultiOutputMixin, LinearRegressor):
    """What models fitted by squared error share: the evidence for their summary, and the word on lost rank."""

    @cached_property
    def evidence_(self) -> LeastSquaresStatistics | None:
        """What the fit knows of its own uncertainty (:class:`separatrix.core.statistics.LeastSquaresStatistics`)."""
        if self._direct_fit is None:
            raise AttributeError(
                f"this {type(self).__name__} has no evidence_: it was solved by iterations that form no covariance"
            )
        return self._direct_fit.evidence()

    def _keep(self, solution, problems, tol, started):
        """Publish a solution, certify what is published, and warn where columns are determined by others."""
        design = problems[0].design
        self._direct_fit = solution.details.get("fit")
        self.__dict__.pop("evidence_", None)
        self._publish(solution.beta, solution.intercept, design.dtype)
        advice = "" if solution.details.get("diverged") else NOT_REACHED
        self.certificate_ = certify_published(self, problems, tol, solution, started, advice)
        self.n_iter_ = max(1, solution.iterations)
        name_aliases(self, solution, design)
        return self


def name_aliases(model, solution, design, stacklevel=4):
    """Warn where an unpenalised fit found columns that are determined by others, and name them."""
    direct = solution.details.get("fit")
    if direct is None or np.any(direct.lam):
        return
    lost = sorted(int(j) for j in (*direct.factor.aliased, *direct.factor.constant))
    if lost:
        names = column_names(model, design.p)
        warnings.warn(RankDeficient(len(direct.factor.kept), design.p, [names[j] for j in lost]), stacklevel=stacklevel)


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:NoPenalty", "penalties:ElasticNet"),
    solvers=("solvers.choose:LEAST_SQUARES", "solvers.nonnegative", "solvers.descent"),
    likelihood=LEAST_SQUARES,
    verification=verification.OF_PROBLEMS,
    small_fits=tuple(
        SmallFit({"solver": solver, "max_iter": 2}, called=solver) for solver in ("gradient", "stochastic")
    ),
)
class LinearRegression(SquaredErrorModel):
    r"""Ordinary least squares, right to the last digit the data support.

    .. math:: \min_{w, b} \ \tfrac12 \sum_i s_i (y_i - x_i^\top w - b)^2

    Columns are scaled, the condition is estimated, and the solution refined with residuals in doubled precision
    wherever that is needed, so columns of very different size do no harm. Where columns are linearly dependent the
    minimum-norm solution is returned, with a warning that names them.

    Parameters
    ----------
    fit_intercept : bool, default True.  Whether to fit b.
    copy_X : bool, default True.  Accepted for compatibility; X is never changed.
    tol : float, (0, inf), default 1e-14.  Relative gap to be certified; for the descents, where they stop.
    n_jobs : int or None, default None.  Accepted for compatibility; threads are set by ``OMP_NUM_THREADS``.
    positive : bool, default False.  Whether coefficients must not be negative (Lawson and Hanson's method).
    solver : {"auto", "gradient", "stochastic"}, default "auto".  A factorisation, or the descent itself, to be
        watched: full-batch gradient descent, or one example (or mini-batch) at a time.
    learning_rate : float, (0, inf), or None, default None.  Step of the descents; None takes 1/L.
    max_iter : int, [1, inf), default 1000.  Steps of gradient descent, or epochs of stochastic descent.
    batch_size : int, [1, inf), default 1.  Examples in one step of ``solver="stochastic"``.
    shuffle : bool, default True.  Whether stochastic descent visits the rows in a new random order in each epoch.
    trace : bool, default False.  Whether to keep the objective and coefficients of each iteration in ``trace_``.
    random_state : int, RandomState or None, default None.  For the order of rows.

    Attributes
    ----------
    coef_ : (p,) or (k, p) array.  Coefficients.
    intercept_ : float or (k,) array.
    n_iter_ : int.  Refinements of the solution, or steps of a descent.
    rank_ : int.  Number of linearly independent (centred) columns.
    singular_ : (min(n, p),) array.  Singular values of the centred X, for dense X.
    certificate_ : Certificate.  The relative gap, and the condition of the columns.
    evidence_ : LeastSquaresStatistics.  What the summary is made of.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Björck (1996), Numerical Methods for Least Squares Problems.

    >>> import numpy as np
    >>> model = LinearRegression().fit(np.array([[0.0], [1.0], [2.0], [3.0]]), [1.0, 3.0, 5.0, 7.0])
    >>> model.coef_, float(model.intercept_)
    (array([2.]), 1.0)
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-14,
        n_jobs: int | None = None,
        positive: bool = False,
        solver: str = "auto",
        learning_rate: float | None = None,
        max_iter: int = 1000,
        batch_size: int = 1,
        shuffle: bool = True,
        trace: bool = False,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.solver = solver
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.trace = trace
        self.random_state = random_state

    def __sklearn_clone__(self) -> Self:
        """A copy that is not fitted, which RANSAC takes for least squares, as it does scikit-learn's.

        RANSAC clones its estimator, and then asks whether it is an instance of scikit-learn's LinearRegression, to know
        that p + 1 rows determine it. Registering the class any earlier would import scikit-learn's linear models.
        """
        theirs = sys.modules.get("sklearn.linear_model")
        if theirs is not None and not issubclass(LinearRegression, theirs.LinearRegression):
            theirs.LinearRegression.register(LinearRegression)
        return super().__sklearn_clone__()

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p) and y (n,) or (n, k)."""
        solver = check_choice(self, "solver", ("auto", "gradient", "stochastic"))
        tol = check_number(self, "tol", 0.0)
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight, summed=solver == "auto")
        if solver != "auto":
            return self._descend(design, target, solver, tol, started)
        from separatrix.solvers.choose import solve_least_squares

        problem = self._problem(design, target)
        self._keep(solve_least_squares(problem, tol=tol), [problem], tol, started)
        if self._direct_fit is not None:
            self.rank_ = len(self._direct_fit.factor.kept)
        return self

    @property
    def singular_(self) -> Array:
        """Singular values of the centred X, largest first."""
        if vars(self).get("_direct_fit") is None:
            raise AttributeError("singular_ is known after a fit by factorisation only")
        factor = self._direct_fit.factor
        singular = np.linalg.svd(factor.R / factor.scale[factor.kept], compute_uv=False)
        return singular.astype(self.coef_.dtype, copy=False)

    def _problem(self, design, target):
        """Half the mean square instead of half the sum: the same minimiser."""
        from separatrix.core.problem import Problem  # losses bring numba, which a factorisation does without
        from separatrix.losses import Squared
        from separatrix.penalties import ElasticNet, NoPenalty

        penalty = ElasticNet(0.0, 0.0, True) if self.positive else NoPenalty()
        return Problem(design, target, Squared(), penalty, bool(self.fit_intercept))

    def _problems(self, design, target):
        return [self._problem(design, target)]

    def _descend(self, design, target, solver, tol, started):
        from separatrix.core.solution import Trace
        from separatrix.solvers.descent import descend

        if self.positive:
            raise cannot(
                f"fit LinearRegression with positive=True and solver={solver!r}",
                because="the descents know no bounds",
                instead="solver='auto' (default)",
            )
        problem = self._problem(design, target)
        solution = descend(
            problem,
            learning_rate=check_number(self, "learning_rate", 0.0, open_low=True, none=True),
            max_iter=check_number(self, "max_iter", 1, integer=True),
            tol=tol,
            batch_size=None if solver == "gradient" else check_number(self, "batch_size", 1, integer=True),
            shuffle=self.shuffle,
            random_state=self.random_state,
            trace=Trace(coefficients=[]) if self.trace else None,
        )
        self._keep(solution, [problem], tol, started)
        if self.trace:
            self.trace_ = solution.trace
        return self


declare(
    Family(
        name="least squares",
        task="regression",
        model=LinearRegression,
        make=lambda facts: LinearRegression(),
        complexity=10,
        description="A number that is linear in the columns, with the smallest squared error: coefficients have "
        "standard errors.",
        why_excluded=needs(columns=20_000, rows_per_column=2.0),
    )
)
