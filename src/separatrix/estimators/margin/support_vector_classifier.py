r"""The support vector classifier: the widest margin in the feature space of a kernel, with a price for every error."""

from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from separatrix.core.declaration import DENSE, SmallFit, declares
from separatrix.core.dual_problem import dual_values
from separatrix.core.errors import Inseparable, cannot
from separatrix.core.family import Family, declare, needs
from separatrix.core.solution import Solution
from separatrix.core.threads import parallel_map
from separatrix.core.types import Array, MatrixLike
from separatrix.designs import as_dense
from separatrix.designs.equal_rows import contradiction
from separatrix.designs.gram_rows import refuse_too_large
from separatrix.designs.kernels import Linear
from separatrix.estimators import verification
from separatrix.estimators.class_weights import class_factors
from separatrix.estimators.margin.kernel_machine import (
    Entered,
    KernelMachine,
    box_problem,
    described,
    is_of_words,
    margin_of,
)
from separatrix.estimators.margin.out_of_fold import slopes_of
from separatrix.estimators.validation import check_choice, validate_class_target
from separatrix.prediction import forms, support_vectors
from separatrix.solvers.hard_margin import separation_in

UNSEPARATED = {  # why there is no hard margin, by the verdict on separation
    "overlap": "no hyperplane of the kernel {!r} separates the classes, so that the dual is unbounded",
    "quasi-complete": "no hyperplane of the kernel {!r} separates the classes strictly, so that the dual is unbounded",
    "undecided": "whether a hyperplane of the kernel {!r} separates the classes could not be decided",
}


def _says_probabilities(self):
    if self.probability is True or self.probability == 1:
        return True
    raise AttributeError("predict_proba is not available when probability=False")


@declares(
    task="classification",
    solvers=("solvers.dual_decomposition", "solvers.dual_newton"),
    prediction=forms.SUPPORT_VECTOR_CLASSES,
    verification=verification.OF_SUPPORT_VECTORS,
    description=described,
    has_margins=True,
    small_fits=(SmallFit(storages=DENSE),),
)
class SVC(ClassifierMixin, KernelMachine):
    r"""Separate classes by the widest margin in the feature space of a kernel, with a price for every error.

    .. math:: \min_{w, t, \xi}\ \tfrac12 \|w\|^2 + C \sum_i s_i \xi_i, \qquad
              y_i (w \cdot \phi(x_i) + t) \ge 1 - \xi_i, \quad \xi_i \ge 0, \qquad k(x, z) = \phi(x) \cdot \phi(z)

    Its dual, :math:`\max \sum \alpha_i - \tfrac12 \alpha' \mathrm{diag}(y) K \mathrm{diag}(y) \alpha` with
    :math:`0 \le \alpha_i \le C s_i` and :math:`\sum \alpha_i y_i = 0`, is solved, and the gap between the two
    certified. Rows with :math:`\alpha_i > 0` are the support vectors: those below their bound lie on the margin, those
    at it within it or on the wrong side. k classes are told apart by one machine for each pair, and votes.

    Parameters
    ----------
    C : float, (0, inf], default 1.0.  Price of errors. ``np.inf`` is the hard margin, refused with the proof
        where the classes overlap.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, callable or Kernel, default "rbf".  A callable is
        called with all rows on either side and returns the matrix of the kernel; a Kernel is one of
        :mod:`separatrix.kernels`, with parameters of its own.
    degree : int, [0, inf), default 3.  Of "poly", :math:`(\gamma x'z + c)^d`.
    gamma : float, (0, inf), "scale" or "auto", default "scale".  Of "rbf", :math:`e^{-\gamma |x - z|^2}`, "poly" and
        "sigmoid"; "scale" is 1 / (p var X), with weights as repetitions, "auto" 1/p.
    coef0 : float, default 0.0.  c of "poly" and "sigmoid", :math:`\tanh(\gamma x'z + c)`.
    shrinking : bool, default True.  Whether rows that stay at a bound are set aside meanwhile.
    probability : bool or "deprecated", default "deprecated".  Whether to learn probabilities, by five more fits.
        The default, scikit-learn's, is False.
    tol : float, [0, inf), default 1e-4.  Relative duality gap at which a fit may stop. Where at most 8,000 support
        vectors are free Newton steps follow, and the gap is that of rounding, below 1e-11 as a rule (more where
        columns are of very different scales).
    cache_size : float, (0, inf), default 200.  Megabytes for rows of the kernel matrix.
    class_weight : dict, "balanced" or None, default None.  Factors of C for each class.
    verbose : bool, default False.  Accepted for compatibility; nothing is printed.
    max_iter : int, [-1, inf), default -1.  Limit of pair steps for each pair of classes; -1 for ten million.
    decision_function_shape : {"ovr", "ovo"}, default "ovr".  Whether scores of more than two classes are those of the
        classes (votes, and confidence between equal votes) or of the pairs.
    break_ties : bool, default False.  Whether equal votes are decided by confidence instead of the first class.
    random_state : int, RandomState or None, default None.  Of the folds for probabilities.
    bias : {"mean", "median"}, default "mean".  Of what the free support vectors ask the intercept to be.
    budget : float, str or None, default None.  Time limit: seconds, or "500ms", "10s", "2min". A fit that meets it
        keeps its best iterate, whose gap it tells, and warns NotCertified.

    Attributes
    ----------
    classes_ : (k,) array.  class_weight_ : (k,) array.
    support_ : (n_SV,) array of int.  Rows that are support vectors, class after class. n_support_ : (k,) array.
    support_vectors_ : (n_SV, p) array or sparse matrix; empty for "precomputed" and callables.
    dual_coef_ : (k - 1, n_SV) array.  :math:`y_i \alpha_i` in each of the pairs of the class of the vector.
    intercept_ : (pairs,) array.  coef_ : (pairs, p) array, of the linear kernel.
    margin_, margin_width_ : float or (pairs,) array.  :math:`1/\|w\|` and :math:`2/\|w\|`, infinite
        where w = 0, NaN where an indefinite kernel makes the square of :math:`\|w\|` negative.
    slack_ : (n,) array, or (n, pairs).  :math:`\xi`: 0 on the right side of the margin, and for rows of other
        classes or of weight 0; above 1 on the wrong side of the boundary.
    on_margin_, margin_errors_ : arrays of int, or a list of them for pairs.  Support vectors below their bound, and
        at it.
    primal_objective_, dual_objective_ : float or (pairs,) array.  kkt_violation_ : float, in units of the margin.
    certificate_ : Certificate.  The worst pair's duality gap relative to the objective of the best constant (of a hard
        margin to its own); of a kernel that need not be positive semidefinite the worst KKT violation, which
        bounds nothing.
    kernel_ : Kernel, callable or "precomputed".  The kernel with its parameters, as they were when it was fitted.
    gamma_ : float.  n_iter_ : (pairs,) array.  fit_status_ : int, 1 if a limit was met.  shape_fit_ : tuple.
    probA_, probB_ : (pairs,) arrays, with ``probability=True``.
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn.

    References: Cortes and Vapnik (1995), Machine Learning 20(3); Platt (1999), in Advances in Large Margin Classifiers.
    Theory: docs/theory/support_vectors.md.

    >>> model = SVC(kernel="linear", C=float("inf")).fit([[1, 2], [-1, 2], [-1, -2]], [-1, -1, 1])
    >>> model.coef_.round(9) + 0.0, float(model.margin_width_)
    (array([[ 0. , -0.5]]), 4.0)
    >>> model.dual_coef_, model.support_  # the first row is on the margin, too, and is not needed
    (array([[-0.125,  0.125]]), array([1, 2], dtype=int32))
    """

    classes_: Array
    n_support_: Array

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        self.C = C
        self.probability = probability
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), or a kernel matrix (n, n), and labels y (n,); a weight multiplies the C of its row."""
        check_choice(self, "decision_function_shape", ("ovr", "ovo"))
        strength = self._strength()
        started, deadline, data, gram = self._begin(X, y, sample_weight)
        self._refuse_overlap(gram, data, strength)
        parts = self._parts(data.y, data.s)
        problems, solutions = self._solved(gram, parts, data.s, strength, deadline)
        self._publish(parts, problems, solutions, len(data.y))
        self._keep_rows(data.rows, data.X)
        self._certify(problems, solutions, started)
        if self.probability is True or self.probability == 1:
            self.probA_ = self._slopes(gram, parts, data.s, strength)
            self.probB_ = np.zeros(len(self.probA_))
        return self

    def decision_function(self, X: MatrixLike) -> Array:
        """Scores: (m,) for two classes, positive for ``classes_[1]``; else of the classes (m, k), or of pairs."""
        return support_vectors.shaped(vars(self), self._scores(X))

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row of X."""
        check_is_fitted(self)
        support_vectors.refuse_ties_of_pairs(vars(self))
        return support_vectors.decided(vars(self), self._scores(X))

    @available_if(_says_probabilities)
    def predict_proba(self, X: MatrixLike) -> Array:
        """Probability of each class (m, k), monotone in the scores; the largest is that of the predicted class."""
        check_is_fitted(self)
        if "probA_" not in vars(self):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return support_vectors.probabilities(vars(self), self._scores(X))

    @available_if(_says_probabilities)
    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def labelled_gram(self, X: MatrixLike, y: ArrayLike) -> Array:
        r"""The matrix :math:`y_i y_j k(x_i, x_j)` of the dual, for labels of two classes: (n, n)."""
        check_is_fitted(self)
        data = self._entered(X, y, None, reset=False)
        signs = np.where(data.y == 1, 1.0, -1.0)
        gram = self._gram(data.X)
        refuse_too_large(gram.n, gram.n, what=f"label the kernel matrix of {gram.n:,} rows")
        return np.asarray(signs[:, None] * gram.block(np.arange(gram.n)) * signs)

    def _entered(self, X, y, sample_weight, reset=True):
        """X, codes and weights, checked."""
        kernel = self.kernel if reset else self.kernel_
        shown, given = self._enter_rows(X, kernel)
        options = {"sparse": kernel != "precomputed", "reset": reset}
        design, target = validate_class_target(self, shown, y, sample_weight, **options)
        design.needs("vectors", f"fit {type(self).__name__}")
        rows, codes = design.block(slice(None)), target.y
        repeats = target.weights.astype(np.float64)
        counts = np.bincount(codes, repeats, minlength=len(self.classes_))
        each = class_factors(self.class_weight, self.classes_, counts)
        if reset:
            self.class_weight_ = each
        return Entered(given if given is not shown else rows, rows, codes, repeats, repeats * each[codes], each)

    def _parts(self, codes, s):
        """For each pair of classes its rows of positive weight, and their signs."""
        k = len(self.classes_)
        parts = []
        for first, second in combinations(range(k), 2):
            part = np.flatnonzero(((codes == first) | (codes == second)) & (s > 0.0))
            positive = second if k == 2 else first
            parts.append((part, np.where(codes[part] == positive, 1.0, -1.0)))
        return parts

    def _problem(self, gram, signs, s, strength):
        r"""``min ½ b'Kb - y'b`` with ``0 <= y_i b_i <= C s_i`` and ``Σ b = 0``, where ``b_i = y_i α_i``."""
        box = strength * s
        return box_problem(gram, signs, np.where(signs > 0.0, 0.0, -box), np.where(signs > 0.0, box, 0.0))

    def _solved(self, gram, parts, s, strength, deadline):
        """The problems of the pairs and their solutions, each with the intercept that is published."""
        problems = [self._problem(gram.take(part), signs, s[part], strength) for part, signs in parts]
        solutions = parallel_map(lambda problem: self._solve(problem, deadline), problems)
        for problem, solution in zip(problems, solutions):
            solution.intercept = self._offset(problem, solution)
        return problems, solutions

    def _price(self, pair):
        """The price of errors of a fitted pair."""
        return self._strength()

    def _slopes(self, gram, parts, s, strength):
        return slopes_of(self, gram, parts, s, strength)

    def _refuse_overlap(self, gram, data, strength):
        """A hard margin exists only between classes that are separated."""
        if strength < np.inf:
            return
        for part, signs in self._parts(data.y, data.s):
            linear = data.rows[part] if isinstance(self.kernel_, Linear) else None
            pair = contradiction(data.X if is_of_words(data.X) else data.rows, part, signs)
            if pair is not None:
                both = separation_in(gram, np.ones((2, 1)), np.array([True, False]))
                raise self._inseparable(f"rows {pair[0]} and {pair[1]} are equal and of different classes", both)
            proof = separation_in(gram.take(part), linear, signs > 0.0)
            if proof is not None and proof.verdict != "complete":
                raise self._inseparable(UNSEPARATED[proof.verdict].format(self.kernel), proof)

    def _inseparable(self, because, proof):
        """An error that carries its proof."""
        of = f"fit {type(self).__name__} with C=inf"
        error = cannot(of, because=because, instead="a finite C, which allows errors", kind=Inseparable)
        error.proof = proof
        return error

    def _publish(self, parts, problems, solutions, n):
        """Support vectors, class after class, with their coefficients in the pairs of their class."""
        k = len(self.classes_)
        dual, of_class = np.zeros((k - 1, n)), np.full(n, -1)
        slack = np.zeros((n, len(parts)))
        self.on_margin_, self.margin_errors_, margins, primal, dual_values_, worst = [], [], [], [], [], 0.0
        for p, ((first, second), (part, signs)) in enumerate(zip(combinations(range(k), 2), parts)):
            problem, solution = problems[p], solutions[p]
            b = solution.beta
            own = np.where((signs > 0.0) == (k > 2), first, second)
            of_class[part] = own
            dual[np.where(own == first, second - 1, first), part] = b
            scores = solution.theta + solution.intercept
            slack[part, p] = np.maximum(0.0, 1.0 - signs * scores)
            at_bound = np.abs(b) >= np.maximum(problem.high, -problem.low)
            self.margin_errors_.append(part[at_bound])
            self.on_margin_.append(part[(b != 0.0) & ~at_bound])
            values = dual_values(problem, b, np.array([solution.intercept]))
            margins.append(margin_of(problem, solution))
            primal.append(values.primal)
            dual_values_.append(values.dual)
            worst = max(worst, values.violation)
        support = np.flatnonzero(dual.any(axis=0))
        self.support_ = support[np.argsort(of_class[support], kind="stable")].astype(np.int32)
        self.n_support_ = np.bincount(of_class[support], minlength=k).astype(np.int32)
        self.dual_coef_ = dual[:, self.support_]
        self.intercept_ = np.array([solution.intercept for solution in solutions])
        self.n_iter_ = np.array([solution.iterations for solution in solutions], dtype=np.int32)
        self.kkt_violation_ = worst
        pair = (lambda values: values[0]) if k == 2 else np.array
        self.margin_, self.primal_objective_, self.dual_objective_ = pair(margins), pair(primal), pair(dual_values_)
        self.slack_ = slack[:, 0] if k == 2 else slack
        if k == 2:
            self.on_margin_, self.margin_errors_ = self.on_margin_[0], self.margin_errors_[0]

    def _restated(self, X, y, sample_weight):
        """The problems on data handed in again, the published coefficients in each, and what publishes them."""
        data = self._entered(X, y, sample_weight, reset=False)
        gram, k = self._gram(data.X), len(self.classes_)
        parts = self._parts(data.y, data.s)
        full = np.zeros((k - 1, len(data.y)))
        full[:, self.support_] = as_dense(self.dual_coef_)
        problems, solutions = [], []
        for p, ((first, second), (part, signs)) in enumerate(zip(combinations(range(k), 2), parts)):
            problems.append(self._problem(gram.take(part), signs, data.s[part], self._price(p)))
            own_first = data.y[part] == first
            b = np.where(own_first, full[second - 1, part], full[first, part])
            theta = problems[-1].scores(b)
            solutions.append(Solution(b, float(self.intercept_[p]), theta))
        return problems, solutions, lambda other: other._publish(parts, problems, solutions, len(data.y))


def _with_probabilities(facts):
    model = SVC(probability=True, random_state=facts.seed)
    return facts.searched(model, {"C": [0.3, 3.0, 30.0], "gamma": ["scale", 0.2 / max(facts.columns, 1)]})


declare(
    Family(
        name="support vector machine, Gaussian kernel",
        task="classification",
        model=SVC,
        make=_with_probabilities,
        complexity=60,
        description="Draws the boundary of the widest margin among bumps around the training rows: any shape, "
        "as smooth "
        "as the search finds best. Probabilities are a logistic curve of the scores.",
        why_excluded=needs(rows_per_class=5),
        most_rows=3_000,
    )
)
