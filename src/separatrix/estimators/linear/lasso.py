r"""The lasso: :math:`\min_w \tfrac1{2n} \|y - Xw\|^2 + \alpha \|w\|_1`."""

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from separatrix.core.declaration import Search, declares
from separatrix.core.family import Family, declare
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.linear.elastic_net import OF_PATH, ElasticNet
from separatrix.estimators.linear.path import CrossValidatedPath, path_of
from separatrix.solvers.choose import LEAST_SQUARES, SEPARABLE


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:ElasticNet", "penalties:Separable"),
    solvers=(*SEPARABLE, "solvers.gram_coordinate", *LEAST_SQUARES, "solvers.nonnegative"),
)
class Lasso(ElasticNet):
    r"""Least squares with an absolute-value penalty: irrelevant coefficients become exactly zero.

    .. math:: \min_{w, b} \ \frac1{2 \sum s} \sum_i s_i (y_i - x_i^\top w - b)^2 + \alpha \|w\|_1

    The duality gap is certified: no solution can be better by more than that.

    Parameters
    ----------
    alpha : float, [0, inf), default 1.0.  Strength. The notes' ``RSS + lam |w|`` has ``lam = 2 n alpha``.
    fit_intercept : bool, default True.  Whether to fit b.
    precompute : bool or (p, p) array, default False.  Accepted for compatibility; Gram matrices are formed where
        they pay, of the columns in play.
    copy_X : bool, default True.  Accepted for compatibility; X is never changed.
    max_iter : int, [1, inf), default 1000.  Most times that columns are added to those in play.
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
    coef_, sparse_coef_, intercept_, dual_gap_, n_iter_, certificate_, n_features_in_, feature_names_in_ :
        as in :class:`ElasticNet`.

    References: Tibshirani (1996), J. R. Statist. Soc. B 58(1).

    >>> import numpy as np
    >>> model = Lasso(alpha=0.5, fit_intercept=False).fit(np.eye(3) * 3**0.5, 3**0.5 * np.array([3.0, -1.0, 0.2]))
    >>> model.coef_.round(12) + 0.0
    array([ 2.5, -0.5,  0. ])
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: Any = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-8,
        warm_start: bool = False,
        positive: bool = False,
        random_state: int | RandomState | None = None,
        selection: str = "cyclic",
        penalty_factor: ArrayLike | None = None,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
        trace: bool = False,
    ) -> None:
        super().__init__(
            alpha,
            l1_ratio=1.0,
            fit_intercept=fit_intercept,
            precompute=precompute,
            max_iter=max_iter,
            copy_X=copy_X,
            tol=tol,
            warm_start=warm_start,
            positive=positive,
            random_state=random_state,
            selection=selection,
            penalty_factor=penalty_factor,
            bounds=bounds,
            trace=trace,
        )


def lasso_path(
    X: MatrixLike,
    y: ArrayLike,
    *,
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
    tol: float = 1e-8,
    max_iter: int = 1000,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = False,
) -> tuple[Any, ...]:
    r"""Lasso coefficients along a path of strengths; as in scikit-learn without an intercept, unless asked for.

    Parameters and returns are those of :func:`separatrix.linear_model.enet_path`, with ``l1_ratio = 1``.

    >>> import numpy as np
    >>> alphas, coefs, gaps = lasso_path(np.eye(2), [2.0, -1.0], alphas=[0.5, 0.25])
    >>> coefs.round(12) + 0.0
    array([[ 1. ,  1.5],
           [ 0. , -0.5]])
    """
    return path_of(
        X, y, sample_weight, 1.0, eps, alphas, positive, tol, max_iter, return_n_iter, n_alphas, fit_intercept
    )


@declares(
    task="regression",
    losses=("losses:Squared",),
    penalties=("penalties:ElasticNet", "penalties:Separable"),
    solvers=OF_PATH,
    search=Search(Lasso, {"alpha": "alpha_"}, grid="alphas_", strength="alpha"),
    verification=verification.OF_PROBLEMS,
)
class LassoCV(CrossValidatedPath):
    r"""The lasso with its strength chosen by cross-validation.

    Parameters
    ----------
    eps : float, (0, 1], default 1e-3.  The last strength divided by the first.
    alphas : int or array, default 100.  How many strengths, or which.
    fit_intercept : bool, default True.  Whether to fit b.
    precompute : default "auto".  Accepted for compatibility.
    max_iter : int, [1, inf), default 1000.  Most times that columns are added for each strength.
    tol : float, [0, inf), default 1e-8.  Relative duality gap to be certified.
    copy_X, verbose, n_jobs : accepted for compatibility.
    cv : int, splitter or None, default None (5 folds).
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
    alpha_ : float.  The strength chosen.
    alpha_1se_ : float.  The strongest within one standard error of the best.
    alphas_ : (L,) array.  The strengths tried.
    mse_path_ : (L, folds) array.  Mean squared errors on the folds left out.
    coef_, intercept_, dual_gap_, n_iter_, certificate_, n_features_in_, feature_names_in_ : as in Lasso.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> LassoCV().fit(X, 3.0 * X[:, 0] + rng.standard_normal(60)).coef_.round(1) + 0.0
    array([3.1, 0. , 0.1, 0. , 0.1])
    """

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: ArrayLike = 100,
        fit_intercept: bool = True,
        precompute: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-8,
        copy_X: bool = True,
        cv: Any = None,
        verbose: int = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: int | RandomState | None = None,
        selection: str = "cyclic",
        penalty_factor: ArrayLike | None = None,
        bounds: tuple[ArrayLike, ArrayLike] | None = None,
        rule: str = "best",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.penalty_factor = penalty_factor
        self.bounds = bounds
        self.rule = rule

    def _mixtures(self):
        return np.array([1.0])

    def _final(self, alpha, ratio):
        return Lasso(
            alpha,
            fit_intercept=self.fit_intercept,
            max_iter=self.max_iter,
            tol=self.tol,
            positive=self.positive,
            penalty_factor=self.penalty_factor,
            bounds=self.bounds,
        )


declare(
    Family(
        name="lasso",
        task="regression",
        model=LassoCV,
        make=lambda facts: LassoCV(alphas=50, cv=facts.inner_folds(), tol=1e-6),
        complexity=20,
        description="Linear in few columns: the others get a coefficient of exactly zero.",
    )
)
