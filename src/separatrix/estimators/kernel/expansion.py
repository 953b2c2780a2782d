r"""Functions that are sums of kernels about the training rows, :math:`f(x) = \sum_i a_i k(x_i, x) + b`."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.core.certificate import warn_if_not_certified
from separatrix.core.errors import cannot
from separatrix.core.kernel_problem import KernelProblem, certify_kernel
from separatrix.core.solution import Certificate, Solution
from separatrix.core.target import Target
from separatrix.core.types import Array, MatrixLike
from separatrix.designs.kernel_matrix import KernelMatrix, KernelTiles, kernel_sum
from separatrix.designs.kernels import Kernel
from separatrix.estimators.kernel.parameters import is_precomputed, kernel_of
from separatrix.estimators.published import timed, worst
from separatrix.estimators.saving import Estimator
from separatrix.estimators.validation import validate_rows
from separatrix.solvers.kernel_ridge import solve

TOLERANCE = 1e-14  # of the relative gap, which is the square of a residual


class KernelExpansion(RegressorMixin, Estimator):
    """A regression whose answer is a sum of kernels about rows that it keeps."""

    kernel_: Kernel | str

    def predict(self, X: MatrixLike) -> Array:
        """f of each row of X, (m,) or (m, k); of a precomputed kernel X (m, n) holds ``k(x, x_i)``."""
        check_is_fitted(self)
        rows = validate_rows(self, X)
        if isinstance(self.kernel_, Kernel):
            return kernel_sum(self.kernel_, rows, self.X_fit_, self.dual_coef_) + self.intercept_
        return np.asarray(rows @ self.dual_coef_) + self.intercept_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_precomputed(self)
        tags.target_tags.multi_output = True
        return tags

    def _chosen_kernel(self, p: int) -> Kernel | str:
        """The kernel that the parameters name, on rows of p columns."""
        return kernel_of(self, p)

    def _solve(self, design: Any, target: Target, alphas: Array, started: float) -> Self:
        """Solve for every distinct strength, publish the coefficients and certify them."""
        live = np.flatnonzero(target.weights)
        matrix = self._matrix(design, live, self.kernel_)
        dual = np.zeros((target.n, int(np.prod(target.outputs))))
        intercept, certificates = np.zeros(dual.shape[1]), []
        for columns, problem in self._problems(matrix, target, live, alphas):
            solution = solve(problem)
            dual[np.ix_(live, columns)] = solution.beta.reshape(len(live), -1)
            intercept[columns] = solution.intercept
            certificates.append(certify_kernel(problem, solution, TOLERANCE))
        self.dual_coef_ = dual.reshape(target.n, *target.outputs)
        self.intercept_ = intercept if target.outputs else float(intercept[0])
        self.X_fit_ = design.matrix()
        self.certificate_ = timed(worst(certificates), started)
        warn_if_not_certified(self.certificate_, "Use a larger alpha, or columns of similar size.", 3)
        return self

    def _matrix(self, design: Any, live: Array, kernel: Kernel | str) -> KernelMatrix:
        """The kernel of the rows of positive weight, held whole."""
        to = f"fit {type(self).__name__} to the kernel"
        if isinstance(kernel, Kernel):
            return KernelMatrix.of(kernel, design.matrix() if len(live) == design.n else design.block(live), to)
        if design.n != design.p:
            raise cannot(
                f"fit {type(self).__name__} with kernel='precomputed' to X of shape {(design.n, design.p)}",
                because="X should be a square kernel matrix, with a value for each pair of rows",
                instead="X of shape (n, n)",
            )
        K = design.matrix()
        return KernelMatrix.given(K if len(live) == design.n else K[live][:, live], to)

    def _problems(self, matrix: Any, target: Target, live: Array, alphas: Array) -> Any:
        """Outputs that share a strength, and their problem."""
        s = None if target.s is None else target.s[live]
        each = np.broadcast_to(alphas, int(np.prod(target.outputs)))
        for alpha in np.unique(each):
            columns = np.flatnonzero(each == alpha)
            y = target.y[live] if not target.outputs else np.ascontiguousarray(target.y[live][:, columns])
            part = Target(y, s)
            # Σ s r² + alpha a'Ka is twice Σs times our objective with a strength of alpha / Σs
            yield columns, KernelProblem(matrix, part, float(alpha) / part.total, bool(self.fit_intercept))

    def _certify_again(self, design: Any, target: Target, alphas: Array) -> Certificate:
        """The certificate of the published coefficients on data that are handed in again; no matrix is held."""
        live = np.flatnonzero(target.weights)
        if isinstance(self.kernel_, Kernel):
            matrix: Any = KernelTiles(self.kernel_, design.block(live))
        else:
            matrix = self._matrix(design, live, self.kernel_)
        dual = self.dual_coef_.reshape(target.n, -1)[live]
        intercept = np.ravel(self.intercept_)
        parts = []
        for columns, problem in self._problems(matrix, target, live, alphas):
            shape = (len(live), *problem.target.outputs)
            solution = Solution(dual[:, columns].reshape(shape), intercept[columns])
            parts.append(certify_kernel(problem, solution, TOLERANCE))
        return worst(parts)
