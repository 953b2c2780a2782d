r"""Support vector regression: the flattest function of a kernel within a tube around y, with a price for leaving it."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.family import Family, declare, needs
from separatrix.core.solution import Solution
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.estimators import verification
from separatrix.estimators.margin.kernel_machine import Entered, KernelMachine, box_problem, described
from separatrix.estimators.validation import check_number, enter
from separatrix.prediction import forms


@declares(
    task="regression",
    solvers=("solvers.dual_decomposition", "solvers.dual_newton"),
    prediction=forms.SUPPORT_VECTOR_NUMBERS,
    verification=verification.OF_SUPPORT_VECTORS,
    description=described,
    has_margins=True,
    small_fits=(SmallFit(storages=DENSE),),
)
class SVR(RegressorMixin, KernelMachine):
    r"""Fit the flattest function of a kernel within a tube around y, with a price for rows outside it.

    .. math:: \min_{w, t}\ \tfrac12 \|w\|^2 + C \sum_i s_i \max(0, |y_i - w \cdot \phi(x_i) - t| - \epsilon)

    The dual has a coefficient b between -C and C for each row, :math:`\max\ y'b - \epsilon |b|_1 - \tfrac12 b'Kb` with
    :math:`\sum b_i = 0`. Rows inside the tube have b = 0 and are not needed; those on its border have a free b.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, bias, budget : as in :class:`SVC`.
    C : float, (0, inf), default 1.0.  Price of a unit outside the tube.
    epsilon : float, [0, inf), default 0.1.  Half the width of the tube, in units of y.

    Attributes
    ----------
    support_, support_vectors_, n_support_ : rows with b ≠ 0, and how many, (1,).  dual_coef_ : (1, n_SV) array of b.
    intercept_ : (1,) array.  coef_ : (1, p) array, of the linear kernel.
    slack_ : (n,) array.  How far each row is outside the tube; 0 for rows of weight 0.
    on_margin_, margin_errors_ : arrays of int.  Support vectors on the border of the tube, and beyond it.
    ``margin_``, ``margin_width_``, ``primal_objective_``, ``dual_objective_``, ``kkt_violation_``, ``certificate_``,
        ``kernel_``, ``gamma_``, ``n_iter_``, ``fit_status_``, ``shape_fit_`` : as in :class:`SVC`, for one machine.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Vapnik (1995), The Nature of Statistical Learning Theory; Smola and Schölkopf (2004),
    Stat. Comput. 14(3).
    Theory: docs/theory/support_vectors.md.

    >>> model = SVR(kernel="linear", C=10.0, epsilon=0.5).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.coef_.round(9), model.intercept_.round(9), model.support_  # from (0, 1/2) to (2, 3/2)
    (array([[0.5]]), array([0.5]), array([0, 2], dtype=int32))
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        epsilon: float = 0.1,
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
        self.C = C
        self.epsilon = epsilon

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), or a kernel matrix (n, n), and numbers y (n,); a weight multiplies the C of its row."""
        started, deadline, data, gram = self._begin(X, y, sample_weight)
        part = np.flatnonzero(data.s > 0.0)
        problem, solution = self._solved(gram.take(part), data.y[part], data.s[part], deadline)
        self._publish(part, problem, solution, data.y)
        self._keep_rows(data.rows, data.X)
        self._certify([problem], [solution], started)
        return self

    def predict(self, X: MatrixLike) -> Array:
        """Predict y for each row of X."""
        return self._scores(X)[:, 0]

    def _entered(self, X, y, sample_weight, reset=True):
        """X, y and weights, checked."""
        kernel = self.kernel if reset else self.kernel_
        shown, given = self._enter_rows(X, kernel)
        sparse = kernel != "precomputed"
        design, target = enter(self, shown, y, sample_weight, sparse=sparse, multi_output=False, reset=reset)
        design.needs("vectors", f"fit {type(self).__name__}")
        rows = design.block(slice(None))
        weights = target.weights
        return Entered(given if given is not shown else rows, rows, target.y, weights, weights)

    def _solved(self, gram, y, s, deadline):
        """The problem and its solution, with the intercept that is published."""
        problem = self._problem(gram, y, s, check_number(self, "epsilon", 0.0))
        solution = self._solve(problem, deadline)
        solution.intercept = self._offset(problem, solution)
        return problem, solution

    def _tube(self):
        """Half the width of the tube of a fitted model."""
        return float(self.epsilon)

    def _problem(self, gram, y, s, epsilon):
        r"""``min ½ b'Kb - y'b + ε |b|`` with ``-C s <= b <= C s`` and ``Σ b = 0``.

        Two variables for each row: one not below 0 with p = y - ε, one not above 0 with p = y + ε.
        """
        n, none = len(y), np.zeros(len(y))
        box = check_number(self, "C", 0.0, open_low=True) * s
        linear = np.concatenate([y - epsilon, y + epsilon])
        return box_problem(gram, linear, np.append(none, -box), np.append(box, none), np.tile(np.arange(n), 2))

    def _publish(self, part, problem, solution, y):
        scores = solution.theta + solution.intercept
        upper, lower = problem.linear.reshape(2, -1)  # y - ε and y + ε
        slack = np.zeros(len(y))
        slack[part] = np.maximum(0.0, np.maximum(upper - scores, scores - lower))
        self._publish_function(part, problem, solution, slack)

    def _restated(self, X, y, sample_weight):
        """The problem on data that are handed in again, the published coefficients in it, and what publishes them."""
        data = self._entered(X, y, sample_weight, reset=False)
        part = np.flatnonzero(data.s > 0.0)
        full = np.zeros(len(data.y))
        full[self.support_] = as_dense(self.dual_coef_)[0]
        problem = self._problem(self._gram(data.X).take(part), data.y[part], data.s[part], self._tube())
        b = np.append(np.maximum(full[part], 0.0), np.minimum(full[part], 0.0))
        solution = Solution(b, float(self.intercept_[0]), problem.scores(b))
        return [problem], [solution], lambda other: other._publish(part, problem, solution, data.y)


def _searched(facts):
    grid = {"C": [facts.spread, 10.0 * facts.spread], "gamma": ["scale", 0.2 / max(facts.columns, 1)]}
    return facts.searched(SVR(epsilon=0.05 * facts.spread), grid)


declare(
    Family(
        name="support vector regression, Gaussian kernel",
        task="regression",
        model=SVR,
        make=_searched,
        complexity=60,
        description="A smooth function made of bumps around the training rows, held within a narrow tube around the "
        "target; large errors count in proportion to their size only.",
        why_excluded=needs(fewest_rows=20),
        most_rows=3_000,
    )
)
