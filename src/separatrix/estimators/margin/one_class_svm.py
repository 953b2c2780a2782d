r"""The one-class support vector machine: the region of a kernel's space that holds all but a share nu of the rows."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OutlierMixin

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.dual_problem import EPS, DualProblem
from separatrix.core.solution import Solution
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense, as_design
from separatrix.estimators import verification
from separatrix.estimators.margin.kernel_machine import Entered, KernelMachine, described
from separatrix.estimators.margin.nu_parameter import nu_of, offsets_of, scaled
from separatrix.estimators.validation import validate_first_rows, validate_rows, validate_weights
from separatrix.prediction import forms

# What a score on the border may miss, in roundings and as a share of the largest score: far less than any tolerance.
ROUNDINGS, LEAST_BORDER, MOST_BORDER = 64.0, 1e-11, 1e-8


@declares(
    task="outlier detection",
    solvers=("solvers.dual_decomposition", "solvers.dual_newton"),
    prediction=forms.SUPPORT_VECTOR_OUTLIERS,
    verification=verification.OF_SUPPORT_VECTORS,
    description=described,
    has_margins=True,
    small_fits=(SmallFit(storages=DENSE),),
)
class OneClassSVM(OutlierMixin, KernelMachine):
    r"""Enclose all but a share nu of the rows: separate them from the origin of a kernel's space by the widest margin.

    .. math:: \min_{w, \rho}\ \tfrac12 \|w\|^2 - \nu \rho \sum_i s_i + \sum_i s_i \max(0, \rho - w \cdot \phi(x_i))

    The dual has a coefficient between 0 and :math:`s_i` for each row, with the sum :math:`\nu \sum_i s_i`, and
    minimises :math:`\tfrac12 b'Kb`. At most a share nu of the weights is outside (a score below 0), and at least
    a share nu belongs to support vectors.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, bias, budget : as in :class:`SVC`.
    nu : float, (0, 1], default 0.5.  Bound on the share of outliers among the training rows.

    Attributes
    ----------
    support_, support_vectors_, n_support_ : rows with b ≠ 0, and how many, (1,).  dual_coef_ : (1, n_SV) array of b.
    offset_ : (1,) array.  :math:`\rho`.  intercept_ : (1,) array, -ρ.  coef_ : (1, p) array, of the linear kernel.
    slack_ : (n,) array.  How far below 0 each row's score is; 0 for rows of weight 0.
    on_margin_, margin_errors_ : arrays of int.  Support vectors on the border of the region, and beyond it.
    ``margin_``, ``margin_width_``, ``primal_objective_``, ``dual_objective_``, ``kkt_violation_``, ``kernel_``,
        ``gamma_``, ``n_iter_``, ``fit_status_``, ``shape_fit_`` : as in :class:`SVC`, for one
        machine; objectives as above.
    certificate_ : Certificate.  The duality gap relative to :math:`\rho \nu \sum s` and half :math:`|w|^2`.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Schölkopf, Platt, Shawe-Taylor, Smola and Williamson (2001), Neural Computation 13(7).
    Theory: docs/theory/nu_support_vectors.md.

    >>> model = OneClassSVM(gamma="auto").fit([[0], [0.44], [0.45], [0.46], [1]])
    >>> model.predict([[0], [0.44], [0.45], [0.46], [1]])
    array([-1,  1,  1,  1, -1])
    >>> model.score_samples([[0], [1]]).round(4)
    array([1.7799, 1.7333])
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-4,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        bias: str = "mean",
        budget: float | str | None = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            tol=tol,
            shrinking=shrinking,
            cache_size=cache_size,
            verbose=verbose,
            max_iter=max_iter,
            bias=bias,
            budget=budget,
        )
        self.nu = nu

    def fit(self, X: MatrixLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), or a kernel matrix (n, n); y is not looked at, and a weight repeats its row."""
        started, deadline, data, gram = self._begin(X, y, sample_weight)
        part = np.flatnonzero(data.s > 0.0)
        problem = self._problem(gram.take(part), data.s[part])
        solution = self._solve(problem, deadline)
        offset = float(offsets_of(problem, solution, self.bias)[0])
        solution = scaled(solution, 1.0, offset + _border(problem, solution, offset))
        self._publish(part, problem, solution, len(data.s))
        self._keep_rows(data.rows, data.X)
        self._certify([problem], [solution], started)
        return self

    def _check(self):
        super()._check()
        nu_of(self)

    def decision_function(self, X: MatrixLike) -> Array:
        """Scores (m,), below 0 outside the region."""
        return self._scores(X)[:, 0]

    def score_samples(self, X: MatrixLike) -> Array:
        """Scores (m,) without the offset: ``decision_function(X) + offset_``."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: MatrixLike) -> Array:
        """1 for each row inside the region or on its border, -1 outside."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    @property
    def offset_(self) -> Array:
        """The score without the offset at the border of the region, (1,)."""
        return -self.intercept_

    def _entered(self, X, y, sample_weight, reset=True):
        """X and weights, checked."""
        kernel = self.kernel if reset else self.kernel_
        shown, given = self._enter_rows(X, kernel)
        sparse = kernel != "precomputed"
        checked = (
            validate_first_rows(self, shown, sparse=sparse) if reset else validate_rows(self, shown, sparse=sparse)
        )
        rows = as_design(checked).block(slice(None))
        s = validate_weights(sample_weight, rows.shape[0])
        return Entered(given if given is not shown else rows, rows, s, s, s)

    def _problem(self, gram, s):
        r"""``min ½ b'Kb`` with ``0 <= b <= s`` and ``Σ b = ν Σ s``."""
        n = len(s)
        total = np.array([self.nu * float(s.sum())])
        rows = np.arange(n)
        return DualProblem(gram, np.zeros(n), np.zeros(n), s, rows, np.zeros(n, dtype=np.int64), total)

    def _publish(self, part, problem, solution, n):
        slack = np.zeros(n)
        slack[part] = np.maximum(0.0, -(solution.theta + solution.intercept))
        self._publish_function(part, problem, solution, slack)

    def _restated(self, X, y, sample_weight):
        """The problem on data that are handed in again, the published coefficients in it, and what publishes them."""
        data = self._entered(X, y, sample_weight, reset=False)
        part = np.flatnonzero(data.s > 0.0)
        full = np.zeros(len(data.s))
        full[self.support_] = as_dense(self.dual_coef_)[0]
        problem = self._problem(self._gram(data.X).take(part), data.s[part])
        solution = Solution(full[part], float(self.intercept_[0]), problem.scores(full[part]))
        return [problem], [solution], lambda other: other._publish(part, problem, solution, len(data.s))


def _border(problem: DualProblem, solution: Solution, offset: float) -> float:
    """What is added to the offset, so that neither rounding nor what the solver left puts border rows outside."""
    b, scores = solution.beta, np.asarray(solution.theta)
    free = (b > problem.low) & (b < problem.high)
    size = float(np.abs(scores).max(initial=0.0))
    rounding = ROUNDINGS * EPS * problem.gram.entry_error * float(np.linalg.norm(b))
    left = -2.0 * float((scores[free] + offset).min(initial=0.0))
    return max(LEAST_BORDER * size, rounding, min(left, MOST_BORDER * size))
