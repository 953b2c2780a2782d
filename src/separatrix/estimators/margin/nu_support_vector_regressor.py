r"""Support vector regression whose tube is as wide as a share nu of rows outside it allows."""

from typing import Any

import numpy as np

from separatrix.core.declaration import declares
from separatrix.core.errors import cannot
from separatrix.core.solution import Solution
from separatrix.estimators.margin.nu_parameter import halves, nu_of, offsets_of, scaled
from separatrix.estimators.margin.support_vector_regressor import SVR

LARGEST_BOX = 1e100  # squares of coefficients times entries of a kernel


@declares(task="regression")
class NuSVR(SVR):
    r"""Fit the flattest function of a kernel within a tube that at most a share nu of the rows leave.

    .. math:: \min_{w, t, \epsilon}\ \tfrac12 \|w\|^2 + C \Big(\nu \epsilon \sum_i s_i +
              \sum_i s_i \max(0, |y_i - w \cdot \phi(x_i) - t| - \epsilon)\Big)

    The width of the tube is an outcome. The dual has two coefficients for each row, :math:`0 \le \alpha_i, \alpha_i^*
    \le C s_i`, each kind with the sum :math:`C \tfrac{\nu}{2} \sum_i s_i`, and :math:`b = \alpha - \alpha^*`; it
    maximises :math:`y'b - \tfrac12 b'Kb`. At most a share nu of the weights is outside the tube, and at least a share
    nu belongs to support vectors. It is the machine of :class:`SVR` with ``epsilon=epsilon_``.

    Parameters
    ----------
    nu : float, (0, 1], default 0.5.  Bound on the share of rows outside the tube.
    C, kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, bias, budget : as in :class:`SVR`.

    Attributes
    ----------
    epsilon_ : float.  Half the width of the tube, in units of y; 0 where nu is larger than the share of errors.
    ``support_``, ``support_vectors_``, ``n_support_``, ``dual_coef_``, ``intercept_``, ``coef_``, ``slack_``,
        ``on_margin_``, ``margin_errors_``, ``margin_``, ``margin_width_``, ``primal_objective_``, ``dual_objective_``,
        ``kkt_violation_``, ``kernel_``, ``gamma_``, ``n_iter_``, ``fit_status_``, ``shape_fit_`` : as in :class:`SVR`.
    certificate_ : Certificate.  The duality gap relative to the objective of the best constant.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Schölkopf, Smola, Williamson and Bartlett (2000), Neural Computation 12(5); Chang and Lin (2002), Neural
    Computation 14(8).   Theory: docs/theory/nu_support_vectors.md.

    >>> model = NuSVR(kernel="linear", C=10.0, nu=0.4).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 5.0])
    >>> round(model.epsilon_, 6), model.support_  # the line of least greatest error
    (0.666667, array([0, 2, 3], dtype=int32))
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-4,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        bias: str = "mean",
        budget: float | str | None = None,
    ) -> None:
        super().__init__(
            C=C,
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

    def _solved(self, gram, y, s, deadline):
        """SVR's problem of the tube that belongs to nu, and its solution."""
        nu_of(self)
        if np.max(s) * self._strength() > LARGEST_BOX:
            raise cannot(
                f"fit NuSVR with C={self.C!r}",
                because="coefficients add up to C nu / 2 a row, and their squares would leave the range of numbers",
                instead=f"C times the largest weight of at most {LARGEST_BOX:g}, or SVR",
            )
        problem = self._with_sums(self._problem(gram, y, s, 0.0))
        solution = self._solve(problem, deadline)
        offsets = offsets_of(problem, solution, self.bias)
        # f + t is y - ε where the first of a row's coefficients is free, and y + ε where the second is
        self.epsilon_ = max(0.0, 0.5 * float(offsets[0] - offsets[1]))
        b = problem.row_coefficients(solution.beta)  # what both coefficients of a row have in common is no part of it
        solution.beta = np.append(np.maximum(b, 0.0), np.minimum(b, 0.0))
        return self._problem(gram, y, s, self.epsilon_), scaled(solution, 1.0, float(offsets.mean()))

    def _with_sums(self, problem):
        """The problem of a tube with the sums that nu asks for, in the place of its width."""
        n = len(problem.linear) // 2
        middle = 0.5 * (problem.linear[:n] + problem.linear[n:])
        total = self.nu * float(problem.high.sum())  # Σ C s is that of the boxes
        return halves(problem, total, np.tile(middle, 2), np.repeat([0, 1], n))

    def _certify(self, problems, solutions, started):
        super()._certify(*self._restricted(problems, solutions), started, stacklevel=4)

    def _restated(self, X, y, sample_weight):
        problems, solutions, publish = super()._restated(X, y, sample_weight)
        return *self._restricted(problems, solutions), publish

    def _tube(self):
        return float(self.epsilon_)

    def _restricted(self, problems, solutions):
        """The problem with its sums, and both coefficients of each row."""
        (problem,), (solution,) = problems, solutions
        restricted = self._with_sums(problem)
        b = self._filled(restricted, solution)
        offsets = solution.intercept + self.epsilon_ * np.array([1.0, -1.0])
        details, counts = solution.details, {"iterations": solution.iterations, "passes": solution.passes}
        return [restricted], [Solution(b, offsets, details=details, **counts)]

    def _filled(self, problem, solution):
        """Coefficients with the sums that nu asks for.

        Where the tube has no width the published coefficients may miss them: then as much is added to both
        coefficients of a row, those of rows on the curve first, where it costs nothing. In a tube of width 2ε it costs
        2ε, which the gap counts.
        """
        b = problem.row_coefficients(solution.beta)
        n = len(b)
        missing = problem.totals[0] - float(np.maximum(b, 0.0).sum())
        above, below = np.maximum(b, 0.0), np.minimum(b, 0.0)
        if missing > 0.0:
            off = np.abs(problem.scores(np.append(above, below)) + solution.intercept - problem.linear[:n])
            order = np.argsort(off, kind="stable")
            room = (problem.high[:n] - np.abs(b))[order]
            extra = np.diff(np.minimum(np.cumsum(room), missing), prepend=0.0)
            above[order] = np.minimum(above[order] + extra, problem.high[:n][order])
            below[order] = np.maximum(below[order] - extra, problem.low[n:][order])
        return np.append(above, below)
