"""Kernel ridge regression with its strength, and the width of its kernel, chosen by exact leave-one-out."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

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
class KernelRidgeCV(KernelExpansion):
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
    store_cv_results : bool, default False.  Whether to keep the squared error of each row in ``cv_results_``.

    Attributes
    ----------
    alpha_ : float.  gamma_ : float or None.  best_score_ : float.  What was chosen, and minus its mean squared error.
    scores_ : (L,) or (g, L) array.  Minus the mean squared errors of all strengths, and of all widths if several.
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
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.store_cv_results = store_cv_results

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose alpha and gamma, then fit to all rows: X (n, p), or a kernel (n, n), and y (n,) or (n, k)."""
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight)
        alphas = self._grid("alphas")
        widths: list[Any] = [None] if self.gamma is None else list(self._grid("gamma"))
        refuse_one_row(target, bool(self.fit_intercept))
        live = np.flatnonzero(target.weights)
        refuse_kernel_matrix(len(live), "decompose the kernel", copies=4)
        part = Target(target.y[live], None if target.s is None else target.s[live])
        errors = [self._errors(design, part, live, alphas, width) for width in widths]  # (n, k, L) each
        means = -np.stack([np.tensordot(part.weights, each**2, axes=1).mean(axis=0) for each in errors]) / part.total
        best, place = np.unravel_index(smallest(-means.ravel()), means.shape)
        self.alpha_, self.best_score_ = float(alphas[place]), float(means[best, place])
        self.gamma_ = None if self.gamma is None else float(widths[best])
        self.kernel_ = self._chosen_kernel(design.p)
        self.scores_ = means if len(widths) > 1 else means[0]
        if self.store_cv_results:
            kept = np.zeros((target.n, *errors[best].shape[1:]))
            kept[live] = errors[best] ** 2
            self.cv_results_ = kept[:, 0] if target.y.ndim == 1 else kept
        options = {"parameter": "alpha", "grid": "alphas", "value": self.alpha_, "stacklevel": 3}
        warn_at_end(alphas, -means[best], int(place), **options)
        return self._solve(design, target, np.array([self.alpha_]), started)

    def _errors(self, design: Any, target: Target, live: Array, alphas: Array, width: float | None) -> Array:
        """Leave-one-out residuals (n, k, L) of one width."""
        K = self._matrix(design, live, self._of_width(width, design.p)).dense()
        if self.fit_intercept:
            centred_products(K, target.weights / target.total)
        return leave_one_out_by_products(K, target, alphas, intercept=bool(self.fit_intercept))

    def _of_width(self, width: Any, p: int) -> Kernel | str:
        """The kernel of one width."""
        options = {name: getattr(self, name) for name in ("kernel", "degree", "coef0", "kernel_params")}
        return kernel_of(KernelRidge(gamma=width, **options), p)

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
