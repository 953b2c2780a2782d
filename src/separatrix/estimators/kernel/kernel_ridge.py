r"""Kernel ridge regression: :math:`\min_f \sum_i s_i (y_i - f(x_i))^2 + \alpha \|f\|_K^2`."""

import time
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from separatrix.core.certificate import warn_if_not_certified
from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.solution import Certificate
from separatrix.core.types import Array, MatrixLike
from separatrix.designs.kernels import Kernel
from separatrix.estimators import verification
from separatrix.estimators.kernel.centres import NystroemForm, drawn, refuse_without_penalty
from separatrix.estimators.kernel.expansion import KernelExpansion
from separatrix.estimators.published import timed
from separatrix.estimators.validation import check_number, check_numbers, enter
from separatrix.prediction import forms


@declares(
    task="regression",
    losses=("losses:Squared",),
    solvers=("solvers.kernel_ridge", "solvers.falkon"),
    prediction=forms.KERNEL_SUM,
    verification=verification.OF_KERNEL_RIDGE,
)
class KernelRidge(KernelExpansion):
    r"""Ridge regression in the feature space of a kernel: a curved fit, linear in its coefficients.

    .. math:: \min_f \ \sum_i s_i (y_i - f(x_i))^2 + \alpha \|f\|_K^2, \qquad
              f(x) = \sum_i a_i\,k(x_i, x) + b, \quad (K + \alpha S^{-1})\,a = y - b

    Unique for every ``alpha > 0`` and every Mercer kernel. With the linear kernel it is ridge regression in its dual
    form.

    Parameters
    ----------
    alpha : float or (k,) array, [0, inf), default 1.0.  Strength, one for all outputs or one for each. 0 goes through
        all targets, where the kernel lets it: equal rows have the mean of theirs.
    kernel : str, function or Kernel, default "linear".  "linear", "poly", "rbf", "sigmoid", "laplacian", "cosine",
        "chi2", "additive_chi2"; a function of two rows that returns a number; a kernel of :mod:`separatrix.kernels`; or
        "precomputed": X then holds kernel values, (n, n) in a fit and (m, n) later.
    gamma : float, (0, inf), or None, default None.  Of "rbf", "poly", "sigmoid", "laplacian" and "chi2"; None is one
        over the number of columns (1 for "chi2").
    degree : float, [0, inf), default 3.  Of "poly".
    coef0 : float, default 1.  Of "poly" and "sigmoid".
    kernel_params : dict or None, default None.  Further arguments of a function given as `kernel`.
    fit_intercept : bool, default False.  Whether to fit b, which is not penalised; scikit-learn's class has none.
    n_components : int, [1, inf), or None, default None.  None has a kernel about every row. A number has kernels about
        so many rows only, drawn at random: Nystroem's form, for more than some 20,000 rows. Needs a Mercer kernel.
    random_state : int, RandomState or None, default 0.  Draws the centres.

    Attributes
    ----------
    dual_coef_ : (n,) or (n, k) array.  a; 0 for rows of weight 0.
    intercept_ : float or (k,) array.  b; 0 without an intercept.
    X_fit_ : (n, p) array or sparse array.  The training rows, or the precomputed kernel; the centres only, if there
        are `n_components`.
    kernel_ : Kernel or "precomputed".  The kernel with its parameters, as they were when it was fitted.
    approximation_error_ : float.  Of `n_components`: the share of the trace of K that the centres miss, measured on up
        to 500 rows that are not centres.
    certificate_ : Certificate.  The relative gap; of a kernel that is not known to be a Mercer kernel, and for
        ``alpha=0``, how well the equations hold.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    Notes
    -----
    The kernel takes 8 n² bytes, once: Cholesky's factor is made in its place. A kernel that does not fit into memory is
    refused before it is allocated. With `n_components` the kernel is made anew, block by block, in every iteration of
    conjugate gradients (FALKON), and the gap certified is that of the best coefficients of these centres.

    References: Saunders, Gammerman and Vovk (1998), ICML; Schölkopf and Smola (2002), Learning with Kernels, 4; Rudi,
    Carratino and Rosasco (2017), NIPS.

    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0]
    >>> model = KernelRidge(alpha=1e-8, kernel="poly", degree=2).fit(X, y)
    >>> model.predict([[3.0]]).round(3)
    array([9.])
    """

    def __init__(
        self,
        alpha: float | ArrayLike = 1.0,
        *,
        kernel: str | Callable[..., Any] | Any = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = False,
        n_components: int | None = None,
        random_state: int | RandomState | None = 0,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), or a kernel (n, n), and y (n,) or (n, k)."""
        started = time.perf_counter()
        design, target = enter(self, X, y, sample_weight)
        alphas = self._strengths(target)
        m = check_number(self, "n_components", 1, integer=True, none=True)
        self.__dict__.pop("approximation_error_", None)
        self.kernel_ = self._chosen_kernel(design.p)
        if m is not None:
            return self._approximate(design, target, alphas, m, started)
        return self._solve(design, target, alphas, started)

    def _approximate(self, design: Any, target: Any, alphas: Array, m: int, started: float) -> Self:
        """Solve about m of the rows, drawn at random, and measure what they miss."""
        refuse_without_penalty(self, alphas)
        if not isinstance(self.kernel_, Kernel):
            raise cannot(
                "fit KernelRidge with kernel='precomputed' and n_components",
                because="the kernel is there already",
                instead="n_components=None",
            )
        live = np.flatnonzero(target.weights)
        places, others = drawn(self, live, min(m, len(live)))
        self.X_fit_ = design.block(places)
        form = NystroemForm(self.kernel_, design, target, self.X_fit_, bool(self.fit_intercept))
        dual, intercept, certificate = form.solved(alphas)
        self.dual_coef_ = dual.reshape(len(places), *target.outputs)
        self.intercept_ = intercept if target.outputs else float(intercept[0])
        self.approximation_error_ = form.centres.trace_error(design.block(others)) if len(others) else 0.0
        self.certificate_ = timed(certificate, started)
        warn_if_not_certified(self.certificate_, "Use a larger alpha, or other n_components.", 3)
        return self

    def _certify_again(self, design: Any, target: Any, alphas: Array) -> Certificate:
        if self.n_components is None or not isinstance(self.kernel_, Kernel):
            return super()._certify_again(design, target, alphas)
        form = NystroemForm(self.kernel_, design, target, self.X_fit_, bool(self.fit_intercept))
        return form.certified(self.dual_coef_.reshape(len(self.dual_coef_), -1), np.ravel(self.intercept_), alphas)

    def _strengths(self, target: Any) -> Array:
        """alpha as an array: one number, or one for each output."""
        if isinstance(self.alpha, Real):
            return np.array([check_number(self, "alpha", 0.0)])
        alphas = check_numbers(self, "alpha", "one number >= 0, or one for each output")
        k = int(np.prod(target.outputs))
        if len(alphas) not in (1, k) or not np.isfinite(alphas).all() or (alphas < 0.0).any():
            raise cannot(
                f"fit KernelRidge with alpha={self.alpha!r}",
                because=f"y has {k} outputs and each needs a finite alpha >= 0",
                instead=f"one number, or {k} of them",
            )
        return alphas
