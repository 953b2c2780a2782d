r"""The kernel perceptron: :math:`\alpha_i \leftarrow \alpha_i + 1` at every mistake :math:`y_i f(x_i) \le 0`."""

import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import mistakes
from separatrix.core.declaration import declares
from separatrix.core.errors import NotSeparated, cannot
from separatrix.core.types import Array, MatrixLike
from separatrix.designs.kernel_matrix import GivenColumns, KernelColumns, kernel_sum
from separatrix.designs.kernels import Kernel
from separatrix.estimators import verification
from separatrix.estimators.kernel.parameters import is_precomputed, kernel_of
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import check_number, validate_classes, validate_rows
from separatrix.prediction import forms
from separatrix.prediction.linear import decide, in_one_dimension
from separatrix.solvers.kernel_perceptron import run_kernel_perceptron


@declares(
    task="classification",
    losses=("losses:Hinge",),
    solvers=("solvers.kernel_perceptron",),
    prediction=forms.KERNEL_CLASSES,
    verification=verification.OF_KERNEL_MISTAKES,
)
class KernelPerceptron(ClassifierMixin, Estimator):
    r"""The perceptron in the feature space of a kernel: a curved boundary, learnt by counting mistakes.

    .. math:: \alpha_i \leftarrow \alpha_i + 1 \quad \text{if } y_i f(x_i) \le 0, \qquad
              f(x) = \sum_j \alpha_j\,y_j\,k(x_j, x)

    It ends, with no mistake, if and only if a hyperplane through the origin of the feature space separates the classes.
    With the linear kernel it is the dual form of :class:`Perceptron` without an intercept; ``kernel="poly", degree=1,
    gamma=1`` gives it one, and ``Sum(k, Polynomial(degree=0))``, of
    :mod:`separatrix.kernels`, any kernel k. More than two classes are learnt each against the rest.

    Parameters
    ----------
    kernel : str, function or Kernel, default "rbf".  As in :class:`~separatrix.kernel_ridge.KernelRidge`.
    gamma : float, (0, inf), or None, default None.  None is one over the number of columns.
    degree : float, [0, inf), default 3.  Of "poly".
    coef0 : float, default 1.  Of "poly" and "sigmoid".
    kernel_params : dict or None, default None.  Further arguments of a function given as `kernel`.
    max_iter : int, [1, inf), default 1000.  Passes over the rows at the most.
    shuffle : bool, default True.  Whether each pass takes a new random order.
    random_state : int, RandomState or None, default 0.  The seed of the orders.

    Attributes
    ----------
    counts_ : (n,) or (k, n) array of int.  The mistakes :math:`\alpha_i` on each row.
    dual_coef_ : (1, n) or (k, n) array.  :math:`\alpha_i y_i`.
    X_fit_ : (n, p) array or sparse array.  The training rows.
    kernel_ : Kernel or "precomputed".  The kernel with its parameters, as they were when it was fitted.
    classes_ : (k,) array.
    mistakes_ : int.  Mistakes in all passes together.
    error_history_ : (n_iter_,) array of int, or a list of k.  Mistakes of each pass.
    converged_ : bool.  Whether the last pass made no mistake.
    n_iter_ : int.  Passes made, that without mistakes included; the most of any class.
    certificate_ : Certificate.  Of the kind ``"mistakes"``: those of the last pass.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Aizerman, Braverman and Rozonoer (1964); Freund and Schapire (1999), Machine Learning 37.

    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [-1, 1, 1, -1]
    >>> model = KernelPerceptron(kernel="poly", degree=2, gamma=1.0, coef0=0.0, shuffle=False).fit(X, y)
    >>> model.counts_, model.decision_function(X)
    (array([1, 1, 0, 0]), array([-4.,  4.,  4., -4.]))
    """

    def __init__(
        self,
        kernel: str | Callable[..., Any] | Any = "rbf",
        *,
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        max_iter: int = 1000,
        shuffle: bool = True,
        random_state: int | RandomState | None = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Fit to X (n, p), or a kernel (n, n), and class labels y (n,)."""
        started = time.perf_counter()
        max_iter = check_number(self, "max_iter", 1, integer=True)
        design, codes, _ = validate_classes(self, X, y)
        self.kernel_ = kernel_of(self, design.p)
        columns = self._columns(design)
        runs = []
        for c in self._positive():
            signs = np.where(codes == c, 1.0, -1.0)
            options = {"max_iter": max_iter, "shuffle": bool(self.shuffle), "random_state": self.random_state}
            runs.append((signs, run_kernel_perceptron(columns, signs, **options)))
        self.X_fit_ = design.matrix()
        self._tell(runs, started)
        if not self.converged_:
            warnings.warn(NotSeparated(int(self.certificate_.value), max_iter), stacklevel=2)
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """f of each row of X: (m,) for two classes (positive for ``classes_[1]``), else (m, k)."""
        check_is_fitted(self)
        rows = validate_rows(self, X)
        if isinstance(self.kernel_, Kernel):
            return in_one_dimension(kernel_sum(self.kernel_, rows, self.X_fit_, self.dual_coef_.T))
        return in_one_dimension(np.asarray(rows @ self.dual_coef_.T))

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X; 0 counts for the second of two."""
        scores = self.decision_function(X)
        return decide(scores, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_precomputed(self)
        return tags

    def _positive(self) -> list[int]:
        """Codes of the classes that are learnt, each against the rest."""
        return [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))

    def _columns(self, design: Any) -> Any:
        if isinstance(self.kernel_, Kernel):
            return KernelColumns(self.kernel_, design.matrix())
        if design.n != design.p:
            raise cannot(
                f"fit KernelPerceptron with kernel='precomputed' to X of shape {(design.n, design.p)}",
                because="X should be a square kernel matrix, with a value for each pair of rows",
                instead="X of shape (n, n)",
            )
        return GivenColumns(design.matrix())

    def _tell(self, runs: Any, started: float) -> None:
        """Publish counts, dual form, history and certificate."""
        single, each = len(runs) == 1, [run for _, run in runs]
        self.mistakes_ = sum(sum(run.errors) for run in each)
        self.dual_coef_ = np.stack([signs * run.steps for signs, run in runs])
        self.counts_ = each[0].counts if single else np.stack([run.counts for run in each])
        histories = [np.array(run.errors) for run in each]
        self.error_history_ = histories[0] if single else histories
        self.converged_ = not any(run.errors[-1] for run in each)
        self.n_iter_ = max(len(run.errors) for run in each)
        last = max(run.errors[-1] for run in each)
        self.certificate_ = mistakes(last, iterations=self.mistakes_, passes=self.n_iter_, started=started)
