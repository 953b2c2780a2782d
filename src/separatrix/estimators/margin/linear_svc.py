r"""Linear support vector machine of two classes: :math:`\min \tfrac12 \|w\|^2 + C \sum_i s_i (1 - y_i f(x_i))_+`."""

import time
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike

from separatrix.core.declaration import SmallFit, declares
from separatrix.core.errors import cannot
from separatrix.core.family import Family, declare
from separatrix.core.target import Target
from separatrix.core.types import MatrixLike
from separatrix.estimators import verification
from separatrix.estimators.base import LinearClassifier, SparseCoefficients, with_probabilities
from separatrix.estimators.class_weights import checked_product, class_factors
from separatrix.estimators.margin.hard_margin import hard_machine
from separatrix.estimators.margin.linear_machine import AT_END, LinearMachine
from separatrix.estimators.published import worst
from separatrix.estimators.validation import check_choice, validate_classes
from separatrix.losses import Hinge, SquaredHinge
from separatrix.solvers.choose import KINKED, SQUARED_MARGIN


@declares(
    task="classification",
    losses=(Hinge, SquaredHinge),
    penalties=("penalties:L2", "penalties:L1"),
    solvers=(*KINKED, *SQUARED_MARGIN, "solvers.proximal_newton"),
    verification=verification.OF_LINEAR_MACHINES,
    has_margins=True,
    small_fits=(
        SmallFit(called="squared hinge"),
        SmallFit({"loss": "hinge"}, called="hinge"),
        SmallFit({"penalty": "l1", "C": 0.1}, called="L1"),
    ),
)
class LinearSVC(LinearMachine, SparseCoefficients, LinearClassifier):
    r"""The hyperplane of the widest margin, at a price C for rows within it.

    .. math:: \min_{w, b} \ \tfrac12 \|w\|^2 + C \sum_i s_i\, \ell(y_i (x_i^\top w + b)), \qquad
              \ell(z) = (1 - z)_+^2 \text{ or } (1 - z)_+

    The margin reaches :math:`1 / \|w\|` to either side; :math:`\xi_i = (1 - y_i f(x_i))_+` is the slack of a row. A
    large C leaves few rows within a narrow margin. ``C=np.inf`` is the hard margin: no row within it, which takes
    classes that a hyperplane separates. More than two classes are learnt each against the rest.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default "l2".  "l1" puts :math:`\|w\|_1` in the place of :math:`\tfrac12 \|w\|^2`, for the
        squared hinge: some coefficients are then exactly zero.
    loss : {"squared_hinge", "hinge"}, default "squared_hinge".
    dual : {"auto", True, False}, default "auto".  Accepted for compatibility, no effect here.
    tol : float, [0, inf), default 1e-8.  Relative gap to be certified.
    C : float, (0, inf], default 1.0.  The price of slack; inf is the hard margin.
    multi_class : {"ovr"}, default "ovr".  Each class against the rest.
    fit_intercept : bool, default True.
    intercept_scaling : float, (0, inf), default 1.0.  The constant column whose coefficient a penalised intercept is.
    class_weight : dict, "balanced" or None, default None.  Factors of C for the rows of each class; with more than two
        classes, where they stand against the rest.
    verbose : int, default 0.  Accepted for compatibility, no effect here.
    random_state : accepted for compatibility; nothing here is random.
    max_iter : int, [0, inf), default 1000.  Most iterations.
    penalize_intercept : bool, default False.  Whether the intercept is penalised as LIBLINEAR and scikit-learn do it,
        by appending the column `intercept_scaling` to X: the numbers are then theirs.
    budget : float, str or None, default None.  Seconds, or "500ms", "10s", "2m" (also "2min"), after which iterations
        stop with the best that they have, its gap, and a warning.

    Attributes
    ----------
    classes_ : (k,) array.  coef_ : (1, p) array, (k, p) for k > 2 classes.  intercept_ : (1,) or (k,) array.
    n_iter_ : int.  Iterations, the most of any class.
    dual_coef_ : (1, n) or (k, n) array, not with L1.  :math:`\alpha_i y_i`: ``coef_`` is ``dual_coef_ @ X``.
    slack_ : (n,) array, (k, n) for k > 2 classes.  0 for rows of weight 0.
    support_ : array of int.  Rows on or within the margin that hold it (:math:`\alpha_i > 0`), of any class.
    on_margin_, margin_errors_ : arrays of int.  Those of them on the margin (no slack), and those within it or beyond.
    primal_objective_, dual_objective_ : float, (k,) arrays for k > 2 classes.  The objective of the formula, and
        what it cannot be below.
    C_ : (1,) or (k,) array.  C; for the hard margin ten times the largest dual variable: above that all C are alike.
    certificate_ : Certificate.  The relative gap, the worst of all classes.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References: Cortes and Vapnik (1995), Machine Learning 20. Fan et al. (2008), LIBLINEAR, JMLR 9.

    Examples
    --------
    >>> X, y = [[1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0]], [-1, -1, 1]
    >>> model = LinearSVC(loss="hinge", C=np.inf).fit(X, y)
    >>> model.coef_.round(9) + 0.0, model.intercept_.round(9) + 0.0, model.margin_width_
    (array([[ 0. , -0.5]]), array([0.]), 4.0)
    """

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: str | bool = "auto",
        tol: float = 1e-8,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Mapping[Any, float] | str | None = None,
        verbose: int = 0,
        random_state: int | RandomState | None = None,
        max_iter: int = 1000,
        penalize_intercept: bool = False,
        budget: float | str | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.penalize_intercept = penalize_intercept
        self.budget = budget

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to X (n, p), an array, sparse array or frame, and labels y (n,); `sample_weight` multiplies C."""
        started = time.perf_counter()
        self._check()
        design, codes, s = validate_classes(self, X, y, sample_weight)
        columns = self._columns(design)
        C = self._strength()
        machines = []
        for target in self._targets(codes, s):
            if np.isinf(C):
                machines.append(hard_machine(self, columns, target, started))
            else:
                machines.append(self._machine(columns, target, C, started))
        self._tell(machines)
        self.certificate_ = worst([machine.certificate for machine in machines])
        self._warn()
        return self

    def _check(self):
        super()._check()
        check_choice(self, "penalty", ("l2", "l1"))
        check_choice(self, "loss", ("squared_hinge", "hinge"))
        because = None
        if self.multi_class == "crammer_singer":
            because, instead = "its one machine for all classes is not built", "multi_class='ovr'"
        elif self.penalty == "l1" and self.loss == "hinge":
            because, instead = "L1 goes with a smooth loss", "loss='squared_hinge' or penalty='l2'"
        elif self.penalty == "l1" and np.isposinf(self._strength()):
            because, instead = "the hard margin is measured in the L2 norm", "penalty='l2' or a finite C"
        if because:
            wish = f"multi_class={self.multi_class!r}, penalty={self.penalty!r}, loss={self.loss!r} and C={self.C!r}"
            raise cannot(f"fit LinearSVC with {wish}", because=because, instead=instead)
        check_choice(self, "multi_class", ("ovr",))

    def _loss(self):
        # without slack both are alike: the hard margin is solved as that of the hinge
        return Hinge() if self.loss == "hinge" or np.isposinf(self.C) else SquaredHinge()

    def _penalty(self):
        return self.penalty

    def _targets(self, codes, s):
        """For two classes the second against the first, for more each against the rest, -1.0 and 1.0."""
        k = len(self.classes_)
        factors = class_factors(self.class_weight, self.classes_, np.bincount(codes, s, k))
        for c in [1] if k == 2 else range(k):
            own = codes == c
            each = np.where(own, factors[c], factors[0] if k == 2 else 1.0)
            weights = s
            if (each != 1.0).any():
                weights = checked_product(each if s is None else s * each)
            if np.isposinf(self.C) and weights is not None:  # there is no slack whose price they could change
                weights = (weights > 0.0).astype(np.float64)
            yield Target(np.where(own, 1.0, -1.0), weights)

    def _tell(self, machines):
        """Publish coefficients, dual variables and slack."""
        parts = [self._split(machine.solution.beta) for machine in machines]
        intercepts = [m.solution.intercept if b is None else b for m, (_, b) in zip(machines, parts)]
        self._publish(np.stack([beta for beta, _ in parts], axis=1), np.array(intercepts, dtype=np.float64))
        self.n_iter_ = max(min(max(machine.solution.iterations, 1), max(self.max_iter, 1)) for machine in machines)
        self.C_ = np.array([machine.C for machine in machines])
        primal, dual = ([each(machine) for machine in machines] for each in (_primal, _dual))
        one = len(machines) == 1
        self.primal_objective_, self.dual_objective_ = (primal[0], dual[0]) if one else map(np.array, (primal, dual))
        slack = np.stack([self._slack(machine.problem, machine.scores) for machine in machines])
        for name in ("dual_coef_", "support_", "on_margin_", "margin_errors_"):
            self.__dict__.pop(name, None)
        if self.penalty == "l2":
            self._tell_dual(machines, slack)
        self.slack_ = slack[0] if one else slack

    def _slack(self, problem, eta):
        target = problem.target
        return np.where(target.weights > 0.0, np.maximum(1.0 - target.y * eta, 0.0), 0.0)

    def _price(self, c):
        return self.C_[c]

    def _tell_dual(self, machines, slack):
        dual, support, error = [], False, False
        for machine, xi in zip(machines, slack):
            pull = machine.multipliers()
            most = machine.C * machine.problem.target.weights
            holds = np.abs(pull) > AT_END * most
            at_price = np.abs(pull) >= (1.0 - AT_END) * most if not machine.is_smooth else xi > 0.0
            dual.append(np.where(holds, -pull, 0.0))
            support, error = support | holds, error | (holds & at_price)
        self.dual_coef_ = np.stack(dual)
        self.support_, self.margin_errors_ = np.flatnonzero(support), np.flatnonzero(error)
        self.on_margin_ = np.flatnonzero(support & ~error)

    def _restate(self, X, y, sample_weight):
        """The problem of each class on data that are handed in again, at the C that was fitted."""
        design, codes, s = validate_classes(self, X, y, sample_weight, reset=False)
        columns = self._columns(design)
        return [self._problem(columns, target, C) for target, C in zip(self._targets(codes, s), self.C_)]


def _primal(machine):
    return machine.primal


def _dual(machine):
    return machine.dual


CALIBRATED = with_probabilities(lambda facts: LinearSVC(loss="hinge"))

declare(
    Family(
        name="linear support vector machine",
        task="classification",
        model=LinearSVC,
        make=lambda facts: facts.searched(CALIBRATED(facts), {"estimator__C": [0.01, 0.1, 1.0, 10.0]}),
        complexity=20,
        description="The plane that leaves the widest empty band between two classes, at a price for rows within it. "
        "Probabilities are a logistic curve of the distance from the boundary.",
    )
)
