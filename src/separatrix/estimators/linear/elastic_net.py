r"""Elastic net: :math:`\min_w \tfrac1{2n} \|y - Xw\|^2 + \alpha \rho \|w\|_1 + \tfrac12 \alpha (1-\rho) \|w\|^2`."""

import time
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import MultiOutputMixin

from separatrix.core.certificate import warn_if_not_certified
from separatrix.core.declaration import Search, SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import DataFacts, Family, declare
from separatrix.core.objective import gap_unit
from separatrix.core.problem import Problem
from separatrix.core.separable import Separable
from separatrix.core.solution import Trace
from separatrix.core.types import Matrix, MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearRegressor, sparse_rows
from separatrix.estimators.linear.path import CrossValidatedPath, check_mixtures, path_of
from separatrix.estimators.linear.strengths import with_factors, within_bounds
from separatrix.estimators.published import certify_each, timed, worst
from separatrix.estimators.validation import check_choice, check_number, check_numbers, enter
from separatrix.losses import Squared
from separatrix.penalties import ElasticNet as ElasticNetPenalty
from separatrix.solvers.choose import LEAST_SQUARES, RIDGE, SEPARABLE, solve_least_squares

# The finest relative gap that this precision can certify.
FINEST = 1e-15
# Paths are followed in memory; their last strength may be 0.
OF_PATH = ("solvers.path", "solvers.proximal_newton", "solvers.gram_coordinate", *LEAST_SQUARES, "solvers.nonnegative")


@declares(
    task="regression",
    losses=(Squared,),
    penalties=(ElasticNetPenalty, Separable),
    solvers=(*SEPARABLE, "solvers.gram_coordinate", *RIDGE, "solvers.nonnegative"),
    verification=verification.OF_PROBLEMS,
    small_fits=(SmallFit({"alpha": 0.1}),),
)
class ElasticNet(MultiOutputMixin, LinearRegressor):
    r"""Least squares with a lasso and a ridge penalty together.

    .. math:: \min_{w, b} \ \frac1{2 \sum s} \sum_i s_i (y_i - x_i^\top w - b)^2
              + \alpha \rho \|w\|_1 + \tfrac12 \alpha (1 - \rho) \|w\|_2^2

    The duality gap is certified: no solution can be better by more than that.

    Parameters
    ----------
    alpha : float, [0, inf), default 1.0.  Strength.
    l1_ratio : float, [0, 1], default 0.5.  The share rho of the lasso; 1 is the lasso, 0 is ridge.
    fit_intercept : bool, default True.  Whether to fit b.
    precompute : bool or (p, p) array, default False.  Accepted for compatibility; Gram matrices are formed where
        they pay, of the columns in play.
    max_iter : int, [1, inf), default 1000.  Most times that columns are added to those in play.
    copy_X : bool, default True.  Accepted for compatibility; X is never changed.
    tol : float, [0, inf), default 1e-8.  Relative duality gap to be certified.
    warm_start : bool, default False.  Whether to start from the last ``coef_``.
    positive : bool, default False.  Whether coefficients must not be negative.
    random_state, selection : accepted for compatibility; coordinates are visited in order.
    penalty_factor : (p,) array of [0, inf) or None, default None.  Factors of alpha for single coefficients; 0 leaves
        one unpenalised. They are used as given (glmnet rescales its own to sum to p). None is 1 for all.
    bounds : (low, high) or None, default None.  Bounds of the coefficients, low <= 0 <= high, each a number or an array
        of p. ``positive=True`` is ``bounds=(0, inf)``.
    trace : bool, default False.  Whether to keep objective and gap, each time columns are added, in ``trace_``.

    Attributes
    ----------
    coef_ : (p,) or (k, p) array.
    sparse_coef_ : the same as a sparse matrix, or as a sparse array where scikit-learn's `sparse_interface` says so.
    intercept_ : float or (k,) array.
    dual_gap_ : float or (k,) array.  The gap in units of the objective. NaN where nothing penalises or bounds one of
        the coefficients under a lasso in a stream of more than four million rows: there is no gap then, and
        ``certificate_`` holds the gradient.
    n_iter_ : int or list of int.  Times that columns were added.
    certificate_ : Certificate.  The gap relative to the null model, recomputed from data and coefficients.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Zou and Hastie (2005), J. R. Statist. Soc. B 67(2).

    >>> import numpy as np
    >>> ElasticNet(alpha=1.0, l1_ratio=0.5, fit_intercept=False).fit(2.0 * np.eye(2), [4.0, 1.0]).coef_
    array([1.4, 0.2])
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: Any = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-8,
        warm_start: bool = False,
        positive: bool = False,
        random_state: int | RandomState | None = None,
        selection: str = "cyclic",
        penalty_factor: ArrayLike | None = None,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
        trace: bool = False,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.trace = trace

    _flat = True

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> Self:
        """Fit to X (n, p) and y (n,) or (n, k); several outputs are fitted one by one.

        `check_input` is accepted for compatibility: X and y are always checked.
        """
        started = time.perf_counter()
        tol = check_number(self, "tol", 0.0)
        max_iter = check_number(self, "max_iter", 1, integer=True)
        check_choice(self, "selection", ("cyclic", "random"))
        design, target = enter(self, X, y, sample_weight, summed=True)
        problems = self._problems(design, target)
        starts = self._starts((len(problems), design.p))
        solutions = [self._solve(problem, tol, max_iter, start) for problem, start in zip(problems, starts)]
        return self._keep(problems, solutions, target.outputs == (), started)

    def _starts(self, shape):
        """Where each output starts: at ``coef_``, of a fit or given by hand, if it is to go on and has this shape."""
        before = np.atleast_2d(vars(self).get("coef_", ()))
        if not self.warm_start or before.shape != shape:
            return [None] * shape[0]
        return list(zip(before.astype(np.float64), np.broadcast_to(vars(self).get("intercept_", 0.0), shape[0])))

    def _problem(self, design, target):
        """scikit-learn's alpha is ours: both divide the squares by twice the (weighted) number of rows."""
        alpha = check_number(self, "alpha", 0.0)
        ratio = check_number(self, "l1_ratio", 0.0, 1.0)
        penalty = ElasticNetPenalty(alpha * ratio, alpha * (1.0 - ratio), bool(self.positive))
        penalty = with_factors(self, penalty, design.p)
        return Problem(design, target, Squared(), penalty, bool(self.fit_intercept))

    def _solve(self, problem, tol, max_iter, start):
        """One output."""
        trace = Trace() if self.trace else None
        solution = solve_least_squares(problem, tol=tol, max_iter=max_iter, start=start, trace=trace)
        if solution.theta is None and problem.design.dtype != np.float64 and problem.parts.kink.any():
            # rounding moves the slopes out of the domain of a penalty with kinks; those before it give a tight bound
            solution.theta = solution.beta, solution.intercept
        return solution

    def _keep(self, problems, solutions, one, started):
        """Publish the solutions of all outputs, and certify what is published."""
        beta = np.column_stack([s.beta for s in solutions])
        offset = np.array([s.intercept for s in solutions])
        beta = within_bounds(beta, problems[0].parts, problems[0].design.dtype)
        self._publish(beta[:, 0] if one else beta, offset[0] if one else offset, problems[0].design.dtype)
        certificates = certify_each(self, problems, max(self.tol, FINEST), solutions)
        self.certificate_ = timed(worst(certificates), started)
        warn_if_not_certified(self.certificate_, "Increase max_iter, tol or alpha.", stacklevel=3)
        gaps = np.array([c.value * gap_unit(p) if c.kind == "gap" else np.nan for p, c in zip(problems, certificates)])
        rounds = [max(1, s.iterations) for s in solutions]
        self.n_iter_ = rounds[0] if one else rounds
        if self.trace:
            self.trace_ = solutions[0].trace if one else [s.trace for s in solutions]
        self.dual_gap_ = float(gaps[0]) if one else gaps
        return self

    @property
    def sparse_coef_(self) -> Matrix:
        """``coef_`` as a sparse matrix."""
        return sparse_rows(self.coef_)


def enet_path(
    X: MatrixLike,
    y: ArrayLike,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int | None = None,
    alphas: ArrayLike | None = 100,
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: bool = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    tol: float = 1e-8,
    max_iter: int = 1000,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = False,
) -> tuple[Any, ...]:
    r"""Elastic-net coefficients along a path of strengths; as in scikit-learn without an intercept, unless asked for.

    Parameters
    ----------
    X : (n, p) array or sparse array.
    y : (n,) or (n, k) array.
    l1_ratio : float, [0, 1], default 0.5.  The share of the lasso; 0, which is ridge, needs given `alphas`.
    eps : float, (0, 1], default 1e-3.  The last strength divided by the first.
    n_alphas : int or None, default None.  How many strengths; deprecated, as in scikit-learn: use `alphas`.
    alphas : int or array, default 100.  How many strengths, or which.
    precompute, Xy, copy_X, coef_init, verbose, check_input : accepted for compatibility.
    return_n_iter : bool, default False.  Whether to return the sweeps for each strength as well.
    positive : bool, default False.  Whether coefficients must not be negative.
    tol : float, [0, inf), default 1e-8.  Relative duality gap to be certified for each strength.
    max_iter : int, [1, inf), default 1000.  Most times that columns are added for each strength.
    sample_weight : (n,) array or None.  Repetitions of each row.
    fit_intercept : bool, default False.  Whether to fit an intercept at each strength. A sparse X stays sparse.

    Returns
    -------
    alphas : (L,) array, from strong to weak.
    coefs : (p, L) or (k, p, L) array.
    dual_gaps : (L,) or (k, L) array, in units of the objective.
    n_iters : list of int, if asked for.
    intercepts : (L,) or (k, L) array, if they are fitted.

    >>> import numpy as np
    >>> alphas, coefs, gaps = enet_path(np.eye(2), [2.0, -1.0], alphas=[0.25], l1_ratio=1.0)
    >>> coefs[:, 0]
    array([ 1.5, -0.5])
    """
    return path_of(
        X, y, sample_weight, l1_ratio, eps, alphas, positive, tol, max_iter, return_n_iter, n_alphas, fit_intercept
    )


@declares(
    task="regression",
    losses=(Squared,),
    penalties=(ElasticNetPenalty, Separable),
    solvers=OF_PATH,
    search=Search(ElasticNet, {"alpha": "alpha_", "l1_ratio": "l1_ratio_"}, grid="alphas_", strength="alpha"),
    verification=verification.OF_PROBLEMS,
)
class ElasticNetCV(CrossValidatedPath):
    r"""The elastic net with strength, and mixture if several are given, chosen by cross-validation.

    Parameters
    ----------
    l1_ratio : float or list, [0, 1], default 0.5.  The share of the lasso, or several to choose from; 0, which is
        ridge, needs given `alphas`.
    eps : float, (0, 1], default 1e-3.  The last strength divided by the first.
    alphas : int or array, default 100.  How many strengths, or which.
    fit_intercept : bool, default True.  Whether to fit b.
    precompute : default "auto".  Accepted for compatibility.
    max_iter : int, [1, inf), default 1000.  Most times that columns are added for each strength.
    tol : float, [0, inf), default 1e-8.  Relative duality gap to be certified.
    cv : int, splitter or None, default None (5 folds).
    copy_X, verbose, n_jobs : accepted for compatibility.
    positive : bool, default False.  Whether coefficients must not be negative.
    random_state, selection : accepted for compatibility.
    penalty_factor : (p,) array of [0, inf) or None, default None.  Factors of the strengths for single coefficients;
        0 leaves one unpenalised. They are used as given (glmnet rescales its own to sum to p). None is 1 for all.
    bounds : (low, high) or None, default None.  Bounds of the coefficients, low <= 0 <= high, each a number or an array
        of p. ``positive=True`` is ``bounds=(0, inf)``.
    rule : {"best", "1se"}, default "best".  Which strength to take: that of the smallest mean error, or the strongest
        within one standard error of it.

    Attributes
    ----------
    alpha_, l1_ratio_ : float.  What was chosen.
    alpha_1se_ : float.  The strongest within one standard error of the best (at the mixture chosen).
    alphas_ : (L,) or (m, L) array.  The strengths tried, for each mixture.
    mse_path_ : (L, folds) or (m, L, folds) array.  Mean squared errors on the folds left out.
    coef_, intercept_, dual_gap_, n_iter_, certificate_, n_features_in_, feature_names_in_ : as in ElasticNet.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> ElasticNetCV(l1_ratio=[0.5, 1.0]).fit(X, 3.0 * X[:, 0] + rng.standard_normal(60)).l1_ratio_
    1.0
    """

    def __init__(
        self,
        *,
        l1_ratio: ArrayLike = 0.5,
        eps: float = 1e-3,
        alphas: ArrayLike = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-8,
        cv: Any = None,
        copy_X: bool = True,
        verbose: int = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: int | RandomState | None = None,
        selection: str = "cyclic",
        penalty_factor: ArrayLike | None = None,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
        rule: str = "best",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.rule = rule

    def _mixtures(self):
        ratios = check_numbers(self, "l1_ratio", "l1_ratio in [0, 1], or several of them")
        if not len(ratios) or not np.all((ratios >= 0.0) & (ratios <= 1.0)):
            raise cannot(
                f"fit ElasticNetCV with l1_ratio={self.l1_ratio!r}",
                because="shares of the lasso must be numbers in [0, 1], and at least one",
                instead="l1_ratio=0.5 (default), or l1_ratio=[0.2, 0.5, 0.8], say",
            )
        check_mixtures(self, ratios)
        return ratios

    def _final(self, alpha, ratio):
        return ElasticNet(
            alpha,
            l1_ratio=ratio,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=self.tol,
            positive=self.positive,
            penalty_factor=self.penalty_factor,
            bounds=self.bounds,
        )


def _search(facts: DataFacts) -> ElasticNetCV:
    """The search of a comparison: shares of the L1 penalty as they are for a target of standard deviation 1.

    With y = σ z the objective in the units of z, ``1/2n |z - X b|² + α (r |b|_1 + (1-r)/2 |b|²)``, is in those of y
    ``1/2n |y - X β|² + α σ r |β|_1 + α (1-r)/2 |β|²``: the share of L1 is σr / (σr + 1 - r). With fixed shares the
    quadratic part would be all or nothing in salaries or in micrograms.
    """
    shares = [facts.spread * r / (facts.spread * r + 1.0 - r) for r in (0.2, 0.5, 0.8)]
    return ElasticNetCV(l1_ratio=shares, alphas=30, cv=facts.inner_folds(), tol=1e-6)


declare(
    Family(
        name="elastic net",
        task="regression",
        model=ElasticNetCV,
        make=_search,
        complexity=20,
        description="Between ridge and lasso: few columns, and groups of columns that go together.",
    )
)
