r"""The support vector classifier whose errors are bounded by a share nu of the rows, in the place of a price."""

from itertools import combinations
from typing import Any

import numpy as np

from separatrix.core.declaration import declares
from separatrix.core.dual_problem import EPS
from separatrix.core.errors import cannot
from separatrix.core.solution import Solution
from separatrix.core.threads import parallel_map
from separatrix.estimators.margin.nu_parameter import halves, nu_of, offsets_of, scaled
from separatrix.estimators.margin.out_of_fold import slopes_of
from separatrix.estimators.margin.support_vector_classifier import SVC

ROUNDING = 1e-12  # of sums of weights


@declares(task="classification")
class NuSVC(SVC):
    r"""Separate classes by the widest margin that at most a share nu of the rows do not keep.

    .. math:: \min_{w, t, \rho, \xi}\ \tfrac12 \|w\|^2 - \nu \rho \sum_i s_i + \sum_i s_i \xi_i, \qquad
              y_i (w \cdot \phi(x_i) + t) \ge \rho - \xi_i, \quad \xi_i \ge 0

    Its dual, :math:`\min \tfrac12 \alpha' \mathrm{diag}(y) K \mathrm{diag}(y) \alpha` with
    :math:`0 \le \alpha_i \le s_i` and a sum of :math:`\tfrac{\nu}{2} \sum_i s_i` over each class, is solved. What is
    published is divided by :math:`\rho`, so that the margin is at ±1 as in :class:`SVC`: it is SVC's machine of the
    price :math:`C = 1/\rho`, and its attributes are those of that machine. At most a share nu of the weights is on the
    wrong side of the margin, and at least a share nu belongs to support vectors.

    Parameters
    ----------
    nu : float, (0, 1], default 0.5.  Bound on the share of margin errors. Twice the weight of the lighter class over
        that of both is the largest possible; ``class_weight="balanced"`` makes every nu possible. Where classes
        overlap, a nu may be too small: then no direction separates them up to so few errors, which is refused.
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, verbose, max_iter : as in :class:`SVC`.
    decision_function_shape, break_ties, random_state, bias, budget : as in :class:`SVC`.
    class_weight : dict, "balanced" or None, default None.  Factors of the weights of each class. (scikit-learn's
        has no effect here.)

    Attributes
    ----------
    C_ : (pairs,) array.  The price of errors with which :class:`SVC` is the same machine.
    ``classes_``, ``class_weight_``, ``support_``, ``n_support_``, ``support_vectors_``, ``dual_coef_``,
        ``intercept_``, ``coef_``, ``margin_``, ``margin_width_``, ``slack_``, ``on_margin_``, ``margin_errors_``,
        ``primal_objective_``, ``dual_objective_``, ``kkt_violation_``, ``kernel_``, ``gamma_``, ``n_iter_``,
        ``fit_status_``, ``shape_fit_``, ``probA_``, ``probB_`` : as in :class:`SVC`.
    certificate_ : Certificate.  The worst pair's duality gap, relative to :math:`C \nu \sum s` and half :math:`|w|^2`.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Schölkopf, Smola, Williamson and Bartlett (2000), Neural Computation 12(5); Chang and Lin (2001), Neural
    Computation 13(9).   Theory: docs/theory/nu_support_vectors.md.

    >>> model = NuSVC(nu=0.25, kernel="linear").fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> model.coef_.round(9), model.C_.round(9)  # α is 1/2 at -1 and 1, which are on the margin
    (array([[1.]]), array([1.]))
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-4,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
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
        self.probability = probability
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def _strength(self):
        return nu_of(self)

    def _solved(self, gram, parts, s, strength, deadline):
        """SVC's problems of the prices that belong to nu, and their solutions."""
        pairs = list(combinations(range(len(self.classes_)), 2))
        for pair, (part, signs) in zip(pairs, parts):
            self._refuse_infeasible(pair, signs, s[part])
        whole = [self._problem(gram.take(part), signs, s[part], 1.0) for part, signs in parts]
        problems = [self._with_sums(problem) for problem in whole]
        solutions = parallel_map(lambda problem: self._solve(problem, deadline), problems)
        offsets = [offsets_of(problem, each, self.bias) for problem, each in zip(problems, solutions)]
        widths = [self._half_width(*each) for each in zip(pairs, problems, solutions, offsets)]
        self.C_ = 1.0 / np.array(widths)
        priced = [
            self._problem(problem.gram, signs, s[part], price)
            for problem, (part, signs), price in zip(whole, parts, self.C_)
        ]
        return priced, [scaled(each, C, C * float(t.mean())) for each, C, t in zip(solutions, self.C_, offsets)]

    def _refuse_infeasible(self, pair, signs, s):
        """Each class holds half of nu, and can hold no more than its weight."""
        total = float(s.sum())
        lighter = min(float(s[signs > 0.0].sum()), float(s[signs < 0.0].sum()))
        if 0.5 * self.nu * total > lighter * (1.0 + ROUNDING):
            first, second = self.classes_[list(pair)].tolist()
            raise cannot(
                f"fit NuSVC with nu={self.nu!r}",
                because=f"the specified nu is infeasible: of the classes {first!r} and {second!r} the lighter has a "
                f"weight of {lighter:g} in {total:g}, and would have to hold {0.5 * self.nu * total:g}",
                instead=f"nu of at most {2.0 * lighter / total:.6g}, or class_weight='balanced'",
            )

    def _half_width(self, pair, problem, solution, offsets):
        """ρ, the score at the margin: f + t is ρ on one side and -ρ on the other."""
        coefficients = problem.row_coefficients(solution.beta)
        values, stopped = solution.details["values"], solution.details["stopped"]
        rounding = 100.0 * EPS * problem.gram.entry_error * float(np.linalg.norm(coefficients))
        rho = 0.5 * float(offsets[1] - offsets[0])
        if rho > (0.0 if stopped else 10.0 * values.violation + rounding):
            return rho
        # of an iterate that is no optimum the mean margin of the support vectors, Σ b f / Σ |b|
        square = float(coefficients @ solution.theta)
        if square > 0.0 and (stopped or not problem.is_convex):
            return square / float(np.abs(coefficients).sum())
        first, second = self.classes_[list(pair)].tolist()
        raise cannot(
            f"fit NuSVC with nu={self.nu!r}",
            because=f"the classes {first!r} and {second!r} overlap so much that with so few margin errors no direction "
            "separates them: w = 0",
            instead="a larger nu, another kernel, or SVC",
        )

    def _with_sums(self, problem):
        """A pair's problem of some price with the sums that nu asks for, in the place of ``p = y``."""
        negative = problem.high <= 0.0
        total = self.nu * float((problem.high - problem.low).sum())  # Σ C s is that of the boxes
        return halves(problem, total, np.zeros(len(negative)), negative.astype(np.int64))

    def _certify(self, problems, solutions, started):
        """The certificates of the problems with their sums: a score of 1 is where the margin is."""
        super()._certify(*self._restricted(problems, solutions), started, stacklevel=4)

    def _restated(self, X, y, sample_weight):
        problems, solutions, publish = super()._restated(X, y, sample_weight)
        return *self._restricted(problems, solutions), publish

    def _price(self, pair):
        return float(self.C_[pair])

    def _restricted(self, problems, solutions):
        at = [each.intercept + np.array([-1.0, 1.0]) for each in solutions]
        return [self._with_sums(problem) for problem in problems], [
            Solution(each.beta, t, details=each.details, iterations=each.iterations, passes=each.passes)
            for each, t in zip(solutions, at)
        ]

    def _slopes(self, gram, parts, s, strength):
        # rows that are left out are scored by SVC's machines of the same prices
        return np.concatenate([slopes_of(self, gram, [part], s, price) for part, price in zip(parts, self.C_)])
