"""Kernel ridge regression with its strength, and the width of its kernel, chosen by exact leave-one-out."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config

from separatrix.core.declaration import Search, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.memory import refuse_kernel_matrix
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.designs.kernels import Kernel
from separatrix.estimators import verification
from separatrix.estimators.kernel.expansion import KernelExpansion
from separatrix.estimators.kernel.kernel_ridge import KernelRidge
from separatrix.estimators.kernel.parameters import kernel_of
from separatrix.estimators.linear.one_standard_error import smallest, warn_at_end
from separatrix.estimators.routing import ChoosesByFolds, Routed
from separatrix.estimators.scores_without_folds import score_all, scorer_of
from separatrix.estimators.validation import check_numbers, enter
from separatrix.prediction import forms
from separatrix.solvers.leave_one_out import centred_products, leave_one_out_by_products, refuse_one_row


@declares(
    task="regression",
    losses=("losses:Squared",),
    solvers=("solvers.leave_one_out", "solvers.kernel_ridge"),
    search=Search(KernelRidge, {"alpha": "alpha_", "gamma": "gamma_"}, grid="alphas", strength="alpha"),
    prediction=forms.KERNEL_SUM,
    verification=verification.OF_KERNEL_RIDGE,
)
class KernelRidgeCV(ChoosesByFolds, KernelExpansion):
    r"""Kernel ridge regression whose strength is chosen by exact leave-one-out, all strengths from one decomposition.

    .. math:: \mathrm{loo}(\alpha) = \frac1{\sum s} \sum_i s_i \Big( \frac{r_i(\alpha)}{1 - h_i(\alpha)} \Big)^2,
              \qquad K = Q \Lambda Q', \quad 1 - h_i = \sum_j \frac{\alpha}{\Lambda_j + \alpha}\,Q_{ij}^2

    A row of weight 2 counts as two rows, of which one at a time is left out.

    Parameters
    ----------
    alphas : array, (0, inf), default (0.1, 1.0, 10.0).  Strengths to try.
    kernel : str, function or Kernel, default "linear".  As in :class:`KernelRidge`.
    gamma : float, (0, inf), array or None, default None.  One width, or several to choose from: each has its own
        decomposition.
    degree : float, [0, inf), default 3.  Of "poly".
    coef0 : float, default 1.  Of "poly" and "sigmoid".
    kernel_params : dict or None, default None.  Further arguments of a function given as `kernel`.
    fit_intercept : bool, default False.  Whether to fit b, which is not penalised.
    scoring : str, callable or None, default None.  A scorer of the leave-one-out predictions of all outputs, or of the
        folds; None is minus the mean squared error, and with `cv` R².
    cv : int, splitter or None, default None.  None is leave-one-out; anything else goes through GridSearchCV.
    store_cv_results : bool, default False.  Whether to keep the squared error of each row, or with `scoring` its
        leave-one-out prediction, in ``cv_results_``.

    Attributes
    ----------
    alpha_ : float.  gamma_ : float or None.  best_score_ : float.  What was chosen, and its score.
    scores_ : (L,) or (g, L) array.  The scores of all strengths, and of all widths if several.
    cv_results_ : (n, L) or (n, k, L) array, if stored.  Of the chosen width; 0 for rows of weight 0.
    dual_coef_, intercept_, X_fit_, kernel_, certificate_ : as in :class:`KernelRidge`.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Golub, Heath and Wahba (1979), Technometrics 21(2); Rifkin and Lippert (2007), MIT-CSAIL-TR-2007-025.

    >>> import numpy as np
    >>> x = np.linspace(0.0, 6.0, 30)[:, None]
    >>> y = np.sin(x[:, 0]) + 0.3 * np.random.RandomState(0).standard_normal(30)
    >>> model = KernelRidgeCV(alphas=[1e-3, 0.1, 10.0], kernel="rbf", gamma=[0.01, 0.3, 9.0]).fit(x, y)
    >>> model.alpha_, model.gamma_
    (0.1, 0.3)
    """

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        kernel: str | Callable[..., Any] | Any = "linear",
        gamma: float | ArrayLike | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = False,
        scoring: str | Callable[..., Any] | None = None,
        cv: Any = None,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.store_cv_results = store_cv_results

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None, **metadata: Any) -> Self:
        """Choose alpha and gamma, then fit to all rows: X (n, p), or a kernel (n, n), and y (n,) or (n, k).

        `metadata` go to splitter and scorer if scikit-learn routes them.
        """
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight)
        routed = self._route(sample_weight, metadata)
        alphas = self._grid("alphas")
        widths: list[Any] = [None] if self.gamma is None else list(self._grid("gamma"))
        choose = self._by_leaving_out if self.cv is None else self._by_folds
        scores, kept = choose(design, target, alphas, widths, routed)
        best, place = np.unravel_index(smallest(-scores.ravel()), scores.shape)
        self.alpha_, self.best_score_ = float(alphas[place]), float(scores[best, place])
        self.gamma_ = None if self.gamma is None else float(widths[best])
        self.kernel_ = self._chosen_kernel(design.p)
        self.scores_ = scores if len(widths) > 1 else scores[0]
        self.__dict__.pop("cv_results_", None)
        if self.store_cv_results:
            self.cv_results_ = kept[best][:, 0] if target.y.ndim == 1 else kept[best]
        options = {"parameter": "alpha", "grid": "alphas", "value": self.alpha_, "stacklevel": 2}
        warn_at_end(alphas, -scores[best], int(place), **options)
        return self._solve(design, target, np.array([self.alpha_]), started)

    def _by_leaving_out(self, design: Any, target: Target, alphas: Array, widths: list[Any], routed: Routed) -> Any:
        """Scores (g, L), and what is stored of each width, (n, k, L) each."""
        refuse_one_row(target, bool(self.fit_intercept))
        live = np.flatnonzero(target.weights)
        refuse_kernel_matrix(len(live), "decompose the kernel", copies=4)
        part = Target(target.y[live], None if target.s is None else target.s[live])
        options = {name: np.asarray(value)[live] for name, value in routed.score.items()}
        scores, kept = [], []
        for width in widths:
            errors = self._errors(design, part, live, alphas, width)
            if self.scoring is None:
                shown = errors**2
                scores.append(-np.tensordot(part.weights, shown, axes=1).mean(axis=0) / part.total)
            else:
                shown = part.y.reshape(len(live), -1, 1) - errors
                scores.append(score_all(self.scoring, part.y, shown, options))
            kept.append(np.zeros((target.n, *errors.shape[1:])))
            kept[-1][live] = shown
        return np.stack(scores), kept

    def _by_folds(self, design: Any, target: Target, alphas: Array, widths: list[Any], routed: Routed) -> Any:
        """Mean scores (g, L) of the folds of `cv`."""
        if self.store_cv_results:
            raise cannot(
                f"choose the strength of a kernel ridge with store_cv_results=True and cv={self.cv!r}",
                because="only leave-one-out keeps the error of every row",
                instead="cv=None",
            )
        from sklearn.model_selection import GridSearchCV, check_cv

        X, model = design.matrix(), KernelRidge(fit_intercept=self.fit_intercept, **self._named())
        if get_config()["enable_metadata_routing"]:
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        folds = list(check_cv(self.cv, target.y).split(X, target.y, **routed.split))
        search = GridSearchCV(model, {"alpha": alphas, "gamma": widths}, cv=folds, scoring=self.scoring, refit=False)
        search.fit(X, target.y, **({} if target.s is None else {"sample_weight": target.s}))
        return search.cv_results_["mean_test_score"].reshape(len(alphas), len(widths)).T, None

    def _routed_scorer(self) -> Any:
        return None if self.scoring is None else scorer_of(self.scoring)

    def _errors(self, design: Any, target: Target, live: Array, alphas: Array, width: float | None) -> Array:
        """Leave-one-out residuals (n, k, L) of one width."""
        K = self._matrix(design, live, self._of_width(width, design.p)).dense()
        if self.fit_intercept:
            centred_products(K, target.weights / target.total)
        return leave_one_out_by_products(K, target, alphas, intercept=bool(self.fit_intercept))

    def _of_width(self, width: Any, p: int) -> Kernel | str:
        """The kernel of one width."""
        return kernel_of(KernelRidge(gamma=width, **self._named()), p)

    def _named(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("kernel", "degree", "coef0", "kernel_params")}

    def _chosen_kernel(self, p: int) -> Kernel | str:
        return self._of_width(self.gamma_, p)

    def _strengths(self, target: Any) -> Array:
        return np.array([self.alpha_])

    def _grid(self, name: str) -> Array:
        values = check_numbers(self, name, f"{name}=numpy.logspace(-3, 3, 50), say")
        if not len(values) or not (np.isfinite(values) & (values > 0.0)).all():
            raise cannot(
                f"fit KernelRidgeCV with {name}={getattr(self, name)!r}",
                because="every one must be a finite number above 0",
                instead=f"{name}=numpy.logspace(-3, 3, 50), say",
            )
        return values


def _search(facts):
    widths = np.array([0.1, 0.3, 1.0, 3.0]) / max(facts.columns, 1)
    return KernelRidgeCV(np.logspace(-4.0, 3.0, 29), kernel="rbf", gamma=widths, fit_intercept=True)


declare(
    Family(
        name="kernel ridge, Gaussian kernel",
        task="regression",
        model=KernelRidgeCV,
        make=_search,
        complexity=62,
        description="A smooth function of all columns together: a sum of bumps about the training rows, as wide and as "
        "high as exact leave-one-out asks for.",
        why_excluded=needs(columns=2_000),
        most_rows=2_000,
    )
)
